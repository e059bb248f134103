"""Protocols of published suites that a run can repeat: its scores then stand beside them."""

from collections.abc import Mapping
from dataclasses import dataclass

from evalcore.engine.runs import Run

# Appendix A.1 of the VQA360 paper; a test holds it to what models are really asked.
INSTRUCTION = "Only answer the below question. Do not provide any additional information"
SQUARE, SMALL_SQUARE = "448 px square", "224 px square"


@dataclass(frozen=True)
class Protocol:
    """How a source asked and judged, and where its scores stand."""

    benchmark: str
    judge: str
    """The judge's name in a run's verdicts."""
    server: str
    """Where that judge has to be asked: the same name elsewhere may be another model."""
    asked: Mapping[str, tuple[str, ...]]
    """Facts of a run's model, and the values with which it was asked as the source asked."""
    suite: str
    metric: str
    judge_in_store: str


PROTOCOLS = (
    Protocol(
        "vqa360",
        "goeval-ref-image:gpt-4o-mini",
        "server api.openai.com",
        {"instruction": (INSTRUCTION,), "picture": (SQUARE, SMALL_SQUARE)},
        "vqa360",
        "goeval-mini-ref-image",
        "gpt-4o-mini",
    ),
)
SMALL = "paligemma"
"""The one family of the VQA360 paper that saw the smaller pictures."""


def repeated(run: Run, judge: str) -> Protocol | None:
    """The protocol that a run repeats with one of its judges; None for one of its own."""
    for protocol in PROTOCOLS:
        named = (run.settings.benchmark, judge) == (protocol.benchmark, protocol.judge)
        if named and _judged_there(run, protocol) and _asked_so(run, protocol):
            return protocol
    return None


def _judged_there(run: Run, protocol: Protocol) -> bool:
    facts = [fact.about for fact in run.facts("judge") if fact.about["judge"] == protocol.judge]
    return bool(facts) and all(about.get("device") == protocol.server for about in facts)


def _asked_so(run: Run, protocol: Protocol) -> bool:
    """Whether the model was asked so; a baseline is asked nothing, which agrees with anything."""
    for name, values in protocol.asked.items():
        fact = run.fact(name)
        if fact is not None and fact not in values:
            return False
    small = run.settings.model.startswith(SMALL)
    return small or run.fact("picture") != SMALL_SQUARE
