"""What UniBench claims about scale, in its words, and what the open data show, in ours."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from evalcore.analysis.scaling_slices import Slice, averaged
from pages.parts.scaling.views import UNITS
from pages.shared.charts import signed, span

QUOTES = {
    "data": (
        "To control for other confounding factors, we fix the model and only vary the training "
        "data size in Figure 3. The results suggest despite increasing the training dataset size "
        "by a factor of 1000×, relational and reasoning benchmarks performance is fairly flat "
        "compared to the significant boost in performance on other tasks. (section 3.1)"
    ),
    "size": (
        "While for other benchmark types including object recognition, robustness, etc. "
        "performance improves by 17.4% as model size scales by 11×, relations and reasoning "
        "improve by a modest 3.41% with a fairly flat scaling curve. (section 3.1)"
    ),
    "all": (
        "We observe a similar trend overall when we include all 59 models in Appendix Figure 7. "
        "We specifically pinpoint capabilities such as Depth Estimation, Spatial Understanding, "
        "Counting, Scene and Text Recognition, as the underlying capabilities where scale does "
        "not lead to improvements as shown in Figure 4. (section 3.1)"
    ),
    "quality": (
        "While the quantity of data is often highlighted as a key driver for improving model "
        "performance, the quality of the data can be even more critical. (section 3.3)"
    ),
    "objective": (
        "NegCLIP, with only 86M parameters, significantly outperforms models up to 50× larger with "
        "an overall performance of 70.4%, compared to only 50.5% for the largest EVA ViT-E/14 "
        "model with 4.3B parameters. (section 3.3)"
    ),
}
"""Claim → the paper's words."""
NAMED = (
    "depth estimation",
    "spatial understanding",
    "counting",
    "scene recognition",
    "character recognition",
)
"""The capabilities in which the paper says that scale does not lead to improvements."""
NO_RELATION = (
    "Not shown: relations. No open table has a relation benchmark, so this half of the claim can "
    "neither be confirmed nor refuted here."
)
PAPER_POINTS = {
    "size": (
        "The paper's 17.4 % for the others and 3.41 % for relations and reasoning, over 11-fold, "
        "are read as points of accuracy."
    ),
    "data": "The paper prints no gain for the data, only the curves of its Figure 3.",
}
POOLS = (
    "CommonPool fixes architecture, pool and samples seen; the filters keep different shares of "
    "the pool, so a filtered set is smaller and each of its pairs is seen more often."
)
SAME_ROW = (
    "At the small pool the table prints the same 38 values for DataComp and for the image filter: "
    "they count as one result."
)
OBJECTIVES = (
    "Architecture of the image tower and LAION-2B are the same. CoCa adds a captioning loss with a "
    "text decoder and saw 13 billion samples, its partners 34 and 32 billion. The sigmoid loss "
    "cannot be told apart from its data: all of its models here are on WebLI, and no other is."
)
NO_NEGCLIP = (
    "Not shown: hard negatives. NegCLIP and the relation benchmarks it was made for are in no open "
    "table; UniBench's own Table 1 prints 66.8 % for it on relations, its text 70.4 %."
)


def slice_result(part: Slice, gains: pd.DataFrame, sides: pd.DataFrame, flat: Sequence[str]) -> str:
    """What a slice of open_clip's table shows for reasoning and for the others."""
    own = sides.set_index("part")
    title, unit = UNITS[part.x]
    kinds = "reasoning" if len(flat) == 1 else f"the {len(flat)} reasoning capabilities on average"
    low, high = gains["x_min"].iloc[0], gains["x_max"].iloc[0]
    return (
        f"In open_clip's table, {part.title}: {title.lower()} from {low:,g} to {high:,g} {unit}, "
        f"{folded(gains['fold'].iloc[0])}, n {int(gains['n_models'].iloc[0])} models with the same "
        f"{part.fixed}. From the first to the last, {kinds}: {gain(own.loc['given'])}; the other "
        f"{int(own.loc['others', 'n_tags'])} on average: {gain(own.loc['others'])}; difference: "
        f"{gain(own.loc['difference'])}."
    )


