"""How many models each limit alone lets through."""

from typing import Any

import pandas as pd

from evalcore.answer import Recommendation
from evalcore.limits import findings, gather
from evalcore.needs import Needs
from evalcore.phrases import limits

LIMITS = {
    "ruled_out": ("ruled_out",),
    "weights": ("open_weights", "self_hosted", "api_only"),
    "size": ("max_params_b",),
    "memory": ("max_memory_gb",),
    "cost": ("max_usd_per_1000",),
    "time": ("max_seconds",),
    "score": ("min_score",),
    "tag": ("min_tag_scores",),
}
"""Limit (as in `limits.Finding`) to the fields of the needs that set it."""


def tally(answer: Recommendation, cells: pd.DataFrame, models: pd.DataFrame) -> pd.DataFrame:
    """Return, for each limit that the needs set, how many models it lets through by itself.

    Args:
        answer: what `recommend` said.
        cells: as given to `recommend`.
        models: as given to `recommend`.

    Returns:
        One row a limit, in a fixed order: limit, said (in words), remain (models that meet it, or
        whose value is unknown and let pass), missed, unknown (not let pass), of (all models).
    """
    needs = answer.needs
    table = _table(cells, needs)
    facts = gather(models, needs, _overall(answer, table), table)
    found = [findings(one, needs) for one in facts]
    show = dict(zip(models["model"].astype(str), models["name"].astype(str), strict=True))
    rows = []
    for limit, names in LIMITS.items():
        said = limits(_only(needs, names), show)
        if not said:
            continue
        of_limit = [[one for one in each if one.limit == limit] for each in found]
        missed = sum(any(one.relaxation is not None for one in each) for each in of_limit)
        unknown = 0 if needs.include_unknown else sum(bool(each) for each in of_limit) - missed
        rows.append((limit, ", ".join(said), len(facts) - missed - unknown, missed, unknown))
    frame = pd.DataFrame(rows, columns=["limit", "said", "remain", "missed", "unknown"])
    return frame.assign(of=len(facts))


def _only(needs: Needs, names: tuple[str, ...]) -> Needs:
    """Return the needs with no limit but those named."""
    kept: dict[str, Any] = {name: getattr(needs, name) for name in names}
    return Needs(suite=needs.suite, axis=needs.axis, precision=needs.precision, **kept)


def _table(cells: pd.DataFrame, needs: Needs) -> pd.DataFrame:
    usable = cells[cells["value"].notna()]
    if not needs.include_suspect:
        usable = usable[~usable["suspect"].astype(bool)]
    return usable.pivot(index="model", columns="tag", values="value").astype(float)


def _overall(answer: Recommendation, table: pd.DataFrame) -> pd.DataFrame:
    share = pd.Series(dict(answer.mix), dtype=float)
    on_mix = table[share.index]
    weights = share.to_numpy()
    return pd.DataFrame(
        {
            "score": on_mix.to_numpy() @ weights,
            "ceiling": on_mix.fillna(1).to_numpy() @ weights,
        },
        index=table.index,
    )
