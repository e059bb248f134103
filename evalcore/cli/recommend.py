"""The commands ``recommend`` and ``report``: an answer, or a routing table."""

import dataclasses
import datetime
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
from cyclopts import Parameter

from evalcore.analysis import routing
from evalcore.cli.needs import Stated, needs
from evalcore.cli.options import NUMBER, command
from evalcore.cli.output import Format, records, text
from evalcore.decision import link, need_axis
from evalcore.decision import recommend as advisor
from evalcore.decision import report as reports
from evalcore.decision.eligible import EligibleRuns, eligible_runs
from evalcore.decision.need_axis import Blocks
from evalcore.decision.text import advice
from evalcore.errors import BadInput
from evalcore.store import build, market, queries
from evalcore.suites import current, item_results, pooling, routed, suite
from evalcore.suites.item_results import ItemResults

BLOCKS = [
    *("suite", "chosen", "lacks", "thin", "models", "complete", "admissible", "density"),
    *("mixed", "newest"),
]
"""Columns of ``Blocks.table`` that are printed."""
ROUTING = Parameter(group="Which model for which kind of question")


@dataclass(frozen=True, kw_only=True)
class Recommend(Stated):
    """The options of ``recommend``."""

    show: Annotated[Literal["answer", "routing"], ROUTING] = "answer"
    """routing: from the runs of --benchmark, by the tags of --axis"""
    benchmark: Annotated[str | None, ROUTING] = None
    """with --show routing: whose runs"""
    judge: Annotated[str | None, ROUTING, Parameter(metavar="METRIC")] = None
    """with --show routing: whose scores count; default: the one of most runs"""
    budget: Annotated[float | None, ROUTING, NUMBER, Parameter(metavar="USD")] = None
    """with --show routing: per 1,000 questions in the mean of the table; 0 or more"""


@dataclass(frozen=True, kw_only=True)
class Report(Stated):
    """The options of ``report``."""

    out: Annotated[str | None, Parameter(metavar="FILE")] = None
    """write it here, not to the screen"""


@command("decide")
def recommend(options: Recommend = Recommend()) -> str:
    """Which model to use under your limits, how sure, and what you give up.

    Example: recommend --need documents --need charts --open-weights --max-params-b 8

    Example: recommend --need mathematics --licence permissive --gpu "24 GB"

    Example: recommend --need "everyday scenes" --within-points 3 --output-tokens 200

    Example: recommend --show routing --benchmark easy-vqa
    """
    if options.show == "routing":
        return _routing(options)
    return _recommended(options)


@command("decide")
def report(options: Report = Report()) -> str:
    """The recommendation as a Markdown report.

    With --format csv or json it prints what 'recommend' prints.

    Example: report --need documents --open-weights --out report.md
    """
    if options.format != "table":
        return _recommended(options)
    answer, data, blocks, path = _answer(options)
    version, _ = queries.version(path)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    names = dict(zip(data.models["model"], data.models["name"], strict=True))
    title = str(data.axes.set_index("axis").loc[answer.needs.axis, "title"])
    address = link.recommend(answer.needs, str(data.row["name"]), title, names)
    why = "" if blocks is None else blocks.reason
    written = reports.markdown(answer, data.models, address, version, today, block=why)
    if options.out is None:
        return written
    try:
        Path(options.out).write_text(written, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"--out: cannot write {options.out!r} ({error.strerror})") from None
    return f"{options.out}\n"


def _answer(
    options: Stated,
) -> tuple[advisor.Recommendation, suite.SuiteData, Blocks | None, Path]:
    """The answer, its suite, the blocks among which it was chosen (if it was), and the store."""
    path = build.ensure()
    suites = queries.table(path, "suites")
    axes = dict(zip(suites["suite"], suites["default_axis"], strict=True))
    asked = needs(options, axes | {pooling.SUITE: need_axis.AXIS})
    if not asked.suite:
        decision = current.decide(path, asked)
        return decision.answer, decision.data, decision.blocks, path
    data = suite.load(path, asked.suite, include_modes=asked.include_modes)
    return current.recommend_for(data, asked), data, None, path


