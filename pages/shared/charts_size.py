"""Score against size: the Pareto line, and a strip for models whose size nobody knows."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.shared import charts
from pages.shared.charts_profiles import size_text, standing_hover, wrap

SIZE_TICKS = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200)
STRIP_GAP = 0.05
"""Least distance of two names in the strip of unknown sizes, as a share of the axis."""
NAME_WIDE, NAME_HIGH = 0.22, 0.07
"""Room of a name beside a point, as shares of the axes."""
OPENNESS = {
    "yes": ("Open weights", charts.COLOURS[0], "circle"),
    "no": ("Closed weights", charts.COLOURS[1], "square"),
    "not known": ("Not known whether open", charts.GREY, "diamond"),
}


def size_scatter(
    rows: pd.DataFrame, *, what: str, axis_title: str, chance: float = np.nan
) -> go.Figure:
    """Score against size on a log axis, unknown sizes in a strip at the right.

    Args:
        rows: ``name``, ``score``, ``low``, ``high``, ``n_text``, ``size`` (billions, NaN
            unknown), ``front`` (on the Pareto line), ``open`` (a key of ``OPENNESS``).
        what: What the size is of.
        axis_title: What the score is.
        chance: Score of guessing, drawn as a dotted line if known.
    """
    fig = go.Figure()
    rows = rows.assign(value=rows["score"])
    known, unknown = rows[rows["size"].notna()], rows[rows["size"].isna()]
    front = known[known["front"]].sort_values(["size", "value"])
    fig.add_scatter(
        x=front["size"],
        y=front["value"] * 100,
        mode="lines",
        line={"color": charts.GREY, "shape": "hv", "dash": "dash"},
        name="Best of its size or smaller",
        hoverinfo="skip",
    )
    known = known.assign(
        label=known["name"].where(
            known["name"].isin(_far_apart(front, rows["value"], known["size"])), ""
        )
    )
    _openness_points(fig, known, known["size"], "x")
    if len(unknown):
        _openness_points(fig, unknown.assign(label=""), pd.Series(0.0, index=unknown.index), "x2")
        _strip_names(fig, unknown, rows["value"])
    if not np.isnan(chance):
        fig.add_hline(
            y=100 * chance, line={"dash": "dot", "color": charts.GREY}, annotation_text="guessing"
        )
    _size_axes(fig, known["size"], what, strip=len(unknown) > 0)
    fig.update_yaxes(title=axis_title, ticksuffix=" %")
    return charts.layout(fig, 480)


def _openness_points(fig: go.Figure, rows: pd.DataFrame, x: pd.Series, axis: str) -> None:
    """Draw the models, one trace a kind of weights; with the names in ``label``."""
    for flag, (label, colour, shape) in OPENNESS.items():
        part = rows[rows["open"] == flag]
        if part.empty:
            continue
        fig.add_scatter(
            x=x[part.index],
            y=part["value"] * 100,
            xaxis=axis,
            name=label,
            legendgroup=flag,
            showlegend=not any(trace.legendgroup == flag for trace in fig.data),
            mode="markers+text",
            marker={"color": colour, "size": 10, "symbol": shape},
            error_y=charts.error(part),
            text=[wrap(label) if label else "" for label in part["label"]],
            textposition="top left",
            cliponaxis=False,
            customdata=[_size_hover(row) for row in part.to_dict("records")],
            hovertemplate="%{customdata}<extra></extra>",
        )


def _strip_names(fig: go.Figure, rows: pd.DataFrame, values: pd.Series) -> None:
    """Write the names beside the strip's points, moved apart where they would overlap."""
    gap = STRIP_GAP * 100 * (values.max() - values.min())
    height = np.inf
    heights, names = [], []
    for name, value in rows.sort_values("value", ascending=False)[["name", "value"]].to_numpy():
        height = min(100 * value, height - gap)
        heights.append(height)
        names.append(charts.safe(name))
    fig.add_scatter(
        x=[-0.06] * len(names),
        y=heights,
        xaxis="x2",
        mode="text",
        text=names,
        textfont={"size": 11},
        textposition="middle left",
        cliponaxis=False,
        hoverinfo="skip",
        showlegend=False,
    )


def _size_axes(fig: go.Figure, sizes: pd.Series, what: str, *, strip: bool) -> None:
    low, high = np.log10(sizes.min()), np.log10(sizes.max())
    fig.update_layout(
        xaxis={
            "type": "log",
            "domain": [0, 0.74 if strip else 1],
            "range": [low - 0.25, high + 0.15],
            "tickvals": list(SIZE_TICKS),
            "ticktext": [size_text(tick).replace(".0 ", " ") for tick in SIZE_TICKS],
            "title": what,
        }
    )
    if strip:
        fig.update_layout(
            xaxis2={
                "domain": [0.78, 1],
                "range": [-1, 0.15],
                "tickvals": [0],
                "ticktext": ["size<br>unknown"],
                "anchor": "y",
                "showgrid": False,
                "zeroline": False,
            }
        )


def _far_apart(front: pd.DataFrame, values: pd.Series, sizes: pd.Series) -> set[str]:
    """Names on the Pareto line (smallest model first) that can be written without overlap."""
    across = max(np.log10(sizes.max() / sizes.min()), 0.1)
    up = max(values.max() - values.min(), 0.01)
    written: list[tuple[float, float]] = []
    names = set()
    for name, size, value in front[["name", "size", "value"]].itertuples(index=False):
        x, y = np.log10(size) / across, value / up
        if all(
            abs(x - other_x) > NAME_WIDE or abs(y - other_y) > NAME_HIGH
            for other_x, other_y in written
        ):
            written.append((x, y))
            names.add(name)
    return names


def _size_hover(row: Mapping[str, object]) -> str:
    return f"{standing_hover(row)}<br>{size_text(row['size'])}"
