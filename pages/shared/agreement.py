"""Several models together: who fails on the same questions, and what two get right together."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from evalcore.analysis import complement
from evalcore.decision.text.phrases import counted
from evalcore.suites import routed
from evalcore.suites.item_results import ItemResults
from pages.shared.charts import between, per_cent, points, safe
from pages.shared.heat_map import bounds, coefficient, heat_map

LINE = 24
"""Letters of a line of a run's name."""
ROOM, ROW = 190, 40
"""Pixels around the map, and of one of its rows."""
SOME = 5
"""Runs that are named."""
SIGNS = {"r": "r", "kappa": "kappa", "beyond": "r"}
"""Measure of how alike two are → what its numbers are called."""
ENDS = {
    measure: ("low", "high") if measure == "r" else (f"{measure}_low", f"{measure}_high")
    for measure in SIGNS
}
"""Measure → the columns of its interval."""
MEANS = {
    "r": "r is 1 if two fail on the same questions and 0 if their failures have nothing in common.",
    "kappa": "Kappa is 1 if two are right and wrong on the same questions and 0 if they agree no "
    "more often than two who guess with their shares of right answers.",
    "beyond": "r is taken within questions that equally many of the others get right, so it is 0 "
    "if two share only that some questions are easy and some hard for everybody.",
}


@dataclass(frozen=True)
class Together:
    """The entries whose answers are compared pair by pair."""

    names: dict[str, str]
    scores: pd.DataFrame
    """Common items x entries."""
    pairs: pd.DataFrame
    """As from ``complement.pairs``."""


def together(evidence: ItemResults, chosen: Sequence[str], allowed: Sequence[str]) -> Together:
    """Take the chosen entries and as many others as share most of their questions.

    Args:
        evidence: Of the benchmark.
        chosen: Entries that are in at any rate.
        allowed: Entries that may join: of the same metric, their models not filtered away.
    """
    scores = routed.pool(evidence, chosen, allowed)
    found = complement.pairs(scores, evidence.clusters.reindex(scores.index))
    return Together(short_names(evidence, list(scores.columns)), scores, found)


def left_out(evidence: ItemResults, made: Together, metric: str, allowed: Sequence[str]) -> str:
    """Say which runs are not compared here, and why; empty where all are.

    Args:
        evidence: Of the benchmark.
        made: What is compared.
        metric: Of all its entries.
        allowed: The entries that may join.
    """
    about = evidence.entries[evidence.entries["metric"] == metric]
    out = [entry for entry in about.index if entry not in made.names]
    if not out:
        return ""
    names = short_names(evidence, about.index)
    scored = evidence.scores[out].notna().any()
    few = [names[entry] for entry in out if entry in allowed and scored[entry]]
    silent = [names[entry] for entry in out if entry in allowed and not scored[entry]]
    hidden = [names[entry] for entry in out if entry not in allowed]
    text = f"{len(made.names)} of {len(about)} runs are in this comparison."
    if few:
        they, come = ("it shares", "comes") if len(few) == 1 else ("they share", "come")
        why = f"as {they} too few of these questions"
        why += f" or {come} after the first {routed.MOST}" if len(made.names) >= routed.MOST else ""
        text += f" Left out, {why}: {_some(few)}."
    if silent:
        text += f" Without any score: {_some(silent)}."
    if hidden:
        text += f" Hidden by the sidebar's filter: {_some(hidden)}."
    return text


def _some(names: Sequence[str]) -> str:
    """Names that may hold commas; of many the first few."""
    more = f" and {len(names) - SOME} more" if len(names) > SOME else ""
    return "; ".join(names[:SOME]) + more


def short_names(evidence: ItemResults, entries: Sequence[str]) -> dict[str, str]:
    """Names for sentences and charts: the model's, and where runs share it what tells them apart.

    ``ItemResults.labels`` tells all entries of a benchmark apart and is longer.
    """
    names = evidence.entries.loc[list(entries), "model_name"].astype(str)
    whole = pd.Series(evidence.labels()).reindex(names.index).str.replace(" (demo)", "")
    names = names.where(~names.duplicated(keep=False), whole)
    names = names.where(~names.duplicated(keep=False), names.index.to_series())
    return {str(entry): str(name) for entry, name in names.items()}


def pair_map(made: Together, measure: str = "r", order: Sequence[str] = ()) -> go.Figure:
    """The pairs as a map; names of runs are long, so they stand once, in lines, with a number.

    Args:
        made: What is compared.
        measure: One of ``SIGNS``.
        order: The entries as they are to stand; as in ``made`` when empty.
    """
    order, about = list(order or made.names), (made.names, "questions")
    fig = heat_map(square(made, measure), order, *about, sign=SIGNS[measure])
    if len(order) > routed.MOST:
        return fig
    rows = [f"{place}. {made.names[entry]}" for place, entry in enumerate(order, 1)]
    lines = ["<br>".join(map(safe, textwrap.wrap(row, LINE))) for row in rows]
    fig.update_yaxes(ticktext=lines, tickfont={"size": 11})
    fig.update_xaxes(
        tickmode="array",
        tickvals=list(range(len(rows))),
        ticktext=[str(place + 1) for place in range(len(rows))],
        tickangle=0,
        title="Columns stand in the order of the rows",
    )
    return fig.update_layout(height=ROOM + ROW * len(rows))


