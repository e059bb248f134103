"""What judges are made from."""

from dataclasses import dataclass
from pathlib import Path

from evalcore.errors import BadInput
from evalcore.judges.cache import VerdictCache
from evalcore.participants import Asker


@dataclass(frozen=True)
class Setup:
    """What a judge may need; each takes what concerns it."""

    asker: Asker | None = None
    """The model that language judges ask."""
    prompt_file: Path | None = None
    """Another table for MM-Vet grading."""
    encoder: Path | None = None
    """The local folder of the encoder for embedding similarity and BERTScore."""
    layer: int | None = None
    """The encoder's layer that BERTScore compares."""
    cache: VerdictCache | None = None
    """Where verdicts of language judges are kept."""

    def asked(self, judge: str) -> Asker:
        """Return the model to ask.

        Raises:
            BadInput: there is none.
        """
        if self.asker is None:
            raise BadInput(f"judge {judge!r} asks a model, and none was named for it")
        return self.asker

    def encoded(self) -> Path:
        """Return the folder of the encoder.

        Raises:
            BadInput: there is none.
        """
        if self.encoder is None:
            raise BadInput("similarity by an encoder needs the local folder of one")
        return self.encoder
