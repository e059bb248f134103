"""From the sidebar and the limits form to a question."""

import pytest

from evalcore.cost.api import Question
from evalcore.decision import link
from evalcore.decision.needs import ASSUMED, EVERY, Needs
from evalcore.decision.presets import CURRENT, PRESETS
from evalcore.errors import BadInput
from evalcore.suites.suite import ModelFilter
from pages.shared import needs_form
from pages.shared.needs_form import pairs

NAMES = {"gpt-4o-mini": "GPT-4o mini", "internvl2-8b": "InternVL2-8B"}
TAGS = ["Chart Understanding", "Document Understanding"]
ASKED = Needs("vqa360", "task_type", min_n=300)


def ask(form={}, chosen=ModelFilter()):  # noqa: B006, B008  neither is changed
    return needs_form.needs(ASKED, chosen, form, NAMES, TAGS)


def test_nothing_filled_in_is_no_limit():
    assert ask() == ASKED


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({"rec_where": "open"}, {"open_weights": True}),
        ({"rec_where": "own"}, {"open_weights": True, "self_hosted": True}),
        ({"rec_where": "api"}, {"api_only": True}),
        ({"rec_size": 10}, {"max_params_b": 10}),
        ({"rec_memory": 24, "rec_precision": "int4"}, {"max_memory_gb": 24, "precision": "int4"}),
        ({"rec_usd": 1.5, "rec_gpu": 2}, {"max_usd_per_1000": 1.5, "gpu_usd_per_hour": 2}),
        ({"rec_pace": 900}, {"questions_per_hour": ((EVERY, 900),)}),
        ({"rec_costs": "gpt-4o MINI = $0.3"}, {"usd_per_1000": (("gpt-4o-mini", 0.3),)}),
        ({"rec_times": "\ninternvl2-8b=2\n"}, {"seconds": (("internvl2-8b", 2.0),)}),
        ({"rec_score": 60}, {"min_score": 0.6}),
        ({"rec_tags": "chart understanding = 55 %"}, {"min_tag_scores": ((TAGS[0], 0.55),)}),
        ({"rec_unknown": True}, {"include_unknown": True}),
        ({"rec_out": ("gpt-4o-mini",)}, {"ruled_out": ("gpt-4o-mini",)}),
        ({"rec_licence": ("permissive",)}, {"licences": ("permissive",)}),
        (
            {"rec_commercial": True, "rec_modes": True},
            {"commercial_use": True, "include_modes": True},
        ),
        ({"rec_retired": True}, {"available_today": False}),
        ({"rec_retired": False}, {"available_today": True}),
        ({}, {"available_today": None}),
        ({"rec_card": " 24 GB "}, {"gpu": "24 GB", "self_hosted": True, "open_weights": True}),
        ({"rec_within": 3}, {"within": 0.03}),
        ({needs_form.QUESTION: Question(10, 20, 5)}, {"workload": Question(10, 20, 5)}),
    ],
)
def test_each_field_of_the_form_is_a_limit(form, expected):
    got = ask(form)

    assert {name: getattr(got, name) for name in expected} == expected


def test_the_sidebar_filter_is_a_limit_too():
    got = ask(chosen=ModelFilter("open", 3.0, include_unknown=True))

    assert (got.open_weights, got.max_params_b, got.include_unknown) == (True, 3.0, True)


@pytest.mark.parametrize(("sidebar", "form"), [(3.0, 10.0), (10.0, 3.0)])
def test_of_two_sizes_the_stricter_counts(sidebar, form):
    assert ask({"rec_size": form}, ModelFilter(max_params_b=sidebar)).max_params_b == 3.0


