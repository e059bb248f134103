"""Recommend page: the pick."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from evalcore.decision import limits, need_axis
from evalcore.decision.needs import Needs
from evalcore.errors import EvalcoreError
from evalcore.suites import current, suite
from pages.parts.recommend import answer, facts, today
from pages.shared import controls, frame, limits_form, needs_form, suites
from pages.shared.controls import SidebarState


def question(choice: SidebarState, form: needs_form.Form, tags: Sequence[str]) -> Needs:
    """What the sidebar and the form ask together."""
    asked = Needs(
        suite=choice.data.suite,
        axis=choice.axis,
        weights=tuple(choice.weights.items()),
        aggregate=choice.mean,
        min_n=choice.min_n,
    )
    about = (form, choice.names, tags)
    # The sidebar's limits hold on every page anyway.
    st.session_state[controls.LIMITS] = needs_form.needs(asked, suite.ModelFilter(), *about)
    return needs_form.needs(asked, choice.models, *about)


def by_need(choice: SidebarState) -> bool:
    """Whether the question is what a model is to do, asked of current results."""
    return choice.data.current and choice.axis == need_axis.AXIS


def offer(choice: SidebarState, asked: Needs | None) -> None:
    """The ready-made questions of the kind of suite that is asked."""
    if by_need(choice):
        today.preset_buttons(asked)
        return
    if not choice.data.current:
        limits_form.preset_buttons(asked)
    st.button(
        "Ask about models of today", on_click=suites.take, args=(suites.AUTO,),
        icon=":material/update:",
    )  # fmt: skip


def answered_by(choice: SidebarState, asked: Needs) -> tuple[suite.SuiteData, Needs, str]:
    """The block that answers, the question put to it, and why it is that block, in words."""
    if not by_need(choice):
        return choice.data, asked, ""
    # Which model a figure was stated for decides nothing about the block.
    whichever = replace(asked, suite="", ruled_out=(), usd_per_1000=(), seconds=())
    st.session_state[controls.LAST] = whichever
    blocks = choice.store.blocks(whichever)
    chosen = (blocks.chosen or str(blocks.table["suite"].iloc[0])) if choice.auto else asked.suite
    data = choice.data
    if chosen != data.suite or asked.include_modes:
        shipped = choice.store.suite(chosen, include_modes=asked.include_modes)
        data = suite.with_upload(shipped, controls.uploaded())
    today.block(choice, blocks, chosen)
    why = today.reason(choice, blocks, chosen)
    return data, needs_form.models_there(asked, chosen, set(data.models["model"])), why


with frame.page(
    "Recommend",
    "Decide which model to use: say what you need, and see who meets it, how firmly, and what you "
    "give up.",
    counted=False,
) as choice:
    if not choice.auto:
        frame.count_models(choice)
    above = st.container()
    if by_need(choice):
        with above:
            today.ask_needs(choice)
    cells = choice.store.cells(choice.data, choice.axis, include_suspect=True)
    form = limits_form.limits(choice, choice.auto or bool(cells["suspect"].any()))
    st.caption(
        "The sidebar counts too: its tags and weights make the mix, its model weights and largest "
        "model are limits like these."
    )
    try:
        asked = question(choice, form, list(dict.fromkeys(cells["tag"])))
    except EvalcoreError:
        with above:
            offer(choice, None)
        raise
    with above:
        offer(choice, asked)
    data, asked, why = answered_by(choice, asked)
    cells = choice.store.cells(data, asked.axis, include_suspect=True)
    models = data.models.assign(name=data.models["model"].map(choice.names))
    rec = current.recommend_for(data, asked, choice.names, cells)
    answer.counts(limits.counts(rec.findings, rec.needs, models), rec)
    answer.answer(rec, choice.names)
    across = ""
    if len(rec.ranking):
        rows = answer.ranked(rec, choice.names)
        answer.ranking(rec, rows)
        if data.current:
            facts.costs(rec, choice.names)
        facts.surer(rec, choice.names)
        if data.current:
            facts.results(choice, data, rec)
        answer.sensitivity(rec, choice.names)
        across = answer.trade(rec, rows, choice.names)
        answer.regret(rec, choice.names)
    answer.left_out(rec, choice.names)
    answer.rests_on(choice, rec, models, why, across)
