"""The Judges page: the published check, blind labels and what follows, a judge replaced."""

import json
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pytest

from evalcore import notes
from evalcore.analysis import corrected
from evalcore.home import ROOT
from evalcore.store import build
from evalcore.suites import item_results, labelled
from evalcore.suites.labelled import disagreements
from pages.parts.judges import judge_tables, labelling
from pages.parts.samples import filters
from tests import judged_world as world
from tests.pages.opening import opened, table, words


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A home with two models and two judges; gives it and model → run."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALCORE_HOME", str(folder))
        made = world.ran(folder)
        world.ran_abilities()
        build.build()
    return folder, made


@pytest.fixture
def page(judged, monkeypatch):
    """Open the page; notes of earlier tests are gone."""
    folder, _ = judged
    for file in (folder / "notes").glob("*"):
        file.unlink()
    monkeypatch.setenv("EVALCORE_HOME", str(folder))

    def run(part="own", *, allowed=True, **state):
        monkeypatch.setenv("EVALCORE_ALLOW_WRITE", "1" if allowed else "0")
        at = opened("judges", {"judges_part": part} | state)
        assert not at.exception
        return at

    return run


def tables(at):
    return [one.value for one in at.main.dataframe]


def say(at, label):
    return next(one for one in at.button if one.label == label).click().run()


def shown(at):
    """The run is hidden, so only question and answer."""
    return [element.value for element in at.main.text]


def test_the_papers_better_judge_without_the_picture_is_told_with_its_figures(page):
    said = words(page("published"))

    assert "GoEval-mini (GPT-4o mini): 87.0 % agreement" in said
    assert "80.3 % agreement" in said and "n 539" in said
    assert "8,500 tokens for GPT-4o mini, which adds 1.27 USD to 1,000 verdicts" in said
    assert "BERTScore: the printed accuracy of 1.3 % is below any coin's 50 %" in said


def test_the_papers_table_9_is_shown_with_its_disagreements(page):
    at = page("published")

    rows = table(at, "People say", "Judge says")
    assert len(rows) == 5
    differ = rows[rows["They"] == "disagree"]["Question"].tolist()
    assert differ == [
        "What number is closest to the number of people that are pushing the bus?",
        "Is there any difference between the male and female values?",
    ]
    assert "disagree on 2 of them" in words(at)


def test_table_9_is_quoted_as_printed(store, shared):
    paper = (shared / "papers" / "vqa360-goeval.txt").read_text("utf-8")
    rows = pd.read_csv(ROOT / "precomputed" / "figures" / "tables" / "judge_examples.csv")

    mark = {1: "✓", 0: "×"}
    for row in rows.to_dict("records"):
        cells = [row["question"], row["printed_references"], row["answer"]]
        line = "\t".join([*cells, mark[row["human"]], mark[row["judged"]]])
        assert line in paper


def test_labelling_needs_a_name_first(page):
    at = page()

    assert "Type a name to begin" in words(at)
    assert not [one for one in at.button if one.label == "Right"]


def test_an_answer_is_shown_as_text_without_the_models_name(page, judged):
    at = page(judges_rater="ann", judges_benchmark="tiny")

    told = "\n".join(shown(at))
    assert "What is q/" in told
    assert world.STRONG not in told and world.WEAK not in told
    assert judged[1][world.STRONG] not in words(at)


def test_labels_are_noted_and_the_next_answer_comes(page, judged):
    at = page(judges_rater="ann", judges_benchmark="tiny")
    first = shown(at)

    say(at, "Right")
    say(at, "Cannot tell")

    assert shown(at) != first
    noted = notes.labels("tiny")
    assert noted["label"].tolist() == ["yes", "unsure"]
    assert set(noted["rater"]) == {"ann"}
    assert set(noted["run"]) <= set(judged[1].values())


