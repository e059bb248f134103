"""Questions to the results store: one function, one statement, one documented frame.

Each opens an in-memory connection that attaches the file read-only, so that a store swapped in
meanwhile is seen at the next call and no lock outlives one.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pandas as pd

from evalcore.store import build

# Filters are bound values; a NULL filter lets everything pass.
_SCORES = """
SELECT s.source, source.suite, s.benchmark, s.axis, s.tag, s.model, s.metric, s.value,
       s.n::DOUBLE AS n, s.sd, s.sd_over, s.repeats::DOUBLE AS repeats, s.judge, s.kind, s.mode,
       s.split, s.printed_model, s.printed_value, s.printed_unit, s.suspect, s.note
FROM score s JOIN source ON source.id = s.source
WHERE source.suite = coalesce($suite, source.suite)
ORDER BY s.axis, s.tag, s.model
"""
_PUBLISHED = """
SELECT * FROM published
WHERE ($source IS NULL OR source = $source)
  AND ($suite IS NULL OR source IN (SELECT id FROM source WHERE suite = $suite))
  AND ($benchmark IS NULL OR benchmark = $benchmark)
  AND ($axis IS NULL OR axis = $axis)
  AND ($model IS NULL OR model = $model)
ORDER BY source, axis, tag, benchmark, metric, model, mode, split
"""
_MODELS = """
SELECT m.* RENAME (id AS model) FROM model m
WHERE $suite IS NULL OR m.id IN (
    SELECT s.model FROM score s JOIN source ON source.id = s.source WHERE source.suite = $suite)
ORDER BY m.id
"""
_TABLES = {
    "models": "SELECT m.* RENAME (id AS model) FROM model m ORDER BY id",
    "deployments": "SELECT * FROM deployment ORDER BY model",
    "runs": "SELECT * FROM run ORDER BY created DESC, id",
    "run_problems": "SELECT * FROM run_problem ORDER BY counts, run",
    # A size that was looked up stands in a table of its own; a benchmark here has one split.
    "benchmarks": """
        SELECT b.* REPLACE (coalesce(b.n_items, z.n_items) AS n_items,
                            coalesce(b.n_items_source, z.source) AS n_items_source)
                   RENAME (id AS benchmark)
        FROM benchmark b LEFT JOIN benchmark_size z ON z.benchmark = b.id ORDER BY b.id""",
    "sizes": "SELECT * FROM benchmark_size ORDER BY benchmark, split",
    "needs": "SELECT * FROM need ORDER BY need, family",
    "modes": "SELECT * FROM mode ORDER BY mode",
    "prices": "SELECT * FROM price ORDER BY model, mode, provider, as_of",
    "image_rules": "SELECT * FROM image_rule ORDER BY model, as_of",
    "output_tokens": "SELECT * FROM output_tokens ORDER BY model, mode",
    "thinking": "SELECT * FROM thinking ORDER BY model",
    "gpu_prices": "SELECT * FROM gpu_price ORDER BY memory_gb, gpu, as_of",
    "cache_shapes": "SELECT * FROM cache_shape ORDER BY model",
    "availability": "SELECT * FROM availability ORDER BY model",
    "licences": "SELECT * FROM licence ORDER BY licence",
    "suites": """
    SELECT suite.*, source.published, scored.models
    FROM suite JOIN source ON source.id = suite.source
    LEFT JOIN (SELECT source.suite, count(DISTINCT model) AS models
               FROM score JOIN source ON source.id = score.source GROUP BY ALL) scored
         ON scored.suite = suite.suite
    ORDER BY suite.rowid
    """,
    "axes": "SELECT * FROM suite_axis ORDER BY suite, axis",
    "sources": "SELECT s.* RENAME (id AS source) FROM source s",
    "errata": "SELECT * FROM erratum ORDER BY source, topic",
    "metrics": "SELECT m.* RENAME (id AS metric) FROM metric m ORDER BY id",
    "judges": "SELECT * FROM judge_validation ORDER BY kendall_tau DESC",
    "judge_examples": "SELECT * FROM judge_example ORDER BY source, place",
    "groups": "SELECT * FROM group_summary ORDER BY source, axis, tag, statistic",
    "ratios": "SELECT * FROM scale_ratio ORDER BY source, axis, tag, quantity",
    "representatives": "SELECT * FROM representative ORDER BY source, axis, tag",
}
TABLES = tuple(_TABLES)
# Of a run's judges the benchmark's own comes first, then in the order in which the run named them;
# here and in _PLACES.
_ITEM_RUNS = """
SELECT r.run || '/' || r.metric AS entry, r.*, m.name AS model_name
FROM item_run r JOIN model m ON m.id = r.model LEFT JOIN benchmark b ON b.id = r.benchmark
ORDER BY r.benchmark, r.demo, r.created, r.run, r.metric IS DISTINCT FROM b.metric, r.rowid
"""
_ITEMS = "SELECT * EXCLUDE (benchmark) FROM item WHERE benchmark = $benchmark ORDER BY rowid"
_ITEM_TAGS = """
SELECT item, axis, tag FROM item_tag WHERE benchmark = $benchmark ORDER BY rowid
"""
_ITEM_ASKED = "SELECT revision, item FROM item_asked WHERE benchmark = $benchmark"
# Numbers instead of names: a benchmark may have millions of scores.
_PLACES = """
WITH i AS (SELECT item, row_number() OVER (ORDER BY rowid) - 1 AS place
           FROM item WHERE benchmark = $benchmark),
     r AS (SELECT run, r.metric, row_number() OVER (
               ORDER BY demo, created, run, r.metric IS DISTINCT FROM b.metric, r.rowid
           ) - 1 AS place
           FROM item_run r LEFT JOIN benchmark b ON b.id = r.benchmark
           WHERE r.benchmark = $benchmark)
