"""No run folder, whatever it holds, keeps the store from being built: it is passed over and named.

One table: each constraint of the schema on a table that runs fill is broken by a folder here, or
says why no folder can. A new constraint without a row fails.
"""

import math
import re

import duckdb
import pytest

from evalcore.engine import runs
from evalcore.engine.evaluate import evaluate
from evalcore.store import build, queries
from tests.fakes import SETTINGS, FakeJudge, FakeModel, items
from tests.old_runs import METRIC, answer, item, verdict, written

OURS, NAME = "made by the store itself", "a folder has a name"
ONCE = "each is made once, by its name"
OF_CATALOGUE = "a run tells nothing of it"
METRICS = [METRIC]

# (table, constraint, what a folder holds that breaks it, what is said of that folder), or
# (table, constraint, why none can). With "" the value is unknown and the run counts.
TABLE = [
    ("source", "id <> ''", OURS),
    ("source", "PRIMARY KEY(id)", ONCE),
    ("suite", "PRIMARY KEY(suite)", ONCE),
    ("suite", 'FOREIGN KEY ("source")', OURS),
    ("suite_axis", "PRIMARY KEY(suite, axis)", ONCE),
    ("suite_axis", "FOREIGN KEY (suite)", OURS),
    ("suite_axis", "min_n_default >= 0", OF_CATALOGUE),
    ("suite_axis", "tags_per_item_mean >= 1", "counted by the store, of items with a tag"),
    ("suite_axis", "tags_per_item_sd >= 0", "a square root"),
    ("metric", "id <> ''", {"verdicts": [verdict(0, judge="")]}, "does not take it"),
    ("metric", "high > low", OURS),
    ("metric", "PRIMARY KEY(id)", ONCE),
    ("model", "id <> ''", {"settings": {"model": ""}}, "'model': it is empty"),
    ("model", "kind IN", OURS),
    ("model", "PRIMARY KEY(id)", ONCE),
    ("model", 'FOREIGN KEY ("source")', OURS),
    *(
        ("model", f"{field} > 0", OF_CATALOGUE)
        for field in ("params_b", "active_params_b", "image_tower_params_m", "train_data_m",
                      "samples_seen_b", "gflops", "patch_size")
    ),
    ("benchmark", "id <> ''", {"settings": {"benchmark": ""}}, "'benchmark': it is empty"),
    ("benchmark", "chance >= 0", {"scores": {"metrics": [{**METRIC, "chance": 1.0}]}},
     "guessing earns all of 'accuracy'"),
    ("benchmark", "n_items > 0",
     {"scores": {"metrics": [{**METRIC, "n": 0, "value": None}]}}, ""),
    ("benchmark", "n_classes > 1", {"scores": {"classes": 1}}, "it has 1 class"),
    ("benchmark", "PRIMARY KEY(id)", ONCE),
    ("benchmark", 'FOREIGN KEY ("source")', OURS),
    ("benchmark", "FOREIGN KEY (metric)", OURS),
    ("score", '"value" >= 0', {"scores": {"metrics": [{**METRIC, "value": 1.2}]}},
     "a score is a fraction from 0 to 1, not 1.2"),
    ("score", "n > 0", {"scores": {"metrics": [{**METRIC, "n": -1}]}}, "is no metric"),
    ("score", "sd >= 0", "a square root"),
    ("score", "sd_over IN", OURS),
    ("score", "sd IS NULL", OURS),
    ("score", "repeats > 0", OURS),
    ("score", "kind IN", OURS),
    ("score", "PRIMARY KEY", "a mapping in the run gives each axis and tag once"),
    *(
        ("score", f"FOREIGN KEY ({field})", OURS)
        for field in ('"source"', "model", '"mode"', "benchmark", "metric")
    ),
    ("run", "id <> ''", NAME),
    ("run", "PRIMARY KEY(id)", NAME),
    ("run", "FOREIGN KEY (model)", OURS),
    ("run", "FOREIGN KEY (benchmark)", OURS),
    ("run", "items > 0", {"about": {"items": 0}, "items": []}, "it has no items"),
    ("run", "answered >= 0", OURS),
    ("run", "failed >= 0", OURS),
    ("run", "scored >= 0", OURS),
    ("run", "seconds >= 0", {"answers": [answer(0, seconds=-9.0), answer(1)]}, ""),
    ("run", "usd >= 0", {"answers": [answer(0, usd=-9.0), answer(1)]}, ""),
    ("run", "scored <= answered",
     {"answers": [answer(0), answer(7)]}, "it answers 'q/7', which is none of its items"),
    ("item", "item <> ''", {"items": [item(0), item(1, id="")]}, "items.jsonl cannot be read"),
    ("item", "PRIMARY KEY", {"about": {"items": 4}, "items": [
        item(0), item(1), item(2, id="\ud800"), item(3, id="\ud801")]}, "does not take it"),
    ("item", "FOREIGN KEY (benchmark)", OURS),
    ("item_tag", "PRIMARY KEY",
     {"items": [item(0, tags=[["a", "\ud800"], ["a", "\ud801"]]), item(1)]}, "does not take it"),
    ("item_asked", "PRIMARY KEY", "as that of item, which comes before it"),
    ("item_run", "run <> ''", NAME),
    ("item_run", "repeats >= 0", OURS),
    ("item_run", "n_items > 0", "as that of run"),
    ("item_run", "n_scored >= 0", "as that of run"),
    ("item_run", "PRIMARY KEY(run, metric)", "one row a judge"),
    ("item_run", "FOREIGN KEY (model)", OURS),
    ("item_run", "FOREIGN KEY (benchmark)", OURS),
    ("prediction", "seconds >= 0", {"answers": [answer(0, seconds=-1.0), answer(1)]}, ""),
    ("prediction", "tokens_in >= 0", {"answers": [answer(0, tokens_in=-1), answer(1)]}, ""),
    ("prediction", "tokens_out >= 0", {"answers": [answer(0, tokens_out=2**70), answer(1)]}, ""),
    ("prediction", "usd >= 0", {"answers": [answer(0, usd=math.nan), answer(1)]}, ""),
    ("verdict", '"repeat" >= 0', {"verdicts": [verdict(0, repeat=-1), verdict(1)]}, "1 lines are"),
    ("verdict", "score >= 0", {"verdicts": [verdict(0, score=math.nan), verdict(1)]}, "1 lines"),
    ("verdict", "seconds >= 0", {"verdicts": [verdict(0, seconds=-1), verdict(1)]}, ""),
    ("verdict", "usd >= 0", {"verdicts": [verdict(0, usd="1"), verdict(1)]}, ""),
    ("run_problem", "PRIMARY KEY(run)", ONCE),
    # What no constraint is about, and is no less foreign.
    *(("", "", {"about": {field: value}}, f"{field!r}:") for field, value in (
        ("created", None), ("code", 5), ("device", []), ("revision", {}), ("items", "2"))),
    *(("", "", {"settings": {field: value}}, f"{field!r}:") for field, value in (
        ("model", 5), ("seed", 0.5), ("seed", 2**70), ("options", []), ("limit", "all"))),
    ("", "", {"settings": {"seed": 2**40}}, ""),
    ("", "", {"settings": {"colour": 1}}, "no setting is called 'colour'"),
    ("", "", {"settings": {"benchmark": "\ud800"}}, "cannot encode str as UTF-8"),
    ("", "", {"items": [item(0), item(0)]}, "two items have one id"),
    ("", "", {"items": [item(0), item(1, answers="yes")]}, "is no list"),
    ("", "", {"items": [item(0), item(1, tags=[["a"]])]}, "items.jsonl cannot be read"),
    ("", "", {"items": [item(0)]}, "has 1 items, the run 2"),
    ("", "", {"items": [item(0), item(1, tags=[["kind", "total"]])]}, "a tag is called 'total'"),
    ("", "", {"answers": [answer(0, text=7), answer(1)]}, "1 lines are"),
    ("", "", {"answers": [answer(0, tokens_in=12.5, tokens_out={"total": 5}), answer(1)]}, ""),
    ("", "", {"answers": [answer(0, text="red \0"), answer(1)]}, ""),
    ("", "", {"answers": [answer(0, text=[]), {"text": "1"}, [], answer(1)]}, "3 lines are"),
    ("", "", {"verdicts": [verdict(0, score="1"), verdict(1, score=True), verdict(1)]}, "2 lines"),
    ("", "", {"scores": {"metrics": [{"name": "accuracy"}]}}, "is no metric"),
    ("", "", {"scores": {"metrics": []}}, "it tells no metrics"),
    ("", "", {"scores": {"metrics": [{**METRIC, "value": math.nan}]}}, "a score is a fraction"),
    ("", "", {"scores": {"type": 5}}, "5 is no text"),
]  # fmt: skip
BROKEN = {f"bad{at}": row for at, row in enumerate(TABLE) if isinstance(row[2], dict)}
FILLED = sorted({table for table, *_ in TABLE if table})


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A store of a home with one good run and one run for each row that breaks something."""
    folder = tmp_path_factory.mktemp("bad")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALCORE_HOME", str(folder))
        good = runs.create(SETTINGS, items(4), "here")
        evaluate(good, FakeModel({"q/0": "no"}), [FakeJudge()])
        for name, (_, _, other, _) in BROKEN.items():
            written(name, **other)
        yield build.build()


@pytest.fixture(scope="module")
def problems(built):
    return queries.table(built, "run_problems").set_index("run")


@pytest.mark.parametrize("name", BROKEN)
def test_a_run_that_breaks_a_rule_is_named_with_its_reason(built, problems, name):
    _, _, _, said = BROKEN[name]
    counted = set(queries.item_runs(built)["run"])

    if not said:  # what is odd is unknown, and all else of the run counts
        assert name in counted and name not in problems.index
        return
    assert said in problems.loc[name, "reason"]
    assert problems.loc[name, "counts"] == (name in counted)


def test_the_other_runs_and_all_published_scores_are_there(built, store):
    tiny = queries.scores(built, "tiny").set_index("tag")
    assert tiny.loc["total", ["value", "n"]].tolist() == [0.75, 4.0]
    published = "SELECT * FROM score WHERE kind <> 'measured' ORDER BY ALL"

    with duckdb.connect() as con:
        con.execute(f"ATTACH '{built}' AS bad (READ_ONLY)")
        con.execute(f"ATTACH '{store}' AS good (READ_ONLY)")
        found, known = (
            con.execute(published.replace("score", f"{one}.score")).fetchall()
            for one in ("bad", "good")
        )
    assert found == known and len(known) > 10_000


def test_what_is_odd_in_an_answer_is_unknown_and_never_zero(built):
    name = next(key for key, row in BROKEN.items() if row[1] == "tokens_in >= 0")

    found = queries.predictions(built, name).set_index("item")

    assert found["tokens_in"].isna().all()
    assert found["text"].tolist() == ["0", "1"]


def constraints():
    """(table, text) of every constraint but NOT NULL on the tables that runs fill."""
    with duckdb.connect() as con:
        con.execute(build.SCHEMA.read_text("utf-8"))
        found = con.execute(
            "SELECT table_name, constraint_text FROM duckdb_constraints() "
            "WHERE constraint_type <> 'NOT NULL'"
        ).fetchall()
    return [(table, text) for table, text in found if table in FILLED]


def bare(text):
    return re.sub(r'[()"\s]', "", text).replace("!=", "<>")


@pytest.mark.parametrize(("table", "text"), constraints())
def test_every_constraint_has_a_row(table, text):
    assert [row for row in TABLE if row[0] == table and row[1] and bare(row[1]) in bare(text)] != []


def test_the_tables_are_all_that_runs_fill():
    with duckdb.connect() as con:
        con.execute(build.SCHEMA.read_text("utf-8"))
        there = {
            name for (name,) in con.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        }
    of_files = {table.name for table in (*build.tables.CATALOG_TABLES, *build.tables.FIGURE_TABLES)}

    assert there - of_files - {"meta"} <= set(FILLED)
