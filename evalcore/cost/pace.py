"""How fast models answered in one's own runs, and whether that says anything about a card.

A speed belongs to the device, the number of such devices and the number format that it was measured
with; it is never carried over to another.
"""

import json
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

FEWEST = 20
"""Questions that a run must have answered to speak of speed."""
OTHERS = frozenset({"mig", "laptop", "max", "super", "ti", "ada"})
"""Words that make another card of the same number."""
_MEMORY = re.compile(r"\d+gb")
_DEVICE = re.compile(r"(?:cuda|xpu)(?::\d+)? (?P<name>.+)")


@dataclass(frozen=True)
class Pace:
    """The speed of one run."""

    questions: int
    seconds: float
    """Of the model alone, for all of them: without loading it, without judges."""
    device: str
    """As the run recorded it: ``cuda:0 NVIDIA A40``; several cards with commas between."""
    precision: str
    """``32 bits``, ``16 bits``, ``4 bits``, or empty: unknown."""
    benchmark: str

    @property
    def per_hour(self) -> float:
        """Questions an hour, by all its devices together."""
        return 3600 * self.questions / self.seconds

    def on(self, gpu: str, precision: str) -> int:
        """On how many cards of that name it was measured; 0 if on anything else or unsure.

        >>> Pace(100, 50.0, "cuda:0 NVIDIA H200", "16 bits", "b").on("H200 141GB", "16 bits")
        1
        >>> Pace(100, 50.0, "cpu AMD EPYC", "32 bits", "b").on("H200 141GB", "32 bits")
        0
        """
        parts = [_DEVICE.fullmatch(part.strip()) for part in self.device.split(",")]
        same = [part is not None and is_card(gpu, part["name"]) for part in parts]
        return len(parts) if all(same) and self.precision == precision else 0

    def said(self) -> str:
        """Where it comes from, in words."""
        bits = f", {self.precision}" if self.precision else ""
        return (
            f"measured here: {self.questions:,} questions of {self.benchmark} on "
            f"{self.device}{bits}"
        )


def is_card(gpu: str, device: str) -> bool:
    """Whether a device's product name is that of a graphics card as price lists name it.

    Sizes of memory and forms (SXM, PCIe) must not differ; a form that the list names must be told.

    >>> is_card("A100 80GB", "NVIDIA A100-SXM4-80GB"), is_card("A10 24GB", "NVIDIA A100 80GB PCIe")
    (True, False)
    """
    wanted, found = _words(gpu.partition("(")[0]), _words(device)
    size, sizes = _sizes(wanted), _sizes(found)
    named = wanted - size
    other_size = bool(sizes) and not size <= sizes
    return bool(named) and named <= found and not other_size and not (found - wanted) & OTHERS


def _sizes(words: set[str]) -> set[str]:
    return {word for word in words if _MEMORY.fullmatch(word)}


def _words(name: str) -> set[str]:
    whole = re.sub(r"(\d) gb\b", r"\1gb", name.lower())
    # The number of a socket's make is no matter: SXM4 is SXM.
    return {re.sub(r"^sxm\d$", "sxm", word) for word in re.findall(r"[a-z0-9]+", whole)}


def paces(runs: pd.DataFrame | None) -> dict[str, tuple[Pace, ...]]:
    """The speeds of the runs in the store, by model; the newest run first.

    Args:
        runs: One row a run and judge: id, model, benchmark, settings, created, device, precision,
            quantisation, answered and seconds. Runs of models behind a server tell no speed of a
            card, and several workers at once have no seconds of their own.
    """
    if runs is None or runs.empty:
        return {}
    found: dict[str, list[Pace]] = defaultdict(list)
    seen = set()
    for row in runs.sort_values("created", ascending=False).to_dict("records"):
        run = str(row["id"]).partition("/")[0]
        if run not in seen and _tells(row):
            seen.add(run)
            found[str(row["model"])].append(
                Pace(
                    int(row["answered"]),
                    float(row["seconds"]),
                    str(row["device"]),
                    _bits(row["precision"], row["quantisation"]),
                    str(row["benchmark"]),
                )
            )
    return {model: tuple(each) for model, each in found.items()}


def _tells(row: Mapping[Any, Any]) -> bool:
    seconds, device = row["seconds"], str(row["device"])
    measured = not pd.isna(seconds) and seconds > 0 and math.isfinite(seconds)
    local = json.loads(row["settings"]).get("adapter") in ("transformers", "remote-code")
    return measured and local and row["answered"] >= FEWEST and ";" not in device


def _bits(precision: Any, quantisation: Any) -> str:
    if isinstance(quantisation, str) and quantisation.startswith("4 bits"):
        return "4 bits"
    known = {"float32": "32 bits", "bfloat16": "16 bits", "float16": "16 bits"}
    return known.get(str(precision).removeprefix("torch."), "")


def fitting(known: Sequence[Pace], gpu: str, precision: str, cards: int) -> Pace | None:
    """The speed that was measured on so many cards of that name: of most questions, else newest."""
    fit = [pace for pace in known if pace.on(gpu, precision) == cards]
    return max(fit, key=lambda pace: pace.questions, default=None)


def elsewhere(known: Sequence[Pace]) -> str:
    """What was measured on something else, in a sentence; empty if nothing was."""
    if not known:
        return ""
    where = "; ".join(dict.fromkeys(pace.said().removeprefix("measured here: ") for pace in known))
    return f"What was measured here says nothing about this card or number format: {where}."
