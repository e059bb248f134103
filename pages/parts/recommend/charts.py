"""The figures of the Recommend page: the ranking, how firm it is, and what a point costs."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.shared.boards import LONG_NAME, wrap
from pages.shared.charts import COLOURS, GREY, error, interval_text, look, n_text, per_cent, safe

BARS = (
    ("p_best", "Chance of being the best, %", COLOURS[0], ""),
    ("share_first_near", "First near your weights, of 100", COLOURS[4], "/"),
    ("share_first", "First in all weightings, of 100", COLOURS[2], "."),
)
MARKS = {
    "front": ("circle", COLOURS[0], "on the front"),
    "possibly dominated": ("circle-open", COLOURS[4], "possibly dominated"),
    "dominated": ("x", GREY, "dominated"),
}
LINES = {"autorange": "reversed", "automargin": True, "type": "category"}
"""The axis of a figure with a line a model, the first on top."""
UNKNOWN = ("diamond-open", COLOURS[3])
SMALLEST, LARGEST = 10.0, 26.0
"""Pixels of a mark."""
HOVER = ("label", "score", "low", "high", "n", "note")
"""What a mark says of its model."""
NAME_WIDE, NAME_HIGH = 0.35, 0.06
"""Room of a name beside a point, as shares of the axes."""


def ranking(rows: pd.DataFrame) -> go.Figure:
    """One line a model with its interval: label, score, low, high, n, winner, tied (flags)."""
    tied = rows["winner"] | rows["tied"]
    trace = {
        "type": "scatter",
        "x": rows["score"] * 100,
        "y": [wrap(label, LONG_NAME) for label in rows["label"]],
        "mode": "markers",
        "marker": {
            "color": np.where(tied, COLOURS[0], COLOURS[1]),
            "symbol": np.select([rows["winner"], rows["tied"]], ["star", "diamond"], "circle"),
            "size": np.where(rows["winner"], 14, 10),
            "opacity": 1,
        },
        # One colour that shows on light and dark, and no caps: an unknown interval draws nothing.
        "error_x": {**error(rows.rename(columns={"score": "value"})), "color": GREY, "width": 0},
        "text": _hovers(rows),
        "customdata": rows["label"],
        "hovertemplate": "%{text}<extra></extra>",
        "showlegend": False,
    }
    axes = {"yaxis": LINES, "xaxis": {"title": {"text": "Score on your mix, %"}}}
    line = 36 if any("<br>" in name for name in trace["y"]) else 30
    return go.Figure([trace], {**look(110 + line * len(rows)), **axes})


def firmness(rows: pd.DataFrame) -> go.Figure:
    """Bars: the chance of being the best, and the shares of weightings in which it is first."""
    labels = [wrap(label, LONG_NAME) for label in rows["label"]]
    traces = [
        {
            "type": "bar",
            "x": rows[column] * 100,
            "y": labels,
            "orientation": "h",
            "name": name,
            "marker": {"color": colour, "pattern": {"shape": pattern}},
            "hovertemplate": "%{y}<br>" + name + ": %{x:.1f}<extra></extra>",
        }
        for column, name, colour, pattern in BARS
        if not rows[column].isna().all()
    ]
    axes = {"yaxis": LINES, "xaxis": {"range": [0, 100], "dtick": 25}}
    bars = {"barmode": "group", "bargap": 0.25}
    return go.Figure(traces, {**look(160 + 54 * len(rows)), **axes, **bars})


def trade(rows: pd.DataFrame, column: str, axis_title: str, sized: str = "") -> go.Figure:
    """Score against size or cost on a log axis; where that is unknown, in a strip at the right.

    Args:
        rows: label, score, low, high, n, status and the columns that are drawn.
        column: Of the x axis, ``params_b`` or ``usd_per_1000``.
        axis_title: Its title.
        sized: The other of the two, drawn as the size of a mark; empty: all marks alike.
    """
    x = rows[column].where(rows[column] > 0)
    strip = 10 ** (np.log10(x.max()) + 0.25 * max(1, np.log10(x.max() / x.min())))
    # Names stand towards the middle of the figure, clear of the intervals and of its edges.
    left = x.fillna(strip) > np.sqrt(x.min() * x.max())
    if x.nunique() > 1:
        left |= x == x.max()
    rows = rows.assign(
        x=x.fillna(strip),
        side=np.where(left, "middle left", "middle right"),
        pixels=_pixels(rows[sized] if sized else pd.Series(np.nan, index=rows.index)),
    )
    known = rows["status"].isin(list(MARKS))
    written = _apart(rows[known & (rows["status"] == "front")], rows)
    traces = [
        _points(rows[rows["status"] == status], words, (symbol, colour), written)
        for status, (symbol, colour, words) in MARKS.items()
    ]
    traces.append(_points(rows[~known], "size or cost not known", UNKNOWN, set()))
    ticks = _ticks(x)
    axes = {
        "xaxis": {
            "type": "log",
            "title": {"text": axis_title},
            "tickvals": [*ticks, strip] if x.isna().any() else ticks,
            "ticktext": [f"{tick:g}" for tick in ticks] + ["not known"] * bool(x.isna().any()),
        },
        "yaxis": {"title": {"text": "Score on your mix, %"}},
    }
    common = look(440)
    # The legend's marks are all of one size.
    legend = {**common["legend"], "itemsizing": "constant"}  # type: ignore[dict-item]
    drawn = [trace for trace in traces if trace]
    return go.Figure(drawn, {**common, **axes, "legend": legend})


def _pixels(values: pd.Series) -> pd.Series:
    """Width of each mark: it grows with the logarithm of the value; unknown is the smallest."""
    known = np.log10(values.where(values > 0))
    span = known.max() - known.min()
    if not span > 0:
        return pd.Series(SMALLEST, index=values.index)
    share = (known - known.min()) / span
    return (SMALLEST + (LARGEST - SMALLEST) * share).fillna(SMALLEST)


def _apart(front: pd.DataFrame, rows: pd.DataFrame) -> set[str]:
    """The models on the front, best first, whose names can be written without overlap."""
    across = max(np.log10(rows["x"].max() / rows["x"].min()), 0.1)
    up = max(rows["score"].max() - rows["score"].min(), 0.01)
    places: list[tuple[float, float]] = []
    names = set()
    for label, x, score in front[["label", "x", "score"]].itertuples(index=False):
        here = (np.log10(x) / across, score / up)
        if all(
            abs(here[0] - other[0]) > NAME_WIDE or abs(here[1] - other[1]) > NAME_HIGH
            for other in places
        ):
            places.append(here)
            names.add(str(label))
    return names


def _points(
    part: pd.DataFrame, name: str, mark: tuple[str, str], written: set[str]
) -> dict[str, object]:
    """The marks of one kind as a trace; an empty one when there are none."""
    if part.empty:
        return {}
    names = [safe(label) if label in written else "" for label in part["label"]]
    return {
        "type": "scatter",
        "x": part["x"],
        "y": part["score"] * 100,
        "name": name,
        "mode": "markers+text" if any(names) else "markers",
        "text": names if any(names) else None,
        "textposition": list(part["side"]),
        "marker": {
            "symbol": mark[0], "color": mark[1], "size": list(part["pixels"]), "opacity": 1,
        },
        "error_y": {**error(part.rename(columns={"score": "value"})), "width": 0},
        "customdata": _hovers(part),
        "hovertemplate": "%{customdata}<extra></extra>",
        "cliponaxis": False,
    }  # fmt: skip


def _ticks(x: pd.Series) -> list[float]:
    steps = [step * 10.0**power for power in range(-4, 5) for step in (1, 2, 5)]
    inside = [step for step in steps if x.min() * 0.7 <= step <= x.max() * 1.4]
    if len(inside) < 2:
        return sorted({float(f"{end:.2g}") for end in (x.min(), x.max())})
    return inside if len(inside) <= 8 else inside[:: len(inside) // 6]


def _hovers(rows: pd.DataFrame) -> list[str]:
    shown = rows[[name for name in HOVER if name in rows]]
    return [hover(row) for row in shown.to_dict("records")]


def hover(row: dict[str, object]) -> str:
    """Name, score, interval and n of a row, escaped."""
    score, low, high, n = (float(str(row[key])) for key in ("score", "low", "high", "n"))
    text = f"<b>{safe(row['label'])}</b><br>{per_cent(score)} % ({interval_text(low, high)})"
    return f"{text}<br>{n_text(n)}<br>{safe(row.get('note', ''))}".removesuffix("<br>")
