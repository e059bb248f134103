"""Frames to plotly figures: no Streamlit, no store, per cent only here.

Colour is never the only sign: each model has a marker shape too. Names are escaped, because
plotly reads HTML.
"""

import html
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

# Okabe and Ito (2008), black left to the theme's text colour.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A8A8A", "#B8A900")
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon")
GREY = "#8A8A8A"
FEW = 300
TOO_FEW = 50
OF_EVERY_OBJECT = {
    *("__proto__", "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"),
    *("toLocaleString", "toString", "valueOf", "__defineGetter__", "__defineSetter__"),
    *("__lookupGetter__", "__lookupSetter__"),
}
"""Names that each object of JavaScript has unasked."""


def safe(text: object) -> str:
    """Text for plotly: escaped, for it takes HTML.

    It also fills in ``%{x}`` and looks names of categories up in a JavaScript object, where
    ``constructor`` is something else; a word joiner, which is not drawn, breaks both.
    """
    escaped = html.escape(str(text)).replace("%{", "%\u2060{")
    return f"\u2060{escaped}" if escaped in OF_EVERY_OBJECT else escaped


def per_cent(value: float) -> str:
    """A fraction as per cent with one decimal; a dash when unknown."""
    return "–" if pd.isna(value) else f"{100 * value:.1f}"


def interval_text(low: float, high: float) -> str:
    """An interval in per cent; says so when there is none."""
    return "no interval" if pd.isna(low) else f"{100 * low:.1f} to {100 * high:.1f}"


def intervals(
    rows: pd.DataFrame,
    low: str = "low",
    high: str = "high",
    how: Callable[[float, float], str] = interval_text,
) -> list[str]:
    """The interval of each row in words, from the columns that hold its ends."""
    return [how(*ends) for ends in zip(rows[low], rows[high], strict=True)]


def n_text(n: float) -> str:
    """A number of questions; says so when it is not published."""
    return "n not published" if pd.isna(n) else f"n {int(n):,}"


def signed(points: float) -> str:
    """A gain in points with its sign, one decimal."""
    return "–" if pd.isna(points) else f"{points + 0:+.1f}".replace("-", "−")


def span(low: float, high: float) -> str:
    """The interval of a gain; says so when there is none."""
    if pd.isna(low):
        return "no interval"
    return f"{signed(low)} to {signed(high)}"


def points(value: float) -> str:
    """A difference in points with its sign."""
    return signed(100 * value)


def between(low: float, high: float) -> str:
    """An interval of a difference in points; says so when there is none."""
    return "no interval" if pd.isna(low) else f"{points(low)} to {points(high)}"


