"""Whether data are the benchmark that they are called: classes and items beside the known counts.

A part of a benchmark, or more than it, is another measure. It stands in the store under a name of
its own, never as the benchmark.
"""

import numpy as np

from evalcore.contrastive import unibench
from evalcore.contrastive.datasets import corrupted
from evalcore.contrastive.datasets.options import OPTIONS, OWN
from evalcore.contrastive.task import Task
from evalcore.errors import BadInput


def check(task: Task) -> None:
    """Refuse what is called by a name of the catalogue and has other counts.

    Raises:
        BadInput: So; it says both counts and how to go on under another name.
    """
    row = unibench.catalogued().get(task.id)
    if row is None:
        return
    odd = differences(task, expected_items(task.id, row.n_items), row.n_classes)
    if odd:
        where = str(task.source.get("path", "PATH"))
        asked_for = {name: task.source[name] for name in OPTIONS if name in task.source}
        asked = "&".join(f"{name}={_asked(value)}" for name, value in asked_for.items())
        raise BadInput(
            f"benchmark {task.id!r}: {where} has {'; '.join(odd)}. So it is not that benchmark; to "
            f"run it under a name of its own: --benchmark "
            f"'{task.id}={where}?{asked}{'&' if asked else ''}{OWN}={task.id}-mine'"
        )


def _asked(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def differences(task: Task, items: int | None, classes: int | None) -> list[str]:
    """What tells data from the benchmark of their name, in words; nothing where nothing does.

    Args:
        task: The data.
        items: How many items the benchmark has; None: unknown.
        classes: How many classes; None: unknown. Counted where pictures show classes.
    """
    differing = []
    if task.source.get("corruption") and not _whole(task):
        differing.append(
            "pictures corrupted in some ways (imagenetc is all 15 at all 5 severities)"
        )
    if items is not None and len(task) != items:
        differing.append(f"{len(task):,} items, the benchmark has {items:,}")
    if classes is not None and task.labels is not None and not _of_captions(task):
        shown, named = shown_classes(task), len(task.classes)
        if shown != classes or named != classes:
            shown_text = (
                f"{shown:,} classes" if shown == named else f"{shown:,} of {named:,} classes"
            )
            differing.append(f"pictures of {shown_text}, the benchmark has {classes:,}")
    return differing


def shown_classes(task: Task) -> int:
    """How many classes any picture shows."""
    labels = np.asarray(task.labels)
    several = labels.ndim == 2  # noqa: PLR2004
    return int(labels.any(axis=0).sum()) if several else len(np.unique(labels))


def expected_items(benchmark: str, catalogued: int | None) -> int | None:
    """How many items a benchmark has, by the catalogue, else by its makers; None: unknown."""
    if catalogued is not None:
        return catalogued
    return next((row.items for row in unibench.data() if row.benchmark == benchmark), None)


def _of_captions(task: Task) -> bool:
    """Whether classes stand where the benchmark has captions; the store keeps these apart."""
    form = next((row.form for row in unibench.data() if row.benchmark == task.id), "classes")
    return form != "classes"


def _whole(task: Task) -> bool:
    """Whether all corruptions at all severities are there, and it is called so."""
    kinds = (task.source.get("corruption"), task.source.get("severity"))
    every = (list(corrupted.CORRUPTIONS), list(corrupted.SEVERITIES))
    return task.id == "imagenetc" and kinds == every
