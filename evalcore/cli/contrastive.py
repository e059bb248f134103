"""The commands for contrastive models: zeroshot, digits, count-digits, cache."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pandas as pd
from cyclopts import Parameter

from evalcore.analysis import correlation
from evalcore.cli.doctor import Data, data_folder
from evalcore.cli.options import COUNT, Printed, command, named
from evalcore.cli.output import DONE, GAPS, Coded, progress_bar, tell, text
from evalcore.contrastive import digits as study
from evalcore.contrastive import unibench
from evalcore.contrastive.cache import DOWNLOADS, Cache
from evalcore.contrastive.evaluate import Evaluator
from evalcore.contrastive.record import BenchmarkResult
from evalcore.messages import checked
from evalcore.store import build, queries

SHOWN = (
    "model", "benchmark", "prompts", "metric", "value", "low", "high", "n", "chance", "ties",
    "unread", "undecidable", "cut", "decoded", "encoded", "seconds", "run",
)  # fmt: skip
"""Columns of the table; CSV and JSON have every metric."""
MODEL = (
    "open_clip:ARCHITECTURE/TAG, open_clip:ARCHITECTURE/FILE, hf:FOLDER, or package.module:factory"
)
COLUMNS = ", ".join(study.COLUMNS)
PAPER = "; UniBench's authors name 5 minutes for their small set, for a ViT-B/32 on one A100"
BENCHMARK = (
    "class folders, tar shards, a CSV, idx files, a torchvision or Hugging Face folder, the files "
    "of ARO, SugarCrepe or Winoground, https://… of shards, or hf:OWNER/NAME; a known name alone "
    "is looked for in --data; may be given again"
)


@dataclass(frozen=True, kw_only=True)
class Evaluate(Printed):
    """The options of commands that run contrastive models."""

    model: Annotated[list[str], named("--model", f"{MODEL}; may be given again")]
    benchmark: Annotated[list[str], named("--benchmark", BENCHMARK, "NAME=PATH")]
    data: Data = None
    device: str = "auto"
    """cpu, cuda, cuda:1"""
    precision: str = "fp32"
    """fp32, bf16 or fp16"""
    batch: Annotated[int, COUNT] = 64
    """pictures at a time"""
    no_cache: bool = False
    """keep nothing for the next time"""


@dataclass(frozen=True, kw_only=True)
class Zeroshot(Evaluate):
    """The options of ``zeroshot``."""

    prompts: Annotated[list[str] | None, Parameter(metavar="FILE")] = None
    """class names and templates as JSON, or 'clip-benchmark'; may be given again"""


@dataclass(frozen=True, kw_only=True)
class Captions(Printed):
    """The options of ``count-digits``."""

    column: Annotated[
        str | None, named("--column", f"of a table; default: the first of {COLUMNS}")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Clear(Printed):
    """The options of ``cache``."""

    clear: Annotated[
        list[str] | None,
        Parameter(metavar="[WHAT]", consume_multiple=(0, 1), allow_repeating=False),
    ] = None
    """remove everything, or one kind (pixels, images, texts, data), or one key"""


@command("own")
def zeroshot(options: Zeroshot) -> str:
    """Run contrastive models on benchmarks.

    Example: zeroshot --model open_clip:ViT-B-32/laion2b_s34b_b79k --benchmark mnist=data/mnist

    Example: zeroshot --model hf:FOLDER --benchmark dtd --data DIR --format csv
    """
    evaluator = _evaluator(options)
    for benchmark in _benchmarks(options):
        evaluator.add_benchmark(benchmark, prompts=options.prompts)
    began = time.perf_counter()
    results = _results(evaluator)
    table = pd.DataFrame([result.row() for result in results])
    build.ensure()
    if options.format != "table":
        return _coded(text(table, options.format), results)
    took, each = time.perf_counter() - began, table.drop_duplicates("benchmark")
    paper = PAPER if set(options.benchmark) & set(correlation.NAMED) else ""
    line = f"{int(each['n'].sum()):,} items in {took:.0f} s{paper}\n"
    shown = [name for name in SHOWN if name != "undecidable" or table[name].any()]
    return _coded(text(table[shown], "table") + line + "".join(_shared(each)), results)


@command("own")
def digits(options: Evaluate) -> str:
    """How labels and prompts decide whether digits are read.

    Top-1 to top-5 of six prompt sets, with one pass over the pictures.

    Example: digits --model open_clip:ViT-B-32/laion2b_s34b_b79k --benchmark mnist=data/mnist
    """
    evaluator = _evaluator(options)
    for benchmark in _benchmarks(options):
        evaluator.add_benchmark(benchmark, prompts=study.sets(benchmark.partition("=")[0]))
    results = _results(evaluator)
    table = pd.DataFrame([result.row() for result in results])
    build.ensure()
    rows = study.table(table)
    if options.format != "table":
        return _coded(text(rows, options.format), results)
    remarks = "\n".join(study.remarks(table))
    return _coded(f"{text(rows, 'table')}\n{remarks}\n", results)


@command("own")
def count_digits(
    captions: Annotated[str, named("FILE", "text, CSV, TSV (also .gz) or Parquet")],
    /,
    options: Captions = Captions(),
) -> str:
    """How often captions name digits, as words and figures.

    Example: count-digits captions.parquet --column caption
    """
    column = options.column
    if column is not None:
        column = checked(column, "--column", "a column's name")
    counts, total = study.count(Path(captions), column)
    if options.format != "table":
        return text(counts.assign(captions=total), options.format)
    return f"{text(counts, 'table')}of {total:,} captions\n"


@command("maintain")
def cache(options: Clear = Clear()) -> str:
    """Pictures, embeddings and downloads that are kept for the next time.

    Example: cache --clear pixels
    """
    stored = Cache()
    if options.clear is not None:
        freed = stored.clear(options.clear[0] if options.clear not in ([], ["all"]) else None)
        return f"{freed / 1e6:.1f} MB are free again\n"
    rows = pd.DataFrame(stored.table())
    if options.format != "table":
        return text(rows, options.format)
    held, data = stored.held() / 1e6, stored.held(DOWNLOADS) / 1e6
    downloads = f" ({data:.1f} MB downloads, which stay until they are cleared)" if data else ""
    line = f"{held:.1f} MB of {stored.limit / 1e6:.0f} MB in {stored.root}{downloads}\n"
    return text(rows, "table") + line


def _coded(printed: str, results: Sequence[BenchmarkResult]) -> Coded:
    """What to print, and the code; what has no score goes to standard error, once a benchmark."""
    for result in {result.benchmark: result for result in results}.values():
        first = result.failed[0] if result.failed else "it has no embedding"
        equal = "a wrong caption equals the right one"
        for count, why in ((result.unread, first), (result.undecidable, equal)):
            if count:
                have = "1 item has" if count == 1 else f"{count:,} items have"
                tell(f"{result.benchmark}: {have} no score: {why}\n")
    gaps = any(result.unread or result.undecidable for result in results)
    return Coded(printed, GAPS if gaps else DONE)


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


def _benchmarks(options: Evaluate) -> list[str]:
    """The asked benchmarks as NAME=PATH; known ones and UniBench's sets by their names alone."""
    if all("=" in benchmark for benchmark in options.benchmark):
        return list(options.benchmark)
    rows = queries.table(build.ensure(), "representatives")
    sets = {
        name: list(correlation.printed(rows, name)["benchmark"].dropna())
        for name in correlation.NAMED
    }
    return unibench.wanted(options.benchmark, data_folder(options.data), sets)


def _evaluator(options: Evaluate) -> Evaluator:
    evaluator = Evaluator(
        device=options.device,
        precision=options.precision,
        batch=options.batch,
        cache=Cache(limit=0) if options.no_cache else None,
    )
    for model in options.model:
        evaluator.add_model(model)
    return evaluator


def _results(evaluator: Evaluator) -> list[BenchmarkResult]:
    with progress_bar() as bar:
        evaluator.watch = lambda model, benchmark, done, total: bar(
            f"{model} on {benchmark}", done, total
        )
        return evaluator.outcomes()
