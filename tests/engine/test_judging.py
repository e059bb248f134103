"""Judges at work: as many at once as each is made for, and nothing that was paid for is lost."""

import threading
from dataclasses import dataclass

import pytest

from evalcore import judges
from evalcore.engine.judging import Panel
from evalcore.errors import ModelUnavailable, SpendCapReached
from evalcore.models.cancellation import Cancellation
from evalcore.records import Prediction
from tests.fakes import FakeJudge, items

ITEMS = {item.id: item for item in items(40)}
ANSWERS = [Prediction(name, name) for name in ITEMS]
KEY = "exact-1-r0"
BY_RULE = "exact-2-r0"


class Disk:
    """What was written, in turn."""

    def __init__(self):
        self.writes = []

    def write(self, key, verdicts):
        self.writes.append((key, [verdict.item for verdict in verdicts]))


@pytest.fixture
def disk():
    return Disk()


def seated(disk, *judges, repeats=1):
    panel = Panel(judges, repeats, ITEMS, disk.write)
    for prediction in ANSWERS:
        for key in panel.keys:
            panel.judge(key, prediction)
    return panel


def drained(panel):
    found = []
    while panel.pending:
        found += panel.verdicts(wait_s=20)
    return found


@dataclass
class Together(FakeJudge):
    """Waits until as many judgements are under way as it is told."""

    def __post_init__(self):
        self.gate = threading.Barrier(self.concurrency)

    def judge(self, item, prediction, repeat=0):
        self.gate.wait(timeout=20)
        return super().judge(item, prediction, repeat)


@pytest.mark.parametrize("concurrency", [1, 8, 40])
def test_a_judge_works_as_often_at_once_as_it_is_made_for(disk, concurrency):
    found = drained(seated(disk, Together(concurrency=concurrency)))

    assert sorted(verdict.item for _, verdict in found) == sorted(ITEMS)
    assert {(key, verdict.score) for key, verdict in found} == {(KEY, 1.0)}


def test_a_slow_judge_does_not_hold_up_another(disk):
    gate = threading.Event()

    class Slow(FakeJudge):
        def judge(self, item, prediction, repeat=0):
            gate.wait(timeout=20)
            return super().judge(item, prediction, repeat)

    panel = seated(disk, Slow("slow"), FakeJudge("quick"))
    quick = []
    while len(quick) < len(ITEMS):
        quick += panel.verdicts(wait_s=20)
    gate.set()

    assert {key for key, _ in quick} == {"quick-1-r0"}
    assert {key for key, _ in drained(panel)} == {"slow-1-r0"}


def test_a_rule_judges_when_it_is_time_all_in_one_write(disk):
    panel = seated(disk, judges.make("exact"))
    assert (panel.pending, disk.writes) == (0, [])

    found = panel.by_rule()

    assert [verdict.item for _, verdict in found] == list(ITEMS)
    assert disk.writes == [(BY_RULE, list(ITEMS))]
    assert panel.by_rule() == []


def test_what_may_have_been_paid_for_is_written_one_by_one(disk):
    drained(seated(disk, FakeJudge(), repeats=2))

    assert all(len(written) == 1 for _, written in disk.writes)
    assert sorted(key for key, _ in disk.writes) == [KEY] * 40 + ["exact-1-r1"] * 40


def test_a_dismissed_panel_gives_what_it_had_begun_and_begins_nothing(disk):
    begun, gate = threading.Barrier(3), threading.Event()

    class Held(FakeJudge):
        def judge(self, item, prediction, repeat=0):
            begun.wait(timeout=20)
            gate.wait(timeout=20)
            return super().judge(item, prediction, repeat)

    panel = seated(disk, Held("held"), judges.make("exact"))
    begun.wait(timeout=20)
    threading.Timer(0.3, gate.set).start()

    found = panel.dismiss(Cancellation())

    assert [key for key, _ in found].count("held-1-r0") == 2
    assert [key for key, _ in found].count(BY_RULE) == 40


class Ending(FakeJudge):
    """Raises from the fourth answer on."""

    def judge(self, item, prediction, repeat=0):
        if int(item.id[2:]) >= 3:
            raise self.raises
        return FakeJudge().judge(item, prediction, repeat)


def test_what_ends_the_run_comes_out_and_what_was_judged_before_is_kept(disk):
    panel = seated(disk, Ending(concurrency=1, raises=ModelUnavailable("wrong key")))

    with pytest.raises(ModelUnavailable, match="^wrong key$"):
        drained(panel)
    assert [written for _, written in disk.writes][:3] == [["q/0"], ["q/1"], ["q/2"]]
    panel.dismiss(Cancellation())


def test_a_judge_that_may_spend_no_more_leaves_the_rest_and_the_others_go_on(disk):
    capped = Ending("asked", concurrency=1, raises=SpendCapReached("spent"))
    panel = seated(disk, capped, FakeJudge())

    found = drained(panel)

    asked = [verdict.item for key, verdict in found if key == "asked-1-r0"]
    assert (asked, panel.capped) == (["q/0", "q/1", "q/2"], {"asked-1-r0": "spent"})
    assert panel.sent["asked-1-r0"] == {"q/0", "q/1", "q/2"}
    assert sum(key == KEY for key, _ in found) == len(panel.sent[KEY])
    panel.judge("asked-1-r0", Prediction("q/0", "again"))
    assert panel.pending == 0
