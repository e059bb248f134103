"""Compare page: is one model really better than another, on what, and what separates them."""

import json

import pandas as pd
import streamlit as st

from evalcore.analysis import resample
from evalcore.suites import suite
from evalcore.suites.item_results import ItemResults
from pages.parts.compare import charts as drawing
from pages.parts.compare import comparison as parts
from pages.parts.compare import options, routing, unscored, words
from pages.parts.compare.comparison import Comparison
from pages.shared import agreement, frame, links
from pages.shared.charts import per_cent
from pages.shared.controls import SidebarState
from pages.shared.results import in_session
from pages.shared.text import paragraphs, plain

MOST, MODELS = 4, 2
"""Entries at once, and how many are there to begin with."""
NAME = st.column_config.TextColumn(width="medium")
"""A longer name would push the last columns out of sight."""
SHOWN = 100
"""Questions of a list on screen; the file has them all."""


def choose(choice: SidebarState) -> tuple[ItemResults, str, list[str]] | None:
    """Ask for the benchmark, its metric and two to four of its runs."""
    known = choice.store.evidence_benchmarks("compare")
    if not known:
        st.info(
            "No run with single questions is in the store yet. Run two models on one benchmark (in "
            "the sidebar under Evaluate a model, or by the command evalcore run) and compare them."
        )
        return None
    left, right = st.columns(2)
    benchmark = left.selectbox("Benchmark", known, key="compare_benchmark", bind="query-params")
    evidence = choice.store.evidence(benchmark)
    scored = evidence.entries[evidence.scores.notna().any().reindex(evidence.entries.index)]
    metrics = [metric for metric in evidence.metrics() if (scored["metric"] == metric).any()]
    if not metrics:
        silent = unscored.silent(evidence)
        st.info(plain(f"Nothing of this benchmark has a score yet. {silent}"))
        return None
    metric = right.selectbox(
        "Scored by", metrics, key=f"compare_metric_{benchmark}", bind="query-params"
    )
    if silent := unscored.silent(evidence, metric):
        frame.say(silent)
    labels = evidence.labels()
    mine = list(scored.index[scored["metric"] == metric])
    entries = st.multiselect(
        "Models or runs, two to four; the others are compared with the first",
        mine,
        default=_first(evidence, mine),
        format_func=lambda entry: labels[entry],
        max_selections=MOST,
        select_all=False,  # it would take the first four and call them all
        key=f"compare_entries_{benchmark}_{metric}",
        bind="query-params",
    )
    if len(mine) < MODELS:
        st.info(plain(words.alone(evidence, mine)))
        return None
    frame.say(words.chosen(evidence, mine, entries))
    if len(entries) < MODELS:
        st.info("Choose two models or runs.")
        return None
    if evidence.entries.loc[entries, "demo"].all():
        st.caption("Demo: these runs of toy models ship with Sextant and show how the page works.")
    return evidence, metric, entries


def _first(evidence: ItemResults, entries: list[str]) -> list[str]:
    """Two to begin with: one's own first, of two models if there are, with most scores."""
    order = {"by": ["demo", "n_scored"], "ascending": [True, False], "kind": "stable"}
    rows = evidence.entries.loc[entries].sort_values(**order)
    if rows["model"].nunique() < MODELS:
        return list(rows.index[:MODELS])
    plain = rows["settings"].map(lambda text: sum(v is not None for v in json.loads(text).values()))
    groups = rows.assign(plain=plain).groupby("model", sort=False)
    chosen = groups.apply(lambda name: name.sort_values("plain", kind="stable").index[0])
    return list(chosen.iloc[:MODELS])


