"""The commands for contrastive models: zeroshot, digits, count-digits, cache."""

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from evalcore.analysis import representatives
from evalcore.cli.doctor import DATA, data_folder
from evalcore.cli.ended import GAPS, Ended
from evalcore.cli.output import end_progress, progress_line, tell, text
from evalcore.contrastive import digits, unibench
from evalcore.contrastive.cache import DOWNLOADS, Cache
from evalcore.contrastive.evaluate import Evaluator
from evalcore.contrastive.record import BenchmarkResult
from evalcore.spelled import checked
from evalcore.store import build, queries

SHOWN = (
    "model", "benchmark", "prompts", "metric", "value", "low", "high", "n", "chance", "ties",
    "unread", "undecidable", "cut", "decoded", "encoded", "seconds", "run",
)  # fmt: skip
"""Columns of the table; CSV and JSON have every metric."""
MODEL = (
    "open_clip:ARCHITECTURE/TAG, open_clip:ARCHITECTURE/FILE, hf:FOLDER, or package.module:factory"
)
COLUMNS = ", ".join(digits.COLUMNS)
PAPER = "; UniBench's authors name 5 minutes for their small set, for a ViT-B/32 on one A100"
CODES = (
    "exit code: 0 every item has a score; 2 something given cannot be used; 4 all is done, but "
    "some items have no score (a picture cannot be read, or a wrong caption equals the right one)"
)
Command = Callable[..., argparse.ArgumentParser]


def add(commands: object, command: Command) -> None:
    """Add the commands to the parser.

    Args:
        commands: What ``add_subparsers`` gave.
        command: Makes one: (commands, name, what it does).
    """
    zeroshot = command(commands, "zeroshot", "run contrastive models on benchmarks")
    _running(zeroshot)
    zeroshot.add_argument(
        "--prompts", action="append", metavar="FILE",
        help="class names and templates as JSON, or 'clip-benchmark'; may be given again",
    )  # fmt: skip
    _running(command(commands, "digits", "how labels and prompts decide whether digits are read"))
    count = command(
        commands, "count-digits", "how often captions name digits, as words and figures"
    )
    count.add_argument("captions", metavar="FILE", help="text, CSV, TSV (also .gz) or Parquet")
    count.add_argument("--column", help=f"of a table; default: the first of {COLUMNS}")
    cache = command(
        commands, "cache", "pictures, embeddings and downloads that are kept for the next time"
    )
    cache.add_argument(
        "--clear", nargs="?", const="all", metavar="WHAT",
        help="remove everything, or one kind (pixels, images, texts, data), or one key",
    )  # fmt: skip


def run_zeroshot(arguments: argparse.Namespace) -> Ended:
    """Run models on benchmarks, put the results into the store, show them."""
    evaluator = _evaluator(arguments)
    for benchmark in _benchmarks(arguments):
        evaluator.add_benchmark(benchmark, prompts=arguments.prompts)
    began = time.perf_counter()
    outcomes = _outcomes(evaluator)
    found = pd.DataFrame([one.row() for one in outcomes])
    build.ensure()
    if arguments.format != "table":
        return _ended(text(found, arguments.format), outcomes)
    took, each = time.perf_counter() - began, found.drop_duplicates("benchmark")
    beside = PAPER if set(arguments.benchmark) & set(representatives.NAMED) else ""
    line = f"{int(each['n'].sum()):,} items in {took:.0f} s{beside}\n"
    shown = [name for name in SHOWN if name != "undecidable" or found[name].any()]
    return _ended(text(found[shown], "table") + line + "".join(_shared(each)), outcomes)


def _ended(printed: str, outcomes: Sequence[BenchmarkResult]) -> Ended:
    """What to print, and the code; what has no score is told beside it, once a benchmark."""
    made = Ended(printed)
    if any(one.unread or one.undecidable for one in outcomes):
        made.code = GAPS
    for one in {one.benchmark: one for one in outcomes}.values():
        first = one.failed[0] if one.failed else "it has no embedding"
        equal = "a wrong caption equals the right one"
        for count, why in ((one.unread, first), (one.undecidable, equal)):
            if count:
                have = "1 item has" if count == 1 else f"{count:,} items have"
                tell(f"{one.benchmark}: {have} no score: {why}\n")
    return made


def _shared(each: pd.DataFrame) -> list[str]:
    """Which benchmarks have several items about one picture, a line each."""
    several = each[each["clusters"].notna()]
    return [
        f"{name}: {n:,} items in {pictures:,.0f} groups that share pictures, and its interval "
        "knows it\n"
        if pictures > 1
        else f"{name}: all {n:,} items hang together through shared pictures, so no interval\n"
        for name, n, pictures in several[["benchmark", "n", "clusters"]].to_numpy()
    ]


