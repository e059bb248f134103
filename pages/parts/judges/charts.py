"""Figures of the Judges page: agreement, thresholds, corrected scores."""

import textwrap
from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.shared.charts import COLOURS, GREY, SHAPES, error, interval_text, layout, per_cent, safe

LINE = 24
"""Letters of a line of a name beside an axis."""
AGREEMENT = (
    ("accuracy", "Accuracy, %", "circle"),
    ("kappa", "Cohen's kappa x 100", "square-open"),
    ("tau", "Kendall's tau-b x 100", "diamond-open"),
)
SCORES = (
    ("raw", "Raw: what the judge says", "circle-open"),
    ("ppi", "Corrected by each model's own labels", "circle"),
    ("rogan_gladen", "Corrected by one error rate for all", "diamond"),
)


def agreement(rows: pd.DataFrame, labels: list[str]) -> go.Figure:
    """Draw accuracy, kappa and tau with their intervals, one line a judge.

    Args:
        rows: As from ``analysis.agreement.table``.
        labels: What stands beside each row.
    """
    fig = _groups(rows, labels, AGREEMENT)
    fig.add_vline(x=50, line={"color": GREY, "dash": "dot"})
    fig.update_xaxes(dtick=25, range=[min(0, _least(rows, "kappa", "tau")), 102])
    return fig


def corrected(rows: pd.DataFrame, labels: list[str]) -> go.Figure:
    """Draw raw and corrected scores side by side, one line a model.

    Args:
        rows: As ``Corrected.table``.
        labels: What stands beside each row.
    """
    fig = _groups(rows, labels, SCORES)
    fig.update_xaxes(title="Score, %", rangemode="tozero")
    return fig


def curves(by_judge: Mapping[str, pd.DataFrame]) -> go.Figure:
    """Draw accuracy at every threshold, one line a judge.

    Args:
        by_judge: Name of a judge → as from ``analysis.thresholds.curve``.
    """
    fig = go.Figure()
    dashes = ("solid", "dash", "dot", "dashdot")
    for position, (name, rows) in enumerate(by_judge.items()):
        inner = rows[np.isfinite(rows["threshold"])]
        fig.add_scatter(
            x=inner["threshold"],
            y=inner["accuracy"] * 100,
            name=safe(name),
            mode="lines+markers" if len(inner) < 40 else "lines",
            line={
                "color": COLOURS[position % len(COLOURS)],
                "dash": dashes[position % len(dashes)],
                "shape": "hv",
            },
            marker={"symbol": SHAPES[position % len(SHAPES)]},
            hovertemplate=f"{safe(name)}<br>from %{{x:.3f}} on: %{{y:.1f}} %<extra></extra>",
        )
    fig.update_xaxes(title="A score from here on counts as yes")
    fig.update_yaxes(title="Accuracy, %")
    return layout(fig, 380)


def _groups(
    rows: pd.DataFrame, labels: list[str], kinds: tuple[tuple[str, str, str], ...]
) -> go.Figure:
    """One line a row, one marker a kind, a little apart."""
    fig = go.Figure()
    place = np.arange(len(rows))
    for position, (name, title, symbol) in enumerate(kinds):
        own = pd.DataFrame(
            {
                "value": rows[name].to_numpy(float),
                "low": rows[f"{name}_low"].to_numpy(float),
                "high": rows[f"{name}_high"].to_numpy(float),
            }
        )
        fig.add_scatter(
            x=own["value"] * 100,
            y=place + (position - 1) * 0.22,
            name=title,
            mode="markers",
            marker={"color": COLOURS[position], "symbol": symbol, "size": 10},
            error_x=error(own),
            text=[
                f"<b>{safe(label)}</b><br>{title}: {per_cent(row.value)} "
                f"({interval_text(row.low, row.high)})"
                for label, row in zip(labels, own.itertuples(), strict=True)
            ],
            hovertemplate="%{text}<extra></extra>",
        )
    fig.update_yaxes(
        tickvals=list(place),
        # In lines: names of runs are longer than a narrow screen is wide.
        ticktext=["<br>".join(map(safe, textwrap.wrap(label, LINE))) for label in labels],
        range=[len(rows) - 0.5, -0.5],
        automargin=True,
        zeroline=False,
    )
    return layout(fig, 150 + 62 * len(rows))


def _least(rows: pd.DataFrame, *names: str) -> float:
    lowest = np.nanmin([*rows[[f"{name}_low" for name in names]].to_numpy(float).ravel(), 0])
    return float(100 * lowest - 2)
