"""Which runs asked the same benchmark: two files of one name are two, whatever they are called.

A file of one's own gives its name to its benchmark, and every second one is called ``test``. What
was asked decides: runs of one revision asked the same, and so did runs most of whose questions (id,
text, references, pictures) are the same, such as samples of one file or a file that has grown.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from evalcore.engine import runs
from evalcore.engine.runs import Run
from evalcore.records import Item

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


def named(asked: Sequence[tuple[Run, Sequence[Item]]]) -> dict[str, str]:
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
        alike.sort(key=lambda one: (str(one[0].about["created"]), str(_path(one[0]))))
    found: dict[str, str] = {}
    for name, alike in by_name.items():
        taken: set[str] = set()
        for group in _groups(alike):
            own = _free(name, group, taken)
            taken.add(own)
            found |= {run.id: own for run in group.runs}
    return found


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
    return next((one for one in options if one not in taken), f"{where}-{first.id}")


def _path(run: Run) -> PurePath:
    """The file or data set: its folder (or name) tells it from another of its name."""
    return PurePath(str(run.settings.loader_options.get("path", "")))


def _revision(run: Run) -> str:
    return str(run.about["revision"])
