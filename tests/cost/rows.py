"""Offers for the tests: a few rows with round numbers."""

from evalcore.cost.prices import PriceTables
from evalcore.side_tables import ImageRule, OutputTokens, Price, Thinking

KINDS = {
    "": "plain",
    "non-thinking": "plain",
    "thinking": "thinking",
    "reasoning high": "effort",
    "16x compression": "compression",
    "fine-tuned": "fine-tuned",
    "with tools": "tools",
    "base model, 4-shot": "few-shot",
}


def price(usd_in=2.5, usd_out=10.0, **others):
    values = {
        "model": "m", "mode": "", "provider": "maker", "by_maker": True, "as_of": "2026-10-02",
        "until": None, "deprecated": False, "printed_model": "m", "source": "list", "note": None,
    }  # fmt: skip
    return Price(usd_per_mtok_in=usd_in, usd_per_mtok_out=usd_out, **(values | others))


def rule(name="fixed", options='{"tokens": 1000}', **others):
    values = {"model": "m", "as_of": "2026-10", "source": "docs", "note": None}
    return ImageRule(rule=name, options=options, **(values | others))


def answers(mean, mode=""):
    return OutputTokens("m", mode, mean, None, 100, "run", None)


def offers(prices=(), rules=(), tokens=(), thinks=None):
    thinking = {} if thinks is None else {"m": Thinking("m", thinks, "docs", None)}
    return PriceTables(
        prices={"m": tuple(prices)},
        rules={"m": tuple(rules)},
        tokens={"m": tuple(tokens)},
        thinking=thinking,
        kinds=KINDS,
    )
