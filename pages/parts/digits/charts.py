"""Figures of the Digits page: models by place, medians, set-ups from top-1 to top-5."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from evalcore.contrastive.digits import NETWORK
from pages.shared import charts
from pages.shared.charts import COLOURS, GREY, interval_text, n_text, per_cent, safe

LINE = COLOURS[7]
DASHES = ("dot", "dash", "longdash")


def by_place(
    rows: pd.DataFrame, titles: Mapping[str, str], marked: Sequence[tuple[str, str]]
) -> go.Figure:
    """Draw every model's score by its place, a line of dots a benchmark, with what guessing scores.

    Args:
        rows: ``Published.rows``.
        titles: Name on screen of each benchmark.
        marked: (id, name on screen) of models to ring.
    """
    fig = go.Figure()
    for position, (benchmark, title) in enumerate(titles.items()):
        own = rows[rows["benchmark"] == benchmark]
        fig.add_scatter(
            x=own["rank"],
            y=own["value"] * 100,
            mode="markers",
            marker={**charts.style(position), "size": 6},
            error_y=charts.error(own) | {"width": 0, "thickness": 1},
            text=[_place_text(row, len(own)) for row in own.to_dict("records")],
            hovertemplate="%{text}<extra></extra>",
            name=safe(title),
        )
    for position, (model, name) in enumerate(marked, len(titles)):
        own = rows[rows["model"] == model]
        look = charts.style(position)
        fig.add_scatter(
            x=own["rank"],
            y=own["value"] * 100,
            mode="markers",
            marker={
                "symbol": f"{look['symbol']}-open", "size": 17,
                "line": {"width": 3, "color": look["color"]}, "color": look["color"],
            },
            text=[_place_text(row, 0) for row in own.to_dict("records")],
            hovertemplate="%{text}<extra></extra>",
            name=safe(name),
        )  # fmt: skip
    last = float(rows["rank"].max())
    guesses = rows.groupby("chance", sort=True)["benchmark"].unique()
    for dash, (chance, names) in zip(DASHES, guesses.items(), strict=False):
        of = ", ".join(title for name, title in titles.items() if name in names)
        _level(fig, float(chance), last, f"guessing: {of}", {"color": GREY, "dash": dash})
    if "mnist" in titles:
        _level(fig, NETWORK, last, "network with two layers: MNIST", {"color": LINE, "width": 2})
    fig.update_xaxes(title="Place among the models, best first", rangemode="tozero")
    fig.update_yaxes(title="Accuracy, %", range=[0, 101])
    charts.layout(fig, 520)
    return fig.update_layout(legend={"y": -0.18}, dragmode=False)


def medians(table: pd.DataFrame, titles: Mapping[str, str]) -> go.Figure:
    """Draw the median model on each benchmark with quarters, range, guessing and the network.

    Args:
        table: As from ``gains.against_chance``.
        titles: Name on screen of each benchmark, from top to bottom.
    """
    rows = table.set_index("benchmark").loc[list(reversed(titles))].reset_index()
    fig = charts.medians(rows, titles)
    if "mnist" in titles:
        fig.add_scatter(
            x=[100 * NETWORK],
            y=[safe(titles["mnist"])],
            mode="markers",
            marker={"symbol": "star", "size": 13, "color": LINE},
            hovertemplate="network with two layers: %{x:.0f} %<extra></extra>",
            name="network with two layers",
        )
    charts.layout(fig, 190 + 34 * len(rows))
    return fig.update_xaxes(range=[0, 103]).update_layout(legend={"y": -0.45})


def setups(study: pd.DataFrame) -> go.Figure:
    """Draw one line a set-up, from top-1 to top-5, each with its interval and what guessing scores.

    Args:
        study: As from ``studies.ranked``.
    """
    fig = go.Figure()
    order = list(dict.fromkeys(study["setup"]))
    place = {name: number for number, name in enumerate(order)}
    known = study[study["chance"].notna()]
    looks = [charts.style(k - 1)["color"] for k in known["k"]]
    fig.add_scatter(
        x=known["chance"] * 100,
        y=known["setup"].map(place) + 0.28,
        mode="markers+text",
        marker={"symbol": "line-ns-open", "size": 9, "color": looks, "line": {"width": 3}},
        text=known["k"].astype(str),
        textposition="bottom center",
        textfont={"color": GREY, "size": 10},
        hovertext=[
            f"guessing, top-{k}: {per_cent(chance)} %"
            for k, chance in zip(known["k"], known["chance"], strict=True)
        ],
        hovertemplate="%{hovertext}<extra></extra>",
        name="guessing, for each top",
    )
    for k, rows in study.groupby("k", sort=True):
        fig.add_scatter(
            x=rows["value"] * 100,
            y=rows["setup"].map(place),
            mode="markers",
            marker={**charts.style(int(str(k)) - 1), "size": 10},
            error_x=charts.error(rows),
            text=[_setup_text(row) for row in rows.to_dict("records")],
            hovertemplate="%{text}<extra></extra>",
            name=f"top-{k}",
        )
    if study["benchmark"].eq("mnist").all():
        fig.add_scatter(
            x=[100 * NETWORK] * 2,
            y=[-0.5, len(order) - 0.5],
            mode="lines",
            line={"color": LINE, "width": 2},
            hovertemplate="network with two layers: %{x:.0f} % (top-1)<extra></extra>",
            name="network with two layers, top-1",
        )
    fig.update_yaxes(
        tickvals=np.arange(len(order)),
        ticktext=[safe(name).replace(", ", "<br>", 1) for name in order],
        range=[len(order) - 0.4, -0.6],
        automargin=True,
        zeroline=False,
    )
    fig.update_xaxes(title="Right answer among the first, %", range=[0, 102], dtick=20)
    charts.layout(fig, 190 + 62 * len(order))
    return fig.update_layout(dragmode=False)


def _level(fig: go.Figure, value: float, last: float, name: str, line: dict[str, object]) -> None:
    fig.add_scatter(
        x=[0, last + 1],
        y=[100 * value] * 2,
        mode="lines",
        line=line,
        name=safe(name),
        hovertemplate=f"{safe(name)}: %{{y:.1f}} %<extra></extra>",
    )


def _place_text(row: dict[str, object], of: int) -> str:
    place = f"place {row['rank']}" + (f" of {of}" if of else "")
    return f"<b>{safe(row['name'])}</b><br>{safe(row['title'])}, {place}<br>{_numbers(row)}"


def _setup_text(row: dict[str, object]) -> str:
    return f"<b>{safe(row['setup'])}</b><br>top-{row['k']}: {_numbers(row)}"


def _numbers(row: dict[str, object]) -> str:
    value, low, high, n = (float(str(row[name])) for name in ("value", "low", "high", "n"))
    return f"{per_cent(value)} % ({interval_text(low, high)}), {n_text(n)}"
