"""A benchmark for contrastive models: pictures, what may be said of them, and what is right."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from evalcore.contrastive.pictures import Pictures, numbered
from evalcore.contrastive.scoring import Bools, Ints
from evalcore.errors import BadInput

TEMPLATE = "a photo of a {}."


@dataclass(frozen=True)
class Task:
    """One benchmark, ready to be run.

    With ``classes`` each picture shows one class (``labels`` holds its number) or several
    (``labels`` is a table of yes and no). With ``captions`` each picture has a few, one of them
    right. With ``captions`` and ``pairs`` two pictures follow each other for each two captions.
    """

    id: str
    """As it will stand in the store."""
    pictures: Pictures
    classes: tuple[str, ...] = ()
    labels: Ints | Bools | None = None
    """(n,) class numbers, or (n, classes) whether a picture shows a class."""
    templates: tuple[str, ...] = (TEMPLATE,)
    """Sentences with ``{}`` or ``{c}`` for the class; their embeddings are averaged."""
    captions: tuple[tuple[str, ...], ...] = ()
    right: Ints | None = None
    """(n,) the place of each picture's right caption."""
    pairs: bool = False
    metric: str | None = None
    """The main metric if it is not the first that is computed."""
    type: str | None = None
    capability: str | None = None
    source: Mapping[str, Any] = field(default_factory=dict)
    """Loader and options that give this benchmark again."""
    coded: bool = False
    """Whether the classes are called by codes of the data, for want of words."""

    def __len__(self) -> int:
        """How many items it has."""
        return len(self.pictures) // 2 if self.pairs else len(self.pictures)

    @property
    def several(self) -> bool:
        """Whether a picture may show several classes."""
        return self.labels is not None and np.ndim(self.labels) == 2

    def prompts(self) -> list[str]:
        """The texts of all classes, template by template inside a class."""
        return [fill(template, name) for name in self.classes for template in self.templates]

    def with_prompts(
        self, classes: tuple[str, ...] | None, templates: tuple[str, ...] | None
    ) -> "Task":
        """The same pictures with other class names or templates.

        Raises:
            BadInput: It is of captions, or these do not fit.
        """
        if self.captions:
            raise BadInput(
                f"benchmark {self.id!r} is of captions, which class names and templates do not "
                "change; these are for pictures with classes (CountBench's: hf:nielsr/countbench)"
            )
        if classes and not self.coded and len(classes) != len(self.classes):
            raise BadInput(
                f"benchmark {self.id!r} has {len(self.classes)} classes, and {len(classes)} names "
                "are given for them; a name for each is wanted, in the same order"
            )
        worded = replace(
            self,
            classes=classes or self.classes,
            templates=templates or self.templates,
            coded=self.coded and not classes,
        )
        check(worded)
        return worded

    def cluster(self) -> Ints | None:
        """(items,) a number each, the same for items about one picture or parts of it.

        Returns:
            None where each item stands alone, as far as is known.
        """
        shown = self.pictures.wholes()
        if shown is None or not self.pairs:
            return shown
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        first, second = shown.reshape(-1, 2).T
        size = int(shown.max()) + 1
        beside = coo_array((np.ones(len(first)), (first, second)), shape=(size, size))
        return numbered(connected_components(beside, directed=False)[1][first].tolist())

    def undecidable(self) -> Bools:
        """(items,) whether a wrong caption is the right one's equal: no answer can be right."""
        if not self.captions:
            return np.zeros(len(self), bool)
        right = [0] * len(self) if self.right is None else self.right.tolist()
        pairs = zip(self.captions, right, strict=True)
        return np.array([options.count(options[at]) > 1 for options, at in pairs], bool)

    def wording(self) -> str:
        """A hash of what is said of the pictures."""
        content = json.dumps([self.classes, self.templates, self.captions])
        return hashlib.sha256(content.encode()).hexdigest()[:12]

    def revision(self) -> str:
        """A hash of the pictures and of what is right."""
        digest = hashlib.sha256(f"{self.pictures.revision} {len(self)} {self.pairs}".encode())
        for array in (self.labels, self.right):
            digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:12]


