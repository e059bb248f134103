"""Speeds of one's own runs: whose they are, and that none is taken for another card's."""

import json

import pandas as pd
import pytest

from evalcore.cost.selfhost import Pace, elsewhere, fitting, is_card, paces


@pytest.mark.parametrize(
    ("gpu", "device", "same"),
    [
        # Names as price lists have them, and as torch tells them.
        ("A100 80GB", "NVIDIA A100-SXM4-80GB", True),
        ("A100 80GB", "NVIDIA A100 80GB PCIe", True),
        ("A100 80GB", "NVIDIA A100-PCIE-40GB", False),
        ("A100 80GB", "NVIDIA A100-SXM4-80GB MIG 1g.10gb", False),
        ("A10 24GB", "NVIDIA A10G", False),
        ("A10G 24GB", "NVIDIA A10G", True),
        ("A10 24GB", "NVIDIA A100-SXM4-80GB", False),
        ("L4 24GB", "NVIDIA L4", True),
        ("L4 24GB", "NVIDIA L40S", False),
        ("H100 80GB", "NVIDIA H100 PCIe", True),
        ("H100 80GB SXM", "NVIDIA H100 PCIe", False),
        ("H100 80GB SXM", "NVIDIA H100 80GB HBM3", False),
        ("H100 80GB (AWS p5.48xlarge / 8)", "NVIDIA H100 80GB HBM3", True),
        ("H200 141GB", "NVIDIA H200", True),
        ("T4 16GB", "Tesla T4", True),
        ("RTX 4090", "NVIDIA GeForce RTX 4090", True),
        ("RTX 4090", "NVIDIA GeForce RTX 4090 Laptop GPU", False),
        ("24 GB", "NVIDIA L4", False),
        ("T4 16GB", "AMD EPYC", False),
        ("", "NVIDIA L4", False),
    ],
)
def test_a_card_is_known_by_its_whole_name(gpu, device, same):
    assert is_card(gpu, device) is same


def row(**changed):
    told = {
        "id": "m--b--1/exact", "model": "m", "benchmark": "b", "created": "2026-11-01",
        "settings": json.dumps({"adapter": "transformers"}), "device": "cuda:0 NVIDIA L4",
        "precision": "bfloat16", "quantisation": "none", "answered": 100, "seconds": 50.0,
    }  # fmt: skip
    return {**told, **changed}


def found(*rows):
    return paces(pd.DataFrame(list(rows)))


def test_questions_an_hour_are_those_answered_over_the_models_seconds():
    (pace,) = found(row())["m"]

    assert pace.per_hour == 7200.0
    assert pace.sentence() == "measured here: 100 questions of b on cuda:0 NVIDIA L4, 16 bits"


def test_a_run_with_two_judges_is_one_measurement():
    assert len(found(row(), row(id="m--b--1/normalised"))["m"]) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"settings": json.dumps({"adapter": "openai"})},
        {"seconds": None},
        {"seconds": 0.0},
        {"answered": 19},
        {"device": "cuda:0 NVIDIA L4; cuda:1 NVIDIA L4"},  # two workers: whose seconds?
    ],
)
def test_what_tells_no_speed_of_a_card_is_left_out(changed):
    assert found(row(**changed)) == {}


def test_no_runs_are_no_speeds():
    assert paces(None) == paces(pd.DataFrame()) == {}


@pytest.mark.parametrize(
    ("precision", "quantisation", "bits"),
    [
        ("float32", "none", "32 bits"),
        ("torch.float16", None, "16 bits"),
        ("bfloat16", "4 bits (NF4, computed in bfloat16)", "4 bits"),
        (None, None, ""),
    ],
)
def test_the_number_format_is_that_of_the_weights(precision, quantisation, bits):
    (pace,) = found(row(precision=precision, quantisation=quantisation))["m"]

    assert pace.precision == bits


def test_of_several_that_fit_the_largest_counts():
    known = found(
        row(id="1/x", answered=50), row(id="2/x", answered=500), row(id="3/x", device="cpu AMD")
    )["m"]

    assert fitting(known, "L4 24GB", "16 bits", 1).questions == 500
    assert fitting(known, "L4 24GB", "16 bits", 2) is None
    assert fitting(known, "L4 24GB", "4 bits", 1) is None


def test_what_was_measured_elsewhere_is_named():
    cpu = Pace(30, 60.0, "cpu AMD EPYC", "32 bits", "easy-vqa")

    assert elsewhere([cpu, cpu]) == (
        "What was measured here says nothing about this card or number format: 30 questions of "
        "easy-vqa on cpu AMD EPYC, 32 bits."
    )
    assert elsewhere([]) == ""
