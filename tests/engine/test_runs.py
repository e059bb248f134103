"""The run folder: its id, its lines, its final form, and what happens when it cannot be written."""

import dataclasses
import json
import shutil
import subprocess
import sys
import threading

import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.engine import budget, folder, run_records, runs
from evalcore.engine.runs import Run, Settings
from evalcore.errors import BadInput, EvalcoreError
from evalcore.home import ROOT
from evalcore.records import Prediction, Verdict
from tests.fakes import SETTINGS, as_written, items

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
OPTIONS = st.dictionaries(st.text(max_size=5), JSON, max_size=3)
SETTING = st.builds(
    Settings,
    model=st.sampled_from(["a", "A", "b/c", "ä"]),
    adapter=st.sampled_from(["local", "api"]),
    benchmark=st.sampled_from(["easy", "hard"]),
    loader=st.sampled_from(["x", "y"]),
    options=OPTIONS,
    loader_options=OPTIONS,
    limit=st.none() | st.integers(0, 3),
    seed=st.integers(0, 3),
)
HOSTILE = [
    "two\nlines\r\nand \r a half",
    "line separators \u2028 \u2029 \x85 \x0b \x0c",
    "nothing \x00 between",
    '{"item": "q/1"}\n',
    "  spaces kept\t",
    "",
    "日本語 🦜 \u202eright to left",
    "x" * 1_000_000,
]


@pytest.fixture
def run(home) -> Run:
    return runs.create(SETTINGS, items(4, home), "cpu")


def write(run: Run, part: str, *records) -> None:
    writer = run.writer(part)
    for record in records:
        writer.append(record)
    writer.close()


def typed(record) -> list:
    return [(value, type(value)) for value in dataclasses.astuple(record)]


@given(SETTING, SETTING)
def test_the_id_is_the_same_exactly_when_every_setting_is(one, other):
    same = folder.canonical(vars(one)) == folder.canonical(vars(other))

    assert (one.id == other.id) == same


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("model", "fake-2b"),
        ("adapter", "real"),
        ("benchmark", "small"),
        ("loader", "small"),
        ("options", {"max_tokens": 8}),
        ("loader_options", {"split": "test"}),
        ("limit", 10),
        ("seed", 1),
    ],
)
def test_every_setting_changes_the_id(name, value):
    assert dataclasses.replace(SETTINGS, **{name: value}).id != SETTINGS.id


def test_the_order_of_options_does_not_change_the_id():
    one = dataclasses.replace(SETTINGS, options={"a": 1, "b": 2})
    other = dataclasses.replace(SETTINGS, options={"b": 2, "a": 1})

    assert one.id == other.id


def test_the_id_can_be_a_folder_name_whatever_the_names():
    wild = dataclasses.replace(SETTINGS, model="../..//Org/Model: 7B" * 20, benchmark="\0\ud800")

    assert runs.slug(wild.id) == wild.id[:80].rstrip("-.")
    assert "/" not in wild.id
    assert len(wild.id) < 200


def test_the_same_settings_open_the_same_folder(run, home):
    write(run, "predictions", Prediction("q/1", "yes"))

    again = runs.create(SETTINGS, items(4, home), "cpu")

    assert again.folder == run.folder
    assert again.predictions() == {"q/1": Prediction("q/1", "yes")}
    assert [one.id for one in runs.own()] == [run.id]


def test_settings_and_items_come_back_as_they_were(home, tmp_path):
    settings = dataclasses.replace(SETTINGS, options={"path": tmp_path, "note": "ü \ud800"})
    asked = items(3, tmp_path)

    found = runs.create(settings, asked, "cpu")

    assert found.items() == asked
    assert found.settings.id == settings.id == found.id
    assert found.about["device"] == "cpu"


def test_other_items_under_the_same_settings_are_refused(run, home):
    (home / "2.png").write_bytes(b"another picture")
    other = items(3)

    with pytest.raises(
        BadInput, match=r"'tiny' has other items now \(revision \w{12}, the run beg"
    ):
        runs.create(SETTINGS, other, "cpu")


def test_another_picture_under_the_same_name_is_refused(run, home):
    asked = items(4, home)
    asked[2].images[0].write_bytes(b"another picture")

    with pytest.raises(BadInput, match="move that folder away to begin anew"):
        runs.create(SETTINGS, asked, "cpu")


def test_a_folder_that_was_being_made_is_no_run(run):
    run.folder.rename(run.folder.with_name(f".{run.id}.12345678"))

    assert runs.own() == []


