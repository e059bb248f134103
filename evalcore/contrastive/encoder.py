"""One contrastive model as scoring needs it: pictures and texts become vectors of length one."""

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from evalcore.contrastive.scoring import Bools, Floats, Scale
from evalcore.errors import BadInput, EvalcoreError

NO_VECTOR = "its embedding is zero or not all numbers"
ONE = 0.01
"""How far from one a length may be: half precision rounds to three digits."""


def unit(given: Any, count: int, model: str, what: str) -> Floats:
    """Vectors of length one in full precision, by torch, as the published code makes them.

    Args:
        given: What the model gives: a tensor or array of real numbers, (n, d).
        count: How many it was asked for.
        model: Its name.
        what: What they are of, in words.

    Returns:
        (n, d), NaN in the rows that have no direction. Those whose squares are too large or too
        small for single precision are made in double.

    Raises:
        BadInput: It is no such array.
    """
    import torch

    tensor = _real(given, model, what)
    if tensor.ndim != 2 or tensor.shape[1] == 0:  # noqa: PLR2004
        raise BadInput(
            f"model {model!r} gave an array of shape {tuple(tensor.shape)} for {count} {what}; "
            "a row of numbers for each is wanted"
        )
    if len(tensor) != count:
        raise BadInput(
            f"model {model!r} gave {len(tensor)} embeddings for {count} {what}; one of each is "
            "wanted"
        )
    vectors = torch.nn.functional.normalize(tensor.float(), dim=-1).cpu().numpy()
    odd = ~sound(vectors)
    if odd.any():
        vectors = np.array(vectors)
        vectors[odd] = _precisely(tensor[torch.from_numpy(odd)].double().cpu().numpy())
    return np.asarray(vectors)


def sound(rows: Floats) -> Bools:
    """(n,) which rows are vectors of length one."""
    with np.errstate(all="ignore"):
        return np.asarray(np.abs(np.linalg.norm(rows, axis=-1) - 1) <= ONE)


def joined(parts: Sequence[Floats], model: str) -> Floats:
    """The rows of all parts.

    Raises:
        BadInput: They are not of one length.
    """
    check_widths(parts, model)
    return np.concatenate(parts)


def check_widths(parts: Sequence[Floats], model: str) -> None:
    """Refuse embeddings of several lengths; a part with none of its own is of any.

    Raises:
        BadInput: So.
    """
    sizes = sorted({part.shape[1] for part in parts if part.shape[1]})
    if len(sizes) > 1:
        raise BadInput(
            f"model {model!r} gave embeddings of {sizes[0]} and of {sizes[1]} numbers; all should "
            "have as many"
        )


def _real(given: Any, model: str, what: str) -> Any:
    import torch

    try:
        tensor = torch.as_tensor(given)
    except Exception:  # noqa: BLE001  ragged lists, texts, objects: each raises its own
        tensor = None
    if tensor is None or tensor.is_complex():
        kind = type(given).__name__ if tensor is None else str(tensor.dtype)
        raise BadInput(
            f"model {model!r} gave {kind} for {what}; a tensor or array of real numbers is wanted"
        )
    return tensor.detach()


def _precisely(rows: Floats) -> Floats:
    """Vectors of length one, each first scaled by its largest number; NaN without a direction."""
    with np.errstate(all="ignore"):
        scaled = rows / np.abs(rows).max(axis=1, keepdims=True)
        return np.asarray(scaled / np.linalg.norm(scaled, axis=1, keepdims=True))


OPENAI_MEAN = (0.48145466, 0.4578275, 0.40821073)
OPENAI_STD = (0.26862954, 0.26130258, 0.27577711)
TEXTS_AT_A_TIME = 256
SAMPLE = 64
"""Values of each weight that a fingerprint holds, beside their sum."""


