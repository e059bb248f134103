"""The scaling page's part for models of today: what is asked, and the frames that are drawn."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.analysis import profiles, ranking, scaling, scaling_series
from evalcore.cost import prices
from evalcore.decision import market, need_axis
from evalcore.decision.needs import ASSUMED, Needs
from evalcore.suites import suite
from pages.shared import charts, suites
from pages.shared.controls import SidebarState

BY = {need_axis.AXIS: "Need", "benchmark": "Benchmark"}
SIZES: dict[scaling.Scale, str] = {
    "params_b": "All parameters",
    "active_params_b": "Active parameters",
}
PRICES = {
    "question": "USD per 1,000 questions",
    "in": "USD per million tokens sent",
    "out": "USD per million tokens written",
}
CELL = ["model", "value", "n", "se", "low", "high"]
FACTS = ["name", "base", "mode", "released", "params_basis", "series", "side", "assumed"]


@dataclass(frozen=True)
class Today:
    """One need or benchmark of a block of current results."""

    data: suite.SuiteData
    axis: str
    cells: pd.DataFrame
    """Of every tag of the axis, for the models that pass the sidebar."""
    tag: str
    labels: dict[str, str]
    """Tag to its name on screen."""
    x: scaling.Scale
    models: pd.DataFrame
    """Those that pass, with series, side (open, closed, unknown) and assumed (whether all
    parameters are taken as active for want of a word on it)."""
    price: str
    """A key of ``PRICES``."""

    @property
    def label(self) -> str:
        """The tag's name on screen."""
        return self.labels[self.tag]

    @property
    def x_title(self) -> str:
        """The size and its unit."""
        return f"{SIZES[self.x]}, billion"

    @cached_property
    def rows(self) -> pd.DataFrame:
        """One row a model with a score on the tag: its cell and its facts."""
        cells = self.cells[(self.cells["tag"] == self.tag) & self.cells["value"].notna()]
        # A narrow frame: each of the page's charts sorts and splits it again.
        facts = self.models[["model", *FACTS]].assign(x=self.models[self.x])
        return cells[CELL].merge(facts, on="model")


def choose(choice: SidebarState) -> Today | None:
    """Ask for the block, the need and the size; None where no score is left to draw."""
    data = _block(choice)
    left, right = st.columns(2)
    axis = left.segmented_control(
        "Score of a",
        list(BY),
        format_func=lambda key: BY[key],
        default=need_axis.AXIS,
        required=True,
        key="scale_by",
        bind="query-params",
    )
    kept, _ = suite.split_models(data.models, choice.models)
    cells = choice.store.cells(data, axis)
    enough = profiles.enough(cells, choice.min_n if choice.data.suite == data.suite else 0)
    cells = cells[cells["model"].isin(kept) & enough]
    if cells.empty:
        return None
    counts = cells.groupby("tag").size().sort_values(ascending=False, kind="stable")
    names = data.benchmarks.set_index("benchmark")["name"]
    labels = {tag: str(names.get(tag, tag)) if axis == "benchmark" else tag for tag in counts.index}
    tag = right.selectbox(
        BY[axis],
        list(counts.index),
        format_func=lambda key: labels.get(key, key),
        key=f"scale_tag_{data.suite}_{axis}",
        bind="query-params",
        help="Those with the most models first.",
    )
    x = left.segmented_control(
        "Size",
        list(SIZES),
        format_func=lambda key: SIZES[key],
        default="params_b",
        required=True,
        key="scale_size",
        bind="query-params",
        help="Active: those that work on one token. Smaller than all in a mixture of experts.",
    )
    dense = x == "active_params_b" and left.checkbox(
        "Where no active number is stated, take all as active",
        key="scale_dense",
        bind="query-params",
        help="Right for dense models; the sources do not say which are. Drawn hollow.",
    )
    price = right.selectbox(
        "Price",
        list(PRICES),
        format_func=lambda key: PRICES[key],
        key="scale_price",
        bind="query-params",
    )
    models = _facts(data.models[data.models["model"].isin(kept)], dense=dense)
    return Today(data, axis, cells, str(tag), labels, x, models, price)


def _block(choice: SidebarState) -> suite.SuiteData:
    """The sidebar's block, or one chosen here where the sidebar shows a paper."""
    if choice.data.current:
        return choice.data
    listed = suites.listed(choice.store)
    today = listed[listed["group"].isin([suites.TODAY, suites.OTHER])]
    current = choice.store.table("suites").set_index("suite")["current"].astype(bool)
    ids = [
        name
        for name in today["suite"]
        if name != suites.AUTO and bool(current.get(name, default=True))
    ]
    names = dict(zip(listed["suite"], listed["name"], strict=True))
    chosen = st.selectbox(
        "Block of results",
        ids,
        format_func=lambda name: names[name],
        key="scale_block",
        bind="query-params",
        help="Numbers compare inside a block. A current suite in the sidebar goes before this.",
    )
    return choice.store.suite(chosen)