def test_labelling_goes_on_where_it_stopped_and_raters_see_one_order(page):
    at = page(judges_rater="ann", judges_benchmark="tiny")
    first = shown(at)
    say(at, "Wrong")
    second = shown(at)

    again = page(judges_rater="ann", judges_benchmark="tiny")
    assert shown(again) == second
    again.text_input(key="judges_rater").set_value("bob").run()
    assert shown(again) == first


def test_back_shows_the_last_label_and_another_takes_its_place(page):
    at = page(judges_rater="ann", judges_benchmark="tiny")
    first = shown(at)
    say(at, "Wrong")

    at.button(key="judges_back").click().run()
    assert shown(at) == first
    assert "You said: wrong" in words(at)
    say(at, "Right")

    assert notes.labels("tiny")["label"].tolist() == ["yes"]


def test_figures_change_with_the_labels(page, judged):
    for model, item, rater, label in world.every()[::2]:
        notes.label("tiny", item, judged[1][model], rater, label)
    at = page(judges_benchmark="tiny", judges_to_all_False=False)
    before = table(at, "Kappa x 100").set_index("Judge")
    assert before.loc["exact", "Accuracy, %"] == 100
    assert before.loc["kind", "n"] == 40

    for model, item, rater, _ in world.every()[:20:2]:
        notes.label("tiny", item, judged[1][model], rater, "yes")
    after = table(at.run(), "Kappa x 100").set_index("Judge")

    assert after.loc["exact", "Accuracy, %"] < 100


def test_corrected_scores_stand_beside_raw_ones_with_their_reason(page, judged):
    for model, item, rater, label in world.every():
        if model == world.WEAK:
            notes.label("tiny", item, judged[1][model], rater, label)
    at = page(judges_benchmark="tiny", judges_metric_tiny="kind")

    rows = table(at, "Rank corrected").set_index("Model")
    assert rows.loc[world.WEAK, "Raw, %"] == 70
    assert rows.loc[world.WEAK, "Corrected, %"] == 40
    assert rows.loc[world.STRONG, "No correction because"] == "no labels"
    assert np.isnan(rows.loc[world.STRONG, "Corrected, %"])


def test_a_file_of_labels_stays_in_the_session(page):
    at = page(judges_benchmark="tiny")
    at.file_uploader(key="judges_file").upload("mine.csv", world.csv(*world.every())).run()

    assert not at.exception
    assert "80 labels of mine.csv" in words(at)
    assert table(at, "Kappa x 100").set_index("Judge").loc["kind", "Accuracy, %"] == 80
    assert notes.labels("tiny").empty


def test_the_disagreeing_answers_of_a_file_stand_on_judges_and_samples(page):
    at = page(judges_benchmark="tiny")
    at.file_uploader(key="judges_file").upload("mine.csv", world.csv(*world.every())).run()

    rows = table(at, "People say", "Sample")
    assert "On 16 of 80 labelled answers with a verdict a judge says otherwise" in words(at)
    assert len(rows) == 16 and set(rows["kind gives"]) == {1} and set(rows["exact gives"]) == {0}
    asked = parse_qs(urlsplit(rows["Sample"].iloc[0]).query)
    assert (asked["samples_metric"], asked["sample"]) == (["kind"], ["q/0"])

    at.session_state["samples_of"], at.session_state["samples_metric"] = "tiny", "kind"
    at.session_state["samples_outcome"] = "Judge and person disagree"
    at.switch_page("pages/samples.py").run()
    assert not at.exception
    assert "12 of 40 items." in words(at)
    assert "What people say is taken from mine.csv" in words(at)


