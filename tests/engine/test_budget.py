"""One cap a run: of its model and its judges, of all its workers and all its passes."""

import dataclasses
import json
import os
import threading

import pytest

from evalcore.engine import budget, launch, runs
from evalcore.engine.budget import RunBudget
from evalcore.engine.evaluate import LEASE
from evalcore.engine.progress import read_status
from evalcore.engine.runs import Run
from evalcore.errors import BadInput, EvalcoreError, SpendCapReached
from evalcore.models.cap import Budget
from tests.fakes import processes, question_file
from tests.models.fake_api import Answer, serving

GO = threading.Event()
PRICES = {"usd_per_mtok_in": 0.0, "usd_per_mtok_out": 1_000_000.0}
"""A dollar for each token that comes out, so that sums are easy."""
WORST = {**PRICES, "max_tokens": 4}
QUESTIONS = 6


def script(call, turn):
    """An answer of three dollars, a verdict of two."""
    judged = is_verdict(call)
    choice = {"message": {"content": "Yes" if judged else "red"}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 5, "completion_tokens": 2 if judged else 3}
    return Answer({"choices": [choice], "usage": usage})


def is_verdict(call):
    return "andidate" in json.dumps(call.body)


def asked(api):
    judged = sum(map(is_verdict, api.calls))
    return len(api.calls) - judged, judged


def paid(api):
    answers, verdicts = asked(api)
    return 3.0 * answers + 2.0 * verdicts


@pytest.fixture
def questions(tmp_path, home):
    return question_file(tmp_path, QUESTIONS)


@pytest.fixture
def api():
    with serving(script) as running:
        yield running


def started(questions, api, model="openai:small@{}/v1", **options):
    given = {**WORST, "concurrency": 1, **options}
    if not model.startswith("openai"):
        given = {"max_usd": options["max_usd"]}
    (plan,) = launch.plan([model.format(api.url)], questions, options=given)
    return launch.start(plan)


def judges(api, **options):
    given = {**WORST, "concurrency": 1, **options}
    return launch.judges_of([f"goeval-ref-noimage=openai:judge@{api.url}/v1"], options=given)


def verdicts(run):
    return [one for key in run.judges() for one in run.verdicts(key).values()]


def test_a_judge_spends_from_the_same_cap_as_the_model(questions, api):
    run = started(questions, api, max_usd=21.0)

    with pytest.raises(SpendCapReached) as caught:
        launch.carry_out(run, judges(api))

    each = judges(api)[0].most_usd(run.items())
    assert each == 4.0
    assert asked(api) == (3, 3)  # 3 x 5 dollars; a fourth answer and its verdict could cost 4 + 4
    assert budget.spent_usd(run) == paid(api) == 15.0
    assert str(caught.value) == (
        "small: $15.0000 of the cap of $21 is spent and the next call can cost up to $4.0000 and"
        " its judging up to $4.0000 more; raise the cap, or lower max_tokens; 3 of 6 questions are"
        " answered, 3 are not (cap reached), and 3 of 3 verdicts on them given; 'resume' with a"
        " higher --max-usd does the rest"
    )


@pytest.mark.parametrize("repeats", [1, 3])
def test_a_fast_model_leaves_its_slow_judge_the_money_for_every_answer(
    tmp_path, home, api, repeats
):
    def slow(call, turn):
        answer = script(call, turn)
        return dataclasses.replace(answer, delay_s=0.02 if is_verdict(call) else 0.0)

    api.script = slow
    run = started(question_file(tmp_path, 40), api, concurrency=16, max_usd=100.0)

    with pytest.raises(SpendCapReached):
        launch.carry_out(run, judges(api, concurrency=2), repeats=repeats)

    answers, given = asked(api)
    assert given == repeats * answers == len(verdicts(run))
    assert 100.0 - (4.0 + 4.0 * repeats) < paid(api) <= 100.0


def test_the_answers_of_an_earlier_pass_are_judged_before_more_are_bought(tmp_path, home, api):
    run = started(question_file(tmp_path, 20), api, concurrency=4, max_usd=26.0)
    with pytest.raises(SpendCapReached):
        launch.carry_out(run, [])
    assert asked(api) == (8, 0)

    launch.take(run, {"max_usd": 44.0})
    with pytest.raises(SpendCapReached):
        launch.carry_out(Run(run.folder), judges(api, concurrency=2))

    assert asked(api) == (8, 8)  # 8 x 5 dollars; a ninth and its verdict could cost 8


def test_what_is_kept_back_for_judging_goes_when_there_is_nothing_to_judge():
    mine = Budget(10.0)
    mine.expect({"a": lambda: 2.0, "b": lambda: 3.0})
    failed = mine.reserve(4.0, GO, "small", "q1")
    mine.charge(failed, 0.0, answered=False)

    bought = mine.reserve(4.0, GO, "small", "q2")
    mine.charge(bought, 4.0)
    mine.judged("q2", "a")
    mine.judged("q2", "b")

    assert mine.reserve(1.0, GO, "small", "q3").usd == 1.0


