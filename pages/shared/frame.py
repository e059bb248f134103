"""What every page shares: the way in, the header, figures with their table, errors in words."""

import contextlib
import runpy
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn
from urllib.parse import urlencode

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from evalcore import home
from evalcore.errors import EvalcoreError
from pages.shared import controls, links
from pages.shared.controls import SidebarState
from pages.shared.results import Store
from pages.shared.text import plain

_inside = threading.local()


class _LeftError(Exception):
    """A page has said all there is to say."""


@contextlib.contextmanager
def inside_app(title: str) -> Iterator[None]:
    """Draw the sidebar for the page of that title, which ``app.py`` is about to run.

    Widgets that ``app.py`` draws keep their values from page to page, whether they were set by
    hand or by a link.
    """
    links.read()
    try:
        store = Store()
        _inside.drawn = store, controls.sidebar(store, title)
        links.follow()
    except EvalcoreError as error:
        _inside.drawn = error
    try:
        yield
    finally:
        _inside.drawn = None


@contextlib.contextmanager
def page(title: str, purpose: str, *, counted: bool = True) -> Iterator[SidebarState]:
    """Draw a page's header, and turn an expected error into words.

    Args:
        title: The page's title.
        purpose: One sentence: what the page helps to decide.
        counted: Say how many of the sidebar's models are shown; not where a page has its own.

    Yields:
        What the sidebar says.
    """
    inside = getattr(_inside, "drawn", None)
    if inside is None:
        # The first visit of a process to a deep link runs the page without app.py.
        runpy.run_path(str(home.ROOT / "app.py"))
        st.stop()
    st.title(plain(title))
    st.caption(plain(purpose))
    impossible = st.empty()
    try:
        if isinstance(inside, EvalcoreError):
            raise inside
        store, choice = inside
        if store.problem:
            st.warning(plain(f"Showing the previous results: {store.problem}"))
        if counted:
            count_models(choice)
        yield choice
    except EvalcoreError as error:
        st.error(plain(str(error)), icon=":material/error:")
        links.tell(impossible, title, whole=False)  # after a stop nothing can be drawn
        st.stop()
    except _LeftError:
        links.tell(impossible, title, whole=False)
    else:
        links.tell(impossible, title)


def leave() -> NoReturn:
    """End a page inside its ``with`` block; after ``st.stop`` nothing could be told of the link."""
    raise _LeftError


def link(**shown: str) -> str:
    """The address that opens this view again.

    Args:
        shown: Values by parameter that belong to the view even where they are what the page opens
            with, because another store would open with others.
    """
    # to_dict would keep only the last of several values of one name.
    asked = [(name, value) for name in st.query_params for value in st.query_params.get_all(name)]
    asked += [(name, value) for name, value in shown.items() if name not in st.query_params]
    return f"{st.context.url}?{urlencode(asked)}"


def say(text: str) -> None:
    """Write a sentence as it is: no markup, whatever names it holds."""
    st.markdown(plain(text))


def figure(  # noqa: PLR0913  one switch an argument
    fig: go.Figure,
    summary: str,
    table: pd.DataFrame,
    key: str,
    *,
    select: bool = False,
    expanded: bool = False,
) -> Any:
    """Draw a figure with its summary in words and its table twin.

    Args:
        fig: The figure.
        summary: One or two sentences that say what it shows; also read by screen readers.
        table: The same numbers, ready to read (names on screen, per cent).
        key: Unique on the page.
        select: Return clicked points (Scatter and Bar traces only).
        expanded: Show the table at once.

    Returns:
        The chart's state when ``select``, else None.
    """
    say(summary)
    state = st.plotly_chart(
        fig,
        key=key,
        on_select="rerun" if select else "ignore",
        selection_mode=("points",),
        config={"displaylogo": False, "responsive": True},
        alt=summary,
    )
    table_twin(table, key, expanded=expanded)
    return state if select else None


def table_twin(table: pd.DataFrame, key: str, *, expanded: bool = False) -> None:
    """The numbers of a figure as a table, with a CSV to keep."""
    with st.expander("Table", expanded=expanded, icon=":material/table:"):
        st.dataframe(
            table,
            hide_index=True,
            placeholder="–",
            column_config=one_decimal(table),
            key=f"{key}_table",
        )
        st.download_button(
            "CSV",
            lambda: to_csv(table),  # called at the click
            file_name=f"{key}.csv",
            mime="text/csv",
            key=f"{key}_csv",
            on_click="ignore",
        )


def headed(table: pd.DataFrame, first: Mapping[str, Sequence[object]]) -> pd.DataFrame:
    """A table of which the headings are names from outside, behind columns of ours.

    A model or a tag may be called as ours are; it is then in quotation marks, for a table with two
    columns of one name cannot be drawn.
    """
    renamed = table.rename(columns=lambda name: f"“{name}”" if name in first else str(name))
    return pd.concat([pd.DataFrame(dict(first)), renamed.reset_index(drop=True)], axis=1)


def one_decimal(table: pd.DataFrame) -> dict[str, Any]:
    """Show scores and differences as 71.0, not 71."""
    numbers = table.select_dtypes("float").columns
    return {
        name: st.column_config.NumberColumn(format="%.1f")
        for name in numbers
        if str(name).endswith((", %", ", points"))
    }


def to_csv(table: pd.DataFrame) -> str:
    """CSV whose cells no spreadsheet takes for a formula.

    The line ending is the standard's, so that a cell with half of it in it is quoted.
    """
    return str(table.map(_inert).rename(columns=_inert).to_csv(index=False, lineterminator="\r\n"))


def _inert(cell: Any) -> Any:
    """A cell or column name, quoted if a spreadsheet would take it for a formula."""
    formula = isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{cell}" if formula else cell


def count_models(choice: SidebarState) -> None:
    """Say how many of the sidebar's models are shown, and why the others are not."""
    total = len(choice.data.models)
    hidden = len(choice.hidden)
    text = f"{choice.data.row['name']}: showing {total - hidden} of {total} models"
    if not hidden:
        st.caption(plain(text + "."))
        return
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.caption(plain(f"{text}; {hidden} hidden by your filters."))
    with right.popover("Why hidden?"):
        names = choice.data.models.set_index("model")["name"]
        st.dataframe(
            pd.DataFrame(
                {
                    "Model": choice.hidden["model"].map(names),
                    "Hidden because": choice.hidden["reason"],
                }
            ),
            hide_index=True,
        )