@dataclass(frozen=True)
class Transform:
    """How a model wants its pictures."""

    resize: Callable[[Image.Image], Image.Image]
    """A decoded picture (``RGB``, or ``L`` where it is grey) to the model's size."""
    key: str | None
    """Models with the same key see the same pixels and share them; None: nothing is kept."""
    mean: tuple[float, ...] = OPENAI_MEAN
    std: tuple[float, ...] = OPENAI_STD
    whole: Callable[[Image.Image], Any] | None = None
    """Picture → what the model takes, where pixels and normalising cannot be told apart."""

    def pixels(self, picture: Image.Image) -> NDArray[Any]:
        """(channels, height, width): bytes with one channel where the picture is grey, else three.

        With ``whole`` they are numbers that need nothing more.
        """
        if self.whole is not None:
            return np.asarray(self.whole(picture), np.float32)
        resized = self.resize(picture)
        if resized.mode == "L":
            return np.asarray(resized)[None]
        return np.ascontiguousarray(np.asarray(resized.convert("RGB")).transpose(2, 0, 1))


@dataclass
class Encoder:
    """A loaded model."""

    name: str
    """Its id, as it will stand in the store."""
    fingerprint: str | None
    """A hash of the weights and of what else decides an embedding; None: embeddings are not kept.
    """
    transform: Transform
    scale: Scale
    of_images: Callable[[Any], Any]
    """(n, 3, h, w) normalised → (n, d), both torch tensors on ``device``.

    What it is given holds the next batch once it is called again.
    """
    of_texts: Callable[[Any], Any]
    """What ``tokens`` gives → (n, d)."""
    tokens: Callable[[Sequence[str]], Any]
    """Texts → (n, context) token ids, cut to the context; or the texts themselves."""
    lengths: Callable[[Sequence[str]], list[int]] | None = None
    """Texts → their lengths in tokens before any cut."""
    context: int | None = None
    device: str = "cpu"
    precision: str = "fp32"
    about: Mapping[str, str] = field(default_factory=dict)
    """Facts that a run should record."""
    _room: threading.local = field(default_factory=threading.local, init=False, repr=False)
    """Memory of the last batch, of each thread its own."""

    def images(self, pixels: NDArray[Any]) -> Floats:
        """(n, channels, h, w) from ``Transform.pixels`` → (n, d) of length one.

        NaN where the model gives no direction (see ``unit``).

        Raises:
            BadInput: It gives something else than a vector for each.
            EvalcoreError: It fails.
        """
        import torch

        with torch.inference_mode():
            batch = torch.from_numpy(pixels)
            if self.device.startswith("cuda"):
                batch = batch.pin_memory().to(self.device, non_blocking=True)
            if self.transform.whole is None:
                batch = self._normalised(batch)
            return self._unit(self.of_images, batch, "pictures")

    def _normalised(self, batch: Any) -> Any:
        """(x / 255 - mean) / std in torchvision's order; one channel becomes three.

        Into the memory of the last batch: 64 pictures of 224 px are more than malloc keeps, and
        pages that are fresh each time cost four times what the arithmetic does.
        """
        import torch

        shape = (-1, 1, 1)
        mean = torch.tensor(self.transform.mean, device=self.device).view(shape)
        std = torch.tensor(self.transform.std, device=self.device).view(shape)
        if self.device != "cpu":  # there torch keeps its memory itself
            return (batch.float().div_(255) - mean).div_(std)
        scaled = self._kept("scaled", batch.shape).copy_(batch).div_(255)
        if batch.shape[1] == len(mean):
            return scaled.sub_(mean).div_(std)
        out = self._kept("out", (len(batch), len(mean), *batch.shape[2:]))
        return torch.sub(scaled, mean, out=out).div_(std)

    def _kept(self, name: str, shape: Sequence[int]) -> Any:
        """An array of this shape whose memory is used again by the next call of the same name."""
        import torch

        held = getattr(self._room, name, None)
        if held is None or held.shape[1:] != tuple(shape[1:]) or len(held) < shape[0]:
            held = torch.empty(tuple(shape))
            setattr(self._room, name, held)
        return held[: shape[0]]

    def texts(self, texts: Sequence[str]) -> Floats:
        """(n, d) of length one; texts that the model sees as the same have the same vector.

        NaN and errors as of ``images``.
        """
        import torch

        known = list(dict.fromkeys(texts))
        tokens = self.tokens(known)
        place = {text: at for at, text in enumerate(known)}
        same = np.arange(len(known))
        if isinstance(tokens, torch.Tensor):
            tokens, inverse = torch.unique(tokens, dim=0, return_inverse=True)
            same = inverse.numpy()
        parts = []
        with torch.inference_mode():
            for begin in range(0, len(tokens), TEXTS_AT_A_TIME):
                part = tokens[begin : begin + TEXTS_AT_A_TIME]
                part = part.to(self.device) if isinstance(part, torch.Tensor) else part
                parts.append(self._unit(self.of_texts, part, "texts"))
        return joined(parts, self.name)[same[[place[text] for text in texts]]]

    def too_long(self, texts: Sequence[str]) -> list[int]:
        """Which texts are longer than the context and are cut; none where that is unknown."""
        if self.lengths is None or self.context is None:
            return []
        return [at for at, length in enumerate(self.lengths(texts)) if length > self.context]

    def facts(self) -> dict[str, str]:
        """How the model is really run."""
        from evalcore.models import local

        return {
            "device": local.names_of(self),
            "dtype": self.precision,
            "fingerprint": self.fingerprint or "unknown",
            **self.about,
        }

    def _unit(self, encode: Callable[[Any], Any], given: Any, what: str) -> Floats:
        """What the model makes of some pictures or texts, as vectors of length one."""
        import torch

        kind = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(self.precision)
        try:
            with torch.autocast(self.device.partition(":")[0], kind, enabled=kind is not None):
                vectors = encode(given)
        except EvalcoreError:
            raise
        except Exception as error:  # any code of a model's own may raise anything
            raise EvalcoreError(
                f"model {self.name!r} fails on {len(given)} {what} "
                f"({type(error).__name__}: {error})"
            ) from error
        return unit(vectors, len(given), self.name, what)


