"""A recommendation's frames as tables to read: names on screen, per cent, points."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from evalcore.decision.answer import Recommendation
from evalcore.decision.text.phrases import of_100, percent, percent_text
from pages.shared import frame
from pages.shared.charts import interval_text, per_cent
from pages.shared.needs_form import on_screen

SHOWN = 20
"""Models drawn at most, best first; the tables hold all."""


def ranked(rec: Recommendation, names: Mapping[str, str]) -> pd.DataFrame:
    """The ranking with label, winner, tied, status and note for the figures."""
    rows = rec.ranking.merge(rec.pareto, on="model", how="left")
    gaps = rec.unscored.reindex(columns=["model", "unscored", "of", "worst", "best"])
    rows = rows.merge(gaps, on="model", how="left")
    beaten = rows["by"].map(names)
    note = rows["status"].where(beaten.isna(), rows["status"] + " by " + beaten.astype(str))
    return rows.assign(
        label=rows["model"].map(names),
        winner=rows["model"] == rec.winner,
        tied=rows["model"].isin(rec.tied_best) if len(rec.tied_best) > 1 else False,
        note=note,
        by_item=rows["model"].isin(rec.by_item),
    )


def drawn(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows to draw: the best, the winner, and those that were uploaded."""
    keep = (rows.index < SHOWN) | rows["winner"] | rows["uploaded"]
    return rows[keep].reset_index(drop=True)


def ranking(rows: pd.DataFrame) -> pd.DataFrame:
    """Everything about each ranked model."""
    table = pd.DataFrame(
        {
            "Model": rows["label"],
            "Score, %": rows["score"].map(per_cent),
            "95 % interval": _each(interval_text, rows, "low", "high"),
            "Questions": [_questions(row) for row in rows.to_dict("records")],
            "Ranks possible": _each(_ranks, rows, "rank_low", "rank_high"),
            "Chance of being the best": [_or_dash(value, percent_text) for value in rows["p_best"]],
            "First near your weights": [_or_dash(v, of_100) for v in rows["share_first_near"]],
            "First in all weightings": [_or_dash(v, of_100) for v in rows["share_first"]],
            "Size, B": rows["params_b"].round(1),
            "USD per 1,000": rows["usd_per_1000"],
            "For its size and cost": rows["note"],
        }
    )
    if rows["by_item"].nunique() > 1:  # else one sentence says it for all
        table["Compared by"] = rows["by_item"].map({True: "single questions", False: "totals"})
    if rows["unscored"].gt(0).any():
        ends = pd.Series(_each(interval_text, rows, "worst", "best"))
        known = rows["worst"].notna()
        table["Unscored questions as wrong to as right, %"] = ends.where(known, "–")
    return table


def standing(rows: pd.DataFrame) -> pd.DataFrame:
    """What each model is worth for its size and cost."""
    return pd.DataFrame(
        {
            "Model": rows["label"],
            "Score, %": rows["score"].map(per_cent),
            "95 % interval": _each(interval_text, rows, "low", "high"),
            "Size, B": rows["params_b"].round(1),
            "USD per 1,000": rows["usd_per_1000"].round(3),
            "Standing": rows["note"],
        }
    )


def _questions(row: Mapping[Any, Any]) -> str:
    if pd.isna(row["n"]):
        return "n not published"
    if not row["unscored"] > 0:
        return f"{row['n']:,.0f}"
    return f"{row['n']:,.0f} ({row['unscored']:,.0f} of {row['of']:,.0f} have no score)"


def _ranks(low: float, high: float) -> str:
    if pd.isna(low):
        return "cannot be told"
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def _each(
    how: Callable[[float, float], str], rows: pd.DataFrame, first: str, second: str
) -> list[str]:
    return [how(one, two) for one, two in zip(rows[first], rows[second], strict=True)]


def _or_dash(value: float, how: Callable[[float], str]) -> str:
    return "–" if pd.isna(value) else how(value)


def flips(rec: Recommendation, names: Mapping[str, str]) -> pd.DataFrame:
    """What one weight must become for another model to lead by score."""
    rows = rec.flips
    return pd.DataFrame(
        {
            "Tag": rows["tag"],
            "Its share now": [percent(share) for share in rows["now"]],
            "Another leads at": [
                "at no share"
                if pd.isna(weight)
                else f"{'more' if weight > now else 'less'} than {percent(weight)}"
                for weight, now in zip(rows["weight"], rows["now"], strict=True)
            ],
            "Then first": [names.get(str(model), "–") for model in rows["new_winner"]],
        }
    )


def regret(rec: Recommendation, names: Mapping[str, str]) -> pd.DataFrame:
    """Points lost on each tag against the best model that meets the limits."""
    largest = rec.regret.max(axis=1).sort_values(kind="stable")
    points = (rec.regret.loc[largest.index] * 100).round(1)
    labels = [names[str(model)] for model in largest.index]
    first = {"Model": labels, "Largest loss": [*(largest * 100).round(1)]}
    return frame.headed(points, first)


def excluded(rec: Recommendation, names: Mapping[str, str]) -> pd.DataFrame:
    """Who misses a limit, and the smallest change that lets it in; a line a case."""
    rows = rec.excluded
    why = rows["limit"] + ". Let in if you " + rows["relaxation"] + "."
    return _cases("Misses", why, [names[str(model)] for model in rows["model"]])


def cannot_tell(rec: Recommendation, names: Mapping[str, str]) -> pd.DataFrame:
    """Whose values are unknown, and what to state; a line a case."""
    rows = rec.cannot_tell
    who = [
        names[str(model)] + ("" if pd.isna(score) else f" ({per_cent(score)} % on your mix)")
        for model, score in zip(rows["model"], rows["score"], strict=True)
    ]
    return _cases("Unknown", rows["what"].map(on_screen), who)


def incomplete(rec: Recommendation, names: Mapping[str, str]) -> pd.DataFrame:
    """Who lacks a tag, and between what its overall score could lie; a line a case."""
    rows = rec.incomplete
    between = _each(interval_text, rows, "low", "high")
    who = [
        f"{names[str(model)]} (overall {ends} %)"
        for model, ends in zip(rows["model"], between, strict=True)
    ]
    return _cases("No result on", rows["missing"].map(", ".join), who)


def _cases(title: str, why: pd.Series, who: list[str]) -> pd.DataFrame:
    """One line a reason with everybody whom it concerns, the most frequent reason first."""
    found: dict[str, list[str]] = {}
    for text, name in zip(why, who, strict=True):
        found.setdefault(str(text), []).append(name)
    rows = sorted(found.items(), key=lambda item: -len(item[1]))
    return pd.DataFrame(
        [(text, ", ".join(models)) for text, models in rows], columns=[title, "Models"]
    )
