"""Sextant's dashboard: the page table and the navigation, nothing else."""

import streamlit as st

from pages.shared import frame

st.set_page_config(page_title="Sextant", page_icon=":material/explore:", layout="wide")

PAGES = {
    "Decide": [
        st.Page("pages/overview.py", title="Overview", icon=":material/leaderboard:", default=True),
        st.Page("pages/recommend.py", title="Recommend", icon=":material/recommend:"),
    ],
    "Understand": [
        st.Page("pages/profiles.py", title="Profiles", icon=":material/radar:"),
        st.Page("pages/correlation.py", title="Correlation", icon=":material/grid_on:"),
        st.Page("pages/scaling.py", title="Scaling", icon=":material/trending_up:"),
    ],
    "Trust": [
        st.Page("pages/sources.py", title="Sources", icon=":material/menu_book:"),
    ],
}

with frame.inside_app():
    st.navigation(PAGES).run()
