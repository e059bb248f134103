"""Verdicts that were paid for are kept; failures are not."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest

from evalcore.errors import BadInput
from evalcore.judges import Setup, make
from evalcore.judges.cache import VerdictCache
from evalcore.records import Reply
from tests.judges.askers import Scripted, item, said


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache" / "verdicts.jsonl"


def judge(asker, path, name="goeval-ref-noimage"):
    return make(name, Setup(asker=asker, cache=VerdictCache(path)))


def test_the_same_question_is_asked_once_and_costs_nothing_again(path):
    asker = Scripted(Reply("yes", tokens_in=9, tokens_out=1, seconds=1.0, usd=0.5))
    first = judge(asker, path).judge(item(), said("red"))

    again = judge(asker, path).judge(item(name="q2"), said("red", name="q2"))

    assert len(asker.asked) == 1
    free = replace(first, item="q2", usd=0.0, seconds=0.0, tokens_in=0, tokens_out=0)
    assert again == free


@pytest.mark.parametrize(
    ("other", "answer", "repeat"),
    [
        (item(question="Which?"), said("red"), 0),
        (item(["blue"]), said("red"), 0),
        (item(["red", "red"]), said("red"), 0),
        (item(), said("blue"), 0),
        (item(), said("red"), 1),
    ],
)
def test_whatever_the_judge_sees_is_part_of_the_key(path, other, answer, repeat):
    asker = Scripted("yes", "no")
    one = judge(asker, path)
    one.judge(item(), said("red"))

    assert one.judge(other, answer, repeat).score == 0


def test_another_judge_model_is_asked_itself(path):
    judge(Scripted("yes", name="one"), path).judge(item(), said("red"))

    assert judge(Scripted("no", name="two"), path).judge(item(), said("red")).score == 0


def test_another_picture_is_another_question_for_a_judge_that_sees_it(path, tmp_path):
    pictures = [tmp_path / name for name in ("a.png", "b.png", "copy_of_a.png")]
    for picture, content in zip(pictures, (b"a", b"b", b"a"), strict=True):
        picture.write_bytes(content)
    one = judge(Scripted("yes", "no"), path, "goeval-noref-image")

    scores = [one.judge(item(images=[picture]), said("red")).score for picture in pictures]

    assert scores == [1, 0, 1]


@pytest.mark.parametrize("failure", [Reply(None, "timed out"), Reply("Perhaps"), Reply("")])
def test_failures_are_asked_again(path, failure):
    one = judge(Scripted(failure, "yes"), path)

    assert [one.judge(item(), said("red")).score for _ in range(2)] == [None, 1]


def test_an_error_of_the_whole_run_passes_and_leaves_the_cache_usable(path):
    class Broken(Scripted):
        def ask(self, prompt, images=()):
            super().ask(prompt, images)
            raise BadInput("stop")

    with VerdictCache(path) as cache:
        with pytest.raises(BadInput, match="stop"):
            make("mmvet", Setup(asker=Broken("1"), cache=cache)).judge(item(), said("red"))

        good = make("mmvet", Setup(asker=Scripted("1"), cache=cache))
        assert good.judge(item(), said("red")).score == 1


@pytest.mark.parametrize("cut", [1, 20, 200])
def test_a_torn_last_line_loses_only_itself(path, cut):
    one = judge(Scripted("yes"), path)
    one.judge(item(), said("red"))
    one.judge(item(), said("rot"))
    path.write_bytes(path.read_bytes()[:-cut])
    asker = Scripted("no")

    torn = judge(asker, path)
    torn.judge(item(), said("rouge"))

    assert len(VerdictCache(path)) == (3 if cut == 1 else 2)


def test_lines_of_another_make_are_passed_over(path):
    path.parent.mkdir()
    path.write_text('{"key": "x", "colour": 1}\n[]\nnull\n"x"\n{}\n\xff\n', "utf-8")

    assert len(VerdictCache(path)) == 0


def test_threads_that_want_the_same_ask_once(path):
    asker, start = Scripted("yes"), Barrier(8)
    one = judge(asker, path)

    def work(_):
        start.wait()
        return one.judge(item(), said("red")).score

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [1] * 8
    assert len(asker.asked) == 1


def test_threads_write_whole_lines(path):
    one = judge(Scripted("yes"), path)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: one.judge(item(), said(f"red {n}")), range(400)))

    lines = path.read_text("utf-8").splitlines()
    assert len({json.loads(line)["key"] for line in lines}) == 400
    assert len(VerdictCache(path)) == 400


def test_text_of_every_kind_survives_the_file(path):
    asker = Scripted("Yes, \ud800 \u2028 “赤”\n")
    judge(asker, path).judge(item(), said("red"))

    again = judge(asker, path).judge(item(), said("red"))

    assert again.reply == "Yes, ? \u2028 “赤”\n"
    assert len(asker.asked) == 1


def test_a_path_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "file").write_text("", "utf-8")

    with pytest.raises(BadInput, match=r"verdict cache '.*verdicts' cannot be used \("):
        VerdictCache(tmp_path / "file" / "verdicts")
