"""Which models to show: a filter by weights and size that treats the unknown as unknown."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd


@dataclass(frozen=True)
class ModelFilter:
    """Which models to show; what is unknown passes only when asked."""

    weights: Literal["any", "open", "closed"] = "any"
    max_params_b: float | None = None
    include_unknown: bool = False


def split_models(models: pd.DataFrame, chosen: ModelFilter) -> tuple[list[str], pd.DataFrame]:
    """Split models by a filter.

    Returns:
        The ids that pass, and one row a hidden model: model, reason.
    """
    known = models[["open_weights", "params_b"]].to_dict("records")
    reasons = [_hidden_because(row, chosen) for row in known]
    hidden = [
        (model, why) for model, why in zip(models["model"], reasons, strict=True) if why is not None
    ]
    kept = [model for model, why in zip(models["model"], reasons, strict=True) if why is None]
    return kept, pd.DataFrame(hidden, columns=["model", "reason"])


def _hidden_because(row: Mapping[Hashable, Any], chosen: ModelFilter) -> str | None:
    if chosen.weights != "any":
        is_open = row["open_weights"]
        if pd.isna(is_open):
            if not chosen.include_unknown:
                return "not known whether its weights are open"
        elif bool(is_open) != (chosen.weights == "open"):
            return "closed weights" if chosen.weights == "open" else "open weights"
    if chosen.max_params_b is not None:
        size = row["params_b"]
        if pd.isna(size):
            return None if chosen.include_unknown else "size unknown"
        if size > chosen.max_params_b:
            return f"{size:.1f} B parameters"
    return None
