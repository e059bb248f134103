"""How local models run: what this machine offers to them, and answering in batches.

The next batch is prepared while the device works, and a full memory halves it.
"""

import contextlib
import os
import platform
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeVar

from evalcore.errors import BadInput, ModelUnavailable
from evalcore.records import Item, Prediction

FLASH = "flash_attention_2"
IF_POSSIBLE = "-if-possible"
"""After a setting's value: without it where the machine or the model cannot, and say so."""
WEIGHTS = 0.8
"""Share of each of several GPUs' free memory for the weights."""


def share_processor() -> None:
    """Let torch's threads sleep while they wait, if torch is not loaded yet.

    By default they spin, and so take the processor from the thread that prepares pictures and
    from other programs, for whom they then wait: on two busy cores the demo models lost a third
    of their speed.
    """
    if "torch" not in sys.modules:
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def has_gpu() -> bool:
    """Whether torch sees a CUDA device."""
    import torch

    return bool(torch.cuda.is_available())


def lacks_for_4bit(device: str = "auto") -> str:
    """What is missing for 4-bit weights; empty if nothing is."""
    return _lacks(device, "bitsandbytes")


def lacks_for_flash_attention(device: str = "auto", dtype: str = "auto") -> str:
    """What is missing for FlashAttention 2; empty if nothing is."""
    return _lacks(device, "flash_attn") or ("half precision" if dtype == "float32" else "")


def _lacks(device: str, package: str) -> str:
    if device == "cpu" or not has_gpu():
        return "a CUDA device"
    return "" if find_spec(package) else f"the package {package}"


@dataclass(frozen=True)
class Means:
    """By which means a model is really run, after what was asked and what this machine has."""

    four_bit: bool
    attention: str | None
    """One of transformers' names; None leaves it the choice."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """What was asked for if possible and is not: ``quantisation`` or ``attention``, and why."""

    def facts(self) -> dict[str, str]:
        """What a run should record of it."""
        settings = {
            "quantisation": "4 bits (NF4, computed in bfloat16)" if self.four_bit else "none"
        }
        if not self.left_out:
            return settings
        return {**settings, "left out": "; ".join(self.left_out.values())}


def means(device: str, dtype: str, quantize: str | None, attention: str | None) -> Means:
    """Settle what was asked, before anything is loaded.

    Args:
        device: As the adapters take it.
        dtype: The weights' number format, ``auto`` for as they were saved.
        quantize: ``4bit``, ``4bit-if-possible`` or None.
        attention: A name of transformers', also with ``-if-possible`` after it, or None.

    Raises:
        ModelUnavailable: This machine lacks something that was asked for without "if possible".
    """
    if device.startswith("cuda") and not has_gpu():
        raise ModelUnavailable(f"device {device!r}: torch sees no CUDA device; use 'cpu' or 'auto'")
    left_out = {}
    if quantize and (missing := lacks_for_4bit(device)):
        _insist("quantize", quantize, missing)
        left_out["quantisation"] = f"4 bits need {missing}"
    wanted = (attention or "").removesuffix(IF_POSSIBLE) or None
    if wanted == FLASH and (missing := lacks_for_flash_attention(device, dtype)):
        _insist("attention", attention, missing)
        left_out["attention"] = f"FlashAttention 2 needs {missing}"
        wanted = None
    return Means(bool(quantize) and "quantisation" not in left_out, wanted, left_out)


def _insist(name: str, value: str | None, missing: str) -> None:
    if value and not value.endswith(IF_POSSIBLE):
        raise ModelUnavailable(
            f"{name} {value!r} needs {missing}; leave it out, or say {value + IF_POSSIBLE!r}"
        )


def placement(device: str) -> dict[str, Any]:
    """Where transformers puts a model: on one device, or over several GPUs if it must.

    The first GPU is filled first: a small model that is spread waits at every step, and InternVL2's
    own code fails then. Part of each stays free for what is computed.
    """
    if device != "auto":
        return {"device_map": {"": device}}
    import torch

    if not torch.cuda.is_available():
        return {"device_map": {"": "cpu"}}
    count = torch.cuda.device_count()
    if count == 1:
        return {"device_map": {"": 0}}
    room = {card: int(WEIGHTS * torch.cuda.mem_get_info(card)[0]) for card in range(count)}
    return {"device_map": "sequential", "max_memory": room}


def dtype(name: str, device: str) -> Any:
    """The number format for the weights, as ``from_pretrained`` takes it."""
    import torch

    if name != "auto":
        return getattr(torch, name)
    on_processor = device == "cpu" or (device == "auto" and not torch.cuda.is_available())
    return torch.float32 if on_processor else "auto"


def four_bit() -> Any:
    """Settings for 4-bit weights (NF4, computed in bfloat16)."""
    import torch
    import transformers

    return transformers.BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16
    )


def free_memory() -> None:
    """Give memory that torch keeps for later back to the device, if torch is loaded."""
    if "torch" not in sys.modules:
        return
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def names_of(model: Any) -> str:
    """The devices that hold a model, with product names: ``cuda:0 NVIDIA A40``; ``cpu AMD …``."""
    held = getattr(model, "hf_device_map", None) or {"": model.device}
    return ", ".join(dict.fromkeys(_name_of(device) for device in held.values()))


def _name_of(device: Any) -> str:
    import torch

    device = torch.device("cuda", device) if isinstance(device, int) else torch.device(device)
    if device.type == "cpu":
        return f"cpu {processor()}"
    return (
        f"{device} {torch.cuda.get_device_name(device)}" if device.type == "cuda" else str(device)
    )


@cache
def processor() -> str:
    """The processor's product name and how many of its threads this process may use."""
    name = platform.machine()
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    return f"{name}, {os.cpu_count()} threads"


