"""One question about current models: the block is chosen, and the block's answer is given."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from evalcore.decision import blocks, need_axis
from evalcore.decision.answer import Recommendation
from evalcore.decision.blocks import Blocks, Current
from evalcore.decision.needs import ASSUMED, Needs
from evalcore.errors import BadInput
from evalcore.store import market, queries
from evalcore.suites import advice, suite


@dataclass(frozen=True, eq=False)
class Decision:
    """An answer and the block that gave it."""

    answer: Recommendation
    data: suite.SuiteData
    blocks: Blocks


def load(path: Path, *, include_modes: bool = False, day: str | None = None) -> Current:
    """Read all current suites from the store.

    Args:
        path: The store.
        include_modes: Whether modes take part that do not compete unasked.
        day: The day on which one asks, ``2026-11-30``; today when not given.
    """
    suites = queries.table(path, "suites")
    suites = suites[suites["current"].astype(bool)].reset_index(drop=True)
    scores = queries.scores(path, None)
    scores = scores[scores["suite"].isin(suites["suite"])]
    models = queries.models(path)
    data = suite.by_mode(path, scores, models, include_modes)
    benchmarks = queries.table(path, "benchmarks")
    counts = benchmarks["benchmark"].map(suite.used_by(path)).fillna(0)
    return Current(
        suites=suites,
        scores=data.scores,
        models=data.models,
        benchmarks=benchmarks.assign(used_by=counts),
        needs=queries.table(path, "needs"),
        market=market.market(path, day),
    )


def choose(current: Current, needs: Needs) -> Blocks:
    """Rank the blocks for a question, with what goes without saying about current models."""
    today = True if needs.available_today is None else needs.available_today
    asked = replace(needs, available_today=today, workload=needs.workload or ASSUMED)
    return blocks.rank(current, asked)


def decide(
    path: Path,
    needs: Needs,
    *,
    current: Current | None = None,
    names: Mapping[str, str] | None = None,
) -> Decision:
    """Choose the block for needs without a suite, and answer.

    Args:
        path: The store.
        needs: What is asked on the axis "need"; a suite that is named is used.
        current: All current suites, if at hand.
        names: Model id to its name in sentences, where it differs from the catalogue's.

    Raises:
        BadInput: No block covers all needs; the message says which comes nearest.
    """
    if current is None:
        current = load(path, include_modes=needs.include_modes)
    answer = choose(current, replace(needs, axis=need_axis.AXIS))
    chosen = needs.suite or answer.chosen
    if chosen is None:
        raise BadInput(answer.reason)
    asked = replace(needs, suite=chosen, axis=need_axis.AXIS)
    data = suite.load(path, chosen, include_modes=needs.include_modes)
    return Decision(advice.recommend_for(data, asked, names), data, answer)
