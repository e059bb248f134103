"""A run from words to its end: what it records of itself, and a spend cap over all its passes."""

import json

import pytest

from evalcore.engine import budget, folder, launch
from evalcore.engine.runs import Run
from evalcore.errors import SpendCapReached
from tests.fakes import FakeJudge, as_written, png
from tests.models.fake_api import Answer, serving

PRICES = {"usd_per_mtok_in": 0.0, "usd_per_mtok_out": 1_000_000.0}
"""A dollar for each token that comes out, so that sums are easy."""


def said(text="a", tokens=3, **more):
    choice = {"message": {"content": text, **more}, "finish_reason": "stop"}
    return Answer({"choices": [choice], "usage": {"prompt_tokens": 5, "completion_tokens": tokens}})


@pytest.fixture
def questions(tmp_path, home):
    path = tmp_path / "mine.jsonl"
    (tmp_path / "a.png").write_bytes(png())
    same = {"image": "a.png", "answers": ["a"]}
    rows = [{"id": str(n), "question": f"What is {n}?", **same} for n in range(6)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def started(questions, api, **options):
    given = {**PRICES, "max_tokens": 4, "concurrency": 1, **options}
    (plan,) = launch.plan([f"openai:small@{api.url}/v1"], questions, options=given)
    return launch.start(plan)


def carried(run):
    return launch.carry_out(run, [FakeJudge()])


def again(run):
    """The run as another process finds it."""
    return Run(run.folder)


def test_a_cap_holds_over_all_passes_of_a_run(questions):
    with serving(said()) as api:
        run = started(questions, api, max_usd=8.0)
        for _ in range(3):
            with pytest.raises(SpendCapReached):
                carried(again(run))

        assert len(api.calls) == 2  # 3 + 3, and a third could cost 4
        assert budget.spent_usd(run) == 6.0


def test_the_message_tells_what_the_whole_run_has_spent(questions):
    with serving(said()) as api:
        run = started(questions, api, max_usd=8.0)
        for _ in range(2):
            with pytest.raises(SpendCapReached) as caught:
                carried(again(run))

    assert str(caught.value).startswith("small: $6.0000 of the cap of $8 is spent and the next")


def test_a_raised_cap_goes_on_where_the_run_stopped(questions):
    with serving(said()) as api:
        run = started(questions, api, max_usd=8.0)
        with pytest.raises(SpendCapReached):
            carried(run)

        more = started(questions, api, max_usd=100.0)
        ended = carried(more)

        assert more.id == run.id
        assert (ended.state, len(api.calls)) == ("done", 6)
        assert budget.spent_usd(run) == 18.0


def test_failed_answers_that_were_paid_for_count_after_they_are_replaced(questions):
    refused = said("", refusal="I cannot help with that.")
    with serving([refused, said()]) as api:
        run = started(questions, api)
        assert carried(run).state == "partly failed"

        launch.carry_out(again(run), [FakeJudge()], retry_failed=True)

        assert len(api.calls) == 7
        assert budget.spent_usd(run) == 21.0
        assert again(run).sealed("predictions")


def test_attempts_that_may_have_been_paid_for_count_with_the_most_they_can_have_cost(questions):
    broken = Answer(b"{", headers={"content-type": "application/json"})
    with serving([broken, said()]) as api:
        run = started(questions, api, patience={"attempts": 2, "first_wait_s": 0.0})

        carried(run)

        assert len(api.calls) == 7
        assert budget.spent_usd(run) == pytest.approx(6 * 3.0 + 4.0)


def test_a_run_records_how_its_model_was_asked_but_never_a_key(questions, monkeypatch):
    monkeypatch.setenv("SECRET_NAME", "sk-secret")
    with serving(said()) as api:
        run = started(questions, api, key_env="SECRET_NAME", instruction="Be brief.")
        carried(run)

        (fact,) = again(run).facts()

    assert fact.about.pop("code") == run.about["code"]
    assert fact.about.pop("packages")["openai"]
    assert fact.about == {
        "adapter": "openai",
        "device": f"server {api.url.removeprefix('http://')}",
        "model": "small",
        "instruction": "Be brief.",
        "blind": "no",
        "picture": "448 px square",
        "most new tokens": "4",
        "temperature": "0.0",
    }
    held = [path.read_bytes() for path in run.folder.rglob("*") if path.is_file()]
    assert not any(b"sk-secret" in data for data in held)


def test_a_run_records_its_judges_and_how_they_were_asked(questions):
    with serving(said("yes")) as api:
        (plan,) = launch.plan(["most-frequent"], questions)
        run = launch.start(plan)
        judges = [f"goeval-ref-noimage=openai:small@{api.url}/v1", "exact"]
        launch.carry_out(run, launch.judges_of(judges))

        asked, rule = [fact.about for fact in again(run).facts("judge")]

    assert (asked["judge"], asked["asks"]) == ("goeval-ref-noimage:small", "small")
    assert asked["device"] == f"server {api.url.removeprefix('http://')}"
    assert asked["most new tokens"] == "2048"
    assert rule == {"judge": "exact", "version": "2"}


def test_a_local_run_records_device_and_precision(home):
    (plan,) = launch.plan(["demo-vlm-weak"], "easy-vqa", limit=2)
    run = launch.start(plan)

    launch.carry_out(run, [FakeJudge()])

    assert again(run).fact("device").startswith("cpu ")
    assert (run.fact("dtype"), run.fact("quantisation")) == ("float32", "none")
    assert run.fact("attention") == "sdpa"
    assert run.about["code"] and run.about["packages"] and run.settings.seed == 0


def test_what_a_run_is_does_not_depend_on_where_its_pictures_lie(home, tmp_path):
    (plan,) = launch.plan(["demo-vlm-weak"], "easy-vqa", limit=2)
    run = launch.start(plan)
    moved = tmp_path / "shipped"
    run.folder.rename(moved)
    (moved / "pictures").mkdir()
    rows = [json.loads(line) for line in (moved / "items.jsonl").read_text().splitlines()]
    for place, row in enumerate(rows):
        file = moved / "pictures" / f"{place}.png"
        file.write_bytes(plan.items[place].images[0].read_bytes())
        row["images"] = [f"pictures/{place}.png"]
    (moved / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    as_written(Run(moved), "items.jsonl")

    found = Run(moved).items()

    assert [item.images for item in found] == [
        (moved / "pictures" / "0.png",),
        (moved / "pictures" / "1.png",),
    ]
    assert folder.revision(found) == run.about["revision"]
    launch.carry_out(Run(moved), [FakeJudge()])
    assert len(Run(moved).predictions()) == 2