def grid_result(contrast: pd.DataFrame, slopes: pd.DataFrame, what: str, held: str) -> str:
    """What the controlled grid shows, per tenfold."""
    own = contrast.set_index("part").rename(columns={"slope": "gain"})
    return (
        f"In the controlled grid ({held} fixed, {folded(slopes['fold'].max())}, "
        f"n {int(slopes['n_models'].min())} models in {int(slopes['n_groups'].max())} groups), "
        f"ten times {what} bring reasoning {gain(own.loc['given'])}, the others "
        f"{gain(own.loc['others'])} on average; difference {gain(own.loc['difference'])}."
    )


def no_interval(gains: pd.DataFrame, *, chance: bool) -> str:
    """Why a mean has no interval; empty where all have one."""
    lacking = list(dict.fromkeys(gains.loc[gains["se"].isna(), "tag"]))
    if not lacking:
        return ""
    way = "" if chance else " Corrected for chance it is left out, and the interval is known."
    return (
        f"No interval where {', '.join(lacking)} takes part: Dollar Street's measure is that of "
        f"its worst group, whose size is not known.{way}"
    )


def quality_result(rows: pd.DataFrame, pool: str, step: pd.DataFrame) -> str:
    """The filters that help most and least on average, and what a tenfold pool brings instead.

    Args:
        rows: As from ``scaling_slices.filtered``.
        pool: The pool's name.
        step: Unfiltered medium against unfiltered small (``reference.against``), or empty.
    """
    means = averaged(rows, "filter")
    best, worst = means.iloc[0], means.iloc[-1]
    text = (
        f"Pool {pool}, mean change over {rows['tag'].nunique()} groups of benchmarks against the "
        f"unfiltered pool, n {len(means)} filters: the best is {best['filter']} with "
        f"{change(best)}, the worst {worst['filter']} with {change(worst)}."
    )
    if len(step):
        ten = averaged(step.assign(all=""), "all").iloc[0]
        text += (
            " Ten times the pool and the samples seen, unfiltered and with the same architecture "
            f"(small to medium): {change(ten)}."
        )
    return text


def against_imagenet(slopes: pd.DataFrame) -> str:
    """How the five capabilities that the paper names compare with ImageNet's gain."""
    own = slopes.set_index("tag")
    if "imagenet" not in own.index:
        return ""
    base = own.loc["imagenet", "slope"]
    sentences = [
        f"{tag} {signed(own.loc[tag, 'slope'] * 100)} "
        f"({own.loc[tag, 'slope'] / base * 100:.0f} %)".replace("-", "−")
        for tag in NAMED
        if tag in own.index
    ]
    return (
        f"Ten times the training data go with {signed(base * 100)} points on ImageNet over all "
        f"open_clip models; on the five that the paper names, in points and in per cent of "
        f"ImageNet's gain: {', '.join(sentences)}. One line through all models, so other things "
        "differ as well; the paper compares the most with the least scaled model instead."
    )


def change(row: Mapping[Any, Any] | pd.Series) -> str:
    """A mean change in points with its interval."""
    return gain({"gain": row["value"], "low": row["low"], "high": row["high"]})


def folded(fold: float) -> str:
    """How many times; one decimal where it matters.

    >>> folded(11.756), folded(984.6)
    ('11.8-fold', '985-fold')
    """
    return f"{fold:.1f}-fold" if fold < 20 else f"{fold:,.0f}-fold"


def gain(row: Mapping[Any, Any] | pd.Series) -> str:
    """A gain in points with its interval."""
    known = "no interval" if pd.isna(row["low"]) else span(row["low"] * 100, row["high"] * 100)
    return f"{signed(row['gain'] * 100)} points ({known})"
