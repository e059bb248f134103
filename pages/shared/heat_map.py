"""Figures of the correlation page: the heat map of pairs, one pair opened, what one predicts."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.shared import charts
from pages.shared.charts import safe

VERDICT_COLOURS = {
    "well": "#0072B2",
    "fairly": "#56B4E9",
    "poorly": "#E69F00",
    "not or negatively": "#D55E00",
}
MARK = "·"
FEW_GREY = "#BDBDBD"
DARK = 0.6
"""From this |r| on a square is so dark that text on it is white."""
NEARLY_ONE = 0.995
MANY = 15
COLOUR_BAR = {
    "orientation": "h",
    "thickness": 10,
    "len": 0.7,
    "y": 1,
    "yanchor": "bottom",
    "tickvals": [-1, 0, 1],
}


def coefficient(r: float) -> str:
    """A correlation with two decimals, as papers print it; never rounded up to 1."""
    if pd.isna(r):
        return "not defined"
    if NEARLY_ONE <= abs(r) < 1:
        return "above 0.99" if r > 0 else "below −0.99"
    return f"{r + 0:.2f}".replace("-", "−")


def bounds(low: float, high: float) -> str:
    """The interval of a correlation; says so when there is none."""
    if pd.isna(low):
        return "no interval"
    return f"{coefficient(low)} to {coefficient(high)}"


def heat_map(  # noqa: PLR0913  one figure's words
    pairs: pd.DataFrame,
    order: Sequence[str],
    names: Mapping[str, str],
    rows: str,
    few: int = 0,
    sign: str = "r",
) -> go.Figure:
    """A square a pair, red to blue around 0; a dot where the interval covers 0.

    Where pairs rest on different numbers of rows, the number stands in the square.

    A near-transparent point lies over each square: clicks on a heat map are not reported.

    Args:
        pairs: As from ``correlation.matrix``.
        order: The columns in the order of the axes.
        names: Name on screen of each column.
        rows: What the n of a pair counts, for the hover: "models" or "tags".
        few: A square of a pair with fewer rows is grey.
        sign: What the numbers in column r are called.
    """
    square = pairs.pivot(index="a", columns="b", values="r").loc[list(order), list(order)]
    place = {name: position for position, name in enumerate(order)}
    fig = go.Figure()
    fig.add_heatmap(
        z=square.to_numpy(),
        zmin=-1,
        zmax=1,
        zmid=0,
        colorscale="RdBu",
        colorbar={**COLOUR_BAR, "title": {"text": sign, "side": "right"}},
        xgap=1,
        ygap=1,
        hoverinfo="skip",
    )
    counts = pairs.pivot(index="a", columns="b", values="n").loc[list(order), list(order)]
    grey = square.notna() & (counts < few)
    if grey.any(axis=None):
        fig.add_heatmap(
            z=np.where(grey, 1.0, np.nan),
            colorscale=[[0, FEW_GREY], [1, FEW_GREY]],
            showscale=False,
            xgap=1,
            ygap=1,
            hoverinfo="skip",
        )
    fig.add_scatter(**_text_layer(pairs, place, few))
    fig.add_scatter(**_click_layer(pairs, place, names, rows, sign))
    return _square_axes(fig, [names[name] for name in order])


def pair(
    values: pd.DataFrame, labels: Sequence[str], titles: tuple[str, str], kinds: pd.Series
) -> go.Figure:
    """One point a row of the table: its value on two columns, per cent.

    Args:
        values: Two columns, fractions, without gaps.
        labels: Name on screen of each row.
        titles: Names of the two columns.
        kinds: Group of each row, one colour and shape a group.
    """
    fig = go.Figure()
    shown = (values * 100).set_axis(["x", "y"], axis=1).assign(label=list(labels))
    for position, kind in enumerate(dict.fromkeys(kinds)):
        part = shown[(kinds == kind).to_numpy()]
        fig.add_scatter(
            x=part["x"],
            y=part["y"],
            mode="markers",
            name=safe(kind),
            marker={**charts.style(position), "size": 8},
            text=[
                f"<b>{safe(row.label)}</b><br>{safe(titles[0])} {row.x:.1f} %<br>"
                f"{safe(titles[1])} {row.y:.1f} %"
                for row in part.itertuples()
            ],
            hovertemplate="%{text}<extra></extra>",
        )
    fig.update_xaxes(title=f"{safe(titles[0])}, %")
    fig.update_yaxes(title=f"{safe(titles[1])}, %")
    charts.layout(fig, 480)
    return fig.update_layout(legend={"y": -0.22}, dragmode=False)


def predicted(table: pd.DataFrame, names: Mapping[str, str]) -> go.Figure:
    """Forest plot of one benchmark's correlation with each other one, worst first."""
    rows = table.assign(
        label=table["benchmark"].map(names),
        value=table["r"],
        colour=table["verdict"].map(VERDICT_COLOURS).fillna(charts.GREY),
    )
    rows["hover"] = [
        f"<b>{safe(row.label)}</b><br>r {coefficient(row.r)} ({bounds(row.low, row.high)})"
        f"<br>n {row.n} models<br>predicted: {row.verdict}"
        for row in rows.itertuples()
    ]
    fig = charts.forest(rows, axis_title="Correlation r with its 95 % interval", zero=True)
    fig.add_vline(x=0.5, line={"color": charts.GREY, "dash": "dash", "width": 1})
    fig.update_traces(error_x_color=charts.GREY)
    fig.update_xaxes(range=[min(-0.1, rows["low"].min() - 0.05), 1.02])
    fig.update_yaxes(tickfont={"size": 11})
    return fig.update_layout(height=110 + 20 * len(rows))


