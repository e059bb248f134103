"""What the Digits page shows: published scores on digits and counts, and the studies run here."""

from dataclasses import dataclass

import pandas as pd

from evalcore.analysis import estimates, gains, profiles
from evalcore.contrastive.digits import COUNTED, DEMO, HANDWRITTEN, STUDY, study_key
from evalcore.suites import suite
from pages.shared.controls import SidebarState
from pages.shared.results import Store

SETS = (*HANDWRITTEN, *reversed(COUNTED))
TOP = range(1, 6)
LABELS = {"words": "word labels", "digits": "digit labels"}
PROMPTS = {
    "specialised words": "specialised word prompts",
    "specialised digits": "specialised digit prompts",
    "basic": "basic prompt",
    "own": "the set's own prompts",
}
PAPER = (
    ("words", "specialised words"),
    ("words", "basic"),
    ("words", "specialised digits"),
    ("digits", "specialised digits"),
    ("digits", "basic"),
    ("digits", "specialised words"),
)
"""Set-ups on MNIST from best to worst, as printed in section 8.0.1 of UniBench."""
STUDIED = [
    *("key", "suite", "model", "name", "benchmark", "title", "labels", "prompts", "k", "value"),
    *("low", "high", "n", "chance", "note"),
]


@dataclass(frozen=True)
class Published:
    """Scores of a table's models that pass the sidebar's filters, on digits and counts."""

    rows: pd.DataFrame
    """One row a model and benchmark, the best first inside a benchmark: model, name, benchmark,
    title, rank, value, low, high, n, chance (fractions)."""
    medians: pd.DataFrame
    """As from ``gains.against_chance``."""
    titles: dict[str, str]
    """Benchmark to name on screen, in the page's order; those that the table has."""


def published(choice: SidebarState, table: str) -> Published:
    """What a table says about digits and counts; empty where no model passes the filters."""
    data = choice.data if choice.data.suite == table else choice.store.suite(table)
    kept, _ = suite.split_models(data.models, choice.models)
    scores, benchmarks = data.scores, data.benchmarks
    scores = scores[scores["benchmark"].isin(SETS) & scores["model"].isin(kept)]
    scores = scores[scores["axis"] == "benchmark"]
    titles = _titles(benchmarks, set(scores["benchmark"]))
    if scores.empty:
        return Published(pd.DataFrame(columns=["benchmark", "model", "name"]), scores, titles)
    rows = profiles.estimated_rows(scores, benchmarks, "benchmark")
    yours = data.models["source"].eq("upload").map({True: " (yours)", False: ""})
    names = dict(zip(data.models["model"], data.models["name"].astype(str) + yours, strict=True))
    rows = rows.assign(
        name=rows["model"].map(names),
        title=rows["benchmark"].map(titles),
        chance=estimates.chance_level(rows, benchmarks),
        rank=rows.groupby("benchmark")["value"].rank(ascending=False, method="first").astype(int),
    )
    order = rows["benchmark"].map(list(titles).index)
    rows = rows.assign(order=order).sort_values(["order", "rank"], ignore_index=True)
    return Published(rows, gains.against_chance(scores, benchmarks), titles)


def studies(store: Store) -> pd.DataFrame:
    """Every score of the digit studies, those run here first.

    Returns:
        One row a study (model and benchmark), set-up and k: key (names the study), suite, model,
        name, benchmark, title, labels, prompts, k (1 to 5), value, low, high, n, chance
        (fractions; NaN where unknown), note.
    """
    study_rows: pd.DataFrame = store.once(_studies)
    return study_rows


def _studies(store: Store) -> pd.DataFrame:
    known = set(store.table("suites")["suite"])
    parts = [_of_suite(store.suite(name)) for name in (STUDY, DEMO) if name in known]
    parts = [part for part in parts if len(part)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=STUDIED)


def _of_suite(data: suite.SuiteData) -> pd.DataFrame:
    there = set(data.scores["axis"])
    axes = [(k, f"top-{k}") for k in TOP if f"top-{k}" in there]
    if not axes:
        return pd.DataFrame(columns=STUDIED)
    rows = pd.concat(
        [
            profiles.estimated_rows(
                data.scores, data.benchmarks, axis, include_suspect=True
            ).assign(k=k)
            for k, axis in axes
        ],
        ignore_index=True,
    )
    # A tag reads "mnist: words x basic".
    about = rows["tag"].str.extract(r"^(?P<benchmark>.+): (?P<labels>.+?) x (?P<prompts>.+)$")
    rows = rows.assign(chance=estimates.chance_level(rows, data.benchmarks)).drop(
        columns="benchmark"
    )
    rows = rows.join(about)
    titles = data.benchmarks.set_index("benchmark")["name"]
    names = data.models.set_index("model")["name"]
    mark = " (demo)" if data.suite == DEMO else ""
    rows = rows.assign(
        suite=data.suite,
        name=rows["model"].map(names).astype(str) + mark,
        title=rows["benchmark"].map(titles).fillna(rows["benchmark"]).astype(str),
        key=[
            study_key(data.suite, *pair)
            for pair in zip(rows["model"], rows["benchmark"], strict=True)
        ],
    )
    return rows.sort_values(["name", "benchmark"], kind="stable")[STUDIED]


def ranked(study: pd.DataFrame) -> pd.DataFrame:
    """One study with its set-ups from best to worst by top-1: columns setup, rank, paper added.

    Args:
        study: Rows of one key of ``studies``.

    Returns:
        The rows; rank is the set-up's place here, paper its place in UniBench's list (on MNIST;
        missing elsewhere), setup its name on screen.
    """
    best = study[study["k"] == 1].sort_values("value", ascending=False, kind="stable")
    pairs = list(zip(best["labels"], best["prompts"], strict=True))
    place = {pair: number for number, pair in enumerate(pairs, 1)}
    printed = {pair: number for number, pair in enumerate(PAPER, 1)}
    own = list(zip(study["labels"], study["prompts"], strict=True))
    on_mnist = study["benchmark"].eq("mnist").all()
    rows = study.assign(
        setup=[setup(*pair) for pair in own],
        rank=[place[pair] for pair in own],
        paper=pd.array([printed.get(pair) if on_mnist else None for pair in own], dtype="Int64"),
    )
    return rows.sort_values(["rank", "k"], ignore_index=True)


def setup(labels: str, prompts: str) -> str:
    """A set-up's name on screen."""
    return f"{LABELS.get(labels, labels)}, {PROMPTS.get(prompts, prompts)}"


def _titles(benchmarks: pd.DataFrame, there: set[str]) -> dict[str, str]:
    names = benchmarks.set_index("benchmark")["name"]
    return {name: str(names[name]) for name in SETS if name in there}
