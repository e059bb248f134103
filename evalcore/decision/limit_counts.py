"""How many models each limit alone lets through."""

import pandas as pd

from evalcore.decision.answer import Recommendation
from evalcore.decision.phrases import limits_by_kind

LIMITS = (
    *("ruled_out", "weights", "licence", "available", "size", "memory", "gpu"),
    *("cost", "time", "score", "tag"),
)
"""Limits, as in `limits.Finding`, in the order in which they are shown."""


def tally(answer: Recommendation, models: pd.DataFrame) -> pd.DataFrame:
    """Return, for each limit that the needs set, how many models it lets through by itself.

    Args:
        answer: what `recommend` said.
        models: as given to `recommend`.

    Returns:
        One row a limit, in a fixed order: limit, said (in words), remain (models that meet it, or
        whose value is unknown and let pass), missed, unknown (not let pass), of (all models).
    """
    found = answer.findings.values()
    show = dict(zip(models["model"].astype(str), models["name"].astype(str), strict=True))
    words = limits_by_kind(answer.needs, show)
    rows = []
    for limit in LIMITS:
        said = ", ".join(text for kind, text in words if kind == limit)
        if not said:
            continue
        of_limit = [[one for one in each if one.limit == limit] for each in found]
        missed = sum(any(one.relaxation is not None for one in each) for each in of_limit)
        unknown = sum(bool(each) for each in of_limit) - missed
        unknown = 0 if answer.needs.include_unknown else unknown
        rows.append((limit, said, len(found) - missed - unknown, missed, unknown))
    frame = pd.DataFrame(rows, columns=["limit", "said", "remain", "missed", "unknown"])
    return frame.assign(of=len(found))
