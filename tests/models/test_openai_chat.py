import base64
import io
import logging
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest
from PIL import Image

from evalcore.errors import BadInput, ModelUnavailable, SpendCapReached
from evalcore.markup import inert
from evalcore.models import replies
from evalcore.models.calls import Patience
from evalcore.models.openai_chat import OpenAIChat
from evalcore.records import Item, Prediction, Reply
from tests.models.fake_api import Answer, serving

QUICK = Patience(attempts=3, first_wait_s=0.005)
CUT = "the server closed the connection before its reply was whole"
KEY = "sk-test-0123456789abcdef"


def said(text="a cat", finish="stop", usage=(10, 3), **message):
    """A chat completion."""
    return {
        "choices": [{"message": {"content": text, **message}, "finish_reason": finish}],
        "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1]},
    }


def wrong(message="no", code=None):
    return {"error": {"message": message, "code": code, "type": None}}


OK = Answer(said())


def chat(api, **options):
    return OpenAIChat("small", base_url=f"{api.url}/v1", **{"patience": QUICK, **options})


def items(number):
    return [Item("b", str(one), "what is it?", ("a cat",)) for one in range(number)]


def asked(script, **options):
    """What an asked model replies, and the calls it took."""
    with serving(script) as api:
        reply = chat(api, **options).ask("what is it?")
    return reply, len(api.calls)


def test_an_answer_is_read_with_its_tokens_and_cost():
    with serving(OK) as api:
        model = chat(api, usd_per_mtok_in=1.0, usd_per_mtok_out=10.0)
        (found,) = model.predict(items(1))

    assert found.seconds > 0
    cost = pytest.approx(4e-5)
    assert found == Prediction("0", "a cat", None, found.seconds, 10, 3, cost, "finished")


def test_the_request_states_model_settings_and_words():
    with serving(OK) as api:
        chat(api, max_tokens=7, extra={"seed": 1}, instruction="Be brief.").ask("which?")

    assert api.calls[0].path == "/v1/chat/completions"
    assert api.calls[0].body == {
        "model": "small",
        "messages": [{"role": "user", "content": "which?"}],
        "temperature": 0.0,
        "max_tokens": 7,
        "seed": 1,
    }


def test_a_setting_of_none_is_left_out():
    with serving(OK) as api:
        chat(api, temperature=None, extra={"max_tokens": None}).ask("which?")

    assert set(api.calls[0].body) == {"model", "messages"}


def test_openai_itself_gets_its_newer_name_for_the_limit():
    assert OpenAIChat("small")._body(["hi"])["max_completion_tokens"] == 2048


def test_pictures_stand_at_their_places(tmp_path):
    Image.new("RGB", (30, 20), "red").save(tmp_path / "a.png")
    Image.new("RGB", (30, 20), "blue").save(tmp_path / "b.jpg")
    pictures = (tmp_path / "a.png", tmp_path / "b.jpg")
    with serving(OK) as api:
        list(chat(api).predict([Item("b", "1", "Is <image> as <image>?", (), pictures)]))
    content = api.calls[0].body["messages"][0]["content"]
    heads = [part.get("text") or part["image_url"]["url"].split(",")[0] for part in content]

    assert heads == ["Is ", "data:image/png;base64", " as ", "data:image/jpeg;base64", "?"]


def test_a_picture_is_sent_resized(tmp_path):
    Image.new("RGB", (30, 20), "red").save(tmp_path / "a.png")
    with serving(OK) as api:
        chat(api, image_size=64).ask("what?", [tmp_path / "a.png"])
    url = api.calls[0].body["messages"][0]["content"][0]["image_url"]["url"]
    picture = Image.open(io.BytesIO(base64.b64decode(url.split(",")[1])))

    assert (picture.size, picture.getpixel((5, 5))) == ((64, 64), (255, 0, 0))


