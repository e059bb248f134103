"""Figures of the Overview and the Profiles page: standings, heat strip, differences."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.shared import charts

TEXT_COLUMNS = 20
"""Up to so many columns a heat strip writes values into its cells, where they fit."""
FEW_COLUMNS = 6
"""Up to so many columns there is room for lines of a name and for decimals."""
PALE = ((0, "#F4F8FB"), (1, "#56B4E9"))
"""One hue, pale enough that dark text can be read on all of it."""
LONG_NAME = 30
"""Letters a line of a model's name beside a row."""
FAINT = "rgba(138,138,138,0.45)"
STATES = {
    "tied": ("Tied with the best", charts.COLOURS[0], ""),
    "behind": ("Clearly behind the best", charts.COLOURS[1], "-open"),
    "unknown": ("Ties cannot be judged", charts.GREY, "-open"),
}


def wrap(text: object, width: int = 24) -> str:
    """Text broken into short lines for a narrow label, escaped for plotly."""
    lines = textwrap.wrap(str(text).replace("/", "/ "), width, break_on_hyphens=False) or [""]
    return "<br>".join(charts.safe(line.replace("/ ", "/")) for line in lines)


def size_text(params_b: float) -> str:
    """A number of parameters (given in billions) in thousands, millions, billions or trillions."""
    if pd.isna(params_b):
        return "size unknown"
    if params_b < 0.001:
        return f"{1e6 * params_b:.0f} k"
    if params_b >= 1000:
        return f"{params_b / 1000:.1f} T"
    return f"{params_b:.1f} B" if params_b >= 1 else f"{1000 * params_b:.0f} M"


def leaderboard(rows: pd.DataFrame, axis_title: str) -> go.Figure:
    """One line a model with its interval, best at the top; the mark says how it stands.

    Args:
        rows: In order: ``name``, ``score``, ``low``, ``high``, ``n_text``, ``state`` (a key of
            ``STATES``), ``uploaded``.
        axis_title: What the score is.
    """
    fig = go.Figure()
    place = np.arange(len(rows))
    rows = rows.assign(value=rows["score"])
    for state, (label, colour, hollow) in STATES.items():
        some = (rows["state"] == state).to_numpy()
        if not some.any():
            continue
        part = rows[some]
        shapes = np.where(part["uploaded"], f"diamond{hollow}", f"circle{hollow}")
        fig.add_scatter(
            x=part["value"] * 100,
            y=place[some],
            name=label,
            mode="markers",
            marker={"color": colour, "size": 11, "symbol": shapes, "line": {"width": 2}},
            error_x=charts.error(part),
            text=[model_hover(row) for row in part.to_dict("records")],
            hovertemplate="%{text}<extra></extra>",
            showlegend=True,
        )
    _model_axis(fig, list(rows["name"]))
    fig.update_xaxes(title=axis_title, ticksuffix=" %")
    return charts.layout(fig, 130 + _row_height(rows["name"]) * len(rows))


def heat_strip(table: pd.DataFrame) -> go.Figure:
    """Models down, tags across, on a fixed 0 to 100 scale; unknown cells stay empty.

    Args:
        table: Fractions; the index holds names on screen in order, the columns tags.
    """
    values = table.to_numpy(float) * 100
    hover = [
        [f"<b>{charts.safe(name)}</b><br>{charts.safe(tag)}" for tag in table.columns]
        for name in table.index
    ]
    places = {"x": np.arange(table.shape[1]), "y": np.arange(table.shape[0])}
    fig = go.Figure(
        go.Heatmap(
            **places,
            z=values,
            zmin=0,
            zmax=100,
            colorscale=PALE,
            textfont={"color": "#111111"},
            showscale=table.shape[1] > TEXT_COLUMNS,
            colorbar={"title": "%", "thickness": 12},
            xgap=1,
            ygap=1,
            text=hover,
            texttemplate=_cell_text(table.shape[1]),
            hovertemplate="%{text}<br>%{z:.1f} %<extra></extra>",
            hoverongaps=False,
        )
    )
    _model_axis(fig, list(table.index))
    fig.update_xaxes(
        tickvals=list(places["x"]),
        ticktext=[
            wrap(tag, 16) if table.shape[1] <= FEW_COLUMNS else charts.safe(tag)
            for tag in table.columns
        ],
        # Aslant, names of several lines lie over each other.
        autotickangles=[0, -90],
        side="top",
        showgrid=False,
        automargin=True,
    )
    return charts.layout(fig, 150 + _row_height(table.index) * len(table))


