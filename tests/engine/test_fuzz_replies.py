"""Runs against a server that answers every other call with something odd.

``EVALCORE_FUZZ=20`` tries so many times as many replies.
"""

import copy
import json
import math
import random
import re

import pytest

from evalcore.__main__ import main
from evalcore.engine import budget, launch
from evalcore.engine.runs import Run
from evalcore.errors import EvalcoreError
from evalcore.store import build, queries
from tests.fakes import question_file
from tests.fuzz import TIMES
from tests.models.fake_api import Answer, serving

CASES = 340
"""Of each of the three runs."""
CAP = 50.0
PRICES = {"usd_per_mtok_in": 1.0, "usd_per_mtok_out": 1.0, "max_usd": CAP}
HOW = {"patience": {"attempts": 1}, "concurrency": 4, "max_tokens": 100}
ODD = [
    None, True, False, 0, -1, 7, 12.5, 1e300, -0.0, math.nan, math.inf, 2**63, -(2**63), 2**70,
    10**12, "", " ", "red", "no", "\0", "red\0", "\ud83d", "\ud83d red", "<think>",
    "<think>hm</think>red",
    "a" * 150_000, "\u202ered", "![x](http://127.0.0.1:9/a.png)", "0.5", "12", "NaN",
    [], [[]], [None], ["red"], [7], {}, {"a": {}}, {"text": "red"},
    {"type": "reasoning", "text": "hm"}, [{"type": "text", "text": 5}],
    [{"type": "thinking", "thinking": "hm"}, {"text": "red"}],
    "length", "content_filter", "MAX_TOKENS", "SAFETY",
]  # fmt: skip
STATUSES = [200] * 12 + [
    201,
    204,
    206,
    302,
    400,
    408,
    409,
    413,
    418,
    422,
    500,
    502,
    503,
    504,
    520,
    599,
]
HEADERS = [
    {}, {}, {}, {"content-type": "text/html; charset=nonsense"}, {"content-encoding": "gzip"},
    {"content-encoding": "br"}, {"retry-after": "nan"}, {"retry-after": "-1"}, {"x": "a" * 9_000},
    {"retry-after": "Mon, 99 Foo 0000 00:00:00"}, {"location": "http://[::1"},
]  # fmt: skip
ENDINGS = {None, "finished", "cut off", "filtered"}
PYTHON = re.compile(r"[A-Z]\w+Error|Traceback|has no attribute|not subscriptable|NoneType|Errno")


def openai(said):
    message = {"role": "assistant", "content": said, "reasoning_content": None}
    usage = {"prompt_tokens": 40, "completion_tokens": 2, "completion_tokens_details": {}}
    return {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}


def gemini(said):
    content = {"role": "model", "parts": [{"text": said}]}
    usage = {"promptTokenCount": 40, "candidatesTokenCount": 2, "thoughtsTokenCount": 0}
    return {"candidates": [{"content": content, "finishReason": "STOP"}], "usageMetadata": usage}


def places(value, path=()):
    """Every place of a JSON value."""
    yield path
    inner = enumerate(value) if isinstance(value, list) else ()
    for name, part in value.items() if isinstance(value, dict) else inner:
        yield from places(part, (*path, name))


def put(value, path, odd):
    if not path:
        return odd
    at = value
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = odd
    return value


def odd_reply(whole, chance):
    """A reply with one to three places spoilt, as bytes that may be torn as well."""
    made = copy.deepcopy(whole)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        made = put(made, chance.choice(list(places(made))), copy.deepcopy(chance.choice(ODD)))
    body = json.dumps(made).encode()
    spoil = chance.random()
    if spoil < 0.05:
        body = body[: chance.randrange(len(body) + 1)]
    elif spoil < 0.1 and body:
        at = chance.randrange(len(body))
        body = body[:at] + bytes([chance.randrange(256)]) + body[at + 1 :]
    elif spoil < 0.12:
        body = b"[" * 20_000
    return Answer(body, chance.choice(STATUSES), chance.choice(HEADERS))


def server(make, seed, *, verdicts):
    """Odd answers, or odd verdicts on good ones; every other of them is as it should be."""
    chance = random.Random(seed)

    def script(call, turn):
        judging = "andidate" in json.dumps(call.body)
        whole = make("Yes" if judging else "red")
        odd = judging == verdicts and turn % 2 == 0
        return odd_reply(whole, chance) if odd else Answer(whole)

    return script


@pytest.mark.parametrize("seed", range(TIMES))
@pytest.mark.parametrize(
    ("adapter", "make", "verdicts"),
    [("openai", openai, False), ("gemini", gemini, False), ("openai", openai, True)],
)
def test_odd_replies_leave_a_whole_run_in_a_whole_store(
    adapter, make, verdicts, seed, tmp_path, home, capsys
):
    with serving(server(make, seed, verdicts=verdicts)) as api:
        version = "/v1" if adapter == "openai" else ""
        options = {**HOW, **PRICES, "base_url": f"{api.url}{version}"}
        questions = question_file(tmp_path, CASES)
        (plan,) = launch.plan([f"{adapter}:small"], questions, options=options)
        run = launch.start(plan)
        chat = f"goeval-ref-noimage=openai:judge@{api.url}/v1" if verdicts else None
        judges = launch.judges_of(["exact"])
        if chat:
            asked = {**HOW, **PRICES, "max_usd": None}
            judges += launch.judges_of([chat], options=asked)
        state = carried_out(run.folder, judges)

    assert state in ("done", "partly failed")
    answers = Run(run.folder).predictions()
    assert len(answers) == CASES
    odd = sum(one.text is None for one in answers.values())
    print(f"{CASES} questions, {odd} without an answer")  # noqa: T201  shown with -s
    assert verdicts or 0.05 * CASES < odd < 0.5 * CASES
    for one in answers.values():
        sound(one)
        assert (one.text is None) == (one.error is not None)
    assert 0 <= budget.spent_usd(run) <= CAP
    scores = {}
    for key in run.judges():
        for verdict in Run(run.folder).verdicts(key).values():
            sound(verdict)
            assert answers[verdict.item].text is not None
            scores.setdefault(verdict.judge, []).append(verdict.score)
    assert main(["build"]) == 0
    stored = queries.scores(build.ensure(), "mine")
    stored = stored[stored["tag"] == "total"].set_index("metric")
    for judge, given in scores.items():
        counted = [score for score in given if score is not None]
        row = stored.loc[judge]
        assert row["n"] == len(counted)
        assert row["value"] == pytest.approx(sum(counted) / len(counted))
    assert main(["scores", "--suite", "mine"]) == main(["runs"]) == 0
    assert "Traceback" not in capsys.readouterr().err


def carried_out(folder, judges):
    """How a run ends: ten odd replies in a row end a pass, and the next goes on."""
    for _ in range(20):
        try:
            state = launch.carry_out(Run(folder), judges).state
        except EvalcoreError as error:
            state = str(error)
        if state in ("done", "partly failed"):
            break
    return state


def sound(record):
    """Whether every value of a record is of its kind, and every word one for people."""
    for name in ("tokens_in", "tokens_out"):
        count = getattr(record, name)
        assert count is None or (type(count) is int and 0 <= count < 10**6)
    assert record.usd is None or 0 <= record.usd < 1
    assert record.ended in ENDINGS
    for text in (getattr(record, "text", None), getattr(record, "reply", None)):
        assert text is None or len(text.encode()) < 10**6
    told = getattr(record, "error", None) or getattr(record, "reason", None) or ""
    assert not PYTHON.search(told), told
    assert len(told) < 500
