"""Compare page, several models together: who fails on the same questions, and whom to ask what."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from evalcore.analysis import complement, paired, routing
from evalcore.suites.evidence import Evidence
from pages.shared.charts import per_cent
from pages.shared.charts_compare import between, points
from pages.shared.charts_correlation import bounds, coefficient
from pages.shared.compare_parts import SEED, short_names

MOST = 20
"""Entries in the map of pairs."""
KEEPS = 0.8
"""Another entry joins as long as so much of the chosen ones' questions is common to all."""


@dataclass(frozen=True)
class Together:
    """The entries whose answers are compared pair by pair."""

    names: dict[str, str]
    scores: pd.DataFrame
    """Common items x entries."""
    pairs: pd.DataFrame
    """As from ``complement.pairs``."""


def together(evidence: Evidence, chosen: Sequence[str], allowed: Sequence[str]) -> Together:
    """Take the chosen entries and as many others as share most of their questions.

    Args:
        evidence: Of the benchmark.
        chosen: Entries that are in at any rate.
        allowed: Entries that may join: of the same metric, their models not filtered away.
    """
    scores = evidence.scores[list(chosen)].dropna()
    least, taken = KEEPS * len(scores), list(chosen)
    filled = evidence.scores.loc[scores.index].notna()
    common = np.ones(len(scores), dtype=bool)
    waiting = [entry for entry in allowed if entry not in taken]
    for entry in sorted(waiting, key=lambda entry: -int(filled[entry].sum())):
        both = common & filled[entry].to_numpy()
        if len(taken) < MOST and both.sum() >= max(least, 1):
            taken.append(entry)
            common = both
    scores = evidence.scores.loc[scores.index[common], taken]
    found = complement.pairs(scores, evidence.clusters.reindex(scores.index))
    return Together(short_names(evidence, taken), scores, found)


def square(made: Together) -> pd.DataFrame:
    """The pairs both ways and with themselves, as the map draws them."""
    pairs = made.pairs[["a", "b", "r", "low", "high", "n"]]
    other = pairs.rename(columns={"a": "b", "b": "a"})
    own = pd.DataFrame({"a": list(made.names), "b": list(made.names), "n": len(made.scores)})
    varies = made.scores.nunique() > 1
    own["r"] = [1.0 if varies[entry] else float("nan") for entry in made.names]
    return pd.concat([pairs, other, own.assign(low=np.nan, high=np.nan)], ignore_index=True)


def pair_table(made: Together) -> pd.DataFrame:
    """The pairs as a table for the screen."""
    found = made.pairs
    return pd.DataFrame(
        {
            "First": found["a"].map(made.names),
            "Second": found["b"].map(made.names),
            "r": found["r"].round(2),
            "95 %": [bounds(*ends) for ends in zip(found["low"], found["high"], strict=True)],
            "kappa": found["kappa"].round(2),
            "r beyond difficulty": found["beyond"].round(2),
            "Both right, %": 100 * found["both"],
            "One is right, %": 100 * found["either"],
            "Were failures unrelated, %": 100 * found["unrelated"],
            "Better one alone, %": 100 * found["best_single"],
            "n": found["n"],
        }
    )


