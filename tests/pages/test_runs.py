"""The Runs page and the launch form: what they say, what they offer, what a click does."""

import dataclasses
import json
import time

import pytest

from evalcore.engine import launch, progress, runs
from evalcore.engine.evaluate import evaluate
from pages.shared.text import plain
from tests.fakes import SETTINGS, FakeJudge, FakeModel, items, png
from tests.pages.opening import button, opened, texts

HOSTILE = "[x](javascript:alert(1)) <b>*m*</b> $1$"


@pytest.fixture
def ready(home, store, monkeypatch):
    """A home with a built store; the page may start runs."""
    (home / "results.duckdb").write_bytes(store.read_bytes())
    monkeypatch.setenv("EVALCORE_ALLOW_WRITE", "1")
    return home


@pytest.fixture
def questions(tmp_path):
    (tmp_path / "a.png").write_bytes(png())
    row = {"image": "a.png", "question": "Red?", "answers": ["yes"]}
    file = tmp_path / "mine.jsonl"
    lines = [json.dumps({"id": str(count), **row}) for count in range(5)]
    file.write_text("\n".join(lines), encoding="utf-8")
    return str(file)


def draw(**widgets):
    return opened("runs", widgets)


def made(model="fake-1b", number=10, **answers):
    settings = dataclasses.replace(SETTINGS, model=model, seed=number)
    return runs.create(settings, items(number), "cpu")


def done(questions):
    """A whole run, made in this process, since starting another takes seconds."""
    (plan,) = launch.plan(["most-frequent"], questions)
    run = launch.start(plan)
    run.remember_judges(["normalised"], 1)
    launch.carry_out(run, launch.judges_of(["normalised"]))
    return run


def wait_for(happened, seconds=600):
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def runs_table(at):
    """The runs made here, of the table of all runs, wherever on the page it stands."""
    (table,) = [one.value for one in at.dataframe if "Benchmark" in one.value]
    return table[table["State"] != "demo"]


def test_without_runs_the_page_says_how_to_start_one(ready):
    at = draw()

    assert not at.exception
    assert plain("No run yet: start one in the sidebar under Evaluate a model.") in texts(at)


def test_an_estimate_is_shown_for_what_the_form_says_and_no_longer(ready, questions):
    at = draw(run_other="chance", run_benchmark=questions, run_blind=False)
    button(at, "Estimate").click().run()
    shown = [text for text in texts(at) if text.startswith("**chance**")]
    assert shown
    assert plain("Model: no API cost.") in shown[0]

    at.number_input(key="run_limit").set_value(3).run()

    assert not at.exception
    assert not [text for text in texts(at) if text.startswith("**chance**")]


def test_a_click_starts_the_run_in_a_process_and_the_page_shows_it(ready, questions):
    at = draw(run_other="most-frequent", run_benchmark=questions, run_judge="normalised")

    button(at, "Start").click().run()

    assert plain("Started. It goes on when you close this page; see Runs.") in texts(at)
    assert list(runs_table(at)["Benchmark"]) == ["mine"]
    (run,) = runs.own()
    wait_for(lambda: progress.state(run) == "done")
    assert run.judge_specs() == (["normalised"], 1)
    assert len(run.predictions()) == 5


def test_a_run_that_is_under_way_is_not_started_again(ready, questions):
    at = draw(run_other="most-frequent", run_benchmark=questions)
    button(at, "Start").click().run()
    (run,) = runs.own()
    wait_for(lambda: progress.state(run) == "done")
    progress.enqueue(run, progress.WAITING)

    button(at, "Start").click().run()

    assert plain("This is under way already; see Runs.") in texts(at)


@pytest.mark.parametrize(
    ("widgets", "message"),
    [
        ({"run_other": "nothing"}, "unknown model 'nothing'"),
        ({"run_other": "chance", "run_benchmark": "nowhere"}, "unknown benchmark 'nowhere'"),
        ({"run_other": "chance", "run_judge": "mmvet"}, "judge 'mmvet' asks a model"),
    ],
)
@pytest.mark.parametrize("click", ["Estimate", "Start"])
def test_a_mistake_in_the_form_is_said_and_starts_nothing(ready, widgets, message, click):
    at = draw(**widgets)
    button(at, click).click().run()

    assert not at.exception
    assert any(text.startswith(plain(message)) for text in texts(at)), texts(at)
    assert runs.own() == []


def test_money_is_asked_about_only_where_it_is_spent(ready):
    at = draw(run_other="chance")
    labels = [one.label for one in at.number_input]

    assert "Spend at most, USD" not in labels
    at.text_input(key="run_other").set_value("openai:small").run()
    assert "Spend at most, USD" in [one.label for one in at.number_input]


def test_a_judge_that_is_paid_can_be_capped_where_the_model_is_free(ready):
    at = draw(run_other="chance", run_judge="goeval-ref-noimage")
    at.text_input(key="run_asked").set_value("gpt-4o-mini").run()

    labels = [one.label for one in at.number_input]
    assert "Spend at most, USD" in labels
    assert "USD, 1 M in" not in labels


def test_who_judges_is_asked_only_of_judges_that_ask(ready):
    at = draw(run_judge="exact")
    assert [one.label for one in at.text_input if one.label == "Model that judges"] == []

    at.selectbox(key="run_judge").set_value("goeval-ref-noimage").run()

    assert [one.label for one in at.text_input if one.label == "Model that judges"] != []


