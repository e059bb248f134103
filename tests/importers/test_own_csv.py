import math

import pandas as pd
import pytest

from evalcore.errors import BadInput
from evalcore.importers import own_csv
from evalcore.store import queries

HEADER = "model,benchmark,axis,tag,score,n"
PLACE = "vqa360,task_type,Chart Understanding"
GOOD = f"mine,{PLACE},0.5,10"
ONLY = "model, benchmark, axis, tag, score, n"
COLUMNS = f"{ONLY}, and may be suite, metric, judge too"
TAGS = (
    "Chart Understanding, Document Understanding, Knowledge-based Visual Question-Answering, "
    "Visual Question-Answering"
)
NAME = "the model's name must be 1 to 100 printable characters"

BROKEN_FILES = [
    (b"", f"mine.csv, row 1: the columns are missing; they should be {COLUMNS}"),
    (b"\n\n", f"mine.csv, row 1: the columns are missing; they should be {COLUMNS}"),
    (f"{HEADER}\n", "mine.csv: no row below the header; give at least one score"),
    ("a,b\n1,2\n", f"mine.csv, row 1: the columns are a, b; they should be {COLUMNS}"),
    (
        f"{HEADER},n\n{GOOD},10\n",
        f"mine.csv, row 1: the columns are {ONLY}, n; they should be {COLUMNS}",
    ),
    (
        HEADER.replace(",", ";"),
        f"mine.csv, row 1: the columns are {HEADER.replace(',', ';')}; they should be {COLUMNS}",
    ),
    (b"x" * 50_000_000, "mine.csv: 50 MB; a file of scores may have at most 2 MB"),
    (
        f"{HEADER}\n{GOOD}\0\n",
        "mine.csv: holds zero bytes, so it is no text file; save it as CSV UTF-8",
    ),
    (b"PK\x03\x04\x14\x00\xff", "mine.csv: not UTF-8 text (byte 6); save it as CSV UTF-8"),
    (
        f"{HEADER}\nmoyen-é,{PLACE},0.5,\n".encode("latin-1"),
        "mine.csv: not UTF-8 text (byte 39); save it as CSV UTF-8",
    ),
    (HEADER + f"\n{GOOD}" * 30_000, "mine.csv: 30001 rows; at most 20000 are taken"),
    (
        f'"{HEADER}\n{GOOD}\n',
        "mine.csv, after row 0: broken CSV (unexpected end of data)",
    ),
    (
        f'{HEADER}\n{GOOD}\n"yours,{PLACE},0.5,10\n',
        "mine.csv, after row 2: broken CSV (unexpected end of data)",
    ),
    (
        "x" * 200_000,
        "mine.csv, after row 0: broken CSV (field larger than field limit (131072))",
    ),
    (f"{HEADER}\n{GOOD},7\n", "mine.csv, row 2: not 6 cells"),
    (f"{HEADER}\nmine,vqa360\n", "mine.csv, row 2: not 6 cells"),
    (
        f"{HEADER}\n{GOOD}\n\n{GOOD}\n",
        "mine.csv, row 4: a second score of 'mine' for 'Chart Understanding'; keep one",
    ),
]
WRONG_SCORES = [
    ("1.7", "; per cent? then divide by 100"),
    ("83", "; per cent? then divide by 100"),
    ("100", "; per cent? then divide by 100"),
    ("101", ""),
    ("-0.1", ""),
    ("nan", ""),
    ("inf", ""),
    ("83%", ""),
    ("1e400", ""),
    ("half", ""),
]
WRONG_COUNTS = ["0", "2.5", "-3", "1e3", "²", "many", "10000000000", "9" * 5000, "0000000000000100"]
WRONG_PLACES = [
    ("vqa360,task_type,Charts", f"unknown tag 'Charts'; known here: {TAGS}"),
    (
        "vqa360,tasks,Chart Understanding",
        "unknown axis 'tasks'; known here: application_domain, knowledge_type, task_type",
    ),
    (
        "mm-vet-v1,capability,ocr",
        "unknown tag 'ocr'; known here: total",
    ),
]
WRONG_MODELS = [
    ("", NAME),
    ("   ", NAME),
    ("m\x07bell", NAME),
    ("m\u202egnp", NAME),
    ("x" * 10_000, NAME),
    (
        "gpt-4o-mini",
        "'gpt-4o-mini' is a model of the store; give yours another name, such as 'my-gpt-4o-mini'",
    ),
]
HOSTILE_MODELS = [
    "=1+1",
    "<img src=x onerror=alert(1)>",
    "[a](http://evil.example)",
    "'; DROP TABLE score; --",
    "模型",
    "x" * 100,
]


@pytest.fixture(scope="module")
def known(store):
    suites = ("vqa360", "mmvet2", "openclip", "clip-grid")
    scores = pd.concat([queries.scores(store, suite) for suite in suites])
    models = frozenset(queries.table(store, "models")["model"])
    return own_csv.Stored(own_csv.places(scores), models)


