"""Which column of somebody's table holds a model's words and which the reference: never guessed.

Tools disagree on what ``answer`` means: MMMU's own output has the reference there and the model's
words in ``response``; others write the model's ``answer`` beside a ``target``. A reader that takes
a column by its name asks wherever another column could be the one that is meant.
"""

import re
from collections.abc import Collection

from evalcore.errors import BadInput
from evalcore.quoting import names

_SAID = (
    "(?:assistant|candidate|gpt|[mv]?llm|vlm)(?=answer|text)|completions?|extraction"
    "|generat(?:ed|ions?)|hypothes[ie]s|model|outputs?|pred(?:s|icted|ictions?)?"
    "|repl(?:y|ies)|resp(?:s|onses?)?"
)
_TRUE = (
    "correct|expected|gold(?:en)?|ground|gt|labels?|ref(?:s|erences?)?|solutions?|std(?=answer)"
    "|targets?|tru(?:e|th)"
)
_EITHER = r"answers?|choice|extracted|filtered|final|option|parsed|raw|texts?|\d"
"""Words that say nothing of whose answer it is."""
ANSWERS = re.compile(f"(?:{_SAID}|{_EITHER})+|(?:{_TRUE}|{_EITHER})+")
"""Names of columns that hold what a model said, or the reference: made of such words alone."""
TELLING = re.compile(f"{_SAID}|{_TRUE}|answer")
_BETWEEN = re.compile(r"[\W_]+")


def rivals(found: Collection[str], taken: str) -> list[str]:
    """The columns that could hold answers of either kind beside the one that is taken.

    Args:
        found: A table's columns.
        taken: That which a reader takes by its name.

    >>> rivals(["id", "answer", "response", "response_time"], "answer")
    ['response']
    """
    return [name for name in found if name.strip().lower() != taken and _holds_answers(name)]


def settled(found: Collection[str], taken: str, where: str, how: str) -> None:
    """Make sure that a column taken by its name is the only one that can be meant.

    Args:
        found: The table's columns.
        taken: That which the reader takes.
        where: The table's name, for the message.
        how: What decides it, for the message.

    Raises:
        BadInput: There is another that can be; the message names both, and what decides.
    """
    if others := rivals(found, taken):
        raise BadInput(
            f"{where}: beside {taken!r} there {'is' if len(others) == 1 else 'are'} "
            f"{names(others)}; which holds the model's answers and which the "
            f"reference is not guessed: {how}"
        )


def _holds_answers(name: str) -> bool:
    """Whether a name has words of one kind only: ``response_time`` is no response.

    >>> [_holds_answers(name) for name in ("goldAnswer", "GT", "output tokens", "model", "text")]
    [True, True, False, False, False]
    """
    word = _BETWEEN.sub("", name.lower())
    fits = word != "model" and ANSWERS.fullmatch(word) and TELLING.search(word)
    return bool(fits)