def test_what_one_worker_keeps_back_for_judging_holds_for_the_others(tmp_path):
    one, other = RunBudget(tmp_path), RunBudget(tmp_path)
    one.limit(20.0)
    for worker in (one, other):
        worker.expect({"a": lambda: 6.0})
    one.charge(one.reserve(4.0, GO, "small", "q1"), 4.0)
    found = []
    waiting = threading.Thread(target=lambda: found.append(other.reserve(5.0, GO, "b", "q2")))

    waiting.start()
    waiting.join(0.05)
    waited = waiting.is_alive()
    one.charge(one.reserve(6.0, GO, "judge"), 2.0)
    one.judged("q1", "a")
    one.close()
    waiting.join(20)

    assert waited and found[0].usd == 5.0


def test_a_free_model_answers_all_and_is_judged_as_far_as_the_cap_goes(questions, api):
    run = started(questions, api, "most-frequent", max_usd=9.0)

    with pytest.raises(SpendCapReached) as caught:
        launch.carry_out(run, judges(api))

    status = read_status(run.folder)
    assert asked(api) == (0, 3)  # 2 + 2 + 2, and a fourth could cost 4
    assert (status["state"], status["usd"]) == ("stopped", 6.0)
    assert str(caught.value) == status["problem"]
    assert status["problem"] == (
        "judge: $6.0000 of the cap of $9 is spent and the next call can cost up to $4.0000; raise"
        " the cap, or lower max_tokens; 6 of 6 questions are answered and 3 of 6 verdicts on them"
        " given; 'resume' with a higher --max-usd does the rest"
    )


def test_a_raised_cap_judges_what_is_left_and_asks_no_question_twice(questions, api):
    run = started(questions, api, max_usd=21.0)
    with pytest.raises(SpendCapReached):
        launch.carry_out(run, judges(api))

    launch.take(run, {"max_usd": 100.0})
    ended = launch.carry_out(Run(run.folder), judges(api))

    assert ended.state == "done"
    assert asked(api) == (QUESTIONS, QUESTIONS)
    assert budget.spent_usd(run) == ended.usd == paid(api) == 30.0


def test_a_cap_holds_for_later_passes_until_another_is_told(questions, api):
    run = started(questions, api, "most-frequent", max_usd=5.0)
    for _ in range(3):
        with pytest.raises(SpendCapReached):
            launch.carry_out(Run(run.folder), judges(api))

    assert (asked(api), budget.cap_usd(Run(run.folder))) == ((0, 1), 5.0)
    launch.take(run, {"max_usd": None})
    assert launch.carry_out(Run(run.folder), judges(api)).state == "done"


def test_what_was_spent_without_a_cap_counts_when_there_is_one(questions, api):
    run = started(questions, api)
    launch.carry_out(run, [])

    launch.take(run, {"max_usd": 20.0})
    with pytest.raises(SpendCapReached, match=r"judge: \$18\.0000 of the cap of \$20 is spent"):
        launch.carry_out(run, judges(api))

    assert asked(api) == (QUESTIONS, 0)


def test_a_run_of_before_the_books_counts_what_its_records_tell(questions, api):
    run = started(questions, api)
    launch.carry_out(run, judges(api))

    (run.folder / budget.FILE).unlink()

    assert budget.spent_usd(run) == 30.0
    budget.limit(run, 31.0)
    assert budget.budget_of(run).spent_usd == 30.0


def test_a_judge_without_a_price_is_refused_under_a_cap_before_anything_is_asked(questions, api):
    run = started(questions, api, max_usd=50.0)

    with pytest.raises(BadInput) as caught:
        launch.carry_out(run, judges(api, usd_per_mtok_out=None))

    assert str(caught.value) == (
        "judge 'goeval-ref-noimage:judge': judge: a cap of $50 needs both prices; state"
        " usd_per_mtok_out (dollars per million tokens), by --judge-option"
    )
    assert (asked(api), read_status(run.folder)["state"]) == ((0, 0), "failed")


@pytest.mark.parametrize("cap", [-1.0, float("nan"), float("inf"), "much", True])
def test_a_cap_is_a_sum_of_money(questions, api, cap):
    with pytest.raises(BadInput, match="spend cap: max_usd is .*, not a number of dollars from 0"):
        started(questions, api, max_usd=cap)


