"""The scaling page's sentences about models of today."""

from collections.abc import Sequence

import pandas as pd

from evalcore.analysis import scaling_series
from evalcore.analysis.scaling_series import FEWEST_SIZES
from evalcore.decision.needs import ASSUMED
from evalcore.decision.text.phrases import counted, listed
from pages.parts.scaling.today import PRICES, SIZES, Today
from pages.shared.charts import interval_text, signed, span

SIDES = {"open": "open weights", "closed": "closed weights"}
NAMED = 4


def headline(view: Today, slopes: pd.DataFrame) -> str:
    """The slope inside series and the slope across all models, of the tag that is shown."""
    own = slopes[slopes["tag"] == view.tag].set_index("part")
    inside, across = own.loc["within"], own.loc["across"]
    what = SIZES[view.x].lower().replace("all parameters", "the parameters")
    text = f"{view.label[:1].upper()}{view.label[1:]}: ten times {what} go with "
    if pd.isna(inside["slope"]):
        text += (
            f"an undefined gain within a series (none of them has {FEWEST_SIZES} sizes with a "
            "score here)"
        )
    else:
        text += (
            f"{_gain(inside)} within a series of releases "
            f"({counted(int(inside['n_models']))} of {int(inside['n_series'])} series)"
        )
    if pd.isna(across["slope"]):
        return f"{text}; across all models the gain is undefined too."
    text += f", and with {_gain(across)} across all {int(across['n_models'])} models of known size."
    return (
        f"{text} Across all, the larger models are also of other makers and other dates: what size "
        "does is seen within a series."
    )


def unknown_sizes(view: Today) -> str:
    """How many models are not drawn because their size is not known, and who."""
    rows = view.rows
    missing = rows.loc[rows["x"].isna(), "name"]
    title = SIZES[view.x].lower()
    text = f"{counted(len(rows))} with a score on {view.label}; {title} known for "
    text += f"{len(rows) - len(missing)}."
    if len(missing):
        text += f" Not drawn, size unknown: {few(list(missing))} (all in the table)."
    taken = int(rows["assumed"].sum()) if view.x == "active_params_b" else 0
    if taken:
        text += f" Of {taken} all parameters are taken as active; no source says so (hollow)."
    return text


def gap(view: Today, front: pd.DataFrame) -> str:
    """Who is ahead by now, by how much, and how many months the other side is behind."""
    gap_row = scaling_series.gap(front)
    if gap_row is None:
        return "Only one side has a dated score here, so there is no gap between open and closed."
    names = front.set_index("model")["name"]
    value = front.set_index("model")["value"] * 100
    lead, follow = SIDES[gap_row.leader], SIDES[gap_row.follower]
    known = "no interval" if pd.isna(gap_row.low) else span(gap_row.low * 100, gap_row.high * 100)
    ahead = (
        "are level with"
        if gap_row.points == 0
        else f"are {100 * gap_row.points:.1f} points ahead of"
    )
    text = (
        f"On {view.label}, {lead} {ahead} {follow} ({known}): {names[gap_row.leader_model]} with "
        f"{value[gap_row.leader_model]:.1f} %, {names[gap_row.follower_model]} with "
        f"{value[gap_row.follower_model]:.1f} %. "
    )
    first = names[gap_row.reached_by]
    if gap_row.months > 0:
        text += (
            f"In time, {follow} are {_months(gap_row.months)} behind: {first} had reached as much "
            f"{_months(gap_row.months)} before {names[gap_row.follower_model]}."
        )
    elif gap_row.months == 0:
        text += f"{first} reached as much in the same month as {names[gap_row.follower_model]}."
    else:
        text += (
            f"{first} was the first of the leaders to reach as much, {_months(-gap_row.months)} "
            f"after {names[gap_row.follower_model]}."
        )
    return text


def undated(view: Today, front: pd.DataFrame) -> str:
    """What the frontier rests on, and who is left out of it."""
    rows = view.rows
    missing = rows.loc[~rows["model"].isin(front["model"]), "name"]
    newest = [
        f"the newest of {SIDES[str(side)]} is of {part['date'].max()[:7]}"
        for side, part in front.groupby("side")
    ]
    text = (
        f"Only models of this block, {len(front)} of {len(rows)}, retired ones too; "
        f"{listed(newest)}. A best so far is also the luckiest so far."
    )
    if len(missing):
        text += (
            f" Left out, for want of a release month or of open or closed: {few(list(missing))}."
        )
    return text


def price(view: Today, rows: pd.DataFrame) -> str:
    """How many prices are known, whose, and who is on the front."""
    known = rows[rows["cost"].notna()]
    missing = rows[rows["cost"].isna()]
    gone = len(view.rows) - len(rows)
    text = f"{PRICES[view.price]} known for {len(known)} of {counted(len(rows))}"
    text += f" ({gone} more can no longer be had)." if gone else "."
    if view.price == "question":
        text += (
            f" A question is one picture of {ASSUMED.width} x {ASSUMED.height} pixels and "
            f"{ASSUMED.prompt_tokens:g} tokens of text, the answer as long as it was measured."
        )
    if len(missing):
        closed = missing.loc[missing["side"] == "closed", "name"]
        text += f" Unknown, not free: {len(missing)}"
        text += (
            f", of them closed {few(list(closed))}." if len(closed) else ", all of open weights."
        )
    best = known[known["front"]].sort_values("cost")["name"]
    if len(best):
        text += f" No cheaper model of known price scores as much as {few(list(best), most=8)}."
    return text


def few(names: Sequence[str], most: int = NAMED) -> str:
    """A list cut after a few names."""
    if len(names) <= most:
        return listed(list(names))
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def slope_hover(row: object) -> str:
    """The interval and the numbers behind one slope, for a point."""
    return (
        f"{signed(row.slope * 100)} points for ten times the parameters<br>"  # type: ignore[attr-defined]
        f"95 %: {span(row.low * 100, row.high * 100)}<br>"  # type: ignore[attr-defined]
        f"n {row.n_models} models, {row.n_levels} sizes, "  # type: ignore[attr-defined]
        f"{row.n_series} series<br>{row.fold:,.0f}-fold range"  # type: ignore[attr-defined]
    )


def score_text(row: pd.Series) -> str:
    """A score with its interval."""
    return f"{100 * row['value']:.1f} % ({interval_text(row['low'], row['high'])})"


def _gain(row: pd.Series) -> str:
    return f"{signed(row['slope'] * 100)} points ({span(row['low'] * 100, row['high'] * 100)})"


def _months(number: int) -> str:
    return "1 month" if number == 1 else f"{number} months"
