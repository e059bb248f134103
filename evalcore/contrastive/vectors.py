"""What a model gives, before anything is made of it: vectors of length one, or a sentence why not.

A vector without a direction (all zeros, or anything in it that is no number) becomes NaN: what it
stands for has no score.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evalcore.contrastive.scoring import Bools, Floats
from evalcore.errors import BadInput

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

    found = _real(given, model, what)
    if found.ndim != 2 or found.shape[1] == 0:  # noqa: PLR2004
        raise BadInput(
            f"model {model!r} gave an array of shape {tuple(found.shape)} for {count} {what}; "
            "a row of numbers for each is wanted"
        )
    if len(found) != count:
        raise BadInput(
            f"model {model!r} gave {len(found)} embeddings for {count} {what}; one of each is "
            "wanted"
        )
    made = torch.nn.functional.normalize(found.float(), dim=-1).cpu().numpy()
    odd = ~sound(made)
    if odd.any():
        made = np.array(made)
        made[odd] = _precisely(found[torch.from_numpy(odd)].double().cpu().numpy())
    return np.asarray(made)


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
        found = torch.as_tensor(given)
    except Exception:  # noqa: BLE001  ragged lists, texts, objects: each raises its own
        found = None
    if found is None or found.is_complex():
        kind = type(given).__name__ if found is None else str(found.dtype)
        raise BadInput(
            f"model {model!r} gave {kind} for {what}; a tensor or array of real numbers is wanted"
        )
    return found.detach()


def _precisely(rows: Floats) -> Floats:
    """Vectors of length one, each first scaled by its largest number; NaN without a direction."""
    with np.errstate(all="ignore"):
        scaled = rows / np.abs(rows).max(axis=1, keepdims=True)
        return np.asarray(scaled / np.linalg.norm(scaled, axis=1, keepdims=True))