def fingerprint(module: Any, *more: str) -> str:
    """A hash of a torch module's weights: every tensor's name, shape, sum and some values.

    Args:
        module: The module.
        more: What else decides an embedding, in words.
    """
    import torch

    digest = hashlib.sha256(repr(more).encode())
    for name, tensor in sorted(module.state_dict().items()):
        digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
        if tensor.numel() == 0:
            continue
        flat = tensor.detach().reshape(-1)
        step = max(1, len(flat) // SAMPLE)
        sums = (flat.sum(dtype=torch.float64), flat[::step].double())
        for value in sums:
            digest.update(value.cpu().numpy().tobytes())
    return digest.hexdigest()[:16]


CONVERTS = ("MaybeConvertMode", "_convert_image_to_rgb", "_convert_to_rgb")
"""Steps that make a picture RGB, by the names that CLIP's and open_clip's transforms give them."""
TELLING = ("torchvision", "open_clip", "timm")
"""Packages whose steps say in words all that they do."""


def split(preprocess: Any) -> Transform:
    """Take a torchvision transform apart: what makes the pixels, and what normalises them.

    Args:
        preprocess: A ``Compose`` that ends in ``ToTensor`` and ``Normalize`` (open_clip's does), or
            any callable of a picture, which is used whole and whose pixels are not kept.
    """
    steps = list(getattr(preprocess, "transforms", ()))
    names = [getattr(step, "__name__", type(step).__name__) for step in steps]
    if len(names) < 2 or names[-1] != "Normalize" or not names[-2].endswith("ToTensor"):
        return Transform(lambda picture: picture, None, whole=preprocess)
    size = [step for step, name in zip(steps[:-2], names[:-2], strict=True) if name not in CONVERTS]

    def resize(picture: Image.Image) -> Image.Image:
        for step in size:
            picture = step(picture)
        return picture

    tell = all(type(step).__module__.startswith(TELLING) for step in size)
    key = hashlib.sha256("; ".join(map(repr, size)).encode()).hexdigest()[:12] if tell else None
    return Transform(resize, key, tuple(steps[-1].mean), tuple(steps[-1].std))
