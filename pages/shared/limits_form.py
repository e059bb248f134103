"""The widgets of the Recommend page: ready-made questions and the limits form."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import streamlit as st

from evalcore.decision import link, need_axis
from evalcore.decision.facts import WHERE, Control
from evalcore.decision.needs import ASSUMED, CONTROLS, Needs
from evalcore.decision.presets import PRESETS
from pages.shared import needs_form
from pages.shared.controls import ENTERED, PENDING, SidebarState
from pages.shared.needs_form import Form
from pages.shared.text import plain

AGAIN = "rec_again"
QUESTION = {
    "rec_width": ("Picture width, pixels", ASSUMED.width),
    "rec_height": ("Picture height, pixels", ASSUMED.height),
    "rec_pictures": ("Pictures a question", ASSUMED.images),
    "rec_prompt": ("Tokens of text asked", int(ASSUMED.prompt_tokens)),
    "rec_answer": ("Tokens of an answer", None),
    "rec_thinking": ("Tokens with thinking", None),
    "rec_image_tokens": ("Tokens of a picture", None),
}
"""Key to label and the value that is assumed; None: as measured, or unknown."""

TOP, TODAY, TERMS = 0, 1, 3
"""Rows of the form: what is always in view, and what only suites of current models have."""
COLUMNS = {TOP: 2, TODAY: 3, 2: 2, TERMS: 3, 4: 3}
"""Row of the form to its columns; the others have one."""
MORE = tuple(control.key for control in CONTROLS if control.place[0] > TODAY)
"""Keys of the fields that are folded away until one of them is filled in."""
OF_RUNS = (
    *(control.key for control in CONTROLS if not control.scored),
    *link.WORKLOAD,
)
"""Keys of the limits that concern a model whatever it scores."""


def preset_buttons(asked: Needs | None) -> None:
    """Draw the ready-made questions as pills; the one that is being asked is lit.

    Args:
        asked: The question as the sidebar and the form put it; None while it cannot be read.
    """
    fits = (
        []
        if asked is None
        else [name for name, preset in PRESETS.items() if needs_form.same(preset.needs, asked)]
    )
    # The pill follows the question, so it never names one that has been changed since.
    lit = fits[0] if fits else None
    if st.session_state.get("rec_preset") != lit:
        st.session_state["rec_preset"] = lit
    st.pills(
        "Ready-made questions (VQA360)",
        list(PRESETS),
        format_func=lambda name: PRESETS[name].title,
        key="rec_preset",
        bind="query-params",
        on_change=_take,
        help="Choosing one fills in the sidebar and the form; choosing it again clears them.",
    )
    st.caption(plain(PRESETS[lit].caption if lit else "Now: a question of your own."))
    if AGAIN in st.session_state:
        _take_again()


def _take() -> None:
    """Fill in the sidebar and the form from the chosen question."""
    chosen = st.session_state["rec_preset"]
    first = next(iter(PRESETS.values())).needs
    asked = PRESETS[chosen].needs if chosen else Needs(first.suite, first.axis, min_n=first.min_n)
    values = needs_form.filled(asked)
    weights = {key: 1.0 for key in st.session_state if str(key).startswith("w_")}
    if not values.keys() <= set(st.session_state):
        st.session_state[AGAIN] = values
    st.session_state.update({**values, **weights})


@st.fragment(run_every=0.4)
def _take_again() -> None:
    """Say the values once more, after the browser has drawn the widgets that are new.

    A widget that appears in the same run in which its value is set does not put it into the
    address; one that is already there does.
    """
    waited = st.session_state.setdefault("rec_waited", 0)
    st.session_state["rec_waited"] = waited + 1
    if waited:
        st.session_state[PENDING] = st.session_state.pop(AGAIN, {})
        st.session_state.pop("rec_waited")
        st.rerun()


def limits(choice: SidebarState, suspect: bool) -> Form:
    """Draw the limits form.

    Args:
        choice: The sidebar.
        suspect: Whether the axis has results marked as suspect.
    """
    own = choice.data.scores.loc[choice.data.scores["axis"] == choice.axis, "tag"]
    tag = "documents" if choice.axis == need_axis.AXIS else next(iter(own), "tag")
    absent = () if suspect else ("rec_suspect",)
    title = "More limits: memory, cost, time, quality, the unknown"
    return _form(title, choice.names, tag, choice.data.current, absent)


def of_runs(names: Mapping[str, str], kept: Needs | None) -> Form:
    """Draw the limits that concern a model whatever it scores, in the same words.

    Args:
        names: Id to the name on screen of the models that have runs.
        kept: The limits that were set last; they fill what the link leaves open.
    """
    # Widgets of another page forget what they held, even where the keys are the same.
    if st.session_state.pop(ENTERED, False) and kept is not None:
        known = needs_form.filled(needs_form.models_there(kept, "", set(names)))
        open_still = {key for key in OF_RUNS if known[key] and key not in st.query_params}
        values = {key: known[key] for key in open_still}
        st.session_state.update(values)
        st.session_state[AGAIN] = values
    if AGAIN in st.session_state:
        _take_again()
    scored = tuple(control.key for control in CONTROLS if control.scored)
    return _form("More limits: memory, cost, time, the unknown", names, "", True, scored)


def _form(
    title: str, names: Mapping[str, str], tag: str, current: bool, absent: Sequence[str]
) -> Form:
    """Draw every row of the form.

    Args:
        title: Of what is folded away.
        names: Id to the name on screen of the models.
        tag: One of the axis, for an example.
        current: Whether the models are of today.
        absent: Keys of what is not asked.
    """
    rows: dict[int, list[Control]] = {}
    for control in sorted(CONTROLS, key=lambda control: control.place):
        row = rows.setdefault(control.place[0], [])
        if control.key not in absent and (current or control.place[0] not in (TODAY, TERMS)):
            row.append(control)
    form: dict[str, Any] = {}
    for row in (TOP, TODAY):
        form |= _row(row, rows.pop(row), names, tag, current)
    if current:
        form[needs_form.QUESTION] = _question()
    filled = any(key in st.query_params for key in MORE)
    with st.expander(plain(title), expanded=filled, icon=":material/tune:"):
        for row, controls in rows.items():
            form |= _row(row, controls, names, tag, current)
    return form


def _row(
    row: int, controls: Sequence[Control], names: Mapping[str, str], tag: str, current: bool
) -> Form:
    places = st.columns(COLUMNS[row]) if controls and row in COLUMNS else [st] * len(controls)
    form = {}
    for place, control in zip(places, controls, strict=False):
        with place if row in COLUMNS else nullcontext():
            form[control.key] = _draw(control, names, tag, current)
    return form


def _draw(control: Control, names: Mapping[str, str], tag: str, current: bool) -> Any:
    """Draw one field and return what stands in it."""
    key, label = control.key, control.label
    bound: dict[str, Any] = {"key": key, "bind": "query-params", "help": control.help or None}
    if control.kind == "tick":
        return st.checkbox(plain(label), **bound)
    if control.kind == "number":
        return number(label, key, control.help, control.low, control.high)
    if control.kind == "text":
        return st.text_input(plain(label), placeholder=control.hint, max_chars=60, **bound) or ""
    if control.kind == "many":
        shown = control.choices or names
        return tuple(
            st.multiselect(
                plain(label), list(shown), format_func=lambda name: shown[name],
                placeholder=control.hint, **bound,
            )
        )  # fmt: skip
    if control.kind == "lines":
        example = tag if control.scored else next(iter(names), "model")
        bound["help"] = "One a line: name = number."
        return st.text_area(
            plain(label), placeholder=f"{example} = {control.hint}", height=80, max_chars=8000,
            **bound,
        ) or ""  # fmt: skip
    if key == "rec_where":
        bound["help"] += (
            ", and open ones that somebody offers at a known price." if current else "."
        )
        return st.segmented_control(
            plain(label), list(WHERE), format_func=lambda name: WHERE[name], default="any",
            required=True, **bound,
        )  # fmt: skip
    at = list(control.choices).index(getattr(Needs("", ""), control.field))
    return st.selectbox(plain(label), list(control.choices), index=at, **bound)


def _question() -> object:
    stated: dict[str, float | None] = {}
    filled = any(key in st.query_params for key in QUESTION)
    with st.expander(
        "What a question looks like: it decides the cost", expanded=filled, icon=":material/image:"
    ):
        st.caption(
            plain(
                f"Assumed where you say nothing: {ASSUMED.images} picture of {ASSUMED.width} x "
                f"{ASSUMED.height} pixels and {ASSUMED.prompt_tokens:g} tokens of text; an answer "
                "as long as was measured for the same model and mode. A length or a picture size "
                "that nobody measured and you do not state leaves the cost unknown, not zero."
            )
        )
        columns = st.columns(4)
        for place, (key, (label, assumed)) in enumerate(QUESTION.items()):
            with columns[place % 4]:
                hint = "as measured" if assumed is None else f"{assumed:g}"
                whole = key in ("rec_width", "rec_height", "rec_pictures")
                stated[key] = number(label, key, "", low=float(whole), hint=hint)
    return needs_form.workload(stated)


def number(  # noqa: PLR0913  one switch an argument
    label: str,
    key: str,
    explained: str,
    low: float = 0.0,
    high: float | None = None,
    hint: str = "",
) -> float | None:
    """Draw a field for a number that may stay empty; its key stands in links."""
    return st.number_input(
        plain(label), min_value=low, max_value=high, value=None, format="%g", key=key,
        bind="query-params", help=plain(explained) or None,
        placeholder=hint or ("no limit" if "limit" in label.lower() else "–"),
    )  # fmt: skip