def show_differences(comparison: Comparison, correction: str, margin: float) -> None:
    """Sentences, then the forest plot over all questions and by tag."""
    rows = parts.judged(comparison, correction, margin)
    sentences = words.headline(comparison, rows, margin)
    if len(comparison.entries) > 2:
        sentences.append(words.best(comparison))
    st.info(paragraphs(sentences), icon=":material/balance:")
    if left_out := unscored.left_out(comparison):
        frame.say(left_out)
    st.subheader("By kind of question", divider="gray")
    twin = pd.DataFrame(
        {
            "Questions": rows["group"].map(drawing.group_name),
            "Model": rows["entry"].map(comparison.names),
            "Difference, points": 100 * rows["difference"],
            "Low, points": 100 * rows["low"],
            "High, points": 100 * rows["high"],
            "Sampling error, points": 100 * rows["se"],
            "Judge's spread, points": 100 * rows["judge_se"],
            "Its score, %": 100 * rows["score"],
            "First, %": 100 * rows["reference_score"],
            "p": rows["p"].map(words.p_value_text),
            "p, corrected": rows["p_adjusted"].map(words.p_value_text),
            "Within the margin": rows["verdict"],
            "n": rows["n"],
            "Sources": rows["clusters"],
        }
    )
    caption = (
        f"Difference to {comparison.names[comparison.reference]}; the band is what does not matter."
    )
    if rows["judge_se"].gt(0).any():
        caption += (
            " The judge's spread over its repeats is added to the sampling error in quadrature."
        )
    st.caption(plain(caption))
    fig = drawing.differences(rows, comparison.names, margin)
    frame.figure(fig, words.by_tag(comparison, rows, correction), twin, "compare_differences")
    if len(comparison.entries) > 2:
        show_standings(comparison)


def show_standings(comparison: Comparison) -> None:
    """All entries ranked, with simultaneous intervals."""
    table = comparison.standings
    ends = zip(table["behind_low"], table["behind_high"], strict=True)
    ranks = zip(table["rank_low"], table["rank_high"], strict=True)
    shown = pd.DataFrame(
        {
            "Model": [comparison.names[entry] for entry in table.index],
            "Score, %": 100 * table["score"],
            "Behind the first, points": 100 * table["behind"],
            "95 %, all at once": [drawing.between(low, high) for low, high in ends],
            "May be the best": table["tied"],
            "Chance to be the best": table["p_best"].map(words.likely),
            "Rank": ["–" if pd.isna(low) else f"{low:.0f} to {high:.0f}" for low, high in ranks],
        }
    )
    shown.loc[shown.index[:1], "95 %, all at once"] = "–"
    st.dataframe(
        shown,
        hide_index=True,
        column_config=frame.one_decimal(shown),
        key="compare_standings",
    )
    if comparison.left:
        st.caption(plain(f"Chances and ranks hold{unscored.there(comparison)}."))


def show_outcomes(comparison: Comparison) -> None:
    """Both, one or none right; then the questions that only one gets right."""
    st.subheader("Who is right where the other is wrong", divider="gray")
    rows = []
    for entry in comparison.others:
        outcomes = comparison.outcomes(entry)
        n = outcomes.both + outcomes.only_a + outcomes.only_b + outcomes.neither
        rows.append(
            (
                comparison.names[entry],
                outcomes.both,
                outcomes.only_a,
                outcomes.only_b,
                outcomes.neither,
                n,
                outcomes.p,
            )
        )
    columns = ["name", "both", "only_other", "only_reference", "neither", "n", "p"]
    table = pd.DataFrame(rows, columns=columns)
    first = comparison.names[comparison.reference]
    titles = ["Model", "Both right", "Only it", f"Only {first}", "Neither", "n", "p (McNemar)"]
    sentences = " ".join(words.outcomes(comparison))
    if not comparison.binary:
        sentences += " A graded score counts as right from 0.5 on."
    twin = table.assign(p=table["p"].map(words.p_value_text)).set_axis(titles, axis=1)
    frame.figure(drawing.outcomes(table, first), sentences, twin, "compare_outcomes")
    show_alone(comparison)


def show_alone(comparison: Comparison) -> None:
    """The questions that only one gets right, each a link to its sample."""
    metric = comparison.evidence.entries.loc[comparison.reference, "metric"]
    entry = st.selectbox(
        "Questions that only this one gets right",
        comparison.entries,
        format_func=lambda name: comparison.names[name],
        key=links.possible(
            f"compare_only_{comparison.evidence.benchmark}_{metric}", comparison.entries
        ),
        bind="query-params",
    )
    items = parts.only_right(comparison, entry)
    table = parts.alone_table(comparison, items)
    frame.say(
        f"{comparison.names[entry]} alone is right on {len(items):,} of "
        f"{len(comparison.scores):,} questions"
        + (f"; the first {SHOWN} are shown." if len(items) > SHOWN else ".")
    )
    if not len(items):
        return
    samples = [parts.sample_link(comparison, item) for item in items]
    st.dataframe(
        table.assign(item=samples).head(SHOWN),
        hide_index=True,
        placeholder="–",
        column_config={
            "item": st.column_config.LinkColumn("Sample", display_text="Open", width="small")
        },
        key="compare_alone",
    )
    st.download_button(
        "CSV",
        frame.to_csv(table),
        file_name="compare_alone.csv",
        mime="text/csv",
        key="compare_alone_csv",
        on_click="ignore",
    )


