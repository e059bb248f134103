import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import duckdb
import pytest

from evalcore.errors import BadCatalog, EvalcoreError, StoreUnreadable
from evalcore.home import ROOT
from evalcore.store import build, queries
from evalcore.store.tables import CATALOG_TABLES

SHIPPED_MODELS = ROOT / "data/catalog/models.csv"
MODEL_COLUMNS = SHIPPED_MODELS.read_text("utf-8").splitlines()[0].split(",")
MINE = {"id": "mine", "name": "Mine", "kind": "generative", "source": "vqa360"}
BUILD_ONCE = "from evalcore.store import build; build.build()"
BUILD_ON = f"{BUILD_ONCE}; print('ready', flush=True)\nwhile True: build.build()"

REFUSED = [
    ({"kind": "hybrid"}, "{path}, line 2, kind: 'hybrid' is not one of generative, contrastive"),
    ({"params_b": "8B"}, "{path}, line 2, params_b: '8B' is not a number"),
    (
        {"source": "hearsay"},
        "{path}, line 2: source 'hearsay' is in no catalogue file; add its row there",
    ),
    (
        {"id": "gpt-4o-mini"},
        "{path}, line 2: a second row with id='gpt-4o-mini' (the first: {first}); keep one",
    ),
    (
        {"params_b": "0"},
        "{path}, line 2: params_b is 0.0; it should be above 0",
    ),
    (
        {"id": ""},
        'the store refuses an input: Constraint Error: CHECK constraint failed on table "model" '
        "with expression CHECK((id != ''))",
    ),
    (
        {"patch_size": "99999999999"},
        "the store refuses an input: Conversion Error: Type INT64 with value 99999999999 can't be "
        "cast because the value is out of range for the destination type INT32",
    ),
]
IMPOSSIBLE = [
    "UPDATE score SET value = 1.2",
    "UPDATE score SET value = -0.1",
    "UPDATE score SET n = 0",
    "UPDATE score SET sd = 0.1, sd_over = NULL",
    "UPDATE score SET kind = 'guessed'",
    "UPDATE model SET gflops = 0",
    "UPDATE benchmark SET chance = 1",
    "UPDATE metric SET high = low",
    "UPDATE suite_axis SET tags_per_item_mean = 0.5",
    "INSERT INTO benchmark_size SELECT id, '', 0, NULL, 'nowhere', NULL FROM benchmark LIMIT 1",
    "INSERT INTO mode VALUES ('fast', 'quick', true, NULL)",
    "UPDATE judge_validation SET kendall_tau = 1.2",
    "UPDATE group_summary SET value = 1.2",
    "UPDATE scale_ratio SET ratio = 0",
    "UPDATE representative SET correlation = -1.2",
]


def add_models(home, *rows):
    """Write rows of models into the catalogue that the user adds to."""
    path = home / "catalog" / "models.csv"
    path.parent.mkdir(exist_ok=True)
    lines = [
        ",".join(str((MINE | row).get(column, "")) for column in MODEL_COLUMNS) for row in rows
    ]
    path.write_text("\n".join([",".join(MODEL_COLUMNS), *lines]) + "\n", "utf-8")
    return path


def printed(path):
    """How many values of others the store holds; the rest is of the demo runs that ship."""
    return int(queries.published(path)["kind"].ne("measured").sum())


def ask(path, statement):
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{path}' AS store (READ_ONLY)")
        return con.execute(statement).fetchall()


def run_python(code, home):
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"EVALCORE_HOME": str(home)},
        stdout=subprocess.PIPE,
        text=True,
    )


def test_the_shipped_files_build_a_store_with_every_value(store):
    assert printed(store) == 11097


def test_every_catalogue_row_is_in_the_store(store):
    added = {"benchmark": 4}  # top-2 to top-5 of the shipped digit study
    for table in CATALOG_TABLES:
        files = build.catalog.files(ROOT / "data/catalog", table.file)
        rows = sum(len(build.catalog.read(file, table.record)) for file in files)
        expected = rows + added.get(table.name, 0)
        assert ask(store, f"SELECT count(*) FROM store.{table.name}") == [(expected,)]  # noqa: S608


def test_the_store_knows_the_version_it_was_built_from(store, home):
    assert build.version() == build.built_version(store) == queries.version(store)[0]


def test_the_same_files_have_the_same_version_in_any_home(home, tmp_path, monkeypatch):
    add_models(home, {})
    here = build.version()
    shutil.copytree(home, tmp_path / "elsewhere")

    monkeypatch.setenv("EVALCORE_HOME", str(tmp_path / "elsewhere"))

    assert build.version() == here


