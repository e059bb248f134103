"""Figures of the scaling page: panels of score against scale, slopes, UniBench's ranges."""

import math
import textwrap
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.shared import charts
from pages.shared.charts import safe, signed, span

PANEL_COLUMNS = 2
PANEL_HEIGHT = 200
TITLE_SPACE = 70
TITLE_WIDTH = 18
GAP = 0.04
FLAT_COLOUR = "#D55E00"
STRIP = 0.13
"""How far beyond the largest known x the strip of unknown x stands, as a share of the axis."""


def panels(
    points: pd.DataFrame, lines: pd.DataFrame, order: Sequence[str], x_title: str
) -> go.Figure:
    """One panel a tag, the same axes in each, so that a flat one is seen to be flat.

    Args:
        points: One row a (model, tag): tag, x (NaN unknown: drawn in a strip at the right under
            "?"), value, low, high (fractions), group (line that it belongs to, "" for none), hover.
        lines: One row a tag with a fitted straight line: tag, x_min, x_max, y_min, y_max.
        order: Tags, panel by panel.
        x_title: Quantity and unit.
    """
    shown = _placed(points)
    names = [name for name in dict.fromkeys(shown["group"]) if name]
    data = [_legend_entry(position, name) for position, name in enumerate(names)]
    layout = {"annotations": [], "dragmode": False}
    rows = math.ceil(len(order) / PANEL_COLUMNS)
    axes = _axes(shown)
    parts = dict(list(shown.groupby("tag")))
    for position, tag in enumerate(order):
        number = position + 1 if position else ""
        on = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        data.append(_marks(parts[tag], names) | on)
        data += [_fitted(line) | on for line in lines[lines["tag"] == tag].itertuples()]
        _place_panel(layout, axes, position, rows, str(tag))
    look = charts.look(150 + PANEL_HEIGHT * rows + 11 * len(names))
    look["legend"] = {**look["legend"], "y": -0.15 / rows}  # type: ignore[dict-item]
    look["margin"] = {**look["margin"], "t": 80}  # type: ignore[dict-item]
    look["title"] = {"text": safe(f"x: {x_title}; y: score, %"), "font": {"size": 13}, "y": 0.99}
    # One call on plain data: figures of many panels are slow to grow trace by trace.
    return go.Figure({"data": data, "layout": layout | look})


def slopes(table: pd.DataFrame, flat: Collection[str]) -> go.Figure:
    """Forest plot of points per tenfold, the steepest first; ``flat`` tags stand out."""
    rows = pd.DataFrame(
        {
            "label": table["tag"],
            "value": table["slope"] * 100,
            "low": table["low"] * 100,
            "high": table["high"] * 100,
            "colour": np.where(table["tag"].isin(list(flat)), FLAT_COLOUR, charts.COLOURS[0]),
        }
    )
    rows["hover"] = [
        f"<b>{safe(row.tag)}</b><br>{signed(row.slope * 100)} points for ten times as much<br>"
        f"95 %: {span(row.low * 100, row.high * 100)}<br>n {row.n_models} models in "
        f"{row.n_groups} groups<br>{row.fold:,.0f}-fold range"
        for row in table.itertuples()
    ]
    fig = charts.forest(rows, axis_title="Points for ten times as much", zero=True)
    marks = ["diamond" if tag in flat else "circle" for tag in table["tag"]]
    fig.update_traces(error_x_color=charts.GREY, marker_symbol=marks)
    return fig


def ranges(rows: pd.DataFrame) -> go.Figure:
    """Worst, mean and best model of each group as the paper prints them.

    Args:
        rows: One row a group: label, worst, mean, best (fractions), worst_family, best_family.
    """
    fig = go.Figure()
    labels = [safe(label) for label in rows["label"]]
    gaps = [end for row in rows.itertuples() for end in (row.worst * 100, row.best * 100, None)]
    fig.add_scatter(
        x=gaps,
        y=[label for label in labels for _ in range(3)],
        mode="lines",
        line={"color": charts.GREY, "width": 3},
        hoverinfo="skip",
        showlegend=False,
    )
    styles = {"worst": ("#D55E00", "triangle-left"), "mean": (charts.GREY, "circle")}
    styles["best"] = ("#0072B2", "triangle-right")
    for statistic, (colour, symbol) in styles.items():
        family = rows.get(f"{statistic}_family", pd.Series("mean of all models", rows.index))
        fig.add_scatter(
            x=rows[statistic] * 100,
            y=labels,
            mode="markers",
            name=statistic,
            marker={"color": colour, "symbol": symbol, "size": 11},
            text=[
                f"<b>{label}</b><br>{statistic}: {value * 100:.1f} %<br>{safe(name)}"
                for label, value, name in zip(labels, rows[statistic], family, strict=True)
            ],
            hovertemplate="%{text}<extra></extra>",
        )
    fig.update_yaxes(autorange="reversed", automargin=True, type="category")
    fig.update_xaxes(title="Score, %", range=[0, 100])
    charts.layout(fig, 140 + 26 * len(rows))
    return fig.update_layout(
        legend={"y": 1.02, "yanchor": "bottom"}, margin={"t": 40}, dragmode=False
    )


def _placed(points: pd.DataFrame) -> pd.DataFrame:
    """Give unknown x a place to the right of the largest known one."""
    low, high = points["x"].min(), points["x"].max()
    if pd.isna(low):
        return points.assign(at=1.0)
    strip = high * (max(high / low, 2.0) ** STRIP)
    return points.assign(at=points["x"].fillna(strip))


