"""Figures of the Compare page: differences in points, and who gets what right."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from evalcore.analysis import paired
from pages.shared import charts
from pages.shared.charts import between, points, safe

ALL_WORDS = "All questions"
PARTS = ("Both right", "Only it", "Only the first", "Neither")
PART_COLOURS = ("#56B4E9", "#0072B2", "#D55E00", "#8A8A8A")
PART_PATTERNS = ("", "/", "\\", ".")


def group_name(group: str) -> str:
    """A group of questions as it is called on screen."""
    return ALL_WORDS if group == paired.ALL else group


def differences(rows: pd.DataFrame, names: Mapping[str, str], margin: float) -> go.Figure:
    """One line a group of questions, one marker an entry; filled where the difference is clear.

    Args:
        rows: As from ``comparison.judged``.
        names: Name on screen of each entry.
        margin: Drawn as a band around 0, a fraction.
    """
    order = list(dict.fromkeys(rows["group"]))
    entries = list(dict.fromkeys(rows["entry"]))
    fig = go.Figure()
    step = 0.7 / max(1, len(entries))
    for position, entry in enumerate(entries):
        part = rows[rows["entry"] == entry].set_index("group").reindex(order)
        mark = charts.style(position)
        offset = (position - (len(entries) - 1) / 2) * step
        shown = part.rename(columns={"difference": "value"})
        fig.add_scatter(
            x=100 * shown["value"],
            y=np.arange(len(order)) + offset,
            name=safe(names[entry]),
            mode="markers",
            marker={
                "color": mark["color"],
                "size": 10,
                "symbol": [mark["symbol"] + ("" if c else "-open") for c in shown["clear"]],
                "line": {"width": 2, "color": mark["color"]},
            },
            error_x=charts.error(shown),
            text=[
                f"<b>{safe(names[entry])}</b><br>{safe(group_name(group))}<br>"
                f"{points(row.value)} points ({between(row.low, row.high)})<br>n {int(row.n):,}"
                for group, row in zip(order, shown.itertuples(), strict=True)
            ],
            hovertemplate="%{text}<extra></extra>",
            showlegend=len(entries) > 1,
        )
    fig.add_vline(x=0, line={"color": charts.GREY, "dash": "dot"})
    if margin > 0:
        fig.add_vrect(
            x0=-100 * margin, x1=100 * margin, fillcolor=charts.GREY, opacity=0.15, line_width=0
        )
    fig.update_yaxes(
        tickvals=list(range(len(order))),
        ticktext=[safe(_short(group_name(group))) for group in order],
        range=[len(order) - 0.4, -0.6],
        automargin=True,
        zeroline=False,
        showgrid=False,
    )
    fig.update_xaxes(title="Difference in points", zeroline=False)
    return charts.layout(fig, 150 + len(order) * max(30, 15 * len(entries)))


def outcomes(rows: pd.DataFrame, first: str) -> go.Figure:
    """One bar an entry: shares of questions that both, one or none gets right.

    Args:
        rows: name, both, only_other, only_reference, neither, n.
        first: Name on screen of the entry that the others are compared with.
    """
    fig = go.Figure()
    columns = ("both", "only_other", "only_reference", "neither")
    for place, (column, part) in enumerate(zip(columns, PARTS, strict=True)):
        title = part.replace("the first", first)
        if column == "only_other" and len(rows) == 1:
            title = f"Only {rows['name'].iloc[0]}"
        fig.add_bar(
            x=100 * rows[column] / rows["n"].where(rows["n"] > 0),
            y=[safe(_short(name)) for name in rows["name"]],
            name=safe(title),
            orientation="h",
            marker={
                "color": PART_COLOURS[place],
                "pattern": {
                    "shape": PART_PATTERNS[place],
                    "fillmode": "overlay",
                    "fgcolor": "rgba(255,255,255,0.45)",
                    "size": 6,
                },
            },
            text=[f"{int(value)}" for value in rows[column]],
            textangle=0,
            hovertext=[
                f"{safe(title)}<br>{int(value):,} of {int(n):,} questions"
                for value, n in zip(rows[column], rows["n"], strict=True)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    fig.update_xaxes(title="Share of questions, %", range=[0, 100])
    fig.update_yaxes(autorange="reversed", automargin=True, type="category")
    charts.layout(fig, 250 + 46 * len(rows), barmode="stack")
    # On a phone the legend takes a line a part; above the bars it covers nothing.
    return fig.update_layout(legend={"y": 1.02, "yanchor": "bottom", "traceorder": "normal"})


def _short(text: str, most: int = 28) -> str:
    """A long name would leave a phone no room for the figure; tables hold it whole."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
