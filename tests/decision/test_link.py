"""A link holds every limit that is set, and none that is not."""

from urllib.parse import parse_qs, urlsplit

import pytest

from evalcore.cost.api import Question
from evalcore.decision import link
from evalcore.decision.needs import ASSUMED, Needs

BASE = {"suite", "axis", "min_n_s", "mean", "rec_where", "rec_precision"}


def query(**options):
    made = link.recommend(Needs("s", "need", **options), "Suite", "Need", {"m": "M"})
    return parse_qs(urlsplit(made).query)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"licences": ("permissive", "conditions")}, {"rec_licence": ["permissive", "conditions"]}),
        ({"commercial_use": True}, {"rec_commercial": ["true"]}),
        ({"available_today": False}, {"rec_retired": ["true"]}),
        ({"available_today": True}, {}),
        ({"gpu": "24 GB"}, {"rec_card": ["24 GB"]}),
        ({"within": 0.03}, {"rec_within": ["3"]}),
        ({"include_modes": True}, {"rec_modes": ["true"]}),
        ({"workload": ASSUMED}, {}),
        (
            {"workload": Question(800, 600, 50, tokens_out=20)},
            {
                "rec_width": ["800"], "rec_height": ["600"], "rec_pictures": ["1"],
                "rec_prompt": ["50"], "rec_answer": ["20"],
            },
        ),
    ],
)  # fmt: skip
def test_a_link_holds_what_is_asked_of_models_of_today(options, expected):
    found = query(**options)

    assert {key: found[key] for key in found if key not in BASE} == expected
