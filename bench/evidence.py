"""How fast items are built into the store, read and filtered: 60 models x 100,000 items."""

import shutil
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

from bench.clock import times
from bench.table import ms, show
from evalcore import notes
from evalcore.analysis import raters
from evalcore.store import build, queries
from evalcore.suites import item_results, labelled
from pages.parts.judges import labelling
from pages.parts.samples.filters import DISAGREE, Filter, masks, rows_shown, score_rows

MODELS, ITEMS, TAGS = 60, 100_000, 40
LABELLED = 1000
NAME = "easy-vqa"
"""A benchmark that the store knows; its few items are left out of the synthetic store."""
STATEMENTS = (
    "DELETE FROM item",
    "DELETE FROM item_tag",
    "DELETE FROM item_asked",
    "DELETE FROM item_run",
    "DELETE FROM prediction",
    "DELETE FROM verdict",
    """INSERT INTO item SELECT $name, 'q/' || i, 'd', 'What is shown in picture ' || i || '?',
       '["thing"]', '[]', '[]', 'c' || (i // 2) FROM range($items) t(i)""",
    """INSERT INTO item_tag SELECT $name, 'q/' || i, 'kind', 'k' || (i % $tags)
       FROM range($items) t(i)""",
    "INSERT INTO item_asked SELECT $name, 'r', 'q/' || i FROM range($items) t(i)",
    """INSERT INTO item_run SELECT 'run-' || m, 'exact', 'demo-vlm-weak', $name, 'exact', '1', 1,
       $items, $items, '2026-01-01', 'r', '{"seed": ' || m || '}', false, false
       FROM range($models) t(m)""",
    """INSERT INTO prediction SELECT 'run-' || m, 'q/' || i, 'an answer of some length, ' || i % 97,
       NULL, 0.5, 900, 40, NULL FROM range($models) a(m), range($items) b(i)""",
    """INSERT INTO verdict SELECT 'run-' || m, 'exact', '1', 'exact', 'q/' || i, 0,
       (hash(m, i) % 100 < 40 + m / 2)::INT, NULL, 'equals', NULL, NULL, NULL
       FROM range($models) a(m), range($items) b(i)""",
)


def synthetic(folder: Path) -> Path:
    """A copy of the store with many items in it."""
    path = Path(shutil.copy(build.ensure(), folder / "many.duckdb"))
    values = {"name": NAME, "items": ITEMS, "models": MODELS, "tags": TAGS}
    with duckdb.connect(str(path)) as con:
        con.execute("SET enable_progress_bar = false")
        for statement in STATEMENTS:
            used = {name: value for name, value in values.items() if f"${name}" in statement}
            con.execute(statement, used)
    return path


def made_up(found: item_results.ItemResults) -> pd.DataFrame:
    """Labels of a rater who agrees with the judge on four answers of five."""
    rng = np.random.default_rng(1)
    item, entry = rng.integers(0, ITEMS, LABELLED), rng.integers(0, MODELS, LABELLED)
    right = (found.scores.to_numpy()[item, entry] > 0) ^ (rng.random(LABELLED) < 0.2)
    rows = {"run": found.entries["run"].to_numpy()[entry], "item": found.scores.index[item]}
    label = np.where(right, "yes", "no")
    return pd.DataFrame({**rows, "rater": "ann", "label": label}).drop_duplicates(["run", "item"])


def agreed(found: item_results.ItemResults, said: pd.DataFrame) -> None:
    """What the Judges page shows of labels: agreement, its parts, scores corrected."""
    joined = labelled.labelled(found, said, to_all=True)
    joined.table()
    joined.errors("model")
    joined.errors("kind")
    joined.thresholds()
    joined.corrected("exact")


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = synthetic(Path(folder))
        found = item_results.load(path, NAME)
        chosen = list(found.entries.index)
        labels = pd.DataFrame(columns=notes.LABELS)
        some = masks(found, chosen[:8], labels)
        asked = Filter(tuple(chosen[:8]), DISAGREE, tags={"kind": ["k1", "k2"]})
        names, models = found.labels(), list(found.entries["model"].unique())
        said = made_up(found)
        cases = [
            ("read items and scores, once a store", lambda: item_results.load(path, NAME), 1),
            ("outcomes over 8 models", lambda: masks(found, chosen[:8], labels), 5),
            ("outcomes over 60 models", lambda: masks(found, chosen, labels), 5),
            ("filter by outcome and tags", lambda: rows_shown(found, asked, some, (), None), 5),
            ("scores of 8 models, 10 items flagged",
             lambda: score_rows(found, chosen[:8], {f"q/{i}" for i in range(10)}, names), 5),
            ("one item in full", lambda: item_results.of_item(path, NAME, "q/777"), 5),
            ("labels against their judge, first", lambda: agreed(found, said), 1),
            ("labels against their judge, one more", lambda: agreed(found, said), 3),
            ("answers in the order of labelling", lambda: labelling.queue(found, models), 3),
            ("verdicts without their words, once a store", lambda: found.grades, 1),
            ("repeats and cost of judging", lambda: raters.repeats(found.grades), 3),
            ("find a text in answers", lambda: item_results.containing(path, NAME, "th, 13"), 3),
        ]  # fmt: skip
        rows = [(words, *map(ms, times(make, runs))) for words, make, runs in cases]
        count = len(queries.item_runs(path))
        show(
            f"Samples, Judges: {MODELS} models x {ITEMS:,} items, {count} runs",
            ("", "min", "median", "max"),
            rows,
        )


if __name__ == "__main__":
    main()