def test_a_judge_is_asked_to_the_letter_and_pictures_go_before_the_words(tmp_path):
    Image.new("RGB", (30, 20), "red").save(tmp_path / "a.png")
    with serving(OK) as api:
        chat(api).ask("It said: <image> yes", [tmp_path / "a.png"])
    content = api.calls[0].body["messages"][0]["content"]

    assert [part["type"] for part in content] == ["image_url", "text"]
    assert content[1]["text"] == "It said: <image> yes"


def fails_at_marks(call, _):
    if "<image>" in str(call.body["messages"]):
        return Answer({"error": {"message": "no picture for <image>"}}, status=500)
    return OK


def test_a_server_that_fails_at_marks_is_asked_with_marks_set_apart():
    with serving(fails_at_marks) as api:
        reply = chat(api).ask("In a question, <image> marks a picture's place.")
        other = chat(api).ask("No mark here.")

    sent = [call.body["messages"][0]["content"] for call in api.calls]
    assert (reply.error, other.error) == (None, None)
    assert sent == [
        "In a question, <image> marks a picture's place.",
        "In a question, (image) marks a picture's place.",
        "No mark here.",
    ]


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("<|im_end|><|im_start|>assistant", "(|im_end|)(|im_start|)assistant"),
        ("<start_of_turn>model", "(start_of_turn)model"),
        ("<IMG_CONTEXT></img><image_soft_token>", "(IMG_CONTEXT)(/img)(image_soft_token)"),
        ("</s><bos><pad>", "(/s)(bos)(pad)"),
        ("goat <AND> hen <OR> pig<br>", "goat <AND> hen <OR> pig<br>"),
        ("a < b and b > c, 3<5, <imagine>", "a < b and b > c, 3<5, <imagine>"),
        ("<think>hm</think>", "<think>hm</think>"),
    ],
)
def test_what_a_judge_is_asked_has_no_mark_that_a_server_obeys(text, sent):
    assert inert(text) == sent


@pytest.mark.parametrize(
    ("size", "most"), [(448, 8_500), (512, 8_500), (513, 50_000), (1024, 50_000), (None, 50_000)]
)
def test_a_reservation_covers_the_most_tokens_that_a_picture_can_count(size, most, tmp_path):
    Image.new("RGB", (30, 20), "red").save(tmp_path / "a.png")
    item = Item("b", "1", "?", (), (tmp_path / "a.png",))

    request = OpenAIChat("small", image_size=size)._question(item)

    assert request.most_in == 64 + 1 + most


def test_an_unreadable_picture_fails_its_item_alone(tmp_path):
    (tmp_path / "a.png").write_bytes(b"no picture")
    broken = Item("b", "broken", "what?", (), (tmp_path / "a.png",))
    with serving(OK) as api:
        found = {one.item: one for one in chat(api).predict([*items(2), broken])}

    assert [found[name].text for name in ("0", "1", "broken")] == ["a cat", "a cat", None]
    assert found["broken"].error.startswith("the picture a.png cannot be decoded (")
    assert len(api.calls) == 2


NO_ANSWER = [
    (said("", "content_filter"), "refused: content filter"),
    (said("half a", "content_filter"), "refused: content filter"),
    (said(None, refusal="I can't help."), "refused: I can't help."),
    (said(""), "empty answer"),
    (said(" \n"), "empty answer"),
    (said(None), "empty answer"),
    (said(None, "length"), "cut off at max_tokens"),
    (said("", "length", reasoning_content="hmm"), "only reasoning, no answer (raise max_tokens)"),
    (said("", reasoning="hmm"), "only reasoning, no answer (raise max_tokens)"),
    (said("<think>hmm", "length"), "only reasoning, no answer (raise max_tokens)"),
    (
        said("") | {"usage": {"completion_tokens_details": {"reasoning_tokens": 9}}},
        "only reasoning, no answer (raise max_tokens)",
    ),
]


@pytest.mark.parametrize(("body", "error"), NO_ANSWER)
def test_an_answer_that_is_none_says_why_and_is_asked_once(body, error):
    reply, calls = asked(Answer(body))

    assert (reply.text, reply.error, calls) == (None, error, 1)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (said(" a cat\n"), " a cat\n"),
        (said("a cat and", "length"), "a cat and"),
        (said([{"type": "text", "text": "a "}, {"type": "text", "text": "cat"}]), "a cat"),
        (said("<think>hmm</think>a cat"), "<think>hmm</think>a cat"),
        (said() | {"usage": None}, "a cat"),
    ],
)
def test_an_answer_is_kept_as_it_came(body, text):
    assert asked(Answer(body))[0].text == text