def _marks(part: pd.DataFrame, names: Sequence[str]) -> dict[str, object]:
    """The points of one panel in one trace; grey lines join those of one group."""
    place = {name: position for position, name in enumerate(names)}
    part = part.assign(line=part["group"].map(place).fillna(-1)).sort_values(["line", "at"])
    plain = {"color": charts.GREY if names else charts.COLOURS[0], "symbol": "circle"}
    marks = [charts.style(place[name]) if name in place else plain for name in part["group"]]
    columns = {
        "x": part["at"].to_list(),
        "y": (part["value"] * 100).to_list(),
        "text": part["hover"].to_list(),
        "color": [mark["color"] for mark in marks],
        "symbol": [
            mark["symbol"] + ("-open" if unknown else "")
            for mark, unknown in zip(marks, part["x"].isna(), strict=True)
        ],
    }
    # A gap before each new group, and around points that belong to none.
    line = part["line"].to_numpy()
    breaks = np.flatnonzero((line[1:] != line[:-1]) | (line[1:] < 0)) + 1 if names else []
    for at in reversed(breaks):
        for name, values in columns.items():
            values.insert(at, None if name in ("x", "y") else values[at])
    trace = {
        "type": "scatter",
        "x": columns["x"],
        "y": columns["y"],
        "mode": "lines+markers" if names else "markers",
        "showlegend": False,
        "line": {"color": charts.GREY, "width": 1},
        "marker": {
            "size": 7,
            # One value where all are alike: plotly checks a list element by element.
            "color": columns["color"] if names else charts.COLOURS[0],
            "symbol": columns["symbol"] if names or part["x"].isna().any() else "circle",
        },
        "text": columns["text"],
        "hovertemplate": "%{text}<extra></extra>",
    }
    if part["low"].notna().any() and not names:
        trace["error_y"] = charts.error(part) | {"color": charts.GREY}
    return trace


def _legend_entry(position: int, name: str) -> dict[str, object]:
    return {
        "type": "scatter",
        "x": [None],
        "y": [None],
        "mode": "markers",
        "name": safe(name),
        "marker": {**charts.style(position), "size": 8},
    }


def _fitted(line: object) -> dict[str, object]:
    return {
        "type": "scatter",
        "x": [line.x_min, line.x_max],  # type: ignore[attr-defined]
        "y": [line.y_min * 100, line.y_max * 100],  # type: ignore[attr-defined]
        "mode": "lines",
        "line": {"color": FLAT_COLOUR, "dash": "dash", "width": 2},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _axes(shown: pd.DataFrame) -> tuple[dict[str, object], dict[str, object]]:
    """What the x axes of all panels share, and the y axes."""
    known = shown["x"].dropna()
    values, texts = ticks(known.min(), known.max()) if len(known) else ([], [])
    if shown["x"].isna().any():
        values, texts = [*values, shown["at"].max()], [*texts, "?"]
    ends = np.log10([shown["at"].min(), shown["at"].max()])
    pad = 0.04 * max(ends[1] - ends[0], 0.5)
    low = shown["low"].fillna(shown["value"]).min() * 100
    high = shown["high"].fillna(shown["value"]).max() * 100
    x = {"type": "log", "tickvals": values, "ticktext": texts, "tickangle": 0}
    x["tickfont"] = {"size": 10}
    return (
        x | {"range": [ends[0] - pad, ends[1] + pad]},
        {"range": [low - 3, high + 3], "zeroline": False},
    )


def _place_panel(
    layout: dict[str, object],
    axes: tuple[dict[str, object], dict[str, object]],
    position: int,
    rows: int,
    tag: str,
) -> None:
    """Add the axes and the title of one panel to the layout."""
    row, column = divmod(position, PANEL_COLUMNS)
    width = (1 + GAP) / PANEL_COLUMNS
    gap = TITLE_SPACE / PANEL_HEIGHT / rows
    height = (1 + gap) / rows
    left, top = column * width, 1 - row * height
    number = position + 1 if position else ""
    layout[f"xaxis{number}"] = axes[0] | {
        "domain": [left, min(1, left + width - GAP)],
        "anchor": f"y{number}",
    }
    layout[f"yaxis{number}"] = axes[1] | {
        "domain": [max(0, top - height + gap), top],
        "anchor": f"x{number}",
        "showticklabels": column == 0,
    }
    layout["annotations"].append(  # type: ignore[attr-defined]
        {
            "text": "<br>".join(textwrap.wrap(safe(tag), TITLE_WIDTH)),
            "x": left + (width - GAP) / 2,
            "y": top,
            "xref": "paper",
            "yref": "paper",
            "yanchor": "bottom",
            "showarrow": False,
            "font": {"size": 11},
        }
    )


def ticks(low: float, high: float) -> tuple[list[float], list[str]]:
    """Round numbers on a log axis: 1, 2, 5 over a short range, powers of ten over a long one."""
    decades = math.log10(high / low)
    steps = (1, 2, 5) if decades < 1.4 else (1, 3) if decades < 2.4 else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    values = [step * 10.0**power for power in powers for step in steps]
    inside = [value for value in values if low * 0.95 <= value <= high * 1.05]
    return inside, [f"{value:,g}" for value in inside]
