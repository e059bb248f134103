"""Runs as their judges saw them: what counts of each, read once for all that is built of it.

A run that repeats a published protocol stands in that suite, as a source of its own kind (measured
here). Others stand in a suite named after their benchmark, with ``-runs`` behind it if a published
suite has that name. Runs that ship stand in a suite of their own.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import pandas as pd
import pyarrow
import pyarrow.compute as compute

from evalcore import catalog, home
from evalcore.engine import run_records, runs
from evalcore.engine.damage import Problem, broken, lost
from evalcore.engine.progress import open_still
from evalcore.engine.runs import Run
from evalcore.errors import EvalcoreError
from evalcore.records import Item, Suite
from evalcore.store import protocols

OWN = frozenset({"file", "hf"})
"""Loaders whose benchmarks are called as their maker happened to call a file or a data set."""
SHARED = 0.5
"""With at least so much of the smaller one's questions in common, two are one benchmark."""
Question = tuple[Any, ...]


@dataclass
class _Group:
    """The runs of one benchmark."""

    runs: list[Run]
    revisions: set[str]
    asked: set[Question]


def benchmark_names(asked: Sequence[tuple[Run, Sequence[Item]]]) -> dict[str, str]:
    """Name the benchmark of each run as it stands in the store.

    Args:
        asked: Runs, the oldest first, and their items.

    Returns:
        Run → name; the run's own, but for the later of several benchmarks that would be called
        alike: these have ``@`` and the name of the folder (or data set) behind it.
    """
    by_name: dict[str, list[tuple[Run, Sequence[Item]]]] = defaultdict(list)
    for run, items in asked:
        by_name[run.settings.benchmark].append((run, items))
    for alike in by_name.values():  # runs begun in one second always come in one order
        alike.sort(key=lambda pair: (str(pair[0].about["created"]), str(_path(pair[0]))))
    names: dict[str, str] = {}
    for name, alike in by_name.items():
        taken: set[str] = set()
        for group in _groups(alike):
            own = _free(name, group, taken)
            taken.add(own)
            names |= {run.id: own for run in group.runs}
    return names


def renamed(run: Run, name: str) -> Run:
    """A run that says of its benchmark what the store calls it."""
    run.settings = replace(run.settings, benchmark=name)
    return run


def _groups(alike: Sequence[tuple[Run, Sequence[Item]]]) -> list[_Group]:
    """The benchmarks among runs that call theirs alike, the oldest first."""
    first = alike[0][0]
    if {run.settings.loader for run, _ in alike} - OWN or len({_revision(r) for r, _ in alike}) < 2:
        return [_Group([run for run, _ in alike], {_revision(first)}, set())]
    groups: list[_Group] = []
    for run, items in alike:
        questions = {_question(item) for item in items}
        for group in groups:
            if _revision(run) in group.revisions or _same(run, questions, group):
                group.runs.append(run)
                group.revisions.add(_revision(run))
                group.asked |= questions
                break
        else:
            groups.append(_Group([run], {_revision(run)}, questions))
    return groups


def _same(run: Run, questions: set[Question], group: _Group) -> bool:
    """Whether a run asked what the others of a group did, or another sample of the same file."""
    common = len(questions & group.asked)
    if common >= max(1.0, SHARED * min(len(questions), len(group.asked))):
        return True
    return any(
        other.settings.loader_options == run.settings.loader_options
        and None not in (run.settings.limit, other.settings.limit)
        for other in group.runs
    )


def _question(item: Item) -> Question:
    return (item.id, item.question, item.answers, item.choices, tuple(map(str, item.images)))


def _free(name: str, group: _Group, taken: set[str]) -> str:
    """A name that no other benchmark has."""
    first = group.runs[0]
    path = _path(first)
    where = f"{name}@{runs.slug(path.parent.name or path.name or 'other')}"
    options = (name, where, f"{where}-{_revision(first)[:6]}")
    return next((option for option in options if option not in taken), f"{where}-{first.id}")


def _path(run: Run) -> PurePath:
    """The file or data set: its folder (or name) tells it from another of its name."""
    return PurePath(str(run.settings.loader_options.get("path", "")))


def _revision(run: Run) -> str:
    return str(run.about["revision"])


