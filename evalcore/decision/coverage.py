"""How much is known of the models of today, and what is missing, name by name."""

from collections.abc import Mapping

import pandas as pd

from evalcore.cost import prices
from evalcore.cost.prices import PriceTables

COLUMNS = ["fact", "known", "of", "missing"]
FACTS = {
    "maker": "maker",
    "open_weights": "open or closed weights",
    "params_b": "parameters, total",
    "licence": "licence",
    "released": "release",
}
"""Column of the models → what it says."""


def today(published: pd.DataFrame, sources: pd.DataFrame, suites: pd.DataFrame) -> pd.DataFrame:
    """The printed values of single models that are not the papers' and not measured here.

    Args:
        published: one row a printed value: source, model (None: of no single model).
        sources: source, suite (None: in none), relation.
        suites: suite, current (bool).
    """
    block = dict(zip(suites["suite"], suites["current"].astype(bool), strict=True))
    own = sources[sources["relation"].ne("measured here")]
    own = own[[pd.isna(suite) or block.get(suite, False) for suite in own["suite"]]]
    of_models = published["model"].notna()
    rows: pd.DataFrame = published[of_models & published["source"].isin(own["source"])]
    return rows


def coverage(models: pd.DataFrame, sizes: Mapping[str, float], offers: PriceTables) -> pd.DataFrame:
    """How many models have each fact, and how many benchmarks a number of questions.

    Args:
        models: one row a model: model, name and the columns of ``FACTS``.
        sizes: benchmark → its number of questions, NaN unknown.
        offers: what is known of prices, licences and availability.

    Returns:
        One row a fact: fact, known, of, missing (names, a tuple).
    """
    priced = prices.coverage(models, offers)
    names = dict(zip(models["model"], models["name"].astype(str), strict=True))
    by_model = models.set_index("model")
    rows = [
        _row(words, names, set(by_model.index[by_model[column].notna()]))
        for column, words in FACTS.items()
    ]
    allows = {name for name, row in offers.licences.items() if row.licence_class != "unknown"}
    counted = {model for model, own in offers.rules.items() if any(row.rule for row in own)}
    rows += [
        _row(
            "what the licence allows", names, set(by_model.index[by_model["licence"].isin(allows)])
        ),
        _row("a price", names, set(offers.prices)),
        _row("tokens of a picture", names, counted),
        _row("length of an answer, measured", names, set(offers.tokens)),
        _closed("closed weights: a price", priced.closed, priced.closed_without_price),
        _closed("closed weights: availability", priced.closed, priced.closed_without_status),
        _row("benchmarks: number of questions", {name: name for name in sizes}, _sized(sizes)),
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _row(fact: str, names: Mapping[str, str], known: set[str]) -> tuple[object, ...]:
    missing = tuple(sorted(name for model, name in names.items() if model not in known))
    return fact, len(names) - len(missing), len(names), missing


def _closed(fact: str, of: int, missing: tuple[str, ...]) -> tuple[object, ...]:
    return fact, of - len(missing), of, missing


def _sized(sizes: Mapping[str, float]) -> set[str]:
    return {name for name, size in sizes.items() if not pd.isna(size)}
