"""A published protocol as runs repeat it."""

from evalcore.models import prompt
from evalcore.store import protocols


def test_the_papers_instruction_is_what_models_are_asked_with():
    assert protocols.INSTRUCTION == prompt.INSTRUCTION
