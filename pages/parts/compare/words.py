"""Sentences of the Compare page."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from evalcore.analysis import multiple, paired
from evalcore.suites.item_results import ItemResults
from pages.parts.compare import comparison as parts
from pages.parts.compare import unscored
from pages.parts.compare.comparison import Comparison
from pages.shared.charts import between, per_cent, points

CORRECTIONS = {
    "holm": "Holm: hardly ever one by luck",
    "bh": "Benjamini-Hochberg: few by luck",
    "none": "None",
}
SOME = 3


def chosen(evidence: ItemResults, entries: Sequence[str], shown: Sequence[str]) -> str:
    """How many of the runs of one judge are compared, and how many of them were made here.

    Args:
        evidence: Of the benchmark.
        entries: All of its entries of the chosen metric.
        shown: Those that are compared.
    """
    own = ~evidence.entries["demo"].astype(bool)
    text = f"{len(shown)} of {len(entries)} runs are compared"
    if made_here := int(own[list(entries)].sum()):
        among = int(own[list(shown)].sum()) or "none"
        text += f", among them {among} of the {made_here} made here"
    return f"{text}."


def alone(evidence: ItemResults, entries: Sequence[str]) -> str:
    """What to do about a benchmark with one run: another of the same kind, or another benchmark."""
    about = evidence.entries.loc[list(entries)]
    command = "zeroshot" if about["contrastive"].any() else "run"
    return (
        "This benchmark has one run that is scored so, and a comparison takes two. Run another "
        f"model on it (python -m evalcore {command}, with the same --benchmark), or choose "
        "another benchmark."
    )


def headline(comparison: Comparison, rows: pd.DataFrame, margin: float) -> list[str]:
    """One sentence or two for each entry against the first."""
    overall = rows[rows["group"] == paired.ALL].set_index("entry", drop=False)
    needed = parts.needed(comparison, margin).set_index("entry")
    sentences = []
    for entry, row in overall.iterrows():
        name, first = comparison.names[str(entry)], comparison.names[comparison.reference]
        verb = "gets {} % right" if comparison.binary else "scores {} %"
        text = (
            f"{name} {verb.format(per_cent(row['score']))}, {first} "
            f"{per_cent(row['reference_score'])} %: {_apart(row['difference'])} "
            f"({_interval(row)}; {questions(comparison, row)})."
        )
        sentences.append(f"{text} {_meaning(comparison, row, needed.loc[entry], margin)}")
    return sentences


def questions(comparison: Comparison, row: pd.Series) -> str:
    """The number of questions, and of what they share, if they share anything."""
    n, clusters = int(row["n"]), int(row["clusters"])
    return f"n {n:,}" if clusters == n else f"n {n:,} from {_sources(clusters)}"


def _sources(clusters: int) -> str:
    return "one picture or source" if clusters == 1 else f"{clusters:,} pictures or sources"


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


def _meaning(comparison: Comparison, row: pd.Series, needed: pd.Series, margin: float) -> str:
    within, there = f"±{100 * margin:.1f} points", unscored.there(comparison)
    if pd.isna(row["low"]):
        return _unknown(row)
    if row["verdict"] == "equivalent":
        return f"Equivalent{there}: the whole interval lies within {within}."
    if row["verdict"] == "different":
        pair = [str(row["entry"]), comparison.reference]
        leader, other = pair if row["difference"] > 0 else pair[::-1]
        if turn := unscored.reversal(comparison, leader, [other]):
            return (
                f"A difference{there}, where the interval leaves 0 out; but over all "
                f"{len(comparison.asked):,}, {turn}."
            )
        return f"A clear difference{there}: the interval leaves 0 out."
    return f"The data cannot tell them apart. {_more(needed, within)}"


def _unknown(row: pd.Series) -> str:
    """Why there is no interval."""
    n, clusters = int(row["n"]), int(row["clusters"])
    if n == 1:
        return "One question says nothing about how sure the difference is."
    if clusters == 1:
        return (
            f"All {n:,} questions are about one picture or source, which count as one piece of "
            "evidence: nothing says how sure the difference is."
        )
    what = "question" if clusters == n else "picture or source"
    return f"Every {what} shows the same difference of grades: nothing says how sure it is."


def _more(needed: pd.Series, within: str) -> str:
    words = []
    if needed["more"] == needed["more"] and abs(needed["difference"]) >= 0.0005:
        number = f"about {_round(needed['more'])}" if needed["more"] >= 1 else "a few"
        words.append(
            f"If the difference stays as it is, {number} more questions like these would show it, "
            "with a chance of 80 %"
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
    ('1,300', '7')
    """
    if number < 10:
        return f"{int(np.ceil(number))}"
    step = 10 ** (int(np.log10(number)) - 1)
    return f"{int(np.ceil(number / step) * step):,}"