def run_digits(arguments: argparse.Namespace) -> Ended:
    """The digit study: labels x prompts, top-1 to top-5, with one pass over the pictures."""
    evaluator = _evaluator(arguments)
    for benchmark in _benchmarks(arguments):
        evaluator.add_benchmark(benchmark, prompts=digits.sets(benchmark.partition("=")[0]))
    outcomes = _outcomes(evaluator)
    found = pd.DataFrame([one.row() for one in outcomes])
    build.ensure()
    rows = digits.table(found)
    if arguments.format != "table":
        return _ended(text(rows, arguments.format), outcomes)
    remarks = "\n".join(digits.remarks(found))
    return _ended(f"{text(rows, 'table')}\n{remarks}\n", outcomes)


def run_count_digits(arguments: argparse.Namespace) -> str:
    """How many captions of a corpus name each digit."""
    column = arguments.column
    if column is not None:
        column = checked(column, "--column", "a column's name")
    found, total = digits.count(Path(arguments.captions), column)
    if arguments.format != "table":
        return text(found.assign(captions=total), arguments.format)
    return f"{text(found, 'table')}of {total:,} captions\n"


def run_cache(arguments: argparse.Namespace) -> str:
    """What is kept, or what was removed."""
    cache = Cache()
    if arguments.clear is not None:
        freed = cache.clear(None if arguments.clear == "all" else arguments.clear)
        return f"{freed / 1e6:.1f} MB are free again\n"
    rows = pd.DataFrame(cache.table())
    if arguments.format != "table":
        return text(rows, arguments.format)
    held, data = cache.held() / 1e6, cache.held(DOWNLOADS) / 1e6
    beside = f" ({data:.1f} MB downloads, which stay until they are cleared)" if data else ""
    line = f"{held:.1f} MB of {cache.limit / 1e6:.0f} MB in {cache.root}{beside}\n"
    return text(rows, "table") + line


CONTRASTIVE: dict[str, Callable[[argparse.Namespace], str]] = {
    "zeroshot": run_zeroshot,
    "digits": run_digits,
    "count-digits": run_count_digits,
    "cache": run_cache,
}


def _running(command: argparse.ArgumentParser) -> None:
    command.epilog = CODES
    command.add_argument(
        "--model", action="append", required=True, help=f"{MODEL}; may be given again"
    )
    command.add_argument(
        "--benchmark", action="append", required=True, metavar="NAME=PATH",
        help="class folders, tar shards, a CSV, idx files, a torchvision or Hugging Face folder, "
        "the files of ARO, SugarCrepe or Winoground, https://… of shards, or hf:OWNER/NAME; a "
        "known name alone is looked for in --data; may be given again",
    )  # fmt: skip
    command.add_argument("--data", type=Path, metavar="DIR", help=DATA)
    command.add_argument("--device", default="auto", help="cpu, cuda, cuda:1; default: auto")
    command.add_argument("--precision", default="fp32", help="fp32 (default), bf16 or fp16")
    command.add_argument("--batch", type=_positive, default=64, help="pictures at a time; 64")
    command.add_argument("--no-cache", action="store_true", help="keep nothing for the next time")


def _benchmarks(arguments: argparse.Namespace) -> list[str]:
    """The asked benchmarks as NAME=PATH; known ones and UniBench's sets by their names alone."""
    if all("=" in one for one in arguments.benchmark):
        return list(arguments.benchmark)
    rows = queries.table(build.ensure(), "representatives")
    sets = {
        name: list(representatives.printed(rows, name)["benchmark"].dropna())
        for name in representatives.NAMED
    }
    return unibench.wanted(arguments.benchmark, data_folder(arguments.data), sets)


def _positive(told: str) -> int:
    if not told.isdecimal() or int(told) < 1:
        raise argparse.ArgumentTypeError(f"{told!r} should be a whole number from 1 on")
    return int(told)


def _evaluator(arguments: argparse.Namespace) -> Evaluator:
    made = Evaluator(
        device=arguments.device,
        precision=arguments.precision,
        batch=arguments.batch,
        cache=Cache(limit=0) if arguments.no_cache else None,
        watch=_say,
    )
    for model in arguments.model:
        made.add_model(model)
    return made


def _outcomes(evaluator: Evaluator) -> list[BenchmarkResult]:
    try:
        return evaluator.outcomes()
    finally:
        end_progress()


def _say(model: str, benchmark: str, done: int, total: int) -> None:
    progress_line(f"{model} on {benchmark}: {done} of {total} pictures")