def _recommended(options: Stated) -> str:
    """Sentences and ranking, or everything as JSON."""
    answer, _, blocks, _ = _answer(options)
    if options.format == "json":
        plain = answer.to_dict()
        if blocks is not None:
            plain["block"] = blocks.reason
            plain["blocks"] = json.loads(blocks.table.to_json(orient="records"))
        return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"
    if options.format == "csv":
        return text(advice.ranking(answer), "csv")
    sentences = answer.sentences if blocks is None else (blocks.reason, *answer.sentences)
    parts = ["\n".join(sentences), text(advice.ranking(answer), "table")]
    for title, frame in (("Excluded", answer.excluded), ("Cannot tell", answer.cannot_tell)):
        if len(frame):
            parts.append(f"{title}\n{text(frame, 'table')}")
    if blocks is not None:
        parts.append(f"Blocks\n{text(blocks.table[BLOCKS], 'table')}")
    parts.append("What this rests on\n" + "\n".join(f"- {line}" for line in answer.assumptions))
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _routing(options: Recommend) -> str:
    """A routing table with its gain on questions left out, and who may not take part.

    Raises:
        BadInput: The budget is no amount of money, or nothing of the benchmark has a score.
        UnknownName: There is no such benchmark, axis or judge.
    """
    if options.budget is not None and not 0 <= options.budget < math.inf:
        raise BadInput(
            f"--budget is {options.budget:g}; give USD per 1,000 questions, 0 or more, such as 0.5"
        )
    path = build.ensure()
    results, axis = _results(path, options)
    metric = _judge(results, options.judge)
    entries = results.entries.index[results.entries["metric"] == metric]
    scored = [str(entry) for entry in entries if results.scores[entry].notna().any()]
    models = {entry: str(results.entries["model"][entry]) for entry in scored}
    measured, offers = routed.measured(results, scored), market.market(path)
    who = eligible_runs(models, queries.models(path), needs(options, {}), offers, measured)
    budget = None if options.budget is None else options.budget / 1000
    allowed = who.admissible(budget)
    scores = routed.pool(results, [], allowed)
    plan = routed.plan(results, scores, axis, who, budget)
    unscored = [str(entry) for entry in entries if entry not in models]
    left_out = pd.concat(
        [
            who.left_out(budget),
            routed.left_out(results, scores, plan, axis, who, allowed, budget),
            pd.DataFrame({"entry": unscored}).assign(
                limit=f"no answer has a score of {metric}", relaxation=""
            ),
        ],
        ignore_index=True,
    )
    whose = {"benchmark": results.benchmark, "axis": axis, "metric": metric}
    unpriced = not allowed and who.split.admissible
    why = routed.UNPRICED if unpriced else routed.nothing(plan, budget)
    return _written(plan, who, left_out, whose, why, options.format)


def _judge(results: ItemResults, asked: str | None) -> str:
    """Whose scores count: as asked, else as the Compare page has it to begin with."""
    entries = results.entries
    scored = entries.index[results.scores.notna().any().reindex(entries.index)]
    metrics = [
        metric for metric in results.metrics() if (entries["metric"][scored] == metric).any()
    ]
    if not metrics:
        raise BadInput(f"nothing of {results.benchmark!r} has a score yet")
    if asked is not None and asked not in metrics:
        raise suite.unknown(f"judge of {results.benchmark}", asked, metrics)
    return asked or metrics[0]


def _results(path: Path, options: Recommend) -> tuple[ItemResults, str]:
    """The benchmark's items, and the axis that sorts them."""
    benchmarks = item_results.benchmarks(path)
    if options.benchmark is None:
        raise BadInput(f"--show routing asks for --benchmark, one of: {', '.join(benchmarks)}")
    if options.benchmark not in benchmarks:
        raise suite.unknown("benchmark with runs", options.benchmark, benchmarks)
    results = item_results.load(path, options.benchmark)
    axes = sorted(results.tag_names())
    if options.axis is not None and options.axis not in axes:
        raise suite.unknown(f"axis of {results.benchmark}", options.axis, axes)
    if not axes:
        raise BadInput(f"no question of {results.benchmark!r} has a tag to sort by")
    return results, options.axis or axes[0]


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
        tables = {name: records(frame) for name, frame in whole.items()}
        plain = {**whose, "nothing": why, **records(pd.DataFrame([about]))[0], **tables}
        return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"
    shown = pd.DataFrame([about])[[name for name in about if not name.startswith("cheapest")]]
    answer = [f"{why}\n"] if why else [text(table, "table"), text(shown, "table")]
    parts = [f"{whose['benchmark']} by {whose['axis']}, scores of {whose['metric']}\n", *answer]
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