def best(comparison: Comparison) -> str:
    """Who may be the best of three or four, and how much too good the first one looks."""
    table = comparison.standings
    tied = [comparison.names[entry] for entry in table.index[table["tied"]]]
    leader, there = str(table.index[0]), unscored.there(comparison)
    turn = unscored.reversal(
        comparison, leader, [str(rival) for rival in table.index[~table["tied"]]]
    )
    if len(tied) == 1:
        sure = "the best" if turn else "clearly the best"
        text = f"{tied[0]} is {sure} of the {len(table)}{there}, with all comparisons at once."
    else:
        text = (
            f"Nobody can tell which of {_listed(tied)} is the best of the {len(table)}{there}: "
            "their intervals, taken together, cover 0."
        )
    chance = table.loc[leader, "p_best"]
    if pd.notna(chance):
        where = "the best there" if there else "the best"
        text += f" {comparison.names[leader]} is {where} with a chance of {likely(chance)}."
    if turn:
        text += f" But over all {len(comparison.asked):,}, {turn}."
    curse = multiple.winners_curse(comparison.draws)
    if pd.notna(curse.bias) and 100 * curse.bias >= 0.05:
        text += (
            f" Picked for being highest, its {per_cent(curse.top)} % is about "
            f"{100 * curse.bias:.1f} points too good."
        )
    return text


def by_tag(comparison: Comparison, rows: pd.DataFrame, correction: str) -> str:
    """Where the entries differ, and what many comparisons do to that."""
    tags = rows[rows["group"] != paired.ALL]
    if tags.empty:
        return "These questions carry no tags: there is one comparison, over all of them."
    sentences = [
        _one_by_tag(comparison, entry, tags[tags["entry"] == entry]) for entry in comparison.others
    ]
    known = int(tags["p"].notna().sum())
    luck = {
        "none": (
            f"With {known} comparisons at 5 %, about {known / 20:.1f} would look clear by luck."
        ),
        "holm": "Clear means: with Holm's correction for all comparisons shown.",
        "bh": "Clear means: of those called clear, 1 in 20 is luck (Benjamini-Hochberg).",
    }
    return " ".join(
        [*sentences, luck[correction], "Filled markers are clear; hollow ones are not."]
    )


def _one_by_tag(comparison: Comparison, entry: str, tags: pd.DataFrame) -> str:
    clear = tags[tags["clear"]].sort_values("difference", ascending=False)
    name = comparison.names[entry]
    if clear.empty:
        other = comparison.names[comparison.reference]
        return f"{name}: no kind of question differs clearly from {other}."
    turned = clear.apply(lambda row: _turned(comparison, entry, row), axis=1).astype(bool)
    sentences = []
    if not turned.all():
        sentences.append(f"{name} is clearly {_sides(clear[~turned])}.")
    if turned.any():
        sentences.append(
            f"On the scored questions alone {name} is {_sides(clear[turned])}; the unscored ones "
            "could turn that round."
        )
    return " ".join(sentences)