@pytest.mark.parametrize(
    ("finish", "ended"),
    [
        ("stop", "finished"),
        ("length", "cut off"),
        ("max_tokens", "cut off"),
        ("content_filter", "filtered"),
        ("a new reason", None),
        (None, None),
        (7, None),
        ({"reason": "length"}, None),
    ],
)
def test_why_an_answer_ended_is_kept_with_it_and_unknown_if_it_is_not_told(finish, ended):
    with serving(Answer(said("a cat", finish))) as api:
        (found,) = chat(api).predict(items(1))
        reply = chat(api).ask("what is it?")

    assert (found.ended, reply.ended) == (ended, ended)


PASSING = [
    (Answer(wrong(), 429), "429: no"),
    (Answer(wrong(), 500), "500: no"),
    (Answer(b"<html>bad gateway</html>", 502), "502: <html>bad gateway</html>"),
    (Answer(wrong(), 503), "503: no"),
    (Answer(wrong(), 504), "504: no"),
    (Answer(wrong(), 529), "529: no"),
    (Answer(cut=True), CUT),
    (Answer(b'{"choices": [{"mess'), replies.NO_JSON),
    (Answer(b"", headers={"content-type": "text/html"}), replies.NO_JSON),
    (Answer({"choices": []}), "the server's reply has no choices"),
    (Answer({"error": {"code": 502, "message": "upstream"}}), "502: upstream"),
    (Answer({"choices": [{"error": {"message": "upstream"}}]}), "502: upstream"),
]


@pytest.mark.parametrize(("answer", "error"), PASSING)
def test_a_passing_fault_is_tried_again_and_then_recorded(answer, error):
    assert asked([answer, OK])[0].text == "a cat"
    assert asked(answer) == (Reply(None, error=f"{error} (3 attempts)"), 3)


def test_a_server_that_hangs_is_left_after_the_time_limit():
    reply, calls = asked([Answer(said(), delay_s=1.0), OK], timeout_s=0.2)

    assert (reply.text, calls) == ("a cat", 2)


def test_an_answer_that_drips_is_left_after_the_time_limit():
    reply, _ = asked(Answer(said(), drip_s=0.05), timeout_s=0.2, patience=Patience(attempts=1))

    assert reply == Reply(None, error="no whole answer within 0.2 s")


@pytest.mark.parametrize(
    "header",
    [
        {"retry-after": "1"},
        {"retry-after-ms": "700"},
        {"retry-after": format_datetime(datetime.now(UTC) + timedelta(days=1), usegmt=True)},
    ],
)
def test_a_wait_that_the_server_names_is_kept(header):
    patience = Patience(attempts=2, first_wait_s=0.005, longest_asked_s=0.5)
    with pytest.raises(ModelUnavailable, match=r"small asks to wait \d+ s \(429: no\)"):
        asked(Answer(wrong(), 429, header), patience=patience)


def test_a_moment_to_wait_for_is_read_by_the_servers_clock():
    there = datetime.now(UTC) - timedelta(hours=5)  # or this machine's clock is five hours ahead
    headers = {
        "date": format_datetime(there, usegmt=True),
        "retry-after": format_datetime(there + timedelta(seconds=90), usegmt=True),
    }

    assert replies.retry_after(httpx2.Headers(headers)) == 90.0


def test_no_call_is_sent_before_the_named_wait_is_over():
    slow_down = Answer(wrong(), 429, {"retry-after": "0.3"})
    with serving([slow_down, OK]) as api:
        list(chat(api, concurrency=1).predict(items(3)))

    assert api.calls[1].at - api.calls[0].at >= 0.3


