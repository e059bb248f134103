"""What a model needs and costs on a rented graphics card: memory, and dollars per 1,000 questions.

A gigabyte is 10^9 bytes here, the smaller reading of a card's size: what fits by it, fits.
"""

import json
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from evalcore.cost.api import Cost
from evalcore.errors import EvalcoreError
from evalcore.side_tables import CacheShape, GpuPrice

FEWEST = 20
"""Questions that a run must have answered to speak of speed."""
OTHERS = frozenset({"mig", "laptop", "max", "super", "ti", "ada"})
"""Words that make another card of the same number."""
_MEMORY = re.compile(r"\d+gb")
_DEVICE = re.compile(r"(?:cuda|xpu)(?::\d+)? (?P<name>.+)")
BYTES_PER_WEIGHT = {"32 bits": 4.0, "16 bits": 2.0, "8 bits": 1.0, "4 bits": 0.5}
"""Precision of the weights → bytes of one; the scales of 4 and 8 bits are part of the overhead."""
PRECISIONS = {"fp32": "32 bits", "bf16": "16 bits", "int8": "8 bits", "int4": "4 bits"}
"""Precision as a person asks for it → its name here; largest first."""
BYTES = {name: BYTES_PER_WEIGHT[bits] for name, bits in PRECISIONS.items()}
CACHE_BYTES = 2
"""Bytes of one cached number: servers keep the cache in 16 bits unless told otherwise."""
OVERHEAD = 0.2
"""Memory beyond the weights as a share of them: EleutherAI, "Transformer Math 101"."""
OVERHEAD_SOURCE = "https://blog.eleuther.ai/transformer-math/"


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

    def sentence(self) -> str:
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
    wanted, device_words = _words(gpu.partition("(")[0]), _words(device)
    size, sizes = _sizes(wanted), _sizes(device_words)
    named = wanted - size
    other_size = bool(sizes) and not size <= sizes
    return (
        bool(named)
        and named <= device_words
        and not other_size
        and not (device_words - wanted) & OTHERS
    )


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
    by_model: dict[str, list[Pace]] = defaultdict(list)
    seen = set()
    for row in runs.sort_values("created", ascending=False).to_dict("records"):
        run = str(row["id"]).partition("/")[0]
        if run not in seen and _tells(row):
            seen.add(run)
            by_model[str(row["model"])].append(
                Pace(
                    int(row["answered"]),
                    float(row["seconds"]),
                    str(row["device"]),
                    _bits(row["precision"], row["quantisation"]),
                    str(row["benchmark"]),
                )
            )
    return {model: tuple(each) for model, each in by_model.items()}


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
    where = "; ".join(
        dict.fromkeys(pace.sentence().removeprefix("measured here: ") for pace in known)
    )
    return f"What was measured here says nothing about this card or number format: {where}."


@dataclass(frozen=True)
class Load:
    """What a server holds at a time; a person states it."""

    image_tokens: float
    """Tokens of the pictures of one question."""
    prompt_tokens: float
    tokens_out: float
    at_a_time: int = 1
    """Questions that are answered at the same time."""


@dataclass(frozen=True)
class Memory:
    """Memory that a model takes on its cards, in gigabytes."""

    gb: float | None
    """All in all; None: unknown."""
    weights_gb: float | None
    """The weights alone: what it takes at least."""
    cache_gb: float | None
    """Keys and values of the questions held at a time; None: the model's shape is not known."""
    basis: tuple[str, ...]
    missing: tuple[str, ...] = ()


def memory(
    params_b: float | None, precision: str, load: Load, shape: CacheShape | None = None
) -> Memory:
    """Memory by precision: weights, a share of them for everything else, and the cache.

    weights = parameters x bytes each, all experts of a mixture included: they stay loaded even if
    a token uses few. cache = 2 x layers x heads x size of a head x 2 bytes for each token of
    pictures, prompt and answer, times the questions held at a time. Where the model's layers and
    heads are not known, the cache has to do with the overhead of a fifth of the weights, and the
    basis says so.

    Args:
        params_b: Real total of parameters, billions; None is unknown.
        precision: A key of ``BYTES_PER_WEIGHT``.
        load: What is held at a time.
        shape: Layers and heads, if known.

    Raises:
        EvalcoreError: The precision is none of the known ones.

    >>> memory(8.8, "16 bits", Load(1024, 100, 300)).weights_gb
    17.6
    """
    if precision not in BYTES_PER_WEIGHT:
        known = ", ".join(BYTES_PER_WEIGHT)
        raise EvalcoreError(f"no precision {precision!r}; known precisions: {known}")
    if params_b is None:
        lack = "The number of parameters is not known: state it in billions."
        return Memory(None, None, None, (), (lack,))
    weights = params_b * BYTES_PER_WEIGHT[precision]
    cache = None if shape is None else _cache_gb(shape, load)
    basis = (
        f"{params_b:g} billion parameters in {precision} are {weights:.1f} GB; all experts of a "
        "mixture count.",
        f"{OVERHEAD:.0%} of that on top, {weights * OVERHEAD:.1f} GB, for the picture encoder's "
        f"and the layers' work space: a rule of thumb ({OVERHEAD_SOURCE}).",
        _cache_in_words(shape, load, cache),
    )
    return Memory(with_overhead(weights) + (cache or 0.0), weights, cache, basis)


