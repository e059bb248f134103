"""MM-Vet grading: a language model completes a table with a grade from 0 to 1 (Yu et al. 2024)."""

import re
from functools import partial
from pathlib import Path

from evalcore.errors import BadInput
from evalcore.judges import prompts
from evalcore.judges.asked import AskedJudge, asker_facts
from evalcore.judges.cache import VerdictCache
from evalcore.judges.disguise import without_bars
from evalcore.judges.replies import grade
from evalcore.judges.verdicts import references
from evalcore.participants import Asker
from evalcore.records import Item

OURS = prompts.FOLDER / "mmvet-grade-v1.txt"
_PICTURE = re.compile(r"<IMG>|<image>", re.IGNORECASE)
_JOIN = re.compile(r"\s*(<AND>|<OR>)\s*")


def mmvet(
    asker: Asker, prompt_file: Path | None = None, cache: VerdictCache | None = None
) -> AskedJudge:
    """Return the grading judge: ``mmvet-grade-v1:gpt-4-0613``.

    Grades are means over what the judge says on several repeats (0, 1, ...), which can be added
    later; the judge never sees a picture. A table of one's own, such as the authors', comes from
    ``prompt_file``: the instruction and the table down to its last worked row. Its name is then
    part of the judge's name (``mmvet-<file name>:...``), because grades by another table are
    another metric.

    Raises:
        BadInput: the prompt file cannot be read, or does not end with a worked row.
    """
    path = prompt_file or OURS
    prompt = _table(path)
    name = path.stem if path.stem.startswith("mmvet-") else f"mmvet-{path.stem}"
    return AskedJudge(
        name=f"{name}:{asker.name}",
        version=prompts.version(prompt, name, asker.name, *asker_facts(asker)),
        asker=asker,
        prepare=_prediction,
        prompt=partial(_filled, prompt),
        read=grade,
        expects="a number from 0 to 1 at its beginning",
        with_references=True,
        with_image=False,
        cache=cache,
    )


def _table(path: Path) -> str:
    """Read a prompt and make sure that a row can be added to it."""
    prompt = prompts.read(path).rstrip()
    last = prompt.splitlines()[-1]
    cells = [cell.strip() for cell in last.strip().strip("|").split("|")]
    if len(cells) != 4 or grade(cells[-1]) is None:
        raise BadInput(
            f"prompt file {str(path)!r} ends with {last[:80]!r}; it should end with a worked row "
            "(question | ground truth | prediction | grade from 0 to 1), without the row to fill in"
        )
    return prompt


def _filled(prompt: str, item: Item, answer: str) -> str:
    """Append the item's row with its last cell open, with outer bars if the table has them."""
    question = _cell(_PICTURE.sub("<image>", item.question))
    truth = _JOIN.sub(r" \1 ", _cell("<OR>".join(references(item)))).strip()
    row = f"{question} | {truth} | {answer} |"
    bar = "| " if prompt.splitlines()[-1].lstrip().startswith("|") else ""
    return f"{prompt}\n{bar}{row}"


def _prediction(answer: str) -> str:
    return _cell(without_bars(answer))


def _cell(text: str) -> str:
    """Return text that stays inside one cell: bars and line breaks become what shows as them."""
    return prompts.shortened("<br>".join(prompts.lines(text)).replace("|", "&#124;"))
