"""Files that a person may name by mistake or in malice: one sentence, bounded time and memory."""

import base64
import io
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from PIL import Image

from evalcore.benchmarks import hf, mmvet2, own_file, vqa360
from evalcore.cli import agreement
from evalcore.contrastive import digits
from evalcore.contrastive import prompts as class_prompts
from evalcore.errors import BadInput
from evalcore.importers import own_csv, own_labels
from evalcore.judges import prompts
from evalcore.messages import MASK
from evalcore.models import answers
from tests.fuzz import TIMES, damaged

ROOT = Path(__file__).resolve().parents[2]
SECRETS = (
    "sk-proj-Zq81aaBBccDD22", "AIzaSyD4ffGGhh55iiJJkk", "hf_ZZyyXXwwVVuu", "ghp_11223344556677",
    "hunter2andmore", "s3cr3t-of-the-database", "MIIEvQIBADANBg", "eyJhbGciOiJIUzI1NiJ9",
)  # fmt: skip
ENV = f"""OPENAI_API_KEY={SECRETS[0]}
export GEMINI_API_KEY="{SECRETS[1]}"
HF_TOKEN = {SECRETS[2]}
github: {SECRETS[3]}
password: {SECRETS[4]}
DATABASE_URL=postgres://me:{SECRETS[5]}@db.example/x
Authorization: Bearer {SECRETS[7]}
-----BEGIN PRIVATE KEY-----{SECRETS[6]}
"""


def labels_of(path):
    """What ``agreement --labels`` opens before it reads a row."""

    class Asked:
        labels = str(path)
        show = "judges"

    return agreement._labels(None, Asked())


def split_of(path):
    """A VQA360 folder whose one question is this file."""
    for part in (vqa360.DATA, vqa360.TAGS):
        (path.parent / part).mkdir(exist_ok=True)
    inner = path.parent / vqa360.DATA / "Toy_1.json"
    inner.symlink_to(path)
    return list(vqa360.load(path.parent, allow_missing_images=True))


READERS = {
    "questions as JSONL": (own_file.load, ".jsonl"),
    "questions as CSV": (own_file.load, ".csv"),
    "questions as Parquet": (own_file.load, ".parquet"),
    "answers as JSON": (answers.read, ".json"),
    "answers as JSONL": (answers.read, ".jsonl"),
    "answers as CSV": (answers.read, ".csv"),
    "answers as Parquet": (answers.read, ".parquet"),
    "answers by name": (lambda path: answers.named(str(path)), ".json"),
    "MM-Vet v2": (lambda path: mmvet2.load(path, allow_missing_images=True), ".json"),
    "a judge's prompt": (prompts.read, ".txt"),
    "class names": (lambda path: class_prompts.given(str(path), "b"), ".json"),
    "captions as text": (digits.count, ".txt"),
    "captions as CSV": (digits.count, ".csv"),
    "captions packed": (digits.count, ".csv.gz"),
    "captions as Parquet": (digits.count, ".parquet"),
    "labels": (labels_of, ".csv"),
}


def a_folder(path):
    path.mkdir()
    return path


def a_pipe(path):
    os.mkfifo(path)
    return path


def a_socket(path):
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path.name)
    return path


def a_device(path):
    path.symlink_to("/dev/zero")
    return path


def a_loop(path):
    path.symlink_to(path)
    return path


def huge(path):
    with path.open("wb") as file:
        file.truncate(10**13)
    return path


PATHS = {
    "missing": (lambda path: path, "there is no such file"),
    "below a file": (lambda path: Path(__file__) / path.name, "there is no such file"),
    "a folder": (a_folder, "it is a folder; give a file"),
    "a pipe": (a_pipe, "it is a pipe; give a file"),
    "a socket": (a_socket, "it is a socket; give a file"),
    "a device": (a_device, "it is a device; give a file"),
    "links in a circle": (a_loop, "its links lead round in a circle"),
    "a long name": (lambda path: path.with_name("n" * 300 + path.suffix), "the name is too long"),
    "a long path": (lambda path: path.parent / ("n/" * 50_000 + path.name), "name is too long"),
    "a zero byte": (lambda path: path.with_name("a\0" + path.suffix), "no file can have that name"),
    "ten terabytes": (huge, "at most"),
}
IN_FOLDERS = ("the folder should hold one file", "mm-vet-v2.json: there is no such file")
WITHOUT_LIMIT = {"captions as text", "captions as CSV", "captions packed", "captions as Parquet"}
"""Corpora of any size are read piece by piece."""


