"""``correlate --show pairs`` and ``recommend --show routing``: what single questions tell."""

import argparse
import dataclasses
import json
from pathlib import Path

import pandas as pd

from evalcore.analysis import complement, routing
from evalcore.cli.needs import needs
from evalcore.cli.output import records, text
from evalcore.decision.entrants import Entrants, entrants
from evalcore.errors import BadInput
from evalcore.store import build, offered, queries
from evalcore.suites import evidence, routed, suite
from evalcore.suites.evidence import Evidence

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
        "--budget", type=float, metavar="USD",
        help="with --show routing: per 1,000 questions in the mean of the table",
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
    """A routing table with its gain on questions left out, and who may not take part."""
    path = build.ensure()
    found, axis = _of(path, arguments)
    metric = str(found.entries["metric"].value_counts().index[0])
    known = [str(one) for one in found.entries.index[found.entries["metric"] == metric]]
    known = [entry for entry in known if found.scores[entry].notna().any()]
    of = {entry: str(found.entries["model"][entry]) for entry in known}
    measured, market = routed.measured(found, known), offered.market(path)
    who = entrants(of, queries.models(path), needs(arguments, {}), market, measured)
    budget = None if arguments.budget is None else arguments.budget / 1000
    allowed = who.admissible(budget)
    plan = routed.plan(found, routed.pool(found, [], allowed), axis, who, budget)
    return _written(plan, who, who.left_out(budget), arguments)


def _of(path: Path, arguments: argparse.Namespace) -> tuple[Evidence, str]:
    """The benchmark's items, and the axis that sorts them."""
    there = evidence.benchmarks(path)
    if arguments.benchmark is None:
        raise BadInput(f"--show routing asks for --benchmark, one of: {', '.join(there)}")
    if arguments.benchmark not in there:
        raise suite.unknown("benchmark with runs", arguments.benchmark, there)
    found = evidence.load(path, arguments.benchmark)
    axes = sorted(found.tag_names())
    if arguments.axis is not None and arguments.axis not in axes:
        raise suite.unknown(f"axis of {found.benchmark}", arguments.axis, axes)
    if not axes:
        raise BadInput(f"no question of {found.benchmark!r} has a tag to sort by")
    return found, arguments.axis or axes[0]


def _written(
    plan: routing.Plan, who: Entrants, left_out: pd.DataFrame, arguments: argparse.Namespace
) -> str:
    table = plan.table.assign(
        usd_per_1000=1000 * plan.table["cost"].astype(float),
        cost_from=plan.table["entry"].map(who.costs["whence"]),
    ).drop(columns="cost")
    if arguments.format == "csv":
        return text(table, "csv")
    about = {name: value for name, value in dataclasses.asdict(plan).items() if name != "table"}
    about["usd_per_1000"] = 1000 * about.pop("cost")
    about["single_usd_per_1000"] = 1000 * about.pop("single_cost")
    costs = who.costs.rename_axis("entry").reset_index()
    if arguments.format == "json":
        whole = {"table": table, "left_out": left_out, "costs": costs}
        told = {name: records(frame) for name, frame in whole.items()}
        plain = {**records(pd.DataFrame([about]))[0], **told}
        return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"
    said = "No run meets the limits.\n" if not plan.single else text(table, "table")
    parts = [said, text(pd.DataFrame([about]), "table")] if plan.single else [said]
    parts.append(f"Costs\n{text(costs.drop(columns='basis'), 'table')}")
    if len(left_out):
        parts.append(f"Not in the table\n{text(left_out, 'table')}")
    return "\n".join(parts)
