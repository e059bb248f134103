"""Figures of models of today: score against size, release and price, and slopes told apart."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.parts.scaling.charts import ticks
from pages.shared import charts
from pages.shared.charts import safe

MOST_SERIES = 8
"""Series that get a colour of their own; as many as there are colours."""
SIDES = {
    "open": ("Open weights", charts.COLOURS[0], "circle"),
    "closed": ("Closed weights", charts.COLOURS[1], "square"),
    "unknown": ("Not known whether open", charts.GREY, "diamond"),
}
"""Side → name in the legend, colour and marker."""
PARTS = {
    "within": ("Within a series", charts.COLOURS[0], "circle", -0.16),
    "across": ("Across all models", charts.COLOURS[1], "diamond-open", 0.16),
}

SCORE: dict[str, object] = {"title": {"text": "Score, %"}}


def apart(table: pd.DataFrame, labels: Sequence[str]) -> go.Figure:
    """Two slopes a tag: inside series of releases and across all models.

    Args:
        table: As from ``scaling_series.told_apart``, with label and hover.
        labels: The labels from top to bottom.
    """
    data: list[dict[str, object]] = []
    place = {label: position for position, label in enumerate(labels)}
    for part, (name, colour, symbol, shift) in PARTS.items():
        rows = table[(table["part"] == part) & table["slope"].notna()]
        rows = rows.assign(value=rows["slope"])
        data.append(
            {
                "type": "scatter",
                "x": rows["slope"] * 100,
                "y": rows["label"].map(place).astype(float) + shift,
                "name": name,
                "mode": "markers",
                "marker": {"color": colour, "symbol": symbol, "size": 10},
                "error_x": charts.error(rows),
                "text": rows["hover"],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    across = {
        "title": {"text": "Points for ten times the parameters"},
        "zeroline": True,
        "zerolinecolor": charts.GREY,
        "zerolinewidth": 1,
        "rangemode": "tozero",
    }
    down = {
        "tickvals": list(range(len(labels))),
        "ticktext": [safe(label) for label in labels],
        "range": [len(labels) - 0.5, -0.5],
        "automargin": True,
        "zeroline": False,
    }
    return _figure(data, across, down, 150 + 34 * len(labels))


def size(rows: pd.DataFrame, coloured: Sequence[str], title: str) -> go.Figure:
    """Score against size on a log axis; the points of a series are joined and have its colour.

    Args:
        rows: Models of known size: x, value, low, high, series, assumed (whether x is taken for
            granted: hollow), hover.
        coloured: Series with a colour of their own, at most ``MOST_SERIES``.
        title: What the size is.
    """
    data: list[dict[str, object]] = []
    others = rows[~rows["series"].isin(list(coloured))]
    parts = [(name, rows[rows["series"] == name]) for name in coloured]
    for position, (name, part) in enumerate([*parts, ("Other models", others)]):
        if part.empty:
            continue
        part = part.sort_values("x")
        mark = charts.style(position)
        if position == len(parts):
            mark = {"color": charts.GREY, "symbol": "circle"}
        data.append(
            {
                "type": "scatter",
                "x": part["x"],
                "y": part["value"] * 100,
                "name": safe(name),
                "mode": "markers" if position == len(parts) else "lines+markers",
                "line": {"color": mark["color"], "width": 1},
                "marker": {
                    "color": mark["color"],
                    "size": 8 if position == len(parts) else 10,
                    "symbol": [
                        mark["symbol"] + ("-open" if flag else "") for flag in part["assumed"]
                    ],
                },
                "error_y": charts.error(part),
                "text": part["hover"],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    return _figure(data, _log_axis(rows["x"], title), SCORE, 460 + 12 * len(coloured))


def dates(front: pd.DataFrame) -> go.Figure:
    """Score against release month; a step line a side through its best so far.

    Args:
        front: As from ``scaling_dates.frontier`` (sides of ``SIDES``), with low, high, date
            (``2025-08-01``) and hover.
    """
    data: list[dict[str, object]] = []
    last = front["date"].max()
    for side, part in front.groupby("side", sort=False):
        name, colour, symbol = SIDES[str(side)]
        best = part[part["best"]]
        data.append(
            {
                "type": "scatter",
                "x": [*best["date"], last],
                "y": [*(best["value"] * 100), best["value"].iloc[-1] * 100],
                "name": f"{name}: best so far",
                "legendgroup": name,
                "mode": "lines",
                "line": {"color": colour, "shape": "hv", "width": 2},
                "hoverinfo": "skip",
            }
        )
        data.append(
            {
                "type": "scatter",
                "x": part["date"],
                "y": part["value"] * 100,
                "name": name,
                "legendgroup": name,
                "mode": "markers",
                "marker": {
                    "color": colour,
                    "size": 9,
                    "symbol": [symbol + ("" if best else "-open") for best in part["best"]],
                },
                "error_y": charts.error(part),
                "text": part["hover"],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    across = {"title": {"text": "Release month"}, "type": "date", "tickformat": "%Y-%m"}
    return _figure(data, across | {"tickangle": 0, "nticks": 6}, SCORE, 460)


def price(rows: pd.DataFrame, title: str) -> go.Figure:
    """Score against price on a log axis, with the line of those that no cheaper model beats.

    Args:
        rows: Models of known price: cost, cost_low, cost_high (NaN where sources agree), value,
            low, high, side (of ``SIDES``), front, hover.
        title: What the price is of.
    """
    data: list[dict[str, object]] = []
    front = rows[rows["front"]].sort_values(["cost", "value"])
    data.append(
        {
            "type": "scatter",
            "x": front["cost"],
            "y": front["value"] * 100,
            "name": "No cheaper model scores as much",
            "mode": "lines",
            "line": {"color": charts.GREY, "shape": "hv", "dash": "dash"},
            "hoverinfo": "skip",
        }
    )
    for side, (name, colour, symbol) in SIDES.items():
        part = rows[rows["side"] == side]
        if part.empty:
            continue
        span = part.assign(value=part["cost"], low=part["cost_low"], high=part["cost_high"])
        data.append(
            {
                "type": "scatter",
                "x": part["cost"],
                "y": part["value"] * 100,
                "name": name,
                "mode": "markers",
                "marker": {"color": colour, "size": 10, "symbol": symbol},
                "error_y": charts.error(part),
                "error_x": charts.error(span, scale=1),
                "text": part["hover"],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    ends = pd.concat([rows["cost"], rows["cost_low"], rows["cost_high"]]).dropna()
    return _figure(data, _log_axis(ends, title), SCORE, 460)


def _figure(
    data: list[dict[str, object]], x: dict[str, object], y: dict[str, object], height: int
) -> go.Figure:
    """One call on plain data: plotly is slow to grow a figure trace by trace."""
    layout = {"xaxis": x, "yaxis": y, "dragmode": False}
    return charts.layout(go.Figure({"data": data, "layout": layout}), height)


def _log_axis(values: pd.Series, title: str) -> dict[str, object]:
    low, high = float(values.min()), float(values.max())
    at, texts = ticks(low, high) if high > low else ([low], [f"{low:g}"])
    ends = np.log10([low, high])
    pad = 0.06 * max(ends[1] - ends[0], 0.5)
    return {
        "type": "log",
        "range": [ends[0] - pad, ends[1] + pad],
        "tickvals": at,
        "ticktext": texts,
        "tickangle": 0,
        "title": {"text": safe(title)},
    }
