"""What all judges share: how a verdict without a score comes about, and rules as judges."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from evalcore.errors import BadInput
from evalcore.judges.text import answer_of, clean, comparable
from evalcore.participants import Judge
from evalcore.records import Item, Prediction, Verdict

CUT_OFF = "cut off at its limit of tokens before it named an answer"


class RuleResult(NamedTuple):
    """What a rule says of one answer."""

    score: float | None
    extracted: str | None
    reason: str


def unanswered(item: Item, prediction: Prediction) -> str | None:
    """Say why there is no answer to judge; None if there is one.

    An answer that failed, was refused by the model's server, or is blank gets no score: it is
    counted as unanswered, and whoever reads the mean sees it with bounds. Words of refusal inside
    an answer ("I cannot tell") are an answer like any other, and usually a wrong one.

    Raises:
        BadInput: the answer belongs to another item.
    """
    if prediction.item != item.id:
        raise BadInput(f"answer to item {prediction.item!r} was given to item {item.id!r}")
    if prediction.error is not None:
        return f"no answer: {prediction.error}"
    if prediction.text is None or not prediction.text.strip():
        return "no answer: empty"
    return None


@dataclass
class Rule(Judge):
    """A judge that compares by rule: the same answer always gets the same verdict."""

    name: str
    version: str
    compare: Callable[[Item, str], RuleResult]
    """Given the item and the answer's text, which is never blank; it and the references are without
    thoughts, marks and Markdown, by the same treatment."""
    votes: bool = False
    """References are votes that are counted; otherwise any one of them is right."""
    stands: Callable[[Item, str], bool] | None = None
    """Of a rule that looks for the answer in a longer text: whether one that was cut off holds it.
    None: the rule compares what was said, however it ended."""
    concurrency: int = 0
    """At once between two answers; 1 for a comparison that takes its time, in a thread."""

    def judge(self, item: Item, prediction: Prediction, repeat: int = 0) -> Verdict:
        """Score one answer; no answer, no references or an unreadable answer give no score."""
        outcome = self._outcome(item, prediction)
        return Verdict(
            item.id,
            self.name,
            self.version,
            repeat,
            outcome.score,
            extracted=outcome.extracted,
            reason=outcome.reason,
        )

    def _outcome(self, item: Item, prediction: Prediction) -> RuleResult:
        missing = unanswered(item, prediction)
        if missing is not None:
            return RuleResult(None, None, missing)
        given = references(item)
        if not given:
            return RuleResult(None, None, "the item has no reference answer")
        text = prediction.text or ""
        if prediction.ended == "cut off" and self.stands and not self.stands(item, text):
            return RuleResult(None, None, CUT_OFF)
        answer = answer_of(text)
        read = tuple(comparable(reference) for reference in given)
        # An answer identical to the reference is right under every rule, whatever the rule reads.
        if not self.votes or len(set(read)) == 1:
            for reference, plain in zip(given, read, strict=True):
                if clean(text).strip() == clean(reference).strip() or answer == plain:
                    return RuleResult(
                        1.0, answer or text.strip(), f"equals reference {reference!r}"
                    )
        if not answer:
            return RuleResult(None, None, "no answer: nothing but thoughts or marks")
        return self.compare(replace(item, answers=read), answer)


def references(item: Item) -> list[str]:
    """Return the item's reference answers that are not blank."""
    return [answer for answer in item.answers if answer.strip()]
