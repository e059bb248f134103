"""Judges that ask a language model, and never invent a score when it does not answer."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evalcore import files, markup
from evalcore.errors import BadInput
from evalcore.judges.cache import VerdictCache
from evalcore.judges.verdicts import references, unanswered
from evalcore.models.cancellation import Cancellation
from evalcore.models.cap import Budget
from evalcore.participants import Asker, Judge
from evalcore.pictures import MOST_BYTES
from evalcore.records import Item, Prediction, Reply, Verdict

LONG_ANSWER = 2_000
"""Characters of an answer that is still to come, where the cost of judging it is set aside."""
NOT_ASKED = frozenset({"model", "instruction", "blind"})
"""Facts of a model that concern what it answers itself, not what a judge asks it."""


def asker_facts(asker: Asker) -> tuple[str, ...]:
    """What decides a model's verdict beside its name and the prompt, for a judge's version."""
    return (asker.settings,) if asker.settings else ()


@dataclass
class AskedJudge(Judge):
    """One prompt, one model that answers it, one way of reading the answer."""

    name: str
    """Includes the model's name: another model is another metric."""
    version: str
    asker: Asker
    prepare: Callable[[str], str]
    """Makes an answer harmless; what it returns is what the judge reads."""
    prompt: Callable[[Item, str], str]
    read: Callable[[str], float | None]
    expects: str
    """What a readable reply looks like, in words."""
    with_references: bool
    with_image: bool
    cache: VerdictCache | None = None

    @property
    def concurrency(self) -> int:
        """As many judgements at once as the model takes calls."""
        return self.asker.concurrency

    def facts(self) -> dict[str, str]:
        """What a run should record of how the model is asked; never a key."""
        facts = self.asker.facts()
        asked = {name: value for name, value in facts.items() if name not in NOT_ASKED}
        return {"asks": self.asker.name, **asked}

    def spend_from(self, budget: Budget) -> None:
        """Pay for verdicts to come out of a budget that others spend from too.

        Raises:
            BadInput: It has a cap, and what the model costs is not known.
        """
        try:
            self.asker.spend_from(budget)
        except BadInput as error:
            raise BadInput(f"judge {self.name!r}: {error}, by --judge-option") from None

    def stop_with(self, stop: Cancellation) -> bool:
        """Ask for no further verdict once somebody asks so."""
        return self.asker.stop_with(stop)

    def most_usd(self, items: Iterable[Item]) -> float:
        """The most that a verdict on one of these items can cost in dollars.

        For an answer of up to ``LONG_ANSWER`` characters; 0 if it costs nothing or nobody knows.
        """
        most = self.asker.most_usd
        if not most("", 0):
            return 0.0
        answer = "x" * LONG_ANSWER
        return max(
            (most(self.prompt(item, answer), len(item.images) * self.with_image) for item in items),
            default=0.0,
        )

    def judge(self, item: Item, prediction: Prediction, repeat: int = 0) -> Verdict:
        """Ask for one verdict; a missing answer is not asked about.

        Raises:
            ModelUnavailable, SpendCapReached, Stopped: from the model that is asked.
        """
        missing = unanswered(item, prediction) or self._lacks(item)
        if missing is not None:
            return Verdict(item.id, self.name, self.version, repeat, None, reason=missing)
        # Marks in an answer are words to the judge's server, those of the prompt are what they are.
        answer = self.prepare(markup.inert(markup.spoken(prediction.text or "")))
        if not answer:
            reason = "no answer: nothing but thoughts or control characters"
            return Verdict(item.id, self.name, self.version, repeat, None, reason=reason)
        if self.cache is None:
            return self._ask(item, answer, repeat)
        return self.cache.fetch(
            self._key(item, answer, repeat), item.id, lambda: self._ask(item, answer, repeat)
        )

    def _lacks(self, item: Item) -> str | None:
        """Say what the item lacks that this judge must see; None if nothing."""
        if self.with_references and not references(item):
            return "the item has no reference answer"
        if not self.with_image:
            return None
        if not item.images:
            return "the item has no picture, and this judge looks at it"
        lost = [path.name for path in item.images if files.wrong(path)]
        return f"picture not found: {', '.join(lost)}" if lost else None

    def _ask(self, item: Item, answer: str, repeat: int) -> Verdict:
        images = item.images if self.with_image else ()
        reply = self.asker.ask(self.prompt(item, answer), images)
        score, reason = self._reading(reply)
        return Verdict(
            item.id,
            self.name,
            self.version,
            repeat,
            score,
            extracted=answer,
            reason=reason,
            reply=reply.text,
            seconds=reply.seconds,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            usd=reply.usd,
            ended=reply.ended,
        )

    def _reading(self, reply: Reply) -> tuple[float | None, str]:
        if reply.error is not None or reply.text is None or not reply.text.strip():
            return None, f"the judge did not answer: {reply.error or 'empty reply'}"
        if reply.ended == "cut off":
            return None, "the judge's reply was cut off at its limit of tokens (raise max_tokens)"
        score = self.read(reply.text)
        if score is None:
            return None, f"unreadable reply: expected {self.expects}"
        return score, "the judge's word"

    def _key(self, item: Item, answer: str, repeat: int) -> tuple[str, ...]:
        """All that the judge is shown, and who it is: what decides its verdict."""
        shown = references(item) if self.with_references else []
        pictures = _digests(item.images) if self.with_image else []
        return (
            self.name,
            self.version,
            str(repeat),
            item.question,
            answer,
            "references",
            *shown,
            "pictures",
            *pictures,
        )


def _digests(images: Sequence[Path]) -> list[str]:
    """What tells the pictures apart.

    Raises:
        BadInput: One of them cannot be read.
    """
    return [hashlib.sha256(files.content(path, MOST_BYTES)).hexdigest() for path in images]
