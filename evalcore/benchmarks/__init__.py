"""Where questions come from: each loader reads one kind of source into items."""

from collections.abc import Callable, Iterator, Mapping

from evalcore.benchmarks import easy_vqa, hf, mmvet2, own_file, vqa360
from evalcore.records import Item

Loader = Callable[..., Iterator[Item]]

LOADERS: Mapping[str, Loader] = {
    "easy-vqa": easy_vqa.load,
    "file": own_file.load,
    "hf": hf.load,
    "mm-vet-v2": mmvet2.load,
    "vqa360": vqa360.load,
}
"""Name to loader; what each needs stands in its docstring."""