log = logging.getLogger(__name__)
DEMO = "demo"
"""The suite of the runs that ship, and its source."""


@dataclass(frozen=True)
class JudgedRun:
    """A run with one judge's verdicts, all repeats; none where there was nothing to judge."""

    run: Run
    items: list[Item]
    answered: set[str]
    failed: set[str]
    cut_off: set[str]
    """Of the answered: those that ended at their limit of tokens."""
    suite: str
    metric: str
    judge: str
    """The model that judged; empty for a rule."""
    named: str
    """The judge as its verdicts name it."""
    version: str
    """Of the judge."""
    keys: list[str]
    """Where this version's verdicts may lie: of ``run.judges()``."""
    particular: str | None
    """What must be said with every score: a sample, what the machine lacked."""
    scores: dict[str, float]
    """Item → the mean of its scores over the repeats."""
    repeats: dict[str, int]
    """Item → how many scores it has."""
    whole: bool
    """Whether every single score is 0 or 1."""
    seconds: float | None
    usd: float | None


def countable() -> list[Run]:
    """The runs that were judged and that nobody works on: one under way counts later.

    So does one with a judge and without verdicts: if every answer failed, that is what it shows.
    """
    return [run for run in runs.every() if not open_still(run) and _judged(run)]


def _judged(run: Run) -> bool:
    """Whether there are verdicts, or a judge had nothing to judge of what the model gave."""
    return bool(run.judges()) or (_tried(run) and bool(run.facts("judge")))


def _tried(run: Run) -> bool:
    """Whether the model gave an answer, or failed to."""
    lines = (run.folder / "predictions").glob("*.jsonl")
    return run.sealed("predictions") or any(path.stat().st_size for path in lines)


def everything() -> tuple[list[JudgedRun], list[Problem]]:
    """Every ended run that was judged, a row for each of its judges, and what is wrong with runs.

    Returns:
        The rows, of the oldest run first, and the runs that do not count or not whole. Whatever a
        folder holds, it is at most its own run that does not count.
    """
    published = _published()
    judged: list[JudgedRun] = []
    problems = [Problem(name, why, counts=False) for name, why in runs.unreadable().items()]
    asked = _asked(problems)
    names = benchmark_names(asked)
    for run, items in asked:
        try:
            own = renamed(run, names[run.id])
            rows, wrong = _graded(own, items, published), lost(run)
        # Of any kind, as what a damaged folder leads to cannot be listed; it is named on Runs.
        except Exception as error:  # noqa: BLE001
            problems.append(refused(run.id, error))
            continue
        judged += rows
        if wrong:
            problems.append(Problem(run.id, "; ".join(wrong), counts=True))
    return judged, problems


def _asked(problems: list[Problem]) -> list[tuple[Run, list[Item]]]:
    """The runs that count, the oldest first, with what they asked; others become problems."""
    items: dict[tuple[str, str], list[Item]] = {}
    asked: list[tuple[Run, list[Item]]] = []
    for run in sorted(countable(), key=lambda run: str(run.about["created"])):
        key = (run.settings.benchmark, str(run.about["revision"]))
        try:
            if why := broken(run):
                raise EvalcoreError(why)
            if key not in items:  # runs of one revision ask the same
                items[key] = run.items()
            asked.append((run, items[key]))
        except EvalcoreError as error:
            problems.append(refused(run.id, error))
    return asked


def refused(run: str, error: Exception) -> Problem:
    """A run that is passed over, logged."""
    reason = str(error) if isinstance(error, EvalcoreError) else f"{type(error).__name__}: {error}"
    log.warning("passed over: %s: %s", run, reason)
    return Problem(run, reason, counts=False)


def _published() -> frozenset[str]:
    """The suites of the catalogue."""
    folders = home.catalog_folders()
    paths = [path for folder in folders for path in catalog.files(folder, "suites.csv")]
    return frozenset(row.suite for path in paths for row in catalog.read(path, Suite))


