"""What answers: each adapter runs many models of one kind.

Importing this package loads neither torch nor any vendor's client: adapters do when they are made.
"""

from collections.abc import Mapping
from dataclasses import fields

from evalcore.models.answers import Answers
from evalcore.models.baselines import Chance, MostFrequent
from evalcore.models.gemini import GeminiChat
from evalcore.models.openai_chat import OpenAIChat
from evalcore.models.remote_code_vlm import RemoteCodeVLM
from evalcore.models.transformers_vlm import TransformersVLM
from evalcore.participants import ModelAdapter

ADAPTERS: Mapping[str, type[ModelAdapter]] = {
    "answers": Answers,
    "chance": Chance,
    "gemini": GeminiChat,
    "most-frequent": MostFrequent,
    "openai": OpenAIChat,
    "remote-code": RemoteCodeVLM,
    "transformers": TransformersVLM,
}
"""Name to adapter; its options are the class's fields."""


def adapter_options(adapter: str) -> list[str]:
    """The names of an adapter's options, those first that may be given without a name."""
    own = [field for field in fields(ADAPTERS[adapter]) if field.init]
    return [field.name for field in sorted(own, key=lambda field: field.kw_only is True)]
