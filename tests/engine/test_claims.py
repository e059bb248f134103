"""Leases: no item twice while a worker lives, and free again once it does not."""

import json
import os
from pathlib import Path

import pytest

from evalcore.engine.claims import Claims, started
from evalcore.errors import EvalcoreError
from tests.fakes import noted, processes

ITEMS = [f"q/{number}" for number in range(60)]
PREDICT = ["predict"]


def all_items() -> list[str]:
    return ITEMS


def take_all(folder: Path, told: Path, gate) -> None:
    """Take and take until nothing is left, noting each item; then hold on until let go."""
    claims, mine = Claims(folder), set()
    while lease := claims.take(PREDICT, lambda: [i for i in ITEMS if i not in mine], 3):
        mine.update(lease)
        with told.open("a") as file:
            file.write("".join(f"{item}\n" for item in lease))
    gate.wait()


def take_one_and_die(folder: Path) -> None:
    Claims(folder).take(PREDICT, all_items, 1)
    os._exit(0)


def test_two_workers_never_get_the_same_item(tmp_path):
    gate = processes.Barrier(3)
    workers = [
        processes.Process(target=take_all, args=(tmp_path, tmp_path / f"told-{n}", gate))
        for n in range(3)
    ]

    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    told = [item for n in range(3) for item in noted(tmp_path / f"told-{n}")]
    assert sorted(told) == sorted(ITEMS)


def test_two_workers_of_one_process_never_get_the_same_item(tmp_path):
    one, other = Claims(tmp_path), Claims(tmp_path)

    assert one.take(PREDICT, all_items, 2) == ["q/0", "q/1"]
    assert other.take(PREDICT, all_items, 2) == ["q/2", "q/3"]


def test_the_items_of_a_dead_worker_are_free_again(tmp_path):
    worker = processes.Process(target=take_one_and_die, args=(tmp_path,))
    worker.start()
    worker.join()

    assert (tmp_path / "claims.jsonl").read_text().count("q/0") == 1
    assert Claims(tmp_path).take(PREDICT, all_items, 1) == ["q/0"]


def test_released_items_are_free_again_and_can_be_taken_anew(tmp_path):
    one, other = Claims(tmp_path), Claims(tmp_path)
    one.take(PREDICT, all_items, 2)

    one.release()

    assert other.take(PREDICT, all_items, 1) == ["q/0"]
    assert one.take(PREDICT, all_items, 1) == ["q/1"]
    assert other.take(PREDICT, all_items, 1) == ["q/0"]


def test_a_workers_own_leases_do_not_block_itself(tmp_path):
    claims = Claims(tmp_path)

    assert claims.take(PREDICT, all_items, 1) == claims.take(PREDICT, all_items, 1) == ["q/0"]


@pytest.mark.parametrize(
    ("held", "asked", "given"),
    [
        (["predict"], ["judge:exact"], "q/0"),
        (["judge:exact"], ["judge:exact"], "q/1"),
        (["predict", "judge:exact"], ["judge:exact"], "q/1"),
        (["predict", "judge:exact"], ["judge:other"], "q/0"),
        (["judge:other"], ["predict", "judge:exact"], "q/0"),
    ],
)
def test_an_item_is_held_for_the_stages_of_its_lease_only(tmp_path, held, asked, given):
    Claims(tmp_path).take(held, all_items, 1)

    assert Claims(tmp_path).take(asked, all_items, 1) == [given]


def test_a_process_with_the_id_of_a_dead_worker_holds_nothing(tmp_path):
    gone = {"worker": "w", "pid": os.getpid(), "start": "1", "stages": PREDICT, "items": ["q/0"]}
    (tmp_path / "claims.jsonl").write_text(json.dumps(gone) + "\n")

    assert Claims(tmp_path).take(PREDICT, all_items, 1) == ["q/0"]


@pytest.mark.parametrize("torn", ['{"worker": "w", "pi', "{", '\n{"items": ["q/1"'])
def test_a_lease_cut_off_by_a_kill_is_dropped_and_harms_no_later_one(tmp_path, torn):
    Claims(tmp_path).take(PREDICT, all_items, 1)
    path = tmp_path / "claims.jsonl"
    path.write_text(path.read_text() + torn.lstrip("\n"))

    assert Claims(tmp_path).take(PREDICT, all_items, 1) == ["q/1"]
    assert Claims(tmp_path).take(PREDICT, all_items, 1) == ["q/2"]


def test_nothing_left_gives_nothing_and_writes_no_lease(tmp_path):
    assert Claims(tmp_path).take(PREDICT, list, 5) == []
    assert (tmp_path / "claims.jsonl").read_text() == ""


def test_who_is_alone_is_told(tmp_path):
    one, other = Claims(tmp_path), Claims(tmp_path)
    one.take(PREDICT, all_items, 1)

    with other.alone() as alone:
        assert not alone
    with one.alone() as alone:
        assert alone


def test_a_lease_file_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "claims.jsonl").mkdir()

    with pytest.raises(EvalcoreError, match=r"cannot write .*/claims.jsonl \(Is a directory\)"):
        Claims(tmp_path).take(PREDICT, all_items, 1)


def test_a_process_has_a_start_and_no_process_has_none():
    assert started(os.getpid()) == started(os.getpid())
    assert started(os.getpid()) is not None
    assert started(2**30) is None