def test_a_row_of_the_user_changes_the_version_and_its_removal_restores_it(home):
    before = build.version()

    added = add_models(home, {})
    during = build.version()
    added.unlink()

    assert before != during
    assert build.version() == before


def test_a_row_of_the_user_appears_in_the_store(home):
    add_models(home, {"params_b": "7.5"})

    models = queries.models(build.ensure()).set_index("model")

    assert models.loc["mine", "params_b"] == 7.5
    assert models.loc["mine", "open_weights"] is None


def test_a_missing_store_is_built(home):
    path = build.ensure()

    assert path == home / "results.duckdb"
    assert build.built_version(path) == build.version()


def test_a_store_that_is_up_to_date_is_left_alone(store, home):
    shutil.copy(store, home / "results.duckdb")
    before = (home / "results.duckdb").stat()

    after = build.ensure().stat()

    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_a_stale_store_is_built_anew(store, home):
    shutil.copy(store, home / "results.duckdb")
    add_models(home, {})

    assert "mine" in set(queries.models(build.ensure())["model"])


def line_of(model):
    lines = SHIPPED_MODELS.read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.startswith(f"{model},"))


def test_a_file_that_nothing_reads_is_named(home):
    (home / "catalog").mkdir()
    (home / "catalog" / "model.csv").write_text("id\n", encoding="utf-8")

    with pytest.raises(BadCatalog, match="model.csv: no catalogue file has this name; they are"):
        build.build()


@pytest.mark.parametrize(("cells", "problem"), REFUSED)
def test_a_broken_row_is_refused_and_the_store_stays_as_it_was(store, home, cells, problem):
    shutil.copy(store, home / "results.duckdb")
    path = add_models(home, cells)

    with pytest.raises(BadCatalog) as caught:
        build.ensure()

    first = f"{SHIPPED_MODELS}, line {line_of('gpt-4o-mini')}"
    assert str(caught.value).splitlines()[0] == problem.format(path=path, first=first)
    assert (home / "results.duckdb").read_bytes() == store.read_bytes()
    assert not list(home.glob(".building-*"))


def test_a_broken_row_leaves_no_half_built_store(home):
    add_models(home, {"params_b": "0"})

    with pytest.raises(BadCatalog):
        build.ensure()

    assert [path.name for path in home.iterdir()] == ["catalog"]


def test_a_killed_build_leaves_the_previous_store_readable(store, home):
    shutil.copy(store, home / "results.duckdb")
    moments = random.Random(7)
    builders = [run_python(BUILD_ON, home) for _ in range(3)]

    for builder in builders:
        assert builder.stdout.readline() == "ready\n"
    for builder in builders:
        time.sleep(moments.uniform(0, 0.5))
        builder.send_signal(signal.SIGKILL)
        assert builder.wait() == -signal.SIGKILL
        assert printed(home / "results.duckdb") == 11097

    assert build.build() == home / "results.duckdb"


def test_what_a_killed_build_left_is_swept_once_it_is_old(home):
    old, young = home / ".building-old", home / ".building-young"
    for folder in (old, young):
        folder.mkdir()
        (folder / "results.duckdb").write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)

    build.build()

    assert not old.exists()
    assert young.exists()


def test_two_builds_at_once_both_succeed(home):
    builders = [run_python(BUILD_ONCE, home) for _ in range(2)]

    assert [builder.wait(timeout=60) for builder in builders] == [0, 0]
    assert build.built_version(home / "results.duckdb") == build.version()
    assert [path.name for path in home.iterdir()] == ["results.duckdb"]


def test_readers_see_no_error_while_the_store_is_rebuilt(store, home):
    path = home / "results.duckdb"
    shutil.copy(store, path)
    done = threading.Event()

    def read():
        counts = set()
        while not done.is_set():
            counts.add(len(queries.table(path, "models")))
        return counts

    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read) for _ in range(3)]
        add_models(home, {})
        build.build()
        done.set()

    assert set.union(*(reader.result() for reader in readers)) <= {513, 514}


@pytest.mark.parametrize("content", [b"", b"this is no store", b"\0" * 20_000])
def test_a_file_that_is_no_store_is_named_with_the_command_that_helps(home, content):
    path = home / "results.duckdb"
    path.write_bytes(content)

    with pytest.raises(StoreUnreadable) as caught:
        build.ensure()

    message = str(caught.value)
    assert message.startswith(f"the results store {path} cannot be read (")
    assert message.endswith(
        "); it is built from the catalogue and figures, so nothing is lost: "
        "'python -m evalcore build' makes it anew"
    )


