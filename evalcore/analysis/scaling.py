"""How much a tenfold of training data, samples, compute or size brings, tag by tag.

A table of published models mixes causes: larger models also saw more data. ``hold`` keeps columns
equal within groups of models, and only differences inside a group count.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from evalcore.analysis import intervals
from evalcore.errors import BadInput

Scale = Literal[
    "train_data_m",
    "samples_seen_b",
    "gflops",
    "image_tower_params_m",
    "params_b",
    "active_params_b",
]
"""The columns of models that can be scaled."""

NOMINAL_SAMPLES = (3.0, 13.0, 34.0)
"""The three planned run lengths, in billions of samples, of the controlled CLIP checkpoints."""
NOMINAL_WITHIN = 0.2
"""A run counts as one of them when it is at most this share longer or shorter."""


@dataclass(frozen=True)
class Slope:
    """The gain in score (a fraction) for a tenfold of x, and what it rests on."""

    slope: float
    se: float
    low: float
    high: float
    level: float
    n: int
    n_groups: int
    n_levels: int


def within_group_slope(
    x: ArrayLike, y: ArrayLike, groups: ArrayLike, level: float = intervals.LEVEL
) -> Slope:
    """Fit y = a_group + slope * log10(x) by least squares, one intercept a group.

    With x and y centred on their group means, slope = sum(xy)/sum(x^2) and se^2 =
    sum(residual^2) / dof / sum(x^2), dof = N - groups - 1; the interval is Student's t. This is
    the fixed-effects ("within") estimator (Wooldridge 2010, Econometric Analysis, 10.5).

    Args:
        x: the scale, above 0; points with NaN are left out.
        y: scores; points with NaN are left out.
        groups: a label for each point; only differences within a label count.
        level: confidence level.

    Returns:
        The slope per tenfold of x with its interval; n (points), n_groups, n_levels (distinct x).
        All NaN when x does not vary within any group. No interval when dof < 1, or when the fit
        is exact, since scatter that was not seen is unknown, not zero.

    Raises:
        BadInput: an x that is not above 0, or a level outside 0..1.

    Example:
        >>> round(within_group_slope([1, 10, 1, 10], [0.1, 0.3, 0.5, 0.6], list("aabb")).slope, 3)
        0.15
    """
    scale, value = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    # As objects, since numpy would turn a missing label among words into the word "nan".
    labels = groups if isinstance(groups, np.ndarray) else np.asarray(groups, dtype=object)
    number, _ = pd.factorize(labels)
    known = ~np.isnan(scale) & ~np.isnan(value) & (number >= 0)
    scale, value, number = scale[known], value[known], number[known]
    if (scale <= 0).any():
        raise BadInput(f"x {float(scale.min())!r} should be above 0 to have a logarithm")
    dx, dy = _centred(np.log10(scale), number), _centred(value, number)
    n_groups, n_levels = len(np.unique(number)), len(np.unique(scale))
    slope, se = _fit(dx, dy, len(scale) - n_groups - 1)
    half = _quantile(len(scale) - n_groups - 1, level) * se
    ends = (slope - half, slope + half)
    return Slope(slope, se, *ends, level, len(scale), n_groups, n_levels)


def slopes(
    cells: pd.DataFrame,
    models: pd.DataFrame,
    x: Scale,
    hold: Sequence[str] = (),
    level: float = intervals.LEVEL,
) -> pd.DataFrame:
    """Fit the slope of every tag over the models, within groups that are equal in ``hold``.

    Groups in which x takes a single value say nothing about the slope and are left out. Samples
    seen are held at their nominal value, see ``nominal_samples``.

    Args:
        cells: one row a (model, tag): model, tag, value.
        models: one row a model, with the columns named by x and hold.
        x: the column that is scaled.
        hold: columns that must be equal within a group; none puts all models in one group.
        level: confidence level.

    Returns:
        One row a tag, in the order of the cells: tag, slope (fraction per tenfold of x), se, low,
        high, n_models, n_groups, n_levels (distinct x), x_min, x_max, fold (x_max/x_min) of the
        models that take part, n_unknown (models left out because x or a held column is unknown).

    Raises:
        BadInput: x is no scale, a held column is unknown or is x itself.

    Example:
        >>> cells = pd.DataFrame({"model": list("abc"), "tag": "t", "value": [0.2, 0.5, 0.6]})
        >>> models = pd.DataFrame({"model": list("abc"), "train_data_m": [10, 100, 1000]})
        >>> round(float(slopes(cells, models, "train_data_m").loc[0, "slope"]), 3)
        0.2
    """
    # A fit asks for few of the models' columns, and each tag's rows are taken several times.
    used = [name for name in dict.fromkeys(("model", x, *hold)) if name in models]
    joined = _joined(cells[["model", "tag", "value"]], models[used], x)
    joined["group"] = _groups(joined, models, x, hold)
    rows = [_tag_slope(str(tag), part, level) for tag, part in joined.groupby("tag", sort=False)]
    columns = ["tag", "slope", "se", "low", "high", "n_models", "n_groups", "n_levels"]
    return pd.DataFrame(rows, columns=[*columns, "x_min", "x_max", "fold", "n_unknown"])


def points(cells: pd.DataFrame, models: pd.DataFrame, x: Scale) -> pd.DataFrame:
    """Give the points of a scaling chart.

    Args:
        cells: as from ``profiles.cells``.
        models: one row a model.
        x: the column that is scaled.

    Returns:
        One row a cell whose model has a known x: model, tag, x (in the unit of its column), value,
        low, high, kind (of the score), then the other columns of ``models`` for colour and hover;
        its own ``kind`` is called model_kind.

    Raises:
        BadInput: x is no scale.
    """
    joined = _joined(cells, models, x)
    shown = ["model", "tag", "x", "value", "low", "high", "kind"]
    others = [c for c in joined.columns if c not in {*shown, *cells.columns, "source"}]
    return joined.loc[joined["x"].notna(), [*shown, *others]].reset_index(drop=True)


def contrast(slopes: pd.DataFrame, tags: Sequence[str]) -> pd.DataFrame:
    """Compare the mean slope of some tags with the mean slope of the others.

    The tags share their models, so their errors move together by an unknown amount. The half-width
    of a mean is therefore the mean of the half-widths, its upper bound; that of the difference
    adds the two in quadrature, an upper bound as long as the two means do not move apart.

    Args:
        slopes: as from ``slopes``.
        tags: the tags on one side.

    Returns:
        Three rows, "given", "others" and "difference" (given - others): part, slope, low, high,
        n_tags. NaN for a side with no slope; no interval when one of its tags has none.

    Raises:
        BadInput: a tag that is not among the slopes.

    Example:
        >>> frame = pd.DataFrame({"tag": list("ab"), "slope": [0.1, 0.02]})
        >>> contrast(frame.assign(low=0.0, high=0.2), ["a"])["slope"].round(2).to_list()
        [0.1, 0.02, 0.08]
    """
    missing = sorted(set(tags) - set(slopes["tag"]))
    if missing:
        raise BadInput(f"no slope for the tags {missing!r}; known: {sorted(set(slopes['tag']))!r}")
    given = slopes["tag"].isin(list(tags))
    sides = [_side(slopes[given]), _side(slopes[~given])]
    difference = (sides[0][0] - sides[1][0], float(np.hypot(sides[0][1], sides[1][1])))
    counts = [int(given.sum()), int((~given).sum()), len(slopes)]
    means, halves = np.array([*sides, difference]).T
    return pd.DataFrame(
        {
            "part": ["given", "others", "difference"],
            "slope": means,
            "low": means - halves,
            "high": means + halves,
            "n_tags": counts,
        }
    )


def nominal_samples(samples_seen_b: pd.Series) -> pd.Series:
    """Name runs by the planned length they were meant to have: 3, 13 or 34 billion samples.

    The controlled checkpoints were trained for 3, 13 or 34 billion samples, but batches and
    restarts left 2.44 to 2.56, 12.2 to 13.2 and 32 to 39.3 (Cherti et al. 2023, "Reproducible
    scaling laws for contrastive language-image learning"). Held at the exact figure, hardly two of
    them would share a group.

    Args:
        samples_seen_b: samples seen, in billions.

    Returns:
        The nearest planned length in log space if it is within 20 %, else the figure unchanged.

    Example:
        >>> nominal_samples(pd.Series([2.44, 13.03, 39.34, 1.28])).to_list()
        [3.0, 13.0, 34.0, 1.28]
    """
    seen = samples_seen_b.astype(float)
    planned = np.array(NOMINAL_SAMPLES)
    distance = np.abs(np.log(seen.to_numpy()[:, None] / planned))
    nearest = planned[distance.argmin(axis=1)]
    return seen.mask((seen / nearest - 1).abs() <= NOMINAL_WITHIN, pd.Series(nearest, seen.index))


def _centred(values: NDArray[np.float64], group: NDArray[np.intp]) -> NDArray[np.float64]:
    """Subtract the mean of each numbered group."""
    means = np.bincount(group, values) / np.maximum(np.bincount(group), 1)
    return values - means[group]


def _fit(dx: NDArray[np.float64], dy: NDArray[np.float64], dof: int) -> tuple[float, float]:
    """Give slope and standard error of centred data."""
    spread = float(dx @ dx)
    # Centring equal values leaves rounding noise of about 1e-16 each, not zero.
    if spread <= 1e-20 * max(len(dx), 1):
        return np.nan, np.nan
    slope = float(dx @ dy) / spread
    residual = dy - slope * dx
    left = float(residual @ residual)
    if dof < 1 or left <= 1e-24 * max(len(dy), 1):
        return slope, np.nan
    return slope, float(np.sqrt(left / dof / spread))


def _quantile(dof: int, level: float) -> float:
    """Give the two-sided quantile of Student's t."""
    intervals.z(level)  # refuses an impossible level
    return float(stdtrit(dof, 0.5 + level / 2)) if dof >= 1 else np.nan


def _joined(cells: pd.DataFrame, models: pd.DataFrame, x: str) -> pd.DataFrame:
    """Join cells to their models and name the scaled column x; unknown x stays NaN."""
    if x not in get_args(Scale):
        raise BadInput(f"unknown scale {x!r}; known: {', '.join(get_args(Scale))}")
    facts = models.rename(columns={"kind": "model_kind"})
    own = [c for c in facts.columns if c == "model" or c not in cells.columns]
    joined = cells.merge(facts[own], on="model", how="left", validate="many_to_one")
    return joined.assign(x=joined[x].astype(float))


def _groups(joined: pd.DataFrame, models: pd.DataFrame, x: str, hold: Sequence[str]) -> pd.Series:
    """Number the groups that are equal in all held columns; NaN where one is unknown."""
    for column in hold:
        if column not in models.columns or column == x:
            known = ", ".join(sorted(set(models.columns) - {x, "model"}))
            raise BadInput(f"cannot hold {column!r} while {x!r} varies; known: {known}")
    if not hold:
        return pd.Series(0.0, index=joined.index)
    held = joined[list(hold)].copy()
    if "samples_seen_b" in hold:
        held["samples_seen_b"] = nominal_samples(held["samples_seen_b"])
    number = held.groupby(list(hold), sort=False).ngroup().astype(float)
    return number.mask(number < 0)


def _tag_slope(tag: str, part: pd.DataFrame, level: float) -> dict[str, object]:
    """Fit one tag over the groups in which x varies."""
    part = part[part["value"].notna()]
    known = part[part["x"].notna() & part["group"].notna()]
    used = known[known.groupby("group")["x"].transform("nunique") > 1]
    fit = within_group_slope(used["x"], used["value"], used["group"], level)
    x_min, x_max = used["x"].min(), used["x"].max()
    return {
        "tag": tag,
        "slope": fit.slope,
        "se": fit.se,
        "low": fit.low,
        "high": fit.high,
        "n_models": fit.n,
        "n_groups": fit.n_groups,
        "n_levels": fit.n_levels,
        "x_min": x_min,
        "x_max": x_max,
        "fold": x_max / x_min,
        "n_unknown": len(part) - len(known),
    }


def _side(slopes: pd.DataFrame) -> tuple[float, float]:
    """Give the mean slope of some tags and its half-width, NaN when any is unknown."""
    half = (slopes["high"] - slopes["low"]) / 2
    return float(slopes["slope"].mean(skipna=False)), float(half.mean(skipna=False))
