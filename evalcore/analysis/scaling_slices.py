"""Controlled slices of the open_clip table: a few checkpoints that differ in one thing, or nearly.

UniBench (section 3.1 and Figure 3) fixes the architecture and varies the data, or fixes the data
and varies the size; section 3.3 looks at the quality of the data and at the objective. These are
the open checkpoints that come nearest to it, each with what else moves.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import bdtr

from evalcore.analysis import estimates, intervals, scaling
from evalcore.errors import BadInput

SUITE = "openclip"


@dataclass(frozen=True)
class Slice:
    """Checkpoints along one scale."""

    title: str
    x: scaling.Scale
    models: tuple[str, ...]
    """Ids, the smallest x first."""
    fixed: str
    moves: str
    """What moves with x all the same, a sentence."""
    paper: str
    """What the paper varies in its place, a sentence."""


SLICES = {
    "data": Slice(
        "ViT-B/32 on DataComp small, medium and xlarge",
        "train_data_m",
        (
            "vit-b-32/datacomp_s_s13m_b4k",
            "vit-b-32/datacomp_m_s128m_b4k",
            "vit-b-32/datacomp_xl_s13b_b90k",
        ),
        "architecture and objective",
        "The samples seen grow with the data (13 million, 128 million, 13 billion), so this is "
        "data and training together; the data are the pool's size, and each pool was filtered "
        "in its own way.",
        "Its left panel of Figure 3 fixes CLIP ViT-B/32 and varies the data 1,000-fold.",
    ),
    "size": Slice(
        "ViT-B/32, ViT-L/14 and EVA01-g/14 on LAION-400M",
        "image_tower_params_m",
        ("vit-b-32/laion400m_e32", "vit-l-14/laion400m_e32", "eva01-g-14/laion400m_s11b_b41k"),
        "data set and objective",
        "The patch is 32 pixels wide in the smallest and 14 in the others; EVA01's image tower "
        "was trained before on other data and saw 11 billion samples.",
        "Its right panel of Figure 3 fixes LAION-400M and varies the size from 86 million "
        "parameters to 1 billion, 11-fold.",
    ),
}
"""Kind → the slice."""

OBJECTIVES = (
    ("coca_vit-b-32/laion2b_s13b_b90k", "vit-b-32/laion2b_s34b_b79k"),
    ("coca_vit-l-14/laion2b_s13b_b90k", "vit-l-14/laion2b_s32b_b82k"),
)
"""(contrastive and captioning, contrastive alone): the same architecture and LAION-2B."""


def along(cells: pd.DataFrame, models: pd.DataFrame, part: Slice) -> pd.DataFrame:
    """Give what each tag gains from the first to the last checkpoint of a slice.

    gain = last - first, se = sqrt(se_first^2 + se_last^2), unpaired: the error of the questions,
    not of the training. The slope is one line through all checkpoints of the slice; its interval
    (Student's t) is wide with three of them.

    Args:
        cells: as from ``profiles.cells``.
        models: one row a model, with the slice's column.
        part: the slice.

    Returns:
        One row a tag that the first and the last have: tag, first, last, gain, se, low, high
        (95 %), slope, slope_low, slope_high (per tenfold), n_models, x_min, x_max, fold.

    Raises:
        BadInput: a checkpoint whose x is not known.
    """
    x = models.set_index("model")[part.x].astype(float).reindex(list(part.models))
    if x.isna().any():
        raise BadInput(f"no {part.x} is known of {x.index[x.isna()][0]!r}")
    rows = [
        {"tag": tag, **_gain(group.set_index("model"), x)}
        for tag, group in cells[cells["model"].isin(part.models)].groupby("tag", sort=False)
        if {part.models[0], part.models[-1]} <= set(group["model"])
    ]
    columns = ["tag", "first", "last", "gain", "se", "low", "high"]
    columns += ["slope", "slope_low", "slope_high", "n_models", "x_min", "x_max", "fold"]
    return pd.DataFrame(rows, columns=columns)


def sides(gains: pd.DataFrame, tags: Sequence[str]) -> pd.DataFrame:
    """Compare the mean gain of some tags with the mean gain of the others.

    The tags of an axis hold different benchmarks, so their errors are independent:
    se = sqrt(sum se^2)/k.

    Args:
        gains: as from ``along``.
        tags: the tags on one side.

    Returns:
        Three rows, "given", "others" and "difference" (given - others): part, gain, low, high,
        n_tags. NaN for a side without tags; no interval where one of its tags has none.
    """
    given = gains["tag"].isin(list(tags))
    (own, own_se), (rest, rest_se) = _mean(gains[given]), _mean(gains[~given])
    value = np.array([own, rest, own - rest])
    ends = intervals.normal(value, [own_se, rest_se, np.hypot(own_se, rest_se)], floor=-1.0)
    return pd.DataFrame(
        {
            "part": ["given", "others", "difference"],
            "gain": value,
            "low": ends.low,
            "high": ends.high,
            "n_tags": [int(given.sum()), int((~given).sum()), len(gains)],
        }
    )


def pools(models: pd.DataFrame) -> pd.DataFrame:
    """List the checkpoints that were trained on one pool of pictures, filtered in several ways.

    CommonPool (Gadre et al. 2023, "DataComp") fixes architecture, pool and samples seen for each
    of its four sizes; only the choice of pairs from the pool differs. "DataComp" is that paper's
    own choice.

    Args:
        models: one row a model: model, train_data, architecture, samples_seen_b.

    Returns:
        One row a checkpoint: pool (small, medium, large, xlarge), filter ("none" first), model.
        Checkpoints of another architecture or run length than the pool's unfiltered one are left
        out.
    """
    parts = models["train_data"].str.extract(
        r"^(?P<set>CommonPool|DataComp) (?P<pool>small|medium|large|xlarge)(?:, (?P<filter>.+))?$"
    )
    rows = models[["model", "architecture", "samples_seen_b"]].join(parts)
    rows = rows[rows["pool"].notna()]
    choice = rows["filter"].where(rows["filter"].notna(), "none")
    rows = rows.assign(filter=choice.mask(rows["set"] == "DataComp", "DataComp"))
    base = rows[rows["filter"] == "none"].set_index("pool")
    alike = pd.Series(True, rows.index)
    for column in ("architecture", "samples_seen_b"):
        alike &= rows[column] == rows["pool"].map(base[column])
    size = pd.Categorical(rows["pool"], ["small", "medium", "large", "xlarge"], ordered=True)
    rows = rows.assign(pool=size, other=rows["filter"] != "none")[alike]
    rows = rows.sort_values(["pool", "other", "filter"]).astype({"pool": str})
    return rows[["pool", "filter", "model"]].reset_index(drop=True)


def filtered(cells: pd.DataFrame, pool: pd.DataFrame) -> pd.DataFrame:
    """Give what each filter of one pool changes against the unfiltered pool.

    Args:
        cells: as from ``profiles.cells``.
        pool: the rows of ``pools`` of one pool.

    Returns:
        The columns of ``estimates.against``, and filter; one row a (filter, tag).
    """
    base = pool.loc[pool["filter"] == "none", "model"].iloc[0]
    own = cells[cells["model"].isin(pool["model"])]
    rows = estimates.against(own, str(base))
    return rows.assign(filter=rows["model"].map(pool.set_index("model")["filter"]))


def averaged(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    """Average changes over tags, which hold different benchmarks: se = sqrt(sum se^2)/k.

    Args:
        rows: one row a (kind, tag): the column named by ``by``, value (a difference), se.
        by: the column with the kinds.

    Returns:
        One row a kind, the largest mean first: by, value, low, high (95 %; NaN where one se is
        unknown), n_tags.
    """
    groups = rows.assign(variance=rows["se"] ** 2).groupby(by, sort=False)
    means = groups.agg(value=("value", "mean"), n_tags=("tag", "size"))
    error = np.sqrt(groups["variance"].sum(skipna=False)) / means["n_tags"]
    ends = intervals.normal(means["value"], error, floor=-1.0)
    means = means.assign(low=ends.low, high=ends.high).reset_index()
    means = means.sort_values("value", ascending=False, kind="stable", ignore_index=True)
    return means[[by, "value", "low", "high", "n_tags"]]


def medians(
    cells: pd.DataFrame, models: pd.DataFrame, x: scaling.Scale, per_decade: int = 2
) -> pd.DataFrame:
    """Give the median score of all models of about the same x, tag by tag.

    The interval is that between two order statistics, the k-th from each end with the largest k
    for which P(Binomial(n, 1/2) < k) <= 0.025: it holds whatever the distribution (Conover 1999,
    Practical Nonparametric Statistics, 3.2), and needs six models.

    Args:
        cells: one row a (model, tag): model, tag, value.
        models: one row a model, with the column named by x.
        x: the scale; models of unknown x are left out.
        per_decade: in how many equal steps of log10(x) a tenfold is cut.

    Returns:
        One row a (tag, step): tag, x (median of its models), value, low, high (at least 95 %; NaN
        below six models), n.
    """
    rows = scaling.points(cells.assign(low=np.nan, high=np.nan, kind=""), models, x)
    rows = rows[rows["value"].notna()]
    step = np.floor(np.log10(rows["x"]) * per_decade + 1e-9).rename("step")
    groups = rows.groupby(["tag", step], sort=False)
    table = groups.agg(x=("x", "median"), value=("value", "median"), n=("value", "size"))
    ends = groups["value"].apply(_order_ends)
    table["low"], table["high"] = [e[0] for e in ends], [e[1] for e in ends]
    table = table.reset_index().sort_values(["tag", "step"], kind="stable", ignore_index=True)
    return table[["tag", "x", "value", "low", "high", "n"]]


def _gain(cells: pd.DataFrame, x: pd.Series) -> dict[str, float]:
    rows = cells.reindex(x.index)
    value, error = rows["value"].to_numpy(float), rows["se"].to_numpy(float)
    gain, se = value[-1] - value[0], float(np.hypot(error[0], error[-1]))
    ends = intervals.normal(gain, se, floor=-1.0)
    fit = scaling.within_group_slope(x, value, np.zeros(len(x)))
    return {
        "first": value[0],
        "last": value[-1],
        "gain": gain,
        "se": se,
        "low": float(ends.low),
        "high": float(ends.high),
        "slope": fit.slope,
        "slope_low": fit.low,
        "slope_high": fit.high,
        "n_models": fit.n,
        "x_min": float(x.iloc[0]),
        "x_max": float(x.iloc[-1]),
        "fold": float(x.iloc[-1] / x.iloc[0]),
    }


def _mean(gains: pd.DataFrame) -> tuple[float, float]:
    if gains.empty:
        return np.nan, np.nan
    error = float(np.sqrt((gains["se"] ** 2).sum(skipna=False))) / len(gains)
    return float(gains["gain"].mean()), error


def _order_ends(values: pd.Series) -> tuple[float, float]:
    """The order statistics that hold the median with at least 95 %."""
    n = len(values)
    outside = (1 - intervals.LEVEL) / 2
    k = int(np.count_nonzero(bdtr(np.arange((n + 1) // 2), n, 0.5) <= outside))
    if k == 0:
        return np.nan, np.nan
    ordered = np.sort(values.to_numpy(float))
    return float(ordered[k - 1]), float(ordered[n - k])