@pytest.mark.parametrize("tail", [b'{"item": "q/1", "te', b'{"item": "q/1", "text": "\xe6', b"{"])
def test_a_torn_last_line_is_not_there_yet(run, tail):
    write(run, "predictions", Prediction("q/0", "a"))
    (path,) = run.folder.glob("predictions/*.jsonl")
    path.write_bytes(path.read_bytes() + tail)

    assert list(run.predictions()) == ["q/0"]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_comes_back_as_it_was_before_and_after_sealing(run, text):
    answer = Prediction("q/0", text, error=text)
    verdict = Verdict("q/0", "exact", "1", 0, 1.0, text, text, text)

    write(run, "predictions", answer)
    write(run, "verdicts/exact-1-r0", verdict)

    assert run.predictions() == {"q/0": answer}
    run.seal("predictions")
    run.seal("verdicts/exact-1-r0")
    assert run.predictions() == {"q/0": answer}
    assert run.verdicts("exact-1-r0") == {"q/0": verdict}


def test_half_a_character_becomes_a_question_mark_in_both_forms(run):
    write(run, "predictions", Prediction("q/0", "half \ud83d of it"))

    assert run.predictions()["q/0"].text == "half ? of it"
    run.seal("predictions")
    assert run.predictions()["q/0"].text == "half ? of it"


def test_sealed_answers_equal_unsealed_ones_to_the_type(run):
    write(
        run,
        "predictions",
        Prediction("q/2", "b", None, 0.5, 12, None, 1e-9, "cut off"),
        Prediction("q/0", None, "refused", None, None, None, None),
        Prediction("q/1", "c", None, 2.0, 2**53 + 1, None, 0.0),
    )
    before = run.predictions()

    run.seal("predictions")

    after = run.predictions()
    assert run.sealed("predictions")
    assert list(after) == ["q/0", "q/1", "q/2"]
    assert {key: typed(one) for key, one in after.items()} == {
        key: typed(one) for key, one in before.items()
    }


def test_sealed_verdicts_equal_unsealed_ones_to_the_type(run):
    write(
        run,
        "verdicts/key",
        Verdict("q/0", "j", "1", 0, None, None, "unreadable", None),
        Verdict("q/1", "j", "1", 0, 1.0, "cat", "", "Correct", 0.1, 7, 1, 0.01, "finished"),
    )
    before = run.verdicts("key")

    run.seal("verdicts/key")

    assert [typed(one) for one in run.verdicts("key").values()] == [
        typed(one) for one in before.values()
    ]
    assert run.judges() == ["key"]


def test_what_a_sealed_file_of_an_earlier_version_lacks_is_unknown(run):
    write(run, "predictions", Prediction("q/0", "a", usd=0.5, ended="finished"))
    write(run, "verdicts/key", Verdict("q/0", "j", "1", 0, 1.0, ended="finished"))
    for part in ("predictions", "verdicts/key"):
        run.seal(part)
        path = run.folder / f"{part}.parquet"
        parquet.write_table(parquet.read_table(path).drop_columns(["ended"]), path)
        as_written(run, f"{part}.parquet")

    assert run.predictions() == {"q/0": Prediction("q/0", "a", usd=0.5)}
    assert run.verdicts("key") == {"q/0": Verdict("q/0", "j", "1", 0, 1.0)}
    assert run_records.answers(run).select(["text", "ended"]).to_pylist() == [
        {"text": "a", "ended": None}
    ]
    assert run_records.verdicts(run, "key", ("score", "ended")).to_pylist() == [
        {"score": 1.0, "ended": None}
    ]


def test_sealing_twice_or_with_nothing_is_harmless(run):
    run.seal("verdicts/none")
    write(run, "predictions", Prediction("q/0", "a"))

    run.seal("predictions")
    held = (run.folder / "predictions.parquet").read_bytes()
    run.seal("predictions")

    assert (run.folder / "predictions.parquet").read_bytes() == held
    assert run.verdicts("none") == {}
    assert not (run.folder / "predictions").exists()


def test_lines_that_a_kill_left_beside_the_sealed_file_change_nothing(run, tmp_path):
    write(run, "predictions", Prediction("q/0", "a"), Prediction("q/1", None, "hung"))
    before = run.predictions()
    shutil.copytree(run.folder / "predictions", tmp_path / "left")
    run.seal("predictions")
    shutil.copytree(tmp_path / "left", run.folder / "predictions")

    assert run.predictions() == before
    run.seal("predictions")
    assert run.predictions() == before
    assert not (run.folder / "predictions").exists()


def test_a_verdict_tried_again_after_sealing_is_kept_and_sealed(run):
    write(run, "predictions", Prediction("q/0", "a"))
    write(run, "verdicts/key", Verdict("q/0", "j", "1", 0, None, reason="the judge failed"))
    run.seal("verdicts/key")

    write(run, "verdicts/key", Verdict("q/0", "j", "1", 0, 1.0))

    assert run.verdicts("key")["q/0"].score == 1.0
    run.seal("verdicts/key")
    assert run.verdicts("key")["q/0"].score == 1.0
    assert not (run.folder / "verdicts" / "key").exists()