def test_grades_of_people_disagree_with_a_judge_too(judged, monkeypatch):
    monkeypatch.setenv("EVALCORE_HOME", str(judged[0]))
    found = item_results.load(build.ensure(), "tiny")
    run = judged[1][world.WEAK]
    entry = found.entries.index[(found.entries["run"] == run) & (found.entries["metric"] == "kind")]
    # The judge passes q/0 and q/2, and not q/1.
    said = [(run, "q/0", "0.2"), (run, "q/1", "0.2"), (run, "q/2", "0.8"), (run, "q/2", "0.2")]
    labels = pd.DataFrame(said, columns=["run", "item", "label"]).assign(rater=list("aaab"))

    against = filters.masks(found, list(entry), labels)[filters.JUDGE]
    rows = disagreements(labelled.labelled(found, labels))

    assert list(against.index[against]) == ["q/0"]
    # The mean of 0.8 and 0.2 is a yes, which "exact" denies.
    told = rows[rows["differs"]][["item", "metric", "human"]].to_numpy().tolist()
    assert told == [["q/0", "kind", 0.2], ["q/2", "exact", 0.5]]


def test_judges_that_agree_equally_often_are_told_as_equal(page, judged):
    for model, item, rater, label in world.every():
        if int(item[2:]) % 2:  # on odd items both judges are right
            notes.label("tiny", item, judged[1][model], rater, label)

    said = words(page(judges_benchmark="tiny", judges_to_all_False=False))

    assert "agree with people equally often, on 100.0 %; Cohen's kappa 1.00 and 1.00" in said
    assert "Least:" not in said


def test_a_raw_score_that_no_labels_fit_is_told_with_the_models_name():
    """A judge right on 9 of 10 labels of one model says yes to no answer of the other."""
    kind = {"score": [1.0, 0.0] * 50, "human": [*[1.0, 0.0] * 45, *[0.0, 1.0] * 5], "entry": "a"}
    none = {"score": [0.0] * 200, "human": [np.nan] * 200, "entry": "b"}
    rows = pd.concat([pd.DataFrame(kind), pd.DataFrame(none)], ignore_index=True)
    found = corrected.correct(rows.assign(item=rows.index, cluster=rows.index))

    said = judge_tables.unfit_words(found, {"a": "model A", "b": "model B"})
    table = judge_tables.corrected_table(found, ["A", "B"]).set_index("Model")

    assert said.endswith("do not fit together for model B; the table says why.")
    # (0 + 0.9 - 1) / (0.9 + 0.9 - 1)
    assert "-12.5 %" in table.loc["B", "Of one error rate"]
    assert pd.isna(table.loc["A", "Of one error rate"])
    assert table["By one error rate, %"].isna().tolist() == [False, True]


def test_a_link_holds_judge_and_weights_and_mmvets_run(page, judged):
    for model, item, rater, label in world.every():
        notes.label("tiny", item, judged[1][model], rater, label)

    own = {"judges_part": "Check with your labels", "judges_benchmark": "tiny"}
    at = opened("judges", **own, judges_metric_tiny="kind", judges_to_all_False="false")
    assert not at.exception
    assert table(at, "Rank corrected").set_index("Model").loc[world.WEAK, "Raw, %"] == 70
    assert at.toggle(key="judges_to_all_False").value is False
    at = opened("judges", judges_part="MM-Vet tables", judges_mmvet_run_abilities="gone")
    assert "The link asks for judges_mmvet_run_abilities" in words(at)
    at = opened("judges", judges_part="MM-Vet tables", judges_mmvet_benchmark="gone")
    assert "The link asks for judges_mmvet_benchmark" in words(at)


def test_a_wrong_file_is_refused_in_words(page):
    at = page(judges_benchmark="tiny")
    content = b"model,item,label\nweak-1b,q/1,perhaps\n"
    at.file_uploader(key="judges_file").upload("mine.csv", content).run()

    assert not at.exception
    assert "mine.csv, line 2: label 'perhaps' should be yes, no, unsure" in words(at)


def test_nobody_labels_where_writing_is_not_allowed(page):
    at = page(allowed=False, judges_rater="ann", judges_benchmark="tiny")

    assert "Labelling here is off" in words(at)
    assert not [one for one in at.button if one.label == "Right"]