def _cell_text(columns: int) -> str | None:
    """How a cell writes its value; None where there is no room."""
    if columns > TEXT_COLUMNS:
        return None
    return "%{z:.1f}" if columns <= FEW_COLUMNS else "%{z:.0f}"


def differences(
    rows: pd.DataFrame, models: Sequence[tuple[str, str]], order: Sequence[str], reference: str
) -> go.Figure:
    """One line a tag, one marker a model: how far it is from the reference, in points.

    Args:
        rows: As from ``reference.against``.
        models: (id, name on screen) of the chosen models, in the order of the other figures, so
            that each keeps its colour; those without a row are not drawn.
        order: Tags from top to bottom.
        reference: The reference's name on screen.
    """
    title = f"Points above or below {charts.safe(reference)}"
    fig = charts.dots(rows, models, order, axis_title=title)
    words = rows.set_index(["model", "tag"])
    drawn = []
    for trace, (model, name) in zip(fig.data, models, strict=True):
        if model in set(rows["model"]):
            trace.text = [
                _difference_hover(name, tag, words.loc[(model, tag)])
                if (model, tag) in words.index
                else ""
                for tag in order
            ]
            drawn.append(trace)
    fig.data = drawn
    fig.add_vline(x=0, line={"color": charts.GREY, "dash": "dot"})
    return narrow(fig, order)


def narrow(fig: go.Figure, order: Sequence[str]) -> go.Figure:
    """Break long tags into lines, so that a narrow screen keeps room for the marks."""
    fig.update_yaxes(ticktext=[wrap(tag) for tag in order])
    return fig


def narrow_radar(fig: go.Figure) -> go.Figure:
    """Give a radar's spokes short lines and room, and keep its scale clear of the first spoke."""
    for trace in fig.data:
        trace.theta = [
            "<br>".join(textwrap.wrap(label, 12, break_long_words=False)) for label in trace.theta
        ]
    spokes = max(1, len(fig.data[0].theta) - 1)
    fig.update_layout(margin={"l": 88, "r": 88, "t": 60, "b": 40})
    grid = {"gridcolor": FAINT, "linecolor": FAINT, "tickfont": {"size": 11}}
    # A circle at each quarter, but two of them named: four names meet on a narrow screen.
    scale = {"tickvals": [25, 50, 75, 100], "ticktext": ["", "50", "", "100"]}
    fig.update_polars(
        bgcolor="rgba(0,0,0,0)",
        radialaxis={"angle": 90 - 180 / spokes, "tickangle": 0, **scale, **grid},
        angularaxis=grid,
    )
    return fig


def _model_axis(fig: go.Figure, names: Sequence[str]) -> None:
    fig.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=[wrap(name, LONG_NAME) for name in names],
        range=[len(names) - 0.4, -0.6],
        automargin=True,
        zeroline=False,
    )


def _row_height(names: Iterable[str]) -> int:
    """Room for the longest name's lines."""
    return 20 + 13 * max(wrap(name, LONG_NAME).count("<br>") + 1 for name in names)


def model_hover(row: Mapping[str, object]) -> str:
    """What a mark of a model says: name, score, interval, questions."""
    return (
        f"<b>{charts.safe(row['name'])}</b><br>{charts.per_cent(row['score'])} % "
        f"({charts.interval_text(row['low'], row['high'])})<br>{charts.safe(row['n_text'])}"
    )


def _difference_hover(name: str, tag: str, row: pd.Series) -> str:
    return (
        f"<b>{charts.safe(name)}</b><br>{charts.safe(tag)}<br>{100 * row['value']:+.1f} points "
        f"({charts.interval_text(row['low'], row['high'])})<br>{row['verdict']}"
    )
