"""The decision report: one recommendation as a Markdown text that can be kept and repeated."""

import re
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from evalcore.decision.answer import Recommendation
from evalcore.decision.text import frontier, unanswered
from evalcore.decision.text.phrases import Names, percent
from evalcore.decision.text.words import names

MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~&$]|^[-+])")
MISSING = "–"


def markdown(  # noqa: PLR0913  what stands around an answer
    rec: Recommendation,
    models: pd.DataFrame,
    link: str,
    store_version: str,
    date: str,
    *,
    block: str = "",
    across: str = "",
) -> str:
    """Return the report of a recommendation.

    Args:
        rec: the answer.
        models: model, name and source.
        link: the address that asks the same question again.
        store_version: of the results store that answered.
        date: of the report, as it is to be printed.
        block: why this block of results answers, a sentence; empty where nothing was chosen.
        across: the column of ``front.AXES`` that the page draws the score against; by default the
            one that it draws unasked.
    """
    show = names(models)
    parts = [
        "# Which model to use",
        f"{_safe(date)} · results store {_safe(store_version)}",
        *([_safe(block)] if block else []),
        *(_safe(sentence) for sentence in rec.sentences),
        *_section("Ranking", _ranking(rec, show)),
        *_section("Left out", _left_out(rec, show)),
        *_section("What the winner gives up", _give_up(rec, show)),
        *_section("Quality, size and cost together", _front(rec, show, across)),
        *_section("What it costs", _costs(rec, show)),
        *_section("What this rests on", [_bullets(rec.assumptions)] if rec.assumptions else []),
        *_section("Sources", [_bullets(_sources(rec, models))]),
        *_section("Ask again", [_address(link)]),
    ]
    return "\n\n".join(parts) + "\n"


def _section(title: str, blocks: Sequence[str]) -> list[str]:
    return [f"## {title}", *blocks] if blocks else []


def _ranking(rec: Recommendation, show: Names) -> list[str]:
    if rec.ranking.empty:
        return []
    head = (
        "Model", "Score", "95 % interval", "Questions", "Chance to be best", "Ranks possible",
        "First near these weights", "First over all weights",
    )  # fmt: skip
    gaps = unanswered.by_model(rec)
    rows = [
        (
            show[row["model"]],
            percent(row["score"]),
            _range(row["low"], row["high"], 100, ".1f", " %"),
            _number(row["n"], 1, ",.0f") + _without(gaps[row["model"]]),
            _number(row["p_best"], 100, ".1f", " %"),
            _range(row["rank_low"], row["rank_high"], 1, ".0f"),
            _number(row["share_first_near"], 100, ".1f", " %"),
            _number(row["share_first"], 100, ".1f", " %"),
        )
        for row in rec.ranking.to_dict("records")
    ]
    return [_safe(rec.basis), _table(head, rows)]


def _without(gap: Mapping[str, float]) -> str:
    """How many questions have no score, and what they leave open; "" where none lacks one."""
    if not gap["unscored"]:
        return ""
    ends = _range(gap["worst"], gap["best"], 100, ".1f", " %")
    return f" ({gap['unscored']:,.0f} of {gap['of']:,.0f} have no score: {ends})"


def _left_out(rec: Recommendation, show: Names) -> list[str]:
    blocks = []
    if len(rec.excluded):
        rows = rec.excluded[["model", "limit", "relaxation"]].to_dict("records")
        body = [(show[row["model"]], row["limit"], row["relaxation"]) for row in rows]
        blocks.append(_table(("Model", "Misses", "What would let it in"), body))
    if len(rec.cannot_tell):
        rows = rec.cannot_tell[["model", "what"]].to_dict("records")
        told = [(show[row["model"]], row["what"]) for row in rows]
        blocks.append(_table(("Cannot tell", "Unknown"), told))
    if len(rec.incomplete):
        body = [
            (
                show[row["model"]],
                ", ".join(row["missing"]),
                _range(row["low"], row["high"], 100, ".1f", " %"),
            )
            for row in rec.incomplete.to_dict("records")
        ]
        blocks.append(_table(("Not ranked", "No result on", "Overall could be"), body))
    return blocks