"""
_ITEM_SCORES = (
    _PLACES
    + """
SELECT r.place AS entry, i.place AS item, avg(v.score) AS score, stddev_samp(v.score) AS repeat_sd
FROM verdict v JOIN r ON r.run = v.run AND r.metric = v.metric JOIN i ON i.item = v.item
WHERE v.score IS NOT NULL GROUP BY ALL
"""
)
_ITEM_VERDICTS = (
    _PLACES
    + """
SELECT r.place AS entry, i.place AS item, v.repeat, v.score, v.usd
FROM verdict v JOIN r ON r.run = v.run AND r.metric = v.metric JOIN i ON i.item = v.item
"""
)
_PREDICTIONS = """
SELECT p.* FROM prediction p
WHERE p.run IN (SELECT run FROM item_run WHERE benchmark = $benchmark)
  AND ($item IS NULL OR p.item = $item)
"""
_CONTAINING = """
SELECT item FROM item WHERE benchmark = $benchmark
  AND (contains(lower(question), lower($text)) OR contains(lower(answers), lower($json)))
UNION
SELECT p.item FROM prediction p
WHERE p.run IN (SELECT run FROM item_run WHERE benchmark = $benchmark)
  AND contains(lower(p.text), lower($text))
"""
_ITEM_ERRORS = """
SELECT p.run, p.item FROM prediction p
WHERE p.run IN (SELECT run FROM item_run WHERE benchmark = $benchmark)
  AND (p.error IS NOT NULL OR p.text IS NULL)
