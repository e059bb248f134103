"""What crashes, clocks, other machines and people do to a run's folder."""

import dataclasses
import datetime
import json
import os
import shutil
import signal
import struct
import zlib

import pytest
from PIL import Image

from evalcore import judges
from evalcore import pictures as one_way
from evalcore.engine import (
    claims,
    launch,
    lines,
    progress,
    provenance,
    run_status,
    runs,
)
from evalcore.engine.claims import Claims
from evalcore.engine.evaluate import evaluate
from evalcore.engine.runs import Run
from evalcore.errors import BadInput, EvalcoreError
from evalcore.models import prompt
from evalcore.store import judged_runs
from tests.fakes import SETTINGS, FakeJudge, FakeModel, as_written, items, noted, png

EXACT = "exact-2-r0"
RULE = judges.make("exact")


@pytest.fixture
def run(home):
    return runs.create(SETTINGS, items(6), "cpu")


def lines_of(run, part):
    (path,) = run.folder.glob(f"{part}/*.jsonl")
    return path


@pytest.mark.parametrize("spoilt", [b"\0" * 80, b"{torn", b"null", b'{"item": "q/0"}', b"\xff\xfe"])
def test_a_line_that_a_crash_of_the_machine_spoilt_is_asked_again(run, tmp_path, caplog, spoilt):
    evaluate(run, FakeModel(breaks_on=["q/5"]), [FakeJudge()])  # partly failed, so not sealed
    path = lines_of(run, "predictions")
    whole = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([whole[0], spoilt, *whole[2:]]))

    ended = evaluate(Run(run.folder), FakeModel(calls=tmp_path / "asked"), [FakeJudge()])

    assert (ended.state, ended.answered) == ("partly failed", 6)
    assert noted(tmp_path / "asked") == ["q/1"]
    assert "passed over" in caplog.text


def test_a_spoilt_line_of_the_leases_or_the_books_stops_nobody(run):
    (run.folder / "claims.jsonl").write_bytes(b"\0\0\0\n[1]\n")
    (run.folder / "spending.jsonl").write_bytes(b"\0\0\0\n")

    assert launch.carry_out(run, [RULE], only_judge=True).state == "stopped"
    assert evaluate(run, FakeModel(), [RULE]).state == "done"


def test_a_damaged_list_of_items_is_no_smaller_run(run):
    as_written(run, "items.jsonl", (run.folder / "items.jsonl").read_bytes()[:-40])

    with pytest.raises(EvalcoreError, match=r"has 5 items, the run 6: the file is damaged; run"):
        evaluate(run, FakeModel(), [RULE])


@pytest.mark.parametrize("told", ["{}", "[]", "{", '{"state": "running", "pid": 1}'])
def test_a_status_that_says_nothing_is_as_none(run, told):
    (run.folder / "status.json").write_text(told, "utf-8")

    assert progress.state(run) == "not begun"
    assert run_status.look(run).answered == 0


def test_a_worker_of_another_machine_with_the_same_id_and_start_is_no_worker_here(run, monkeypatch):
    monkeypatch.setattr(claims, "boot", lambda: "elsewhere")
    monkeypatch.setattr(progress, "_my_start", claims.started)
    assert Claims(run.folder).take(["predict"], lambda: list("ab"), 2) == ["a", "b"]
    progress.enqueue(run, progress.RUNNING)
    assert progress.state(run) == "running"

    monkeypatch.undo()

    assert progress.state(run) == "interrupted"
    assert Claims(run.folder).take(["predict"], lambda: list("ab"), 2) == ["a", "b"]


def test_a_clock_that_is_set_back_does_not_make_an_old_fact_the_newest(run):
    ahead = datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=3)
    run.remember_judges(["exact"], 5)
    (path,) = (run.folder / "facts").glob("*.jsonl")
    fact = lines.parsed(path.read_bytes().strip())
    path.write_bytes(lines.line({**fact, "time": ahead.isoformat(timespec="microseconds")}))

    run.remember_judges(["exact"], 2)

    assert run.judge_specs() == (["exact"], 2)
    assert provenance.facts(run.folder, "judges")[-1].time > ahead.isoformat(
        timespec="microseconds"
    )


def test_a_run_whose_clock_was_set_back_has_no_speed_and_goes_on(run, monkeypatch):
    evaluate(run, FakeModel(breaks_on=["q/5"]), [RULE])
    status = json.loads((run.folder / "status.json").read_text())
    later = {**status, "began": status["updated"] + 3600}
    (run.folder / "status.json").write_text(json.dumps(later))

    assert run_status.look(run).per_second is None
    assert evaluate(run, FakeModel(), [RULE], retry_failed=True).state == "done"


@pytest.fixture
def seeing(home, tmp_path):
    """A run of the demo model's adapter, of which nothing is asked yet."""
    made = items(3, tmp_path)
    settings = runs.Settings("m", "transformers", "tiny", "tiny", {"path": "nowhere"})
    return Run(runs.create(settings, made, "cpu").folder), tmp_path


