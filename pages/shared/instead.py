"""Which suite a page about benchmarks shows, and the buttons that change it."""

import streamlit as st

from evalcore.suites import pooling, suite
from pages.shared import suites
from pages.shared.controls import SidebarState
from pages.shared.text import plain

OFFERED = {
    suites.AUTO: "Models of today, one block",
    pooling.SUITE: "Models of today, all blocks mixed",
    "openclip": "open_clip table",
    "clip-grid": "CLIP scaling grid",
}


def subject(choice: SidebarState) -> suite.SuiteData:
    """The sidebar's suite, or open_clip's table if that has no scores by benchmark."""
    data = choice.data
    by_benchmark = "benchmark" in set(data.axes["axis"]) and len(data.scores) > 0
    return data if by_benchmark else choice.store.suite("openclip")


def offer(data: suite.SuiteData, choice: SidebarState) -> None:
    """Buttons that change the sidebar's suite; blocks are mixed only by such a choice."""
    st.caption("The sidebar's suite decides whose results are compared. Compare instead:")
    with st.container(horizontal=True):
        for name, label in OFFERED.items():
            here = choice.auto if name == suites.AUTO else name == data.suite
            if not here:
                st.button(plain(label), key=f"instead_{name}", on_click=suites.take, args=(name,))
