"""A benchmark's answers beside human labels, and those on which a judge and people disagree."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from evalcore.analysis import agreement, thresholds
from evalcore.analysis.agreement import KEY, YES
from evalcore.analysis.corrected import Corrected, correct, drawn, weighed
from evalcore.importers.own_labels import AnswersToLabel
from evalcore.suites.item_results import ItemResults

GRADED = 2
"""A judge with more distinct scores than this is graded, and a threshold can be tuned."""
THRESHOLDS = [
    *("metric", "version", "n", "at_half", "threshold", "inside", "outside", "outside_low"),
    *("outside_high", "common"),
]
_KEPT: WeakKeyDictionary[ItemResults, dict[str, pd.DataFrame]] = WeakKeyDictionary()
COLUMNS = [*("item", "run", "model", "entry", "metric", "version", "labels", "human", "score")]
Words = Callable[[str], tuple[pd.DataFrame, pd.DataFrame]]
"""Item → the answers to it and the verdicts on them, as from ``item_results.of_item``."""


def answers_to_label(evidence: ItemResults) -> AnswersToLabel:
    """What of a benchmark can be labelled."""
    entries = evidence.entries.drop_duplicates("run")
    asked, items = evidence.asked[entries.index].to_numpy(bool), evidence.asked.index
    same: dict[bytes, frozenset[str]] = {}  # runs of one revision were asked the same
    runs: dict[str, frozenset[str]] = {}
    for run, there in zip(entries["run"], asked.T, strict=True):
        key = there.tobytes()
        if key not in same:
            same[key] = frozenset(items[there])
        runs[str(run)] = same[key]
    models = entries.groupby("model")["run"].agg(list)
    return AnswersToLabel(runs, {str(model): rates for model, rates in models.items()})


@dataclass(frozen=True)
class Labelled:
    """Labels of one benchmark joined with what its judges said."""

    evidence: ItemResults
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
        mine = tags[(tags["axis"] == axis) & tags["item"].isin(self.pairs["item"].unique())]
        rows = self.pairs.merge(mine[["item", "tag"]], on="item")
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
            row = (half, *best[:2], *best.outside[:3], best.common)
            rows.append((metric, version, len(both), *row))
        return pd.DataFrame(rows, columns=THRESHOLDS)

    def curves(self) -> dict[str, pd.DataFrame]:
        """The threshold curve of each judge that grades, by metric: ``thresholds.curve``."""
        curves = {}
        for row in self.thresholds().to_dict("records"):
            own = self.pairs[self.pairs["metric"] == row["metric"]]
            own = own[own["version"] == row["version"]].dropna(subset=["human", "score"])
            curves[str(row["metric"])] = thresholds.curve(own["human"], own["score"], own["weight"])
        return curves

    def corrected(self, metric: str) -> Corrected:
        """The scores of one judge, corrected once; an entry by its id."""
        if metric not in self._corrected:
            rows = answers(self.evidence, self.labels, metric)
            self._corrected[metric] = correct(rows)
        return self._corrected[metric]

    @cached_property
    def _corrected(self) -> dict[str, Corrected]:
        return {}


def answers(evidence: ItemResults, labels: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Every answer that one metric was to score, as ``corrected.correct`` takes it.

    Returns:
        One row an answer: entry and item (categories), cluster (a number), score, human, stratum
        (a number: what all judges of its run say of it, since that is by what labels are drawn
        here), drawn (as from ``corrected.drawn``).
    """
    rows = _unlabelled(evidence, metric)
    runs = evidence.entries.loc[rows["entry"].cat.categories, "run"]
    grid = _people(agreement.consensus(labels), runs, evidence.scores.index).ravel()
    place = rows["entry"].cat.codes.to_numpy(np.intp) * len(evidence.scores)
    place += rows["item"].cat.codes.to_numpy()
    return rows.assign(human=grid if len(grid) == len(rows) else grid[place])


def _unlabelled(evidence: ItemResults, metric: str) -> pd.DataFrame:
    """The part of ``answers`` that does not hang on labels; made once, for all who ask.

    Numbers and codes instead of text: a benchmark may have millions of answers.
    """
    kept = _KEPT.setdefault(evidence, {})
    if metric in kept:
        return kept[metric]
    entries, items = evidence.entries, evidence.scores.index
    wanted = entries[entries["metric"] == metric]
    asked = evidence.asked[wanted.index].to_numpy(bool).T
    entry, item = np.divmod(np.flatnonzero(asked), max(len(items), 1))
    rows = pd.DataFrame(
        {
            "entry": pd.Categorical.from_codes(entry, categories=wanted.index),
            "item": pd.Categorical.from_codes(item, categories=items),
            "cluster": evidence.cluster_codes[item].astype(np.int32),
            "score": evidence.scores[wanted.index].to_numpy(float).T[asked],
            "stratum": _strata(evidence, wanted["run"])[asked],
        }
    )
    kept[metric] = rows.assign(drawn=drawn(rows).astype(np.int32))
    return kept[metric]