def test_sidebar_and_form_may_not_contradict_each_other():
    with pytest.raises(BadInput, match="^the sidebar asks for closed weights and the form for 'my"):
        ask({"rec_where": "own"}, ModelFilter("closed"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gpt-4o-mini 0.3", "line 1: 'gpt-4o-mini 0.3' has no '='; write for example a = 1"),
        ("a = 1\nb = x", "line 2: 'b = x' has no number of at least 0 after '='; write 1"),
        ("a = -1", "line 1: 'a = -1' has no number of at least 0 after '='; write 1"),
        ("a = nan", "line 1: 'a = nan' has no number of at least 0 after '='; write 1"),
        ("a = inf", "line 1: 'a = inf' has no number of at least 0 after '='; write 1"),
        ("a = 1_0", "line 1: 'a = 1_0' has no number of at least 0 after '='; write 1"),
        ("a = 1\n\nA = 2", "line 3: 'A = 2' is a second line for 'a'; keep one"),
        ("zzz = 1", "line 1: 'zzz = 1' names 'zzz', which is not known here; known: a, b"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(text, message):
    with pytest.raises(BadInput) as caught:
        pairs(text, "Cost", {"a": "a", "b": "b"}, "1")

    assert str(caught.value) == f"Cost, {message}"


def test_a_misspelt_model_meets_the_nearest_id():
    with pytest.raises(BadInput, match="did you mean internvl2-8b"):
        ask({"rec_costs": "internvl2 8b = 1"})


def test_a_share_over_100_per_cent_is_refused():
    with pytest.raises(BadInput, match="on 'Chart Understanding' is 160 %; give 0 to 100"):
        ask({"rec_tags": "Chart Understanding = 160"})


@pytest.mark.parametrize("name", list(PRESETS))
def test_a_ready_made_question_survives_the_form(name):
    wanted = PRESETS[name].needs
    values = needs_form.filled(wanted)
    form = {
        "rec_where": values["rec_where"],
        "rec_size": values["rec_size"],
        "rec_memory": values["rec_memory"],
        "rec_out": tuple(values["rec_out"]),
    }
    tags = tuple((tag, 1.0) for tag in reversed(values[f"tags_{wanted.axis}"]))
    asked = Needs(values["suite"], values["axis"], tags, values["mean"], values["min_n_vqa360"])

    assert needs_form.same(needs_form.needs(asked, ModelFilter(), form, NAMES, TAGS), wanted)


def test_another_limit_is_another_question():
    assert not needs_form.same(ASKED, ask({"rec_size": 3}))


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("size (--include-unknown lets it in)", "Let unknown values pass"),
        ("USD per 1,000 (--usd-per-1000 gpt-4o-mini=VALUE)", "Cost of single models"),
        ("seconds an answer (--seconds gpt-4o-mini=VALUE)", "Seconds of single models"),
    ],
)
def test_what_to_state_is_said_in_the_words_of_the_form(said, shown):
    assert shown in needs_form.on_screen(said)
    assert "--" not in needs_form.on_screen(said)


def test_a_question_that_nobody_describes_is_none():
    assert needs_form.workload({}) is None
    assert needs_form.workload(dict.fromkeys(link.WORKLOAD)) is None


def test_what_is_stated_of_a_question_joins_what_is_assumed():
    asked = needs_form.workload({"rec_width": 640.0, "rec_answer": 12.5, "rec_thinking": None})

    assert asked == Question(640, ASSUMED.height, ASSUMED.prompt_tokens, tokens_out=12.5)
    assert isinstance(asked.width, int)


@pytest.mark.parametrize("name", list(CURRENT))
def test_the_question_of_a_ready_made_one_survives_its_widgets(name):
    wanted = CURRENT[name].needs
    stated = link.workload_keys(wanted.workload)

    assert needs_form.workload(stated) in (wanted.workload, None)
    assert (needs_form.workload(stated) is None) == (wanted.workload in (None, ASSUMED))


def test_a_block_is_not_asked_about_models_that_it_lacks():
    asked = Needs(
        "", "need", ruled_out=("a", "b"), usd_per_1000=(("a", 1.0), ("c", 2.0)),
        seconds=(("b", 1.0),), max_seconds=2.0,
    )  # fmt: skip

    found = needs_form.models_there(asked, "block", {"a"})
    assert found == Needs(
        "block", "need", ruled_out=("a",), usd_per_1000=(("a", 1.0),), max_seconds=2.0
    )


def test_a_missing_price_is_to_be_stated_on_the_page_not_in_a_file():
    said = needs_form.on_screen(
        "No price of m-2.5 is known: add a row of prices.csv with US dollars per million tokens in "
        "and out, its date and its source."
    )

    assert said == 'No price of m-2.5 is known; state its cost in "Cost of single models".'
