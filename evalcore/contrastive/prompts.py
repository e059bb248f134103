"""What is said of the classes: names and templates, from packages, files, or rows of our own."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from evalcore import files, home
from evalcore.benchmarks.tables import json_file, whole_text
from evalcore.contrastive.task import TEMPLATE
from evalcore.contrastive.unibench import data as known_data
from evalcore.errors import BadInput
from evalcore.messages import quoted

IMAGENET = frozenset(
    {
        "imagenet1k", "imagenetv2", "imagenet_sketch", "imagenetc", "imagenete", "imagenet9",
        "imagenet-1k",
    }
)  # fmt: skip
"""Benchmarks with ImageNet's 1,000 classes in ImageNet's order."""
CLIP_BENCHMARK = "clip-benchmark"
"""As ``--prompts``: the names and templates that the package clip-benchmark ships."""
Words = tuple[str, ...]


@dataclass(frozen=True)
class Prompts:
    """Class names and templates; None leaves the benchmark's own."""

    classes: Words | None = None
    templates: Words | None = None
    name: str = ""
    """Of a set that is not the benchmark's own."""


def usual(benchmark: str) -> Prompts:
    """What is usually said in a benchmark: open_clip's for ImageNet, rows of our own for others."""
    if benchmark in IMAGENET:
        from open_clip.zero_shot_metadata import IMAGENET_CLASSNAMES, OPENAI_IMAGENET_TEMPLATES

        templates = tuple(template("{}") for template in OPENAI_IMAGENET_TEMPLATES)
        return Prompts(tuple(IMAGENET_CLASSNAMES), templates)
    rows = _read(home.ROOT / "data" / "zeroshot" / "prompts.json")
    return _of(rows[benchmark]) if benchmark in rows else Prompts()


def given(text: str, benchmark: str) -> Prompts:
    """What a person asks for: a JSON file, or ``clip-benchmark`` where that package is installed.

    The file holds ``classes`` and ``templates`` (or one of them), or both by benchmark.

    Raises:
        BadInput: It cannot be read.
    """
    if text == CLIP_BENCHMARK:
        return _clip_benchmark(benchmark)
    path = Path(text)
    rows = _read(path)
    parsed = _of(rows.get(benchmark, rows) if isinstance(rows, dict) else rows)
    if parsed.classes is None and parsed.templates is None:
        raise BadInput(
            f'{path}: no "classes" and no "templates", neither at the top nor for {benchmark!r}'
        )
    return Prompts(parsed.classes, parsed.templates, path.stem)


def lines(path: Path) -> Words | None:
    """The lines of a text file, without those at its end that are empty; None if there is none.

    An empty line between others is a name: published lists leave one class without a word.
    """
    if files.wrong(path):
        return None
    return tuple(line.strip() for line in whole_text(path).rstrip().splitlines())


def of_folder(folder: Path) -> Prompts:
    """What a folder itself says, in clip-benchmark's layout."""
    return Prompts(
        lines(folder / "classnames.txt"), lines(folder / "zeroshot_classification_templates.txt")
    )


def first(*choices: Prompts) -> tuple[Words | None, Words]:
    """The first class names and the first templates that someone names; one template at least."""
    classes = next((choice.classes for choice in choices if choice.classes), None)
    return classes, next((choice.templates for choice in choices if choice.templates), (TEMPLATE,))


def _clip_benchmark(benchmark: str) -> Prompts:
    spec = find_spec("clip_benchmark")
    if spec is None or spec.origin is None:
        raise BadInput(f"prompts {CLIP_BENCHMARK!r}: the package clip-benchmark is not installed")
    folder = Path(spec.origin).parent / "datasets"
    classes = _read(folder / "en_classnames.json")
    templates = _read(folder / "en_zeroshot_classification_templates.json")
    row = next((source for source in known_data() if source.benchmark == benchmark), None)
    names = ["imagenet1k" if benchmark in IMAGENET else benchmark, *([row.folder] if row else [])]
    # Not its own templates under another's name: the run would stand beside published ones.
    name = next((own for own in names if isinstance(templates.get(own), list)), None)
    if name is None:
        raise BadInput(
            f"prompts {CLIP_BENCHMARK!r}: clip-benchmark has no templates for {benchmark!r}; "
            f"it has some for {', '.join(sorted(templates))}"
        )
    return Prompts(
        tuple(classes[name]) if name in classes else None,
        tuple(templates[name]),
        CLIP_BENCHMARK,
    )


def _of(row: Any) -> Prompts:
    if not isinstance(row, dict):
        return Prompts()
    return Prompts(_words(row, "classes"), _words(row, "templates"))


def _words(row: Mapping[str, Any], name: str) -> Words | None:
    words = row.get(name)
    if not words:
        return None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise BadInput(f"prompts: {name!r} should be a list of texts, not {quoted(words)}")
    return tuple(words)


def _read(path: Path) -> Any:
    try:
        return json_file(path)
    except BadInput as error:
        raise BadInput(f"prompts {error}") from None
