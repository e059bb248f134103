"""Questions of one's own: what is read, what is refused and in which words."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from PIL import Image

from evalcore.benchmarks import own_file
from evalcore.errors import BadInput

ROW = {"id": "a", "question": "What is it?", "image": "a.png"}
HEADER = "id,question,image,answers\n"


def jsonl(folder, *rows, name="mine.jsonl"):
    file = folder / name
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return file


def written(folder, name, content):
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def one(file, **options):
    (item,) = own_file.load(file, **options)
    return item


def refusal(file, **options):
    with pytest.raises(BadInput) as caught:
        own_file.load(file, **options)
    return str(caught.value)


def test_every_documented_column_arrives(tmp_path):
    row = ROW | {
        "answers": ["yes, it is", "yes"],
        "choices": ["yes", "no"],
        "cluster": "c",
        "tag:type": ["shape", "colour"],
        "tag:level": "easy",
        "remark": "passed over",
    }

    item = one(jsonl(tmp_path, row), name="mine")

    assert (item.benchmark, item.id, item.question) == ("mine", "a", "What is it?")
    assert item.images == ((tmp_path / "a.png").resolve(),)
    assert item.answers == ("yes, it is", "yes")
    assert item.choices == ("yes", "no")
    assert item.tags == (("type", "shape"), ("type", "colour"), ("level", "easy"))
    assert item.cluster == "c"


@pytest.mark.parametrize(
    ("cell", "answers"),
    [
        ("red", ("red",)),
        ('"red, white"', ("red, white",)),
        ("red|white", ("red|white",)),
        ("None", ("None",)),
        ("NA", ("NA",)),
        ("0.50", ("0.50",)),
        ('"[""4"", ""four""]"', ("4", "four")),
        ("[4]", ("4",)),
        ('"[""[1, 2)""]"', ("[1, 2)",)),
        ("[]", ()),
        ("", ()),
        ("  ", ()),
        ("naïve 日本語", ("naïve 日本語",)),
    ],
)
def test_an_answer_in_csv_is_a_json_list_or_one_answer(tmp_path, cell, answers):
    file = written(tmp_path, "mine.csv", f"{HEADER}a,Why?,a.png,{cell}\n")

    assert one(file).answers == answers


@pytest.mark.parametrize(
    ("cell", "answers"),
    [
        ("[3, 0.50, 1e3]", ("3", "0.50", "1e3")),
        ("7", ("7",)),
        ("123456789012345678901234567890", ("123456789012345678901234567890",)),
        ('["same", "same"]', ("same", "same")),
        ("null", ()),
        ('" red "', ("red",)),
    ],
)
def test_numbers_in_jsonl_keep_their_spelling(tmp_path, cell, answers):
    row = f'{{"id": 1, "question": "Q?", "image": "a.png", "answers": {cell}}}'

    item = one(written(tmp_path, "mine.jsonl", row))

    assert (item.id, item.answers) == ("1", answers)


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("a.png", ["a.png"]),
        ("a.png; b.png", ["a.png", "b.png"]),
        (["a;b.png", "c.png"], ["a;b.png", "c.png"]),
        ('["a;b.png"]', ["a;b.png"]),
        ("sub/../a.png", ["a.png"]),
        ("photo:1.png", ["photo:1.png"]),
        ("", []),
        (None, []),
    ],
)
def test_pictures_are_one_path_or_several(tmp_path, cell, names):
    item = one(jsonl(tmp_path, ROW | {"image": cell}))

    assert item.images == tuple(tmp_path.resolve() / name for name in names)


BROKEN_CELLS = [
    ({"image": "http://x.org/a.png"}, "image 'http://x.org/a.png' is an address; fetch the picture "
     "and give its path"),
    ({"image": "data:image/png;base64,AA"}, "image 'data:image/png;base64,AA' begins like a "
     "picture in Base64 and is none; write data:image/png;base64,... with a whole picture, or a "
     "file's name"),
    ({"image": "../a.png"}, "image '../a.png' lies outside {folder}; move it there (a file of "
     "your own may be read with allow_outside=True)"),
    ({"image": "/etc/a.png"}, "image '/etc/a.png' lies outside {folder}; move it there (a file of "
     "your own may be read with allow_outside=True)"),
    ({"image": "a.png;"}, "image is empty; write a text"),
    ({"image": "a\0.png"}, "image 'a\\x00.png': no file can have that name; give a file's name"),
    ({"image": {"url": "a.png"}}, "image holds \"{{'url': 'a.png'}}\", which is no text; "
     "write a text"),
    ({"question": " "}, "question is empty; write a text"),
    ({"question": None}, "question is empty; write a text"),
    ({"question": "\ud800?"}, "question '\\ud800?' holds half a letter; write whole UTF-8"),
    ({"id": ""}, "id is empty; write a text"),
    ({"id": "a\nb"}, "id 'a\\nb' should be 1 to 200 printable characters"),
    ({"id": "x" * 201}, f"id '{'x' * 40}' should be 1 to 200 printable characters"),
    ({"answers": True}, "answers holds 'True', which is no text; write a text"),
    ({"answers": ["yes", None]}, "answers is empty; write a text"),
    ({"answers": {"text": "yes"}}, "answers holds \"{{'text': 'yes'}}\", which is no text; "
     "write a text"),
    ({"answers": "['a', 'b']"}, "answers \"['a', 'b']\" begins like a list and is no JSON list; "
     'write ["one", "two"] with double quotes'),
    ({"answers": "[" * 5000}, f"answers '{'[' * 60}' begins like a list and is no JSON list; "
     'write ["one", "two"] with double quotes'),
    ({"choices": "yes, no"}, "choices ('yes, no',) should be a JSON list of two or more different "
     "texts"),
    ({"choices": ["yes", "yes"]}, "choices ('yes', 'yes') should be a JSON list of two or more "
     "different texts"),
    ({"tag:type": ["a", ""]}, "tag:type is empty; write a text"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), BROKEN_CELLS)
def test_a_wrong_cell_is_refused_with_its_place(tmp_path, change, message):
    file = jsonl(tmp_path, ROW | {"id": "first"}, ROW | change)

    assert refusal(file) == f"{file}, row 2: {message.format(folder=tmp_path.resolve())}"


BROKEN_FILES = [
    ("mine.csv", "", "{file}: no rows; give at least one question"),
    ("mine.csv", HEADER, "{file}: no rows; give at least one question"),
    ("mine.csv", "id,question\na,Q\n", "{file}: no column 'image'; there are 'id', 'question'. "
     "Name it so, or say which column it is: columns={{'image': ...}}"),
    ("mine.csv", "id,id,question\n", "{file}, row 1: two columns are called 'id'; rename one"),
    ("mine.csv", HEADER + "a,Q,a.png,red, white\n", "{file}, row 2: 5 cells; there should be 4, "
     'as in the header; put "quotes" around a cell with commas'),
    ("mine.csv", HEADER + 'a,Q,a.png,"red"x\n', "{file}, after row 2: broken CSV "
     "(',' expected after '\"')"),
    ("mine.csv", HEADER + 'a,"Two\nlines",a.png,x\na,Q,a.png,y\n', "{file}, row 4: the id 'a' "
     "stands in row 3 too; every row needs an id of its own"),
    ("mine.csv", "id,question,image,answer\na,Q,a.png,x\n", "{file}: the column 'answer' looks "
     "like 'answers'; rename it, or map it: columns={{'answers': 'answer'}}"),
    ("mine.csv", HEADER.encode() + b"a,Q,a.png,caf\xe9\n", "{file}, row 2: this is no UTF-8; "
     "save the file as UTF-8"),
    ("mine.jsonl", '{"id": 1}\n\nid: 2\n', "{file}, row 3: no JSON (Expecting value: line 1 "
     "column 1 (char 0)); write one object a line"),
    ("mine.jsonl", '["a"]\n', "{file}, row 1: '[\"a\"]' is no object; "
     'write {{"id": ..., "question": ...}}'),
    ("mine.jsonl", "\n \n", "{file}: no rows; give at least one question"),
    ("mine.parquet", "PAR1", "{file}: no whole Parquet file (Parquet file size is 4 bytes, "
     "smaller than the minimum file footer (8 bytes))"),
    ("mine.tsv", "id\n", "{file}: the ending '.tsv' is unknown; questions come as .jsonl, .csv, "
     ".parquet"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "message"), BROKEN_FILES)
def test_a_broken_file_is_refused_in_plain_words(tmp_path, name, content, message):
    file = written(tmp_path, name, content)

    assert refusal(file) == message.format(file=file)


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    file = tmp_path / "none.csv"

    assert refusal(file) == f"{file}: there is no such file or folder"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"label": "q"}, "columns maps 'label', which is no field; fields are id, question, image, "
         "answers, choices, cluster and tag:<axis>"),
        ({"tag:": "q"}, "columns maps 'tag:', which is no field; fields are id, question, image, "
         "answers, choices, cluster and tag:<axis>"),
        ({"question": "Q"}, "no column 'Q' (for question); there are 'id', 'q', 'image'"),
    ],
)  # fmt: skip
def test_a_wrong_column_map_is_refused(tmp_path, columns, message):
    file = jsonl(tmp_path, {"id": "a", "q": "Q?", "image": "a.png"})

    assert refusal(file, columns=columns) == f"{file}: {message}"


def test_other_names_are_mapped_onto_the_fields(tmp_path):
    row = {"nr": 1, "q": "Q?", "pics": "a.png", "gold": [{"text": "x"}, {"text": "y"}], "kind": "k"}
    columns = {
        "id": "nr", "question": "q", "image": "pics", "answers": "gold.text", "tag:type": "kind"
    }  # fmt: skip

    item = one(jsonl(tmp_path, row), columns=columns)

    assert (item.id, item.answers, item.tags) == ("1", ("x", "y"), (("type", "k"),))


def test_a_mapped_column_that_is_no_record_is_refused(tmp_path):
    file = jsonl(tmp_path, ROW | {"gold": ["x"]})

    assert refusal(file, columns={"answers": "gold.text"}) == (
        f"{file}, row 1: a record in 'gold' has no 'text'; it is ['x']"
    )


@pytest.mark.parametrize(
    ("are", "answer", "text"),
    [("letter", "B", "no"), ("letter", "a", "yes"), ("index", 1, "no"), ("text", "B", "B")],
)
def test_letters_and_indices_become_the_choices_texts(tmp_path, are, answer, text):
    file = jsonl(tmp_path, ROW | {"answers": answer, "choices": ["yes", "no"]})

    assert one(file, answers_are=are).answers == (text,)


@pytest.mark.parametrize(("are", "answer"), [("letter", "B"), ("index", 1), ("text", "B")])
def test_choices_that_are_pictures_keep_their_letter_as_the_answer(tmp_path, are, answer):
    file = jsonl(tmp_path, ROW | {"answers": answer, "choices": ["<image>", "<image>"]})

    assert one(file, answers_are=are).answers == ("B",)


def test_a_letter_beyond_the_choices_is_refused(tmp_path):
    file = jsonl(tmp_path, ROW | {"answers": "C", "choices": ["yes", "no"]})

    assert refusal(file, answers_are="letter") == (
        f"{file}, row 1: answer 'C' is no letter of a choice; there are A, B"
    )


def test_pictures_outside_the_folder_can_be_allowed(tmp_path):
    file = jsonl(tmp_path, ROW | {"image": "/data/a.png;../b.png"})

    item = one(file, allow_outside=True)

    assert item.images == (Path("/data/a.png"), tmp_path.resolve().parent / "b.png")


def test_a_link_out_of_the_folder_counts_as_outside(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "a.png").symlink_to(tmp_path / "elsewhere.png")

    assert "lies outside" in refusal(jsonl(folder, ROW))


def test_a_folder_is_read_through_its_one_file_of_questions(tmp_path):
    folder = tmp_path / "animals"
    folder.mkdir()
    jsonl(folder, ROW | {"id": "other"}, name="other.jsonl")
    jsonl(folder, ROW, name="questions.jsonl")

    item = one(folder)

    assert (item.benchmark, item.id) == ("animals", "a")


def test_a_folder_without_a_clear_file_of_questions_is_refused(tmp_path):
    should = f"{tmp_path}: the folder should hold one file of questions (.jsonl, .csv, .parquet); "

    assert refusal(tmp_path) == should + "it holds none"

    jsonl(tmp_path, ROW, name="a.jsonl")
    jsonl(tmp_path, ROW, name="b.jsonl")
    assert refusal(tmp_path) == should + "it holds a.jsonl, b.jsonl"


def test_byte_order_marks_and_blank_lines_are_passed_over(tmp_path):
    content = b"\xef\xbb\xbf" + HEADER.encode() + b"\r\na,Q?,a.png,x\r\n\r\n"

    assert one(written(tmp_path, "mine.csv", content)).id == "a"


def test_a_parquet_file_reads_like_the_others(tmp_path):
    table = pa.table(
        {
            "id": [1, 2],
            "question": ["Q?", "R?"],
            "image": ["a.png", None],
            "answers": [["x", "y"], None],
            "tag:level": [3, None],
        }
    )
    parquet.write_table(table, tmp_path / "mine.parquet")

    first, second = own_file.load(tmp_path / "mine.parquet")

    assert (first.id, first.answers, first.tags) == ("1", ("x", "y"), (("level", "3"),))
    assert (second.id, second.answers, second.images, second.tags) == ("2", (), (), ())


def test_pictures_inside_a_parquet_file_are_kept_once(tmp_path, home):
    Image.new("RGB", (4, 4), "red").save(tmp_path / "red.png")
    content = (tmp_path / "red.png").read_bytes()
    pictures = [{"bytes": content, "path": "p.png"}, {"bytes": content, "path": None}]
    table = pa.table({"id": ["a", "b"], "question": ["Q?", "R?"], "image": pictures})
    parquet.write_table(table, tmp_path / "mine.parquet")

    first, second = own_file.load(tmp_path / "mine.parquet")

    assert first.images == second.images
    assert [path for path in home.rglob("*") if path.is_file()] == list(first.images)
    assert first.images[0].read_bytes() == content
    assert first.cluster == second.cluster is not None


def test_questions_about_one_picture_form_a_cluster(tmp_path):
    for name, colour in [("a.png", "red"), ("b.png", "red"), ("c.png", "blue")]:
        Image.new("RGB", (4, 4), colour).save(tmp_path / name)
    rows = [ROW | {"id": name, "image": f"{name}.png"} for name in "abcd"]

    a, b, c, d = own_file.load(jsonl(tmp_path, *rows))

    assert a.cluster is not None
    assert a.cluster == b.cluster
    assert (c.cluster, d.cluster) == (None, None)


def test_a_column_for_each_choice_is_never_passed_over(tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("id,image,question,answers,A,B,C\n1,x.png,Which?,B,red,blue,\n")

    with pytest.raises(BadInput, match="columns 'A' and 'B' look like choices|columns 'A', 'B'"):
        list(own_file.load(file))


def test_a_tag_called_as_the_total_is_refused_and_would_have_vanished_in_it(tmp_path):
    said = refusal(jsonl(tmp_path, ROW | {"tag:kind": ["shape", "total"]}))

    assert said.endswith(
        "tag:kind 'total' is the name of the score over all questions; call the tag something else"
    )
