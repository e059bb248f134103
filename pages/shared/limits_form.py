"""The widgets of the Recommend page: ready-made questions and the limits form."""

from collections.abc import Mapping

import streamlit as st

from evalcore.decision import need_axis
from evalcore.decision.needs import BYTES, Needs
from evalcore.decision.presets import PRESETS
from pages.shared import limits_today, needs_form
from pages.shared.controls import ENTERED, PENDING, SidebarState
from pages.shared.limits_today import number
from pages.shared.needs_form import Form
from pages.shared.text import plain

AGAIN = "rec_again"
MORE = (
    *("rec_usd", "rec_gpu", "rec_pace", "rec_costs", "rec_seconds", "rec_times"),
    *("rec_score", "rec_tags", "rec_out", "rec_unknown", "rec_suspect"),
    *("rec_memory", "rec_precision", "rec_commercial", "rec_retired", "rec_modes"),
)
"""Keys of the fields that are folded away until one of them is filled in."""
OF_RUNS = (
    *("rec_where", "rec_size", "rec_memory", "rec_precision", "rec_usd", "rec_gpu", "rec_pace"),
    *("rec_costs", "rec_seconds", "rec_times", "rec_unknown", "rec_out", "rec_licence"),
    *("rec_commercial", "rec_retired", "rec_card", *needs_form.WORKLOAD),
)
"""Keys of the limits that concern a model whatever it scores."""


def ready_made(asked: Needs | None) -> None:
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
        _settle()


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
def _settle() -> None:
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
    names = choice.names
    where, size = _place(choice.data.current)
    today = limits_today.limits() if choice.data.current else {}
    filled = any(key in st.query_params for key in MORE)
    with st.expander(
        "More limits: memory, cost, time, quality, the unknown",
        expanded=filled,
        icon=":material/tune:",
    ):
        memory, precision = _memory()
        if choice.data.current:
            today |= limits_today.terms()
        more = {**_cost(names), **_time(names), **_quality(choice), **_rest(names, suspect)}
    return Form(where=where, size_b=size, memory_gb=memory, precision=precision, **more, **today)


def of_runs(names: Mapping[str, str], kept: Needs | None) -> Form:
    """Draw the limits that concern a model whatever it scores, in the same words.

    Args:
        names: Id to the name on screen of the models that have runs.
        kept: The limits that were set last; they fill what the link leaves open.
    """
    # Widgets of another page forget what they held, even where the keys are the same.
    if st.session_state.pop(ENTERED, False) and kept is not None:
        known = needs_form.filled(needs_form.known_only(kept, "", set(names)))
        open_still = {key for key in OF_RUNS if known[key] and key not in st.query_params}
        values = {key: known[key] for key in open_still}
        st.session_state.update(values)
        st.session_state[AGAIN] = values
    if AGAIN in st.session_state:
        _settle()
    where, size = _place(current=True)
    today = limits_today.limits(ranked=False)
    with st.expander(
        "More limits: memory, cost, time, the unknown",
        expanded=any(key in st.query_params for key in MORE),
        icon=":material/tune:",
    ):
        memory, precision = _memory()
        today |= limits_today.terms(modes=False)
        more = {**_cost(names), **_time(names), **_rest(names, suspect=False)}
    return Form(where=where, size_b=size, memory_gb=memory, precision=precision, **more, **today)


def _place(current: bool) -> tuple[needs_form.Where, float | None]:
    """Where a model may run, and how large it may be."""
    left, right = st.columns(2)
    with left:
        where = st.segmented_control(
            "Where it may run",
            list(needs_form.WHERE),
            format_func=lambda key: needs_form.WHERE[key],
            default="any",
            required=True,
            key="rec_where",
            bind="query-params",
            help="My own machine: today the same as open weights. An API: closed weights"
            + (", and open ones that somebody offers at a known price." if current else "."),
        )
    with right:
        size = number("Largest size, billion parameters", "rec_size", "Real total, not the name.")
    return where, size


def _memory() -> tuple[float | None, str]:
    left, right = st.columns(2)
    with left:
        memory = number(
            "GPU memory, GB", "rec_memory", "Estimate: weights at the precision and 20 % more."
        )
    with right:
        precision = st.selectbox(
            "Precision of the weights", list(BYTES), index=1, key="rec_precision",
            bind="query-params", help="It decides what fits on a graphics card, too.",
        )  # fmt: skip
    return memory, precision


def _cost(names: Mapping[str, str]) -> dict[str, object]:
    columns = st.columns(3)
    with columns[0]:
        usd = number(
            "Cost limit, USD per 1,000 questions", "rec_usd",
            "A model whose cost nobody states is set aside, not taken for free.",
        )  # fmt: skip
    with columns[1]:
        gpu = number(
            "Own machine, USD per hour", "rec_gpu", "With the pace: the cost of each open model."
        )
    with columns[2]:
        pace = number(
            "Questions per hour on it", "rec_pace", "One number for every open model.", 1.0
        )
    example = next(iter(names), "model")
    costs = _lines(
        "Cost of single models, USD per 1,000 questions", "rec_costs", f"{example} = 0.3"
    )
    return {"usd": usd, "gpu_usd": gpu, "pace": pace, "costs": costs}


def _time(names: Mapping[str, str]) -> dict[str, object]:
    seconds = number("Time limit, seconds an answer", "rec_seconds", "Stated by you, below.")
    example = next(iter(names), "model")
    times = _lines("Seconds of single models", "rec_times", f"{example} = 1.5")
    return {"seconds": seconds, "times": times}


def _quality(choice: SidebarState) -> dict[str, object]:
    score = number("Lowest overall score, %", "rec_score", "On your mix of tags.", high=100.0)
    own = choice.data.scores.loc[choice.data.scores["axis"] == choice.axis, "tag"]
    tag = "documents" if choice.axis == need_axis.AXIS else next(iter(own), "tag")
    return {
        "score": score,
        "tags": _lines("Lowest score on single tags, %", "rec_tags", f"{tag} = 60"),
    }


def _rest(names: Mapping[str, str], suspect: bool) -> dict[str, object]:
    out = st.multiselect(
        "Leave out these models",
        list(names),
        format_func=lambda model: names[model],
        key="rec_out",
        bind="query-params",
        placeholder="None",
    )
    unknown = st.checkbox("Let unknown values pass", key="rec_unknown", bind="query-params")
    take = suspect and st.checkbox(
        "Use results marked as suspect", key="rec_suspect", bind="query-params"
    )
    return {"out": tuple(out), "unknown": unknown, "suspect": take}


def _lines(label: str, key: str, example: str) -> str:
    return st.text_area(
        plain(label), key=key, bind="query-params", placeholder=example, height=80, max_chars=8000,
        help="One a line: name = number.",
    ) or ""  # fmt: skip
