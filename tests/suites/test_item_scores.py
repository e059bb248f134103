"""The single questions behind a suite's figures: which run they are of, and what they change."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from evalcore.analysis import estimates, profiles
from evalcore.engine import evaluate, runs
from evalcore.records import Item, Prediction, Verdict
from evalcore.store import build
from evalcore.suites import suite
from tests.fakes import SETTINGS, FakeJudge, FakeModel

N = 24


def questions(number=N):
    """Two on each picture, one of them a chart."""
    return [
        Item(
            *("tiny", f"q/{place}", f"What is {place}?", (f"q/{place}",)),
            tags=(("kind", ("chart", "photo")[place % 2]),),
            cluster=f"picture {place // 2}",
        )
        for place in range(number)
    ]


def ran(model, wrong, number=N, **options):
    asked = questions(number)
    settings = replace(SETTINGS, model=model, options=options, limit=number)
    run = runs.create(settings, asked, "here")
    answers = {f"q/{place}": "no" for place in wrong}
    evaluate.evaluate(run, FakeModel(answers), [FakeJudge()])


@dataclass
class MoodyJudge(FakeJudge):
    """Takes a part off for every answer the second time, and wavers on some."""

    def judge(self, item: Item, prediction: Prediction, repeat: int = 0) -> Verdict:
        """Right or wrong, less its mood; it could not read one answer the third time."""
        number = int(item.id.partition("/")[2])
        right = float(prediction.text in item.answers)
        score = right * (0.8, 0.6, 0.9)[repeat] + 0.1 * ((number + repeat) % 3 == 0)
        unread = number == 5 and repeat == 2
        return Verdict(item.id, self.name, self.version, repeat, None if unread else score)


def judged_thrice(model, wrong):
    run = runs.create(replace(SETTINGS, model=model, limit=N), questions(), "here")
    answers = {f"q/{place}": "no" for place in wrong}
    evaluate.evaluate(run, FakeModel(answers), [MoodyJudge()], repeats=3)
    truth = [[f"q/{place}" not in answers] for place in range(N)]
    wavers = [[(place + repeat) % 3 == 0 for repeat in range(3)] for place in range(N)]
    return np.array(truth) * np.array([0.8, 0.6, 0.9]) + 0.1 * np.array(wavers)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALCORE_HOME", str(folder))
        ran("good", [0, 1])
        ran("good", [4], number=8, seed=1)
        ran("bad", range(0, N, 3))
        yield suite.load(build.ensure(), "tiny")


def test_the_run_that_counts_has_the_items_behind_the_figures(data):
    items = data.items
    assert sorted(items.models) == ["bad", "good"]
    assert items.scores.notna().all().all()
    assert items.scores["good"].mean() == pytest.approx(1 - 2 / N)
    assert sorted(suite.composition_of(data, "kind")) == ["chart", "photo", "total"]


def test_cells_and_totals_have_clustered_errors_and_say_so(data):
    total = profiles.totals(data.scores).set_index("model").loc["good"]
    # Both mistakes are on one picture: 12 pictures, one of them all wrong.
    share = np.array([0.0] + [1.0] * 11)
    assert total["se"] == pytest.approx(share.std(ddof=1) / np.sqrt(12))
    assert total["method"] == estimates.BY_ANSWERS
    cells = suite.cells(data, "kind")
    assert cells["method"].eq(estimates.BY_ANSWERS).all()
    assert cells["value"].to_numpy() == pytest.approx(
        [data.items.scores[m].to_numpy()[["chart", "photo"].index(tag) :: 2].mean()
         for m, tag in zip(cells["model"], cells["tag"], strict=True)]
    )  # fmt: skip


def test_figures_that_no_run_gives_keep_what_follows_from_value_and_n(data):
    scores = data.scores.drop(columns=["item_se", "item_low", "item_high", "clusters", "judge_se"])
    scores = scores.assign(value=scores["value"] * 0.99)
    changed = suite.item_scores.with_errors(scores, data.items)
    assert changed["clusters"].isna().all()
    found = profiles.cells(changed, data.benchmarks, "kind")
    assert found["method"].str.startswith("approximate").all()


def test_published_suites_have_no_items(store):
    data = suite.load(store, "vqa360")
    assert data.items is None
    assert suite.composition_of(data, "task_type") == {}


def test_the_shipped_runs_are_compared_question_by_question(store):
    data = suite.load(store, "demo")
    cells = suite.cells(data, "question_type")
    assert set(data.items.models) == set(cells["model"])
    assert cells["method"].str.startswith(estimates.BY_ANSWERS).all()


def test_a_judge_that_was_asked_again_widens_what_it_judged_and_nothing_else(home):
    ran("once", [0, 1])
    verdicts = judged_thrice("thrice", range(4))
    data = suite.load(build.ensure(), "tiny")

    verdicts[5, 2] = np.nan
    (found,) = data.items.repeats
    assert (found.model, found.benchmark) == ("thrice", "tiny")
    np.testing.assert_allclose(found.scores, verdicts)
    total = profiles.totals(data.scores).set_index("model")
    pairs = np.nanmean(verdicts, axis=1)[: N // 2 * 2].reshape(-1, 2).sum(axis=1)
    away = pairs - 2 * np.nanmean(verdicts, axis=1).mean()
    sampling = np.sqrt(12 / 11 * (away**2).sum()) / N
    whole = np.delete(verdicts, 5, axis=0).mean(axis=0)
    judge = whole.std(ddof=1) / np.sqrt(3)
    assert total["se"]["thrice"] == pytest.approx(np.hypot(sampling, judge))
    assert total["method"]["thrice"] == estimates.BY_ANSWERS + estimates.AND_JUDGE
    assert total["method"]["once"] == estimates.BY_ANSWERS


def test_repeats_are_not_read_where_nothing_was_judged_twice(data, monkeypatch):
    monkeypatch.setattr(suite.item_scores.item_results.ItemResults, "grades", None)
    again = suite.load(build.ensure(), "demo")
    assert list(again.items.repeats) == list(data.items.repeats) == []