def test_a_judge_is_replaced_with_offset_and_ranking(page):
    at = page("bridge", judges_bridge_benchmark="tiny", judges_old="exact", judges_new_exact="kind")

    said = words(at)
    # 4 of 40 and 12 of 40 wrong answers pass: 10 and 30 points, 20 on the mean
    assert "kind gives +20.0 points against exact" in said
    assert "The ranking is the same under both." in said
    rows = table(at, "New minus old, points").set_index("Model")
    assert rows["New minus old, points"].to_dict() == {world.STRONG: 10, world.WEAK: 30}


def test_a_gap_that_shrinks_has_a_minus_and_no_hyphen(page):
    at = page("bridge", judges_bridge_benchmark="tiny", judges_old="kind", judges_new_kind="exact")

    assert "exact gives −20.0 points against kind (95 %: −" in words(at)
    assert "-20" not in words(at)


@pytest.mark.parametrize(
    ("contrastive", "demo", "says", "command"),
    [
        (True, False, "so there is no judge to replace", ""),
        (False, True, "the demo runs are only read", "python -m evalcore run --model MODEL"),
        (False, False, "(there is exact)", "python -m evalcore judge run-b run-a --judge JUDGE"),
    ],
)
def test_what_to_do_about_one_judge_fits_the_kind_of_run(contrastive, demo, says, command):
    entries = pd.DataFrame(
        {"run": ["run-a", "run-b"], "metric": "exact", "created": ["2026-01-01", "2026-01-02"]}
    ).assign(contrastive=contrastive, demo=demo)
    none = pd.DataFrame()
    found = item_results.ItemResults("tiny", none, none, entries, *[none] * 4, *[lambda: none] * 2)

    said, told = judge_tables.another_judge(found)

    assert says in said and told.startswith(command) and bool(told) == bool(command)


def test_a_graded_run_has_mmvets_tables(page):
    at = page("mmvet")

    rows = table(at, "Judge runs").set_index(["Kind", "Of"])
    assert rows["Grade, %"].to_dict() == {
        ("Capability", "ocr"): 66.7,
        ("Capability", "math"): 50,
        ("Exact set", "ocr"): 75,
        ("Exact set", "math+ocr"): 50,
        ("Total", "total"): 66.7,
    }
    assert set(rows["Judge runs"]) == {2}
    shares = table(at, "Questions", "Share, %").set_index(["Kind", "Of"])["Share, %"]
    assert shares["capability", "math"] == 33.3


def test_the_queue_is_even_over_models_and_verdicts(judged, monkeypatch):
    monkeypatch.setenv("EVALCORE_HOME", str(judged[0]))
    found = item_results.load(build.ensure(), "tiny")

    rows = labelling.queue(found, [world.STRONG, world.WEAK])

    assert len(rows) == 80 and not rows.duplicated().any()
    # each run has answers that both judges pass, that neither does, and that only one does
    first = rows.head(6)
    assert first["run"].value_counts().tolist() == [3, 3]
    patterns = {
        tuple(sorted(found.scores.loc[row.item, found.entries["run"] == row.run]))
        for row in first.itertuples()
    }
    assert patterns == {(1, 1), (0, 0), (0, 1)}
    assert labelling.queue(found, [world.STRONG, world.WEAK]).equals(rows)
    assert labelling.queue(found, []).empty


def test_unknown_prices_give_no_sentence():
    none = pd.DataFrame(columns=["model", "by_maker", "as_of", "rule"])

    assert judge_tables.picture_cost(none, none) == ""


def test_charts_have_names_for_screen_readers(page, judged):
    for model, item, rater, label in world.every()[::2]:
        notes.label("tiny", item, judged[1][model], rater, label)

    charts = page(judges_benchmark="tiny").get("plotly_chart")

    assert len(charts) == 2
    assert all(chart.proto.alt for chart in charts)
    assert all(json.loads(chart.proto.spec)["data"] for chart in charts)
