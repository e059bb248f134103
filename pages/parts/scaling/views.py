"""What the scaling page looks at, and the frames that it draws."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from evalcore.analysis import profiles, scaling
from evalcore.suites import suite
from pages.shared import charts
from pages.shared.controls import SidebarState
from pages.shared.results import Store

FEWEST = 8
"""Below this many models a slope is called a hint."""
UNITS = {
    "train_data_m": ("Training data", "million pairs"),
    "samples_seen_b": ("Samples seen", "billion"),
    "gflops": ("Compute per image-text pair", "GFLOPs"),
    "image_tower_params_m": ("Image tower", "million parameters"),
    "params_b": ("All parameters", "billion"),
}
"""Title and unit of each scale."""


@dataclass(frozen=True)
class View:
    """Cells of one axis over the models that pass, against one scale."""

    data: suite.SuiteData
    cells: pd.DataFrame
    models: pd.DataFrame
    axis: str
    x: scaling.Scale
    hold: tuple[str, ...]
    slopes: pd.DataFrame
    flat: list[str]
    """Tags of reasoning, for which UniBench says that scale does little."""

    @property
    def hint(self) -> bool:
        """Whether the slopes rest on too few models to be more than a hint."""
        return len(self.slopes) > 0 and self.slopes["n_models"].min() < FEWEST

    @property
    def x_title(self) -> str:
        """Quantity and unit."""
        title, unit = UNITS[self.x]
        return f"{title}, {unit}"


def suite_data(choice: SidebarState, name: str) -> suite.SuiteData:
    """A suite, with the session's upload where the sidebar shows that suite."""
    return choice.data if choice.data.suite == name else choice.store.suite(name)


def view(  # noqa: PLR0913  one choice of the page an argument
    choice: SidebarState,
    name: str,
    axis: str,
    x: scaling.Scale,
    hold: Sequence[str] = (),
    *,
    correct_chance: bool = False,
) -> View:
    """Collect a suite's cells for the sidebar's models and fit the slopes."""
    data = suite_data(choice, name)
    kept, _ = suite.split_models(data.models, choice.models)
    cells = choice.store.cells(data, axis, correct_chance=correct_chance)
    enough = profiles.enough(cells, choice.min_n if choice.data.suite == name else 0)
    cells = cells[cells["model"].isin(kept) & enough]
    models = data.models[data.models["model"].isin(kept)]
    slopes = scaling.slopes(cells, models, x, hold).dropna(subset="slope")
    slopes = slopes.sort_values("slope", ascending=False, ignore_index=True)
    grouped = data.benchmarks.dropna(subset="type")
    reasoning = set(grouped.loc[grouped["type"] == "reasoning", axis]) if axis in grouped else set()
    flat = [tag for tag in slopes["tag"] if tag in reasoning]
    return View(data, cells, models, axis, x, tuple(hold), slopes, flat)


def points(view: View) -> pd.DataFrame:
    """The points of the panels: known and unknown x, the line each belongs to, and its hover."""
    known = scaling.points(view.cells, view.models, view.x)
    facts = view.models.drop(columns=["kind", "source"])
    missing = facts[facts[view.x].isna()]
    unknown = view.cells.merge(missing, on="model").assign(x=np.nan)
    rows = pd.concat([known, unknown[unknown.columns.intersection(known.columns)]])
    rows = rows.reset_index(drop=True)
    rows["group"] = _group_names(rows, view.hold)
    several = rows.groupby(["group", "tag"])["x"].transform("nunique") > 1
    rows["group"] = rows["group"].where(several, "")
    title, unit = UNITS[view.x]
    # What is drawn; each panel takes its part of it.
    rows = rows[["name", "tag", "value", "low", "high", "kind", "x", "group"]].copy()
    columns = rows.drop(columns="group")
    rows["hover"] = [
        f"<b>{charts.safe(name)}</b>{' (yours)' if kind == 'uploaded' else ''}<br>"
        f"{charts.safe(tag)} {value * 100:.1f} % ({charts.interval_text(low, high)})<br>"
        f"{title}: {'unknown' if pd.isna(x) else f'{x:,g} {unit}'}"
        for name, tag, value, low, high, kind, x in columns.itertuples(index=False, name=None)
    ]
    return rows


def lines(view: View, points: pd.DataFrame) -> pd.DataFrame:
    """The fitted straight line of each tag, drawn only where one line is fitted to all points."""
    columns = ["tag", "x_min", "x_max", "y_min", "y_max"]
    if view.hold or view.hint or view.slopes.empty:
        return pd.DataFrame(columns=columns)
    known = points[points["x"].notna()]
    logs = known.assign(log=np.log10(known["x"])).groupby("tag")[["log", "value"]].mean()
    fits = view.slopes.join(logs, on="tag")
    for end in ("min", "max"):
        step = np.log10(fits[f"x_{end}"].astype(float)) - fits["log"]
        fits[f"y_{end}"] = fits["value"] + fits["slope"] * step
    return fits[columns]


def paper_table(store: Store, axis: str) -> pd.DataFrame:
    """UniBench's Table 1 (type) or 4 (capability), one row a group, the widest range first."""
    groups, ratios = store.table("groups"), store.table("ratios")
    rows = groups[groups["axis"] == axis]
    table = rows.pivot(index="tag", columns="statistic", values="value")
    families = rows.pivot(index="tag", columns="statistic", values="model_family")
    table = table.join(families.drop(columns="mean").add_suffix("_family"))
    printed = ratios[ratios["axis"] == axis]
    table = table.join(printed.pivot(index="tag", columns="quantity", values="ratio"))
    table = table.assign(label=table.index.where(table.index != profiles.TOTAL, "overall"))
    gap = table["best"] - table["worst"]
    return table.loc[gap.sort_values(ascending=False).index].reset_index()


def _group_names(rows: pd.DataFrame, hold: Sequence[str]) -> pd.Series:
    """Name the group of each point by its held columns; no name where one is unknown."""
    if not hold:
        return pd.Series("", index=rows.index)
    held = rows[list(hold)].copy()
    known = held.notna().all(axis=1)
    if "samples_seen_b" in hold:
        seen = scaling.nominal_samples(held["samples_seen_b"])
        held["samples_seen_b"] = [f"{value:g} B samples" for value in seen]
    return held.astype(str).agg(", ".join, axis=1).where(known, "")