def _people(people: pd.DataFrame, runs: pd.Series, items: pd.Index) -> np.ndarray:
    """What people say: runs x items; NaN has no label or is undecided."""
    grid = np.full((len(runs), len(items)), np.nan)
    places = (
        pd.Index(runs).get_indexer(pd.Index(people["run"])),
        items.get_indexer(pd.Index(people["item"])),
    )
    there = (places[0] >= 0) & (places[1] >= 0)
    grid[places[0][there], places[1][there]] = people["human"].to_numpy(float)[there]
    return grid


def _strata(evidence: ItemResults, runs: pd.Series) -> np.ndarray:
    """What all judges of each run say of each item, as in ``said``: runs x items."""
    strata = np.zeros((len(runs), len(evidence.scores)), dtype=np.int32)
    for place, run in enumerate(runs):
        judges = evidence.entries.index[evidence.entries["run"] == run]
        strata[place] = verdict_patterns(evidence, judges).to_numpy()
    return strata


def names(evidence: ItemResults, metric: str) -> dict[str, str]:
    """The names on screen of the entries of one judge, which the judge need not tell apart."""
    own = evidence.entries[evidence.entries["metric"] == metric]
    return replace(evidence, entries=own).labels()


def bridged(evidence: ItemResults, old: str, new: str) -> pd.Series:
    """The runs that two judges scored, and which of them count.

    A model with several runs is one model: a run of one's own counts before a shipped one, then one
    that both scored whole, then the newest.

    Returns:
        Run → whether it counts.
    """
    entries = evidence.entries[evidence.entries["metric"].isin([old, new])]
    entries = entries.assign(lacks=entries["n_scored"] < entries["n_items"])
    by_run = entries.groupby("run", sort=False)
    runs = by_run[["model", "created", "demo"]].first().assign(lacks=by_run["lacks"].any())
    runs = runs[by_run["metric"].nunique() == 2]
    order = runs.sort_values(["demo", "lacks", "created"], ascending=[True, True, False])
    first = order.drop_duplicates("model").index
    return pd.Series(runs.index.isin(first), index=runs.index)


def bridged_words(runs: pd.Series) -> str:
    """Say that a model counts once; empty where each has one run.

    Args:
        runs: As from ``bridged``.
    """
    if runs.all():
        return ""
    out = int((~runs).sum())
    return (
        f"{len(runs)} runs were scored by both. A model counts once, with its newest run, so "
        f"{out} of them {'is' if out == 1 else 'are'} left out."
    )


def side_by_side(evidence: ItemResults, old: str, new: str) -> pd.DataFrame:
    """What two judges say of the same answers, as ``bridging.bridge`` takes it.

    Returns:
        One row an answer of a run that counts (see ``bridged``): model (its name on screen), run,
        item and cluster (categories), old, new.
    """
    counting = bridged(evidence, old, new)
    entries, items = evidence.entries, evidence.scores.index
    entries = entries[entries["run"].isin(counting.index[counting])]
    called = names(replace(evidence, entries=entries), old)
    shared = pd.factorize(evidence.clusters.reindex(items))
    runs, parts = {}, [np.empty((0, 2))]
    for run, own in entries[entries["metric"].isin([old, new])].groupby("run", sort=False):
        by_metric = {str(metric): str(entry) for entry, metric in own["metric"].items()}
        runs[str(run)] = called[by_metric[old]]
        parts.append(evidence.scores[[by_metric[old], by_metric[new]]].to_numpy(float))
    rows = pd.DataFrame(np.concatenate(parts), columns=["old", "new"])
    # Codes instead of text, as in ``answers``.
    code, place = np.repeat(np.arange(len(runs)), len(items)), np.arange(len(items))
    each = np.tile(place, len(runs))
    return rows.assign(
        model=pd.Categorical.from_codes(code, categories=pd.Index(list(runs.values()))),
        run=pd.Categorical.from_codes(code, categories=pd.Index(list(runs))),
        item=pd.Categorical.from_codes(each, categories=items),
        cluster=pd.Categorical.from_codes(shared[0][each], categories=shared[1]),
    )


def verdict_patterns(evidence: ItemResults, judges: pd.Index) -> pd.Series:
    """What judges say of each item of a run (yes, no, nothing), as one number for each pattern."""
    scores = evidence.scores[judges].to_numpy(float)
    digits = np.where(np.isnan(scores), 2, scores >= agreement.YES).astype(int)
    return pd.Series(digits @ 3 ** np.arange(len(judges)), index=evidence.scores.index)


