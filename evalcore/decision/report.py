"""The decision report: one recommendation as a text or a page that can be kept and repeated.

Its parts are made once and rendered by two templates. The page opens without a network and asks
for nothing. Whatever a name holds is escaped wherever a template puts it.
"""

import html as html_text
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
from jinja2 import Environment
from markupsafe import Markup

from evalcore.decision.answer import Recommendation
from evalcore.decision.text import advice
from evalcore.decision.text.phrases import Names, percent
from evalcore.decision.text.words import names

MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~&$]|^[-+])")
MISSING = "–"
DRAWN = 20
"""Models in the figure at most, best first."""
ROW, LEFT, WIDTH, RIGHT = 26, 280, 420, 90
"""Of the figure, pixels: height of a line, room for names, width of the scale, room for scores."""
STYLE = """
:root { color-scheme: light dark; --line: #8888; --mark: #0b6bcb; }
@media (prefers-color-scheme: dark) { :root { --mark: #6db3f2; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 2rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem;
  border-bottom: 1px solid var(--line); }
svg { max-width: 100%; height: auto; } svg text { fill: currentColor; font-size: 13px; }
a { overflow-wrap: anywhere; }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What the file may load: nothing but the style in it."""
MARKDOWN = """\
{% for part in parts if part.kind != "figure" %}
{% if not loop.first %}

{% endif %}
{% if part.kind == "title" %}
# {{ part.text }}
{% elif part.kind == "section" %}
## {{ part.text }}
{% elif part.kind == "bullets" %}
{% for text in part.rows %}
- {{ text }}
{% endfor %}
{% elif part.kind == "table" %}
|{% for cell in part.head %} {{ cell }} |{% endfor +%}
|{% for cell in part.head %} --- |{% endfor +%}
{% for row in part.rows %}
|{% for cell in row %} {{ cell }} |{% endfor +%}
{% endfor %}
{% elif part.kind == "address" %}
<{{ part.text | raw }}>
{% else %}
{{ part.text }}
{% endif %}
{% endfor %}"""
HTML = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ policy | raw }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Which model to use</title>
<style>{{ style | raw }}</style>
</head>
<body>
{% for part in parts %}
{% if part.kind == "title" %}
<h1>{{ part.text }}</h1>
{% elif part.kind == "section" %}
<h2>{{ part.text }}</h2>
{% elif part.kind == "bullets" %}
<ul>{% for text in part.rows %}<li>{{ text }}</li>{% endfor %}</ul>
{% elif part.kind == "table" %}
<div class="wide"><table><thead><tr>
{%- for cell in part.head %}<th scope="col">{{ cell }}</th>{% endfor %}</tr></thead><tbody>
{%- for row in part.rows %}<tr>
{%- for cell in row %}<td>{{ cell }}</td>{% endfor %}</tr>
{%- endfor %}</tbody></table></div>
{% elif part.kind == "figure" %}
{{ part.text | raw }}
{% elif part.kind == "address" and part.text.startswith(("http://", "https://")) %}
<p><a href="{{ part.text }}" rel="noreferrer">{{ part.text }}</a></p>
{% else %}
<p>{{ part.text }}</p>
{% endif %}
{% endfor %}
</body>
</html>
"""


@dataclass(frozen=True)
class Part:
    """One block of the report."""

    kind: Literal["title", "section", "text", "bullets", "table", "address", "figure"]
    text: str = ""
    head: Sequence[str] = ()
    rows: Sequence[Any] = ()
    """Of a table: its cells by row; of bullets: their texts."""


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
    """Return the report of a recommendation as Markdown.

    Args:
        rec: the answer.
        models: model, name and source.
        link: the address that asks the same question again.
        store_version: of the results store that answered.
        date: of the report, as it is to be printed.
        block: why this block of results answers, a sentence; empty where nothing was chosen.
        across: the column of ``frontier.AXES`` that the page draws the score against; by default
            the one that it draws unasked.
    """
    return _rendered(MARKDOWN, _safe, _parts(rec, models, link, store_version, date, block, across))


def html(  # noqa: PLR0913  as of ``markdown``
    rec: Recommendation,
    models: pd.DataFrame,
    link: str,
    store_version: str,
    date: str,
    *,
    block: str = "",
    across: str = "",
) -> str:
    """Return the report as a whole HTML document, with a figure; arguments as of ``markdown``.

    Of links only http and https lead anywhere.
    """
    return _rendered(HTML, _shown, _parts(rec, models, link, store_version, date, block, across))


def _rendered(template: str, escape: Callable[[str], str], parts: Sequence[Part]) -> str:
    """The parts in a template; what it prints is escaped unless it asks for it as it is."""

    def escaped(value: object) -> object:
        return value if isinstance(value, Markup) else Markup(escape(str(value)))

    world = Environment(
        autoescape=True, trim_blocks=True, keep_trailing_newline=True, finalize=escaped
    )
    world.filters["raw"] = Markup
    return world.from_string(template).render(parts=parts, style=STYLE, policy=POLICY)


def _parts(  # noqa: PLR0913  as of ``markdown``
    rec: Recommendation,
    models: pd.DataFrame,
    link: str,
    store_version: str,
    date: str,
    block: str,
    across: str,
) -> list[Part]:
    show = names(models)
    texts = [f"{date} · results store {store_version}", *([block] if block else []), *rec.sentences]
    return [
        Part("title", "Which model to use"),
        *(Part("text", text) for text in texts),
        *_section("Ranking", _ranking(rec, show)),
        *_section("Left out", _left_out(rec, show)),
        *_section("What the winner gives up", _give_up(rec, show)),
        *_section("Quality, size and cost together", _front(rec, show, across)),
        *_section("What it costs", _costs(rec, show)),
        *_section("What this rests on", _bullets(rec.assumptions)),
        *_section("Sources", _bullets(_sources(rec, models))),
        *_section("Ask again", [Part("address", _address(link))]),
    ]


def _section(title: str, parts: Sequence[Part]) -> list[Part]:
    return [Part("section", title), *parts] if parts else []


def _ranking(rec: Recommendation, show: Names) -> list[Part]:
    if rec.ranking.empty:
        return []
    head = (
        "Model", "Score", "95 % interval", "Questions", "Chance to be best", "Ranks possible",
        "First near these weights", "First over all weights",
    )  # fmt: skip
    gaps = advice.by_model(rec)
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
    figure = Part("figure", _figure(rec, show))
    return [figure, Part("text", rec.basis), _table(head, rows)]


def _without(gap: Mapping[str, float]) -> str:
    """How many questions have no score, and what they leave open; "" where none lacks one."""
    if not gap["unscored"]:
        return ""
    ends = _range(gap["worst"], gap["best"], 100, ".1f", " %")
    return f" ({gap['unscored']:,.0f} of {gap['of']:,.0f} have no score: {ends})"


def _left_out(rec: Recommendation, show: Names) -> list[Part]:
    blocks = []
    if len(rec.excluded):
        rows = rec.excluded[["model", "limit", "relaxation"]].to_dict("records")
        body = [(show[row["model"]], row["limit"], row["relaxation"]) for row in rows]
        blocks.append(_table(("Model", "Misses", "What would let it in"), body))
    if len(rec.cannot_tell):
        rows = rec.cannot_tell[["model", "what"]].to_dict("records")
        lines = [(show[row["model"]], row["what"]) for row in rows]
        blocks.append(_table(("Cannot tell", "Unknown"), lines))
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


def _front(rec: Recommendation, show: Names, across: str) -> list[Part]:
    texts = list(advice.sentences(rec, show))
    if texts and (column := across or advice.across(rec)):
        texts.append(f"The page draws the score against: {advice.AXES[column]}.")
    return _bullets(texts)


def _costs(rec: Recommendation, show: Names) -> list[Part]:
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
        texts = (*own["usd_basis"], *own["usd_missing"], *own["memory_basis"], own["condition"])
        blocks += [
            Part("text", f"Behind the figures of {show[rec.winner]}:"),
            *_bullets([text for text in texts if text]),
        ]
    return blocks


def _give_up(rec: Recommendation, show: Names) -> list[Part]:
    best = rec.reference
    if best is None or rec.winner is None or best.model == rec.winner:
        return []
    text = (
        f"Against {show[best.model]}, the best without limits ({percent(best.score)}): "
        f"{100 * best.gap:.1f} points overall."
    )
    rows = [(tag, f"{100 * gap:.1f}") for tag, gap in best.by_tag]
    return [Part("text", text), _table(("Tag", "Points given up"), rows)]


def _sources(rec: Recommendation, models: pd.DataFrame) -> list[str]:
    texts = [f"Results: {rec.needs.suite}, grouped by {rec.needs.axis}."]
    if "source" in models.columns:
        shown = models.loc[models["model"].isin(rec.ranking["model"]), "source"].dropna()
        listed = sorted({str(source) for source in shown})
        texts += [f"Facts about the models: {', '.join(listed)}."] if listed else []
    return texts


def _address(link: str) -> str:
    """The link with what cannot stand in an address percent-encoded."""
    unsafe: Mapping[str, str] = {"<": "%3C", ">": "%3E", "\n": "", "\r": "", " ": "%20"}
    return "".join(unsafe.get(letter, letter) for letter in link)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Part:
    return Part("table", head=head, rows=[[str(cell) for cell in row] for row in rows])


def _bullets(texts: Sequence[str]) -> list[Part]:
    return [Part("bullets", rows=texts)] if texts else []


def _safe(text: str) -> str:
    """Return the text on one line with everything that Markdown or HTML would act on escaped.

    >>> _safe("a|b <script>")
    'a\\\\|b \\\\<script\\\\>'
    """
    return MARKUP.sub(r"\\\1", " ".join(text.split()))


def _shown(text: str) -> str:
    """The text on one line as HTML shows it."""
    return html_text.escape(" ".join(text.split()))


def _number(value: float, scale: float, form: str, unit: str = "") -> str:
    return MISSING if pd.isna(value) else f"{value * scale:{form}}{unit}"


def _range(low: float, high: float, scale: float, form: str, unit: str = "") -> str:
    if pd.isna(low) or pd.isna(high):
        return MISSING
    start, end = f"{low * scale:{form}}", f"{high * scale:{form}}"
    return f"{start}{unit}" if start == end else f"{start}–{end}{unit}"


def _figure(rec: Recommendation, show: Names) -> str:
    """Scores with their 95 % intervals, a line a model; the winner's is filled."""
    rows = rec.ranking.head(DRAWN)
    low = float(rows[["score", "low"]].min().min())
    high = float(rows[["score", "high"]].max().max())
    span = max(high - low, 0.01)
    total, height = LEFT + WIDTH + RIGHT, ROW * len(rows) + 10

    def across(value: float) -> float:
        return round(LEFT + 10 + (WIDTH - 20) * (value - low) / span, 1)

    lines = []
    for place, row in enumerate(rows.to_dict("records")):
        y = ROW * place + ROW // 2 + 5
        name = show[row["model"]]
        shown = name if len(name) <= 38 else name[:37] + "…"
        lines.append(
            f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{html_text.escape(shown)}</text>'
        )
        if not (pd.isna(row["low"]) or pd.isna(row["high"])):
            lines.append(
                f'<line x1="{across(row["low"])}" x2="{across(row["high"])}" y1="{y}" y2="{y}" '
                'stroke="var(--line)" stroke-width="3"/>'
            )
        fill = "var(--mark)" if row["model"] == rec.winner else "none"
        lines.append(
            f'<circle cx="{across(row["score"])}" cy="{y}" r="5" fill="{fill}" '
            'stroke="var(--mark)" stroke-width="2"/>'
        )
        lines.append(f'<text x="{LEFT + WIDTH + 6}" y="{y + 4}">{percent(row["score"])}</text>')
    texts = f"Scores of the best {len(rows)} with their 95 % intervals; the winner's dot is filled."
    return (
        f'<figure><svg viewBox="0 0 {total} {height}" width="{total}" height="{height}" '
        f'role="img" aria-label="{html_text.escape(texts)}">{"".join(lines)}</svg>'
        f"<figcaption>{html_text.escape(texts)}</figcaption></figure>"
    )
