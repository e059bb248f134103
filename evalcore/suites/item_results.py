"""The items behind a benchmark's scores: questions, answers, verdicts, and scores as a matrix."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from evalcore.store import queries

LISTS = ("answers", "choices", "images")
SPELT_OUT = ("templates", "wording")
"""Settings that hold a prompt set's own words."""
Purpose = Literal["look", "compare", "bridge", "label"]
"""What a benchmark is to be opened for: to look at it, to compare runs, to replace a judge, or to
label answers."""


@dataclass(frozen=True, eq=False)
class ItemResults:
    """One benchmark's items as its runs answered them; frames are shared and never changed."""

    benchmark: str
    items: pd.DataFrame
    """Index item; question, digest, cluster (the item's own id where it stands alone); answers,
    choices and images are tuples of text."""
    tags: pd.DataFrame
    """item, axis, tag."""
    entries: pd.DataFrame
    """Index entry (run and metric); run, metric, model, model_name, judge, version, repeats,
    n_items, n_scored, created, revision, settings (JSON), demo (shipped, not made here),
    contrastive (of a contrastive model, which no judge scores)."""
    scores: pd.DataFrame
    """Items x entries: the mean over the judge's repeats, a fraction; NaN has no score."""
    repeat_sd: pd.DataFrame
    """Items x entries: standard deviation over the judge's repeats; NaN with fewer than two."""
    asked: pd.DataFrame
    """Items x entries, bool: whether the run asked the item, or was to ask it."""
    failed: pd.DataFrame
    """Items x entries, bool: whether the run got no usable answer to the item."""
    read_answers: Callable[[], pd.DataFrame]
    read_verdicts: Callable[[], pd.DataFrame]
    read_grades: Callable[[], pd.DataFrame] = pd.DataFrame

    @cached_property
    def answers(self) -> pd.DataFrame:
        """run, item, text, error, seconds, tokens_in, tokens_out, usd; read at the first use."""
        return self.read_answers()

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """entry, run, judge, version, metric, item, repeat, score, extracted, reason, reply,
        seconds, usd; read at the first use.
        """
        return self.read_verdicts()

    @cached_property
    def grades(self) -> pd.DataFrame:
        """The verdicts without their words: entry, metric, version, run, item (all categories),
        repeat, score, usd; read at the first use.
        """
        return self.read_grades()

    @property
    def clusters(self) -> pd.Series:
        """Item → the name that items share which share a picture or a source."""
        return self.items["cluster"]

    @cached_property
    def cluster_codes(self) -> np.ndarray:
        """The clusters as numbers, in the order of the items."""
        return np.asarray(pd.factorize(self.items["cluster"])[0])

    def tagged(self, axis: str, tag: str) -> np.ndarray:
        """The places of the items that have a tag."""
        return self._places.get((axis, tag), np.zeros(0, dtype=int))

    @cached_property
    def _places(self) -> dict[tuple[str, str], np.ndarray]:
        at = pd.Series(self.items.index.get_indexer(pd.Index(self.tags["item"])))
        grouped = at.groupby([self.tags["axis"].to_numpy(), self.tags["tag"].to_numpy()])
        return {(str(axis), str(tag)): rows.to_numpy() for (axis, tag), rows in grouped}

    def tag_names(self) -> dict[str, list[str]]:
        """Axis → its tags, in alphabetical order."""
        names: dict[str, list[str]] = {str(axis): [] for axis in dict.fromkeys(self.tags["axis"])}
        for axis, tag in sorted(self._places):
            names[axis].append(tag)
        return names

    def metrics(self) -> list[str]:
        """What its entries are scored by: what most runs are first, then who was named first."""
        scored = self.entries["n_scored"] > 0
        number = scored.groupby(self.entries["metric"], sort=False).sum()
        return [str(name) for name in number.sort_values(ascending=False, kind="stable").index]

    def labels(self) -> dict[str, str]:
        """Entry → its name on screen: the model, and what tells it from the model's others."""
        return self._labels

    @cached_property
    def _labels(self) -> dict[str, str]:
        entries = self.entries
        names = entries["model_name"].where(~entries["demo"], entries["model_name"] + " (demo)")
        for more in (
            entries["metric"],
            _particular(entries),
            entries["created"].str[:16],
            entries["run"],
        ):
            parts = more.where(more == "", ", " + more.str.replace("T", " "))
            for _, same in entries.groupby(names, sort=False):
                if more[same.index].nunique() > 1:
                    names = names.where(~names.index.isin(same.index), names + parts)
        return {str(entry): str(name) for entry, name in names.items()}


def benchmarks(path: Path, purpose: Purpose = "look") -> list[str]:
    """The benchmarks of which the store has items, the one to open with first.

    Those that serve the purpose come first: two runs that one judge scored, two judges of one run,
    or answers that a judge scored. Of these, and of the others, those with runs made here do.
    """
    runs = queries.item_runs(path)
    order = pd.DataFrame(
        {"own": runs.groupby("benchmark")["demo"].agg(lambda demo: not demo.all())}
    )
    every, mine = _fitting(runs, purpose), _fitting(runs[~runs["demo"]], purpose)
    least = 2 if purpose in ("compare", "bridge") else 1
    order["fits"] = every.reindex(order.index).ge(least)
    order["mine"] = mine.reindex(order.index).fillna(0).clip(upper=least)
    by = ["own", "benchmark"] if purpose == "look" else ["fits", "mine", "own", "benchmark"]
    rising = [name == "benchmark" for name in by]
    return [
        str(name) for name in order.reset_index().sort_values(by, ascending=rising)["benchmark"]
    ]


