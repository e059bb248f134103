"""What the Compare page compares: two to four runs of one benchmark, question by question."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

import numpy as np
import pandas as pd

from evalcore.analysis import multiple, paired, resample
from evalcore.suites.item_results import ItemResults
from pages.shared import samples
from pages.shared.agreement import short_names
from pages.shared.results import in_session

SEED = 20261130
"""Resamples are the same at every look."""
LEVEL = 0.05
OTHER = "other"
REFUSAL = (
    r"(?i)^\W*(?:(?:i['’]?m|i am|we['’]?re) (?:very )?(?:sorry|afraid|unable)|sorry|i apologi[sz]e"
    r"|i can(?:no|['’])t|i (?:am not|['’]?m not) able|i won['’]?t|unable to|as an ai)"
)
"""How an answer begins that refuses; written by hand, English only."""


@dataclass(frozen=True)
class Comparison:
    """Entries side by side on the questions that all have a score for."""

    evidence: ItemResults
    names: dict[str, str]
    """Name on screen of each chosen entry; the others are compared with the first."""
    axis: str
    asked: pd.DataFrame
    """Items that every entry was asked x entries; NaN has no score."""
    scores: pd.DataFrame
    """Those that all have a score for."""
    by: dict[str, resample.Places]
    """Places in ``scores`` of each tag's items."""
    draws: resample.Draws
    judge: resample.Floats | None
    """Standard errors from repeated judging, groups x entries; None where nobody judged twice."""

    @property
    def entries(self) -> list[str]:
        """The chosen entries."""
        return list(self.names)

    @property
    def reference(self) -> str:
        """The entry that the others are compared with."""
        return self.entries[0]

    @property
    def others(self) -> list[str]:
        """All but the reference."""
        return self.entries[1:]

    @property
    def labels(self) -> list[str]:
        """The groups of questions: all, then each tag."""
        return [paired.ALL, *self.by]

    @cached_property
    def binary(self) -> bool:
        """Whether each score is right or wrong."""
        values = self.asked.to_numpy(float)
        return bool(np.isin(values[~np.isnan(values)], (0, 1)).all())

    @cached_property
    def clusters(self) -> pd.Series:
        """Item → the source that it shares with others."""
        return self.evidence.clusters.reindex(self.scores.index)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """As ``paired.differences``."""
        return paired.differences(self.draws, self.entries, self.reference, self.labels, self.judge)

    @cached_property
    def standings(self) -> pd.DataFrame:
        """As ``multiple.standings``, over all questions."""
        return multiple.standings(self.draws, self.entries)

    def outcomes(self, other: str) -> paired.Outcomes:
        """Wins, losses, both and neither of another entry (a) and the reference (b)."""
        return paired.outcomes(self.scores, other, self.reference)

    @property
    def left(self) -> int:
        """Questions put to all entries that at least one has no score for."""
        return len(self.asked) - len(self.scores)

    def asked_of(self, group: str) -> pd.DataFrame:
        """``asked``, of the questions of one of ``labels``."""
        if group == paired.ALL:
            return self.asked
        return self.asked.iloc[self._asked_by[group]]

    @cached_property
    def _asked_by(self) -> dict[str, resample.Places]:
        return paired.groups(self.evidence.tags, self.axis, self.asked.index)

    def bounds(self, entry: str) -> tuple[float, float]:
        """The difference of an entry to the reference over ``asked``, least and largest."""
        return paired.difference_bounds(self.asked, entry, self.reference)


def compare(
    evidence: ItemResults, entries: Sequence[str], axis: str, version: str, strata: str = ""
) -> Comparison:
    """Compare entries.

    Args:
        evidence: Of the benchmark.
        entries: Two to four of its entries, of one metric.
        axis: The axis of tags to sort questions by; "" for none.
        version: Of the store.
        strata: The axis within whose tags sources are drawn; "" for none.
    """
    key = ("compare", version, evidence.benchmark, tuple(entries), axis, strata)
    comparison: Comparison = in_session(key, lambda: make(evidence, entries, axis, strata))
    return comparison


