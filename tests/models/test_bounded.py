"""Replies without end, over real sockets: each is a failed call, and nothing grows."""

import contextlib
import gzip
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from evalcore.errors import ModelUnavailable
from evalcore.home import ROOT
from evalcore.models import ADAPTERS
from evalcore.models.calls import Patience
from evalcore.records import Item
from tests.models.hostile_server import ATTACKS, GEMINI, OPENAI, serving, whole

WHOLE = {"openai": OPENAI, "gemini": GEMINI}
SLOW = [name for name in ATTACKS if "slow" in name]
LONG = "the server's reply has more than 655,360 bytes and was not read to its end"
NO_HTTP = "the server's reply is no HTTP; is the address right, and http or https?"
LATE = "no whole answer within 0.5 s"
ALONE = Patience(attempts=1)
PATIENT = Patience(attempts=3, first_wait_s=0.01)
"""A proper reply may be late, too, on a machine that has more to do."""


def chat(adapter, address, **options):
    url = f"{address}/v1" if adapter == "openai" else address
    given = {"patience": ALONE, "timeout_s": 0.5, **options}
    return ADAPTERS[adapter]("small", base_url=url, **given)


def items(number, attack="an attack"):
    return [Item("b", str(at), attack if at % 2 else "well", ("red",)) for at in range(number)]


def turned(adapter, request):
    """A proper reply to every other question, and the attack that the question names."""
    named = next((name for name in ATTACKS if f'"{name}"'.encode() in request), None)
    return ATTACKS[named]() if named else whole(WHOLE[adapter])


@pytest.mark.parametrize("adapter", WHOLE)
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_reply_without_end_fails_its_item_alone(adapter, attack):
    with serving(lambda request, turn: turned(adapter, request)) as address:
        began = time.monotonic()
        model = chat(adapter, address, patience=PATIENT)
        found = {one.item: one for one in model.predict(items(6, attack))}
        took = time.monotonic() - began

    assert [found[name].text for name in ("0", "2", "4")] == ["red"] * 3
    assert [found[name].text for name in ("1", "3", "5")] == [None] * 3
    assert "Error" not in found["1"].error
    assert took < 30  # and not for ever


@pytest.mark.parametrize(
    ("attack", "why"),
    [
        *((name, LATE) for name in SLOW),
        ("endless body", LONG),
        ("endless text", LONG),
        ("gzip bomb", LONG),
        ("deflate bomb", LONG),
        ("endless headers", NO_HTTP),
        ("endless body of a fault", "400:"),
        ("nested objects", "the server's reply is no JSON object"),
    ],
)
def test_why_it_failed_is_told_in_words(attack, why):
    with serving(lambda request, turn: turned("openai", request)) as address:
        model = chat("openai", address, timeout_s=0.5 if why == LATE else 30)
        found = {one.item: one for one in model.predict(items(2, attack))}

    assert found["1"].error.startswith(why)


def test_an_answer_of_an_absurd_length_is_not_kept():
    said = {"choices": [{"message": {"content": "a" * 100_001}, "finish_reason": "stop"}]}
    with serving(lambda request, turn: whole(said)) as address:
        reply = chat("openai", address).ask("well")

    assert reply.text is None
    assert reply.error == (
        "the answer has 100,001 characters, more than the 100,000 that are kept;"
        " the server seems not to heed max_tokens"
    )


def test_a_model_that_may_write_more_may_answer_at_length():
    said = {"choices": [{"message": {"content": "a" * 3_000_000}, "finish_reason": "stop"}]}
    with serving(lambda request, turn: whole(said)) as address:
        reply = chat("openai", address, max_tokens=200_000, timeout_s=30).ask("well")

    assert reply.text == "a" * 3_000_000


def test_a_reply_is_read_through_a_proxy_that_the_environment_names_within_its_time(monkeypatch):
    with serving(lambda request, turn: ATTACKS["slow headers"]()) as address:
        monkeypatch.setenv("HTTP_PROXY", address)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        reply = chat("openai", "http://somewhere.example").ask("well")

    assert reply.error == LATE


def test_a_compressed_reply_is_read_as_any_other():
    body = gzip.compress(json.dumps(OPENAI).encode())
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(body)
    with serving(lambda request, turn: iter([head + body])) as address:
        assert chat("openai", address).ask("well").text == "red"


CHILD = """
import re, sys
from tests.models.test_bounded import ask_all
ask_all(*sys.argv[1:])
# Not getrusage: its peak is that of the process that started this one, where that was larger.
told = open("/proc/self/status").read()
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", told)[1]) // 1024)
"""


def ask_all(adapter, address):
    """Every attack, 32 calls at a time, in the process whose memory is looked at."""
    with ThreadPoolExecutor(32) as threads:
        for attack in ATTACKS:
            model = chat(adapter, address)
            for reply in threads.map(lambda at, m=model, a=attack: _asked(m, a), range(32)):
                assert reply is None, attack
            assert chat(adapter, address, timeout_s=30).ask("well").text == "red", attack


def _asked(model, attack):
    with contextlib.suppress(ModelUnavailable):  # ten in a row end a run
        return model.ask(attack).text


@pytest.mark.parametrize("adapter", WHOLE)
def test_a_process_that_calls_hostile_servers_stays_small(adapter):
    with serving(lambda request, turn: turned(adapter, request)) as address:
        done = subprocess.run(
            [sys.executable, "-c", CHILD, adapter, address],
            cwd=ROOT, capture_output=True, text=True, timeout=300,
        )  # fmt: skip

    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) < 300  # MiB, of the whole process at its largest
