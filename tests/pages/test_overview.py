"""The Overview page: the answers, the leaderboard and what stands behind them."""

import numpy as np
import pandas as pd
import pytest

from pages.parts.overview import charts as drawing
from tests.pages.opening import charts, table, words

PAGE = "overview"

UPLOAD = "model,benchmark,axis,tag,score,n\n" + "".join(
    f'<b>mine</b>,vqa360,task_type,"{tag}",0.9,1145\n'
    for tag in (
        "Chart Understanding",
        "Document Understanding",
        "Knowledge-based Visual Question-Answering",
        "Visual Question-Answering",
    )
)


def cards(at):
    """Name, score and ties of each card, in order."""
    texts = [part.value.replace("\\", "") for part in at.markdown]
    heads = [place for place, text in enumerate(texts) if text.startswith("####")]
    return [(texts[at_][5:], texts[at_ + 1], texts[at_ + 2]) for at_ in heads]


def leaderboard(at):
    return table(at, "Rank")


def test_cards_name_the_best_the_best_open_and_the_best_small_model_of_vqa360(look):
    found = cards(look())

    assert [name for name, _, _ in found] == ["Gemini 1.5 Pro", "InternVL2-8B", "InternVL2-1B"]
    assert found[0][1] == "72.2 % (95 %: 71.0 to 73.4), n 5,725"
    assert found[1][1].startswith("67.9 %")


def test_total_of_mm_vet_is_the_score_and_a_gap_of_0_8_points_is_a_tie(look):
    best = cards(look({"suite": "mmvet2"}))[0]

    assert best[0] == "Claude 3.5 Sonnet"
    assert best[1] == "71.8 % (95 %: 67.9 to 75.7), n 517"
    assert best[2].startswith("Tied with GPT-4o,")


def test_mean_over_capabilities_has_no_ranks_because_n_is_not_published(look):
    at = look({"suite": "mmvet2", "overview_score": "mean"})

    assert set(leaderboard(at)["Rank"]) == {"not known"}
    assert "71.0" not in cards(at)[0][1]
    assert cards(at)[0][2] == "Ties cannot be judged: n is not published for every tag."


def test_table_has_the_spread_over_judge_runs_beside_the_published_total(look):
    first = leaderboard(look({"suite": "mmvet2"})).iloc[0]

    assert first["Published total, %"] == pytest.approx(71.8)
    assert first["Spread over judge runs"] == "0.2 points, 5 runs"


def test_card_of_small_models_says_its_limit_and_that_none_is_known(look):
    at = look({"suite": "mmvet2"})

    assert "Best small model (at most 3 B parameters)" in [
        caption.value.replace("\\", "") for caption in at.caption
    ]
    assert "None of the shown models is known to be one." in words(at)


def test_small_contrastive_model_has_at_most_200_million_parameters(look):
    small = cards(look({"suite": "openclip"}))[2]

    assert small[0] == "ViT-B-16/datacomp_xl_s13b_b90k"
    assert small[1].endswith("(no interval), n not published")


def test_leaderboard_draws_twenty_models_until_all_are_asked_for(look):
    few, every = look({"suite": "openclip"}), look({"suite": "openclip", "overview_all": True})

    assert len(charts(few)[0]["layout"]["yaxis"]["ticktext"]) == 20
    assert len(charts(every)[0]["layout"]["yaxis"]["ticktext"]) == 121


def test_mark_says_who_is_tied_with_the_best(look):
    names = [trace["name"] for trace in charts(look({"axis": "application_domain"}))[0]["data"]]

    assert names == ["Tied with the best", "Clearly behind the best"]


def test_heat_strip_holds_the_fourteen_domains_with_300_questions_on_a_fixed_scale(look):
    strip = charts(look({"axis": "application_domain"}))[1]

    assert len(strip["layout"]["xaxis"]["ticktext"]) == 14
    assert (strip["data"][0]["zmin"], strip["data"][0]["zmax"]) == (0, 100)


def test_models_of_unknown_size_stand_in_a_strip_of_their_own(look):
    data = charts(look())[2]["data"]

    names = next(trace for trace in data if trace.get("mode") == "text")
    assert names["xaxis"] == "x2"
    assert names["text"] == ["Gemini 1.5 Pro", "GPT-4o mini", "Gemini 1.5 Flash"]


def test_pareto_line_runs_through_models_that_no_smaller_one_reaches(look):
    text = words(look())

    assert "Best of their size or smaller (dashed line): InternVL2-1B and InternVL2-8B." in text


def test_guessing_is_said_where_the_chance_of_benchmarks_is_known(look):
    assert "Guessing would score about 7.9 % (dotted; from the 30 of 31" in words(
        look({"suite": "openclip"})
    )
    assert "Guessing" not in words(look())


def test_weights_of_the_sidebar_change_the_mean(look):
    at = look({"tags_task_type": ["Visual Question-Answering"]})

    assert cards(at)[0][:2] == ("GPT-4o mini", "77.7 % (95 %: 75.3 to 80.1), n 1,145")