def make(evidence: ItemResults, entries: Sequence[str], axis: str, strata: str = "") -> Comparison:
    """As ``compare``, made anew."""
    chosen = list(entries)
    asked = evidence.scores.loc[evidence.asked[chosen].all(axis=1), chosen]
    scores = paired.common(asked)
    by = paired.groups(evidence.tags, axis, scores.index) if axis else {}
    within = strata_of(evidence, strata).reindex(scores.index) if strata else None
    draws = paired.drawn(
        scores, evidence.clusters.reindex(scores.index), np.random.default_rng(SEED), by, within
    )
    judge = _judge_errors(evidence, chosen, scores.index, by)
    names = short_names(evidence, chosen)
    return Comparison(evidence, names, axis, asked, scores, by, draws, judge)


def strata_of(evidence: ItemResults, axis: str) -> pd.Series:
    """Item → the kind of its source: all tags on an axis that the source's questions have.

    Sources whose kind no other one has are one kind together: alone they would show no error.
    """
    tags = evidence.tags[evidence.tags["axis"] == axis]
    kinds = tags.drop_duplicates(["item", "tag"]).sort_values("tag")
    kinds = kinds.assign(cluster=evidence.clusters.reindex(kinds["item"]).to_numpy())
    kinds = kinds.drop_duplicates(["cluster", "tag"])
    by_source = kinds.groupby("cluster")["tag"].agg(" + ".join)
    by_source = by_source.reindex(evidence.clusters.unique()).fillna("")
    by_source = by_source.where(by_source.duplicated(keep=False), OTHER)
    return evidence.clusters.map(by_source)


def _judge_errors(
    evidence: ItemResults, entries: list[str], items: pd.Index, by: dict[str, resample.Places]
) -> resample.Floats | None:
    if not (evidence.entries.loc[entries, "repeats"] > 1).any():
        return None
    parts = [np.arange(len(items)), *by.values()]
    verdicts = evidence.verdicts
    columns = []
    for entry in entries:
        mine = verdicts[verdicts["entry"] == entry]
        table = mine.pivot_table(index="item", columns="repeat", values="score").reindex(items)
        columns.append(paired.judge_error(table, parts))
    return np.column_stack(columns)


def judged(comparison: Comparison, correction: str, margin: float) -> pd.DataFrame:
    """The differences with what they mean.

    Args:
        comparison: The comparison.
        correction: One of ``multiple.CORRECTIONS``, over all tags and entries together.
        margin: The largest difference that does not matter, a fraction.

    Returns:
        ``Comparison.differences`` with p_adjusted (of the tags; that of all questions stays as it
        is), clear (it stays below 5 %) and verdict (see ``paired.verdict``).
    """
    differences = comparison.differences
    tags = (differences["group"] != paired.ALL).to_numpy()
    p = differences["p"].to_numpy(float).copy()
    p[tags] = multiple.adjusted(p[tags], correction)
    pairs = zip(differences["low"], differences["high"], strict=True)
    return differences.assign(
        p_adjusted=p,
        clear=p < LEVEL,
        verdict=[paired.verdict(low, high, margin) for low, high in pairs],
    )


def needed(comparison: Comparison, margin: float) -> pd.DataFrame:
    """How many more questions it would take to tell each entry from the reference.

    Returns:
        One row an entry: entry, difference, n, total, more (to find the difference as it is now),
        equivalent_more (to show that it lies within the margin), detectable (the smallest
        difference that as many questions as now find with a chance of 80 %).
    """
    rows = []
    for row in comparison.differences[comparison.differences["group"] == paired.ALL].itertuples():
        apart, se, n = float(row.difference), float(row.se), int(row.n)
        questions = paired.questions(apart, se, n)
        alike = paired.questions_for_equivalence(apart, se, n, margin)
        rows.append(
            (
                row.entry,
                apart,
                n,
                questions.total,
                questions.more,
                alike.more,
                paired.detectable(se),
            )
        )
    columns = ["entry", "difference", "n", "total", "more", "equivalent_more", "detectable"]
    return pd.DataFrame(rows, columns=columns)


