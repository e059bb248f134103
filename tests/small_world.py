"""A few current scores with round numbers, for tests of what is done with many."""

import pandas as pd

COLUMNS = (
    *("source", "suite", "benchmark", "axis", "tag", "model", "metric", "value", "n", "sd"),
    *("sd_over", "repeats", "judge", "kind", "mode", "split", "printed_model", "printed_value"),
    *("printed_unit", "suspect", "note"),
)
MODES = pd.DataFrame(
    [
        ("", "plain", True),
        ("thinking", "thinking", True),
        ("4-shot", "few-shot", False),
        ("fine-tuned", "fine-tuned", False),
    ],
    columns=["mode", "kind", "by_default"],
)
METRICS = pd.DataFrame(
    [("accuracy", True), ("edit-distance", False)], columns=["metric", "higher_is_better"]
)
NEEDS = pd.DataFrame(
    [("read", "Doc", "w"), ("read", "Info", "w"), ("count", "Chart", "w")],
    columns=["need", "family", "why"],
)
BENCHMARKS = pd.DataFrame(
    [
        ("doc-test", "Doc test", "Doc", "accuracy", 400.0),
        ("doc-val", "Doc val", "Doc", "accuracy", 100.0),
        ("info", "Info", "Info", "accuracy", 100.0),
        ("chart", "Chart", "Chart", "accuracy", None),
        ("edit", "Edit", "Doc", "edit-distance", 100.0),
    ],
    columns=["benchmark", "name", "family", "metric", "n_items"],
).assign(type=None, capability=None, chance=None)


def scores(*rows, suite="s"):
    """Rows of (model, mode, benchmark, value) and, if wanted, a dict of other columns."""
    made = []
    for model, mode, benchmark, value, *others in rows:
        row = {
            "source": "src", "suite": suite, "axis": "benchmark", "tag": benchmark, "model": model,
            "mode": mode, "benchmark": benchmark, "metric": "accuracy", "value": value, "judge": "",
            "kind": "published", "split": "", "suspect": False, "note": None,
        }  # fmt: skip
        made.append(row | (others[0] if others else {}))
    return pd.DataFrame(made, columns=COLUMNS).astype({"n": float, "sd": float, "repeats": float})


def models(**sizes):
    """Models from name=(params_b, open_weights, licence, released)."""
    rows = [
        {"model": name, "name": name.upper(), "params_b": size, "open_weights": is_open,
         "licence": licence, "released": released}
        for name, (size, is_open, licence, released) in sizes.items()
    ]  # fmt: skip
    columns = ["model", "name", "params_b", "open_weights", "licence", "released"]
    return pd.DataFrame(rows, columns=columns).astype({"open_weights": object})
