"""A benchmark's evidence beside human labels: what the judges' page and command show."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from evalcore.analysis import agreement, thresholds
from evalcore.analysis.corrected import Corrected, correct, weighed
from evalcore.importers.own_labels import Known
from evalcore.suites.evidence import Evidence

GRADED = 2
"""A judge with more distinct scores than this is graded, and a threshold can be tuned."""
THRESHOLDS = [
    *("metric", "version", "n", "at_half", "threshold", "inside", "outside", "outside_low"),
    *("outside_high", "common"),
]


def known(evidence: Evidence) -> Known:
    """What of a benchmark can be labelled."""
    entries = evidence.entries.drop_duplicates("run")
    items = evidence.asked.set_axis(evidence.entries["run"], axis=1)
    items = items.loc[:, ~items.columns.duplicated()]
    runs: Mapping[str, frozenset[str]] = {
        str(run): frozenset(items.index[items[run]]) for run in entries["run"]
    }
    models = entries.groupby("model")["run"].agg(list)
    return Known(runs, {str(model): found for model, found in models.items()})


@dataclass(frozen=True)
class Labelled:
    """Labels of one benchmark joined with what its judges said."""

    evidence: Evidence
    labels: pd.DataFrame
    """run, item, rater, label."""
    pairs: pd.DataFrame
    """As from ``agreement.joined``; brought to all answers if that was asked."""

    def table(self) -> pd.DataFrame:
        """Agreement of each judge and variant."""
        return agreement.table(self.pairs)

    def errors(self, axis: str) -> pd.DataFrame:
        """Agreement of each judge by model (``"model"``) or by the tags of an axis."""
        if axis == "model":
            return agreement.table(self.pairs, [*agreement.JUDGE, "model"])
        tags = self.evidence.tags
        rows = self.pairs.merge(tags.loc[tags["axis"] == axis, ["item", "tag"]], on="item")
        return agreement.table(rows, [*agreement.JUDGE, "tag"])

    def thresholds(self) -> pd.DataFrame:
        """The best threshold of each judge that grades.

        Returns:
            One row a judge with more than two distinct scores: metric, version, n, at_half
            (accuracy when scores from 0.5 on count as yes), threshold, inside (accuracy on the
            labels it was chosen from), outside (on labels it was not chosen from) with _low and
            _high, common (accuracy of always saying what people say more often).
        """
        rows = []
        for (metric, version), group in self.pairs.groupby(agreement.JUDGE, sort=False):
            both = group.dropna(subset=["human", "score"])
            if both["score"].nunique() <= GRADED:
                continue
            human, score, weight = (
                both[name].to_numpy(float) for name in ("human", "score", "weight")
            )
            best = thresholds.tuned(human, score, weight, both["cluster"])
            right = (score >= agreement.YES) == (human >= agreement.YES)
            half = float((right * weight).sum() / weight.sum())
            found = (half, *best[:2], *best.outside[:3], best.common)
            rows.append((metric, version, len(both), *found))
        return pd.DataFrame(rows, columns=THRESHOLDS)

    def corrected(self, metric: str) -> Corrected:
        """The scores of one judge, corrected once; an entry by its id."""
        if metric not in self._corrected:
            rows = answers(self.evidence, self.labels, metric)
            self._corrected[metric] = correct(rows)
        return self._corrected[metric]

    @cached_property
    def _corrected(self) -> dict[str, Corrected]:
        return {}


def answers(evidence: Evidence, labels: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Every answer with a score by one metric, as ``corrected.correct`` takes it.

    Returns:
        One row an answer: entry and item (categories), cluster (a number), score, human, stratum
        (what all judges of its run say of it, since that is by what labels are drawn here).
    """
    entries, items = evidence.entries, evidence.scores.index
    wanted = entries[entries["metric"] == metric]
    people = agreement.consensus(labels)
    human = {}
    for run, said_of in people[people["item"].isin(items)].groupby("run"):
        human[run] = np.full(len(items), np.nan)
        human[run][items.get_indexer(pd.Index(said_of["item"]))] = said_of["human"]
    nobody = np.full(len(items), np.nan)
    shared = pd.factorize(evidence.clusters.reindex(items))[0]
    places, parts = [np.empty(0, dtype=int)], [np.empty((0, 4))]
    # Numbers and codes instead of text: a benchmark may have millions of answers.
    for entry, run in zip(wanted.index, wanted["run"], strict=True):
        stratum = said(evidence, entries.index[entries["run"] == run]).to_numpy()
        score = evidence.scores[entry].to_numpy(float)
        columns = np.column_stack([shared, score, human.get(run, nobody), stratum])
        places.append(np.flatnonzero(evidence.asked[entry].to_numpy(bool)))
        parts.append(columns[places[-1]])
    rows = pd.DataFrame(np.concatenate(parts), columns=["cluster", "score", "human", "stratum"])
    sizes = [len(place) for place in places[1:]]
    entry_code = np.repeat(np.arange(len(wanted)), sizes)
    return rows.assign(
        entry=pd.Categorical.from_codes(entry_code, categories=wanted.index),
        item=pd.Categorical.from_codes(np.concatenate(places), categories=items),
    )


