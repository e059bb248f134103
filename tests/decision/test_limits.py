"""Each row of the table of limits: asked, checked, put into words, linked and documented."""

import math
from pathlib import Path

import pytest

from evalcore.decision import limits, link
from evalcore.decision.facts import Facts
from evalcore.decision.needs import LIMITS, Needs

README = Path(__file__).parents[2] / "README.md"
CASES = {
    "ruled_out": {"ruled_out": ("m",)},
    "weights": {"open_weights": True},
    "licence": {"licences": ("permissive",), "commercial_use": True},
    "available": {"available_today": True},
    "size": {"max_params_b": 8.0},
    "memory": {"max_memory_gb": 24.0, "precision": "int8"},
    "cost": {"max_usd_per_1000": 2.0},
    "time": {"max_seconds": 3.0},
    "gpu": {"gpu": "24 GB"},
    "score": {"min_score": 0.6},
    "tag": {"min_tag_scores": (("t", 0.5),)},
}
"""Limit to needs that set it."""
NAMED = [limit for limit in LIMITS if limit.name]


def needs_of(limit):
    assert limit.name in CASES, f"no case here for the limit {limit.name!r}"
    return Needs("suite", "axis", **CASES[limit.name])


def model(**known):
    nothing = dict.fromkeys(("params_b", "memory_gb", "usd_per_1000", "seconds"), math.nan)
    facts = nothing | {"open_weights": None, "score": math.nan, "ceiling": 0.5, "by_tag": {}}
    return Facts("m", **(facts | known))


def test_each_case_is_a_limit():
    assert set(CASES) == {limit.name for limit in NAMED}


@pytest.mark.parametrize("limit", NAMED, ids=lambda limit: limit.name)
def test_a_limit_that_is_set_is_said_and_checked(limit):
    needs = needs_of(limit)

    assert limit.words(needs, {"m": "M"})
    assert limit.missed
    found = limit.check(model(), needs)
    assert [finding.limit for finding in found] == [limit.name] * len(found)
    assert found
    if any(finding.relaxation is None for finding in found):
        assert limit.unknown


@pytest.mark.parametrize("limit", NAMED, ids=lambda limit: limit.name)
def test_a_limit_that_is_not_set_is_silent(limit):
    assert limit.words(Needs("suite", "axis"), {}) == []
    assert limit.check(model(), Needs("suite", "axis")) == []


@pytest.mark.parametrize("limit", NAMED, ids=lambda limit: limit.name)
def test_a_limit_stands_in_the_link_of_its_question(limit):
    asked = link.recommend(needs_of(limit), "Suite", "Axis", {"m": "M"})
    plain = link.recommend(Needs("suite", "axis"), "Suite", "Axis", {})

    if limit.name != "available":  # unasked where models are of today
        assert asked != plain
        assert any(control.key in asked for control in limit.controls)


def test_each_option_stands_in_the_readme():
    text = README.read_text(encoding="utf-8")
    flags = {flag for limit in LIMITS for one in limit.controls for flag in one.flags}
    options = {f"--{flag.replace('_', '-')}" for flag in flags}
    options |= {one.option for limit in LIMITS for one in limit.controls if not one.flags}

    assert [option for option in sorted(options) if f"`{option}`" not in text] == []


def test_keys_and_places_are_given_once():
    controls = [one for limit in LIMITS for one in limit.controls]

    for what in ("key", "place", "order"):
        values = [getattr(one, what) for one in controls]
        assert len(set(values)) == len(values), what


def test_what_is_unknown_is_found_of_every_value():
    gaps = limits.findings(model(), Needs("s", "a", max_params_b=1.0, max_seconds=1.0))

    assert [(gap.limit, gap.relaxation) for gap in gaps] == [("size", None), ("time", None)]