def labelled(evidence: ItemResults, labels: pd.DataFrame, *, to_all: bool = False) -> Labelled:
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
        merged = pairs[["entry", "item"]].merge(weights, on=["entry", "item"], how="left")
        pairs = pairs.assign(weight=merged["weight"].fillna(1.0).to_numpy(float))
    return Labelled(evidence, labels, pairs)


def order_words(scores: Corrected, called: Mapping[str, str]) -> list[str]:
    """Say whether the correction changes the order of the models.

    Args:
        scores: The scores of one judge.
        called: Entry → its name on screen.
    """
    count = int(scores.table["ppi"].notna().sum())
    if count < 2:
        return ["Fewer than two can be corrected, so there is no order to compare."]
    turned = scores.pairs[scores.pairs["turns"]]
    if turned.empty:
        return [f"The order of the {count} corrected ones is the same as the raw order."]
    sentences = []
    for row in turned.to_dict("records"):
        figures = [f"{100 * row[name]:+.1f}" for name in ("raw", "corrected", "low", "high")]
        raw, new, low, high = (figure.replace("-", "−") for figure in figures)
        how = "clearly" if row["clear"] else "which may be luck"
        sentences.append(
            f"{called[row['b']]} passes {called[row['a']]}: the difference was {raw} points "
            f"and is {new} corrected ({low} to {high}), {how}."
        )
    return sentences


COLUMNS += ["differs", "against"]


def disagreements(joined: Labelled) -> pd.DataFrame:
    """Every judge's verdict on the answers of which one at least says otherwise than people.

    A label or score of 0.5 or more is yes. Undecided labels and answers without a score differ from
    nothing.

    Returns:
        One row an answer and judge, the answers that most judges differ on first, then those with
        the widest gap of score and label: item, run, model (name on screen), entry, metric,
        version, labels (``ann: yes; bob: no``), human (0..1), score (0..1; NaN none), differs
        (bool), against (how many judges differ on the answer).
    """
    rows = joined.pairs[joined.pairs["human"].notna()]
    yes = rows["human"] >= YES
    rows = rows.assign(
        differs=rows["score"].notna() & ((rows["score"] >= YES) != yes),
        gap=(rows["score"] - rows["human"]).abs(),
    )
    by_answer = rows.groupby(KEY, sort=False)
    rows = rows.assign(
        against=by_answer["differs"].transform("sum").astype(int),
        widest=by_answer["gap"].transform("max"),
    )
    rows = rows[rows["against"] > 0]
    names = joined.evidence.entries["model_name"]
    labels: dict[tuple[str, str], list[str]] = {}
    for run, item, rater, label in joined.labels[[*KEY, "rater", "label"]].to_numpy():
        labels.setdefault((run, item), []).append(f"{rater}: {label}")
    together = ["; ".join(labels[key]) for key in zip(rows["run"], rows["item"], strict=True)]
    rows = rows.assign(labels=together, model=rows["entry"].map(names))
    place = joined.evidence.items.index.get_indexer(pd.Index(rows["item"]))
    order = np.lexsort((rows["run"], place, -rows["widest"], -rows["against"]))
    return rows.iloc[order][COLUMNS].reset_index(drop=True)


def first(rows: pd.DataFrame, answers: int) -> pd.DataFrame:
    """The rows of the first so many answers."""
    return rows[rows.groupby(KEY, sort=False).ngroup() < answers]


def with_words(rows: pd.DataFrame, words: Words) -> pd.DataFrame:
    """Add each answer's text and the judge's reply, or its reason where it has no reply.

    Args:
        rows: As from ``disagreements``; each item is read, so better a few.
        words: What reads it.

    Returns:
        The rows with answer and reply; None where there is none. Replies of repeats are numbered.
    """
    answers: dict[tuple[str, str], str | None] = {}
    replies: dict[tuple[str, str], str] = {}
    for item in rows["item"].unique():
        answered, verdicts = words(item)
        answers |= {
            (item, run): text for run, text in zip(answered["run"], answered["text"], strict=True)
        }
        table = verdicts.assign(words=verdicts["reply"].fillna(verdicts["reason"]))
        for entry, own in table.dropna(subset="words").groupby("entry"):
            texts = own["words"].astype(str).tolist()
            several = [
                f"{repeat}: {reply}" for repeat, reply in zip(own["repeat"], texts, strict=True)
            ]
            replies[item, str(entry)] = "\n".join(several if len(texts) > 1 else texts)
    about = zip(rows["item"], rows["run"], rows["entry"], strict=True)
    pairs = [(answers.get((item, run)), replies.get((item, entry))) for item, run, entry in about]
    table = pd.DataFrame(pairs, columns=["answer", "reply"], index=rows.index, dtype=object)
    return pd.concat([rows, table], axis=1)