def names(evidence: Evidence, metric: str) -> dict[str, str]:
    """The names on screen of the entries of one judge, which the judge need not tell apart."""
    own = evidence.entries[evidence.entries["metric"] == metric]
    return replace(evidence, entries=own).labels()


def side_by_side(evidence: Evidence, old: str, new: str) -> pd.DataFrame:
    """What two judges say of the same answers, as ``bridging.bridge`` takes it.

    Returns:
        One row an answer of a run that both judged: model (its name; with the run where a model has
        several), run, item, cluster, old, new.
    """
    entries = evidence.entries
    parts = []
    for run, own in entries[entries["metric"].isin([old, new])].groupby("run", sort=False):
        by_metric = {metric: entry for entry, metric in own["metric"].items()}
        if {old, new} <= set(by_metric):
            pair = evidence.scores[[by_metric[old], by_metric[new]]].set_axis(
                ["old", "new"], axis=1
            )
            parts.append(pair.assign(run=run, model=own["model_name"].iloc[0]))
    if not parts:
        return pd.DataFrame(columns=["model", "run", "item", "cluster", "old", "new"])
    rows = pd.concat(parts).rename_axis("item").reset_index()
    several = rows.groupby("model")["run"].transform("nunique") > 1
    rows["model"] = rows["model"].where(~several, rows["model"] + ", " + rows["run"])
    return rows.assign(cluster=rows["item"].map(evidence.clusters))


def said(evidence: Evidence, judges: pd.Index) -> pd.Series:
    """What judges say of each item of a run (yes, no, nothing), as one number for each pattern."""
    scores = evidence.scores[judges].to_numpy(float)
    digits = np.where(np.isnan(scores), 2, scores >= agreement.YES).astype(int)
    return pd.Series(digits @ 3 ** np.arange(len(judges)), index=evidence.scores.index)


def labelled(evidence: Evidence, labels: pd.DataFrame, *, to_all: bool = False) -> Labelled:
    """Join labels with verdicts.

    Args:
        evidence: The benchmark's.
        labels: run, item, rater, label.
        to_all: Weigh each label by how many answers of its model got the same verdict from the
            judge, for labels that were drawn evenly over models and verdicts; otherwise they count
            as they are.
    """
    people = agreement.consensus(labels)
    entries = evidence.entries
    pairs = agreement.joined(people, evidence.scores, entries, evidence.clusters)
    if to_all:
        parts = []
        for metric in entries["metric"].unique():
            rows = weighed(answers(evidence, labels, metric))
            rows = rows.loc[rows["weight"].notna(), ["entry", "item", "weight"]]
            parts.append(rows.astype({"entry": str, "item": str}))
        weights = pd.concat(parts) if parts else pd.DataFrame(columns=["entry", "item", "weight"])
        found = pairs[["entry", "item"]].merge(weights, on=["entry", "item"], how="left")
        pairs = pairs.assign(weight=found["weight"].fillna(1.0).to_numpy(float))
    return Labelled(evidence, labels, pairs)


def order_words(found: Corrected, called: Mapping[str, str]) -> list[str]:
    """Say whether the correction changes the order of the models.

    Args:
        found: The scores of one judge.
        called: Entry → its name on screen.
    """
    count = int(found.table["ppi"].notna().sum())
    if count < 2:
        return ["Fewer than two can be corrected, so there is no order to compare."]
    turned = found.pairs[found.pairs["turns"]]
    if turned.empty:
        return [f"The order of the {count} corrected ones is the same as the raw order."]
    said = []
    for row in turned.to_dict("records"):
        raw, new, low, high = (100 * row[name] for name in ("raw", "corrected", "low", "high"))
        how = "clearly" if row["clear"] else "which may be luck"
        said.append(
            f"{called[row['b']]} passes {called[row['a']]}: the difference was {raw:+.1f} points "
            f"and is {new:+.1f} corrected ({low:+.1f} to {high:+.1f}), {how}."
        )
    return said
