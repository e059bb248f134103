"""The Samples page: which questions lie behind a score, and what was said to them."""

import io
import json
from pathlib import Path

import pandas as pd
import pytest

from evalcore import home as homes
from evalcore import notes
from evalcore.store import build
from evalcore.suites import item_results
from pages.parts.samples import filters
from pages.parts.samples.filters import Filter, masks, rows_shown
from pages.shared import pictures, samples, text
from tests import hostile
from tests.pages.opening import opened, words

NO_PICTURE = (
    "Picture passwd cannot be decoded (no picture that is known); it should be a whole PNG, JPEG, "
    "WEBP, GIF, BMP or TIFF file."
)
NO_LABELS = pd.DataFrame(columns=notes.LABELS)


@pytest.fixture(scope="module")
def home_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALCORE_HOME", str(folder))
        hostile.ran(tmp_path_factory.mktemp("pictures"))
        hostile.silent()
        build.ensure()
    return folder


@pytest.fixture
def here(home_folder, monkeypatch):
    monkeypatch.setenv("EVALCORE_HOME", str(home_folder))
    monkeypatch.setenv("EVALCORE_ALLOW_WRITE", "1")
    yield home_folder
    for path in (home_folder / "notes").glob("*"):
        path.unlink()


@pytest.fixture
def page(here):
    def page(benchmark="easy-vqa", **link):
        return opened("samples", samples_of=benchmark, **link)

    return page


@pytest.fixture
def demo(here):
    return item_results.load(build.ensure(), "easy-vqa")


@pytest.fixture
def evil(here):
    return item_results.load(build.ensure(), "hostile")


def test_an_answer_that_was_cut_off_says_so_beside_it(page):
    told = [words(page("hostile", sample=f"q/{at}")) for at in (2, 3, 4)]

    assert ["Cut off at its limit of tokens." in one for one in told] == [False, False, True]


def opens(page):
    return [one for one in page.button if (one.key or "").startswith("open_")]


def test_the_first_page_shows_24_items_and_says_that_the_runs_are_a_demo(page):
    shown = page()

    assert not shown.exception and not shown.error
    assert len(opens(shown)) == 24
    assert "500 of 500 items" in words(shown)
    assert any("Runs marked (demo) ship with Sextant" in one.value for one in shown.info)


def test_disagreements_can_be_opened_one_after_the_other_and_flagged(page, demo):
    chosen = list(demo.entries.index)
    listed = rows_shown(
        demo,
        Filter(tuple(chosen), filters.DISAGREE),
        masks(demo, chosen, NO_LABELS),
        (),
        None,
    )
    shown = page(samples_outcome="Models disagree")
    assert f"{len(listed)} of 500 items" in words(shown)

    opens(shown)[0].click().run()
    assert f"1 of {len(listed)}" in words(shown)
    shown.button(key="sample_next").click().run()

    assert shown.text_input(key="sample").value == listed[1]
    assert not shown.exception
    shown.text_input(key=f"why_{listed[1]}").input("two answers fit").run()
    next(one for one in shown.button if one.label == "Flag as wrong").click().run()
    assert notes.flagged("easy-vqa")[["item", "why"]].values.tolist() == [
        [listed[1], "two answers fit"]
    ]
    assert "1 of 500 items flagged" in words(shown)
    table = next(one.value for one in shown.dataframe if "Change, points" in one.value)
    row = table.iloc[0]
    score = demo.scores[chosen[0]].drop(listed[1]).mean()
    assert row["Score without flagged, %"] == pytest.approx(100 * score)
    assert row["Questions without flagged"] == 499


def test_a_second_press_goes_on_while_the_browser_still_tells_of_the_item_before(page, demo):
    items = list(demo.items.index)
    shown = page(sample=items[0])
    shown.button(key="sample_next").click().run()

    shown.text_input(key="sample").set_value(items[0])
    shown.button(key="sample_next").click().run()

    assert shown.text_input(key="sample").value == items[2]


