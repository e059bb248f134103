"""What stands behind a source's numbers: counts, intervals and gaps, as frames and sentences."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from evalcore.analysis import estimates, intervals, profiles
from evalcore.suites import suite
from pages.shared.charts import COLOURS, GREY, error, interval_text, layout, per_cent, safe

OTHER_TABLES = ("groups", "ratios", "representatives", "judges")
"""Tables of printed figures that are not scores of models."""

METRICS = {
    "goeval": "GoEval",
    "goeval-mini": "GoEval-mini",
    "bertscore-precision": "BERTScore precision",
    "bertscore-recall": "BERTScore recall",
    "bertscore-f1": "BERTScore F1",
    "rouge-l": "ROUGE-L",
}
"""Metric of the judge validation to its name on screen."""

JUDGES = {"gpt-4o": "GPT-4o", "gpt-4o-mini": "GPT-4o mini"}

MISSING = (
    "Answers to single questions: no published table here gives them, so the interval of such a "
    "score comes from its mean and its number of questions. Only models that are run here are "
    "compared question by question.",
    "Prices: some providers state none for a model. A cost that nobody states is unknown, never "
    "zero.",
    "The time that an answer takes: unknown of a published model until you state it or run it.",
    "MM-Vet v2: the number of questions behind each capability and each combination is not "
    "published, so only its total has an interval.",
    "UniBench: no score of a single model is printed, so it can rank nobody; its group summaries "
    "are on the Scaling page.",
    "Human labels behind the judges: only the agreement figures are published, so an interval of "
    "Kendall's tau cannot be given.",
)
"""What the numbers lack, one sentence each."""


def counts(
    sources: pd.DataFrame, scores: pd.DataFrame, tables: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    """Count what the store holds from each source.

    Args:
        sources: One row a source.
        scores: Every score of the store.
        tables: models, benchmarks, errata and those of ``OTHER_TABLES``, whole.

    Returns:
        Indexed by source: scores, models, benchmarks, tags (of its scores), others (printed
        figures that are no model's score), model_facts, benchmark_facts, errata.
    """
    own = scores.groupby("source")
    tagged = scores[scores["tag"] != profiles.TOTAL].drop_duplicates(["source", "axis", "tag"])
    scored = {
        "scores": own.size(),
        "models": own["model"].nunique(),
        "benchmarks": own["benchmark"].nunique(),
        "tags": tagged.groupby("source").size(),
    }
    rows = [_told(tables, source) for source in sources["source"]]
    facts = pd.DataFrame(rows, index=pd.Index(sources["source"], name="source"))
    table = pd.DataFrame(scored).reindex(facts.index).fillna(0).astype(int)
    return pd.concat([table, facts], axis=1)


def _told(tables: Mapping[str, pd.DataFrame], source: str) -> dict[str, int]:
    def of(name: str) -> int:
        return int((tables[name]["source"] == source).sum())

    return {
        "others": sum(of(name) for name in OTHER_TABLES),
        "model_facts": of("models"),
        "benchmark_facts": of("benchmarks"),
        "errata": of("errata"),
    }


def interval_lines(data: suite.SuiteData) -> list[str]:
    """Say how the intervals of a suite come about, one sentence an axis that it stores."""
    usable = data.scores[~data.scores["suspect"].astype(bool)]
    stored = [axis for axis in suite.axes(data) if axis in set(usable["axis"])]
    titles = data.axes.set_index("axis")["title"]
    rows = estimates.estimated(estimates.with_items(usable, data.benchmarks))
    overall = rows["tag"] == profiles.TOTAL
    lines = [
        _axis_line(str(titles[axis]), rows[(rows["axis"] == axis) & ~overall]) for axis in stored
    ]
    lines += [_axis_line("Total", profiles.totals(data.scores))] if overall.any() else []
    return lines + ([GROUPED] if len(stored) < len(data.axes) else [])


GROUPED = (
    "Means over a type or a capability add up the errors of their benchmarks. Such an interval "
    "covers the questions, not the choice of benchmarks; a group with a benchmark that has no "
    "interval has none."
)


def _axis_line(title: str, cells: pd.DataFrame) -> str:
    known = cells[cells["low"].notna()]
    if known.empty:
        return (
            f"{title}: no interval for any of {len(cells):,} results, because n is not published."
        )
    methods = known["method"].value_counts()
    if len(methods) == 1:
        how = methods.index[0]
    else:
        how = "; ".join(f"{method} for {count:,}" for method, count in methods.items())
    ending = ""
    if len(known) < len(cells):
        ending = " The others have no n, or a metric that is no share of right answers."
    return (
        f"{title}: {len(known):,} of {len(cells):,} results have an interval. It is {how}.{ending}"
    )


def held(counted: pd.Series) -> str:
    """Say in words what the store holds of a source (a row of ``counts``)."""
    parts = [
        f"{counted[name]:,} {singular if counted[name] == 1 else many}"
        for name, singular, many in (
            ("scores", "score", "scores"),
            ("models", "model scored", "models scored"),
            ("benchmarks", "benchmark", "benchmarks"),
            ("tags", "tag", "tags"),
            ("others", "other printed figure", "other printed figures"),
            ("model_facts", "model described", "models described"),
            ("benchmark_facts", "benchmark described", "benchmarks described"),
        )
        if counted[name]
    ]
    if not parts:
        return "In the store: no row of its own; its facts stand in rows of other sources."
    return f"In the store: {', '.join(parts)}."


def judges(table: pd.DataFrame) -> pd.DataFrame:
    """Ready the judge validation to draw.

    Returns:
        One row a judge and variant, best tau first: metric, variant (what it sees), accuracy,
        low, high (95 % Wilson interval of the accuracy), tau, n, in_paper, note.
    """
    low, high = intervals.wilson(table["accuracy"], table["n"])
    frame = pd.DataFrame(
        {
            "metric": [_metric(row.metric, row.judge) for row in table.itertuples(index=False)],
            "variant": [
                _variant(row.with_reference, row.with_image)
                for row in table.itertuples(index=False)
            ],
            "accuracy": table["accuracy"],
            "low": low,
            "high": high,
            "tau": table["kendall_tau"],
            "n": table["n"],
            "in_paper": table["printed_in_paper"].astype(bool),
            "note": table["note"],
        }
    )
    return frame.sort_values("tau", ascending=False, kind="stable", ignore_index=True)


def _metric(metric: str, judge: object) -> str:
    name = METRICS.get(metric, metric)
    return f"{name} ({JUDGES.get(str(judge), judge)})" if judge and pd.notna(judge) else name


def _variant(reference: bool, image: bool) -> str:
    seen = [name for name, sees in (("references", reference), ("image", image)) if sees]
    return f"sees {' and '.join(seen)}" if seen else "sees neither references nor image"


def judge_summary(rows: pd.DataFrame) -> str:
    """Say what the judge validation shows, with its figures taken from the rows."""
    blind, seeing = _one(rows, "references"), _one(rows, "references and image")
    sentence = f"Agreement with {rows['n'].max():.0f} human labels."
    if blind is not None and seeing is not None:
        sentence += (
            f" With references, {blind['metric']} agrees better without the image "
            f"({100 * blind['accuracy']:.1f} %) than with it ({100 * seeing['accuracy']:.1f} %)."
        )
    worst = rows[rows["accuracy"] < _COIN]
    worst = worst[worst["metric"].str.startswith("BERTScore")]
    if len(worst):
        sentence += (
            f" BERTScore's printed accuracy of {100 * worst['accuracy'].max():.1f} % is far below "
            "a coin's 50 %, so it cannot be an agreement; use its tau."
        )
    return sentence


_COIN = 0.5


def _one(rows: pd.DataFrame, seen: str) -> pd.Series | None:
    table = rows[rows["metric"].str.startswith("GoEval-mini") & (rows["variant"] == f"sees {seen}")]
    return table.iloc[0] if len(table) == 1 else None


def agreement_chart(rows: pd.DataFrame) -> go.Figure:
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
        text=[_agreement_hover(row) for row in rows.to_dict("records")],
        hovertemplate="%{text}<extra></extra>",
    )
    fig.add_scatter(
        x=rows["tau"] * 100,
        y=labels,
        name="Kendall's tau x 100",
        mode="markers",
        marker={"color": COLOURS[1], "symbol": "diamond-open", "size": 11, "line": {"width": 2}},
        text=[_agreement_hover(row) for row in rows.to_dict("records")],
        hovertemplate="%{text}<extra></extra>",
    )
    fig.add_vline(x=50, line={"color": GREY, "dash": "dot"})
    fig.add_annotation(
        x=50, y=1, yref="paper", yanchor="bottom", text="a coin's accuracy", showarrow=False
    )
    fig.update_yaxes(autorange="reversed", automargin=True, type="category")
    fig.update_xaxes(range=[0, 100], dtick=25)
    return layout(fig, 130 + 40 * len(rows))


def _agreement_hover(row: dict[str, object]) -> str:
    value = {name: float(str(row[name])) for name in ("accuracy", "low", "high", "tau", "n")}
    source = "the paper" if row["in_paper"] else "the authors' own table"
    return (
        f"<b>{safe(row['metric'])}</b><br>{safe(row['variant'])}<br>"
        f"accuracy {per_cent(value['accuracy'])} % "
        f"({interval_text(value['low'], value['high'])})<br>"
        f"Kendall's tau {value['tau'] * 100:.1f} of 100 (no interval)<br>"
        f"{value['n']:.0f} human labels, printed in {source}"
    )
