"""Score against size: the Pareto line, and a strip for models whose size nobody knows."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.shared import charts
from pages.shared.boards import model_hover, size_text, wrap

HEIGHT = 480
MOST_TICKS = 5
SERIES = ((1, 2, 5), (1, 3), (1,))
"""Ticks of a decade, the densest first."""
STRIP_STARTS = 0.66
"""Where the strip of unknown sizes starts, as a share of the width."""
NARROW, TALL = 265, 320
"""Pixels of the plot on a screen 390 wide, where names that do not meet meet nowhere else."""
LETTER, LINE = 5.1, 13
"""Pixels of a name's letter and line."""
NAME_WIDTH, STRIP_WIDTH = 24, 17
"""Letters a line of a name beside a point, and in the strip."""
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
    if goes_on(known):
        _front_line(fig, front, known["size"].max())
    plane = _plane(rows, known["size"], chance, strip=len(unknown) > 0)
    beside = _named(front, known, plane)
    known = known.assign(beside=known["name"].map(beside).fillna(""))
    _openness_points(fig, known, known["size"], "x")
    if len(unknown):
        _openness_points(fig, unknown.assign(beside=""), pd.Series(0.0, index=unknown.index), "x2")
        _strip_names(fig, unknown, plane)
    if not np.isnan(chance):
        fig.add_hline(
            y=100 * chance, line={"dash": "dot", "color": charts.GREY}, annotation_text="guessing"
        )
    _size_axes(fig, known["size"], plane, what)
    fig.update_yaxes(title=axis_title, ticksuffix=" %", range=[plane.low, plane.high])
    return charts.layout(fig, HEIGHT)


def goes_on(known: pd.DataFrame) -> bool:
    """Whether the line of the best has a length: some model is larger than the first on it."""
    return bool((known["size"] > known.loc[known["front"], "size"].min()).any())


class _Plane(NamedTuple):
    """What the narrow plot shows: sizes as powers of ten, scores in per cent."""

    left: float
    right: float
    low: float
    high: float
    width: float
    """Pixels."""

    def at(self, size: float, value: float) -> tuple[float, float]:
        """Pixels from the left and from the bottom of a size and a score (a fraction)."""
        return (
            (np.log10(size) - self.left) / (self.right - self.left) * self.width,
            (100 * value - self.low) / (self.high - self.low) * TALL,
        )


def _plane(rows: pd.DataFrame, sizes: pd.Series, chance: float, *, strip: bool) -> _Plane:
    left, right = np.log10(sizes.min()), np.log10(sizes.max())
    aside = max(0.2, 0.08 * (right - left))
    ends = 100 * np.array([*rows["value"], *rows["low"], *rows["high"], chance], float)
    low, high = np.nanmin(ends), np.nanmax(ends)
    above = max(0.5, 0.08 * (high - low))
    width = NARROW * (STRIP_STARTS - 0.04 if strip else 1)
    return _Plane(left - aside, right + aside, low - above, high + above, width)


def _front_line(fig: go.Figure, front: pd.DataFrame, largest: float) -> None:
    """Draw the best of each size or smaller, on to the largest model."""
    fig.add_scatter(
        x=[*front["size"], largest],
        y=[*front["value"] * 100, front["value"].iloc[-1] * 100],
        mode="lines",
        line={"color": charts.GREY, "shape": "hv", "dash": "dash"},
        name="Best of its size or smaller",
        hoverinfo="skip",
    )


def _openness_points(fig: go.Figure, rows: pd.DataFrame, x: pd.Series, axis: str) -> None:
    """Draw the models, one trace a kind of weights; named on the side ``beside``."""
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
            text=part["name"].map(_short).where(part["beside"] != "", ""),
            textfont={"size": 11},
            textposition=[f"top {side or 'left'}" for side in part["beside"]],
            cliponaxis=False,
            customdata=[_size_hover(row) for row in part.to_dict("records")],
            hovertemplate="%{customdata}<extra></extra>",
        )