def test_a_run_copied_to_a_machine_without_its_pictures_says_so_and_records_no_failure(seeing):
    run, folder = seeing
    (folder / "1.png").unlink()

    with pytest.raises(
        BadInput, match=r"a picture of item 'q/1' cannot be read \(.*1\.png: there "
    ):
        launch.carry_out(run, [RULE])

    assert run.predictions() == {}


def test_a_run_whose_pictures_were_changed_does_not_go_on(seeing):
    run, folder = seeing
    (folder / "1.png").write_bytes(png() + b"more")

    with pytest.raises(BadInput, match=r"pictures were changed since it began \(revision "):
        launch.carry_out(run, [RULE])


def test_pictures_that_are_as_they_were_are_asked_about(seeing):
    run, _ = seeing

    launch.check_pictures(run)

    assert run.checked


def test_a_wish_that_cannot_be_written_is_said(run):
    (run.folder / "cancel").mkdir()

    with pytest.raises(EvalcoreError, match=r"cannot write .*cancel.*; stop the process instead"):
        progress.cancel(run)
    with pytest.raises(EvalcoreError, match="cannot write"):
        progress.queue([run])


def test_an_answer_of_a_megabyte_is_kept_whole_and_judged_by_every_rule(run):
    long = "no " * 350_000
    rules = ["exact", "normalised", "vqa-accuracy", "anls", "relaxed-accuracy", "choice", "number"]

    ended = evaluate(run, FakeModel({"q/3": long}), [judges.make(name) for name in rules])

    assert ended.state == "done"
    assert run.predictions()["q/3"].text == long
    assert len(ended.judged) == len(rules)


def bomb(path, side):
    """A few kilobytes of black that are ``side`` pixels wide and high."""

    def chunk(kind, data):
        crc = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + crc

    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(b"\0" * (side // 8 + 1)) for _ in range(side)) + packer.flush()
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + parts)


def test_a_picture_bomb_is_refused_by_name(tmp_path):
    bomb(tmp_path / "bomb.png", 16_000)

    with pytest.raises(BadInput, match=r"^the picture bomb\.png has more than 89 million pixels"):
        prompt.opened(tmp_path / "bomb.png", 448)


def test_large_pictures_are_decoded_one_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(one_way, "LARGE", 100)
    most = []

    class Watching:
        inside = 0

        def __enter__(self):
            lock.acquire()
            Watching.inside += 1
            most.append(Watching.inside)

        def __exit__(self, *error):
            Watching.inside -= 1
            lock.release()

    lock = one_way._large
    monkeypatch.setattr(one_way, "_large", Watching())
    paths = [tmp_path / f"{n}.png" for n in range(6)]
    for path in paths:
        Image.new("RGB", (30, 20)).save(path)

    found = prompt.all_opened(paths, 8)

    assert [one.size for one in found] == [(8, 8)] * 6
    assert most == [1] * 6


@pytest.mark.parametrize(
    "part", ["items.jsonl", "predictions.parquet", f"verdicts/{EXACT}.parquet"]
)
def test_one_run_that_was_half_copied_hides_no_other(run, home, caplog, part):
    whole = runs.create(dataclasses.replace(SETTINGS, seed=1), items(4), "cpu")
    for one in (run, whole):
        evaluate(one, FakeModel(), [RULE])
    path = run.folder / part
    path.write_bytes(path.read_bytes()[:-40])
    (run.folder / "status.json").unlink()

    counted = [one.run.id for one in judged_runs.everything()[0] if not one.run.shipped]

    assert counted == [whole.id]
    assert "passed over: " in caplog.text
    states = {one.id: run_status.look(one).state for one in runs.own()}
    assert states == {whole.id: "done", run.id: "damaged"}


def test_a_folder_copied_while_it_runs_is_a_run_that_goes_on(run, tmp_path):
    evaluate(run, FakeModel(breaks_on=["q/5"]), [RULE])
    path = lines_of(run, "predictions")
    os.truncate(path, path.stat().st_size - 7)
    copy = Run(shutil.copytree(run.folder, tmp_path / "copied"))

    ended = evaluate(copy, FakeModel(calls=tmp_path / "asked"), [RULE])

    assert ended.state == "done"
    assert noted(tmp_path / "asked") == ["q/5"]


def test_a_pipe_in_place_of_any_file_of_a_run_is_never_waited_for(run, home):
    """Each of these would hang until somebody wrote into the pipe; an alarm ends the test."""
    other = runs.create(dataclasses.replace(SETTINGS, seed=1), items(4), "cpu")
    for one in (run, other):
        evaluate(one, FakeModel(), [RULE])
    written = sorted(path for path in run.folder.rglob("*") if path.is_file())
    assert {"run.json", "items.jsonl", "predictions.parquet"} <= {path.name for path in written}

    def late(*about):
        raise AssertionError(f"{path.name} is waited for")

    before = signal.signal(signal.SIGALRM, late)
    try:
        for path in written:
            data = path.read_bytes()
            path.unlink()
            os.mkfifo(path)
            signal.alarm(20)
            counted = {one.run.id for one in judged_runs.everything()[0]}
            states = {one.id: run_status.look(one).state for one in runs.own()}
            signal.alarm(0)
            path.unlink()
            path.write_bytes(data)
            assert other.id in counted
            assert states[other.id] == "done"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