def square(made: Together, measure: str = "r") -> pd.DataFrame:
    """The pairs both ways and with themselves, as the map draws them.

    Args:
        made: What is compared.
        measure: One of ``SIGNS``; it stands in column r.
    """
    low, high = ENDS[measure]
    pairs = made.pairs[["a", "b", measure, low, high, "n"]]
    pairs = pairs.set_axis(["a", "b", "r", "low", "high", "n"], axis=1)
    other = pairs.rename(columns={"a": "b", "b": "a"})
    own = pd.DataFrame({"a": list(made.names), "b": list(made.names), "n": len(made.scores)})
    varies = made.scores.nunique() > 1
    if measure != "r":
        known = pairs.dropna(subset="r")
        varies = pd.Series({name: name in {*known["a"], *known["b"]} for name in made.names})
    own["r"] = [1.0 if varies[entry] else float("nan") for entry in made.names]
    return pd.concat([pairs, other, own.assign(low=np.nan, high=np.nan)], ignore_index=True)


def pair_table(made: Together) -> pd.DataFrame:
    """The pairs as a table for the screen."""
    found = made.pairs
    ends = {
        measure: [bounds(*ends) for ends in zip(found[low], found[high], strict=True)]
        for measure, (low, high) in ENDS.items()
    }
    return pd.DataFrame(
        {
            "First": found["a"].map(made.names),
            "Second": found["b"].map(made.names),
            "r": found["r"].round(2),
            "95 %": ends["r"],
            "kappa": found["kappa"].round(2),
            "95 % of kappa": ends["kappa"],
            "r beyond difficulty": found["beyond"].round(2),
            "95 % beyond": ends["beyond"],
            "Both right, %": 100 * found["both"],
            "One is right, %": 100 * found["either"],
            "Were failures unrelated, %": 100 * found["unrelated"],
            "Better one alone, %": 100 * found["best_single"],
            "n": found["n"],
        }
    )


def words(made: Together, measure: str = "r") -> list[str]:
    """What the pairs say.

    Args:
        made: What is compared.
        measure: One of ``SIGNS``: by what they are alike.
    """
    found, sign = made.pairs.dropna(subset=measure), SIGNS[measure]
    if found.empty:
        return [_undefined(made, measure), together_words(made)]
    said = [
        f"On {len(made.scores):,} questions that all {len(made.names)} have a score for. "
        f"{MEANS[measure]}"
    ]
    if len(found) > 1:
        ends = found.loc[[found[measure].idxmax(), found[measure].idxmin()]]
        most, least = (
            f"{made.names[row['a']]} and {made.names[row['b']]} ({sign} {_with(row, measure)})"
            for _, row in ends.iterrows()
        )
        said.append(f"Most alike: {most}; least alike: {least}.")
    others = int(found["others"].iloc[0])
    if measure == "r" and others > 0 and found["beyond"].notna().any():
        close = found.loc[found["beyond"].idxmax()]
        pair = f"{made.names[close['a']]} and {made.names[close['b']]}"
        said.append(
            "Much of r is that some questions are hard for everybody. Within questions that "
            f"equally many of the {others} others get right, the closest pair is {pair} "
            f"(r {_with(close, 'beyond')})."
        )
    if measure != "kappa" and 0 < others <= 2:
        said.append(f"{counted(others, 'other')} measure{'s' * (others == 1)} difficulty roughly.")
    return [*said, together_words(made)]


def _with(row: pd.Series, measure: str) -> str:
    """A coefficient with its interval."""
    low, high = ENDS[measure]
    return f"{coefficient(row[measure])}, 95 %: {bounds(row[low], row[high])}"


def _undefined(made: Together, measure: str) -> str:
    if measure == "beyond" and len(made.names) < 3:
        return "Two alone have no others to tell hard questions from easy ones by."
    what = "kappa" if measure == "kappa" else "correlation"
    return f"No pair has a {what}: fewer than four questions, or scores that do not vary."


def together_words(made: Together) -> str:
    """Which two get most right together; "" without a question."""
    top = made.pairs.iloc[0]
    if not top["n"]:
        return ""
    return (
        f"Together {made.names[top['a']]} and {made.names[top['b']]} get most right: for "
        f"{per_cent(top['either'])} % of the questions at least one of them has it, against "
        f"{per_cent(top['best_single'])} % of the better one alone ({points(top['gain'])} points, "
        f"95 %: {between(top['gain_low'], top['gain_high'])}, n {int(top['n']):,}). That is a "
        "ceiling: someone would have to know whom to believe, and a guesser is right now and then "
        "too."
    )