@pytest.mark.parametrize("value", ["soon", "", "-5"])
def test_a_wait_that_makes_no_sense_is_as_none(value):
    assert asked([Answer(wrong(), 429, {"retry-after": value}), OK])[0].text == "a cat"


FATAL = [
    (Answer(wrong("bad key", "invalid_api_key"), 401), "small: 401 invalid_api_key: bad key"),
    (Answer(wrong("no credit"), 402), "small: 402: no credit"),
    (Answer(wrong("not yours"), 403), "small: 403: not yours"),
    (Answer(wrong("no such model", "model_not_found"), 404), "small: 404 model_not_found: no such"),
    (Answer({"detail": "Not Found"}, 404), "small: 404: Not Found"),
    (Answer({"detail": "Server is pinned to 'a'; requested 'b'."}, 400), "small: 400: Server is"),
    (Answer(wrong("Model 'small' not found"), 400), "small: 400: Model 'small' not found"),
    (Answer(wrong("use 1", "unsupported_value"), 400), "small: 400 unsupported_value: use 1"),
    (Answer(wrong("pay", "insufficient_quota"), 429), "small: 429 insufficient_quota: pay"),
    (
        Answer({}, 307, {"location": "http://127.0.0.1:9/"}),
        "small: 307: the server sends to another address; give that one",
    ),
    (
        Answer({"error": {"code": "x", "message": None}}, 404),
        "small: 404 x: the server gives no reason",
    ),
    (Answer({"error": {"code": "x", "reason": "shut"}}, 404), 'small: 404 x: {"reason": "shut"}'),
]


@pytest.mark.parametrize(("answer", "message"), FATAL)
def test_a_fault_of_every_call_ends_the_run_at_once(answer, message):
    with serving(answer) as api, pytest.raises(ModelUnavailable) as caught:
        list(chat(api, concurrency=1).predict(items(50)))

    assert str(caught.value).startswith(message)
    assert len(api.calls) == 1


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (
            Answer(wrong("maximum context length is 8192", "context_length_exceeded"), 400),
            "400 context_length_exceeded: maximum context length is 8192",
        ),
        (Answer(wrong("too large"), 413), "413: too large"),
        (Answer(wrong("bad", "content_filter"), 400), "refused: 400 content_filter: bad"),
        (
            Answer(wrong("your input was flagged"), 403),
            "refused: 403: your input was flagged",
        ),
    ],
)
def test_a_fault_of_one_item_is_its_record(answer, error):
    with serving(lambda call, turn: answer if turn == 1 else OK) as api:
        found = list(chat(api, concurrency=1).predict(items(3)))

    assert [one.error for one in found] == [None, error, None]


def test_no_server_is_told_with_its_address():
    model = OpenAIChat("small", base_url="http://127.0.0.1:9/v1", patience=QUICK)

    with pytest.raises(ModelUnavailable, match=r"small: no server answers .*127\.0\.0\.1:9: "):
        list(model.predict(items(5)))


@pytest.mark.parametrize(
    "url",
    ["127.0.0.1:8000", "ftp://host", "http://me:pw@host/v1", "http://", "http://host/v1?key=sk-1"],
)
def test_an_address_that_is_none_is_refused_without_repeating_it(url):
    with pytest.raises(BadInput) as caught:
        OpenAIChat("small", base_url=url)

    assert str(caught.value) == (
        "small: base_url must be an address such as http://localhost:8000/v1,"
        " without a name or key in it"
    )


def test_many_items_come_back_once_each_through_many_connections():
    with serving(Answer(said(), delay_s=0.02)) as api:
        found = list(chat(api, concurrency=16).predict(items(200)))

    assert sorted(int(one.item) for one in found) == list(range(200))
    assert 8 <= api.most_busy <= 16


def test_faults_in_between_lose_no_item():
    def script(call, turn):
        faults = {3: 429, 5: 500, 8: 503}
        return Answer(wrong(), faults[turn % 10]) if turn % 10 in faults else OK

    with serving(script) as api:
        found = list(
            chat(api, patience=Patience(attempts=30, first_wait_s=0.001)).predict(items(100))
        )

    assert [one.error for one in found] == [None] * 100


