"""A routing table from the runs of a benchmark, under the limits and costs of the recommender."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from evalcore.analysis import complement, routing
from evalcore.decision.eligible import MEASURED, EligibleRuns
from evalcore.suites.item_results import ItemResults

SEED = 20261130
"""Folds are the same at every look."""
MOST = 20
"""Entries that are compared together."""
KEEPS = 0.8
"""Another entry joins as long as so much of the chosen ones' questions is common to all."""
UNPRICED = "No run of known cost meets the limits, and one of unknown cost is within no budget."
LEAST_KNOWN = 0.5
"""Share of a run's answers whose cost has to be known."""


def pool(evidence: ItemResults, chosen: Sequence[str], allowed: Sequence[str]) -> pd.DataFrame:
    """Take the chosen entries and as many others as share most of their questions.

    Args:
        evidence: Of the benchmark.
        chosen: Entries that are in at any rate; without any those that share most.
        allowed: Entries that may join.

    Returns:
        The scores on their common items, items x entries.
    """
    waiting = [entry for entry in allowed if entry not in chosen]
    taken = list(chosen) or complement.sharing(evidence.scores[waiting])[:MOST] or waiting[:1]
    scores = evidence.scores[taken].dropna()
    least = KEEPS * len(scores)
    filled = evidence.scores.loc[scores.index].notna()
    common = np.ones(len(scores), dtype=bool)
    waiting = [entry for entry in waiting if entry not in taken]
    counts = filled.sum().to_dict()
    for entry in sorted(waiting, key=lambda entry: -counts[entry]):
        both = common & filled[entry].to_numpy()
        if len(taken) < MOST and both.sum() >= max(least, 1):
            taken.append(entry)
            common = both
    return evidence.scores.loc[scores.index[common], taken]


def measured(evidence: ItemResults, entries: Sequence[str]) -> pd.DataFrame:
    """What the runs themselves tell: index entry; usd (per 1,000 questions), usd_n, seconds.

    A cost that is known of fewer than ``LEAST_KNOWN`` of a run's answers counts as unknown: calls
    that failed cost nothing, and say nothing of the others.
    """
    runs = evidence.entries.loc[list(entries), "run"]
    answers = evidence.answers[["run", "usd", "seconds"]]
    answers = answers[answers["run"].isin(runs)].astype({"usd": float, "seconds": float})
    table = answers.groupby("run").agg(
        usd=("usd", "mean"), usd_n=("usd", "count"), n=("usd", "size"), seconds=("seconds", "mean")
    )
    table = table.reindex(runs).set_axis(runs.index, axis=0)
    enough = table["usd_n"] >= LEAST_KNOWN * table["n"]
    return table.assign(usd=(1000 * table["usd"]).where(enough)).drop(columns="n")


def costs(
    evidence: ItemResults, entries: Sequence[str], items: pd.Index, who: EligibleRuns
) -> pd.DataFrame:
    """What each entry's answer costs, items x entries, dollars; NaN is unknown.

    Where the run measured it each answer has its own, else all have the same.
    """
    answers, columns = evidence.answers, {}
    for entry in entries:
        if who.costs["whence"][entry] != MEASURED:
            columns[entry] = pd.Series(who.costs["usd"][entry] / 1000, index=items)
            continue
        own = answers[answers["run"] == evidence.entries["run"][entry]]
        own = own.drop_duplicates("item").set_index("item")
        columns[entry] = own["usd"].astype(float).reindex(items)
    return pd.DataFrame(columns, index=items)


def plan(
    evidence: ItemResults,
    scores: pd.DataFrame,
    axis: str,
    who: EligibleRuns,
    budget: float | None = None,
) -> routing.Plan:
    """A routing table by the tags of an axis.

    Args:
        evidence: Of the benchmark.
        scores: As from ``pool``, of entries that may take part.
        axis: Of the tags.
        who: With their costs.
        budget: Dollars a question, in the mean; None is no limit.
    """
    return routing.route(
        scores,
        routing.kinds(evidence.tags, axis, scores.index),
        np.random.default_rng(SEED),
        evidence.clusters.reindex(scores.index),
        costs(evidence, list(scores.columns), scores.index, who),
        routing.Settings(budget=budget),
    )


def left_out(  # noqa: PLR0913  one assumption an argument
    evidence: ItemResults,
    scores: pd.DataFrame,
    plan: routing.Plan,
    axis: str,
    who: EligibleRuns,
    allowed: Sequence[str],
    budget: float | None = None,
) -> pd.DataFrame:
    """Who may answer and is in no table: entry, limit (in words), relaxation.

    Those that may not answer are in ``Entrants.left_out``.

    Args:
        evidence: Of the benchmark.
        scores: As from ``pool``.
        plan: As from ``plan``.
        axis: Of the tags.
        who: With their costs.
        allowed: As ``pool`` was given them.
        budget: As ``plan`` was given it.
    """
    rows = [_apart(evidence, scores, entry) for entry in allowed if entry not in scores]
    if budget is not None and not plan.single and plan.n:
        items = routing.kinds(evidence.tags, axis, scores.index).index
        for entry, cost in costs(evidence, list(scores.columns), items, who).mean().items():
            limit = f"costs {_usd(cost)} per 1,000 questions, over the budget of {_usd(budget)}"
            rows.append((str(entry), limit, "raise the budget"))
    return pd.DataFrame(rows, columns=["entry", "limit", "relaxation"])


def _apart(evidence: ItemResults, scores: pd.DataFrame, entry: str) -> tuple[str, str, str]:
    """Why an entry is not in the pool."""
    n = len(scores)
    shared = int(evidence.scores.loc[scores.index, entry].notna().sum())
    if shared >= KEEPS * n and scores.shape[1] >= MOST:
        return entry, f"comes after the {MOST} that share most questions", "rule out others"
    few = f"it has a score for {shared:,} of the {n:,} that the others share"
    few = f"too few common questions: {few}"
    return entry, few, "let it answer the others too, and have them scored" if shared < n else ""


def nothing(plan: routing.Plan, budget: float | None) -> str:
    """Say why a plan sends nothing; "" where it does send.

    Args:
        plan: As from ``plan``, of at least one entry.
        budget: As ``plan`` was given it.
    """
    if plan.single:
        return ""
    if not plan.n:
        return "No question that the runs share has a tag here, so there is nothing to send."
    if budget is None or np.isnan(plan.cheapest):
        return "No run meets the limits, so there is nothing to send."
    if plan.cheapest_mix > budget:
        sentence = f"No run and no mix of runs fits the budget of {_usd(budget)}"
    else:
        # The gain would be one over nobody.
        sentence = (
            f"No run alone fits the budget of {_usd(budget)}, so there is none to compare with"
        )
    return (
        f"{sentence}: the cheapest costs {_usd(plan.cheapest)} per 1,000 questions. Runs of "
        "unknown cost cannot be within a budget."
    )


def _usd(cost: float) -> str:
    """Of 1,000 questions, from that of one."""
    return f"{1000 * cost:,.6g} USD"
