import logging
import traceback

import pytest
from PIL import Image

from evalcore.errors import ModelUnavailable, SpendCapReached
from evalcore.models import replies
from evalcore.models.calls import Patience
from evalcore.models.gemini import GeminiChat
from evalcore.records import Item, Prediction, Reply
from tests.models.fake_api import Answer, serving

QUICK = Patience(attempts=3, first_wait_s=0.005)
CUT = "the server closed the connection before its reply was whole"
KEY = "AIzaTest0123456789abcdef"
SPENT = "only reasoning, no answer (raise max_tokens)"


def said(text="a cat", finish="STOP", thought=0, parts=None):
    """A generated answer."""
    return {
        "candidates": [
            {
                "content": {"role": "model", "parts": parts or [{"text": text}]},
                "finishReason": finish,
            }
        ],
        "usageMetadata": {
            "promptTokenCount": 10,
            "candidatesTokenCount": 3,
            "thoughtsTokenCount": thought,
        },
    }


def wrong(code, message="no", status="SOME", details=()):
    body = {"error": {"code": code, "message": message, "status": status, "details": list(details)}}
    return Answer(body, code)


OK = Answer(said())


def chat(api, **options):
    return GeminiChat("small", base_url=api.url, **{"patience": QUICK, **options})


def items(number):
    return [Item("b", str(one), "what is it?", ("a cat",)) for one in range(number)]


def asked(script, **options):
    """What an asked model replies, and the calls it took."""
    with serving(script) as api:
        reply = chat(api, **options).ask("what is it?")
    return reply, len(api.calls)


def test_an_answer_is_read_with_its_tokens_and_cost():
    with serving(Answer(said(thought=7))) as api:
        model = chat(api, usd_per_mtok_in=1.0, usd_per_mtok_out=10.0)
        (found,) = model.predict(items(1))

    cost = pytest.approx(1.1e-4)
    assert found == Prediction("0", "a cat", None, found.seconds, 10, 10, cost, "finished")


def test_the_request_states_model_settings_and_words():
    with serving(OK) as api:
        chat(api, max_tokens=7, thinking_budget=0).ask("which?")

    assert api.calls[0].path.endswith("/models/small:generateContent")
    assert api.calls[0].body == {
        "contents": [{"role": "user", "parts": [{"text": "which?"}]}],
        "generationConfig": {
            "temperature": 0.0,
            "maxOutputTokens": 7,
            "thinkingConfig": {"thinking_budget": 0},
        },
    }


def test_the_thinking_budget_is_left_to_the_model_unless_set():
    with serving(OK) as api:
        chat(api).ask("which?")

    assert "thinkingConfig" not in api.calls[0].body["generationConfig"]


def test_pictures_stand_at_their_places(tmp_path):
    Image.new("RGB", (30, 20), "red").save(tmp_path / "a.png")
    with serving(OK) as api:
        item = Item("b", "1", "Is <image> red?", (), (tmp_path / "a.png",))
        list(chat(api).predict([item]))
    first, picture, last = api.calls[0].body["contents"][0]["parts"]

    assert (first["text"], last["text"]) == ("Is ", " red?")
    assert picture["inlineData"]["mime_type"] == "image/png"


NO_ANSWER = [
    ({"promptFeedback": {"blockReason": "SAFETY"}}, "refused: the question was blocked (SAFETY)"),
    (said(finish="SAFETY"), "refused: SAFETY"),
    (said("half", "RECITATION"), "refused: RECITATION"),
    (said(""), "empty answer"),
    ({"candidates": [{"finishReason": "STOP"}]}, "empty answer"),
    ({"candidates": [{"finishReason": "MAX_TOKENS"}]}, "cut off at max_tokens"),
    (said("", "MAX_TOKENS", thought=2048), SPENT),
    (said(thought=5, parts=[{"text": "hmm", "thought": True}]), SPENT),
]


@pytest.mark.parametrize(("body", "error"), NO_ANSWER)
def test_an_answer_that_is_none_says_why_and_is_asked_once(body, error):
    reply, calls = asked(Answer(body))

    assert (reply.text, reply.error, calls) == (None, error, 1)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (said(" a cat\n"), " a cat\n"),
        (said("a cat and", "MAX_TOKENS"), "a cat and"),
        (said(parts=[{"text": "hmm", "thought": True}, {"text": "a "}, {"text": "cat"}]), "a cat"),
        (said(finish="A_NEW_REASON"), "a cat"),
    ],
)
@pytest.mark.filterwarnings("ignore:A_NEW_REASON is not a valid FinishReason")
def test_an_answer_is_kept_as_it_came(body, text):
    assert asked(Answer(body))[0].text == text


@pytest.mark.parametrize(
    ("finish", "ended"),
    [
        ("STOP", "finished"),
        ("MAX_TOKENS", "cut off"),
        ("SAFETY", "filtered"),
        ("A_NEW_REASON", None),
        (None, None),
    ],
)
@pytest.mark.filterwarnings("ignore:A_NEW_REASON is not a valid FinishReason")
def test_why_an_answer_ended_is_kept_with_it_and_unknown_if_it_is_not_told(finish, ended):
    with serving(Answer(said(finish=finish))) as api:
        (found,) = chat(api).predict(items(1))

    assert found.ended == ended