def fill(template: str, name: str) -> str:
    """A template with a class in it.

    >>> fill("a photo of a {c}.", "cat"), fill("a {}", "dog")
    ('a photo of a cat.', 'a dog')
    """
    return template.replace("{c}", name).replace("{}", name)


def check(task: Task) -> None:
    """Refuse what cannot be scored.

    Raises:
        BadInput: It has no pictures, no classes, labels outside the classes, captions that miss ...
    """
    where, n = f"benchmark {task.id!r}", len(task.pictures)
    if n == 0:
        raise BadInput(f"{where} has no pictures")
    if task.captions:
        _check_captions(task, where)
        return
    if len(task.classes) < 2:  # noqa: PLR2004
        raise BadInput(
            f"{where} has {_only(task.classes)}; a choice needs two classes or more, as any answer "
            "is right among one"
        )
    if list(task.classes).count("") > 1:  # CLEVR's distances leave one without a word
        raise BadInput(f"{where} needs a name for each class; it has {list(task.classes)[:5]}")
    lacks = [
        template for template in task.templates if "{}" not in template and "{c}" not in template
    ]
    if not task.templates or lacks:
        raise BadInput(f"{where}: template {(lacks or [''])[0]!r} should hold {{}} for the class")
    _check_labels(task, where)


def _only(classes: tuple[str, ...]) -> str:
    return f"one class, {classes[0]!r}" if classes else "no classes"


def check_words(task: Task) -> None:
    """Refuse classes that are called by codes.

    Raises:
        BadInput: So.
    """
    if task.coded:
        some = ", ".join(map(repr, task.classes[:3]))
        raise BadInput(
            f"benchmark {task.id!r}: its {len(task.classes)} classes are called {some} ..., which "
            "says nothing to a model; name them in classnames.txt beside the data, a line a class "
            "in this order, or with --prompts FILE (the codes again, if they are meant)"
        )


def _check_labels(task: Task, where: str) -> None:
    n, classes = len(task.pictures), len(task.classes)
    if task.labels is None or len(task.labels) != n:
        have = "no" if task.labels is None else len(task.labels)
        raise BadInput(f"{where} has {n} pictures and {have} labels")
    if task.several:
        if task.labels.shape[1] != classes:
            raise BadInput(f"{where}: labels of {task.labels.shape[1]} classes, not of {classes}")
        if not task.labels.any():
            raise BadInput(f"{where}: no picture shows any of its {classes} classes")
        return
    low, high = int(task.labels.min()), int(task.labels.max())
    if low < 0 or high >= classes:
        raise BadInput(
            f"{where}: labels from {low} to {high}, but {classes} classes count from 0 to "
            f"{classes - 1}"
        )


def _check_captions(task: Task, where: str) -> None:
    n, items = len(task.pictures), len(task.captions)
    if task.pairs:
        if n != 2 * items or any(len(caption) != 2 for caption in task.captions):
            raise BadInput(f"{where}: two pictures and two captions an item; it has {n}, {items}")
    else:
        _check_right(task, where)
    if task.undecidable().all():
        raise BadInput(
            f"{where}: in every item the right caption and a wrong one are equal "
            f"({task.captions[0][0]!r}); a wrong caption should say something else"
        )


def _check_right(task: Task, where: str) -> None:
    n, items = len(task.pictures), len(task.captions)
    if n != items or task.right is None or len(task.right) != n:
        raise BadInput(f"{where}: {n} pictures, captions of {items}")
    for at, (options, right) in enumerate(zip(task.captions, task.right, strict=True)):
        if len(options) < 2:  # noqa: PLR2004
            raise BadInput(
                f"{where}: {task.pictures.name(at)} has one caption, {options[0]!r}; a wrong one "
                "beside it is wanted"
                if options
                else f"{where}: {task.pictures.name(at)} has none"
            )
        if not 0 <= right < len(options):
            raise BadInput(
                f"{where}: {task.pictures.name(at)} has {len(options)} captions, and the right one "
                f"would be number {right + 1}"
            )
