"""Figures of the Distilled page: error by size of set, medians against chance, relative gains."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.shared import charts
from pages.shared.charts import safe

OURS, RANDOM = charts.COLOURS[0], charts.GREY
OTHERS = charts.COLOURS[1:]
ABOVE, NOT_ABOVE = charts.COLOURS[0], charts.COLOURS[1]


def by_size(
    path: pd.DataFrame,
    random: pd.DataFrame,
    others: pd.DataFrame,
    names: Mapping[str, str],
    size: int,
) -> go.Figure:
    """Honest error by size of set, with random sets as a band and other sets as points.

    Args:
        path: As from ``distillation.path``.
        random: As from ``distillation.random_sets``.
        others: Sets to compare with: label, size, error, low, high.
        names: Name on screen of each benchmark.
        size: The size to mark.
    """
    fig = go.Figure()
    _draw_random(fig, random)
    rows = path.assign(value=path["honest_error"], low=path["honest_low"], high=path["honest_high"])
    fig.add_scatter(
        x=rows["size"],
        y=rows["value"] * 100,
        mode="lines+markers",
        line={"color": OURS},
        marker={"size": [14 if frame == size else 8 for frame in rows["size"]], "symbol": "circle"},
        error_y=charts.error(rows),
        text=[f"+ {safe(names[frame])}" for frame in rows["benchmark"]],
        hovertemplate="ours, %{x}: %{text}<br>%{y:.2f} points<extra></extra>",
        name="ours",
    )
    for place, row in enumerate(others.to_dict("records"), 1):
        look = charts.style(place)
        frame = pd.DataFrame([row]).rename(columns={"error": "value"})
        fig.add_scatter(
            x=frame["size"],
            y=frame["value"] * 100,
            mode="markers",
            marker={**look, "size": 11},
            error_y=charts.error(frame),
            name=safe(row["label"]),
            hovertemplate=f"{safe(row['label'])}<br>%{{y:.2f}} points<extra></extra>",
        )
    most = max(path["size"].max(), others["size"].max())
    fig.update_xaxes(title="Benchmarks in the set", dtick=1, range=[0.5, most + 0.5])
    fig.update_yaxes(title="Held-out error, points", rangemode="tozero")
    # A large share of the band lies far above what matters.
    drawn = [others["high"], others["error"], path["honest_high"], path["honest_error"]]
    fig.update_yaxes(range=[0, 160 * np.nanmax(np.concatenate(drawn))])
    charts.layout(fig, 480)
    return fig.update_layout(legend={"y": -0.2}, dragmode=False)


def relative_gains(table: pd.DataFrame, reference: str) -> go.Figure:
    """Forest plot of how much more each group gains than the reference does.

    Args:
        table: As from ``gains.gains``.
        reference: Name of the reference on screen.
    """
    rows = table.assign(
        label=table["tag"],
        value=table["relative"] * 100,
        low=table["relative_low"] * 100,
        high=table["relative_high"] * 100,
    )
    rows["colour"] = np.where(rows["high"] < 0, NOT_ABOVE, np.where(rows["low"] > 0, ABOVE, RANDOM))
    rows["hover"] = [
        f"<b>{safe(row['tag'])}</b><br>gains {100 * row['gain']:.1f} points<br>"
        f"{row['value']:+.1f} points to {safe(reference)}"
        for row in rows.to_dict("records")
    ]
    title = f"Points more than {safe(reference)} gains"
    fig = charts.forest(rows, axis_title=title, zero=True)
    fig.update_traces(error_x_color=charts.GREY)
    return fig.update_layout(dragmode=False)


def _draw_random(fig: go.Figure, random: pd.DataFrame) -> None:
    """A band from 5 to 95 % of the random sets of each size, and their median."""
    bands = [*random["high"], *random["low"][::-1]]
    fig.add_scatter(
        x=[*random["size"], *random["size"][::-1]],
        y=np.array(bands) * 100,
        fill="toself",
        fillcolor="rgba(138, 138, 138, 0.25)",
        line={"width": 0},
        hoverinfo="skip",
        name="random sets, 5 to 95 %",
    )
    fig.add_scatter(
        x=random["size"],
        y=random["error"] * 100,
        mode="lines",
        line={"color": RANDOM, "dash": "dash"},
        name="random sets, median",
        hovertemplate="random sets of %{x}: %{y:.2f} points<extra></extra>",
    )
