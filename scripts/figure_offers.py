"""Prices, image-token rules, answer lengths and card rents, from the collected files.

A name joins a model only through a row of ``aliases.csv`` (source ``current-prices``, or
``output-tokens``); a row without a model says that somebody looked and found none of ours. The
answer lengths come from the same run as scores do, so there a model's own name joins too.
"""

import re
from pathlib import Path

import figure_offer_names as names
from figure_io import Row, columns, look_up, read

COLUMNS = {
    "prices": columns(
        "model,mode,provider,by_maker,usd_per_mtok_in,usd_per_mtok_out,as_of,until,deprecated,"
        "printed_model,source,note"
    ),
    "image_rules": columns("model,rule,options,as_of,source,note"),
    "output_tokens": columns("model,mode,mean,most,n,source,note"),
    "gpu_prices": columns("gpu,memory_gb,usd_per_hour_low,usd_per_hour_high,as_of,source"),
}
RULES_SOURCE = "providers' documentation as collected with the prices: {}"


def tables(folder: Path, catalog: Path, models: list[Row]) -> dict[str, list[Row]]:
    """The offer tables by name.

    Args:
        folder: The folder of the collected files.
        catalog: The folder of aliases.csv.
        models: The catalogue's models: id, name and maker of each.

    Raises:
        ValueError: A printed name has no row in aliases.csv.
    """
    return {
        "prices": _prices(folder, catalog, models),
        "image_rules": _image_rules(folder, catalog),
        "output_tokens": _output_tokens(folder, catalog, models),
        "gpu_prices": read(folder / "gpu_prices.csv"),
    }


def _prices(folder: Path, catalog: Path, models: list[Row]) -> list[Row]:
    """One row a price of a model of ours."""
    makers = {row["id"]: row.get("maker", "") for row in models}
    return [_price(row, model, makers[model]) for row, model in _joined(folder, catalog)]


def _image_rules(folder: Path, catalog: Path) -> list[Row]:
    """One row a model and rule that was collected with its prices."""
    found: dict[tuple[str, str], Row] = {}
    for row, model in _joined(folder, catalog):
        printed = row["image_token_rule"]
        rule = look_up(names.RULE_OF_PRINTED, printed, "RULE_OF_PRINTED") if printed else None
        if rule is None:
            continue
        found.setdefault(
            (model, rule.name + rule.options),
            {
                "model": model,
                "rule": rule.name,
                "options": rule.options,
                "as_of": names.RULES_AS_OF,
                "source": RULES_SOURCE.format(rule.source),
                "note": rule.note,
            },
        )
    return [found[key] for key in sorted(found)]


def _output_tokens(folder: Path, catalog: Path, models: list[Row]) -> list[Row]:
    """One row a model: how long its answers were in the run that measured them."""
    ids = {row["name"]: row["id"] for row in models} | _aliases(catalog, "output-tokens")
    return [
        {
            "model": look_up(ids, row["model"], "output_tokens.csv"),
            "mode": "",
            "mean": row["avg_output_tokens"],
            "most": row["max_output_tokens"],
            "n": look_up(names.ANSWERS, row["note"], "ANSWERS"),
            "source": row["source"],
            "note": names.ANSWERS_NOTE,
        }
        for row in read(folder / "output_tokens.csv")
    ]


def _price(row: Row, model: str, maker: str) -> Row:
    until = next((day for mark, day in names.UNTIL if mark in row["source"]), "")
    return {
        "model": model,
        "mode": "",
        "provider": row["provider"],
        "by_maker": str(int(maker in names.MAKERS_OF_PROVIDER.get(row["provider"], ()))),
        "usd_per_mtok_in": row["input_usd_per_mtok"],
        "usd_per_mtok_out": row["output_usd_per_mtok"],
        "as_of": row["as_of"],
        "until": until,
        "deprecated": str(int(bool(re.fullmatch(names.DEPRECATED, row["model"])))),
        "printed_model": row["model"],
        "source": _tidy(row["source"]),
        "note": names.NOTE_OF_PRINTED.get(row["model"], "") or (until and names.UNTIL_NOTE),
    }


def _joined(folder: Path, catalog: Path) -> list[tuple[Row, str]]:
    alias = _aliases(catalog, "current-prices")
    rows = read(folder / "current_prices.csv")
    found = [(row, look_up(alias, row["model"], "aliases.csv, current-prices")) for row in rows]
    return [(row, model) for row, model in found if model]


def _aliases(catalog: Path, source: str) -> Row:
    rows = read(catalog / "aliases.csv")
    return {row["foreign_name"]: row["model"] for row in rows if row["source"] == source}


def _tidy(source: str) -> str:
    """A source without the empty brackets that the collection left."""
    return re.sub(r" ?\(\)", "", source).strip()
