"""Scores of relation benchmarks, whose captions differ in who does what, from embeddings alone.

As in ``scoring`` a tie among k earns 1/k and is counted.
"""

from itertools import permutations

import numpy as np

from evalcore.contrastive import scoring
from evalcore.contrastive.scoring import (
    Bools,
    Collected,
    Floats,
    Ints,
    Rows,
    Scale,
    Scored,
    mean,
    proportion,
    scaled,
)


def captions(  # noqa: PLR0913  one argument for each thing that is known of them
    images: Rows,
    texts: Floats,
    candidates: list[Ints],
    right: Ints,
    scale: Scale,
    cluster: Ints | None = None,
) -> Scored:
    """Score pictures that have a few captions each, one of them right.

    Args:
        images: (n, d), as in ``classify``.
        texts: (t, d) every different caption once.
        candidates: For each picture the rows of ``texts`` that are its captions.
        right: (n,) the place of the right one among them.
        scale: The model's.
        cluster: As in ``classify``.
    """
    collected, credit = Collected(len(images)), np.full(len(images), np.nan)
    counts = np.array([len(rows) for rows in candidates], np.int64)
    for count in np.unique(counts):
        alike = np.flatnonzero(counts == count)
        step = max(1, scoring.BLOCK // (int(count) * texts.shape[1]))
        for begin in range(0, len(alike), step):
            items = alike[begin : begin + step]
            chosen = texts[np.stack([candidates[item] for item in items])]  # (items, count, d)
            # Not a matrix product: that may tell equal captions apart in the last digit.
            logits = scaled((chosen * images[items][:, None]).sum(axis=2), scale)
            collected.note(items, logits, scale)
            first = logits == logits.max(axis=1, keepdims=True)
            hit = first[np.arange(len(items)), right[items]]
            credit[items] = hit / np.maximum(first.sum(axis=1), 1)
    credit = np.where(collected.unread, np.nan, credit)
    metric = proportion("accuracy", credit, mean(1 / counts[~collected.unread]), cluster)
    return collected.scored((metric,), credit)


CHANCE_OF_PAIRS = {"text": 1 / 4, "image": 1 / 4, "group": 1 / 6}


def pairs(cosines: Floats, scale: Scale, cluster: Ints | None = None) -> Scored:
    """Winoground's scores: two pictures and two captions that belong together crosswise.

    Args:
        cosines: (n, 2, 2), picture by caption; picture and caption of one place belong together.
        scale: The model's.
        cluster: As in ``classify``, of each item.

    Returns:
        The group score first, then the text score (each picture prefers its caption) and the image
        score (each caption prefers its picture). Equals are ordered by lot, so that a model that
        says the same of everything scores what chance scores.
    """
    n = len(cosines)
    unread = np.isnan(cosines).any(axis=(1, 2))
    hits = {name: np.zeros(n, np.int64) for name in CHANCE_OF_PAIRS}
    orders = list(permutations(range(4)))
    for order in orders:
        lot = np.array(order).reshape(2, 2)

        def above(a: tuple[int, int], b: tuple[int, int], lot: Ints = lot) -> Bools:
            x, y = cosines[:, a[0], a[1]], cosines[:, b[0], b[1]]
            return np.asarray((x > y) | ((x == y) & bool(lot[a] > lot[b])))

        text = above((0, 0), (0, 1)) & above((1, 1), (1, 0))
        image = above((0, 0), (1, 0)) & above((1, 1), (0, 1))
        for name, hit in (("text", text), ("image", image), ("group", text & image)):
            hits[name] += hit
    collected = Collected(n)
    collected.note(slice(0, n), scaled(cosines[:, 0], scale), scale)
    collected.unread[:] = unread
    credit = {name: np.where(unread, np.nan, of / len(orders)) for name, of in hits.items()}
    collected.tied[:] = np.array([len(set(cosine.flat)) < 4 for cosine in cosines], bool) & ~unread
    metrics = tuple(
        proportion(f"winoground-{name}", credit[name], chance, cluster)
        for name, chance in reversed(CHANCE_OF_PAIRS.items())
    )
    return collected.scored(metrics, credit["group"], credit)
