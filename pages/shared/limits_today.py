"""Limits that only suites of current models have: price, licence, card, what can be had."""

import streamlit as st

from evalcore.decision.needs import ASSUMED, LICENCES
from pages.shared import needs_form
from pages.shared.text import plain

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


def limits(*, ranked: bool = True) -> dict[str, object]:
    """Draw the limits and return them by the names of ``needs_form.Form``.

    Args:
        ranked: Whether models are ranked, so that one can ask for the cheapest near the best.
    """
    left, middle, right = st.columns(3)
    within = None
    if ranked:
        with left:
            within = number(
                "Cheapest within so many points of the best", "rec_within",
                "For example 3: of the models at most 3 points below the best, the cheapest.",
                high=100.0,
            )  # fmt: skip
    with middle if ranked else left:
        licences = st.multiselect(
            "Licence of the weights", list(LICENCES), key="rec_licence", bind="query-params",
            placeholder="Any",
            help="Conditions: users, territory or naming are limited; each is spelled out below.",
        )  # fmt: skip
    with right if ranked else middle:
        card = st.text_input(
            "One graphics card", key="rec_card", bind="query-params",
            placeholder="for example 24 GB", max_chars=60,
            help="Its memory, or its name: the model must fit on it, with its cache.",
        )  # fmt: skip
    return {
        "within": within,
        "licences": tuple(licences),
        "card": card or "",
        "workload": _question(),
    }


def terms(*, modes: bool = True) -> dict[str, object]:
    """Draw who may take part, and return it by the names of ``needs_form.Form``.

    Args:
        modes: Whether a model may stand there in several modes.
    """
    left, middle, right = st.columns(3)
    with left:
        commercial = st.checkbox("For commercial use", key="rec_commercial", bind="query-params")
    with middle:
        retired = st.checkbox(
            "Also models that cannot be had today", key="rec_retired", bind="query-params"
        )
    if modes:
        modes = right.checkbox(
            "Also tools and few-shot", key="rec_modes", bind="query-params",
            help="Results with tools, or with examples in the prompt, take part beside the others.",
        )  # fmt: skip
    return {"commercial": commercial, "retired": retired, "modes": modes}


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