def _facts(models: pd.DataFrame, *, dense: bool) -> pd.DataFrame:
    mark = models["source"].eq("upload").map({True: " (yours)", False: ""})
    side = models["open_weights"].map({True: "open", False: "closed"}, na_action="ignore")
    total = models["params_b"].astype(float)
    active = models["active_params_b"].astype(float)
    assumed = active.isna() & total.notna() & dense
    return models.assign(
        series=scaling_series.names(models),
        name=models["name"].astype(str) + mark,
        side=side.astype(object).where(side.notna(), "unknown"),
        params_b=total,
        active_params_b=active.mask(assumed, total),
        assumed=assumed,
    )


def slopes(view: Today) -> pd.DataFrame:
    """The slopes of every tag inside series and across models (``scaling_series.told_apart``)."""
    rows = scaling_series.distinguishable(view.cells, view.models, view.x, view.models["series"])
    rows["label"] = rows["tag"].map(view.labels)
    return rows


def series(view: Today) -> pd.DataFrame:
    """The slope of every series on the tag, those with most sizes first."""
    cells = view.cells[view.cells["tag"] == view.tag]
    rows = scaling_series.within(cells, view.models, view.x, view.models["series"])
    order = ["n_levels", "fold", "series"]
    return rows.sort_values(order, ascending=[False, False, True], ignore_index=True)


def front(view: Today) -> pd.DataFrame:
    """The tag's releases with the best so far of each side (``scaling_series.frontier``)."""
    rows = view.rows
    table = scaling_series.frontier(rows[rows["side"] != "unknown"])
    month = table["month"].astype(int)
    date = [f"{value // 12:04d}-{value % 12 + 1:02d}-01" for value in month]
    return table.assign(date=date)


def priced(view: Today) -> pd.DataFrame:
    """The tag's models that are not known to be gone: cost, its span, and who is on the front.

    Returns:
        ``rows`` with cost (NaN unknown), cost_low and cost_high (NaN where sources agree), basis
        (tuple of sentences), status and front.
    """
    rows = view.rows
    if view.data.market is None or rows.empty:
        return rows.assign(cost=np.nan, cost_low=np.nan, cost_high=np.nan, front=False)
    asked = Needs(view.data.suite, need_axis.AXIS, workload=ASSUMED)
    models = view.models[view.models["model"].isin(rows["model"])]
    known = market.facts(models, asked, view.data.market)
    rows = rows[[known["available"][model] is not False for model in rows["model"]]]
    costs = _per_question(rows, known) if view.price == "question" else _per_token(rows, view)
    rows = pd.concat([rows.reset_index(drop=True), costs], axis=1)
    trade = pd.DataFrame(
        {"score": rows["value"], "se": rows["se"], "size": np.nan, "cost": rows["cost"]}
    ).set_index(rows["model"])
    status = ranking.pareto(trade)["status"].to_numpy()
    return rows.assign(status=status, front=(status == "front") & rows["cost"].notna())


def _per_question(rows: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    own = known.loc[rows["model"]]
    return pd.DataFrame(
        {
            "cost": own["usd_per_1000"].to_numpy(float),
            "cost_low": own["usd_low"].to_numpy(float),
            "cost_high": own["usd_high"].to_numpy(float),
            "basis": [
                (*basis, *lack)
                for basis, lack in zip(own["usd_basis"], own["usd_missing"], strict=True)
            ],
        }
    )


def _per_token(rows: pd.DataFrame, view: Today) -> pd.DataFrame:
    field = "usd_per_mtok_in" if view.price == "in" else "usd_per_mtok_out"
    offers = view.data.market.tables if view.data.market is not None else None
    priced = []
    for model, base, mode in rows[["model", "base", "mode"]].itertuples(index=False, name=None):
        own = offers.prices.get(model if pd.isna(base) else base, ()) if offers else ()
        chosen = prices.choose(own, "" if pd.isna(mode) else mode)
        if chosen is None:
            priced.append((np.nan, np.nan, np.nan, ()))
            continue
        values = [getattr(row, field) for row in (chosen.price, *chosen.disagreeing)]
        apart = len(set(values)) > 1
        sentence = f"{chosen.price.provider}, as of {chosen.price.as_of}: {chosen.why}."
        ends = (min(values), max(values)) if apart else (np.nan, np.nan)
        priced.append((values[0], *ends, (sentence,)))
    return pd.DataFrame(priced, columns=["cost", "cost_low", "cost_high", "basis"])


def hovers(view: Today, rows: pd.DataFrame, last: pd.Series) -> list[str]:
    """What stands on a point: name, score with interval and n, and one more line."""
    columns = rows[["name", "value", "low", "high", "n"]]
    return [
        f"<b>{charts.safe(name)}</b><br>{charts.safe(view.label)} {100 * value:.1f} % "
        f"({charts.interval_text(low, high)})<br>{charts.n_text(n)}<br>{charts.safe(line)}"
        for (name, value, low, high, n), line in zip(
            columns.itertuples(index=False, name=None), last, strict=True
        )
    ]
