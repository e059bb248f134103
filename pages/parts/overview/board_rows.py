"""Rows of the leaderboard: for its figures, and as the table that people read and keep."""

import pandas as pd

from evalcore.analysis import correlation, profiles, sensitivity
from pages.shared import charts, ranking
from pages.shared.controls import SidebarState
from pages.shared.ranking import Leaderboard

TIED = {"tied": "tied with the best", "behind": "no", "unknown": "not known"}


def drawn(choice: SidebarState, current: Leaderboard, rows: pd.DataFrame) -> pd.DataFrame:
    """Add to leaderboard rows what the figures need: names, words, state, size, openness."""
    models = choice.data.models.set_index("model").reindex(rows["model"])
    size, _ = sizes(choice)
    unknown = rows["se"].isna() | current.ranked["se"].iloc[:1].isna().any()
    return rows.assign(
        name=rows["model"].map(choice.names),
        n_text=[current.n(row) for row in rows.to_dict("records")],
        state=rows["tied_best"].map({True: "tied", False: "behind"}).mask(unknown, "unknown"),
        uploaded=models["source"].eq("upload").to_numpy(),
        open=rows["model"].map(ranking.open_weights(choice)),
        size=rows["model"].map(size),
    )


def sizes(choice: SidebarState) -> tuple[pd.Series, str]:
    """Size of each model in billions, and what it is the size of."""
    models = choice.data.models.set_index("model")
    total = models["params_b"].astype(float)
    if total.isna().all():
        return models["image_tower_params_m"].astype(float) / 1000, "Parameters of the image tower"
    return total, "Parameters in total"


def table(choice: SidebarState, current: Leaderboard) -> pd.DataFrame:
    """The whole leaderboard, ready to read, models without a score at the end."""
    rows = drawn(choice, current, current.table)
    models = choice.data.models.set_index("model").reindex(rows["model"])
    first = rows["model"].eq(rows["model"].iloc[0]) & rows["score"].notna()
    ranks = zip(rows["rank_low"], rows["rank_high"], strict=True)
    shown = pd.DataFrame(
        {
            "Model": rows["name"],
            "Maker": models["maker"].to_numpy(),
            "Score, %": (rows["score"] * 100).round(1),
            "95 % interval": _intervals(rows),
            "Rank": [ranking.rank_text(low, high) for low, high in ranks],
            "Tied with the best": rows["state"].map(TIED).mask(first, "first"),
            "Coverage, %": (rows["coverage"] * 100).round(),
            "Questions": rows["n_text"],
            "Parameters, million": (models["params_b"].astype(float) * 1000).round().to_numpy(),
            "Open weights": rows["open"],
        }
    )
    if rows["unscored"].gt(0).any():
        shown = shown.join(_open_ends(rows))
    return shown.join(_printed_total(choice, rows["model"]))


def _open_ends(rows: pd.DataFrame) -> pd.DataFrame:
    """How many answers have no score, and the score with them as wrong to as right."""
    ends = zip(rows["worst"], rows["best"], strict=True)
    text = pd.Series([charts.interval_text(low, high) for low, high in ends], rows.index)
    return pd.DataFrame(
        {
            "Without a score": rows["unscored"],
            "With these as wrong to as right, %": text.where(rows["unscored"].notna(), "–"),
        }
    )


def with_front(rows: pd.DataFrame) -> pd.DataFrame:
    """Mark the models than which no smaller one of known size scores as much."""
    trade = rows.set_index("model")[["score", "se", "size"]].assign(cost=float("nan"))
    status = sensitivity.pareto(trade)["status"]
    return rows.assign(front=rows["model"].map(status) == "front")


def tag_scores(choice: SidebarState, cells: pd.DataFrame, models: pd.Series) -> pd.DataFrame:
    """Score of each model (in the order given) on each tag with enough questions."""
    wide = correlation.wide(cells[["model", "tag", "value"]])
    tags = [tag for tag in ranking.enough_tags(cells, choice.min_n) if tag in wide]
    found = wide.reindex(index=models, columns=tags)
    return found.set_axis([choice.name(model) for model in models])


def _printed_total(choice: SidebarState, order: pd.Series) -> pd.DataFrame:
    """The total that the source prints, beside the score; no columns where there is none."""
    totals = ranking.printed_totals(choice)
    if totals.empty:
        return pd.DataFrame(index=order.index)
    rows = totals.set_index("model").reindex(order)
    scores = choice.data.scores
    printed = scores[(scores["tag"] == profiles.TOTAL) & scores["n"].notna()]
    printed = printed.drop_duplicates("model").set_index("model").reindex(order)
    # The spread over items of a run made here is in its interval already.
    spread = printed["sd"].where(printed["sd_over"] == "judge repeats")
    title = "Published total, %" if totals["kind"].eq("published").any() else "Total, %"
    return pd.DataFrame(
        {
            title: (rows["value"] * 100).round(1).to_numpy(),
            "Interval of the total": _intervals(rows),
            "Spread over judge runs": [
                "–" if pd.isna(sd) else f"{100 * sd:.1f} points, {runs:.0f} runs"
                for sd, runs in zip(spread, printed["repeats"].fillna(1), strict=True)
            ],
        },
        index=order.index,
    )


def _intervals(rows: pd.DataFrame) -> list[str]:
    ends = zip(rows["low"], rows["high"], strict=True)
    return [charts.interval_text(low, high) for low, high in ends]