def test_the_spend_cap_is_never_exceeded():
    with serving(Answer(said(usage=(60, 20)), delay_s=0.005)) as api:
        model = chat(api, max_usd=0.01, usd_per_mtok_in=1.0, usd_per_mtok_out=10.0, max_tokens=20)
        found = []
        with pytest.raises(SpendCapReached):
            found.extend(one.usd for one in model.predict(items(500)))

    assert len(api.calls) * 0.00026 <= 0.01
    assert model.spent_usd == pytest.approx(len(api.calls) * 0.00026)
    assert model.spent_usd > 0.0095


def test_a_cap_without_a_price_is_refused():
    with pytest.raises(BadInput, match="a cap of \\$1 needs both prices; state usd_per_mtok_out"):
        OpenAIChat("small", max_usd=1.0, usd_per_mtok_in=2.0)


def test_the_cap_knows_a_limit_that_was_set_by_its_other_name():
    prices = {"usd_per_mtok_in": 0.0, "usd_per_mtok_out": 1e6}
    extra = {"max_tokens": None, "max_completion_tokens": 9}
    with serving(OK) as api, pytest.raises(SpendCapReached, match=r"can cost up to \$9\.0000"):
        chat(api, max_usd=8.0, extra=extra, **prices).ask("hi")


def test_a_cap_without_a_limit_of_tokens_is_refused():
    with pytest.raises(BadInput) as caught:
        OpenAIChat(
            "small",
            base_url="http://127.0.0.1:9",
            max_usd=1.0,
            usd_per_mtok_in=1.0,
            usd_per_mtok_out=1.0,
            extra={"max_tokens": None},
        )

    assert str(caught.value) == (
        "small: a cap of $1 needs a limit of the answer's tokens;"
        " extra takes max_tokens and max_completion_tokens out"
    )


def test_another_server_gets_no_key_of_openai(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ADMIN_KEY", KEY)
    with serving(OK) as api:
        chat(api).ask("hi")

    assert KEY not in str(api.calls[0].headers)


def test_a_named_key_is_sent(monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    with serving(OK) as api:
        chat(api, key_env="MY_KEY").ask("hi")

    assert api.calls[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("value", [None, "", " ", "schlüssel", "two\nlines"])
def test_a_missing_key_is_told_by_its_variable(monkeypatch, value):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("OPENAI_API_KEY", value)

    with pytest.raises(ModelUnavailable) as caught:
        OpenAIChat("small").ask("hi")

    assert str(caught.value) == (
        "small: the environment variable OPENAI_API_KEY holds no key; set it"
    )


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_the_key_is_in_no_log_error_record_or_name(status, monkeypatch, caplog):
    monkeypatch.setenv("MY_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    echo = Answer(wrong(f"wrong key {KEY} or {KEY[:8]}***ef"), status)
    with serving(echo) as api:
        model = chat(api, key_env="MY_KEY", concurrency=1)
        try:
            shown = repr(list(model.predict(items(2))))
        except ModelUnavailable as error:
            shown = "".join(traceback.format_exception(error))
            assert error.__context__ is None and error.__cause__ is None

    everything = shown + caplog.text + repr(model) + repr(vars(model))
    assert "wrong key [key] or [key]" in everything
    assert KEY not in everything and KEY[:8] not in everything


def test_settings_tell_what_decides_an_answer_and_not_where_or_how_fast():
    one = OpenAIChat("small", base_url="http://localhost:1/v1", timeout_s=5, extra={"seed": 1})
    other = OpenAIChat("small", concurrency=2, extra={"seed": 1})

    assert one.settings == other.settings
    assert other.settings != OpenAIChat("small", max_tokens=9, extra={"seed": 1}).settings
    assert other.facts()["more settings"] == "{'seed': 1}"


def test_patience_may_come_as_json_has_it():
    with serving(Answer(wrong(), status=500)) as api:
        reply = chat(api, patience={"attempts": 2, "first_wait_s": 0.001}).ask("what is it?")

    assert reply.text is None
    assert len(api.calls) == 2