def test_a_store_cut_short_is_unreadable_and_a_build_brings_it_back(store, home):
    path = home / "results.duckdb"
    path.write_bytes(store.read_bytes()[:50_000])

    with pytest.raises(StoreUnreadable):
        queries.table(path, "models")
    build.build()

    assert len(queries.table(path, "models")) == 513


def test_a_home_that_cannot_be_written_is_an_error_with_the_way_out(tmp_path, monkeypatch):
    (tmp_path / "home").write_text("a file where the folder should be")
    monkeypatch.setenv("EVALCORE_HOME", str(tmp_path / "home"))

    with pytest.raises(EvalcoreError) as caught:
        build.ensure()

    assert str(caught.value) == (
        f"cannot write to the home folder {tmp_path / 'home'} (File exists); "
        "set EVALCORE_HOME to a folder that you may write to"
    )


def test_every_column_of_every_table_is_explained(store):
    statement = """
    SELECT table_name, column_name FROM duckdb_columns() c JOIN duckdb_tables() t
    USING (database_name, table_name)
    WHERE database_name = 'store' AND coalesce(c.comment, '') = ''
    """
    assert ask(store, statement) == []


def test_every_table_has_a_primary_key_but_the_two_of_millions_of_rows(store):
    statement = """
    SELECT table_name FROM duckdb_tables() WHERE database_name = 'store' AND table_name NOT IN (
        SELECT table_name FROM duckdb_constraints()
        WHERE database_name = 'store' AND constraint_type = 'PRIMARY KEY')
    """
    assert sorted(ask(store, statement)) == [("prediction",), ("verdict",)]


@pytest.mark.parametrize("statement", IMPOSSIBLE)
def test_the_store_refuses_values_that_cannot_be(store, tmp_path, statement):
    copy = shutil.copy(store, tmp_path / "copy.duckdb")

    with duckdb.connect(str(copy)) as con, pytest.raises(duckdb.ConstraintException, match="CHECK"):
        con.execute(statement)


FULL_DISK = """
import resource
from evalcore.errors import EvalcoreError
from evalcore.store import build
resource.setrlimit(resource.RLIMIT_FSIZE, (MOST, resource.RLIM_INFINITY))
try:
    build.build()
except EvalcoreError as error:
    print(error)
"""


@pytest.mark.parametrize("limit", [10_000, 300_000])
def test_a_full_disk_ends_a_build_in_a_sentence_and_the_store_stays_as_it_was(store, home, limit):
    shutil.copy(store, home / "results.duckdb")

    told = run_python(FULL_DISK.replace("MOST", str(limit)), home).communicate()[0]

    assert told.startswith(f"cannot write the results store {home / 'results.duckdb'} (")
    assert "; make room on the disk: the store stays as it was" in told
    assert (home / "results.duckdb").read_bytes() == store.read_bytes()
    assert not list(home.glob(".building-*"))


@pytest.fixture
def figures(home, monkeypatch):
    """Writes a figures file of a source of one's own, with its row in the home's catalogue."""
    folder = home / "figures"
    shutil.copytree(ROOT / "precomputed" / "figures", folder)
    monkeypatch.setattr(build.home, "figures_folder", lambda: folder)

    def write(suite, axis):
        shipped = (folder / "mmvet2.csv").read_text("utf-8").splitlines()
        header = shipped[0].split(",")
        rows = [dict(zip(header, line, strict=True)) for line in csv.reader(shipped[1:2])]
        with (folder / "mine.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, header)
            writer.writeheader()
            writer.writerow(rows[0] | {"axis": axis})
        (home / "catalog").mkdir(exist_ok=True)
        columns = "id,title,url,published,relation,suite,licence,note"
        (home / "catalog" / "sources.csv").write_text(f"{columns}\nmine,Mine,,,paper,{suite},,\n")

    return write


def test_a_source_whose_suite_nobody_described_is_refused(figures):
    figures("mine", "total")

    with pytest.raises(
        BadCatalog, match=r"mine\.csv: its source's suite 'mine' has no row; add one to suites\.csv"
    ):
        build.build()


def test_an_axis_that_nobody_described_is_refused(figures):
    figures("mmvet2", "colour of the sky")

    with pytest.raises(
        BadCatalog,
        match=r"the axis 'colour of the sky' of suite 'mmvet2' has no row; add one to axes",
    ):
        build.build()


def test_scores_of_a_source_without_a_suite_of_its_own_are_taken(figures):
    figures("", "total")

    assert build.build().exists()