def _graded(run: Run, items: list[Item], published: frozenset[str]) -> list[JudgedRun]:
    known = {item.id for item in items}
    if not known:
        raise EvalcoreError("it has no items")
    answers = run_records.answers(run, ("item", "text", "seconds", "usd", "ended"))
    if foreign := set(answers["item"].to_pylist()) - known:
        raise EvalcoreError(f"it answers {min(foreign)!r:.40}, which is none of its items")
    there = compute.is_valid(answers["text"])
    answered = set(answers["item"].filter(there).to_pylist())
    failed = set(answers["item"].to_pylist()) - answered
    ended_early = compute.and_(there, compute.equal(answers["ended"], "cut off"))
    cut_off = set(answers["item"].filter(ended_early).to_pylist())
    seconds, answers_usd = _sum(answers["seconds"]), _sum(answers["usd"])
    judged = []
    for (judge, version), verdicts in _verdicts(run).items():
        scored = verdicts[verdicts["score"].notna() & verdicts["item"].isin(answered)]
        by_item = scored.groupby("item", sort=False)["score"]
        judged.append(
            JudgedRun(
                run=run,
                items=items,
                answered=answered,
                failed=failed,
                cut_off=cut_off,
                **_place(run, judge, published),
                named=judge,
                version=version,
                keys=sorted(set(verdicts["key"])),
                particular=_particular(run, len(items)),
                scores={str(name): float(mean) for name, mean in by_item.mean().items()},
                repeats={str(name): int(count) for name, count in by_item.size().items()},
                whole=bool(scored["score"].isin((0.0, 1.0)).all()),
                seconds=seconds,
                usd=_total([answers_usd, _total(verdicts["usd"].dropna())]),
            )
        )
    return judged


def _verdicts(run: Run) -> dict[tuple[str, str], pd.DataFrame]:
    """The verdicts of each judge in one version: that with the most scores, then the newest.

    Another prompt, model setting or rule is another version, and is not averaged with it. The judge
    that the run named first comes first. In a run without a verdict each of its judges has none.
    """
    columns = ("item", "judge", "version", "score", "usd")
    tables = [
        run_records.verdicts(run, key, columns).to_pandas().assign(key=key) for key in run.judges()
    ]
    named = [(fact.about["judge"], fact.about["version"]) for fact in run.facts("judge")]
    none = pd.DataFrame(columns=[*columns, "key"]).astype({"score": float})
    rows = pd.concat(tables) if any(map(len, tables)) else none
    groups = dict(list(rows.groupby(["judge", "version"], sort=False))) or dict.fromkeys(
        named, none
    )

    def weight(version: tuple[str, str]) -> tuple[int, int]:
        scored = groups[version].loc[groups[version]["score"].notna(), "item"].nunique()
        return scored, max((at for at, pair in enumerate(named) if pair == version), default=-1)

    best: dict[str, tuple[str, str]] = {}
    for version in sorted(groups, key=weight):
        best[version[0]] = version
    order = dict.fromkeys([*(judge for judge, _ in named), *sorted(best)])
    return {best[judge]: groups[best[judge]] for judge in order if judge in best}


def _place(run: Run, judge: str, published: frozenset[str]) -> dict[str, str]:
    """Suite, metric and judge of what one judge of a run said."""
    rule = {"metric": judge, "judge": judge.partition(":")[2]}
    if run.shipped:
        return {"suite": DEMO, **rule}
    protocol = protocols.repeated(run, judge)
    if protocol:
        return {
            "suite": protocol.suite,
            "metric": protocol.metric,
            "judge": protocol.judge_in_store,
        }
    name = run.settings.benchmark
    return {"suite": f"{name}-runs" if name in published else name, **rule}


def _particular(run: Run, number: int) -> str | None:
    """What is particular about a run's questions or answers; None if nothing is."""
    settings, particulars = run.settings, []
    if run.shipped:
        particulars.append("demo: a run that ships with Sextant")
    if settings.limit is not None:
        particulars.append(f"a sample of {number} questions (seed {settings.seed})")
    if settings.adapter == "answers":
        particulars.append("answers made elsewhere, from a file")
    if left_out := run.fact("left out"):
        particulars.append(left_out)
    return "; ".join(particulars) or None


def _sum(values: pyarrow.ChunkedArray) -> float | None:
    """The sum of what is known; None if nothing is."""
    total = compute.sum(values).as_py()
    return None if total is None else float(total)


def _total(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
