"""A routing table from the runs of a benchmark, under the limits and costs of the recommender."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from evalcore.analysis import complement, routing
from evalcore.decision.entrants import MEASURED, Entrants
from evalcore.suites.evidence import Evidence

SEED = 20261130
"""Folds are the same at every look."""
MOST = 20
"""Entries that are compared together."""
KEEPS = 0.8
"""Another entry joins as long as so much of the chosen ones' questions is common to all."""
LEAST_KNOWN = 0.5
"""Share of a run's answers whose cost has to be known."""


def pool(evidence: Evidence, chosen: Sequence[str], allowed: Sequence[str]) -> pd.DataFrame:
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


def measured(evidence: Evidence, entries: Sequence[str]) -> pd.DataFrame:
    """What the runs themselves tell: index entry; usd (per 1,000 questions), usd_n, seconds.

    A cost that is known of fewer than ``LEAST_KNOWN`` of a run's answers counts as unknown: calls
    that failed cost nothing, and say nothing of the others.
    """
    runs = evidence.entries.loc[list(entries), "run"]
    answers = evidence.answers[["run", "usd", "seconds"]]
    answers = answers[answers["run"].isin(runs)].astype({"usd": float, "seconds": float})
    found = answers.groupby("run").agg(
        usd=("usd", "mean"), usd_n=("usd", "count"), n=("usd", "size"), seconds=("seconds", "mean")
    )
    found = found.reindex(runs).set_axis(runs.index, axis=0)
    enough = found["usd_n"] >= LEAST_KNOWN * found["n"]
    return found.assign(usd=(1000 * found["usd"]).where(enough)).drop(columns="n")


def costs(
    evidence: Evidence, entries: Sequence[str], items: pd.Index, who: Entrants
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
    evidence: Evidence, scores: pd.DataFrame, axis: str, who: Entrants, budget: float | None = None
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
