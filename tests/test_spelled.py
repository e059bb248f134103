"""Names as people type them: whatever cannot be meant is an error of one sentence."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from evalcore import messages
from evalcore.__main__ import main
from evalcore.contrastive import models
from evalcore.engine import launch, resolve
from evalcore.errors import BadInput, EvalcoreError
from evalcore.models import ADAPTERS

LONG = "a" * 5_000
NAMES = ["", " ", "\t", "\0", "a\0b", "a\nb", "\x1b[31m", "\u2028", "\ud83d", LONG, f"a@{LONG}"]
ADDRESSES = [
    "http://[::1", "http://", "https://:80", "http://host:port", "http://host:99999", "http://h:-1",
    "http://h:0", "http://me:pw@host", "http://host/v1?key=sk-1", "http://ho st", "http://host\0",
    "http://a..b/v1", "http://.host", f"http://{LONG}", f"http://{'a' * 64}.de", "http://h#x",
    "ftp://host", "://", "http://host\t/v1", "file:///etc/passwd",
]  # fmt: skip
TAKES = sorted(set(ADAPTERS) - resolve.BASELINES)
CHATS = ["openai", "gemini"]
BAD_MODELS = [
    *NAMES,
    *(kind for kind in TAKES),
    *(f"{kind}:{name}" for kind in TAKES for name in NAMES),
    *(f"{kind}:x@{address}" for kind in CHATS for address in ADDRESSES),
    *(f"{kind}:@http://host" for kind in CHATS),
    *(f"{kind}:x" for kind in sorted(resolve.BASELINES)),
    "answers:~nobody-of-that-name/a.json", "answers:x=", "answers:/dev/null", "nothing:x",
    ":x", ":",
]  # fmt: skip


def sentence(error):
    """Whether an error is one line of a length that is read, in which nothing is hidden."""
    told = str(error)
    seen = not any(unicodedata.category(one) in messages.UNSEEN for one in told)
    return seen and len(told) < 900 and "Errno" not in told


@pytest.mark.parametrize("model", BAD_MODELS)
def test_a_model_that_cannot_be_meant_is_refused_in_a_sentence(model, home):
    with pytest.raises(BadInput) as caught:
        launch.plan([model], "easy-vqa", limit=1)

    assert sentence(caught.value)


@pytest.mark.parametrize("model", [one for one in BAD_MODELS if one.partition(":")[0] in CHATS])
def test_a_judges_model_is_looked_at_alike(model, home):
    with pytest.raises(BadInput) as caught:
        launch.judges_of([f"goeval-ref-noimage={model}"])

    assert sentence(caught.value)


@pytest.mark.parametrize("benchmark", [*NAMES, "file=", "hf=", f"hf={LONG}", "vqa360=\0", "a=b"])
def test_a_benchmark_that_cannot_be_meant_is_refused_in_a_sentence(benchmark, home):
    with pytest.raises(BadInput) as caught:
        launch.plan(["chance"], benchmark, limit=1)

    assert sentence(caught.value)


@pytest.mark.parametrize(
    "model",
    [*NAMES, *(f"{kind}:{n}" for kind in ("open_clip", "hf", "a") for n in NAMES), ":x", "a..b:c"],
)
def test_a_contrastive_model_that_cannot_be_meant_is_refused_in_a_sentence(model, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(EvalcoreError) as caught:
        models.load(model, device="cpu")

    assert sentence(caught.value)


@given(st.text(max_size=40))
def test_whatever_is_typed_is_a_deployment_or_an_error(text):
    for typed in (text, *(f"{kind}:{text}" for kind in ADAPTERS), f"openai:x@http://{text}"):
        try:
            resolve.deployment_of(typed)
        except BadInput as error:
            assert sentence(error)


@pytest.mark.parametrize(
    "address",
    [
        "http://localhost:8000/v1", "http://[::1]:8000/v1", "https://api.example.com",
        "http://127.0.0.1", "https://bücher.example/v1", "http://a_b:1/v1/", "HTTP://host/v1",
    ],
)  # fmt: skip
def test_an_address_that_can_be_asked_is_taken(address):
    assert messages.server(address, "it") == address


def test_a_name_is_taken_without_the_spaces_around_it(home):
    found = resolve.deployment_of(" openai: org/model @http://localhost:8000/v1 ")

    assert found.model == "org/model"


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (
            "openai:",
            "error: model 'openai:' names nothing behind 'openai'; it should be openai:NAME",
        ),
        (
            "gemini: ",
            "error: model 'gemini:' names nothing behind 'gemini'; it should be gemini:NAME",
        ),
        ("openai:x@http://[::1", f"error: model 'x': base_url must be {messages.ADDRESS}"),
    ],
)
def test_the_command_line_says_what_would_be_right(model, told, home, capsys):
    assert main(["run", "--model", model, "--benchmark", "easy-vqa", "--limit", "1"]) == 2
    assert capsys.readouterr().err == f"{told}\n"


FORM = """
from pages.shared import launcher
launcher.form()
"""


@pytest.mark.parametrize("model", ["openai:", "openai:x@http://[::1", "answers:a\0b", LONG])
def test_the_form_says_what_is_wrong_with_a_model(model, home, monkeypatch):
    monkeypatch.setenv("EVALCORE_ALLOW_WRITE", "1")
    form = AppTest.from_string(FORM, default_timeout=60).run()
    form.text_input(key="run_other").input(model).run()
    form.button(key="run_start").click().run()

    assert not form.exception
    assert len(form.error) == 1


@pytest.mark.parametrize("benchmark", [LONG, "a\0b", " "])
def test_the_form_says_what_is_wrong_with_a_benchmark(benchmark, home, monkeypatch):
    monkeypatch.setenv("EVALCORE_ALLOW_WRITE", "1")
    form = AppTest.from_string(FORM, default_timeout=60).run()
    form.text_input(key="run_other").input("chance").run()
    form.text_input(key="run_benchmark").input(benchmark).run()
    form.button(key="run_start").click().run()

    assert not form.exception
    assert len(form.error) == 1


def test_an_option_of_another_adapter_is_told_with_it(home):
    with pytest.raises(BadInput) as caught:
        launch.plan(
            ["transformers:org/x"], "easy-vqa", limit=1, options={"trust_remote_code": True}
        )

    assert str(caught.value).endswith("; remote-code:org/x would have it")
