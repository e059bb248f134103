"""Sentences of the Compare page."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from evalcore.analysis import multiple, paired
from pages.shared import compare_parts as parts
from pages.shared.charts import per_cent
from pages.shared.charts_compare import between, points
from pages.shared.compare_parts import Comparison

CORRECTIONS = {
    "holm": "Holm: hardly ever one by luck",
    "bh": "Benjamini-Hochberg: few by luck",
    "none": "None",
}
SOME = 3


def headline(made: Comparison, rows: pd.DataFrame, margin: float) -> list[str]:
    """One sentence or two for each entry against the first."""
    overall = rows[rows["group"] == paired.ALL].set_index("entry")
    needed = parts.needed(made, margin).set_index("entry")
    said = []
    for entry, row in overall.iterrows():
        name, first = made.names[str(entry)], made.names[made.reference]
        verb = "gets {} % right" if made.binary else "scores {} %"
        text = (
            f"{name} {verb.format(per_cent(row['score']))}, {first} "
            f"{per_cent(row['reference_score'])} %: {_apart(row['difference'])} "
            f"({_interval(row)}; {questions(made, row)})."
        )
        said.append(f"{text} {_meaning(row, needed.loc[entry], margin)}")
    return said


def questions(made: Comparison, row: pd.Series) -> str:
    """The number of questions, and of what they share, if they share anything."""
    n, clusters = int(row["n"]), int(row["clusters"])
    return f"n {n:,}" if clusters == n else f"n {n:,} from {clusters:,} pictures or sources"


def _apart(difference: float) -> str:
    if pd.isna(difference):
        return "no difference can be given"
    if abs(difference) < 0.0005:
        return "the same to a tenth of a point"
    return f"{abs(100 * difference):.1f} points {'more' if difference > 0 else 'less'}"


def _interval(row: pd.Series) -> str:
    if pd.isna(row["low"]):
        return "no interval"
    judge = "" if pd.isna(row["judge_se"]) else ", with the judge's own spread in it"
    return f"95 %: {between(row['low'], row['high'])}{judge}"


def _meaning(row: pd.Series, needed: pd.Series, margin: float) -> str:
    within = f"±{100 * margin:.1f} points"
    if pd.isna(row["low"]):
        return (
            "Every question (or the only source of questions) shows the same difference, which "
            "says nothing about how sure it is."
        )
    if row["verdict"] == "equivalent":
        return f"Equivalent: the whole interval lies within {within}."
    if row["verdict"] == "different":
        return "A clear difference: the interval leaves 0 out."
    return f"The data cannot tell them apart. {_more(needed, within)}"


def _more(needed: pd.Series, within: str) -> str:
    words = []
    if needed["more"] == needed["more"] and abs(needed["difference"]) >= 0.0005:
        words.append(
            f"If the difference stays as it is, about {_round(needed['more'])} more questions like "
            "these would show it, with a chance of 80 %"
        )
    if needed["equivalent_more"] == needed["equivalent_more"]:
        words.append(
            f"about {_round(needed['equivalent_more'])} more would show that it lies within "
            f"{within}"
        )
    text = "; ".join(words)
    text = f"{text[:1].upper()}{text[1:]}. " if text else ""
    return f"{text}As many as now find a difference of {100 * needed['detectable']:.1f} points."


def _round(number: float) -> str:
    """A number of questions with two figures that count; more would be pretence.

    >>> _round(1234), _round(7)
    ('1,200', '7')
    """
    if number < 10:
        return f"{int(np.ceil(number))}"
    step = 10 ** (int(np.log10(number)) - 1)
    return f"{int(np.ceil(number / step) * step):,}"


def unscored(made: Comparison) -> str:
    """What is left out for want of a score, and the most that it could change; "" if nothing."""
    left = len(made.asked) - len(made.scores)
    if not left:
        return ""
    ends = []
    for entry in made.others:
        low, high = paired.difference_bounds(made.asked, entry, made.reference)
        ends.append(f"{made.names[entry]} {between(low, high)}")
    return (
        f"{left:,} of {len(made.asked):,} questions lack a score of at least one and are left out. "
        f"If all of them had gone one way or the other, the difference would lie within: "
        f"{'; '.join(ends)} points."
    )


def best(made: Comparison) -> str:
    """Who may be the best of three or four, and how much too good the first one looks."""
    table = made.standings
    tied = [made.names[entry] for entry in table.index[table["tied"]]]
    leader = table.index[0]
    if len(tied) == 1:
        text = f"{tied[0]} is clearly the best of the {len(table)}, with all comparisons at once."
    else:
        text = (
            f"Nobody can tell which of {_listed(tied)} is the best of the {len(table)}: their "
            "intervals, taken together, cover 0."
        )
    chance = table.loc[leader, "p_best"]
    if pd.notna(chance):
        text += f" {made.names[str(leader)]} is the best with a chance of {likely(chance)}."
    curse = multiple.winners_curse(made.draws)
    if pd.notna(curse.bias) and 100 * curse.bias >= 0.05:
        text += (
            f" Picked for being highest, its {per_cent(curse.top)} % is about "
            f"{100 * curse.bias:.1f} points too good."
        )
    return text


def by_tag(made: Comparison, rows: pd.DataFrame, correction: str) -> str:
    """Where the entries differ, and what many comparisons do to that."""
    tags = rows[rows["group"] != paired.ALL]
    if tags.empty:
        return "These questions carry no tags: there is one comparison, over all of them."
    said = [_one_by_tag(made, entry, tags[tags["entry"] == entry]) for entry in made.others]
    known = int(tags["p"].notna().sum())
    luck = {
        "none": (
            f"With {known} comparisons at 5 %, about {known / 20:.1f} would look clear by luck."
        ),
        "holm": "Clear means: with Holm's correction for all comparisons shown.",
        "bh": "Clear means: of those called clear, 1 in 20 is luck (Benjamini-Hochberg).",
    }
    return " ".join([*said, luck[correction], "Filled markers are clear; hollow ones are not."])


def _one_by_tag(made: Comparison, entry: str, tags: pd.DataFrame) -> str:
    clear = tags[tags["clear"]].sort_values("difference", ascending=False)
    name = made.names[entry]
    if clear.empty:
        return f"{name}: no kind of question differs clearly from {made.names[made.reference]}."
    better, worse = clear[clear["difference"] > 0], clear[clear["difference"] < 0].iloc[::-1]
    sides = []
    for word, part in (("better", better), ("worse", worse)):
        shown = [f"{row.group} ({points(row.difference)})" for row in part.itertuples()]
        if shown:
            sides.append(f"{word} on {_listed(shown)}")
    return f"{name} is clearly {' and '.join(sides)}."


def outcomes(made: Comparison) -> list[str]:
    """Who is right where the other is wrong, with McNemar's test; and regressions."""
    said, same = [], parts.same_model(made)
    for entry in made.others:
        found = made.outcomes(entry)
        name, first = made.names[entry], made.names[made.reference]
        differing = found.only_a + found.only_b
        if not differing:
            said.append(f"{name} and {first} are right on the same questions.")
            continue
        text = (
            f"{name} alone is right on {found.only_a:,}, {first} alone on {found.only_b:,}; a fair "
            f"coin would split {differing:,} so unevenly with a chance of {chance(found.p)}."
        )
        if entry in same:
            text += (
                f" Two runs of one model: {name} mends {found.only_a:,} and breaks "
                f"{found.only_b:,} (regressions)."
            )
            if len(made.others) == 1:
                text += f" What broke is listed below under {first}, what was mended under {name}."
        said.append(text)
    test = "The coin is McNemar's exact test, with questions taken as independent."
    return [*said, test] if any("coin" in text for text in said) else said