def _strip_names(fig: go.Figure, rows: pd.DataFrame, plane: _Plane) -> None:
    """Write the names beside the strip's points, the best first, where there is room."""
    line = LINE * (plane.high - plane.low) / TALL
    free = np.inf
    heights, names = [], []
    for name, value in rows.sort_values("value", ascending=False)[["name", "value"]].to_numpy():
        text = wrap(name, STRIP_WIDTH)
        half = line * (text.count("<br>") + 1) / 2
        height = min(100 * value, free - half)
        if 100 * value - height <= line / 2:
            free = height - half
            heights.append(height)
            names.append(text)
    fig.add_scatter(
        x=[-0.08] * len(names),
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


def _size_axes(fig: go.Figure, sizes: pd.Series, plane: _Plane, what: str) -> None:
    ticks = size_ticks(sizes, plane.left, plane.right)
    strip = plane.width < NARROW
    fig.update_layout(
        xaxis={
            "type": "log",
            "domain": [0, STRIP_STARTS - 0.04 if strip else 1],
            "range": [plane.left, plane.right],
            "tickvals": ticks,
            "ticktext": [size_text(tick).replace(".0 ", " ") for tick in ticks],
            "tickangle": 0,
            "title": what,
        }
    )
    if strip:
        fig.update_layout(
            xaxis2={
                "domain": [STRIP_STARTS, 1],
                "range": [-1, 0.15],
                "tickvals": [0],
                "ticktext": ["size<br>unknown"],
                "tickangle": 0,
                "anchor": "y",
                "showgrid": False,
                "zeroline": False,
            }
        )


def size_ticks(sizes: pd.Series, left: float, right: float) -> list[float]:
    """Round sizes between two powers of ten, few enough for a narrow screen.

    Args:
        sizes: Billions; where there is one size only, it is the tick.
        left: The smaller power.
        right: The larger one.
    """
    if sizes.nunique() == 1:
        return [float(sizes.iloc[0])]
    decades = range(int(np.floor(left)), int(np.ceil(right)) + 1)
    for series in SERIES:
        ticks = [step * 10.0**decade for decade in decades for step in series]
        inside = [tick for tick in ticks if left <= np.log10(tick) <= right]
        if len(inside) <= MOST_TICKS:
            break
    return inside


def _named(front: pd.DataFrame, known: pd.DataFrame, plane: _Plane) -> dict[str, str]:
    """Names on the Pareto line that can be written without overlap: the side of the point.

    The best model first. Left above a point there is no other; a name stands right of it for want
    of room at the left, where no model as good follows that close.
    """
    points = np.array([plane.at(*place) for place in known[["size", "value"]].to_numpy()])
    written: list[tuple[float, float, float, float]] = []
    sides = {}
    for name, size, value in front[["name", "size", "value"]].iloc[::-1].itertuples(index=False):
        x, y = plane.at(size, value)
        lines = _short(name).split("<br>")
        wide, high = LETTER * max(map(len, lines)), LINE * len(lines)
        near = (points[:, 0] > x) & (points[:, 0] < x + wide + LINE) & (points[:, 1] >= y)
        boxes = {"left": (x - wide, x, y, y + high), "right": (x, x + wide, y, y + high)}
        if near.any() or x + wide > plane.width:
            del boxes["right"]
        for side, box in boxes.items():
            if box[0] >= 0 and not any(_meet(box, other) for other in written):
                written.append(box)
                sides[name] = side
                break
    return sides


def _meet(box: tuple[float, ...], other: tuple[float, ...]) -> bool:
    across = min(box[1], other[1]) > max(box[0], other[0])
    return across and min(box[3], other[3]) > max(box[2], other[2])


def _short(name: str) -> str:
    return wrap(name, NAME_WIDTH)


def _size_hover(row: Mapping[str, object]) -> str:
    return f"{model_hover(row)}<br>{size_text(row['size'])}"