def test_a_server_that_others_reach_offers_nothing_that_changes_a_run(ready, monkeypatch):
    run = made()
    evaluate(run, FakeModel(breaks_on={"q/1"}), [FakeJudge()])
    monkeypatch.setenv("EVALCORE_ALLOW_WRITE", "0")

    at = draw()

    labels = {one.label for one in at.button}
    assert labels & {"Start", "Go on", "Stop", "Retry 1 failed", "Judge"} == set()
    assert any("Starting runs is off" in text for text in texts(at))


def test_a_partly_failed_run_says_what_is_missing_and_how_far_it_could_move(ready):
    run = made()
    evaluate(run, FakeModel(breaks_on={"q/1", "q/3"}, answers={"q/0": "wrong"}), [FakeJudge()])

    at = draw()

    told = (
        "exact: 8 of 10 scored; 2 questions got no answer. With all of them wrong the score is "
        "70.0 %, with all right 90.0 %."
    )
    assert plain(told) in texts(at)
    assert button(at, "Retry 2 failed") is not None
    assert button(at, "Go on") is None


def test_retrying_is_offered_only_where_something_failed(ready):
    run = made()
    evaluate(run, FakeModel(), [FakeJudge()])

    at = draw()

    assert [one.label for one in at.button if one.label.startswith("Retry")] == []
    assert "No run is open." in texts(at)


def test_going_on_keeps_the_runs_own_judges(ready, questions):
    run = done(questions)
    for path in (run.folder / "verdicts").glob("*"):
        path.unlink()
    progress.enqueue(run, "stopped")

    at = draw()
    button(at, "Go on").click().run()
    wait_for(lambda: progress.state(run) == "done")

    assert run.judges() == ["normalised-2-r0"]


def test_another_judge_is_one_click_away(ready, questions):
    run = done(questions)

    at = draw(**{f"again_{run.id}_judge": "exact"})
    button(at, "Judge").click().run()
    wait_for(lambda: len(run.judges()) == 2 and progress.state(run) == "done")

    assert run.judges() == ["exact-2-r0", "normalised-2-r0"]


def test_stop_is_a_wish_that_the_run_hears(ready):
    run = made()
    progress.enqueue(run, progress.WAITING)

    at = draw()
    button(at, "Stop").click().run()
    assert progress.requests(run) == 1

    assert "Stopping: the calls under way are paid and are waited for." in texts(at)
    button(at, "Stop at once").click().run()
    assert progress.requests(run) == 2


def test_a_run_whose_process_is_only_being_started_cannot_be_stopped_yet(ready):
    run = made()
    progress.enqueue(run, progress.STARTING)

    at = draw()

    assert button(at, "Stop") is None
    assert "A process is being started." in texts(at)


def test_the_judges_noise_stands_apart(ready):
    run = made()
    evaluate(run, FakeModel(), [FakeJudge()], repeats=3)

    at = draw()

    assert any("over 3 repeats the total is 100" in text for text in texts(at))
    assert any("That is the judge's own noise" in text for text in texts(at))


def test_hostile_names_are_shown_as_text(ready):
    run = made(model=HOSTILE)
    evaluate(run, FakeModel(breaks_on={"q/1"}), [FakeJudge(name=HOSTILE)])

    at = draw()

    assert not at.exception
    assert any(f"**{plain(HOSTILE)}**" in text for text in texts(at))
    assert not any(HOSTILE in text for text in texts(at))


def test_the_table_has_every_run_with_its_rates(ready):
    evaluate(made("a", 10), FakeModel(breaks_on={"q/1"}), [FakeJudge()])
    evaluate(made("b", 4), FakeModel(), [FakeJudge()])

    table = runs_table(draw())

    rows = {row["Model"]: row for row in table.to_dict("records")}
    assert rows["a"]["Failed, %"] == 10.0
    assert (rows["b"]["Failed, %"], rows["b"]["State"]) == (0.0, "done")
    assert rows["a"]["Device"] == "cpu"


def test_every_run_can_be_seen_where_it_counts_whatever_the_link_holds(ready):
    own = made(model="own-1b")
    evaluate(own, FakeModel(), [FakeJudge()])
    (ready / "results.duckdb").unlink()
    seen = {}
    for name in opened("runs").selectbox(key="run").options:
        at = opened("runs", run=name, open="Open", size="80 B parameters")
        see = next(one for one in at.button if one.label.startswith("See it on"))
        at = see.click().run()

        assert not at.exception and not at.error, name
        assert at.title[0].value == see.label.removeprefix("See it on "), name
        assert at.query_params["open"] == "Open" and "run" not in at.query_params
        seen[name] = at.session_state["suite" if "Profiles" in see.label else "digit_study"]
    assert len(seen) == len(runs.every())
    assert seen["own-1b on tiny, 10 questions, " + own.id.rpartition("--")[2]] == "tiny"
    assert set(seen.values()) > {"tiny", "demo"}


def test_a_damaged_run_is_told_in_a_sentence_and_all_runs_are_listed(ready):
    good, bad = made(model="good-1b"), made(model="bad-1b")
    for run in (good, bad):
        evaluate(run, FakeModel(), [FakeJudge()])
    (bad.folder / "predictions.parquet").write_bytes(b"PAR1xx")

    name = next(one for one in draw().selectbox(key="run").options if one.startswith("bad-1b"))
    at = opened("runs", run=name)

    assert not at.exception
    assert any("cannot be read" in one.value for one in at.error)
    assert "All runs" in [one.value for one in at.header]