def chance(p: float) -> str:
    """A p-value as people read it.

    >>> chance(0.04), chance(0.00001), chance(float("nan"))
    ('4 %', 'less than 0.1 %', '–')
    """
    if pd.isna(p):
        return "–"
    return "less than 0.1 %" if p < 0.001 else f"{100 * p:.2g} %"


def likely(share: float) -> str:
    """A chance of being the best; a share of resamples is never certainty.

    >>> likely(0.999), likely(0.34), likely(0.001), likely(float("nan"))
    ('over 99 %', 'about 34 %', 'under 1 %', '–')
    """
    if pd.isna(share):
        return "–"
    if 0.01 <= share <= 0.99:
        return f"about {100 * share:.0f} %"
    return "over 99 %" if share > 0.5 else "under 1 %"


def answering(table: pd.DataFrame) -> str:
    """Which entry is cheapest, fastest and shortest, as far as it is known."""
    said = []
    known = table[table["usd"].notna()]
    for column, word, unit in (
        ("usd", "cheapest", lambda value: f"$ {1000 * value:,.2f} per 1,000 questions"),
        ("seconds", "fastest", lambda value: f"{value:.2g} s, median"),
        ("characters", "shortest answers", lambda value: f"{value:.0f} characters, median"),
    ):
        values = table[column].dropna()
        if len(values) > 1 and values.min() < values.max():
            entry = values.idxmin()
            said.append(f"{word}: {table.loc[entry, 'name']} ({unit(values.min())})")
    if len(known) < len(table):
        said.append(f"cost not known for {_listed(table['name'][table['usd'].isna()].tolist())}")
    text = "; ".join(said)
    failed = int(table["errors"].sum())
    text = f"{text[:1].upper()}{text[1:]}. " if text else ""
    return (
        f"{text}{failed:,} answers failed and {int(table['refusals'].sum()):,} refuse (the "
        "server says so, or the answer begins like an English refusal)."
    )


def _listed(names: Sequence[str]) -> str:
    """Names with commas and "and"; of many, the first few."""
    if len(names) > SOME + 1:
        return f"{', '.join(names[:SOME])} and {len(names) - SOME} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
