"""The verdicts that come with the product are what today's rules say of the same answers."""

import pytest

from evalcore.engine import runs
from evalcore.home import ROOT
from evalcore.judges import JUDGES, make

FOLDERS = sorted(path.parent for path in (ROOT / "precomputed" / "runs").glob("*/verdicts"))
SHIPPED = [(folder, file.stem) for folder in FOLDERS for file in (folder / "verdicts").glob("*")]
BY_RULE = [(folder, key) for folder, key in SHIPPED if key.rsplit("-", 2)[0] in JUDGES]


@pytest.mark.parametrize(("folder", "key"), BY_RULE, ids=lambda one: getattr(one, "name", one))
def test_a_shipped_verdict_is_what_its_rule_says_today(folder, key):
    run = runs.Run(folder)
    items, predictions = {item.id: item for item in run.items()}, run.predictions()
    kept = run.verdicts(key)

    judge = make(key.rsplit("-", 2)[0])
    changed = [
        name
        for name, verdict in kept.items()
        if judge.judge(items[name], predictions[name]).score != verdict.score
    ]

    assert len(kept) == 500
    assert changed == []


def test_both_rules_of_the_shipped_runs_are_looked_at():
    assert {key for _, key in BY_RULE} >= {"exact-1-r0", "anls-1-r0"}