def _fitting(runs: pd.DataFrame, purpose: Purpose) -> pd.Series:
    """Benchmark → how many of its runs, or of a run's judges, serve a purpose together."""
    scored = runs[runs["n_scored"] > 0]
    if purpose == "label":
        scored = scored[~scored["contrastive"]]
    same, other = ("run", "metric") if purpose == "bridge" else ("metric", "run")
    return scored.groupby(["benchmark", same])[other].nunique().groupby("benchmark").max()


def load(path: Path, benchmark: str) -> ItemResults:
    """Read a benchmark's items and scores; answers and verdicts are read when they are used.

    Args:
        path: The store.
        benchmark: One of ``benchmarks``; of another one the frames are empty.
    """
    items = queries.items(path, benchmark).set_index("item")
    for name in LISTS:
        items[name] = _lists(items[name])
    entries = queries.item_runs(path)
    entries = entries[entries["benchmark"] == benchmark].set_index("entry")
    entries = entries.drop(columns="benchmark")
    rows = queries.item_scores(path, benchmark)
    places = rows["item"].to_numpy(), rows["entry"].to_numpy()
    return ItemResults(
        benchmark=benchmark,
        items=items,
        tags=queries.item_tags(path, benchmark),
        entries=entries,
        scores=_matrix(rows["score"], places, items, entries),
        repeat_sd=_matrix(rows["repeat_sd"], places, items, entries),
        asked=_asked(queries.item_asked(path, benchmark), items, entries),
        failed=_failed(queries.item_errors(path, benchmark), items, entries),
        read_answers=lambda: queries.predictions(path, benchmark),
        read_verdicts=lambda: queries.verdicts(path, benchmark),
        read_grades=lambda: _grades(queries.item_verdicts(path, benchmark), items, entries),
    )


def of_item(path: Path, benchmark: str, item: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The answers to one item and the verdicts on them, as in ``Evidence``."""
    verdicts = queries.verdicts(path, benchmark, item).sort_values(["entry", "repeat"])
    return queries.predictions(path, benchmark, item), verdicts.reset_index(drop=True)


def containing(path: Path, benchmark: str, text: str) -> frozenset[str]:
    """The items whose question, references or any answer contain a text, whatever its case."""
    return frozenset(queries.items_containing(path, benchmark, text)["item"])


def _lists(column: pd.Series) -> list[tuple[str, ...]]:
    return [() if text == "[]" else tuple(json.loads(text)) for text in column]


def _matrix(
    values: pd.Series,
    places: tuple[np.ndarray, np.ndarray],
    items: pd.DataFrame,
    entries: pd.DataFrame,
) -> pd.DataFrame:
    grid = np.full((len(items), len(entries)), np.nan)
    grid[places] = values.to_numpy(dtype=float)
    return pd.DataFrame(grid, index=items.index, columns=entries.index)


def _grades(rows: pd.DataFrame, items: pd.DataFrame, entries: pd.DataFrame) -> pd.DataFrame:
    place = rows["entry"].to_numpy()
    named = {"item": pd.Categorical.from_codes(rows["item"], categories=items.index)}
    named["entry"] = pd.Categorical.from_codes(place, categories=entries.index)
    for name in ("run", "metric", "version"):
        code, names = pd.factorize(entries[name])
        named[name] = pd.Categorical.from_codes(code[place], categories=names)
    return rows.assign(**named)


def _asked(asked: pd.DataFrame, items: pd.DataFrame, entries: pd.DataFrame) -> pd.DataFrame:
    by_revision = {
        revision: items.index.isin(ids) for revision, ids in asked.groupby("revision")["item"]
    }
    columns = [by_revision[revision] for revision in entries["revision"]]
    grid = np.column_stack(columns) if columns else np.zeros((len(items), 0), dtype=bool)
    return pd.DataFrame(grid, index=items.index, columns=entries.index)


def _failed(errors: pd.DataFrame, items: pd.DataFrame, entries: pd.DataFrame) -> pd.DataFrame:
    by_run = dict(list(errors.groupby("run")["item"]))
    grid = np.zeros((len(items), len(entries)), dtype=bool)
    for at, run in enumerate(entries["run"]):
        if run in by_run:
            grid[items.index.get_indexer(pd.Index(by_run[run])), at] = True
    return pd.DataFrame(grid, index=items.index, columns=entries.index)


def _particular(entries: pd.DataFrame) -> pd.Series:
    """Entry → the settings in which the runs of its model differ: ``image_size 16, seed 1``."""
    rows = {}
    for _, runs in entries.groupby("model", sort=False):
        settings = [json.loads(text) for text in runs["settings"]]
        names = [
            name
            for name in dict.fromkeys(name for setting in settings for name in setting)
            if len({json.dumps(values.get(name)) for values in settings}) > 1
        ]
        if "prompts" in names:  # a prompt set's name says enough
            names = [name for name in names if name not in SPELT_OUT]
        for entry, values in zip(runs.index, settings, strict=True):
            words = [f"{name} {values[name]}" for name in names if values.get(name) is not None]
            rows[entry] = ", ".join(words)
    return pd.Series(rows, index=entries.index, dtype=object)