def test_weighing_by_unpublished_numbers_of_questions_is_said_not_done(look):
    at = look({"suite": "mmvet2", "overview_score": "mean", "mean": "micro"})

    assert "is not published for all" in at.info[0].value.replace("\\", "")


def test_filter_that_hides_everything_is_said_in_words(look):
    at = look({"suite": "clip-grid", "open": "closed"})

    assert "No model is left to rank: loosen the filters in the sidebar." in words(at)
    assert not at.get("plotly_chart")


def test_least_number_of_questions_that_no_tag_has_is_said_in_words(look):
    assert "No shown model has a score on every tag that counts" in words(
        look({"min_n_vqa360": 9999})
    )


def test_upload_stands_in_the_leaderboard_as_yours_and_its_name_stays_text(page):
    at = page()
    at.file_uploader(key="upload").upload("mine.csv", UPLOAD.encode()).run()

    assert not at.exception
    assert leaderboard(at).iloc[0]["Model"] == "<b>mine</b> (yours)"
    assert "&lt;b&gt;mine&lt;/b&gt; (yours)" in charts(at)[0]["layout"]["yaxis"]["ticktext"]
    assert "diamond" in charts(at)[0]["data"][0]["marker"]["symbol"]


def sized(*rows):
    """Rows of the scatter: name, score, size (None: unknown), on the line."""
    frame = pd.DataFrame(rows, columns=["name", "score", "size", "front"])
    about = {"low": frame["score"], "high": frame["score"], "n_text": "n", "open": "no"}
    return frame.assign(**about, size=frame["size"].astype(float))


def scatter(*rows):
    return drawing.size_scatter(sized(*rows), what="Size", axis_title="Score")


def written(fig):
    """The names beside points of known size."""
    return [text for trace in fig.data if trace.mode == "markers+text" for text in trace.text]


def test_names_in_the_strip_stand_where_they_have_room_and_never_closer_than_a_line():
    unknown = [(name, 0.9 - 0.005 * place, None, False) for place, name in enumerate("abcdefgh")]
    fig = scatter(*unknown, ("known", 0.1, 3.0, True))

    strip = next(trace for trace in fig.data if trace.mode == "text")
    low, high = fig.layout.yaxis.range
    line = drawing.LINE * (high - low) / drawing.TALL
    assert strip.text[0] == "a" and 1 < len(strip.text) < len(unknown)
    assert all(
        above - below >= line - 1e-9 for above, below in zip(strip.y, strip.y[1:], strict=False)
    )


def test_small_models_of_one_size_have_a_tick_and_no_line_of_the_best():
    fig = scatter(("a", 0.9, 0.00075, True), ("b", 0.7, 0.00075, False))

    assert list(fig.layout.xaxis.ticktext) == ["750 k"]
    assert not [trace for trace in fig.data if trace.mode == "lines"]
    assert "a" in written(fig)


def test_the_line_of_the_best_goes_on_to_the_largest_model():
    fig = scatter(("a", 0.9, 1.0, True), ("b", 0.7, 40.0, False))

    line = next(trace for trace in fig.data if trace.mode == "lines")
    assert (list(line.x), list(line.y)) == ([1.0, 40.0], [90.0, 90.0])


@pytest.mark.parametrize("sizes", [(0.0004, 0.0006), (0.9, 1.1), (0.5, 1000), (7, 76), (0.1, 5)])
def test_ticks_are_round_few_and_inside(sizes):
    left, right = np.log10(sizes[0]) - 0.2, np.log10(sizes[1]) + 0.2
    ticks = drawing.size_ticks(pd.Series(sizes), left, right)

    assert 1 <= len(ticks) <= drawing.MOST_TICKS
    assert all(left <= np.log10(tick) <= right for tick in ticks)
    assert {f"{tick:.0e}"[0] for tick in ticks} <= set("1235")


def test_two_names_of_the_line_that_would_meet_are_not_both_written():
    apart = scatter(("first", 0.5, 1.0, True), ("second", 0.9, 70.0, True))
    near = scatter(
        ("first one", 0.89, 50.0, True), ("second one", 0.9, 70.0, True), ("x", 0.0, 1.0, False)
    )

    assert set(written(apart)) - {""} == {"first", "second"}
    assert set(written(near)) - {""} == {"second one"}


def test_it_says_whether_models_were_compared_question_by_question(look):
    measured, printed = look({"suite": "demo"}), look()

    assert "models are compared question by question" in words(measured)
    assert "Only published totals are known here: intervals are approximate" in words(printed)
    assert cards(measured)[0][:2] == ("Demo VLM, strong", "94.4 % (95 %: 92.0 to 96.1), n 500")
    assert cards(measured)[0][2] == "No other model is tied with it."
    board = leaderboard(measured).set_index("Model")
    blind = board.loc[["Demo VLM, strong, without picture", "Demo VLM, weak, without picture"]]
    assert set(blind["Rank"]) == {"3–4"}
