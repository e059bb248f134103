import os

import pytest

from evalcore import notes
from evalcore.errors import BadInput
from tests.fakes import processes


def test_nothing_is_flagged_or_labelled_at_first(home):
    assert notes.flags("b") == set()
    assert list(notes.labels("b").columns) == notes.LABELS
    assert notes.labels("b").empty


def test_a_flag_holds_until_it_is_taken_back(home):
    notes.flag("b", "q/1", True, "two answers are right")
    notes.flag("b", "q/2", True)
    notes.flag("other", "q/3", True)
    notes.flag("b", "q/2", False)

    assert notes.flags("b") == {"q/1"}
    assert notes.flagged("b")["why"].tolist() == ["two answers are right"]


def test_the_latest_word_of_each_rater_counts(home):
    for rater, said in (("ann", "yes"), ("bob", "no"), ("ann", "unsure")):
        notes.label("b", "q/1", "run", rater, said)

    found = notes.labels("b").set_index("rater")

    assert found["label"].to_dict() == {"ann": "unsure", "bob": "no"}


def test_notes_of_other_processes_are_read(home):
    child = processes.Process(target=_flag_elsewhere, args=(str(home),))
    child.start()
    notes.flag("b", "q/1", True)
    child.join()

    assert notes.flags("b") == {"q/1", "q/2"}


def _flag_elsewhere(folder):
    os.environ["EVALCORE_HOME"] = folder
    notes.flag("b", "q/2", True)


def test_notes_are_only_appended(home):
    notes.flag("b", "q/1", True, "wrong")
    before = {path: path.read_bytes() for path in (home / "notes").iterdir()}
    notes.flag("b", "q/1", False)

    assert all(path.read_bytes().startswith(data) for path, data in before.items())


def test_a_label_is_one_of_three_and_has_a_rater(home):
    with pytest.raises(BadInput, match="label 'maybe' should be one of yes, no, unsure"):
        notes.label("b", "q/1", "run", "ann", "maybe")
    with pytest.raises(BadInput, match="a rater needs a name"):
        notes.label("b", "q/1", "run", " ", "yes")
