"""Score rows of the current models: one file a source, as collected in current_scores.csv.

What a row is follows from four tables that people write: ``printed_sources.csv`` (which source and
suite), ``splits.csv`` (which benchmark, split, metric, judge), ``aliases.csv`` (which model, where
it has an id already) and the names of modes. Values are moved to fractions exactly.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import figure_current_names as names
from figure_io import Row, look_up, read, times

COLLECTED = "current-scores"
"""The name of this collection in aliases.csv."""
NO_SUITE = {"qwen3.5-cards": "qwen3.5-cards-again", "step3-vl": "step3-vl-again"}
"""Suite → the source, in no suite, of values that it prints a second time."""
COPIED_BENCHMARK, COPIED_SOURCE = "mm-vet-v2", "internvl2.5-mmvet2"
USUAL = 0.9
"""A remark that so large a share of a source's rows carry is the source's, not the cell's."""
Key = tuple[str, ...]


def scores(folder: Path, catalog: Path, taken: set[str], totals: Row) -> dict[str, list[Row]]:
    """All printed values, by source.

    Args:
        folder: The folder of current_scores.csv.
        catalog: The folder of the tables named above.
        taken: Ids of the models of the older sources.
        totals: Model → printed total of MM-Vet v2, as the suite mmvet2 has it.

    Raises:
        ValueError: A name is in no table, or two different values of one suite share a key.
    """
    printed = read(folder / "current_scores.csv")
    suites = {row["id"]: row["suite"] for row in read(catalog / "sources-current.csv")}
    find_source, splits = _sources(catalog), _splits(catalog)
    ids = model_ids(printed, catalog, taken)
    rows: list[tuple[str, Row, str]] = []
    seen: dict[Key, str] = {}
    for row in printed:
        source, place = find_source(row)
        score = _score(row, source, place, splits, ids)
        key = (suites[source], *_key(score))
        if key in seen:
            source = _again(key, score["value"], seen[key])
        elif _is_copied(score, totals):
            source = COPIED_SOURCE
        seen[key] = score["value"]
        rows.append((source, score, row["protocol_note"]))
    return _by_source(rows)


def _again(key: Key, value: str, before: str) -> str:
    """The source for a value that its suite prints a second time, which must be the same value."""
    if value != before:
        raise ValueError(f"current_scores.csv: {key} is {before} and {value}")
    return look_up(NO_SUITE, key[0], f"{key} is printed twice; NO_SUITE")


def model_ids(printed: list[Row], catalog: Path, taken: set[str]) -> Row:
    """Model id of each printed name without its mode: its alias, else its slug.

    Raises:
        ValueError: A slug is a model of the older sources; only an alias row may join the two.
    """
    alias = {
        row["foreign_name"]: row["model"]
        for row in read(catalog / "aliases.csv")
        if row["source"] == COLLECTED
    }
    ids = {}
    for row in printed:
        name = split_name(row["model"])[0]
        ids[name] = alias.get(name) or _slug(name)
        if name not in alias and ids[name] in taken:
            raise ValueError(f"current_scores.csv: {name!r} would join {ids[name]!r}; add an alias")
    return ids


def split_name(printed: str) -> tuple[str, str]:
    """The name of the release and its mode: 'GPT-5 [reasoning high]' has the mode in brackets."""
    if printed.endswith(names.FINE_TUNED):
        return printed.removesuffix(names.FINE_TUNED) + ")", "fine-tuned"
    name, _, mode = printed.removesuffix("]").partition(" [")
    return name, look_up(names.MODE_OF_PRINTED, mode, "MODE_OF_PRINTED")


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")


def _sources(catalog: Path) -> Callable[[Row], tuple[str, str]]:
    """A function from a printed row to its source and the place inside it."""
    rules = read(catalog / "printed_sources.csv")
    # A rule with a condition, and the longer of two beginnings, says more.
    rules.sort(key=lambda rule: (not rule["note_contains"], -len(rule["printed"])))

    def find(row: Row) -> tuple[str, str]:
        for rule in rules:
            begins = row["source"].startswith(rule["printed"])
            if begins and rule["note_contains"] in row["protocol_note"]:
                rest = row["source"].removeprefix(rule["printed"])
                return rule["source"], rule["place"] or rest
        raise ValueError(f"printed_sources.csv: no row for {row['source']!r}; add one")

    return find


def _splits(catalog: Path) -> dict[Key, Row]:
    columns = ("printed_benchmark", "printed_split", "printed_metric", "source")
    return {tuple(row[name] for name in columns): row for row in read(catalog / "splits.csv")}


def _score(row: Row, source: str, place: str, splits: dict[Key, Row], ids: Row) -> Row:
    printed = (row["benchmark"], row["split_or_variant"], row["metric"])
    split = splits.get((*printed, source)) or splits.get((*printed, ""))
    if split is None:
        raise ValueError(f"splits.csv: no row for {printed}; add one")
    name, mode = split_name(row["model"])
    unit, factor = names.UNIT_OF_METRIC.get(row["metric"], names.UNIT_OTHERWISE)
    score = {
        "model": ids[name],
        "mode": ", ".join(part for part in (mode, split["mode"]) if part),
        "benchmark": split["benchmark"],
        "split": split["split"],
        "axis": "benchmark",
        "tag": split["benchmark"],
        "metric": split["metric"],
        "judge": split["judge"],
        "value": times(row["value"], factor),
        "kind": "published",
        "printed_model": row["model"],
        "printed_value": row["value"],
        "printed_unit": unit,
        "suspect": "0",
        "note": place,
    }
    return score | _suspicion(score, source, row["protocol_note"])


def _suspicion(score: Row, source: str, note: str) -> Row:
    """What makes a printed value unfit for rankings, if anything does."""
    if names.LOW_CONFIDENCE in note:
        return {"suspect": "1"}
    models = names.SUSPECT.get((source, score["benchmark"]), ())
    if not score["model"].startswith(models or ("\0",)):
        return {}
    return {"suspect": "1", "note": f"{score['note']}; {names.SUSPECT_NOTE}"}


def _key(score: Row) -> Key:
    return tuple(score[name] for name in ("model", "mode", "benchmark", "split", "metric", "judge"))


def _is_copied(score: Row, totals: Row) -> bool:
    """Whether it is a total that the suite mmvet2 prints for the model, dated or not."""
    undated = re.sub(r"-\d{4}-\d\d-\d\d$", "", score["model"])
    return score["benchmark"] == COPIED_BENCHMARK and totals.get(undated) == score["printed_value"]


def _by_source(rows: list[tuple[str, Row, str]]) -> dict[str, list[Row]]:
    """The rows of each source, each with the remarks that are not those of its whole source."""
    counts: dict[Key, Counter[str]] = defaultdict(Counter)
    totals: Counter[Key] = Counter()
    for source, score, note in rows:
        counts[source, score["benchmark"]].update(note.split("; "))
        totals[source, score["benchmark"]] += 1
    found: dict[str, list[Row]] = defaultdict(list)
    for source, score, note in rows:
        group = (source, score["benchmark"])
        own = [
            part
            for part in note.split("; ")
            if part.startswith(names.OF_ONE_CELL)
            or (counts[group][part] < USUAL * totals[group] and part not in names.OF_THE_SOURCE)
        ]
        note = "; ".join(part for part in (score["note"], *own) if part)
        found[source].append(score | {"note": note})
    return dict(found)
