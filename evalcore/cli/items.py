"""``correlate --show pairs`` and ``recommend --show routing``: what single questions tell."""

import argparse
import dataclasses
import json
import math
from pathlib import Path

import pandas as pd

from evalcore.analysis import complement, routing
from evalcore.cli.needs import needs
from evalcore.cli.output import Format, records, text
from evalcore.decision.eligible import EligibleRuns, eligible_runs
from evalcore.errors import BadInput
from evalcore.store import build, offered, queries
from evalcore.suites import item_results, routed, suite
from evalcore.suites.item_results import ItemResults

SCREEN = [
    *("a", "b", "n", "r", "low", "high", "kappa", "kappa_low", "kappa_high", "beyond"),
    *("beyond_low", "beyond_high", "both", "either", "best_single", "gain", "gain_low"),
    "gain_high",
]
"""Columns of the pairs on screen; CSV and JSON hold all."""


def add_routing(recommend: argparse.ArgumentParser) -> None:
    """Add the options of the routing table to ``recommend``."""
    group = recommend.add_argument_group("which model for which kind of question")
    group.add_argument(
        "--show", choices=("answer", "routing"), default="answer",
        help="routing: from the runs of --benchmark, by the tags of --axis; default: answer",
    )  # fmt: skip
    group.add_argument("--benchmark", help="with --show routing: whose runs")
    group.add_argument(
        "--judge", metavar="METRIC",
        help="with --show routing: whose scores count; default: the one of most runs",
    )  # fmt: skip
    group.add_argument(
        "--budget", type=float, metavar="USD",
        help="with --show routing: per 1,000 questions in the mean of the table; 0 or more",
    )  # fmt: skip


def pairs(data: suite.SuiteData, form: argparse.Namespace) -> str:
    """Models question by question, on the questions that most of them share.

    Raises:
        BadInput: No two models of the suite share a question.
    """
    taken = [] if data.items is None else complement.sharing(data.items.scores)
    if data.items is None or not taken:
        raise BadInput(
            f"suite {data.suite!r} has no two models with answers to the same single questions; "
            "runs made here have them, and so has --suite demo"
        )
    found = complement.pairs(data.items.scores[taken], data.items.cluster)
    return text(found[SCREEN] if form.format == "table" else found, form.format)


def run_routing(arguments: argparse.Namespace) -> str:
    """A routing table with its gain on questions left out, and who may not take part.

    Raises:
        BadInput: The budget is no amount of money, or nothing of the benchmark has a score.
        UnknownName: There is no such benchmark, axis or judge.
    """
    if arguments.budget is not None and not 0 <= arguments.budget < math.inf:
        raise BadInput(
            f"--budget is {arguments.budget:g}; give USD per 1,000 questions, 0 or more, such as "
            "0.5"
        )
    path = build.ensure()
    found, axis = _of(path, arguments)
    metric = _judge(found, arguments.judge)
    mine = found.entries.index[found.entries["metric"] == metric]
    known = [str(one) for one in mine if found.scores[one].notna().any()]
    of = {entry: str(found.entries["model"][entry]) for entry in known}
    measured, market = routed.measured(found, known), offered.market(path)
    who = eligible_runs(of, queries.models(path), needs(arguments, {}), market, measured)
    budget = None if arguments.budget is None else arguments.budget / 1000
    allowed = who.admissible(budget)
    scores = routed.pool(found, [], allowed)
    plan = routed.plan(found, scores, axis, who, budget)
    out = [
        who.left_out(budget),
        routed.left_out(found, scores, plan, axis, who, allowed, budget),
        pd.DataFrame({"entry": [str(one) for one in mine if one not in of]}).assign(
            limit=f"no answer has a score of {metric}", relaxation=""
        ),
    ]
    left_out = pd.concat(out, ignore_index=True)
    whose = {"benchmark": found.benchmark, "axis": axis, "metric": metric}
    unpriced = not allowed and who.split.admissible
    why = routed.UNPRICED if unpriced else routed.nothing(plan, budget)
    return _written(plan, who, left_out, whose, why, arguments.format)


def _judge(found: ItemResults, asked: str | None) -> str:
    """Whose scores count: as asked, else as the Compare page has it to begin with."""
    scored = found.entries.index[found.scores.notna().any().reindex(found.entries.index)]
    there = [one for one in found.metrics() if (found.entries["metric"][scored] == one).any()]
    if not there:
        raise BadInput(f"nothing of {found.benchmark!r} has a score yet")
    if asked is not None and asked not in there:
        raise suite.unknown(f"judge of {found.benchmark}", asked, there)
    return asked or there[0]


def _of(path: Path, arguments: argparse.Namespace) -> tuple[ItemResults, str]:
    """The benchmark's items, and the axis that sorts them."""
    there = item_results.benchmarks(path)
    if arguments.benchmark is None:
        raise BadInput(f"--show routing asks for --benchmark, one of: {', '.join(there)}")
    if arguments.benchmark not in there:
        raise suite.unknown("benchmark with runs", arguments.benchmark, there)
    found = item_results.load(path, arguments.benchmark)
    axes = sorted(found.tag_names())
    if arguments.axis is not None and arguments.axis not in axes:
        raise suite.unknown(f"axis of {found.benchmark}", arguments.axis, axes)
    if not axes:
        raise BadInput(f"no question of {found.benchmark!r} has a tag to sort by")
    return found, arguments.axis or axes[0]


def _written(  # noqa: PLR0913  one part of the answer an argument
    plan: routing.Plan,
    who: EligibleRuns,
    left_out: pd.DataFrame,
    whose: dict[str, str],
    why: str,
    form: Format,
) -> str:
    """The answer in a format; ``why`` says why the table is empty."""
    table = plan.table.assign(
        usd_per_1000=1000 * plan.table["cost"].astype(float),
        cost_from=plan.table["entry"].map(who.costs["whence"]),
    ).drop(columns="cost")
    if form == "csv":
        return text(table.assign(metric=whose["metric"]), "csv")
    about = {name: value for name, value in dataclasses.asdict(plan).items() if name != "table"}
    about["usd_per_1000"] = 1000 * about.pop("cost")
    about["single_usd_per_1000"] = 1000 * about.pop("single_cost")
    for name in ("cheapest", "cheapest_mix"):
        about[f"{name}_usd_per_1000"] = 1000 * about.pop(name)
    costs = who.costs.rename_axis("entry").reset_index()
    if form == "json":
        whole = {"table": table, "left_out": left_out, "costs": costs}
        told = {name: records(frame) for name, frame in whole.items()}
        plain = {**whose, "nothing": why, **records(pd.DataFrame([about]))[0], **told}
        return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"
    shown = pd.DataFrame([about])[[name for name in about if not name.startswith("cheapest")]]
    said = [f"{why}\n"] if why else [text(table, "table"), text(shown, "table")]
    parts = [f"{whose['benchmark']} by {whose['axis']}, scores of {whose['metric']}\n", *said]
    parts.append(f"Costs\n{text(costs.drop(columns='basis'), 'table')}")
    if len(left_out):
        parts.append(f"Not in the table\n{_lines(left_out)}")
    return "\n".join(parts)


def _lines(left_out: pd.DataFrame) -> str:
    """One line a run: reasons are too long for the columns of a table."""
    rows = left_out[["entry", "limit", "relaxation"]].to_numpy(str)
    return "".join(
        f"- {entry}: {limit}{f' (to let it in: {change})' if change else ''}\n"
        for entry, limit, change in rows
    )
