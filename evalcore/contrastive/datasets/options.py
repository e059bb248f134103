"""What may be asked of a benchmark's data behind their path, as in a link."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl

from evalcore.contrastive import unibench
from evalcore.errors import BadInput

Options = Mapping[str, str]
OPTIONS = {
    "split": "of shards, a Hugging Face data set or class folders: test, validation or train; "
    "default: the first of these that is there",
    "as": "the name to run it under, where it is not the whole benchmark",
    "question": "of CLEVR's scenes: count or distance; default: as the benchmark is called",
    "config": "the folder of one of several Hugging Face data sets",
    "image": "the column with pictures",
    "label": "the column with classes",
    "objects": "of VOC 2007: cut (default), or whole pictures with several classes each",
    "corruption": "one or several of ImageNet-C's, or all",
    "severity": "of corruptions: 1 to 5, or all",
}
"""What may be asked behind a path."""
TAKES: Mapping[str, frozenset[str]] = {
    "arrow": frozenset({"split", "config", "image", "label"}),
    "folders": frozenset({"split"}),
    "shards": frozenset({"split"}),
    "voc": frozenset({"objects"}),
}
"""By which kind of data; any kind of classes may be corrupted."""
CORRUPTED = frozenset({"corruption", "severity"})
OWN = "as"


def parted(name: str, path: str) -> tuple[str, Options]:
    """A path and what is asked behind it."""
    text, mark, asked = path.rpartition("?")
    if not mark or Path(path).exists():
        return path, {}
    pairs = parse_qsl(asked, keep_blank_values=True)
    options = dict(pairs)
    wrong = [option for option in options if option not in OPTIONS]
    if wrong or not options:
        those = "; ".join(f"{key}: {what}" for key, what in OPTIONS.items())
        raise BadInput(f"benchmark {name!r}: {asked!r} asks for nothing known ({those})")
    if len(options) < len(pairs):
        raise BadInput(f"benchmark {name!r}: {asked!r} asks for one thing twice")
    return text, options


def own_name(name: str, options: Options) -> str:
    """The name to run it under: the benchmark's, or another one that no benchmark has."""
    own = options.get(OWN, name).strip()
    known_as = {_letters(row.name): benchmark for benchmark, row in unibench.catalogued().items()}
    known_as |= {_letters(benchmark): benchmark for benchmark in unibench.catalogued()}
    meant = known_as.get(_letters(own))
    if meant and own not in known_as.values():
        raise BadInput(
            f"benchmark {name!r}: the catalogue calls {own!r} {meant}; say {meant}=PATH for the "
            f"whole benchmark, or {meant}=PATH?{OWN}={meant}-mine for something else"
        )
    if OWN in options and (not own or own in unibench.catalogued()):
        raise BadInput(
            f"benchmark {name!r}: ?{OWN}={own} should be a name of its own, such as {name}-mine; "
            "the catalogue's names are of whole benchmarks"
        )
    return own


def _letters(name: str) -> str:
    """A name without what people write differently: "CIFAR-10", "cifar_10" and "Cifar10"."""
    return "".join(char for char in name.casefold() if char.isalnum())