def words(made: Together) -> list[str]:
    """What the pairs say."""
    found = made.pairs.dropna(subset="r")
    if found.empty:
        return ["No pair has a correlation: fewer than four questions, or scores that do not vary."]
    most, least = (found.loc[found["r"].idxmax()], found.loc[found["r"].idxmin()])
    said = [
        f"On {len(made.scores):,} questions that all {len(made.names)} have a score for. "
        f"r is 1 if two fail on the same questions and 0 if their failures have nothing in common."
    ]
    if len(found) > 1:
        said.append(
            f"Most alike: {made.names[most['a']]} and {made.names[most['b']]} (r "
            f"{coefficient(most['r'])}); least alike: {made.names[least['a']]} and "
            f"{made.names[least['b']]} (r {coefficient(least['r'])})."
        )
    others = int(found["others"].iloc[0])
    if others > 0 and found["beyond"].notna().any():
        close = found.loc[found["beyond"].idxmax()]
        pair = f"{made.names[close['a']]} and {made.names[close['b']]}"
        rough = " Two others measure it roughly." if others <= 2 else ""
        said.append(
            "Much of r is that some questions are hard for everybody. Within questions that "
            f"equally many of the {others} others get right, the closest pair is {pair} "
            f"(r {coefficient(close['beyond'])}).{rough}"
        )
    top = made.pairs.iloc[0]
    said.append(
        f"Together {made.names[top['a']]} and {made.names[top['b']]} get most right: for "
        f"{per_cent(top['either'])} % of the questions at least one of them has it, against "
        f"{per_cent(top['best_single'])} % of the better one alone ({points(top['gain'])} points, "
        f"95 %: {between(top['gain_low'], top['gain_high'])}). That is a ceiling: someone would "
        "have to know whom to believe, and a guesser is right now and then too."
    )
    return said


def paid(evidence: Evidence, entries: Sequence[str]) -> bool:
    """Whether any answer of the entries is known to have cost something."""
    answers = evidence.answers
    mine = answers["run"].isin(evidence.entries.loc[list(entries), "run"])
    return bool((answers.loc[mine, "usd"].astype(float) > 0).any())


def costs(evidence: Evidence, entries: Sequence[str], items: pd.Index) -> pd.DataFrame:
    """What each entry's answer cost, items x entries, dollars; NaN is unknown."""
    answers = evidence.answers
    runs = evidence.entries["run"]
    columns = {}
    for entry in entries:
        mine = answers[answers["run"] == runs[entry]].drop_duplicates("item").set_index("item")
        columns[entry] = mine["usd"].astype(float).reindex(items)
    return pd.DataFrame(columns, index=items)


def plan(evidence: Evidence, made: Together, axis: str, budget: float | None) -> routing.Plan:
    """A routing table by the tags of an axis.

    Args:
        evidence: Of the benchmark.
        made: The entries to send questions to.
        axis: Of the tags.
        budget: Dollars a question, in the mean; None is no limit.
    """
    kinds = routing.kinds(evidence.tags, axis, made.scores.index)
    return routing.route(
        made.scores,
        kinds,
        np.random.default_rng(SEED),
        evidence.clusters.reindex(made.scores.index),
        costs(evidence, list(made.names), made.scores.index),
        routing.Settings(budget=budget),
    )


def plan_table(found: routing.Plan, names: dict[str, str]) -> pd.DataFrame:
    """The routing table for the screen."""
    table = found.table
    return pd.DataFrame(
        {
            "Kind of question": table["kind"],
            "Send to": table["entry"].map(names),
            "Its score, %": 100 * table["score"].astype(float),
            f"{names.get(found.single, 'One for all')}, %": 100
            * table["single_score"].astype(float),
            "$ per 1,000": (1000 * table["cost"].astype(float)).round(3),
            "n": table["n"],
        }
    )


def plan_words(found: routing.Plan, names: dict[str, str]) -> str:
    """What routing brings, told by questions that took no part in making the table."""
    if not found.single:
        return "No model meets the limits with costs that are known, so there is nothing to send."
    single = names[found.single]
    if (found.table["entry"] == found.single).all():
        return (
            f"{single} is the best for every kind of question here (n {found.n:,}): one model for "
            "all loses nothing."
        )
    text = (
        f"Sent as in the table, {per_cent(found.score)} % would be right on the questions that the "
        f"table was made from, against {per_cent(found.single_score)} % of {single} for all "
        f"(n {found.n:,}). "
    )
    if pd.isna(found.gain):
        return text + "Too few sources of questions to say how much of that gain is luck."
    honest = points(found.gain)
    interval = f"95 %: {between(found.gain_low, found.gain_high)}"
    text += (
        f"On questions left out when the table was made the gain is {honest} points ({interval})"
    )
    if paired.verdict(found.gain_low, found.gain_high, 0.0) == "different" and found.gain > 0:
        return f"{text}: sending by kind pays."
    return f"{text}: the data do not show that it pays."
