"""How many models each limit alone lets through."""

import pandas as pd

from evalcore.decision.limits import counts
from evalcore.decision.needs import Needs
from evalcore.decision.recommend import recommend

MODELS = pd.DataFrame(
    {
        "model": ["small", "large", "closed"],
        "name": ["Small", "Large", "Closed"],
        "params_b": [2.0, 20.0, float("nan")],
        "open_weights": [True, True, False],
    }
)


def cells():
    rows = [("small", "t", 0.5), ("large", "t", 0.7), ("closed", "t", 0.8), ("small", "u", 0.4)]
    frame = pd.DataFrame(rows, columns=["model", "tag", "value"])
    return frame.assign(n=400.0, se=0.02, low=0.1, high=0.9, kind="published", suspect=False)


def counted(**limits):
    needs = Needs("suite", "axis", (("t", 1.0),), **limits)
    rows = counts(recommend(cells(), MODELS, needs).findings, needs, MODELS)
    return rows.set_index("limit")[["remain", "missed", "unknown"]].T.to_dict("list")


def test_no_limit_gives_no_row():
    assert counted() == {}


def test_each_limit_counts_by_itself():
    found = counted(open_weights=True, max_params_b=10.0, min_score=0.6)

    assert found == {"weights": [2, 1, 0], "size": [1, 1, 1], "score": [2, 1, 0]}


def test_unknown_values_that_pass_count_as_remaining():
    assert counted(max_params_b=10.0, include_unknown=True) == {"size": [2, 1, 0]}


def test_a_missing_result_under_a_tag_minimum_is_unknown():
    assert counted(min_tag_scores=(("u", 0.3),)) == {"tag": [1, 0, 2]}


def test_a_limit_is_said_in_words():
    needs = Needs("suite", "axis", (("t", 1.0),), max_params_b=10.0, ruled_out=("large",))
    rows = counts(recommend(cells(), MODELS, needs).findings, needs, MODELS)

    assert rows["words"].tolist() == ["without Large", "at most 10 B parameters"]
    assert rows["of"].tolist() == [3, 3]