def test_a_run_that_pays_nothing_keeps_no_books(questions, api):
    (plan,) = launch.plan(["most-frequent"], questions)
    run = launch.start(plan)

    launch.carry_out(run, launch.judges_of(["exact"]))

    assert not (run.folder / budget.FILE).exists()
    assert (budget.spent_usd(run), budget.cap_usd(run)) == (0.0, None)


def work(folder, url, gate):
    gate.wait()
    run = Run(folder)
    given = {**WORST, "concurrency": 4}
    judge = launch.judges_of([f"goeval-ref-noimage=openai:judge@{url}/v1"], options=given)
    try:
        launch.carry_out(run, judge)
    except SpendCapReached:
        os._exit(7)


def test_two_workers_share_one_cap(tmp_path, home, api):
    run = started(question_file(tmp_path, LEASE + 40), api, concurrency=4, max_usd=200.0)
    gate = processes.Barrier(2)
    workers = [processes.Process(target=work, args=(run.folder, api.url, gate)) for _ in range(2)]

    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)

    assert [worker.exitcode for worker in workers] == [7, 7]
    assert len({path.name for path in run.folder.glob("predictions/*.jsonl")}) == 2
    assert 200.0 - (4.0 + 4.0) < paid(api) <= 200.0
    # Some verdicts may come from the cache of the home that these processes began in.
    assert len(verdicts(run)) == len(run.predictions()) == asked(api)[0]
    assert budget.spent_usd(run) == paid(api)


def hold_and_die(folder):
    RunBudget(folder).reserve(4.0, GO, "small")
    os._exit(0)


def test_what_a_killed_worker_had_set_aside_counts_as_spent_and_blocks_nobody(tmp_path, caplog):
    mine = RunBudget(tmp_path)
    mine.limit(10.0)
    worker = processes.Process(target=hold_and_die, args=(tmp_path,))
    worker.start()
    worker.join()

    assert budget.read(tmp_path).spent == 4.0
    mine.charge(mine.reserve(5.0, GO, "small"), 5.0)
    with pytest.raises(SpendCapReached, match=r"\$9\.0000 of the cap of \$10 is spent"):
        mine.reserve(2.0, GO, "small")
    assert (mine.spent_usd, budget.read(tmp_path).lost) == (9.0, 4.0)
    assert "1 calls were under way when their worker died" in caplog.text


def test_a_living_workers_call_is_waited_for(tmp_path):
    one, other = RunBudget(tmp_path), RunBudget(tmp_path)
    one.limit(10.0)
    hold, found = one.reserve(8.0, GO, "a"), []
    waiting = threading.Thread(target=lambda: found.append(other.reserve(4.0, GO, "b")))

    waiting.start()
    waiting.join(0.05)
    waited = waiting.is_alive()
    one.charge(hold, 1.0)
    waiting.join(20)

    assert waited and found[0].usd == 4.0
    assert budget.read(tmp_path).spent == one.spent_usd == other.spent_usd == 1.0


def test_a_cap_that_one_worker_raises_holds_for_the_others(tmp_path):
    one, other = RunBudget(tmp_path), RunBudget(tmp_path)
    one.limit(1.0)
    with pytest.raises(SpendCapReached):
        other.reserve(4.0, GO, "small")

    one.limit(5.0)

    assert other.reserve(4.0, GO, "small").usd == 4.0


def test_a_closed_purse_lets_nobody_wait(tmp_path):
    one, other = RunBudget(tmp_path), RunBudget(tmp_path)
    one.limit(10.0)
    one.reserve(8.0, GO, "a")

    other.close()

    with pytest.raises(SpendCapReached):
        other.reserve(4.0, GO, "b")


def test_a_line_that_a_kill_cut_off_is_no_line(tmp_path):
    first = RunBudget(tmp_path)
    first.charge(first.reserve(3.0, GO, "a"), 2.0)
    with (tmp_path / budget.FILE).open("ab") as file:
        file.write(b'{"worker": "x", "ho')

    second = RunBudget(tmp_path)
    second.charge(second.reserve(1.0, GO, "a"), 1.0)

    assert budget.read(tmp_path).spent == first.spent_usd == 3.0


def test_a_payment_that_cannot_be_written_is_written_before_the_next_call(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    mine = RunBudget(folder)
    hold = mine.reserve(4.0, GO, "a")
    folder.rename(tmp_path / "away")

    mine.charge(hold, 1.0)
    with pytest.raises(EvalcoreError, match="cannot write"):
        mine.reserve(1.0, GO, "a")
    (tmp_path / "away").rename(folder)
    mine.reserve(1.0, GO, "a")

    assert budget.read(folder).spent == 1.0


def test_a_cap_is_no_setting_that_makes_another_run(questions, api):
    one = started(questions, api, max_usd=1.0)
    other = started(questions, api, max_usd=2.0)

    assert one.id == other.id == runs.own()[0].id
    assert budget.cap_usd(one) == 2.0
