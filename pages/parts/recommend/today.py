"""The Recommend page's parts for models of today: the needs asked, the block that answers."""

from collections.abc import Callable, Mapping

import pandas as pd
import streamlit as st

from evalcore.decision import need_axis
from evalcore.decision.need_axis import Blocks
from evalcore.decision.needs import Needs
from evalcore.decision.presets import CURRENT
from evalcore.suites import pooling
from pages.shared import frame, needs_form, suites
from pages.shared.controls import SidebarState
from pages.shared.text import plain

TAGS = f"tags_{need_axis.AXIS}"
ASK = "rec_needs"
READY = "rec_today"


def ask_needs(choice: SidebarState) -> None:
    """Draw the first question, what the model is to do; the answer goes into the sidebar's mix."""
    known = sorted(set(choice.store.current().needs["need"]))
    asked = [tag for tag in st.session_state.get(TAGS, []) if tag in known]
    if st.session_state.get(ASK) != asked:
        st.session_state[ASK] = asked
    st.pills(
        "What should it do?",
        known,
        selection_mode="multi",
        format_func=lambda need: plain(need[:1].upper() + need[1:]),
        key=ASK,
        on_change=_take_needs,
        args=(tuple(choice.store.cells(choice.data, choice.axis)["tag"].unique()),),
        help="Choose one or more; each counts the same until you weigh them in the sidebar.",
    )


def _take_needs(tags: tuple[str, ...]) -> None:
    chosen = list(st.session_state[ASK])
    # A block that lacks a need cannot answer: the choice among blocks is open again.
    if not set(chosen) <= set(tags):
        st.session_state["suite"] = suites.AUTO
    st.session_state[TAGS] = chosen


def preset_buttons(asked: Needs | None) -> None:
    """Draw the ready-made questions about models of today; the one that is asked is lit."""
    lit = None
    for name, preset in CURRENT.items():
        if asked is not None and _same(preset.needs, asked):
            lit = name
    if st.session_state.get(READY) != lit:
        st.session_state[READY] = lit
    st.pills(
        "Ready-made questions",
        list(CURRENT),
        format_func=lambda name: CURRENT[name].title,
        key=READY,
        on_change=_take_ready,
        help="Choosing one fills in the sidebar and the form; choosing it again clears them.",
    )
    if lit:
        st.caption(plain(CURRENT[lit].caption))


def _same(preset: Needs, other: Needs) -> bool:
    own = Needs(**{**vars(other), "suite": "", "available_today": None, "min_n": 0})
    return needs_form.same(preset, own)


def _take_ready() -> None:
    chosen = st.session_state[READY]
    asked = CURRENT[chosen].needs if chosen else Needs("", need_axis.AXIS)
    values = needs_form.filled(asked)
    for key in ("axis", "min_n_", "suite"):
        values.pop(key)
    # No widget of a card stands for an own machine: the card is that limit.
    if asked.gpu:
        values["rec_where"] = "own"
    weights = {key: 1.0 for key in st.session_state if str(key).startswith("w_")}
    st.session_state.update({**values, **weights, "suite": suites.AUTO})


def block(choice: SidebarState, blocks: Blocks, chosen: str) -> None:
    """Say which block answers and why, and offer the others."""
    names = suites.names(choice.store)
    with st.container(border=True):
        st.markdown(f"**Answered by: {plain(names.get(chosen, chosen))}**")
        frame.say(reason(choice, blocks, chosen))
        others = [row for row in blocks.table["suite"] if row != chosen]
        others = [row for row in others if row in names][:3]
        _buttons(choice, names, others, chosen)
        with st.expander(f"All {len(blocks.table)} blocks that have a part of it"):
            st.caption("Select a row to ask that block.")
            _table(blocks)


def reason(choice: SidebarState, blocks: Blocks, chosen: str) -> str:
    """Why this block answers, in words of the page."""
    if choice.auto and blocks.chosen == chosen:
        words = blocks.reason
    elif chosen == pooling.SUITE:
        words = f"You asked to mix all blocks. Pooled: {pooling.sentence(choice.data.scores)}."
    elif choice.auto:
        needs = len({tag for tags in blocks.table["covers"] for tag in tags})
        words = (
            blocks.reason
            if choice.weights
            else "Say above what the model should do. Until then the block answers that covers the "
            f"most of the {needs} needs, each counting the same."
        )
    else:
        words = "You chose this block." + _about(blocks, chosen)
    return words.replace("(--mix-blocks)", "(the button below)")


def _about(blocks: Blocks, chosen: str) -> str:
    rows = blocks.table[blocks.table["suite"] == chosen]
    if rows.empty:
        return ""
    row = rows.iloc[0]
    kind = "collected from several places" if row["mixed"] else "of one protocol"
    return (
        f" {row['admissible']} models in it meet your limits with the whole mix; its results are "
        f"{kind}, and {100 * row['density']:.0f} % of the cells are filled."
    )


def _buttons(
    choice: SidebarState, names: Mapping[str, str], others: list[str], chosen: str
) -> None:
    offers: list[tuple[str, str]] = [(name, f"Ask {names[name]}") for name in others]
    if not choice.auto:
        offers.insert(0, (suites.AUTO, "Choose the best block for me"))
    if chosen != pooling.SUITE:
        offers.append((pooling.SUITE, "Mix all blocks"))
    with st.container(horizontal=True):
        for name, label in offers:
            st.button(plain(label), key=f"block_{name}", on_click=suites.take, args=(name,))


def _table(blocks: Blocks) -> None:
    rows = blocks.table
    st.dataframe(
        pd.DataFrame(
            {
                "Block": rows["name"],
                "Lacks": [", ".join(lacks) or "nothing" for lacks in rows["lacks"]],
                "Meet your limits": rows["admissible"],
                "Models": rows["models"],
                "Cells filled, %": (rows["density"] * 100).round(0),
                "Protocol": ["several places" if mixed else "one" for mixed in rows["mixed"]],
                "Newest model": rows["newest"],
                "Made of": [", ".join(names) for names in rows["benchmarks"]],
            }
        ),
        hide_index=True,
        placeholder="–",
        key="rec_blocks",
        on_select=_taker(list(rows["suite"])),
        selection_mode="single-row",
    )


def _taker(ids: list[str]) -> Callable[[], None]:
    def take() -> None:
        rows = st.session_state["rec_blocks"]["selection"]["rows"]
        if rows:
            suites.take(ids[rows[0]])

    return take
