"""The suites a page can show, in an order that helps to choose, and the table to choose from."""

import pandas as pd
import streamlit as st

from evalcore.decision import need_axis
from evalcore.decision.needs import Needs
from evalcore.suites import pooling
from pages.shared.results import Store

AUTO = "auto"
"""Not a suite: the block of current results that fits the needs best."""
AUTO_NAME = "Models of today, best block"
FIRST = "vqa360"
"""The suite that opens where nothing was chosen, outside Recommend."""
TODAY, PAPERS, OTHER = "Models of today", "The papers", "Other reports of today"
FEW_MODELS, FEW_NEEDS = 8, 3
"""A block below either is listed among the others: it is too small to choose a model from."""
LINK_OF_A_SUITE = ("suite", "axis", "rec_preset")
"""Keys that stand in the links of a question about a suite that was chosen by hand."""


def names(store: Store) -> dict[str, str]:
    """Id to name on screen, in the order of the list: the papers, today's, the others."""
    table = listed(store)
    return dict(zip(table["suite"], table["name"], strict=True))


def listed(store: Store) -> pd.DataFrame:
    """One row an entry: suite, name, group, covers (needs), models, density, question."""
    table: pd.DataFrame = store.once(_listed)
    return table


def _listed(store: Store) -> pd.DataFrame:
    suites = store.table("suites").set_index("suite")
    papers = [name for name in suites.index if not suites["current"][name]]
    papers = [name for name in papers if name in store.scored()]
    rows = [(AUTO, AUTO_NAME, TODAY, None, None, None, "chosen for your needs and limits")]
    rows += [
        (name, suites["name"][name], PAPERS, None, suites["models"][name], None,
         suites["question"][name])
        for name in papers
    ]  # fmt: skip
    blocks = store.blocks(Needs("", need_axis.AXIS)).table
    blocks = blocks[blocks["suite"].isin(store.scored())]
    big = blocks["models"].ge(FEW_MODELS) & blocks["covers"].map(len).ge(FEW_NEEDS)
    rows += [_block(row, TODAY, suites) for row in blocks[big].to_dict("records")]
    known = store.current().needs["need"].nunique()
    of = len(store.current().models)
    rows += [(pooling.SUITE, pooling.NAME, TODAY, known, of, None, pooling.QUESTION)]
    rows += [_block(row, OTHER, suites) for row in blocks[~big].to_dict("records")]
    seen = {row[0] for row in rows}
    left = [name for name in suites.index if name in store.scored() and name not in seen]
    rows += [(name, str(suites["name"][name]), OTHER, 0, None, None, "") for name in left]
    columns = ["suite", "name", "group", "covers", "models", "density", "question"]
    return pd.DataFrame(rows, columns=columns).astype({"covers": "Int64", "models": "Int64"})


def _block(row: dict[str, object], group: str, suites: pd.DataFrame) -> tuple[object, ...]:
    covers = len(row["covers"])  # type: ignore[arg-type]
    question = suites["question"][row["suite"]]
    return row["suite"], row["name"], group, covers, row["models"], row["density"], question


def select(store: Store, *, off: bool = False) -> str:
    """Draw the list, and beside it everything at a glance; returns the id.

    Args:
        store: The store.
        off: Grey, where a suite decides nothing.
    """
    shown = names(store)
    ids = list(shown)
    chosen = st.selectbox(
        "Suite",
        # The default stands first: a value set from elsewhere bars an index.
        sorted(ids, key=lambda name: name != FIRST),
        format_func=lambda name: shown[name],
        key="suite",
        bind="query-params",
        on_change=_by_hand,
        disabled=off,
        help="Scores taken under one protocol. Numbers compare inside a suite, not across suites. "
        "Type to search.",
    )
    at_a_glance = st.popover(
        "All suites at a glance", icon=":material/table_view:", width="stretch", disabled=off
    )
    with at_a_glance:
        glance(store)
    return str(chosen)


def glance(store: Store) -> None:
    """The table of all suites; a row that is selected becomes the suite."""
    table = listed(store)
    rank = table["group"].map({TODAY: 0, PAPERS: 1, OTHER: 2})
    table = table.assign(rank=rank).sort_values("rank", kind="stable").reset_index(drop=True)
    st.caption(
        "Select a row to open it. Models of today come first, those blocks that cover the most "
        "needs on top; density is the share of filled cells of the benchmarks it is asked about."
    )
    st.dataframe(
        pd.DataFrame(
            {
                "Suite": table["name"],
                "Group": table["group"],
                "Models": table["models"],
                "Needs of 10": table["covers"],
                "Density, %": (table["density"].astype(float) * 100).round(0),
                "What it asks": table["question"],
            }
        ),
        hide_index=True,
        placeholder="–",
        key="suite_glance",
        on_select=lambda: _take_row(list(table["suite"])),
        selection_mode="single-row",
    )


def _take_row(ids: list[str]) -> None:
    rows = st.session_state["suite_glance"]["selection"]["rows"]
    if rows:
        take(ids[rows[0]])


def take(name: str) -> None:
    """Make a suite the chosen one; for callbacks, which run before the page is drawn."""
    st.session_state["suite"] = name
    _by_hand()


def _by_hand() -> None:
    st.session_state["suite_by_hand"] = True


def start_today() -> None:
    """Let the first visit to Recommend ask about models of today, unless a suite was chosen."""
    if st.session_state.get("today_offered"):
        return
    st.session_state["today_offered"] = True
    asked = list(st.query_params)
    of_a_suite = any(key in LINK_OF_A_SUITE or _of_a_suite(key) for key in asked)
    if not of_a_suite and not st.session_state.get("suite_by_hand"):
        st.session_state["suite"] = AUTO


def _of_a_suite(key: str) -> bool:
    own = f"tags_{need_axis.AXIS}"
    return key.startswith(("min_n_", "tags_")) and key != own
