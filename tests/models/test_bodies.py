"""Odd replies: each value becomes one of a known kind, or unknown, and each error is in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.models import ADAPTERS, replies
from evalcore.models.calls import Patience
from evalcore.records import Item
from tests.models.fake_api import Answer, serving

ALONE = Patience(attempts=1)
ODD = [12.5, -1, True, [3], {"total": 3}, 2**70, "n/a", "", None, float("nan"), float("inf"), 1e300]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
STRANGE = "the server's reply cannot be read: "


def openai(message, finish="stop", usage=None):
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}


def gemini(parts, finish="STOP", usage=None):
    content = {"role": "model", "parts": parts}
    return {
        "candidates": [{"content": content, "finishReason": finish}],
        "usageMetadata": usage,
    }


def asked(adapter, body, **options):
    with serving(Answer(body)) as api:
        url = f"{api.url}/v1" if adapter == "openai" else api.url
        model = ADAPTERS[adapter]("small", base_url=url, patience=ALONE, **options)
        (found,) = model.predict([Item("b", "1", "?", ("a",))])
    return found


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("adapter", ["openai", "gemini"])
def test_a_token_count_that_is_none_is_unknown_and_so_is_the_cost(adapter, odd):
    prices = {"usd_per_mtok_in": 1.0, "usd_per_mtok_out": 1.0}
    body = {
        "openai": openai({"content": "a"}, usage={"prompt_tokens": odd, "completion_tokens": odd}),
        "gemini": gemini(
            [{"text": "a"}], usage={"promptTokenCount": odd, "candidatesTokenCount": odd}
        ),
    }[adapter]

    found = asked(adapter, body, **prices)

    assert (found.text, found.tokens_in, found.tokens_out, found.usd) == ("a", None, None, None)


@pytest.mark.parametrize("usage", [[1, 2], "n/a", 7, None, True])
@pytest.mark.parametrize("adapter", ["openai", "gemini"])
def test_a_usage_that_is_no_object_is_unknown(adapter, usage):
    make, said = {"openai": (openai, {"content": "a"}), "gemini": (gemini, [{"text": "a"}])}[
        adapter
    ]

    found = asked(adapter, make(said, usage=usage))

    assert (found.text, found.tokens_in, found.tokens_out) == ("a", None, None)


def test_a_count_that_is_whole_is_taken_however_it_is_written():
    usage = {"prompt_tokens": 12.0, "completion_tokens": "3", "completion_tokens_details": []}

    found = asked("openai", openai({"content": "a"}, usage=usage))

    assert (found.tokens_in, found.tokens_out) == (12, 3)


@given(JSON)
def test_whatever_a_count_is_it_is_a_number_of_tokens_or_unknown(value):
    found = replies.tokens(value)

    assert found is None or (type(found) is int and 0 <= found <= replies.MOST_TOKENS)


@given(JSON)
def test_whatever_a_content_is_it_is_a_text_that_can_be_written(value):
    found = replies.content(value)

    found.text.encode()
    assert found.strange is None or not found.text or isinstance(value, list)


CONTENTS = [
    (None, None, "empty answer"),
    (7, None, f"{STRANGE}it is a number"),
    (True, None, f"{STRANGE}it is true or false"),
    ({"value": "red"}, None, f"{STRANGE}a part of type 'none'"),
    ({"type": "text", "text": "red"}, "red", None),
    ([{"type": "text", "text": 5}], None, f"{STRANGE}its text is a number"),
    ([{"type": "text"}], None, f"{STRANGE}its text is nothing"),
    ([{"type": "image_url"}], None, f"{STRANGE}a part of type 'image_url'"),
    ([[["red"]]], None, f"{STRANGE}it is a list"),
    (["red", "der"], "redder", None),
    ([{"text": "red"}], "red", None),
    ([{"type": "output_text", "text": "red"}], "red", None),
    ([{"type": {}, "text": "red"}], None, f"{STRANGE}a part of type '{{}}'"),
    ([{"type": "image_url"}, {"type": "text", "text": "red"}], "red", None),
    ([], None, "empty answer"),
    ("red \ud83d", "red ?", None),
    ("red\u0000", "red\u0000", None),
    ([{"type": "refusal", "refusal": "I will not."}], None, "refused: I will not."),
]


@pytest.mark.parametrize(("content", "text", "error"), CONTENTS)
def test_a_content_is_a_text_or_an_error_in_words(content, text, error):
    found = asked("openai", openai({"content": content}))

    assert found.text == text
    assert found.error is None if error is None else found.error.startswith(error)


MAKERS = [
    [{"type": "reasoning", "text": "hmm"}],
    [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "hmm"}]}],
    [{"type": "thinking", "thinking": "hmm", "signature": "x"}],
    [{"type": "thinking", "thinking": [{"type": "text", "text": "hmm"}]}],
    [{"type": "redacted_thinking", "data": "x"}],
    [{"type": "reasoning_content", "text": "hmm"}],
    [{"type": "thought", "text": "hmm"}],
    [{"type": "text", "text": "hmm", "thought": True}],
]
"""How makers mark parts that are reasoning."""


@pytest.mark.parametrize("thoughts", MAKERS)
@pytest.mark.parametrize("adapter", ["openai", "gemini"])
def test_a_part_that_is_reasoning_is_never_the_answer(adapter, thoughts):
    def body(parts):
        return openai({"content": parts}) if adapter == "openai" else gemini(parts)

    both = asked(adapter, body([*thoughts, {"type": "text", "text": "a cat"}]))
    alone = asked(adapter, body(thoughts))

    assert (both.text, both.error) == ("a cat", None)
    assert (alone.text, alone.error) == (None, "only reasoning, no answer (raise max_tokens)")


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning", "thinking"])
@pytest.mark.parametrize("thoughts", ["hmm", ["hmm"], {"text": "hmm"}])
def test_reasoning_beside_the_answer_is_never_the_answer(name, thoughts):
    both = asked("openai", openai({"content": "a cat", name: thoughts}))
    alone = asked("openai", openai({"content": "", name: thoughts}))

    assert (both.text, alone.text) == ("a cat", None)
    assert alone.error == "only reasoning, no answer (raise max_tokens)"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (openai("red"), f"{STRANGE}its message is a text"),
        (openai(None), f"{STRANGE}its message is nothing"),
        (openai(["red"]), f"{STRANGE}its message is a list"),
        (openai({"content": None, "refusal": ["no"]}), "refused: ['no']"),
        (openai({"content": "red", "refusal": {"why": "no"}}), "refused: {'why': 'no'}"),
        ({"choices": {"0": {"message": {"content": "red"}}}}, "the server's reply has no choices"),
        ({"choices": "red"}, "the server's reply has no choices"),
        ({"choices": [["red"]]}, "the server's reply has no choices"),
        ({"choices": [], "error": ["no"]}, "502: ['no']"),
        ({"error": {"code": 2**70, "message": "no"}}, "502"),
        ({"error": {"code": True, "message": {"a": "no"}}}, "502"),
    ],
)
def test_a_reply_of_an_odd_shape_is_an_error_of_its_item_in_words(body, error):
    found = asked("openai", body)

    assert found.text is None
    assert found.error.startswith(error)
    assert "Error" not in found.error


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"candidates": {"0": {}}}, "the server's reply has no candidates"),
        ({"candidates": ["red"]}, "empty answer"),
        ({"candidates": [{"content": "red"}]}, "empty answer"),
        ({"candidates": [{"content": {"parts": "red"}}]}, None),
        ({"candidates": [{"content": {"parts": [{"text": 5}]}}]}, f"{STRANGE}its text is a number"),
        (
            {"candidates": [{"content": {"parts": [{"executableCode": {}}]}}]},
            f"{STRANGE}a part of type 'none'",
        ),
        ({"promptFeedback": {"blockReason": ["A"]}}, "refused: the question was blocked (['A'])"),
        ({"promptFeedback": "no"}, "the server's reply has no candidates"),
    ],
)
def test_an_odd_reply_of_gemini_is_an_error_of_its_item_in_words(body, error):
    found = asked("gemini", body)

    assert found.error is None if error is None else found.error.startswith(error)
    assert "Error" not in str(found.error)


@pytest.mark.parametrize("adapter", ["openai", "gemini"])
@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize(
    "body", [[], [1, 2], 7, "no", {"error": "no"}, {"error": [1]}, {"error": {"details": 7}}, None]
)
def test_an_error_of_an_odd_shape_is_told_with_its_status(adapter, status, body):
    with serving(Answer(body, status)) as api:
        url = f"{api.url}/v1" if adapter == "openai" else api.url
        model = ADAPTERS[adapter]("small", base_url=url, patience=ALONE)
        (found,) = model.predict([Item("b", "1", "?", ("a",))])

    assert found.text is None
    assert found.error.startswith(str(status))


@pytest.mark.parametrize("adapter", ["openai", "gemini"])
def test_a_question_with_half_a_character_is_asked_with_a_question_mark(adapter):
    body = openai({"content": "a"}) if adapter == "openai" else gemini([{"text": "a"}])
    with serving(Answer(body)) as api:
        url = f"{api.url}/v1" if adapter == "openai" else api.url
        reply = ADAPTERS[adapter]("small", base_url=url, patience=ALONE).ask("red \ud83d?")

    assert reply.text == "a"
    assert "red ??" in str(api.calls[0].body)
