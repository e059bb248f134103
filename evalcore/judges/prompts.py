"""Prompts by name, and how a model's answer is put into one: as data that cannot pose as prompt."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from evalcore import files
from evalcore.errors import BadInput
from evalcore.home import ROOT
from evalcore.judges.disguise import visible
from evalcore.judges.replies import PARSER

FOLDER = ROOT / "data" / "prompts"
MOST = 1_000_000
"""Bytes of a prompt file."""
LIMIT = 10_000
"""Characters of an answer that a judge reads; more than 2,048 tokens of English. Longer ones are
cut in the middle, because reasoning ends with its conclusion."""
_SLOT = re.compile(r"\{(\w+)\}")


def read(path: Path) -> str:
    """Return a prompt file's text without its last line break.

    Raises:
        BadInput: it is no ordinary file, too large, cannot be read as UTF-8 text, or is empty.
    """
    try:
        text = files.content(path, MOST).decode("utf-8-sig").rstrip("\n")
    except BadInput as error:
        raise BadInput(f"prompt file {error}") from None
    except UnicodeDecodeError as error:
        raise BadInput(
            f"prompt file {str(path)!r} cannot be read as UTF-8 text: {error}"
        ) from error
    if not text.strip():
        raise BadInput(f"prompt file {str(path)!r} is empty; it should hold a prompt")
    return text


def fill(prompt: str, values: Mapping[str, str]) -> str:
    """Put values into their ``{slots}``, all at once: a slot inside a value stays as it is."""
    return _SLOT.sub(lambda slot: values[slot[1]], prompt)


def version(*parts: str) -> str:
    """Return a short hash of what decides a verdict, the reading of replies included."""
    content = "\x1f".join([*parts, PARSER, str(LIMIT)])
    return hashlib.sha256(content.encode("utf-8")).hexdigest()[:12]


def one_line(text: str) -> str:
    """Return text without what nobody sees, every run of spaces and line breaks as one space."""
    return " ".join(visible(" ".join(text.split())).split())


def lines(text: str) -> list[str]:
    """Return the lines of a text without what nobody sees and outer spaces."""
    return [one_line(line) for line in text.strip().splitlines()]


def shortened(text: str) -> str:
    """Return text of at most about ``LIMIT`` characters; a cut says how much it took."""
    if len(text) <= LIMIT:
        return text
    half = LIMIT // 2
    return f"{text[:half]} [... {len(text) - 2 * half} characters cut ...] {text[-half:]}"