def test_a_link_opens_the_item(page):
    shown = page(sample="test/2276")

    assert "does the image contain a green shape?" in [one.value for one in shown.text]
    assert not opens(shown)


def test_the_link_names_what_the_page_opened_with(page):
    said = [one.value for one in page(sample="test/2276").code]

    assert any("samples_of=easy-vqa" in one and "samples_metric=exact" in one for one in said)


def test_an_item_that_is_not_there_is_said(page):
    assert "no item of that id" in page(sample="nothing").warning[0].value


def test_hostile_text_is_drawn_as_text_only(page):
    for item in range(4):
        shown = page("hostile", sample=f"q/{item}")
        assert not shown.exception
        assert hostile.ANSWERS[item] in [one.value for one in shown.text]
        assert "evil" not in "\n".join(one.value for one in (*shown.markdown, *shown.caption))
    assert "evil" not in words(page("hostile"), "markdown", "caption")


def test_a_long_answer_is_cut_until_all_of_it_is_asked_for(page):
    shown = page("hostile", sample="q/4")
    assert max(len(one.value) for one in shown.text) < 3_000

    shown.toggle[0].set_value(True).run()

    parts = text.parts(hostile.LONG)
    assert parts[0].strip() in [one.value for one in shown.text]
    assert f"Part 1 of {len(parts)}" in words(shown)


@pytest.mark.parametrize(
    ("whole", "most"),
    [
        (hostile.LONG, text.PART),
        (hostile.UNBROKEN, text.SMALL_PART),
        ("short", text.PART),
        (f"{'a b ' * 6_000}{hostile.UNBROKEN[:2_000]}", text.SMALL_PART),
    ],
)
def test_the_parts_of_a_text_are_all_of_it_and_what_has_no_space_comes_in_smaller_ones(whole, most):
    parts = text.parts(whole)

    assert "".join(parts) == whole
    assert max(map(len, parts)) <= most
    assert all(len(part) > 0.8 * most for part in parts[:-1])
    assert most == text.SMALL_PART or all(part.endswith(" ") for part in parts[:-1])


def test_answers_are_labelled_whatever_their_pictures_and_texts_hold(here):
    shown = opened("judges", judges_part="Check with your labels", judges_benchmark="hostile")
    shown.text_input(key="judges_rater").input("ann").run()
    said = set()
    for _ in hostile.ANSWERS:
        assert not shown.exception
        said |= {one.value for one in shown.main.text}
        assert "evil" not in "\n".join(one.value for one in (*shown.markdown, *shown.caption))
        assert max(len(one.value) for one in shown.main.text) < 3_000
        next(one for one in shown.button if one.label == "Cannot tell").click().run()

    assert len(notes.labels("hostile")) == len(hostile.ANSWERS)
    assert {*hostile.ANSWERS[:4], NO_PICTURE} <= said
    assert {"Picture gone.png is missing.", f"Picture {hostile.NAME} is missing."} <= said


def test_a_run_of_which_every_answer_failed_is_shown_and_told_of(page):
    shown = page("silence", samples_outcome=filters.ERROR, sample="q/1")
    assert not shown.exception
    assert "3 of 3 items" in words(shown)
    assert "No usable answer: empty answer" in [one.value for one in shown.text]
    assert "silent-1b: no score" in words(shown).replace("*", "")

    compared = opened("compare", compare_benchmark="silence")
    assert not compared.exception
    told = compared.info[0].value.replace("\\", "")
    assert "of model silent-1b has no scored answer: all 3 failed." in told


def test_the_address_holds_the_page_of_the_list_until_another_is_listed(page, demo):
    shown = page(samples_page="2")
    items = [one.key.removeprefix("open_") for one in opens(shown)]
    assert items == list(demo.items.index[24:48])

    shown.text_input(key="samples_text").input("circle").run()

    assert "samples_page" not in shown.query_params
    assert opens(shown)[0].key.removeprefix("open_") in list(demo.items.index[:24])


def test_a_picture_that_is_missing_or_none_is_said(page):
    said = [one.value for one in page("hostile").text]

    assert "Picture gone.png is missing." in said
    assert NO_PICTURE in said