def uncertain(pairs: pd.DataFrame) -> pd.Series:
    """Whether the interval of a pair covers 0: the data do not say that there is a relation."""
    return (pairs["low"] <= 0) & (pairs["high"] >= 0)


def _text_layer(pairs: pd.DataFrame, place: Mapping[str, int], few: int) -> dict[str, object]:
    """The dots, and the numbers where they differ from square to square."""
    numbers = pairs["n"].nunique() > 1
    shown = pairs if numbers else pairs[uncertain(pairs)]
    mark = uncertain(shown).map({True: MARK, False: ""})
    dark = (shown["r"].abs() >= DARK) & (shown["n"] >= few)
    colours = np.where(dark, "#FFFFFF", np.where(shown["r"].isna(), charts.GREY, "#222222"))
    size = 9 if len(place) > MANY else 11
    return {
        "x": shown["b"].map(place),
        "y": shown["a"].map(place),
        "mode": "text",
        "text": shown["n"].astype(str) + mark if numbers else mark,
        # Squares with a dot are pale in both themes.
        "textfont": {"size": size if numbers else 18, "color": colours},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _click_layer(
    pairs: pd.DataFrame,
    place: Mapping[str, int],
    names: Mapping[str, str],
    rows: str,
    sign: str,
) -> dict[str, object]:
    interval = pairs["low"].notna().any()
    texts = [
        f"<b>{safe(names[row.a])}</b> and <b>{safe(names[row.b])}</b>"
        f"<br>{sign} {coefficient(row.r)}"
        + (f" ({bounds(row.low, row.high)})" if interval and row.a != row.b else "")
        + f"<br>n {row.n} {rows}"
        for row in pairs.itertuples()
    ]
    hidden = {"opacity": 0.01}
    return {
        "x": pairs["b"].map(place),
        "y": pairs["a"].map(place),
        "mode": "markers",
        "marker": {"symbol": "square-open", "size": 18, "color": "#000000", **hidden},
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": hidden},
        "customdata": pairs[["a", "b"]].to_numpy(),
        "text": texts,
        "hovertemplate": "%{text}<extra></extra>",
        "showlegend": False,
    }


def _square_axes(fig: go.Figure, labels: Sequence[str]) -> go.Figure:
    """Name rows and columns; where there are many columns, as many as the screen has room for."""
    many = len(labels) > MANY
    places, names = np.arange(len(labels)), [safe(label) for label in labels]
    shared = {"automargin": True, "showgrid": False, "zeroline": False}
    ends = [len(labels) - 0.5, -0.5]
    size = {"size": 10 if many else 12}
    fig.update_yaxes(tickvals=places, ticktext=names, tickfont=size, range=ends, **shared)
    if many:
        _as_categories(fig, names)
        x = {"type": "category", "tickangle": -90, "tickfont": size}
        x["title"] = "Columns stand in the order of the rows"
    else:
        x = {"tickvals": places, "ticktext": names, "tickangle": -60}
    fig.update_xaxes(**x, **shared, range=ends[::-1])
    charts.layout(fig, 190 + max(240, 18 * len(labels)) + (100 if many else 0))
    return fig.update_layout(dragmode=False, margin={"t": 60})


def _as_categories(fig: go.Figure, names: Sequence[str]) -> None:
    """Give the columns by name: plotly leaves out names of categories that have no room."""
    # An invisible letter keeps columns of one name apart.
    own = [name + "\u200b" * names[:place].count(name) for place, name in enumerate(names)]
    for trace in fig.data:
        trace.x = own if trace.x is None else [own[place] for place in trace.x]
