"""What this machine offers to a local model: devices, number formats, memory."""

import contextlib
import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from evalcore.errors import ModelUnavailable

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
        told = {"quantisation": "4 bits (NF4, computed in bfloat16)" if self.four_bit else "none"}
        if not self.left_out:
            return told
        return {**told, "left out": "; ".join(self.left_out.values())}


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
    room = {one: int(WEIGHTS * torch.cuda.mem_get_info(one)[0]) for one in range(count)}
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
