"""Catalogue rows of the current models, and the needs, from the collected files."""

import re
from pathlib import Path

import figure_current_names as names
from figure_current import model_ids, split_name
from figure_io import Row, columns, read

NEED_COLUMNS = columns("need,family,why")
FACTS = columns("maker,params_b,active_params_b,open_weights,licence,release")


def models(folder: Path, catalog: Path, taken: set[str]) -> list[Row]:
    """One row a model that the older sources do not have.

    Args:
        folder: The folder of current_scores.csv.
        catalog: The folder of aliases.csv.
        taken: Ids of the models of the older sources.

    Raises:
        ValueError: Two rows of one model tell different facts, or its family is not known.
    """
    return [
        {
            "id": model,
            "name": facts["name"],
            "maker": facts["maker"],
            "family": _family(facts["name"]),
            "kind": "generative",
            "params_b": facts["params_b"],
            "params_basis": basis(facts["name"], facts["params_b"]),
            "active_params_b": facts["active_params_b"],
            "released": facts["release"],
            "open_weights": facts["open_weights"],
            "licence": facts["licence"],
            "source": "current-collection",
        }
        for model, facts in _facts(folder, catalog, taken).items()
        if model not in taken
    ]


def completed(rows: list[Row], folder: Path, catalog: Path) -> list[Row]:
    """Models of the older sources, with the release month and licence where an alias joins them.

    Args:
        rows: The models as the older sources give them.
        folder: The folder of current_scores.csv.
        catalog: The folder of aliases.csv.
    """
    known = _facts(folder, catalog, {row["id"] for row in rows})
    made = []
    for row in rows:
        facts = known.get(row["id"], {})
        added = {"released": facts.get("release", ""), "licence": facts.get("licence", "")}
        made.append(row | {column: value for column, value in added.items() if value})
    return made


def needs(folder: Path) -> list[Row]:
    """Which families of benchmarks speak for which need, with the reason."""
    return [
        {"need": row["need"], "family": row["benchmark"], "why": row["why"]}
        for row in read(folder / "needs.csv")
    ]


def basis(name: str, params_b: str) -> str:
    """How a total is known: one that the name says too, or a round one, may not be counted."""
    if not params_b:
        return ""
    sizes = re.findall(r"(?<![A-Za-z\d.])(\d+(?:\.\d+)?)B", name)
    nominal = params_b in sizes[:1] or (not sizes and "." not in params_b)
    return "nominal" if nominal else "counted"


def _facts(folder: Path, catalog: Path, taken: set[str]) -> dict[str, Row]:
    """Model id → its name and what the collection tells about it."""
    printed = read(folder / "current_scores.csv")
    ids = model_ids(printed, catalog, taken)
    found: dict[str, Row] = {}
    for row in printed:
        name = split_name(row["model"])[0]
        facts = {"name": name} | {column: row[column] for column in FACTS}
        if found.setdefault(ids[name], facts) != facts:
            raise ValueError(f"current_scores.csv: {name!r} has {facts} and {found[ids[name]]}")
    return found


def _family(name: str) -> str:
    beginnings = [begin for begin in names.FAMILY if name.startswith(begin)]
    if not beginnings:
        raise ValueError(f"FAMILY: no entry for {name!r}; add one")
    return names.FAMILY[max(beginnings, key=len)]