def _turned(comparison: Comparison, entry: str, row: pd.Series) -> bool:
    """Whether unscored questions could turn a difference round."""
    pair = [entry, comparison.reference]
    leader, other = pair if row["difference"] > 0 else pair[::-1]
    return bool(unscored.reversal(comparison, leader, [other], str(row["group"])))


def _sides(clear: pd.DataFrame) -> str:
    better, worse = clear[clear["difference"] > 0], clear[clear["difference"] < 0].iloc[::-1]
    sides = []
    for word, part in (("better", better), ("worse", worse)):
        shown = [f"{row.group} ({points(row.difference)})" for row in part.itertuples()]
        if shown:
            sides.append(f"{word} on {_listed(shown)}")
    return " and ".join(sides)


def outcomes(comparison: Comparison) -> list[str]:
    """Who is right where the other is wrong, with McNemar's test; and regressions."""
    sentences, same = [], parts.same_model(comparison)
    for entry in comparison.others:
        counts = comparison.outcomes(entry)
        name, first = comparison.names[entry], comparison.names[comparison.reference]
        differing = counts.only_a + counts.only_b
        if not differing:
            sentences.append(f"{name} and {first} are right on the same questions.")
            continue
        text = (
            f"{name} alone is right on {counts.only_a:,} of {len(comparison.scores):,}, "
            f"{first} alone on {counts.only_b:,}; a fair coin would split "
            f"{differing:,} so unevenly with a chance of "
            f"{p_value_text(counts.p)}."
        )
        if entry in same:
            text += (
                f" Two runs of one model: {name} mends {counts.only_a:,} and breaks "
                f"{counts.only_b:,} (regressions)."
            )
            if len(comparison.others) == 1:
                text += f" What broke is listed below under {first}, what was mended under {name}."
        sentences.append(text)
    test = "The coin is McNemar's exact test, with questions taken as independent."
    return [*sentences, test] if any("coin" in text for text in sentences) else sentences


def p_value_text(p: float) -> str:
    """A p-value as people read it.

    >>> p_value_text(0.04), p_value_text(0.00001), p_value_text(0.9991), p_value_text(float("nan"))
    ('4 %', 'less than 0.1 %', '100 %', '–')
    """
    if pd.isna(p):
        return "–"
    if p < 0.001:
        return "less than 0.1 %"
    return f"{100 * p:.2g} %" if p < 0.0995 else f"{100 * p:.0f} %"


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


def scores(comparison: Comparison) -> str:
    """What the columns of the table of scores are."""
    how = (
        "Wilson, counting what shares a picture once"
        if comparison.binary
        else "by source of question"
    )
    text = f"Scores of the {len(comparison.scores):,} questions that all have a score for"
    if not comparison.left:
        return f"{text}; intervals: {how}."
    return (
        f"{text} (n); intervals: {how}. Its own: of all that this one has a score for, of the "
        f"{len(comparison.asked):,} that all were asked; then with its unscored ones as wrong, "
        "and as right."
    )


def answering(table: pd.DataFrame) -> str:
    """Which entry is cheapest, fastest and shortest, as far as it is known."""
    sentences = []
    known = table[table["usd"].notna()]
    for column, word, unit in (
        ("usd", "cheapest", lambda value: f"$ {1000 * value:,.2f} per 1,000 questions"),
        ("seconds", "fastest", lambda value: f"{value:.2g} s, median"),
        ("characters", "shortest answers", lambda value: f"{value:.0f} characters, median"),
    ):
        values = table[column].dropna()
        if len(values) > 1 and values.min() < values.max():
            entry = values.idxmin()
            sentences.append(f"{word}: {table.loc[entry, 'name']} ({unit(values.min())})")
    if len(known) < len(table):
        sentences.append(
            f"cost not known for {_listed(table['name'][table['usd'].isna()].tolist())}"
        )
    text = "; ".join(sentences)
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