def scoreboard(comparison: Comparison) -> pd.DataFrame:
    """Score, interval, bounds for what is not scored, and how each entry answers.

    Returns:
        Index entry: name, score, low, high, n (on common items); own, own_n (on all asked that
        it has a score for), unscored, worst, best (over all asked, the unscored as wrong and as
        right); errors, refusals, usd (mean of the known), usd_known (answers), seconds (median),
        slow (95 of 100 answers are faster), characters (median of the answers), tokens_out (mean).
    """
    judge = None if comparison.judge is None else comparison.judge[0]
    low, high = resample.interval(
        comparison.scores.to_numpy(float), comparison.clusters, more=judge
    )
    bounds = paired.unscored(comparison.asked)
    table = pd.DataFrame(
        {
            "name": pd.Series(comparison.names),
            "score": comparison.scores.mean(),
            "low": pd.Series(np.asarray(low), comparison.entries),
            "high": pd.Series(np.asarray(high), comparison.entries),
            "n": len(comparison.scores),
            "own": bounds["mean"],
            "own_n": bounds["n_scored"],
            "unscored": bounds["unscored"],
            "worst": bounds["worst"],
            "best": bounds["best"],
        }
    ).loc[comparison.entries]
    answered = pd.DataFrame(
        [_answering(comparison, entry) for entry in comparison.entries], comparison.entries
    )
    return table.join(answered)


def _answering(comparison: Comparison, entry: str) -> dict[str, float]:
    mine = answers_of(comparison, entry)
    text = mine["text"].dropna().astype(str)
    refused = mine["error"].astype("string").str.startswith("refused").fillna(False)
    # ``quantile`` of nothing is NaN, as the means are.
    return {
        "answers": len(text),
        "errors": int(mine["error"].notna().sum()),
        "refusals": int(text.str.contains(REFUSAL, regex=True).sum() + refused.sum()),
        "usd": mine["usd"].astype(float).mean(),
        "usd_known": int(mine["usd"].notna().sum()),
        "seconds": mine["seconds"].astype(float).median(),
        "slow": mine["seconds"].astype(float).quantile(0.95),
        "characters": text.str.len().median(),
        "tokens_out": mine["tokens_out"].astype(float).mean(),
    }


def answers_of(comparison: Comparison, entry: str) -> pd.DataFrame:
    """An entry's answers to the items that every entry was asked, indexed by item."""
    answers = comparison.evidence.answers
    mine = answers[answers["run"] == comparison.evidence.entries.loc[entry, "run"]]
    return mine.drop_duplicates("item").set_index("item").reindex(comparison.asked.index)


def only_right(comparison: Comparison, entry: str) -> pd.Index:
    """The items that an entry gets right and every other chosen one gets wrong."""
    right = comparison.scores >= paired.RIGHT_FROM
    return comparison.scores.index[right[entry] & (right.sum(axis=1) == 1)]


def alone_table(comparison: Comparison, items: pd.Index) -> pd.DataFrame:
    """Those items with the question, the references and each entry's answer, as text."""
    about = comparison.evidence.items.loc[items]
    table = pd.DataFrame({"item": items, "Question": about["question"].to_numpy()})
    table["References"] = ["; ".join(map(str, row)) for row in about["answers"]]
    for entry, name in comparison.names.items():
        text = answers_of(comparison, entry)["text"].reindex(items)
        table[f"{name} answers"] = text.to_numpy()
    return table


def same_model(comparison: Comparison) -> list[str]:
    """The other entries that are runs of the reference's model."""
    model = comparison.evidence.entries["model"]
    return [entry for entry in comparison.others if model[entry] == model[comparison.reference]]


def sample_link(comparison: Comparison, item: str) -> str:
    """The address of an item on the Samples page, with the same runs chosen there."""
    labels = comparison.evidence.labels()
    metric = comparison.evidence.entries.loc[comparison.reference, "metric"]
    asked = [("samples_of", comparison.evidence.benchmark), ("samples_metric", metric)]
    models = samples.models_key(comparison.evidence.benchmark, metric)
    asked += [(models, labels[entry]) for entry in comparison.entries]
    return f"samples?{urlencode([*asked, ('sample', item)])}"
