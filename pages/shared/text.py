"""Text that is shown as it is, whatever it holds.

Names, tags, questions, answers, files and errors come from outside. Nothing of them reaches an
element that reads Markdown but through ``plain``; ``tests/pages/test_outside_text.py`` looks at
every call and names the line that forgot it.
"""

import re
from collections.abc import Iterable

import pandas as pd
import streamlit as st

LONG, PART = 2_000, 20_000
"""Characters of a text before it is cut, and of each part in which all of it is shown."""
UNBROKEN, SMALL_PART = 1_000, 5_000
"""With more characters in a row without a space, a text comes in smaller parts."""
BOX = 400
"""Pixels of the box around a text in full."""


def plain(text: str) -> str:
    """Text with Markdown's special characters escaped: names and files are hostile text.

    Addresses and ``:name:`` are also looked for after the escapes are gone; a word joiner, which
    is not drawn, breaks them. Line breaks become spaces, as they do on screen: after an empty line
    a new block could begin, in which escapes are not read.
    """
    line = " ".join(re.split(r"[ \t\n\r\f\v]+", text)).strip()
    broken = re.sub(r"(https?:(?=//)|www(?=\.)|@|:(?=[\w/+-]+:))", "\\1\u2060", line, flags=re.I)
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~$:&])", r"\\\1", broken)


def paragraphs(texts: Iterable[str]) -> str:
    """Texts as Markdown, a paragraph each."""
    return "\n\n".join(map(plain, texts))


def bullets(texts: Iterable[str]) -> str:
    """Texts as Markdown, a line of a list each."""
    return "\n".join(f"- {plain(text)}" for text in texts)


def readable(frame: pd.DataFrame) -> None:
    """Draw a table of sentences, wrapped; what is missing is a dash."""
    cells = frame.rename(columns=plain).map(lambda cell: "–" if pd.isna(cell) else plain(str(cell)))
    st.table(cells, hide_index=True, border="horizontal")


def show(text: str, key: str) -> None:
    """Draw a text as it is; a long one is cut until somebody asks for all of it.

    All of it comes in parts. Letters that are joined or kerned a browser shapes anew at each end of
    a line, as far as the next space: without one the time grows with the square of the length, and
    100,000 characters take half a minute.

    Args:
        text: What to show.
        key: Unique on the page, and another one for another text.
    """
    if len(text) <= LONG:
        st.text(text)
        return
    if not st.toggle(f"Show all {len(text):,} characters", key=f"all_{key}"):
        st.text(short(text, LONG))
        return
    pieces = parts(text)
    number = 1
    if len(pieces) > 1:
        number = st.pagination(len(pieces), key=f"part_{key}")
        st.caption(f"Part {number:,} of {len(pieces):,}")
    with st.container(height=BOX):
        st.text(pieces[number - 1])


def parts(text: str) -> list[str]:
    """A text in parts that a browser lays out at once, cut behind a space if one is near.

    >>> [len(part) for part in parts("a" * 12_000)], [len(part) for part in parts("a " * 12_000)]
    ([5000, 5000, 2000], [20000, 4000])
    """
    longest = max(map(len, re.split(r"[ \t\n]", text)))
    most = PART if longest <= UNBROKEN else SMALL_PART
    pieces, start = [], 0
    while len(text) - start > most:
        end = start + most
        near = max(text.rfind(space, end - most // 10, end) for space in " \n")
        end = near + 1 if near >= 0 else end
        pieces.append(text[start:end])
        start = end
    return [*pieces, text[start:]]


def short(text: str, most: int) -> str:
    """A text, cut where it is longer."""
    return text if len(text) <= most else f"{text[:most]} …"