def with_overhead(weights_gb: float) -> float:
    """Memory of the weights and of everything else but the cache, in gigabytes."""
    return weights_gb * (1 + OVERHEAD)


def fits(need: Memory, gpu_gb: float) -> bool | None:
    """Whether it fits on a card of a size; None: unknown.

    >>> fits(memory(8.8, "16 bits", Load(1024, 100, 300)), 24)
    True
    """
    return None if need.gb is None else need.gb <= gpu_gb


def cards_for(need: Memory, gpu_gb: float) -> int:
    """How many cards of a size hold it, at least one; 0 if what it takes is unknown.

    >>> cards_for(memory(72, "16 bits", Load(1024, 100, 300)), 80)
    3
    """
    return 0 if need.gb is None else max(1, math.ceil(need.gb / gpu_gb))


def per_1000(
    need: Memory, rents: Sequence[GpuPrice], questions_per_hour: float | None, measured: str
) -> Cost:
    """What 1,000 questions cost on rented cards of one kind.

    cards x dollars an hour / questions an hour x 1,000, with as many cards as the memory takes.
    The dollars are the middle of the newest source's range; low and high span every source.

    Args:
        need: What the model takes.
        rents: Prices of one kind of card (same name).
        questions_per_hour: Answered by all cards together; None is unknown.
        measured: Where that number comes from: a run, or ``as stated``.
    """
    missing = list(need.missing)
    if not rents:
        missing.append("No price of such a card is known: add a row of gpu_prices.csv.")
    if not questions_per_hour:
        missing.append(
            "How many questions an hour the cards answer is not known: state it, or measure it "
            "with a run of this model."
        )
    if missing or need.gb is None or not questions_per_hour:
        return Cost(None, None, None, need.basis, tuple(missing))
    cards = cards_for(need, rents[0].memory_gb)
    newest = max(rents, key=_date)
    middle = (newest.usd_per_hour_low + newest.usd_per_hour_high) / 2
    each = cards / questions_per_hour * 1000
    count = "One" if cards == 1 else str(cards)
    basis = (
        *need.basis,
        f"{count} x {newest.gpu} for {need.gb:.1f} GB.",
        f"{middle:g} USD an hour each, the middle of {newest.usd_per_hour_low:g} to "
        f"{newest.usd_per_hour_high:g} as of {newest.as_of} ({newest.source}); low and high span "
        f"all {len(rents)} sources.",
        f"{questions_per_hour:,.0f} questions an hour ({measured}), the cards busy all the time.",
    )
    return Cost(
        middle * each,
        min(row.usd_per_hour_low for row in rents) * each,
        max(row.usd_per_hour_high for row in rents) * each,
        basis,
    )


def _cache_gb(shape: CacheShape, load: Load) -> float:
    a_token = 2 * shape.layers * shape.kv_heads * shape.head_dim * CACHE_BYTES
    return a_token * _held(load) / 1e9


def _held(load: Load) -> float:
    return load.at_a_time * (load.image_tokens + load.prompt_tokens + load.tokens_out)


def _cache_in_words(shape: CacheShape | None, load: Load, cache: float | None) -> str:
    tokens = (
        f"{load.at_a_time} at a time with {load.image_tokens:g} tokens of pictures, "
        f"{load.prompt_tokens:g} of text and {load.tokens_out:g} of answer"
    )
    if shape is None or cache is None:
        return (
            f"The cache of {tokens} is not counted by itself: the model's layers and heads are not "
            "known, so it has to fit into that share. Many questions at a time need more."
        )
    return (
        f"The cache of {tokens} is {cache:.2f} GB: {shape.layers} layers, {shape.kv_heads} heads "
        f"of {shape.head_dim} ({shape.source})."
    )


def _date(row: GpuPrice) -> tuple[bool, str]:
    """Undated sources are older than any dated one."""
    return row.as_of[:2] == "20", row.as_of