"""
_VERDICTS = """
SELECT v.run || '/' || v.metric AS entry, v.*
FROM verdict v JOIN item_run r ON r.run = v.run AND r.metric = v.metric
WHERE r.benchmark = $benchmark AND ($item IS NULL OR v.item = $item)
"""


def scores(path: Path, suite: str | None) -> pd.DataFrame:
    """Every model score of a suite, or of all suites together.

    Returns:
        One row a score; the columns of ``records.Score`` with ``source`` and ``suite``. Values
        are fractions, ``n`` is a float with NaN for unknown.
    """
    return _frame(path, _SCORES, {"suite": suite})


def models(path: Path, suite: str | None = None) -> pd.DataFrame:
    """The models that have a score in a suite (or all of the catalogue).

    Returns:
        One row a model; ``model`` is the id, the rest as in ``records.Model``. ``open_weights``
        is True, False or None.
    """
    frame = _frame(path, _MODELS, {"suite": suite})
    known = frame["open_weights"].notna()
    return frame.assign(open_weights=frame["open_weights"].astype(object).where(known, None))


def published(  # noqa: PLR0913  one filter an argument
    path: Path,
    *,
    source: str | None = None,
    suite: str | None = None,
    benchmark: str | None = None,
    axis: str | None = None,
    model: str | None = None,
) -> pd.DataFrame:
    """Everything that the sources print, model scores and other tables, in one shape.

    Returns:
        One row a printed value: source, benchmark, axis, tag, model (None if the value is not a
        model's score), metric, value, n, sd, sd_over, judge, kind, mode, split, printed_model,
        printed_value, printed_unit, note.
    """
    values = {"source": source, "suite": suite, "benchmark": benchmark}
    return _frame(path, _PUBLISHED, values | {"axis": axis, "model": model})


def table(path: Path, name: str) -> pd.DataFrame:
    """One of ``TABLES`` whole, its rows as in the record of ``evalcore.records``.

    Raises:
        KeyError: ``name`` is not in ``TABLES``.
    """
    return _frame(path, _TABLES[name], {})


def tags(path: Path) -> pd.DataFrame:
    """The tags of every stored axis.

    Returns:
        One row a (suite, axis, tag): models (how many have a score), n (most items behind it).
    """
    statement = """
    SELECT source.suite, axis, tag, count(DISTINCT model) AS models, max(n) AS n
    FROM score JOIN source ON source.id = score.source
    WHERE source.suite IS NOT NULL GROUP BY ALL ORDER BY ALL
    """
    return _frame(path, statement, {})


def item_runs(path: Path) -> pd.DataFrame:
    """The runs whose items are in the store, once a metric.

    Returns:
        One row an entry (run and metric): entry, run, metric, model, model_name, benchmark, judge,
        version, repeats, n_items, n_scored, created, revision, settings (of the model and sample,
        JSON), demo (shipped with Sextant), contrastive (of a contrastive model).
    """
    return _frame(path, _ITEM_RUNS, {})


def items(path: Path, benchmark: str) -> pd.DataFrame:
    """The items of a benchmark that runs asked.

    Returns:
        One row an item: item, digest, question, cluster; answers, choices and images as JSON.
    """
    return _frame(path, _ITEMS, {"benchmark": benchmark})


def item_tags(path: Path, benchmark: str) -> pd.DataFrame:
    """The tags of a benchmark's items: one row a tag of an item with item, axis, tag."""
    return _frame(path, _ITEM_TAGS, {"benchmark": benchmark})


def item_asked(path: Path, benchmark: str) -> pd.DataFrame:
    """Which items runs asked: one row an item of a revision, as in ``item_runs``."""
    return _frame(path, _ITEM_ASKED, {"benchmark": benchmark})


def item_scores(path: Path, benchmark: str) -> pd.DataFrame:
    """What each entry scored on each item.

    Returns:
        One row an entry and item with a score: entry and item (their places in ``item_runs`` of
        this benchmark and in ``items``), score (the mean over the judge's repeats, a fraction),
        repeat_sd (NaN with fewer than two).
    """
    return _frame(path, _ITEM_SCORES, {"benchmark": benchmark})


def item_verdicts(path: Path, benchmark: str) -> pd.DataFrame:
    """Every verdict on a benchmark's answers in numbers, without what was said.

    Returns:
        One row an entry, item and repeat: entry and item (their places, as in ``item_scores``),
        repeat, score, usd.
    """
    return _frame(path, _ITEM_VERDICTS, {"benchmark": benchmark})


def predictions(path: Path, benchmark: str, item: str | None = None) -> pd.DataFrame:
    """The answers of a benchmark's runs, or those to one item.

    Returns:
        One row a run and item: run, item, text (None if there is no answer), error, seconds,
        tokens_in, tokens_out, usd, ended.
    """
    return _frame(path, _PREDICTIONS, {"benchmark": benchmark, "item": item})


def item_errors(path: Path, benchmark: str) -> pd.DataFrame:
    """The items that gave a run no usable answer: one row each with run, item."""
    return _frame(path, _ITEM_ERRORS, {"benchmark": benchmark})


def verdicts(path: Path, benchmark: str, item: str | None = None) -> pd.DataFrame:
    """The verdicts on a benchmark's answers, or those on one item's.

    Returns:
        One row an entry, item and repeat: entry, run, judge, version, metric, item, repeat, score,
        extracted, reason, reply, seconds, usd.
    """
    return _frame(path, _VERDICTS, {"benchmark": benchmark, "item": item})


def items_containing(path: Path, benchmark: str, text: str) -> pd.DataFrame:
    """The items whose question, references or any answer contain a text, whatever its case.

    Returns:
        One row an item: item.
    """
    inside = json.dumps(text)[1:-1]  # references are stored as JSON
    return _frame(path, _CONTAINING, {"benchmark": benchmark, "text": text, "json": inside})


def version(path: Path) -> tuple[str, str]:
    """The store's version and the time (UTC) at which it was built."""
    meta = _frame(path, "SELECT key, value FROM meta", {}).set_index("key")["value"]
    return str(meta["version"]), str(meta["built"])


def _frame(path: Path, statement: str, values: dict[str, str | None]) -> pd.DataFrame:
    try:
        with duckdb.connect() as con:
            con.execute(f"ATTACH '{build.quoted(path)}' AS store (READ_ONLY)")
            con.execute("USE store")
            return con.execute(statement, values).df()
    except duckdb.Error as error:
        raise build.unreadable(path, error) from None


def ids(path: Path, kind: str) -> Sequence[str]:
    """The ids of a table of ``TABLES``, for messages that list what would be right."""
    frame = table(path, kind)
    return [str(value) for value in frame[frame.columns[0]]]
