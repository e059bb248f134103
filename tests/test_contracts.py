"""What every judge, adapter, loader and importer has to keep, over the registries themselves.

A new row is run through all of this. Where it needs something to run with (a server, a folder, a
file), it takes a line in ``ADAPTER_CASES``, ``LOADER_CASES`` or ``IMPORTER_CASES``; a row without
one fails and is named.
"""

import json
import re
from dataclasses import replace

import pandas as pd
import pytest
from PIL import Image

from evalcore.benchmarks import LOADERS, sampling
from evalcore.errors import BadInput, EvalcoreError
from evalcore.home import ROOT
from evalcore.importers import IMPORTERS, own_csv, own_labels
from evalcore.judges import JUDGES, Setup, make
from evalcore.models import ADAPTERS, adapter_options
from evalcore.models.calls import Patience
from evalcore.records import Item, Prediction
from tests import hostile
from tests.judges.askers import Scripted
from tests.models.fake_api import Answer, serving

README = (ROOT / "README.md").read_text("utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
HOSTILE = (*hostile.ANSWERS, "\0", "half a letter \ud83d", "```", "{" * 2_000)
BLANK = (None, "", "  \n\t")


def stands_in_readme(name):
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", README) is not None


@pytest.mark.parametrize("name", [*JUDGES, *ADAPTERS, *LOADERS])
def test_a_row_of_a_registry_stands_in_the_readme(name):
    assert stands_in_readme(name), f"README.md names every judge, adapter and loader; add {name!r}"


@pytest.mark.parametrize("kind", ["judge", "adapter", "loader", "importer", "figures"])
def test_contributing_has_a_row_for_one_more(kind):
    table = CONTRIBUTING.split("## Adding things")[1].split("\n## ")[0]

    assert re.search(rf"(?m)^\| [^|]*\b{kind}", table), f"CONTRIBUTING.md has no row for a {kind}"


# Judges


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A text encoder of a few kilobytes with random weights."""
    import transformers

    from tests.models.tiny_vlms import new_tokenizer

    folder = tmp_path_factory.mktemp("encoder")
    new_tokenizer(["<mask>"]).save_pretrained(folder)
    small = {"hidden_size": 8, "intermediate_size": 8, "max_position_embeddings": 64}
    config = transformers.RobertaConfig(
        vocab_size=600, num_hidden_layers=1, num_attention_heads=1, **small
    )
    transformers.RobertaModel(config).save_pretrained(folder)
    return folder


@pytest.fixture
def made(encoder, tmp_path):
    """Makes a judge by its name, with what its kind needs and the reply of its example."""
    Image.new("RGB", (4, 4)).save(tmp_path / "red.png")

    def judge(name):
        asker = Scripted(JUDGES[name].example.reply)
        try:
            return make(name, Setup(asker=asker, encoder=encoder, layer=1))
        except EvalcoreError as error:
            if "pip install" not in str(error):
                raise
            pytest.skip(str(error))

    return judge


def case(name, folder):
    example = JUDGES[name].example
    picture = (folder / "red.png",)
    item = Item("b", "1", "Which?", example.references, picture, example.choices)
    return item, Prediction("1", example.answer)


@pytest.mark.parametrize("name", JUDGES)
def test_a_judge_names_its_source_and_scores_its_example_as_published(name, made, tmp_path):
    item, prediction = case(name, tmp_path)

    verdict = made(name).judge(item, prediction)

    assert JUDGES[name].source.strip()
    assert verdict.score == pytest.approx(JUDGES[name].example.score), verdict.reason


@pytest.mark.parametrize("name", JUDGES)
def test_a_judge_says_the_same_again_and_when_made_anew(name, made, tmp_path):
    asked = case(name, tmp_path)
    first, again = made(name), made(name)

    assert (first.name, first.version) == (again.name, again.version)
    assert first.name.startswith(name)
    score = first.judge(*asked).score
    assert [judge.judge(*asked).score for judge in (first, again)] == [score, score]
    assert first.judge(*asked, repeat=1).repeat == 1


@pytest.mark.parametrize("name", JUDGES)
def test_what_was_not_answered_has_no_score_and_a_reason(name, made, tmp_path):
    item, _ = case(name, tmp_path)
    judge = made(name)
    unanswered = [Prediction("1", text) for text in BLANK] + [Prediction("1", "red", error="late")]

    verdicts = [judge.judge(item, prediction) for prediction in unanswered]

    assert [verdict.score for verdict in verdicts] == [None] * len(unanswered)
    assert all(verdict.reason for verdict in verdicts)


@pytest.mark.parametrize("name", JUDGES)
def test_no_text_makes_a_judge_fail_or_leave_the_scale(name, made, tmp_path):
    item, _ = case(name, tmp_path)
    judge = made(name)

    for text in HOSTILE:
        for asked in (item, replace(item, answers=(text,)), replace(item, answers=())):
            verdict = judge.judge(asked, Prediction("1", text))
            assert verdict.score is None or 0 <= verdict.score <= 1
            assert verdict.score is not None or verdict.reason


# Adapters

QUICK = {"patience": Patience(attempts=1, first_wait_s=0.001), "concurrency": 1}
CHAT = {"choices": [{"message": {"content": "red"}, "finish_reason": "stop"}], "usage": {}}
GEMINI = {
    "candidates": [
        {"content": {"role": "model", "parts": [{"text": "red"}]}, "finishReason": "STOP"}
    ],
    "usageMetadata": {},
}


def from_file(folder, questions):
    file = folder / "mine.json"
    file.write_text(json.dumps({item.id: "red" for item in questions}), "utf-8")
    return ADAPTERS["answers"](str(file))


def over(body, adapter, version):
    def model(folder, questions, monkeypatch, stack):
        for name in ("OPENAI_API_KEY", "GEMINI_API_KEY"):
            monkeypatch.setenv(name, "for-tests")
        api = stack(serving(Answer(body)))
        return ADAPTERS[adapter]("small", base_url=f"{api.url}{version}", **QUICK)

    return model


def with_own_code(folder):
    from tests.models import test_remote_code_vlm as own

    path = own.write(folder, "chat", own.CHAT)
    return ADAPTERS["remote-code"](path, trust_remote_code=True, device="cpu", dtype="float32")


DEMO = str(ROOT / "data" / "demo_models" / "demo-vlm-weak")
ADAPTER_CASES = {
    "answers": lambda folder, questions, *_: from_file(folder, questions),
    "chance": lambda *_: ADAPTERS["chance"](),
    "gemini": over(GEMINI, "gemini", ""),
    "most-frequent": lambda *_: ADAPTERS["most-frequent"](),
    "openai": over(CHAT, "openai", "/v1"),
    "remote-code": lambda folder, *_: with_own_code(folder),
    "transformers": lambda *_: ADAPTERS["transformers"](DEMO, image_size=None, device="cpu"),
}


@pytest.fixture
def questions(tmp_path):
    Image.new("RGB", (64, 64), "red").save(tmp_path / "red.png")
    texts = ("Which colour?", hostile.SCRIPT, hostile.MARKDOWN)
    picture = (tmp_path / "red.png",)
    return [Item("b", f"q{at}", text, ("red",), picture) for at, text in enumerate(texts)]


@pytest.fixture
def stack():
    """Opens context managers until the test ends."""
    from contextlib import ExitStack

    with ExitStack() as opened:
        yield opened.enter_context


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_answers_each_item_once_whatever_it_asks(
    name, questions, tmp_path, monkeypatch, stack
):
    assert name in ADAPTER_CASES, f"ADAPTER_CASES of tests/test_contracts.py lacks {name!r}"
    model = ADAPTER_CASES[name](tmp_path, questions, monkeypatch, stack)
    model.know(questions)

    predictions = {prediction.item: prediction for prediction in model.predict(iter(questions))}

    assert predictions.keys() == {item.id for item in questions}
    assert all(one.text is not None or one.error for one in predictions.values())
    assert list(model.predict(iter(()))) == []
    assert all(isinstance(value, str) for value in model.facts().values())


@pytest.mark.parametrize("name", ADAPTERS)
def test_what_an_adapter_says_of_itself_fits_its_options(name):
    kind, options = ADAPTERS[name], adapter_options(name)

    assert kind.may_be_blind == ("blind" in options)
    assert kind.seeded == ("seed" in options)
    assert kind.calls_api == ("base_url" in options)


# Loaders


def own_questions(folder):
    row = {"id": "q1", "question": hostile.SCRIPT, "answers": ["red"], "image": "red.png"}
    (folder / "mine.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    return {"path": folder / "mine.jsonl"}


def mm_vet_v2(folder):
    entry = {"question": f"{hostile.SCRIPT}<IMG>red.png", "answer": "red", "capability": ["ocr"]}
    (folder / "images").mkdir()
    (folder / "red.png").rename(folder / "images" / "red.png")
    path = folder / "mm-vet-v2.json"
    path.write_text(json.dumps({"v2_0": {**entry, "added_in": "v1"}}), "utf-8")
    return {"path": folder}


def vqa_360(folder):
    about = {"dataset": "ChartQA", "key": 1}
    parts = {
        "data": {"question": hostile.SCRIPT, "label": ["red"]},
        "task_instance_classifications": {
            "task_type": "T", "application_domain": ["D"], "knowledge_type": ["K"],
        },
    }  # fmt: skip
    for part, more in parts.items():
        (folder / part).mkdir()
        (folder / part / "ChartQA_1.json").write_text(json.dumps(about | more), "utf-8")
    (folder / "images").mkdir()
    (folder / "red.png").rename(folder / "images" / "ChartQA_1.png")
    return {"path": folder}


def hugging_face(folder):
    datasets = pytest.importorskip("datasets", reason="the package datasets is not installed")
    picture = Image.open(folder / "red.png")
    rows = {"question": [hostile.SCRIPT], "image": [picture], "answers": ["red"]}
    data = datasets.Dataset.from_dict(rows).cast_column("image", datasets.Image())
    datasets.DatasetDict({"test": data}).save_to_disk(folder / "toy")
    return {"path": str(folder / "toy")}


LOADER_CASES = {
    "easy-vqa": lambda _: {},
    "file": own_questions,
    "hf": hugging_face,
    "mm-vet-v2": mm_vet_v2,
    "vqa360": vqa_360,
}


@pytest.mark.parametrize("name", LOADERS)
def test_a_loader_gives_whole_items_the_same_each_time(name, questions, tmp_path, home):
    assert name in LOADER_CASES, f"LOADER_CASES of tests/test_contracts.py lacks {name!r}"
    options = LOADER_CASES[name](tmp_path)

    items = list(LOADERS[name](**options))

    assert items == list(LOADERS[name](**options))
    assert len({item.id for item in items}) == len(items) > 0
    assert len({item.benchmark for item in items}) == 1
    sampling.check(items[:20], pictures=True)
    if options:
        assert hostile.SCRIPT in items[0].question


@pytest.mark.parametrize("name", [name for name in LOADERS if name != "easy-vqa"])
def test_a_loader_says_what_is_missing(name, tmp_path):
    if name == "hf":
        pytest.importorskip("datasets", reason="the package datasets is not installed")

    with pytest.raises(EvalcoreError, match="nowhere"):
        list(LOADERS[name](path=str(tmp_path / "nowhere")))


# Importers

PLACE = {"suite": "s", "benchmark": "b", "axis": "x", "tag": "t", "metric": "accuracy"}
STORED = own_csv.Stored(pd.DataFrame([{**PLACE, "judge": ""}]), frozenset())
LABELLED = own_labels.AnswersToLabel({"r": {"q1"}}, {"m": {"r"}})
IMPORTER_CASES = {
    "scores": ("model,benchmark,axis,tag,score,n\n{},b,x,t,0.5,10\n", STORED),
    "labels": ("run,item,rater,label\nr,q1,{},yes\n", LABELLED),
}


def broken(good):
    whole = good.format("ada").encode()
    headless = whole.split(b"\n", 1)[1]
    return [b"", b"\n", b"\0", b"\xff\xfe\x00", headless, whole + b"x\n", b"a,b\n"]


@pytest.mark.parametrize("name", IMPORTERS)
def test_an_importer_reads_a_good_file_alike_each_time(name):
    assert name in IMPORTER_CASES, f"IMPORTER_CASES of tests/test_contracts.py lacks {name!r}"
    text, known = IMPORTER_CASES[name]
    read = [IMPORTERS[name](text.format("ada").encode(), "mine.csv", known) for _ in range(2)]

    assert len(read[0]) == 1
    pd.testing.assert_frame_equal(*read)


@pytest.mark.parametrize("name", IMPORTERS)
def test_an_importer_refuses_what_is_wrong_and_names_the_file(name):
    text, known = IMPORTER_CASES[name]

    for content in broken(text):
        with pytest.raises(BadInput, match=r"mine\.csv"):
            IMPORTERS[name](content, "mine.csv", known)


@pytest.mark.parametrize("name", IMPORTERS)
@pytest.mark.parametrize("hostile_name", ["<b>x</b>", "[x](https://evil.example)", "=1+1"])
def test_an_importer_keeps_hostile_names_as_text_or_refuses_them(name, hostile_name):
    text, known = IMPORTER_CASES[name]
    try:
        rows = IMPORTERS[name](text.format(hostile_name).encode(), "mine.csv", known)
    except BadInput as error:
        assert "mine.csv" in str(error)
    else:
        cells = rows.astype(str).to_numpy().ravel()
        assert any(hostile_name in cell for cell in cells)
