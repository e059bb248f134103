"""The figures of the Recommend page: the ranking, how firm it is, and what a point costs."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.shared.charts import (
    COLOURS,
    GREY,
    error,
    forest,
    interval_text,
    layout,
    n_text,
    per_cent,
    safe,
)

BARS = (
    ("p_best", "Chance of being the best, %", COLOURS[0], ""),
    ("share_first_near", "First near your weights, of 100", COLOURS[4], "/"),
    ("share_first", "First in all weightings, of 100", COLOURS[2], "."),
)
MARKS = {
    "front": ("circle", COLOURS[0], "nothing is better for less"),
    "possibly dominated": ("circle-open", COLOURS[4], "perhaps beaten for less"),
    "dominated": ("x", GREY, "beaten for less"),
}
UNKNOWN = ("diamond-open", COLOURS[3])


def ranking(rows: pd.DataFrame) -> go.Figure:
    """One line a model with its interval: label, score, low, high, n, winner, tied (flags)."""
    colour = np.select([rows["winner"], rows["tied"]], [COLOURS[0], COLOURS[0]], COLOURS[1])
    drawn = pd.DataFrame(
        {
            "label": rows["label"],
            "value": rows["score"] * 100,
            "low": rows["low"] * 100,
            "high": rows["high"] * 100,
            "colour": colour,
            "hover": [hover(row) for row in rows.to_dict("records")],
        }
    )
    fig = forest(drawn, axis_title="Score on your mix, %")
    symbols = np.select([rows["winner"], rows["tied"]], ["star", "diamond"], "circle")
    fig.data[0].marker.symbol = symbols
    fig.data[0].marker.update(size=np.where(rows["winner"], 14, 10), opacity=1)
    # One colour that shows on light and dark, and no caps: an unknown interval draws nothing.
    fig.data[0].error_x.update(color=GREY, width=0)
    return fig


def firmness(rows: pd.DataFrame) -> go.Figure:
    """Bars: the chance of being the best, and the shares of weightings in which it is first."""
    fig = go.Figure()
    labels = [safe(label) for label in rows["label"]]
    for column, name, colour, pattern in BARS:
        if rows[column].isna().all():
            continue
        fig.add_bar(
            x=rows[column] * 100,
            y=labels,
            orientation="h",
            name=name,
            marker={"color": colour, "pattern": {"shape": pattern}},
            hovertemplate="%{y}<br>" + name + ": %{x:.1f}<extra></extra>",
        )
    fig.update_yaxes(autorange="reversed", automargin=True, type="category")
    fig.update_xaxes(range=[0, 100], dtick=25)
    return layout(fig, 160 + 54 * len(rows), barmode="group", bargap=0.25)


def trade(rows: pd.DataFrame, column: str, axis_title: str) -> go.Figure:
    """Score against size or cost on a log axis; where that is unknown, in a strip at the right.

    Args:
        rows: label, score, low, high, n, status and the column of the x axis.
        column: ``params_b`` or ``usd_per_1000``.
        axis_title: Its title.
    """
    fig = go.Figure()
    x = rows[column].where(rows[column] > 0)
    strip = 10 ** (np.log10(x.max()) + 0.25 * max(1, np.log10(x.max() / x.min())))
    # Names stand towards the middle of the figure, clear of the intervals and of its edges.
    left = x.fillna(strip) > np.sqrt(x.min() * x.max())
    if x.nunique() > 1:
        left |= x == x.max()
    rows = rows.assign(side=np.where(left, "middle left", "middle right"))
    for status, (symbol, colour, words) in MARKS.items():
        part = rows[(rows["status"] == status) & x.notna()]
        _points(fig, part, x[part.index], words, (symbol, colour))
    part = rows[~rows["status"].isin(list(MARKS)) | x.isna()]
    _points(fig, part, x[part.index].fillna(strip), "size or cost not known", UNKNOWN)
    ticks = _ticks(x)
    fig.update_xaxes(
        type="log",
        title=axis_title,
        tickvals=[*ticks, strip] if x.isna().any() else ticks,
        ticktext=[f"{tick:g}" for tick in ticks] + ["not known"] * bool(x.isna().any()),
    )
    fig.update_yaxes(title="Score on your mix, %")
    return layout(fig, 420)


def _points(
    fig: go.Figure, part: pd.DataFrame, x: pd.Series, name: str, mark: tuple[str, str]
) -> None:
    if part.empty:
        return
    few = len(fig.data) == 0 and len(part) <= 8
    bars = part.rename(columns={"score": "value"})
    fig.add_scatter(
        x=x,
        y=part["score"] * 100,
        name=name,
        mode="markers+text" if few else "markers",
        text=[safe(label) for label in part["label"]] if few else None,
        textposition=list(part["side"]),
        marker={"symbol": mark[0], "color": mark[1], "size": 11},
        error_y={**error(bars), "width": 0},
        customdata=[hover(row) for row in part.to_dict("records")],
        hovertemplate="%{customdata}<extra></extra>",
        cliponaxis=False,
    )


def _ticks(x: pd.Series) -> list[float]:
    steps = [step * 10.0**power for power in range(-4, 5) for step in (1, 2, 5)]
    inside = [step for step in steps if x.min() * 0.7 <= step <= x.max() * 1.4]
    if len(inside) < 2:
        return sorted({float(f"{end:.2g}") for end in (x.min(), x.max())})
    return inside if len(inside) <= 8 else inside[:: len(inside) // 6]


def hover(row: dict[str, object]) -> str:
    """Name, score, interval and n of a row, escaped."""
    score, low, high, n = (float(str(row[key])) for key in ("score", "low", "high", "n"))
    text = f"<b>{safe(row['label'])}</b><br>{per_cent(score)} % ({interval_text(low, high)})"
    return f"{text}<br>{n_text(n)}<br>{safe(row.get('note', ''))}".removesuffix("<br>")
