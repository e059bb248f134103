"""Digits in captions."""

import gzip

import pandas as pd
import pytest

from evalcore.contrastive import digits
from evalcore.errors import BadInput

CAPTIONS = [
    "Three cats and 3 dogs, three of them black",
    "Channel 30, 1,300 metres, version 3.5",
    "someone alone at a phone",
    "One or two: 1 - 2.",
]


def counts(path, **about):
    found, total = digits.count(path, **about)
    rows = found.set_index("word")
    words, figures = rows["captions_with_word"], rows["captions_with_figure"]
    return words[words > 0].to_dict(), figures[figures > 0].to_dict(), total


WANTED = ({"one": 1, "two": 1, "three": 1}, {"one": 1, "two": 1, "three": 1}, 4)


@pytest.mark.parametrize("kind", ["txt", "txt.gz", "csv", "tsv", "csv.gz", "parquet"])
def test_captions_that_name_a_digit_are_counted_once_in_any_kind_of_file(tmp_path, kind):
    path = tmp_path / f"captions.{kind}"
    frame = pd.DataFrame({"url": "x", "caption": CAPTIONS})
    if kind.startswith("txt"):
        raw = "\n".join(CAPTIONS).encode()
        path.write_bytes(gzip.compress(raw) if kind.endswith("gz") else raw)
    elif kind == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")

    assert counts(path) == WANTED


def test_a_column_may_be_named_and_must_be_there(tmp_path):
    path = tmp_path / "a.csv"
    pd.DataFrame({"said": CAPTIONS}).to_csv(path, index=False)

    assert counts(path, column="said") == WANTED
    with pytest.raises(BadInput, match="has the columns 'said', not one of caption, text"):
        digits.count(path)
    with pytest.raises(BadInput, match="not 'spoken'; name one with --column"):
        digits.count(path, "spoken")
    (tmp_path / "a.txt").write_text("two cats\n")
    with pytest.raises(BadInput, match="a.txt is read as text, .* no column 'said'"):
        digits.count(tmp_path / "a.txt", "said")


def test_a_file_that_is_not_there_or_torn_is_told(tmp_path):
    with pytest.raises(BadInput, match="none.txt: there is no such file"):
        digits.count(tmp_path / "none.txt")
    (tmp_path / "torn.txt.gz").write_bytes(gzip.compress(b"one two three" * 99)[:20])
    with pytest.raises(BadInput, match="torn.txt.gz cannot be read"):
        digits.count(tmp_path / "torn.txt.gz")