def test_pictures_are_drawn_anew_and_never_taken_from_outside(here, tmp_path):
    good = tmp_path / "good.png"
    good.write_bytes(hostile.png() + b"a secret behind the picture")
    outside = homes.runs_folder() / "x" / ".." / ".." / ".." / "good.png"

    copy = pictures.look(str(good), 100)

    assert isinstance(copy, bytes) and b"secret" not in copy
    assert pictures.look(str(outside), 100) == pictures.OUTSIDE
    assert pictures.look("/etc/passwd", 100).startswith("cannot be decoded (no picture")
    assert pictures.look("bad\0name.png", 100) == pictures.MISSING


def test_every_shipped_picture_is_there(demo):
    paths = {path for images in demo.items["images"] for path in images}

    assert all(isinstance(pictures.look(path, 64), bytes) for path in sorted(paths)[:20])
    assert all(Path(path).is_file() for path in paths)


def test_patterns_are_those_of_a_loop_over_the_items(demo):
    chosen = list(demo.entries.index[demo.entries["metric"] == "exact"][:4])
    found = masks(demo, chosen, NO_LABELS)

    for item, row in demo.scores[chosen].head(100).iterrows():
        assert found["All right"][item] == all(row == 1)
        assert found["All wrong"][item] == all(row == 0)
        assert found["Models disagree"][item] == (len(set(row)) == 2)
        assert found["Only one right"][item] == (sum(row) == 1)


def test_tags_text_and_flags_narrow_the_selection(demo):
    chosen = tuple(demo.entries.index)
    found = masks(demo, chosen, NO_LABELS)

    def left(flagged=(), containing=None, **asked):
        return rows_shown(demo, Filter(chosen, **asked), found, flagged, containing)

    colour = demo.tags.loc[demo.tags["tag"] == "colour", "item"]
    one = str(demo.items.index[0])
    assert set(left(tags={"question_type": ["colour"]})) == set(colour)
    assert left(containing=frozenset({one})) == [one]
    assert left([one], flags="Flagged") == [one]
    assert one not in left([one], flags="Not flagged")
    only = left(only=chosen[0])
    assert (demo.scores.loc[only, chosen[0]] == 1).all()
    assert (demo.scores.loc[only, list(chosen[1:])] == 0).all(axis=None)


def test_where_most_people_say_otherwise_the_judge_disagrees(demo):
    entry = str(demo.entries.index[0])
    run = str(demo.entries.loc[entry, "run"])
    item = str(demo.scores.index[demo.scores[entry] == 1][0])
    said = [(run, item, rater, label, "t") for rater, label in (("a", "no"), ("b", "no"))]
    labels = pd.DataFrame([*said, (run, item, "c", "unsure", "t")], columns=notes.LABELS)

    found = masks(demo, [entry], labels)["Judge and person disagree"]

    assert list(found.index[found]) == [item]


def test_what_is_taken_away_holds_every_answer_and_no_formula(evil):
    listed, entries = list(evil.items.index), list(evil.entries.index)

    rows = [json.loads(one) for one in _lines(samples.exported(evil, listed, entries, "jsonl"))]
    table = pd.read_csv(io.StringIO(samples.exported(evil, listed, entries, "csv")))

    assert [row["text"] for row in rows] == list(hostile.ANSWERS)
    assert rows[0]["tags"] == [["<b>kind</b>", "<i>0</i>"]]
    assert rows[0]["pictures"] == ["good.png", "good.png"]
    assert table["text"][3] == f"'{hostile.FORMULA}"
    assert len(table) == len(hostile.ANSWERS)


def _lines(text):
    return text.rstrip("\n").split("\n")


def test_without_leave_to_write_nothing_can_be_flagged(page, monkeypatch):
    monkeypatch.setenv("EVALCORE_ALLOW_WRITE", "0")
    shown = page(sample="test/2276")

    assert "Flag as wrong" not in [one.label for one in shown.button]
    assert "Flagging is off" in words(shown)
