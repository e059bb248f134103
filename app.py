"""Sextant's dashboard: the page table and the navigation, nothing else."""

from pathlib import Path

import streamlit as st

from pages.shared import frame

st.set_page_config(page_title="Sextant", page_icon="🧭", layout="wide")

# Absolute, since a page that runs before app.py looks for its neighbours beside itself.
FOLDER = Path(__file__).resolve().parent / "pages"
PAGES = {
    "Decide": [
        st.Page(
            FOLDER / "overview.py", title="Overview", icon=":material/leaderboard:", default=True
        ),
        st.Page(FOLDER / "recommend.py", title="Recommend", icon=":material/recommend:"),
        st.Page(FOLDER / "compare.py", title="Compare", icon=":material/balance:"),
    ],
    "Understand": [
        st.Page(FOLDER / "profiles.py", title="Profiles", icon=":material/radar:"),
        st.Page(FOLDER / "samples.py", title="Samples", icon=":material/image_search:"),
        st.Page(FOLDER / "correlation.py", title="Correlation", icon=":material/grid_on:"),
        st.Page(FOLDER / "distilled.py", title="Distilled", icon=":material/filter_alt:"),
        st.Page(FOLDER / "scaling.py", title="Scaling", icon=":material/trending_up:"),
        st.Page(FOLDER / "digits.py", title="Digits", icon=":material/looks_one:"),
    ],
    "Trust": [
        st.Page(FOLDER / "judges.py", title="Judges", icon=":material/gavel:"),
        st.Page(FOLDER / "runs.py", title="Runs", icon=":material/directions_run:"),
        st.Page(FOLDER / "sources.py", title="Sources", icon=":material/menu_book:"),
    ],
}

page = st.navigation(PAGES)
with frame.inside_app(page.title):
    page.run()