def style(position: int) -> dict[str, str]:
    """Colour and marker shape of the model at a position."""
    return {
        "color": COLOURS[position % len(COLOURS)],
        "symbol": SHAPES[(position // len(COLOURS) + position) % len(SHAPES)],
    }


def layout(fig: go.Figure, height: int, **more: object) -> go.Figure:
    """Apply the margins and the legend that all figures share."""
    fig.update_layout(**look(height), **more)
    return fig


def look(height: int) -> dict[str, object]:
    """The margins and the legend that all figures share, as a part of a layout."""
    return {
        "height": height,
        "margin": {"l": 10, "r": 10, "t": 30, "b": 10},
        # About 65 pixels under the plot: under the ticks and the axis title.
        "legend": {
            "orientation": "h", "yanchor": "top", "y": -65 / max(height - 100, 65), "x": 0,
        },
        "hoverlabel": {"align": "left"},
    }  # fmt: skip


def radar(
    cells: pd.DataFrame, models: Sequence[tuple[str, str]], order: Sequence[str]
) -> go.Figure:
    """Lines without fill on a fixed 0 to 100 axis; hollow under 300 questions, a gap under 50.

    Args:
        cells: Cells of one axis.
        models: (id, name on screen) of the models to draw, a handful.
        order: Tags in the order around the circle.
    """
    fig = go.Figure()
    for position, (model, name) in enumerate(models):
        rows = cells[cells["model"] == model].set_index("tag").reindex(order)
        few = rows["n"].lt(FEW)
        value = rows["value"].mask(rows["n"].lt(TOO_FEW)) * 100
        mark = style(position)
        texts = [_hover(name, tag, row) for tag, row in rows.iterrows()]
        closed = [*range(len(order)), 0]
        fig.add_scatterpolar(
            r=value.to_numpy()[closed],
            theta=[safe(order[index]) for index in closed],
            name=safe(name),
            mode="lines+markers",
            line={"color": mark["color"], "width": 2},
            marker={
                "color": mark["color"],
                "size": 8,
                "symbol": [
                    mark["symbol"] + ("-open" if few.iloc[index] else "") for index in closed
                ],
            },
            text=[texts[index] for index in closed],
            hovertemplate="%{text}<extra></extra>",
            connectgaps=False,
        )
    radial = {"range": [0, 100], "ticksuffix": " %", "dtick": 25, "angle": 90, "tickangle": 90}
    return layout(
        fig,
        560,
        polar={
            "domain": {"y": [0.05, 1]},
            "radialaxis": radial,
            "angularaxis": {"direction": "clockwise"},
        },
    )


def dots(
    cells: pd.DataFrame,
    models: Sequence[tuple[str, str]],
    order: Sequence[str],
    *,
    axis_title: str = "Score, %",
) -> go.Figure:
    """One line a tag, one marker a model, with 95 % intervals; hollow under 300 questions."""
    fig = go.Figure()
    step = 0.7 / max(1, len(models))
    for position, (model, name) in enumerate(models):
        rows = cells[cells["model"] == model].set_index("tag").reindex(order)
        mark = style(position)
        offset = (position - (len(models) - 1) / 2) * step
        few = rows["n"].lt(FEW)
        fig.add_scatter(
            x=rows["value"] * 100,
            y=np.arange(len(order)) + offset,
            name=safe(name),
            mode="markers",
            marker={
                "color": mark["color"],
                "size": 9,
                "symbol": [mark["symbol"] + ("-open" if flag else "") for flag in few],
            },
            error_x=error(rows),
            text=[_hover(name, tag, row) for tag, row in rows.iterrows()],
            customdata=[[model, tag] for tag in order],
            hovertemplate="%{text}<extra></extra>",
        )
    fig.update_yaxes(
        tickvals=list(range(len(order))),
        ticktext=[safe(tag) for tag in order],
        autorange="reversed",
        automargin=True,
    )
    fig.update_xaxes(title=axis_title, rangemode="tozero")
    return layout(fig, 140 + len(order) * max(34, 13 * len(models)))


def forest(rows: pd.DataFrame, *, axis_title: str, zero: bool = False) -> go.Figure:
    """One line a row with its interval: ``label``, ``value``, ``low``, ``high``, ``hover``.

    Values are drawn as they are (bring them to the axis's unit first); ``colour`` is optional.
    """
    fig = go.Figure()
    colours = rows["colour"] if "colour" in rows else COLOURS[0]
    fig.add_scatter(
        x=rows["value"],
        y=[safe(label) for label in rows["label"]],
        mode="markers",
        marker={"color": colours, "size": 10},
        error_x=error(rows, scale=1),
        text=rows["hover"],
        customdata=rows["label"],
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
    )
    if zero:
        fig.add_vline(x=0, line={"color": GREY, "dash": "dot"})
    fig.update_yaxes(autorange="reversed", automargin=True, type="category")
    fig.update_xaxes(title=axis_title)
    return layout(fig, 110 + 30 * len(rows))


def medians(rows: pd.DataFrame, names: Mapping[str, str]) -> go.Figure:
    """Median model, middle half and range of each benchmark, with its chance level.

    Args:
        rows: As from ``gains.against_chance``, the lowest first.
        names: Name on screen of each benchmark.
    """
    fig = go.Figure()
    label = [safe(names[value]) for value in rows["benchmark"]]
    shares = [
        (("least", "most"), 1.5, "all models"),
        (("lower_quarter", "upper_quarter"), 6, "middle half of the models"),
    ]
    for (low, high), width, name in shares:
        gap = np.full(len(rows), np.nan)
        fig.add_scatter(
            x=np.column_stack([rows[low] * 100, rows[high] * 100, gap]).ravel(),
            y=np.repeat(label, 3),
            mode="lines",
            line={"color": COLOURS[5], "width": width},
            hoverinfo="skip",
            name=name,
        )
    fig.add_scatter(
        x=rows["median"] * 100,
        y=label,
        mode="markers",
        marker={"color": COLOURS[0], "size": 9},
        text=[_median_text(row, names) for row in rows.to_dict("records")],
        hovertemplate="%{text}<extra></extra>",
        name="median model",
    )
    known = rows["chance"].notna()
    fig.add_scatter(
        x=rows.loc[known, "chance"] * 100,
        y=np.array(label)[known],
        mode="markers",
        marker={"color": COLOURS[1], "symbol": "line-ns-open", "size": 14, "line": {"width": 3}},
        hovertemplate="guessing: %{x:.1f} %<extra></extra>",
        name="guessing",
    )
    fig.update_yaxes(type="category", automargin=True, tickfont={"size": 11})
    fig.update_xaxes(title="Score, %", range=[0, 100])
    layout(fig, 150 + 20 * len(rows))
    return fig.update_layout(dragmode=False)


def _median_text(row: dict[str, float], names: Mapping[str, str]) -> str:
    chance = per_cent(row["chance"])
    words = (
        f"<b>{safe(names[str(row['benchmark'])])}</b><br>median {per_cent(row['median'])} % "
        f"({interval_text(row['low'], row['high'])})<br>guessing {chance} %<br>"
        f"n {row['n']} models"
    )
    if row["judged"]:
        words += f"<br>{100 * row['above']:.0f} % of them clearly above guessing"
    return words


def error(rows: pd.DataFrame, scale: float = 100) -> dict[str, object]:
    """Plotly's error bar from ``value``, ``low`` and ``high``; none where they are unknown."""
    return {
        "type": "data",
        "symmetric": False,
        # As numpy, where NaN stays NaN: plotly draws null as a bar of zero width.
        "array": ((rows["high"] - rows["value"]) * scale).to_numpy(float),
        "arrayminus": ((rows["value"] - rows["low"]) * scale).to_numpy(float),
        "thickness": 1.5,
        "width": 3,
    }


def _hover(name: str, tag: object, row: pd.Series) -> str:
    return (
        f"<b>{safe(name)}</b><br>{safe(tag)}<br>{per_cent(row['value'])} % "
        f"({interval_text(row['low'], row['high'])})<br>{n_text(row['n'])}"
    )