def read(content, known):
    raw = content if isinstance(content, bytes) else content.encode()
    return own_csv.read(raw, "mine.csv", known)


def problem(content, known):
    with pytest.raises(BadInput) as caught:
        read(content, known)
    return str(caught.value)


def test_a_row_becomes_a_score_beside_the_published_ones(store, known):
    row = read(f"{HEADER}\n{GOOD}\n", known).iloc[0]

    assert (row["suite"], row["model"], row["value"], row["n"]) == ("vqa360", "mine", 0.5, 10)
    assert (row["kind"], row["source"], row["printed_value"]) == ("uploaded", "upload", "0.5")
    assert (row["metric"], row["judge"]) == ("goeval-mini-ref-image", "gpt-4o-mini")


def test_an_upload_has_the_columns_of_the_stored_scores(store, known):
    uploaded = read(f"{HEADER}\n{GOOD}\n", known)

    assert set(uploaded) == set(queries.scores(store, "vqa360"))


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_any_line_ending_and_a_byte_order_mark_are_read(known, ending, mark):
    assert len(read(f"{mark}{HEADER}{ending}{GOOD}{ending}", known)) == 1


def test_columns_may_stand_in_any_order_with_spaces_around(known):
    text = f"score, n ,model,benchmark,axis,tag\n 0.5 , 10 , mine ,{PLACE}\n"

    pd.testing.assert_frame_equal(read(text, known), read(f"{HEADER}\n{GOOD}\n", known))


@pytest.mark.parametrize("score", ["0", "1", "0.5", "5e-1", "1.0"])
def test_a_score_from_0_to_1_is_taken(known, score):
    assert read(f"{HEADER}\nmine,{PLACE},{score},\n", known)["value"].item() == float(score)


def test_an_empty_n_is_unknown(known):
    assert math.isnan(read(f"{HEADER}\nmine,{PLACE},0.5,\n", known)["n"].item())


@pytest.mark.parametrize("count", ["1", "1000000000"])
def test_a_whole_n_is_taken(known, count):
    assert read(f"{HEADER}\nmine,{PLACE},0.5,{count}\n", known)["n"].item() == float(count)


@pytest.mark.parametrize(("content", "message"), BROKEN_FILES, ids=range(len(BROKEN_FILES)))
def test_a_broken_file_is_refused_with_its_place(known, content, message):
    assert problem(content, known) == message


@pytest.mark.parametrize(("score", "hint"), WRONG_SCORES)
def test_a_score_that_is_no_fraction_is_refused(known, score, hint):
    text = f"{HEADER}\nmine,{PLACE},{score},\n"

    assert problem(text, known) == f"mine.csv, row 2: score {score!r} is no number in 0..1{hint}"


@pytest.mark.parametrize("count", WRONG_COUNTS, ids=range(len(WRONG_COUNTS)))
def test_an_n_that_is_no_count_is_refused(known, count):
    text = f"{HEADER}\nmine,{PLACE},0.5,{count}\n"

    assert problem(text, known) == (
        f"mine.csv, row 2: n {count[:40]!r} is no whole number from 1 to 1,000,000,000; "
        "leave it empty if unknown"
    )


@pytest.mark.parametrize(("place", "message"), WRONG_PLACES)
def test_an_unknown_place_is_refused_with_the_known_ones(known, place, message):
    assert problem(f"{HEADER}\nmine,{place},0.5,\n", known) == f"mine.csv, row 2: {message}"


def test_an_unknown_benchmark_is_refused_with_the_first_forty_known(known):
    message = problem(f"{HEADER}\nmine,vqa361,task_type,x,0.5,\n", known)

    assert message.startswith(
        "mine.csv, row 2: unknown benchmark 'vqa361'; known here: caltech101,"
    )
    assert message.count(",") == 40
    assert message.endswith(" …")


@pytest.mark.parametrize(("model", "message"), WRONG_MODELS, ids=range(len(WRONG_MODELS)))
def test_a_name_that_cannot_be_shown_or_is_taken_is_refused(known, model, message):
    assert problem(f"{HEADER}\n{model},{PLACE},0.5,\n", known) == f"mine.csv, row 2: {message}"


@pytest.mark.parametrize("model", HOSTILE_MODELS)
def test_a_hostile_name_is_only_text(known, model):
    assert read(f"{HEADER}\n{model},{PLACE},0.5,\n", known)["model"].item() == model


def test_a_file_with_one_wrong_row_is_not_taken_in_part(known):
    text = f"{HEADER}\n{GOOD}\nyours,{PLACE},7,\n"

    assert problem(text, known).startswith("mine.csv, row 3: score '7'")