def test_a_good_answer_is_never_replaced_and_a_failed_one_is(run):
    write(run, "predictions", Prediction("q/0", None, "hung"), Prediction("q/1", "first"))
    write(run, "predictions", Prediction("q/0", "late"), Prediction("q/1", "second"))

    texts = {prediction.text for prediction in run.predictions().values()}

    assert texts >= {"late"}
    assert len(texts & {"first", "second"}) == 1


def test_who_reads_while_another_seals_sees_every_answer(home):
    asked = items(300)
    seen = []
    for seed in range(10):
        run = runs.create(dataclasses.replace(SETTINGS, seed=seed), asked, "cpu")
        for part in range(3):
            chosen = asked[part * 100 : part * 100 + 100]
            write(run, "predictions", *[Prediction(item.id, "a") for item in chosen])
        sealer = threading.Thread(target=run.seal, args=("predictions",))
        sealer.start()
        while sealer.is_alive():
            seen.append(len(run.predictions()))
        sealer.join()

    assert set(seen) == {300}


FULL_DISK = """
import resource, sys
from pathlib import Path
from evalcore.errors import EvalcoreError
from evalcore.records import Prediction
from evalcore.engine.runs import Run

writer = Run(Path(sys.argv[1])).writer("predictions")
resource.setrlimit(resource.RLIMIT_FSIZE, (1080, resource.RLIM_INFINITY))
try:
    for number in range(9):
        writer.append(Prediction(f"q/{number}", "x" * 200))
except EvalcoreError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
writer.append(Prediction("q/8", "after room was made"))
"""


def test_a_full_disk_is_told_and_what_was_written_stays(run):
    told = subprocess.run(
        [sys.executable, "-c", FULL_DISK, run.folder],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip

    assert told.startswith(f"cannot write {run.folder}/predictions/")
    assert "what was answered before is kept: make room and give the same command" in told
    assert list(run.predictions()) == ["q/0", "q/1", "q/2", "q/8"]


def test_a_part_that_cannot_be_written_is_told(run):
    (run.folder / "predictions").write_text("")

    with pytest.raises(EvalcoreError, match=r"cannot write .*/predictions/.* \(File exists\)"):
        run.writer("predictions")


def test_a_home_that_cannot_be_written_is_told_with_the_way_out(home):
    (home / "runs").write_text("a file in the folder's place")

    with pytest.raises(EvalcoreError, match=r"cannot make the run folder .*; set EVALCORE_HOME to"):
        runs.create(SETTINGS, items(1), "cpu")


def test_a_part_that_cannot_be_sealed_is_told_and_stays_readable(run):
    write(run, "predictions", Prediction("q/0", "a"))
    (run.folder / ".predictions.parquet.aside").mkdir()

    with pytest.raises(EvalcoreError, match=r"cannot write .*; the answers are kept"):
        run.seal("predictions")

    assert list(run.predictions()) == ["q/0"]


@pytest.mark.parametrize("told", ["", "{}", "[]", '{"settings": {"colour": 1}}'])
def test_a_folder_without_a_readable_description_is_no_run(run, told):
    (run.folder / "run.json").write_text(told)

    with pytest.raises(
        EvalcoreError, match="run.json cannot be read .it was changed since it was written"
    ):
        Run(run.folder)


def test_a_run_says_what_it_was_made_with(run):
    about = json.loads((run.folder / "run.json").read_text())

    assert {"created", "code", "packages", "python", "device", "revision"} <= set(about)
    assert about["items"] == 4


def test_judges_with_long_names_have_files_of_their_own():
    name = "goeval-ref-noimage:models/" + "of-a-long-folder/" * 5
    keys = {runs.verdict_key(f"{name}{end}", end * 12, 0) for end in "ab"}

    assert len(keys) == 2
    assert max(map(len, keys)) < 120


def test_what_an_item_cost_counts_its_failed_attempts(run):
    write(run, "predictions", Prediction("q/0", None, error="refused", usd=1.0))
    write(run, "predictions", Prediction("q/0", "yes", usd=2.0), Prediction("q/1", "no", usd=4.0))

    assert {name: one.usd for name, one in run.predictions().items()} == {"q/0": 3.0, "q/1": 4.0}
    run.seal("predictions")
    assert budget.spent_usd(run) == 7.0


def test_what_a_kill_left_beside_the_sealed_file_is_not_counted_twice(run):
    failed, good = Prediction("q/0", None, error="no", usd=1.0), Prediction("q/0", "yes", usd=2.0)
    write(run, "predictions", failed, good)
    shutil.copytree(run.folder / "predictions", run.folder / "kept")
    run.seal("predictions")
    (run.folder / "kept").rename(run.folder / "predictions")

    assert run.predictions()["q/0"].usd == 3.0
    run.seal("predictions")
    assert run.predictions()["q/0"].usd == 3.0


def test_a_cost_that_nobody_knows_stays_unknown(run):
    write(run, "predictions", Prediction("q/0", None, error="no"), Prediction("q/0", "yes"))

    assert run.predictions()["q/0"].usd is None
