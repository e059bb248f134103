"""Digits page: who reads digits and counts, and what labels and prompts change about it."""

import streamlit as st

from evalcore.contrastive.digits import STUDY
from pages.parts.digits import charts as drawing
from pages.parts.digits import studies as parts
from pages.parts.digits import words
from pages.shared import frame, links
from pages.shared.controls import SidebarState
from pages.shared.text import plain

TABLES = {"openclip": "open_clip table", "clip-grid": "Controlled grid"}


def show_published(choice: SidebarState) -> None:
    """What the open tables say, after UniBench's Figures 5 and 6."""
    st.subheader("Every model against a network with two layers", divider="gray")
    left, right = st.columns(2)
    table = left.segmented_control(
        "Published scores",
        list(TABLES),
        format_func=lambda key: TABLES[key],
        default="openclip",
        required=True,
        key="digit_table",
        bind="query-params",
    )
    published = parts.published(choice, str(table))
    if published.rows.empty:
        st.warning("No model of this table passes the sidebar's filters.")
        return
    names = dict(zip(published.rows["model"], published.rows["name"], strict=True))
    marked = right.multiselect(
        "Ring these models",
        list(names),
        format_func=lambda model: names.get(model, str(model)),
        key=f"digit_ring_{table}",
        bind="query-params",
        placeholder="None",
    )
    st.info(plain(words.reached(published)), icon=":material/looks_one:")
    rings = [(model, names[model]) for model in marked]
    fig = drawing.by_place(published.rows, published.titles, rings)
    summary = (
        "Each model's accuracy by its place on each benchmark, with 95 % (Wilson) over pictures. "
        "The table was made with one set of labels and prompts for each benchmark."
    )
    frame.figure(fig, summary, words.published_table(published), "digit_places")
    st.caption(plain(words.NETWORK_SAYS))
    fig = drawing.medians(published.medians, published.titles)
    frame.figure(fig, words.medians(published), words.median_table(published), "digit_medians")


def show_studies(choice: SidebarState) -> None:
    """The studies that were run here, after Figures 9 and 10; the toy's where there is none."""
    st.subheader("What labels and prompts change", divider="gray")
    studies = parts.studies(choice.store)
    if studies.empty:
        frame.say(words.EMPTY)
        st.code(words.COMMAND, language="bash")
        return
    heads = studies.drop_duplicates("key").set_index("key")
    key = st.selectbox(
        "Model and benchmark",
        list(heads.index),
        format_func=lambda name: f"{heads['name'][name]} on {heads['title'][name]}",
        key=links.STUDY,
        bind="query-params",
    )
    study = parts.ranked(studies[studies["key"] == key])
    st.info(plain(words.headline(study)), icon=":material/format_quote:")
    summary = (
        "Accuracy with each set of labels and prompts, the best on top: how often the right digit "
        "is the model's first guess, or among its first two to five. Ticks below: what guessing "
        "scores for each."
    )
    frame.figure(drawing.setups(study), summary, words.study_table(study), "digit_setups")
    for note in words.caveats(study):
        st.caption(plain(note))
    if len(heads) > 1:
        frame.say("All studies; best and worst over labels and prompts:")
        table = words.all_table(studies)
        config = frame.one_decimal(table)
        st.dataframe(table, hide_index=True, column_config=config, key="digit_all")
    if not heads["suite"].eq(STUDY).any():
        frame.say(words.YOURS)
        st.code(words.COMMAND, language="bash")


with frame.page(
    "Digits",
    "Helps to decide whether a contrastive model can be trusted with digits and counts, and how "
    "much hangs on what it is asked.",
    counted=False,
) as choice:
    show_published(choice)
    show_studies(choice)
    st.subheader("What UniBench says", divider="gray")
    for quote in words.QUOTES:
        st.markdown(f"> {plain(quote)}")
    st.caption(plain(words.ABOUT_QUOTES))