def _front(rec: Recommendation, show: Names, across: str) -> list[str]:
    said = list(frontier.sentences(rec, show))
    if said and (column := across or frontier.across(rec)):
        said.append(f"The page draws the score against: {frontier.AXES[column]}.")
    return [_bullets(said)] if said else []


def _costs(rec: Recommendation, show: Names) -> list[str]:
    """Cost, memory and terms of the ranked models, and the basis of the winner's cost."""
    if rec.market.empty or rec.ranking.empty:
        return []
    head = ("Model", "USD per 1,000 questions", "Sources disagree", "Memory, GB", "Licence")
    rows = []
    for model in rec.ranking["model"]:
        fact = rec.market.loc[model]
        rows.append(
            (
                show[model],
                _number(fact["usd_per_1000"], 1, ",.2f"),
                _range(fact["usd_low"], fact["usd_high"], 1, ",.2f"),
                _number(fact["memory_gb"], 1, ",.1f"),
                fact["licence"] or MISSING,
            )
        )
    blocks = [_table(head, rows)]
    if rec.winner is not None:
        own = rec.market.loc[rec.winner]
        said = (*own["usd_basis"], *own["usd_missing"], *own["memory_basis"], own["condition"])
        blocks += [
            f"Behind the figures of {_safe(show[rec.winner])}:",
            _bullets(text for text in said if text),
        ]
    return blocks


def _give_up(rec: Recommendation, show: Names) -> list[str]:
    best = rec.reference
    if best is None or rec.winner is None or best.model == rec.winner:
        return []
    text = (
        f"Against {_safe(show[best.model])}, the best without limits ({percent(best.score)}): "
        f"{100 * best.gap:.1f} points overall."
    )
    rows = [(tag, f"{100 * gap:.1f}") for tag, gap in best.by_tag]
    return [text, _table(("Tag", "Points given up"), rows)]


def _sources(rec: Recommendation, models: pd.DataFrame) -> list[str]:
    said = [f"Results: {rec.needs.suite}, grouped by {rec.needs.axis}."]
    if "source" in models.columns:
        shown = models.loc[models["model"].isin(rec.ranking["model"]), "source"].dropna()
        listed = sorted({str(source) for source in shown})
        said += [f"Facts about the models: {', '.join(listed)}."] if listed else []
    return said


def _address(link: str) -> str:
    """Return the link as an autolink; what cannot stand in an address is percent-encoded."""
    unsafe: Mapping[str, str] = {"<": "%3C", ">": "%3E", "\n": "", "\r": "", " ": "%20"}
    return f"<{''.join(unsafe.get(letter, letter) for letter in link)}>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [_line(head), _line(["---"] * len(head))]
    return "\n".join([*lines, *(_line([_safe(cell) for cell in row]) for row in rows)])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _bullets(texts: Iterable[str]) -> str:
    return "\n".join(f"- {_safe(text)}" for text in texts)


def _safe(text: str) -> str:
    """Return the text on one line with everything that Markdown or HTML would act on escaped.

    >>> _safe("a|b <script>")
    'a\\\\|b \\\\<script\\\\>'
    """
    return MARKUP.sub(r"\\\1", " ".join(str(text).split()))


def _number(value: float, scale: float, form: str, unit: str = "") -> str:
    return MISSING if pd.isna(value) else f"{value * scale:{form}}{unit}"


def _range(low: float, high: float, scale: float, form: str, unit: str = "") -> str:
    if pd.isna(low) or pd.isna(high):
        return MISSING
    start, end = f"{low * scale:{form}}", f"{high * scale:{form}}"
    return f"{start}{unit}" if start == end else f"{start}–{end}{unit}"
