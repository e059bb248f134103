"""What would change the answer: other weights, and how much one loses by one model.

``table`` is a frame of scores as fractions, one row a model, one column a tag, without gaps; a
weight vector is a Series indexed by tag. Nothing here looks at sampling error.
"""

import numpy as np
import pandas as pd

from evalcore.analysis.ranking import first_share, in_order
from evalcore.errors import BadInput

SEED = 360
"""Seed of the drawn weightings, fixed so that the same question gives the same shares."""

TRIES = 64


def share_first(
    table: pd.DataFrame,
    center: pd.Series | None = None,
    concentration: float = 20.0,
    draws: int = 4_000,
) -> pd.Series:
    """Return for each model the share of weightings under which it is first; equal ones share.

    The rank-1 acceptability of SMAA (Lahdelma & Salminen 2001). Without a centre all weightings
    count alike (Dirichlet with all ones). With a centre w over k tags they are drawn near it:
    Dirichlet with ``concentration * k * w``, so that at 20 equal weights move by about a fifth of
    their size, however many tags there are. The draws have the fixed seed `SEED`.

    Raises:
        BadInput: when the table has a gap, or the centre lacks a tag or is not above 0.

    >>> share_first(pd.DataFrame({"t": [0.9, 0.8], "u": [0.7, 0.2]}, index=["a", "b"])).tolist()
    [1.0, 0.0]
    """
    values = _complete(table)
    if not values.size:
        return pd.Series(0.0, index=table.index, dtype=float)
    shape = (draws, values.shape[1])
    rng = np.random.default_rng(SEED)
    # Such draws are a Dirichlet draw before normalising, and scaling a row moves nobody.
    if center is None:
        weightings = rng.standard_exponential(shape)
    else:
        alpha = concentration * values.shape[1] * _mix(table, center)
        weightings = rng.standard_gamma(alpha, size=shape)
    # Whoever is beaten on every tag is never first; leaving it out saves most of the time.
    left = _unbeaten(values)
    share = np.zeros(len(values))
    share[left] = first_share(weightings @ values[left].T)
    return pd.Series(share, index=table.index)


def _unbeaten(values: np.ndarray) -> np.ndarray:
    """Return the rows that no other row beats in every column; a few beaten ones may stay.

    Rows with a high sum beat most others, so they are tried first, and after `TRIES` of them there
    is little left to gain.
    """
    left = np.argsort(-values.sum(axis=1), kind="stable")
    for place in range(TRIES):
        if place >= len(left):
            break
        beaten = np.all(values[left] < values[left[place]], axis=1)
        left = left[~beaten]
    return np.sort(left)


def flips(table: pd.DataFrame, weights: pd.Series) -> pd.DataFrame:
    """Return for each tag the smallest change of its weight alone that changes the winner.

    The other weights keep their proportions. At share x of a tag a model scores
    ``x * v + (1 - x) * r``, with v its score on the tag and r its mean over the others, so two
    models cross at ``x = (r1 - r2) / ((r1 - r2) - (v1 - v2))``.

    Returns:
        One row a tag, the smallest change first: tag, now (its share, 0..1), weight (the share at
        which the winner changes), change (absolute), new_winner. weight and change are NaN and
        new_winner is None where no share from 0 to 1 changes the winner.

    >>> pair = pd.DataFrame({"t": [0.9, 0.5], "u": [0.6, 0.8]}, index=["a", "b"])
    >>> flips(pair, pd.Series({"t": 0.5, "u": 0.5})).iloc[0][["tag", "new_winner"]].tolist()
    ['t', 'b']
    """
    values, share = _complete(table), _mix(table, weights)
    score = pd.Series(values @ share, index=table.index)
    leader = int(table.index.get_indexer(in_order(score).index[:1])[0]) if len(score) else 0
    rows = [_flip(table, values, share, column, leader) for column in range(values.shape[1])]
    frame = pd.DataFrame(rows, columns=["tag", "now", "weight", "change", "new_winner"])
    frame["new_winner"] = frame["new_winner"].astype(object)
    return frame.sort_values("change", kind="stable", ignore_index=True)


def _flip(
    table: pd.DataFrame, values: np.ndarray, share: np.ndarray, column: int, leader: int
) -> list[object]:
    now = float(share[column])
    unchanged: list[object] = [table.columns[column], now, np.nan, np.nan, None]
    others = share.copy()
    others[column] = 0.0
    if len(values) < 2 or others.sum() == 0:
        return unchanged
    own, rest = values[:, column], values @ (others / others.sum())
    # ahead(x) = x * lead_own + (1 - x) * lead_rest: the leader's distance to each model.
    lead_own, lead_rest = own[leader] - own, rest[leader] - rest
    slope = lead_own - lead_rest
    moving = slope != 0
    cross = np.full(len(values), np.nan)
    cross[moving] = np.clip(-lead_rest[moving] / slope[moving], 0, 1)
    up = (slope < 0) & (lead_own < 0)
    down = (slope > 0) & (lead_rest < 0)
    change = np.where(up | down, np.abs(cross - now), np.inf)
    if np.isinf(change).all():
        return unchanged
    # Models that cross at the same share: the one that pulls away fastest is the new winner.
    nearest = np.flatnonzero(change <= change.min() + 1e-12)
    new = int(nearest[np.argmax(np.abs(slope[nearest]))])
    return [table.columns[column], now, float(cross[new]), float(change[new]), table.index[new]]


def regret(table: pd.DataFrame) -> pd.DataFrame:
    """Return how far each model stays behind the best one on each tag (fractions).

    Returns:
        The table's rows and columns with ``best of the column - own score``. The largest of a row
        is what Savage (1951) calls its minimax regret.

    >>> table = pd.DataFrame({"t": [1.0, 0.5], "u": [0.25, 0.5]}, index=["a", "b"])
    >>> regret(table).max(axis=1).tolist()
    [0.25, 0.5]
    """
    return table.max(axis=0) - table


def all_rounder(table: pd.DataFrame) -> str | None:
    """Return the model whose largest regret is smallest; on equality the higher mean, then the id.

    None for a table without models or tags.

    >>> all_rounder(pd.DataFrame({"t": [1.0, 0.5], "u": [0.25, 0.5]}, index=["a", "b"]))
    'a'
    """
    if table.empty:
        return None
    worst = regret(table).max(axis=1)
    safest = table[worst <= worst.min()].mean(axis=1)
    return str(in_order(safest).index[0])


def _complete(table: pd.DataFrame) -> np.ndarray:
    values = table.to_numpy(float)
    if np.isnan(values).any():
        gaps = table.index[np.isnan(values).any(axis=1)].tolist()
        raise BadInput(f"the table has gaps for {gaps!r}; rank only models with every tag")
    return values


def _mix(table: pd.DataFrame, weights: pd.Series) -> np.ndarray:
    share = weights.reindex(table.columns).to_numpy(float)
    if not (share > 0).all():
        raise BadInput(f"weights {weights.to_dict()!r}: each of {list(table.columns)!r} needs > 0")
    normalised: np.ndarray = share / share.sum()
    return normalised
