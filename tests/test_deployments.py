"""How models are run: every shipped row can be used as it stands, and states no guess."""

import csv
import inspect
import json

import pytest

from evalcore.engine import resolve
from evalcore.home import ROOT
from evalcore.models import ADAPTERS
from evalcore.models.prompt import INSTRUCTION

CATALOG = ROOT / "data" / "catalog"
PAPER = {
    "internvl2-1b", "qwen2-vl-2b", "paligemma-3b", "llava-v1.6-mistral-7b", "qwen2-vl-7b",
    "internvl2-8b", "cogvlm2-llama3-19b", "gemini-1.5-flash", "gemini-1.5-pro", "gpt-4o-mini",
}  # fmt: skip


def rows(name):
    return [
        row
        for path in sorted(CATALOG.glob(f"{name}*.csv"))
        for row in csv.DictReader(path.open(encoding="utf-8", newline=""))
    ]


DEPLOYMENTS = {row["model"]: row for row in rows("deployments")}
API = [name for name, row in DEPLOYMENTS.items() if row["adapter"] in ("openai", "gemini")]


def test_no_model_is_deployed_twice():
    assert len(rows("deployments")) == len(DEPLOYMENTS)


def test_every_model_of_the_vqa360_paper_is_deployed():
    published = {row["model"] for row in csv.DictReader(_figures("vqa360").open(encoding="utf-8"))}

    assert published == PAPER
    assert set(DEPLOYMENTS) >= PAPER


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_the_model_stands_in_the_catalogue_and_its_adapter_takes_the_options(name):
    row = DEPLOYMENTS[name]
    options = json.loads(row["options"])

    assert name in {model["id"] for model in rows("models")}
    inspect.signature(ADAPTERS[row["adapter"]]).bind(**options)
    assert resolve.deployment_of(name).adapter == row["adapter"]
    assert row["note"]


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_no_key_and_no_trust_is_shipped(name):
    options = json.loads(DEPLOYMENTS[name]["options"])

    assert "trust_remote_code" not in options
    assert options.get("key_env", "X").isupper()
    assert "sk-" not in DEPLOYMENTS[name]["options"]


@pytest.mark.parametrize("name", sorted(PAPER))
def test_the_papers_models_are_asked_as_in_the_paper(name):
    row = DEPLOYMENTS[name]
    known = inspect.signature(ADAPTERS[row["adapter"]]).parameters
    options = {key: one.default for key, one in known.items()} | json.loads(row["options"])

    assert options["instruction"] == INSTRUCTION
    assert options["image_size"] == (224 if name == "paligemma-3b" else 448)
    assert options.get("max_new_tokens", options.get("max_tokens")) == 2048
    assert options.get("quantize", "4bit-if-possible") == "4bit-if-possible"
    assert options.get("batch_size", 8) == 8


@pytest.mark.parametrize("name", API)
def test_a_price_is_the_makers_newest_or_none_at_all(name):
    options = json.loads(DEPLOYMENTS[name]["options"])
    told = [row for row in rows("prices") if row["model"] == name and row["by_maker"] == "1"]
    told = [row for row in told if row["deprecated"] == "0" and not row["mode"]]

    if "usd_per_mtok_in" in options:
        newest = max(told, key=lambda row: row["as_of"])
        assert options["usd_per_mtok_in"] == float(newest["usd_per_mtok_in"])
        assert options["usd_per_mtok_out"] == float(newest["usd_per_mtok_out"])
        assert newest["as_of"] in DEPLOYMENTS[name]["note"]
    else:
        assert "retired" in DEPLOYMENTS[name]["note"]


def test_a_model_that_can_no_longer_be_called_says_so():
    gone = {row["model"] for row in rows("availability") if row["status"] == "retired"}

    for name in gone & set(DEPLOYMENTS):
        assert "retired" in DEPLOYMENTS[name]["note"]


def _figures(name):
    return ROOT / "precomputed" / "figures" / f"{name}.csv"