@pytest.fixture
def patient():
    """A reader that waits for a pipe ends its test instead of all."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.alarm(60)
    yield
    signal.alarm(0)


@pytest.mark.parametrize("kind", PATHS)
@pytest.mark.parametrize("reader", READERS)
def test_no_reader_opens_what_is_no_ordinary_file(tmp_path, monkeypatch, patient, reader, kind):
    if kind == "ten terabytes" and reader in WITHOUT_LIMIT:
        pytest.skip("a corpus may be of any size")
    monkeypatch.chdir(tmp_path)
    read, ending = READERS[reader]
    make, words = PATHS[kind]
    path = make(tmp_path / f"a{ending}")

    with pytest.raises(BadInput) as caught:
        read(path)

    said = str(caught.value)
    assert words in said or (kind == "a folder" and any(one in said for one in IN_FOLDERS))
    assert len(said) < 600
    assert "Errno" not in said


KNOWN_SCORES = own_csv.Stored(pd.DataFrame(columns=["benchmark", "axis", "tag"]), frozenset())
KNOWN_RUNS = own_labels.AnswersToLabel({"r": ["q"]}, {"m": ["r"]})
ALSO = {
    "own scores": (lambda path: own_csv.read(path.read_bytes(), "a.csv", KNOWN_SCORES), ".csv"),
    "labels": (lambda path: own_labels.read(path.read_bytes(), "a.csv", KNOWN_RUNS), ".csv"),
    "VQA360": (split_of, ".json"),
}
ALL = READERS | ALSO


@pytest.mark.parametrize("header", ["", "id,question,image,answers,id\n", '{"id": 1}\n', "id\n"])
@pytest.mark.parametrize("reader", ALL)
def test_no_error_quotes_a_key_of_a_file_named_by_mistake(tmp_path, reader, header):
    read, ending = ALL[reader]
    for number, order in enumerate(range(len(ENV.splitlines()))):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / f"a{ending}"
        lines = ENV.splitlines()
        path.write_text(header + "\n".join(lines[order:] + lines[:order]))

        try:
            read(path)
        except BadInput as error:
            said = str(error)
            assert [secret for secret in SECRETS if secret[:8] in said] == []
            assert len(said) < 700


@pytest.mark.parametrize(
    "row",
    [
        {"id": "a", "question": "Q?", "image": f"KEY={SECRETS[0]}" + "x" * 5000},
        {"id": f"KEY={SECRETS[0]}" + "x" * 300, "question": "Q?", "image": ""},
        {"id": "a", "question": "Q?", "image": "", "answers": {"key": SECRETS[0]}},
        {"id": "a", "question": "Q?", "image": "", "answers": f"[{SECRETS[0]}"},
        {"id": "a", "question": "Q?", "image": {"token": SECRETS[0]}},
        {"id": "a", f"question={SECRETS[0]}": "Q?", "image": ""},
    ],
)
def test_no_cell_with_a_key_is_quoted(tmp_path, row):
    (tmp_path / "a.jsonl").write_text(json.dumps(row))

    with pytest.raises(BadInput) as caught:
        own_file.load(tmp_path / "a.jsonl")

    assert SECRETS[0][:8] not in str(caught.value)
    assert MASK in str(caught.value) or "question" in str(caught.value)


# Names that stand twice, pictures in cells, other ways of writing a table.


@pytest.mark.parametrize("line", ['{"id": 2, "id": 3}', '{"id": 2, "x": {"a": 1, "a": 1}}'])
def test_a_name_that_stands_twice_in_an_object_is_refused_with_its_row(tmp_path, line):
    file = tmp_path / "a.jsonl"
    file.write_text('{"id": 1, "question": "Q?", "image": ""}\n' + line)

    for read in (own_file.load, answers.read):
        with pytest.raises(BadInput, match=r"row 2: no JSON \('(id|a)' stands twice\)"):
            read(file)


def picture():
    held = io.BytesIO()
    Image.new("RGB", (9, 5), "red").save(held, "PNG")
    return held.getvalue()


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
@pytest.mark.parametrize("head", ["", "data:image/png;base64,", "data:image/png;charset=x;base64,"])
def test_a_picture_in_base64_is_the_picture(tmp_path, home, ending, head):
    cell = head + base64.b64encode(picture()).decode()
    row = {"id": "a", "question": "Q?", "image": cell}
    file = tmp_path / f"a{ending}"
    pd.DataFrame([row]).to_csv(tmp_path / "a.csv", index=False)
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    pd.DataFrame([row]).to_parquet(tmp_path / "a.parquet")

    (item,) = own_file.load(file)

    assert [path.read_bytes() for path in item.images] == [picture()]


def test_a_long_picture_in_a_csv_cell_is_read(tmp_path, home):
    large = io.BytesIO()
    Image.effect_noise((500, 500), 90).save(large, "PNG")
    cell = base64.b64encode(large.getvalue()).decode()
    (tmp_path / "a.csv").write_text(f"id,question,image\na,Q?,{cell}\n")

    (item,) = own_file.load(tmp_path / "a.csv")

    assert len(cell) > 131_072
    assert item.images[0].read_bytes() == large.getvalue()


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("data:image/png;base64,AAAA", "begins like a picture in Base64 and is none"),
        ("data:text/plain,hello", "begins like a picture in Base64 and is none"),
        ("data:image/png;base64,not base64!", "begins like a picture in Base64 and is none"),
        (base64.b64encode(picture() * 99).decode() + "!", "begins like a picture in Base64"),
        ("x" * 1_000_000, "the name is too long for a file"),
        ("n/" * 500_000, "the name is too long for a file"),
        (";".join("ab" * 600_000), "image names 1,200,000 pictures; at most 1000"),
        ("a\0.png", "no file can have that name"),
        (".", "it is a folder"),
        ("loop.png", "its links lead round in a circle"),
        ("pipe.png", "it is a pipe"),
    ],
)
def test_a_strange_picture_cell_is_refused_in_a_short_sentence(tmp_path, patient, cell, words):
    (tmp_path / "loop.png").symlink_to(tmp_path / "loop.png")
    os.mkfifo(tmp_path / "pipe.png")
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"id": "a", "question": "Q?", "image": cell}))

    with pytest.raises(BadInput) as caught:
        own_file.load(file)

    assert str(caught.value).startswith(f"{file}, row 1: image ")
    assert words in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("sign", [";", "\t"])
def test_cells_may_be_parted_as_spreadsheets_do(tmp_path, sign):
    lines = [("id", "question", "image", "answers"), ("a", "Q, or what?", "", "0,5")]
    (tmp_path / "a.csv").write_text("\n".join(sign.join(line) for line in lines), "utf-8-sig")

    (item,) = own_file.load(tmp_path / "a.csv")

    assert (item.id, item.question, item.answers) == ("a", "Q, or what?", ("0,5",))


@pytest.mark.parametrize("form", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
@pytest.mark.parametrize("ending", [".jsonl", ".csv"])
def test_other_encodings_are_told_and_a_byte_order_mark_is_passed_over(tmp_path, form, ending):
    text = {
        ".jsonl": '{"id": "a", "question": "Größe?", "image": ""}',
        ".csv": "id,question,image\na,Größe?,\n",
    }[ending]
    file = tmp_path / f"a{ending}"
    file.write_bytes(text.encode(form))
    if form == "utf-8-sig":
        assert [item.question for item in own_file.load(file)] == ["Größe?"]
        return

    with pytest.raises(BadInput, match=r", row \d: .*save the file as UTF-8$"):
        own_file.load(file)


# Small files that unpack to much: a process of its own, with little memory and time.


def write(path, table):
    parquet.write_table(pa.table(table), path)


def repeated(length, count):
    one = pa.array(["x" * length])
    return pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), one)


def long_questions(path):
    write(path, {"id": pa.array(range(300_000)), "question": repeated(900_000, 300_000),
                 "image": repeated(0, 300_000)})  # fmt: skip


def one_endless_list(path):
    texts = repeated(1_000_000, 2_000_000)
    offsets = pa.array([0, 2_000_000], pa.int32())
    write(path, {"id": ["a"], "question": ["Q?"], "image": [""],
                 "answers": pa.ListArray.from_arrays(offsets, texts)})  # fmt: skip


def many_rows(path):
    write(path, {name: repeated(5, 5_000_000) for name in ("id", "question", "image")})


def a_huge_cell(path):
    write(path, {"id": ["a"], "question": ["x" * 200_000_000], "image": [""]})


def many_columns(path):
    rows = ({"id": n, "question": "Q?", "image": "", f"answer{n}xyz": 1} for n in range(60_000))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def many_names(path):
    pairs = ",".join(f'"answer{n}": 1' for n in range(300_000))
    path.write_text(f'{{"id": "a", "question": "Q?", "image": "", {pairs}}}')


def twice_at_the_end(path):
    pairs = ",".join(f'"a{n}": 1' for n in range(300_000))
    path.write_text(f'{{{pairs}, "a299999": 2}}')


def wide_header(path):
    path.write_text(",".join(f"answer{n}" for n in range(500_000)) + "\n")


def brackets(path):
    path.write_text('{"id": "a", "question": "Q?", "image": "", "answers": ' + "[" * 3_000_000)


def empty_lists(path):
    path.write_text('{"id": "a", "answers": [' + ",".join(["[]"] * 15_000_000) + "]}")


def long_numbers(path):
    path.write_text(
        '{"id": 1e999999, "question": "Q?", "image": "", "answers": ' + "9" * 20_000_000 + "}"
    )


def long_path(path):
    path.write_text(json.dumps({"id": "a", "question": "Q?", "image": "../" * 2_000_000}))


def digits(path):
    path.write_text(f'{{"id": "a", "question": "Q?", "image": "", "{"1" * 2_000_000}x": 1}}')


def line_breaks(path):
    path.write_bytes(b"\n" * 90_000_000)


BOMBS = {
    "one long question 300,000 times": (long_questions, ".parquet"),
    "a list of two million long answers": (one_endless_list, ".parquet"),
    "five million rows": (many_rows, ".parquet"),
    "a cell of 200 MB": (a_huge_cell, ".parquet"),
    "another column a row": (many_columns, ".jsonl"),
    "300,000 names in a row": (many_names, ".jsonl"),
    "a name twice, far apart": (twice_at_the_end, ".jsonl"),
    "500,000 columns": (wide_header, ".csv"),
    "three million brackets": (brackets, ".jsonl"),
    "15 million lists": (empty_lists, ".jsonl"),
    "a number of 20 million digits": (long_numbers, ".jsonl"),
    "a path of 6 MB": (long_path, ".jsonl"),
    "a name of 2 million digits": (digits, ".jsonl"),
    "90 million empty lines": (line_breaks, ".jsonl"),
}
SECONDS, BYTES = 60, 4_000_000_000
READ = """
import sys, json
from evalcore.benchmarks import own_file
from evalcore.models import answers
from evalcore.errors import BadInput
for read in (own_file.load, answers.read):
    try:
        print(len(list(read(__import__("pathlib").Path(sys.argv[1])))), "read")
    except BadInput as error:
        print(str(error))
