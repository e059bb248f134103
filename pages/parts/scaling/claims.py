"""The scaling page's view of UniBench's claims beside what the open data show."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from evalcore.analysis import estimates, scaling, scaling_slices
from evalcore.suites import suite
from pages.parts.scaling import charts_slices as drawing
from pages.parts.scaling import claims_words as words
from pages.parts.scaling.views import UNITS
from pages.parts.scaling.words import IN_WORDS
from pages.shared import charts, frame
from pages.shared.controls import SidebarState
from pages.shared.text import plain

CLAIMS = {
    "data": "More data",
    "size": "Larger models",
    "all": "All models",
    "quality": "Better data",
    "objective": "Other objective",
}
GRID: dict[str, tuple[scaling.Scale, tuple[str, ...], str]] = {
    "data": ("train_data_m", ("architecture", "samples_seen_b"), "architecture and samples seen"),
    "size": ("gflops", ("train_data", "samples_seen_b"), "data and samples seen"),
}
"""Claim → what varies in the grid, what is held, and the latter in words."""
MEDIANS: dict[scaling.Scale, str] = {
    "train_data_m": "Training data",
    "image_tower_params_m": "Size of the image tower",
}
PARTNERS = ("CoCa ViT-B/32 against ViT-B/32", "CoCa ViT-L/14 against ViT-L/14")


def show(choice: SidebarState, axis: str, *, chance: bool) -> None:
    """One claim: the paper's words, the open data's figures, and what they cannot show."""
    claim = st.segmented_control(
        "Claim",
        list(CLAIMS),
        format_func=lambda key: CLAIMS[key],
        default="data",
        required=True,
        key="scale_claim",
        bind="query-params",
    )
    st.markdown(f"> {plain(words.QUOTES[claim])}")
    st.caption("UniBench, arXiv 2408.04810: quoted, not computed again here.")
    data = choice.store.suite(scaling_slices.SUITE)
    cells = choice.store.cells(data, axis, correct_chance=chance)
    if claim in scaling_slices.SLICES:
        _slice(choice, data, cells, claim, axis, chance=chance)
    elif claim == "all":
        _medians(data, cells, axis)
    elif claim == "quality":
        _quality(data, cells, chance=chance)
    else:
        _objective(cells, chance=chance)
    st.caption(
        "The sidebar's filters do not act here. The open tables follow another protocol than "
        "UniBench and are never averaged with it."
    )


def reasoning(data: suite.SuiteData, axis: str) -> list[str]:
    """The tags of an axis that hold reasoning benchmarks."""
    grouped = data.benchmarks.dropna(subset=["type", axis])
    return sorted(set(grouped.loc[grouped["type"] == "reasoning", axis]))


def _slice(  # noqa: PLR0913  one choice of the page an argument
    choice: SidebarState,
    data: suite.SuiteData,
    cells: pd.DataFrame,
    claim: str,
    axis: str,
    *,
    chance: bool,
) -> None:
    st.subheader("What the open data show", divider="gray")
    part = scaling_slices.SLICES[claim]
    gains = scaling_slices.along(cells, data.models, part)
    flat = [tag for tag in reasoning(data, axis) if tag in set(gains["tag"])]
    sides = scaling_slices.sides(gains, flat)
    title, unit = UNITS[part.x]
    facts = data.models.set_index("model").loc[list(part.models)]
    rows = cells[cells["model"].isin(part.models) & cells["tag"].isin(gains["tag"])]
    rows = rows.assign(x=rows["model"].map(facts[part.x].astype(float)))
    rows["hover"] = _hovers(rows, facts["name"], f"{title}: ", unit)
    order = list(gains.sort_values("gain", ascending=False)["tag"])
    fig = drawing.lines(rows, order, flat, f"{title}, {unit}")
    twin = _gain_table(gains, order)
    frame.figure(fig, words.slice_result(part, gains, sides, flat), twin, f"scale_slice_{claim}")
    grid = choice.store.suite("clip-grid")
    x, hold, held = GRID[claim]
    grid_cells = choice.store.cells(grid, axis, correct_chance=chance)
    slopes = scaling.slopes(grid_cells, grid.models, x, hold).dropna(subset="slope")
    own = [tag for tag in reasoning(grid, axis) if tag in set(slopes["tag"])]
    frame.say(words.grid_result(scaling.contrast(slopes, own), slopes, IN_WORDS[x], held))
    frame.say(f"{words.PAPER_POINTS[claim]} {part.paper}")
    _notes(part.moves, words.no_interval(gains, chance=chance), words.NO_RELATION)


def _gain_table(gains: pd.DataFrame, order: Sequence[str]) -> pd.DataFrame:
    rows = gains.set_index("tag").loc[list(order)].reset_index()
    points = {
        "First, %": "first",
        "Last, %": "last",
        "Gain, points": "gain",
        "Gain low, points": "low",
        "Gain high, points": "high",
        "For ten times as much, points": "slope",
        "Its low, points": "slope_low",
        "Its high, points": "slope_high",
    }
    shown = {name: (rows[column] * 100).round(1) for name, column in points.items()}
    return pd.DataFrame({"Group": rows["tag"], **shown, "n models": rows["n_models"]})


def _medians(data: suite.SuiteData, cells: pd.DataFrame, axis: str) -> None:
    st.subheader("Medians of all open_clip models", divider="gray")
    x = st.segmented_control(
        "Against",
        list(MEDIANS),
        format_func=lambda key: MEDIANS[key],
        default="train_data_m",
        required=True,
        key="scale_medians",
        bind="query-params",
    )
    rows = scaling_slices.medians(cells, data.models, x)
    title, unit = UNITS[x]
    rows["hover"] = [
        f"<b>{charts.safe(row.tag)}</b><br>median {row.value * 100:.1f} % "
        f"({charts.interval_text(row.low, row.high)})<br>n {row.n} models<br>"
        f"{title}: about {row.x:,g} {unit}"
        for row in rows.itertuples()
    ]
    last = rows.sort_values("x").drop_duplicates("tag", keep="last")
    order = list(last.sort_values("value", ascending=False)["tag"])
    flat = reasoning(data, axis)
    twin = pd.DataFrame(
        {
            "Group": rows["tag"],
            f"{title}, {unit}": rows["x"],
            "Median, %": (rows["value"] * 100).round(1),
            "Low, %": (rows["low"] * 100).round(1),
            "High, %": (rows["high"] * 100).round(1),
            "n models": rows["n"],
        }
    )
    missing = int(data.models[x].isna().sum())
    summary = (
        f"Median score of the models in each half of a tenfold of {title.lower()}, "
        f"{len(data.models) - missing} of {len(data.models)} models (of the others it is unknown). "
        "Intervals hold the median with 95 % whatever the distribution; fewer than six models "
        "have none. Models differ in more than scale."
    )
    frame.figure(drawing.lines(rows, order, flat, f"{title}, {unit}"), summary, twin, "scale_med")
    _against_imagenet(data, cells, axis, x)
    st.caption(plain(words.NO_RELATION))


def _against_imagenet(
    data: suite.SuiteData, cells: pd.DataFrame, axis: str, x: scaling.Scale
) -> None:
    """The paper's Figure 4 on open data: the gain of each capability beside ImageNet's."""
    if axis != "capability":
        st.caption("Group by capability to see the five that the paper names beside ImageNet.")
        return
    slopes = scaling.slopes(cells, data.models, x).dropna(subset="slope")
    slopes = slopes.sort_values("slope", ascending=False, ignore_index=True)
    base = slopes.loc[slopes["tag"] == "imagenet", "slope"]
    st.subheader("Gain by capability beside ImageNet's", divider="gray")
    if x == "train_data_m":
        frame.say(words.against_imagenet(slopes))
    table = pd.DataFrame(
        {
            "Capability": slopes["tag"],
            "For ten times as much, points": (slopes["slope"] * 100).round(1),
            "Low, points": (slopes["low"] * 100).round(1),
            "High, points": (slopes["high"] * 100).round(1),
            "Of ImageNet's, %": (slopes["slope"] / base.iloc[0] * 100).round(0),
            "n models": slopes["n_models"],
            "Named by the paper": ["yes" if tag in words.NAMED else "" for tag in slopes["tag"]],
        }
    )
    st.dataframe(
        table, hide_index=True, column_config=frame.one_decimal(table), key="scale_imagenet"
    )


def _quality(data: suite.SuiteData, cells: pd.DataFrame, *, chance: bool) -> None:
    st.subheader("One pool, filtered in several ways", divider="gray")
    pools = scaling_slices.pools(data.models)
    sizes = list(dict.fromkeys(pools["pool"]))
    pool = st.segmented_control(
        "Pool",
        sizes,
        format_func=plain,
        default="medium",
        required=True,
        key="scale_pool",
        bind="query-params",
    )
    own = pools[pools["pool"] == pool]
    rows = scaling_slices.filtered(cells, own)
    step = pd.DataFrame()
    if pool in ("small", "medium"):
        bare = pools[pools["filter"] == "none"].set_index("pool")["model"]
        pair = cells[cells["model"].isin([bare["small"], bare["medium"]])]
        step = estimates.against(pair, bare["small"])
    facts = data.models.set_index("model").loc[own["model"].iloc[0]]
    frame.say(
        f"{facts['architecture']}, pool of {facts['train_data_m']:,g} million pairs, "
        f"{facts['samples_seen_b']:g} billion samples seen."
    )
    kinds = [kind for kind in own["filter"] if kind != "none"]
    rows = rows.assign(kind=rows["filter"])
    order = list(rows.groupby("tag")["value"].mean().sort_values(ascending=False).index)
    fig = drawing.changes(rows, kinds, order)
    frame.figure(fig, words.quality_result(rows, pool, step), _changes(rows), "scale_quality")
    same = words.SAME_ROW if pool == "small" else ""
    unknown = words.no_interval(rows, chance=chance)
    _notes(words.POOLS, same, unknown, words.NO_RELATION)


def _objective(cells: pd.DataFrame, *, chance: bool) -> None:
    st.subheader("The same architecture and data, another objective", divider="gray")
    parts = []
    for name, (tailored, bare) in zip(PARTNERS, scaling_slices.OBJECTIVES, strict=True):
        pair = cells[cells["model"].isin([tailored, bare])]
        parts.append(estimates.against(pair, bare).assign(kind=name))
    rows = pd.concat(parts, ignore_index=True)
    order = list(rows.groupby("tag")["value"].mean().sort_values(ascending=False).index)
    means = scaling_slices.averaged(rows, "kind")
    sentences = [f"{row['kind']}: {words.change(row)}" for row in means.to_dict("records")]
    summary = (
        "Contrastive and captioning against contrastive alone, mean change over "
        f"{rows['tag'].nunique()} groups of benchmarks: {'; '.join(sentences)}. "
        "Two pairs are no trend."
    )
    frame.figure(drawing.changes(rows, PARTNERS, order), summary, _changes(rows), "scale_objective")
    _notes(words.OBJECTIVES, words.no_interval(rows, chance=chance), words.NO_NEGCLIP)


def _notes(*notes: str) -> None:
    for note in notes:
        if note:
            st.caption(plain(note))


def _changes(rows: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Group": rows["tag"],
            "Against the other": rows["kind"],
            "Model": rows["model"],
            "Change, points": (rows["value"] * 100).round(1),
            "Low, points": (rows["low"] * 100).round(1),
            "High, points": (rows["high"] * 100).round(1),
            "Verdict": rows["verdict"],
            "n questions": rows["n"],
        }
    )


def _hovers(rows: pd.DataFrame, names: pd.Series, before: str, unit: str) -> list[str]:
    return [
        f"<b>{charts.safe(row.tag)}</b><br>{charts.safe(names[row.model])}: "
        f"{row.value * 100:.1f} % ({charts.interval_text(row.low, row.high)})<br>"
        f"{before}{row.x:,g} {unit}"
        for row in rows.itertuples()
    ]