PASSING = [
    (wrong(429), "429 SOME: no"),
    (wrong(500), "500 SOME: no"),
    (Answer(b"<html>bad gateway</html>", 502), "502 Bad Gateway: <html>bad gateway</html>"),
    (wrong(503), "503 SOME: no"),
    (Answer(cut=True), CUT),
    (Answer(b'{"candidates": [{"con'), replies.NO_JSON),
    (Answer(b"[]"), replies.NO_JSON),
    (Answer(b""), replies.NO_JSON),
    (Answer({"candidates": []}), "the server's reply has no candidates"),
]


@pytest.mark.parametrize(("answer", "error"), PASSING)
def test_a_passing_fault_is_tried_again_and_then_recorded(answer, error):
    assert asked([answer, OK])[0].text == "a cat"
    assert asked(answer) == (Reply(None, error=f"{error} (3 attempts)"), 3)


@pytest.mark.parametrize("how", [{"delay_s": 1.0}, {"drip_s": 0.05}])
def test_an_answer_that_takes_too_long_is_not_waited_for(how):
    reply, calls = asked([Answer(said(), **how), OK], timeout_s=0.2)

    assert (reply.text, calls) == ("a cat", 2)


@pytest.mark.parametrize(
    "answer",
    [
        Answer({"error": {"message": "no"}}, 429, {"retry-after": "1"}),
        wrong(429, details=[{"@type": "RetryInfo", "retryDelay": "1.5s"}]),
    ],
)
def test_a_wait_that_the_server_names_is_kept(answer):
    patience = Patience(attempts=2, first_wait_s=0.005, longest_asked_s=0.5)
    with pytest.raises(ModelUnavailable, match=r"small asks to wait \d s \(429"):
        asked(answer, patience=patience)


FATAL = [
    (
        wrong(400, "bad key", details=[{"reason": "API_KEY_INVALID"}]),
        "small: 400 API_KEY_INVALID: bad key",
    ),
    (wrong(401, "who?"), "small: 401 SOME: who?"),
    (wrong(403, "not yours"), "small: 403 SOME: not yours"),
    (wrong(404, "models/small is not found"), "small: 404 SOME: models/small is not found"),
]


@pytest.mark.parametrize(("answer", "message"), FATAL)
def test_a_fault_of_every_call_ends_the_run_at_once(answer, message):
    with serving(answer) as api, pytest.raises(ModelUnavailable) as caught:
        list(chat(api, concurrency=1).predict(items(50)))

    assert (str(caught.value), len(api.calls)) == (message, 1)


def test_a_fault_of_one_item_is_its_record():
    too_long = wrong(400, "too many tokens", "INVALID_ARGUMENT")
    with serving(lambda call, turn: too_long if turn == 1 else OK) as api:
        found = list(chat(api, concurrency=1).predict(items(3)))

    assert [one.error for one in found] == [None, "400 INVALID_ARGUMENT: too many tokens", None]


def test_no_server_is_told_with_its_address():
    model = GeminiChat("small", base_url="http://127.0.0.1:9", patience=QUICK)

    with pytest.raises(ModelUnavailable, match=r"small: no server answers .*127\.0\.0\.1:9: "):
        list(model.predict(items(5)))


def test_many_items_come_back_once_each():
    with serving(Answer(said(), delay_s=0.02)) as api:
        found = list(chat(api, concurrency=8).predict(items(60)))

    assert sorted(int(one.item) for one in found) == list(range(60))
    assert 4 <= api.most_busy <= 8


def test_the_spend_cap_is_never_exceeded():
    with serving(Answer(said(thought=17), delay_s=0.005)) as api:
        model = chat(api, max_usd=0.01, usd_per_mtok_in=1.0, usd_per_mtok_out=10.0, max_tokens=20)
        with pytest.raises(SpendCapReached):
            list(model.predict(items(500)))

    assert model.spent_usd == pytest.approx(len(api.calls) * 0.00021)
    assert 0.0095 < model.spent_usd <= 0.01


def test_another_server_gets_no_key_of_google(monkeypatch):
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.setenv(name, KEY)
    with serving(OK) as api:
        chat(api).ask("hi")

    assert KEY not in str(api.calls[0])


def test_a_missing_key_is_told_by_its_variable(monkeypatch):
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)

    with pytest.raises(ModelUnavailable, match="environment variable GEMINI_API_KEY holds no key"):
        GeminiChat("small").ask("hi")


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_the_key_is_in_no_address_log_error_record_or_name(status, monkeypatch, caplog):
    monkeypatch.setenv("MY_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    with serving(wrong(status, f"wrong key {KEY}")) as api:
        model = chat(api, key_env="MY_KEY", concurrency=1)
        try:
            shown = repr(list(model.predict(items(2))))
        except ModelUnavailable as error:
            shown = "".join(traceback.format_exception(error))
            assert error.__context__ is None and error.__cause__ is None

    everything = shown + caplog.text + repr(model) + repr(vars(model)) + api.calls[0].path
    assert api.calls[0].headers["x-goog-api-key"] == KEY
    assert "wrong key [key]" in everything and KEY not in everything


def test_facts_tell_how_much_it_may_think():
    facts = GeminiChat("small", thinking_budget=0).facts()

    assert facts["device"] == "server generativelanguage.googleapis.com"
    assert facts["thinking budget"] == "0"
    assert GeminiChat("small").facts()["thinking budget"] == "the model's"