Batch = TypeVar("Batch")
WINDOW = 256
"""Items among which those of like length are found: a lease, so that none is taken for nothing."""
FULL = ("out of memory", "can't allocate memory", "not enough memory")


@dataclass(frozen=True)
class Batching(Generic[Batch]):
    """How a model answers several items at once."""

    prepare: Callable[[Sequence[Item]], Batch]
    """Turns items into the model's input; runs in a thread; raises ValueError or BadInput if one
    of them cannot be turned."""
    generate: Callable[[Sequence[Item], Batch], list[Prediction]]
    """Answers prepared items, in their order."""
    forget: Callable[[], None] = lambda: None
    """Called after the memory was full, before the next try."""
    most: int = 1
    """Items in a batch."""
    budget: int | None = None
    """Most tokens in a batch, as ``length`` estimates them and with padding to its longest item; an
    item over it is asked alone. None: only the number of items counts."""
    length: Callable[[Item], int] = lambda item: 0
    """Tokens of an item, prompt and answer; those of like length are put together."""
    kind: Callable[[Item], int] = lambda item: 0
    """Items of different kinds are never in one batch."""


def in_batches(
    items: Iterable[Item], batching: Batching[Batch], ahead: int = 2
) -> Iterator[Prediction]:
    """Answer items in batches as large as they may be, without a pause between them.

    Items are taken a window at a time and sorted within it by kind and length. A batch that does
    not fit into the memory is halved, and no later one is larger; an item that does not fit alone,
    or that cannot be prepared, is answered with an error of its own.

    Args:
        items: What is asked; the next window is taken when ``ahead`` batches of one are left.
        batching: The model.
        ahead: Batches that are prepared before their turn.

    Yields:
        One prediction an item.
    """
    work = _Work(batching)
    batches = work.packed(iter(items))
    with ThreadPoolExecutor(1, thread_name_prefix="prepare") as thread:
        coming: deque[tuple[list[Item], Future[Batch]]] = deque()
        used: list[Future[Batch]] = []
        while True:
            for batch in islice(batches, 1 + ahead - len(coming)):
                coming.append((batch, thread.submit(work.prepared, batch, used)))
            if not coming:
                return
            batch, ready = coming.popleft()
            yield from work.answers(batch, ready.result)
            used.append(ready)
            del ready


class _Work(Generic[Batch]):
    def __init__(self, batching: Batching[Batch]) -> None:
        self._batching = batching
        self._most, self._budget = batching.most, batching.budget

    def packed(self, items: Iterator[Item]) -> Iterator[list[Item]]:
        """Batches of items of one kind and like length, as large as they may be at that moment."""
        kind, length = self._batching.kind, self._batching.length
        while window := list(islice(items, WINDOW)):
            window.sort(key=lambda item: (kind(item), length(item)))
            while window:
                number = self._fitting(window)
                yield window[:number]
                del window[:number]

    def prepared(self, items: Sequence[Item], used: list[Future[Batch]]) -> Batch:
        """The model's input; what it has used goes.

        In this thread, which took that memory: from another it would cost up to 1 % of the time.
        """
        used.clear()
        return self._batching.prepare(items)

    def _fitting(self, items: Sequence[Item]) -> int:
        """How many sorted items from the first on may be one batch; at least one."""
        kind, number = self._batching.kind(items[0]), 1
        for item in items[1 : self._most]:
            longest = self._batching.length(item)
            over = self._budget is not None and (number + 1) * longest > self._budget
            if over or self._batching.kind(item) != kind:
                break
            number += 1
        return number

    def answers(self, items: Sequence[Item], ready: Callable[[], Batch]) -> Iterator[Prediction]:
        """Answer one batch, in parts if it is too large or one of its items is at fault."""
        if self._too_large(items):  # packed before the memory was full
            yield from self._in_halves(items)
            return
        full = False
        try:
            replies = self._batching.generate(items, ready())
        except (BadInput, ValueError) as error:
            why = str(error)
        except (MemoryError, RuntimeError) as error:
            if not is_full(error):
                raise
            full, why = True, "out of memory, even alone"
        else:
            yield from replies
            return
        # After the handlers: an exception holds the failed call's tensors as long as it lives.
        if full:
            self._batching.forget()
            self._shrink(items)
        yield from self._without(items, why)

    def _too_large(self, items: Sequence[Item]) -> bool:
        over = self._budget is not None and self._tokens(items) > self._budget
        return len(items) > self._most or (len(items) > 1 and over)

    def _tokens(self, items: Sequence[Item]) -> int:
        return len(items) * max(map(self._batching.length, items))

    def _shrink(self, items: Sequence[Item]) -> None:
        """Allow half of a batch from now on: by its tokens if they are counted, else its items."""
        if self._budget is None:
            self._most = max(1, len(items) // 2)
        else:
            self._budget = self._tokens(items) // 2

    def _without(self, items: Sequence[Item], why: str) -> Iterator[Prediction]:
        if len(items) == 1:
            yield Prediction(items[0].id, None, error=why)
        else:
            yield from self._in_halves(items)

    def _in_halves(self, items: Sequence[Item]) -> Iterator[Prediction]:
        middle = len(items) // 2
        for half in (items[:middle], items[middle:]):
            yield from self.answers(half, partial(self._batching.prepare, half))


def is_full(error: BaseException) -> bool:
    """Whether an error says that there is no memory left, on whatever device."""
    message = str(error).lower()
    return isinstance(error, MemoryError) or any(words in message for words in FULL)
