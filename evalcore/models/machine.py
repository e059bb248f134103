"""What this machine offers to a local model: devices, number formats, memory."""

import os
import sys
from importlib.util import find_spec
from typing import Any

from evalcore.errors import ModelUnavailable


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


def lacks_for_4bit() -> str:
    """What is missing for 4-bit weights; empty if nothing is."""
    return _lacks("bitsandbytes")


def lacks_for_flash_attention() -> str:
    """What is missing for FlashAttention 2; empty if nothing is."""
    return _lacks("flash_attn")


def _lacks(package: str) -> str:
    if not has_gpu():
        return "a CUDA device"
    return "" if find_spec(package) else f"the package {package}"


def check(device: str, quantize: str | None, attention: str | None) -> None:
    """Refuse settings that this machine cannot meet, before anything is loaded.

    Raises:
        ModelUnavailable: It says what is missing.
    """
    if device.startswith("cuda") and not has_gpu():
        raise ModelUnavailable(f"device {device!r}: torch sees no CUDA device; use 'cpu' or 'auto'")
    if quantize and (missing := lacks_for_4bit()):
        raise ModelUnavailable(f"quantize {quantize!r} needs {missing}; leave it out")
    if attention == "flash_attention_2" and (missing := lacks_for_flash_attention()):
        raise ModelUnavailable(f"attention {attention!r} needs {missing}; leave it out")


def device_map(device: str) -> Any:
    """Where transformers puts a model: spread over all GPUs, or on one device."""
    if device != "auto":
        return {"": device}
    import torch

    if not torch.cuda.is_available():
        return {"": "cpu"}
    return "auto" if torch.cuda.device_count() > 1 else {"": 0}


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
    """Give memory that torch keeps for later back to the device."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def name_of(device: Any) -> str:
    """A device with its product name: ``cuda:0 NVIDIA A40``; ``cpu``."""
    import torch

    if device.type != "cuda":
        return str(device)
    return f"{device} {torch.cuda.get_device_name(device)}"
