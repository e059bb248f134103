"""The decision report as one HTML file: it opens without a network and asks for nothing.

It is the Markdown report (``report.py``) with a figure: every word stands in both, and what was
escaped there is escaped here.
"""

import html
import re
from collections.abc import Iterator
from itertools import groupby

import pandas as pd

from evalcore.decision.answer import Recommendation
from evalcore.decision.text.phrases import percent
from evalcore.decision.text.words import names

ESCAPED = re.compile(r"\\(.)")
BAR = re.compile(r"(?<!\\)\|")
"""A bar that parts two cells."""
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


def page(text: str, rec: Recommendation, models: pd.DataFrame) -> str:
    """Return the report of a recommendation as a whole HTML document.

    Args:
        text: the report as ``report.markdown`` writes it; of its link only http and https lead
            anywhere.
        rec: the answer, for the figure.
        models: model and name.
    """
    body = []
    for part in _parts(text):
        body.append(part)
        if part == "<h2>Ranking</h2>":
            body.append(_figure(rec, models))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Which model to use</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _parts(text: str) -> Iterator[str]:
    """The blocks of the report, which are parted by empty lines, as HTML."""
    for block in text.strip().split("\n\n"):
        lines = block.split("\n")
        for kind, own in groupby(lines, key=_kind):
            yield _part(kind, list(own))


def _kind(line: str) -> str:
    for mark, kind in (("# ", "h1"), ("## ", "h2"), ("- ", "list"), ("| ", "table"), ("<", "link")):
        if line.startswith(mark):
            return kind
    return "text"


def _part(kind: str, lines: list[str]) -> str:
    if kind in ("h1", "h2"):
        return f"<{kind}>{_shown(lines[0].lstrip('#').strip())}</{kind}>"
    if kind == "list":
        items = "".join(f"<li>{_shown(line[2:])}</li>" for line in lines)
        return f"<ul>{items}</ul>"
    if kind == "table":
        return _table([_cells(line) for line in lines])
    if kind == "link":
        return _link("".join(lines).strip("<>"))
    return f"<p>{_shown(' '.join(lines))}</p>"


def _shown(text: str) -> str:
    """Markdown's escapes taken away, HTML's put in.

    >>> _shown("a\\\\|b \\\\<i\\\\>")
    'a|b &lt;i&gt;'
    """
    return html.escape(ESCAPED.sub(r"\1", text))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in BAR.split(line)[1:-1]]


def _table(rows: list[list[str]]) -> str:
    head = "".join(f'<th scope="col">{_shown(cell)}</th>' for cell in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{_shown(cell)}</td>" for cell in row) + "</tr>" for row in rows[2:]
    )
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _link(address: str) -> str:
    shown = html.escape(address)
    if not address.startswith(("http://", "https://")):
        return f"<p>{shown}</p>"
    return f'<p><a href="{shown}" rel="noreferrer">{shown}</a></p>'


def _figure(rec: Recommendation, models: pd.DataFrame) -> str:
    """Scores with their 95 % intervals, a line a model; the winner's is filled."""
    rows = rec.ranking.head(DRAWN)
    show = names(models)
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
            f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{html.escape(shown)}</text>'
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
    said = f"Scores of the best {len(rows)} with their 95 % intervals; the winner's dot is filled."
    return (
        f'<figure><svg viewBox="0 0 {total} {height}" width="{total}" height="{height}" '
        f'role="img" aria-label="{html.escape(said)}">{"".join(lines)}</svg>'
        f"<figcaption>{html.escape(said)}</figcaption></figure>"
    )
