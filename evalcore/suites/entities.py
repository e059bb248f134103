"""What is ranked in a current suite: a model in one mode, such as "gpt-5 [reasoning high]".

A release answers otherwise, and costs otherwise, when it thinks first. So a mode counts as a thing
of its own, and the analysis needs to know nothing of modes.
"""

from dataclasses import dataclass

import pandas as pd

FINE_TUNED = "fine-tuned"
"""The kind of mode that never stands beside chat models: it was trained on the test's own task."""
LOWER = "better the lower it is: no mean takes it"
"""Why a measure stays out of all means."""
LEFT_OUT = ["source", "model", "mode", "benchmark", "value", "why"]
HERE = " (measured here)"
"""Ends the id and the name of a model that was run here and is published too."""


@dataclass(frozen=True)
class Entities:
    """Scores and models of one or more suites, a row of ``models`` for each model and mode."""

    scores: pd.DataFrame
    """As given, ``model`` being the entity's id and ``base`` the release's."""
    models: pd.DataFrame
    """One row an entity: the columns of ``records.Model`` (``model`` the entity's id), and base,
    mode, mode_kind."""
    left_out: pd.DataFrame
    """Scores that take no part, a row each: source, model, mode, benchmark, value, why."""


def identity(model: str, mode: str) -> str:
    """The id of a model in a mode.

    >>> identity("gpt-5", "reasoning high"), identity("gpt-5", "")
    ('gpt-5 [reasoning high]', 'gpt-5')
    """
    return f"{model} [{mode}]" if mode else model


def entities(
    scores: pd.DataFrame,
    models: pd.DataFrame,
    modes: pd.DataFrame,
    metrics: pd.DataFrame,
    *,
    include_modes: bool = False,
) -> Entities:
    """Give the scores and models by entity, and what was left out of them.

    Left out are modes that do not compete unasked (examples in the prompt, tools, training on the
    task) unless they are asked for, and measures that are better the lower they are: the analysis
    takes the higher score for the better one. What was trained on the task stays out even when
    asked for, unless there is nothing else: it would win against models that were not.

    Args:
        scores: of ``queries.scores``.
        models: of ``queries.models``, at least those with a score.
        modes: mode, kind, by_default.
        metrics: metric, higher_is_better.
        include_modes: whether modes that do not compete unasked take part.
    """
    about = modes.set_index("mode")
    kind = scores["mode"].map(about["kind"]).fillna("plain")
    unasked = scores["mode"].map(about["by_default"]).fillna(True).astype(bool)
    lower = scores["metric"].map(metrics.set_index("metric")["higher_is_better"]).eq(False)
    tuned = kind.eq(FINE_TUNED)
    why = pd.Series("", index=scores.index, dtype=object)
    if not include_modes:
        why = why.mask(~unasked, "the mode takes part only when asked for: " + kind)
    elif not tuned.all():
        why = why.mask(tuned, "trained on the task: not comparable with chat models")
    why = why.mask(lower, LOWER)
    stays = why.eq("")
    out = scores[~stays].assign(why=why[~stays])[LEFT_OUT].reset_index(drop=True)
    kept = scores[stays]
    ids = _ids(kept)
    named = kept.assign(base=kept["model"], model=ids).reset_index(drop=True)
    return Entities(named, _models(named, models, about["kind"]), out)


def _ids(scores: pd.DataFrame) -> pd.Series:
    plain = scores["mode"].eq("")
    return (
        scores["model"].where(plain, scores["model"] + " [" + scores["mode"] + "]").astype(object)
    )


def _models(scores: pd.DataFrame, models: pd.DataFrame, kinds: pd.Series) -> pd.DataFrame:
    """One row an entity; its name carries the mode in brackets."""
    pairs = scores[["model", "base", "mode"]].drop_duplicates("model").sort_values("model")
    about = models.set_index("model").reindex(pairs["base"])
    about = about.astype({"open_weights": object}).reset_index(drop=True)
    mode = pairs["mode"].reset_index(drop=True)
    plain = mode.eq("")
    name = about["name"].where(plain, about["name"] + " [" + mode + "]").astype(object)
    first = {"model": pairs["model"].to_numpy(dtype=object)}
    rest = about.assign(name=name, base=pairs["base"].to_numpy(dtype=object), mode=mode)
    frame = pd.concat([pd.DataFrame(first), rest], axis=1)
    return frame.assign(mode_kind=mode.map(kinds).fillna("plain"))


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
