"""Fresh scores beside published ones in one suite: never averaged, never in each other's place."""

import pandas as pd

HERE = " (measured here)"
"""Ends the id and the name of a model that was run here and is published too."""


def apart(scores: pd.DataFrame, models: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make a model that is published and was run here into two: one for each.

    Of what was measured only tags that the source has take part: another tag, or a total that the
    source does not give, would leave every published model incomplete. They stay in the store.

    Args:
        scores: One suite's, as from ``queries.scores``.
        models: One row a model, with model and name.

    Returns:
        Both, with a row more in ``models`` for each model that is there twice.
    """
    here = scores["kind"] == "measured"
    if not here.any() or here.all():
        return scores, models
    known = pd.MultiIndex.from_frame(scores.loc[~here, ["axis", "tag"]])
    scores = scores[~here | pd.MultiIndex.from_frame(scores[["axis", "tag"]]).isin(known)]
    here = scores["kind"] == "measured"
    twice = here & scores["model"].isin(set(scores.loc[~here, "model"]))
    scores = scores.assign(model=scores["model"].where(~twice, scores["model"] + HERE))
    rows = models[(models["model"] + HERE).isin(set(scores["model"]))]
    again = rows.assign(model=rows["model"] + HERE, name=rows["name"] + HERE)
    return scores, pd.concat([models, again]).reset_index(drop=True)
