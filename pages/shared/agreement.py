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
    pairs = complement.pairs(scores, evidence.clusters.reindex(scores.index))
    return Together(short_names(evidence, list(scores.columns)), scores, pairs)


def left_out(evidence: ItemResults, together: Together, metric: str, allowed: Sequence[str]) -> str:
    """Say which runs are not compared here, and why; empty where all are.

    Args:
        evidence: Of the benchmark.
        together: What is compared.
        metric: Of all its entries.
        allowed: The entries that may join.
    """
    about = evidence.entries[evidence.entries["metric"] == metric]
    out = [entry for entry in about.index if entry not in together.names]
    if not out:
        return ""
    names = short_names(evidence, about.index)
    scored = evidence.scores[out].notna().any()
    few = [names[entry] for entry in out if entry in allowed and scored[entry]]
    silent = [names[entry] for entry in out if entry in allowed and not scored[entry]]
    hidden = [names[entry] for entry in out if entry not in allowed]
    text = f"{len(together.names)} of {len(about)} runs are in this comparison."
    if few:
        they, come = ("it shares", "comes") if len(few) == 1 else ("they share", "come")
        why = f"as {they} too few of these questions"
        why += (
            f" or {come} after the first {routed.MOST}"
            if len(together.names) >= routed.MOST
            else ""
        )
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


def pair_map(together: Together, measure: str = "r", order: Sequence[str] = ()) -> go.Figure:
    """The pairs as a map; names of runs are long, so they stand once, in lines, with a number.

    Args:
        together: What is compared.
        measure: One of ``SIGNS``.
        order: The entries as they are to stand; as in ``together`` when empty.
    """
    order, about = list(order or together.names), (together.names, "questions")
    fig = heat_map(square(together, measure), order, *about, sign=SIGNS[measure])
    if len(order) > routed.MOST:
        return fig
    rows = [f"{place}. {together.names[entry]}" for place, entry in enumerate(order, 1)]
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


def square(together: Together, measure: str = "r") -> pd.DataFrame:
    """The pairs both ways and with themselves, as the map draws them.

    Args:
        together: What is compared.
        measure: One of ``SIGNS``; it stands in column r.
    """
    low, high = ENDS[measure]
    pairs = together.pairs[["a", "b", measure, low, high, "n"]]
    pairs = pairs.set_axis(["a", "b", "r", "low", "high", "n"], axis=1)
    other = pairs.rename(columns={"a": "b", "b": "a"})
    own = pd.DataFrame(
        {"a": list(together.names), "b": list(together.names), "n": len(together.scores)}
    )
    varies = together.scores.nunique() > 1
    if measure != "r":
        known = pairs.dropna(subset="r")
        varies = pd.Series({name: name in {*known["a"], *known["b"]} for name in together.names})
    own["r"] = [1.0 if varies[entry] else float("nan") for entry in together.names]
    return pd.concat([pairs, other, own.assign(low=np.nan, high=np.nan)], ignore_index=True)


def pair_table(together: Together) -> pd.DataFrame:
    """The pairs as a table for the screen."""
    rows = together.pairs
    ends = {
        measure: [bounds(*ends) for ends in zip(rows[low], rows[high], strict=True)]
        for measure, (low, high) in ENDS.items()
    }
    return pd.DataFrame(
        {
            "First": rows["a"].map(together.names),
            "Second": rows["b"].map(together.names),
            "r": rows["r"].round(2),
            "95 %": ends["r"],
            "kappa": rows["kappa"].round(2),
            "95 % of kappa": ends["kappa"],
            "r beyond difficulty": rows["beyond"].round(2),
            "95 % beyond": ends["beyond"],
            "Both right, %": 100 * rows["both"],
            "One is right, %": 100 * rows["either"],
            "Were failures unrelated, %": 100 * rows["unrelated"],
            "Better one alone, %": 100 * rows["best_single"],
            "n": rows["n"],
        }
    )


def words(together: Together, measure: str = "r") -> list[str]:
    """What the pairs say.

    Args:
        together: What is compared.
        measure: One of ``SIGNS``: by what they are alike.
    """
    pairs, sign = together.pairs.dropna(subset=measure), SIGNS[measure]
    if pairs.empty:
        return [_undefined(together, measure), together_words(together)]
    sentences = [
        f"On {len(together.scores):,} questions that all {len(together.names)} have a score for. "
        f"{MEANS[measure]}"
    ]
    if len(pairs) > 1:
        ends = pairs.loc[[pairs[measure].idxmax(), pairs[measure].idxmin()]]
        names = together.names
        most, least = (
            f"{names[row['a']]} and {names[row['b']]} ({sign} {_with(row, measure)})"
            for _, row in ends.iterrows()
        )
        sentences.append(f"Most alike: {most}; least alike: {least}.")
    others = int(pairs["others"].iloc[0])
    if measure == "r" and others > 0 and pairs["beyond"].notna().any():
        close = pairs.loc[pairs["beyond"].idxmax()]
        pair = f"{together.names[close['a']]} and {together.names[close['b']]}"
        sentences.append(
            "Much of r is that some questions are hard for everybody. Within questions that "
            f"equally many of the {others} others get right, the closest pair is {pair} "
            f"(r {_with(close, 'beyond')})."
        )
    if measure != "kappa" and 0 < others <= 2:
        sentences.append(
            f"{counted(others, 'other')} measure{'s' * (others == 1)} difficulty roughly."
        )
    return [*sentences, together_words(together)]


def _with(row: pd.Series, measure: str) -> str:
    """A coefficient with its interval."""
    low, high = ENDS[measure]
    return f"{coefficient(row[measure])}, 95 %: {bounds(row[low], row[high])}"


def _undefined(together: Together, measure: str) -> str:
    if measure == "beyond" and len(together.names) < 3:
        return "Two alone have no others to tell hard questions from easy ones by."
    what = "kappa" if measure == "kappa" else "correlation"
    return f"No pair has a {what}: fewer than four questions, or scores that do not vary."


def together_words(together: Together) -> str:
    """Which two get most right together; "" without a question."""
    top = together.pairs.iloc[0]
    if not top["n"]:
        return ""
    return (
        f"Together {together.names[top['a']]} and {together.names[top['b']]} get most right: for "
        f"{per_cent(top['either'])} % of the questions at least one of them has it, against "
        f"{per_cent(top['best_single'])} % of the better one alone ({points(top['gain'])} points, "
        f"95 %: {between(top['gain_low'], top['gain_high'])}, n {int(top['n']):,}). That is a "
        "ceiling: someone would have to know whom to believe, and a guesser is right now and then "
        "too."
    )
