"""Recommend page: the pick."""

from collections.abc import Sequence

import streamlit as st

from evalcore import suite
from evalcore.errors import EvalcoreError
from evalcore.needs import Needs
from evalcore.tally import tally
from pages.shared import frame, limits_form, needs_form, recommend_parts
from pages.shared import recommend_tables as tables
from pages.shared.controls import Choice


def question(choice: Choice, form: needs_form.Form, tags: Sequence[str]) -> Needs:
    """What the sidebar and the form ask together."""
    asked = Needs(
        suite=choice.data.suite,
        axis=choice.axis,
        weights=tuple(choice.weights.items()),
        aggregate=choice.mean,
        min_n=choice.min_n,
    )
    return needs_form.needs(asked, choice.models, form, choice.names, tags)


with frame.page(
    "Recommend",
    "Decide which model to use: say what you need, and see who meets it, how firmly, and what you "
    "give up.",
) as choice:
    cells = choice.store.cells(choice.data, choice.axis, include_suspect=True)
    models = choice.data.models.assign(name=choice.data.models["model"].map(choice.names))
    above = st.container()
    form = limits_form.limits(choice, bool(cells["suspect"].any()))
    st.caption(
        "The sidebar counts too: its suite, tags and weights make the mix, and its model weights "
        "and largest model are limits like these (the stricter size counts). Whoever the sidebar "
        "hides is listed below as excluded."
    )
    try:
        asked = question(choice, form, list(dict.fromkeys(cells["tag"])))
    except EvalcoreError:
        with above:
            limits_form.ready_made(None)
        raise
    with above:
        limits_form.ready_made(asked)
    rec = suite.recommend_for(choice.data, asked, choice.names, cells)
    recommend_parts.counts(tally(rec, cells, models), rec)
    recommend_parts.answer(rec, choice.names)
    if len(rec.ranking):
        rows = tables.ranked(rec, choice.names)
        recommend_parts.ranking(rec, rows)
        recommend_parts.sensitivity(rec, choice.names)
        recommend_parts.trade(rec, rows)
        recommend_parts.regret(rec, choice.names)
    recommend_parts.left_out(rec, choice.names)
    recommend_parts.rests_on(choice, rec, models)