@pytest.mark.parametrize(
    ("suite", "axis", "tags"),
    [
        ("vqa360", "task_type", 4),
        ("vqa360", "application_domain", 24),
        ("mmvet2", "integration", 17),
    ],
)
def test_a_filled_in_template_is_read(known, suite, axis, tags):
    filled = own_csv.template(known, suite, axis).replace(",,,", ",0.5,,")

    uploaded = read(filled, known)

    assert len(uploaded) == tags
    assert set(uploaded["suite"]) == {suite}


def test_a_template_that_was_not_filled_in_is_refused(known):
    text = own_csv.template(known, "vqa360", "task_type")

    assert problem(text, known) == (
        "mine.csv, row 2: no score; give a number in 0..1 or delete the row"
    )


TWICE = "mine,imagenet1k,benchmark,imagenet1k,0.7,"


def test_a_benchmark_of_two_suites_is_asked_about(known):
    assert problem(f"{HEADER}\n{TWICE}\n", known) == (
        "mine.csv, row 2: 'imagenet1k' stands in 2 suites (clip-grid, openclip); say in a column "
        "suite beside which yours belongs"
    )


@pytest.mark.parametrize("suite", ["clip-grid", "openclip"])
def test_a_score_stands_in_the_suite_that_was_said_and_in_no_other(known, suite):
    found = read(f"{HEADER},suite\n{TWICE},{suite}\n", known)

    assert found["suite"].tolist() == [suite]


def test_one_file_may_have_scores_for_several_suites(known):
    found = read(f"{HEADER},suite\n{TWICE},openclip\n{TWICE},clip-grid\n", known)

    assert sorted(found["suite"]) == ["clip-grid", "openclip"]


@pytest.mark.parametrize(
    ("column", "right", "wrong"),
    [
        ("suite", "vqa360", "mmvet2"),
        ("metric", "goeval-mini-ref-image", "accuracy"),
        ("judge", "gpt-4o-mini", "gpt-4"),
    ],
)
def test_what_is_said_of_a_score_has_to_fit_its_place(known, column, right, wrong):
    assert len(read(f"{HEADER},{column}\n{GOOD},{right}\n", known)) == 1
    assert problem(f"{HEADER},{column}\n{GOOD},{wrong}\n", known) == (
        f"mine.csv, row 2: {column} '{wrong}' is not that of 'vqa360' there ({right}); scores of "
        f"another {column} do not compare"
    )


@pytest.fixture
def pope():
    """F1 in two suites, accuracy in a third."""
    place = {"benchmark": "pope", "axis": "benchmark", "tag": "pope", "judge": ""}
    rows = [("one", "f1"), ("two", "f1"), ("three", "accuracy")]
    frame = pd.DataFrame([{**place, "suite": suite, "metric": metric} for suite, metric in rows])
    return own_csv.Stored(own_csv.places(frame), frozenset())


def test_an_accuracy_does_not_take_the_place_of_an_f1(pope):
    row = "mine,pope,benchmark,pope,0.87,"

    for columns, cells in ((HEADER, row), (f"{HEADER},suite", f"{row},one")):
        assert problem(f"{columns}\n{cells}\n", pope) == (
            "mine.csv, row 2: 'pope' is measured by accuracy and by f1; say which yours is in a "
            "column metric"
        )
    # Accuracy is unambiguous then; F1 is in two suites.
    found = read(f"{HEADER},metric\n{row},accuracy\n", pope)
    assert found[["suite", "metric"]].to_numpy().tolist() == [["three", "accuracy"]]
    assert "stands in 2 suites (one, two)" in problem(f"{HEADER},metric\n{row},f1\n", pope)
    assert "metric 'accuracy' is not that of 'pope' there (f1)" in problem(
        f"{HEADER},suite,metric\n{row},one,accuracy\n", pope
    )


def test_a_suite_has_the_place_of_the_metric_that_it_shows():
    place = {"suite": "s", "benchmark": "b", "axis": "benchmark", "tag": "b", "judge": ""}
    frame = pd.DataFrame([{**place, "metric": name} for name in ("f1", "accuracy", "accuracy")])

    assert own_csv.places(frame)["metric"].tolist() == ["accuracy"]


@pytest.mark.parametrize("scores", [("83", "0.9"), ("0.9", "83"), ("77", "0.5", "100")])
def test_a_column_of_two_scales_is_asked_about_with_both_rows(known, scores):
    tags = ("Chart Understanding", "Document Understanding", "Visual Question-Answering")
    rows = [
        f"mine,vqa360,task_type,{tag},{score}," for tag, score in zip(tags, scores, strict=False)
    ]

    said = problem("\n".join([HEADER, *rows]), known)

    large = next(place for place, score in enumerate(scores, start=2) if float(score) > 1)
    small = next(place for place, score in enumerate(scores, start=2) if float(score) < 1)
    assert said.startswith(f"mine.csv, row {large}: score '{scores[large - 2]}' looks like per")
    assert f"'{scores[small - 2]}' in row {small} like a fraction" in said
