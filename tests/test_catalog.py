from dataclasses import dataclass
from typing import Literal

import pytest

from evalcore import catalog
from evalcore.errors import BadCatalog


@dataclass(frozen=True)
class Fruit:
    """A record with a field of every type that files may hold."""

    id: str
    kind: Literal["stone", "berry"]
    grams: float | None
    seeds: int | None
    ripe: bool | None
    note: str | None


HEADER = "id,kind,grams,seeds,ripe,note"
FIELDS = "id, kind, grams, seeds, ripe, note"
GOOD = "plum,stone,41.5,1,1,sweet"

BROKEN = [
    (
        "id,kind,grams,seeds,note,colour\n",
        f": the header lacks ['ripe'] and has unknown ['colour']; it should be {FIELDS}",
    ),
    (
        "",
        ": the header lacks ['grams', 'id', 'kind', 'note', 'ripe', 'seeds']; "
        f"it should be {FIELDS}",
    ),
    (
        "id,kind,grams,seeds,ripe,note,note\n",
        f": the header has twice ['note']; it should be {FIELDS}",
    ),
    (f"{HEADER}\nplum,stone\n", ", line 2: not 6 cells"),
    (f"{HEADER}\n{GOOD},more\n", ", line 2: not 6 cells"),
    (f"{HEADER}\n{GOOD}\n\nfig,stone,x,,,\n", ", line 4, grams: 'x' is not a number"),
    (f"{HEADER}\nplum,stone,nan,1,1,\n", ", line 2, grams: 'nan' is not a number"),
    (f"{HEADER}\nplum,stone,inf,1,1,\n", ", line 2, grams: 'inf' is not a number"),
    (f"{HEADER}\nplum,stone,1,1.5,1,\n", ", line 2, seeds: '1.5' is not a whole number"),
    (f"{HEADER}\nplum,stone,1,1,yes,\n", ", line 2, ripe: 'yes' should be 1 (yes) or 0 (no)"),
    (f"{HEADER}\nplum,nut,1,1,1,\n", ", line 2, kind: 'nut' is not one of stone, berry"),
    (f"{HEADER}\nplum,,1,1,1,\n", ", line 2, kind: '' is not one of stone, berry"),
    (
        f'{HEADER}\n{GOOD}\n"fig,stone,1,1,1,\n',
        ", after line 2: broken CSV (unexpected end of data)",
    ),
    (f'"{HEADER}\n{GOOD}\n', ", after line 0: broken CSV (unexpected end of data)"),
    (
        f'{HEADER}\n"fig"s,stone,1,1,1,\n',
        ", after line 1: broken CSV (',' expected after '\"')",
    ),
]


def written(folder, text, encoding="utf-8"):
    path = folder / "fruit.csv"
    path.write_bytes(text.encode(encoding))
    return path


def test_a_row_becomes_a_record_of_its_types(tmp_path):
    path = written(tmp_path, f"{HEADER}\n{GOOD}\n")

    assert catalog.read(path, Fruit) == [Fruit("plum", "stone", 41.5, 1, True, "sweet")]


def test_an_empty_cell_is_unknown_and_not_zero(tmp_path):
    path = written(tmp_path, f"{HEADER}\nplum,stone,,,,\n")

    assert catalog.read(path, Fruit) == [Fruit("plum", "stone", None, None, None, None)]


def test_columns_may_stand_in_any_order(tmp_path):
    path = written(tmp_path, "note,ripe,seeds,grams,kind,id\nsweet,1,1,41.5,stone,plum\n")

    assert catalog.read(path, Fruit) == [Fruit("plum", "stone", 41.5, 1, True, "sweet")]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_files_saved_by_a_spreadsheet_are_read(tmp_path, ending, encoding):
    path = written(tmp_path, f"{HEADER}{ending}{GOOD}{ending}", encoding)

    assert [row.id for row in catalog.read(path, Fruit)] == ["plum"]


def test_a_line_break_inside_quotes_stays_in_the_cell(tmp_path):
    path = written(tmp_path, f'{HEADER}\nplum,stone,,,,"first\nsecond\u2028third"\n')

    assert catalog.read(path, Fruit)[0].note == "first\nsecond\u2028third"


@pytest.mark.parametrize(("text", "problem"), BROKEN)
def test_a_broken_file_is_refused_with_its_place(tmp_path, text, problem):
    path = written(tmp_path, text)

    with pytest.raises(BadCatalog) as caught:
        catalog.read(path, Fruit)

    assert str(caught.value) == f"{path}{problem}"


def test_a_file_that_is_not_utf8_is_refused_with_the_byte(tmp_path):
    path = written(tmp_path, f"{HEADER}\npêche,stone,,,,\n", "latin-1")

    with pytest.raises(BadCatalog) as caught:
        catalog.read(path, Fruit)

    reason = "invalid continuation byte at byte 31"
    assert str(caught.value) == f"{path}: not UTF-8 text ({reason})"


def test_a_row_is_placed_in_its_file_and_line(tmp_path):
    paths = []
    for folder, name in (("shipped", "plum"), ("mine", "fig")):
        (tmp_path / folder).mkdir()
        paths.append(written(tmp_path / folder, f"{HEADER}\n{name},stone,,,,\n"))

    where = catalog.places(paths)

    assert [where(0), where(1)] == [f"{path}, line 2" for path in paths]


def place(index):
    return f"fruit.csv, line {index + 2}"


def test_a_second_row_with_the_same_key_is_refused():
    rows = [Fruit("plum", "stone", None, None, None, None)] * 2

    with pytest.raises(BadCatalog) as caught:
        catalog.refuse_duplicates(rows, ("id", "kind"), place)

    assert str(caught.value) == (
        "fruit.csv, line 3: a second row with id='plum', kind='stone' "
        "(the first: fruit.csv, line 2); keep one"
    )


def test_rows_that_differ_in_one_part_of_the_key_pass():
    rows = [Fruit("plum", kind, None, None, None, None) for kind in ("stone", "berry")]

    catalog.refuse_duplicates(rows, ("id", "kind"), place)


def test_a_name_that_is_in_no_table_is_refused():
    rows = [Fruit("plum", "stone", None, None, None, "tart")]

    with pytest.raises(BadCatalog) as caught:
        catalog.refuse_unknown(rows, "note", ["sweet"], place)

    assert str(caught.value) == (
        "fruit.csv, line 2: note 'tart' is in no catalogue file; add its row there"
    )


def test_an_unknown_reference_is_no_wrong_reference():
    catalog.refuse_unknown([Fruit("plum", "stone", None, None, None, None)], "note", [], place)