"""


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


@pytest.mark.parametrize("kind", BOMBS)
def test_a_small_file_that_holds_too_much_is_refused_in_bounded_time_and_memory(tmp_path, kind):
    make, ending = BOMBS[kind]
    file = tmp_path / f"a{ending}"
    make(file)
    assert file.stat().st_size < 100_000_000

    done = subprocess.run(
        [sys.executable, "-c", READ, str(file)],
        cwd=ROOT, capture_output=True, text=True, check=False, preexec_fn=limited,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr[-2000:]
    for line in done.stdout.splitlines():
        assert line.startswith(str(file)) or line == "1 read"
        assert len(line) < 600


# Fuzz.

TEXTS = ("id", "question", "image", "tag:kind")
CASES = 300 * TIMES


def sound(folder, ending):
    rows = [
        {"id": f"q{n}", "question": f"What is {n}?", "image": "a.png",
         "answers": ["one", f"{n}"], "choices": ["one", f"{n}"], "tag:kind": "x"}
        for n in range(1, 5)
    ]  # fmt: skip
    file = folder / f"mine{ending}"
    if ending == ".jsonl":
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif ending == ".csv":
        cells = [
            {k: json.dumps(v) if isinstance(v, list) else v for k, v in r.items()} for r in rows
        ]
        pd.DataFrame(cells).to_csv(file, index=False)
    else:
        pd.DataFrame(rows).to_parquet(file)
    return file


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
def test_a_damaged_file_of_questions_is_read_or_told_and_nothing_is_written(
    tmp_path, home, patient, ending
):
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    content = sound(tmp_path, ending).read_bytes()
    file = tmp_path / f"mine{ending}"
    dice = random.Random(11)
    signal.alarm(60 + CASES // 4)
    for case in range(CASES // 3):
        file.write_bytes(damaged(content, dice))
        try:
            items = list(own_file.load(file))
        except BadInput as error:
            assert str(error).startswith(str(file)), case
            assert "\n" not in str(error), case
            assert len(str(error)) < 800, case
            continue
        assert all(item.id and item.question.strip() for item in items), case
        assert len({item.id for item in items}) == len(items), case
    assert not home.exists() or not any(home.iterdir())


# Folders for the package datasets.


@pytest.mark.parametrize("kind", ["a pipe", "links in a circle", "a device", "five million rows"])
def test_a_folder_with_what_the_package_would_wait_for_is_refused(tmp_path, monkeypatch, kind):
    monkeypatch.setitem(sys.modules, "datasets", None)
    path = tmp_path / "train.parquet"
    (many_rows if kind in BOMBS else PATHS[kind][0])(path)

    with pytest.raises(BadInput) as caught:
        hf.load(tmp_path)

    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("source", ["", "  ", "x" * 5000, "a\0b", "a\nb"])
def test_a_data_set_without_a_name_is_refused(source):
    with pytest.raises(BadInput, match="names no data set"):
        hf.load(source)