def show_answering(comparison: Comparison) -> None:
    """Cost, time, length, refusals and errors of each entry, after its score."""
    st.subheader("What the answers cost, and how they look", divider="gray")
    table = parts.scoreboard(comparison)
    frame.say(words.answering(table))
    show_scores(comparison, table)
    st.dataframe(
        pd.DataFrame(
            {
                "Model": table["name"],
                "Failed": table["errors"],
                "Refusals": table["refusals"],
                "$ per 1,000": (1000 * table["usd"]).round(4),
                "$ known for": table["usd_known"],
                "Seconds": table["seconds"].round(3),
                "95 of 100": table["slow"].round(3),
                "Characters": table["characters"],
                "Tokens": table["tokens_out"].round(1),
            }
        ),
        hide_index=True,
        placeholder="–",
        column_config={"Model": NAME},
        key="compare_answering",
    )
    st.caption(
        f"Of {len(comparison.asked):,} answers each. "
        "Seconds and characters: the median, and the seconds "
        "that 95 of 100 answers stay below. Tokens: written, the mean."
    )


def show_scores(comparison: Comparison, table: pd.DataFrame) -> None:
    """The score of each entry, and what its unscored questions leave open."""
    ends = zip(table["low"], table["high"], strict=True)
    scores = pd.DataFrame(
        {
            "Model": table["name"],
            "Score, %": 100 * table["score"],
            "95 %": [
                "no interval" if pd.isna(low) else f"{per_cent(low)} to {per_cent(high)}"
                for low, high in ends
            ],
            "n": table["n"],
            "Unscored": table["unscored"],
        }
    )
    if comparison.left:
        scores = scores.assign(
            **{
                "Its own, %": 100 * table["own"],
                "Its own n": table["own_n"],
                "If wrong, %": 100 * table["worst"],
                "If right, %": 100 * table["best"],
            }
        )
    st.dataframe(
        scores,
        hide_index=True,
        placeholder="–",
        column_config=frame.one_decimal(scores) | {"Model": NAME},
        key="compare_scores",
    )
    st.caption(plain(words.scores(comparison)))


def show_together(choice: SidebarState, comparison: Comparison, metric: str) -> None:
    """Pairs question by question, and the routing table."""
    evidence = comparison.evidence
    st.subheader("Do they fail on the same questions?", divider="gray")
    models, _ = suite.split_models(choice.store.table("models"), choice.models)
    about = evidence.entries
    mine = about[(about["metric"] == metric) & about["model"].isin(models)].index
    about_it = (choice.store.version, evidence.benchmark, tuple(comparison.entries), tuple(mine))
    together = in_session(
        ("together", *about_it),
        lambda: agreement.together(evidence, comparison.entries, list(mine)),
    )
    if sentence := agreement.left_out(evidence, together, metric, list(mine)):
        frame.say(sentence)
    fig = agreement.pair_map(together)
    twin = agreement.pair_table(together)
    frame.figure(fig, " ".join(agreement.words(together)), twin, "compare_pairs")
    if comparison.axis:
        routing.show(choice, comparison, metric)


with frame.page(
    "Compare",
    "Helps to decide whether one model is really better than another, and on what.",
    counted=False,
) as choice:
    if chosen := choose(choice):
        evidence, metric, entries = chosen
        asked = options.ask(evidence, choice.store.version)
        comparison = parts.compare(
            evidence, entries, asked.axis, choice.store.version, asked.strata
        )
        if comparison.scores.empty:
            st.warning(
                "There is no question that all of them have a score for, so they do not compare. "
                "Choose runs that asked the same questions."
            )
        else:
            show_differences(comparison, asked.correction, asked.margin)
            show_outcomes(comparison)
            show_answering(comparison)
            show_together(choice, comparison, metric)
            within = f", within {options.title(asked.strata)}" if asked.strata else ""
            caption = f"Resampled {resample.RESAMPLES:,} times by source of question{within}."
            st.caption(plain(caption))
