"""Figures of UniBench's claims: slices and medians as lines, filters as changes."""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.parts.scaling.charts import ticks
from pages.shared import charts
from pages.shared.charts import safe, signed, span

MOST_LINES = 8
"""Beyond this many tags only those that matter to the claim have a colour."""

OTHERS = "Others (named on the points and in the table)"


def lines(
    rows: pd.DataFrame, order: Sequence[str], coloured: Collection[str], x_title: str
) -> go.Figure:
    """Score against scale, one line a tag, on one axis so that a flat one is seen.

    Args:
        rows: tag, x, value, low, high (fractions; NaN unknown), hover.
        order: Tags, first in the legend first.
        coloured: Tags with a colour where there are more than ``MOST_LINES``; the others are grey.
        x_title: Quantity and unit.
    """
    few = len(order) <= MOST_LINES
    data: list[dict[str, object]] = []
    number = 0
    for tag in order:
        part = rows[rows["tag"] == tag].sort_values("x")
        mark, own = {"color": charts.GREY, "symbol": "circle"}, few or tag in coloured
        if own:
            mark, number = charts.style(number), number + 1
        data.append(
            {
                "type": "scatter",
                "x": part["x"],
                "y": part["value"] * 100,
                "name": safe(tag) if own else OTHERS,
                "legendgroup": safe(tag) if own else OTHERS,
                "showlegend": own or not any(trace["name"] == OTHERS for trace in data),
                "mode": "lines+markers",
                "line": {"color": mark["color"], "width": 2},
                "marker": {**mark, "size": 9},
                "error_y": charts.error(part),
                "text": part["hover"],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    low, high = float(rows["x"].min()), float(rows["x"].max())
    at, texts = ticks(low, high)
    ends = np.log10([low, high])
    pad = 0.06 * max(ends[1] - ends[0], 0.5)
    across = {
        "type": "log",
        "range": [ends[0] - pad, ends[1] + pad],
        "tickvals": at,
        "ticktext": texts,
        "tickangle": 0,
        "title": {"text": safe(x_title)},
    }
    layout = {"xaxis": across, "yaxis": {"title": {"text": "Score, %"}}, "dragmode": False}
    return charts.layout(go.Figure({"data": data, "layout": layout}), 420 + 12 * len(order))


def changes(rows: pd.DataFrame, kinds: Sequence[str], order: Sequence[str]) -> go.Figure:
    """Change in points a tag, one mark a kind, with its interval.

    Args:
        rows: kind, tag, value, low, high (fractions; NaN unknown).
        kinds: The kinds, each with a colour and a shape.
        order: Tags from top to bottom.
    """
    data: list[dict[str, object]] = []
    step = 0.7 / max(1, len(kinds))
    for position, kind in enumerate(kinds):
        part = rows[rows["kind"] == kind].set_index("tag").reindex(order)
        offset = (position - (len(kinds) - 1) / 2) * step
        data.append(
            {
                "type": "scatter",
                "x": part["value"] * 100,
                "y": np.arange(len(order)) + offset,
                "name": safe(kind),
                "mode": "markers",
                "marker": {**charts.style(position), "size": 9},
                "error_x": charts.error(part),
                "text": [
                    f"<b>{safe(kind)}</b><br>{safe(tag)}: {signed(row['value'] * 100)} points<br>"
                    f"95 %: {span(row['low'] * 100, row['high'] * 100)}"
                    for tag, row in part.iterrows()
                ],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    across = {
        "title": {"text": "Change, points"},
        "zeroline": True,
        "zerolinecolor": charts.GREY,
        "zerolinewidth": 1,
        "rangemode": "tozero",
    }
    down = {
        "tickvals": list(range(len(order))),
        "ticktext": [safe(tag) for tag in order],
        "range": [len(order) - 0.5, -0.5],
        "automargin": True,
        "zeroline": False,
    }
    layout = {"xaxis": across, "yaxis": down, "dragmode": False}
    height = 150 + len(order) * max(34, 12 * len(kinds))
    return charts.layout(go.Figure({"data": data, "layout": layout}), height)
