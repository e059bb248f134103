"""The figure of the Sources page: how well judges agree with people."""

import pandas as pd
import plotly.graph_objects as go

from pages.shared.charts import COLOURS, GREY, error, interval_text, layout, per_cent, safe


def judges(rows: pd.DataFrame) -> go.Figure:
    """Draw accuracy with its interval, and Kendall's tau, one line a judge and variant.

    Args:
        rows: As from ``source_facts.judges``.
    """
    labels = [f"{safe(row.metric)}<br>{safe(row.variant)}" for row in rows.itertuples()]
    fig = go.Figure()
    accuracy = rows.rename(columns={"accuracy": "value"})
    fig.add_scatter(
        x=rows["accuracy"] * 100,
        y=labels,
        name="Accuracy, %",
        mode="markers",
        marker={"color": COLOURS[0], "symbol": "circle", "size": 10},
        error_x=error(accuracy),
        text=[_hover(row) for row in rows.to_dict("records")],
        hovertemplate="%{text}<extra></extra>",
    )
    fig.add_scatter(
        x=rows["tau"] * 100,
        y=labels,
        name="Kendall's tau x 100",
        mode="markers",
        marker={"color": COLOURS[1], "symbol": "diamond-open", "size": 11, "line": {"width": 2}},
        text=[_hover(row) for row in rows.to_dict("records")],
        hovertemplate="%{text}<extra></extra>",
    )
    fig.add_vline(x=50, line={"color": GREY, "dash": "dot"})
    fig.add_annotation(
        x=50, y=1, yref="paper", yanchor="bottom", text="a coin's accuracy", showarrow=False
    )
    fig.update_yaxes(autorange="reversed", automargin=True, type="category")
    fig.update_xaxes(range=[0, 100], dtick=25)
    return layout(fig, 130 + 40 * len(rows))


def _hover(row: dict[str, object]) -> str:
    value = {name: float(str(row[name])) for name in ("accuracy", "low", "high", "tau", "n")}
    source = "the paper" if row["in_paper"] else "the authors' own table"
    return (
        f"<b>{safe(row['metric'])}</b><br>{safe(row['variant'])}<br>"
        f"accuracy {per_cent(value['accuracy'])} % "
        f"({interval_text(value['low'], value['high'])})<br>"
        f"Kendall's tau {value['tau'] * 100:.1f} of 100 (no interval)<br>"
        f"{value['n']:.0f} human labels, printed in {source}"
    )
