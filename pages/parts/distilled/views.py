"""Words and tables of the Distilled page's other views, after UniBench's Figures 2 and 4."""

from collections.abc import Mapping

import pandas as pd

from evalcore.analysis import gains
from evalcore.suites import suite
from pages.shared.controls import SidebarState

REFERENCE = "imagenet"
"""UniBench's capability that holds ImageNet alone."""
SCALES = {"train_data_m": "Training data", "image_tower_params_m": "Model size"}
UNITS = {"train_data_m": "M pairs", "image_tower_params_m": "M parameters of the image tower"}
NEAR = 0.05
"""A median no higher than this, on a scale from guessing (0) to 100 % (1), hardly exceeds it."""
FIGURE_2 = (
    "UniBench's Figure 2 shows the same for its own 59 models and 53 benchmarks and says: “Several "
    "benchmarks such as Winoground, iNaturalist, DSPR, Small Norb, dmlab, Clevr, PCam, "
    "Renderedssst2, and Kitti hardly exceed chance level performance” (section 3, arXiv "
    "2408.04810). Its relation benchmarks (Winoground among them) and iNaturalist are in no open "
    "table; DSPR, Small Norb and dmlab are in the scaling grid only."
)
FIGURE_4 = (
    "UniBench's Figure 4 shows for its own models “the difference in performance between the most "
    "scaled and the least scaled model across capabilities relative to ImageNet performance” and "
    "names depth estimation, spatial understanding, counting, scene and text recognition as those "
    "that scale does not improve (section 3.1). Here several models make each end, so that an "
    "interval can be given; other things than scale differ between the ends too."
)
CANNOT_SHOW = {
    "openclip": "Missing in this table: relations, corruption, pose detection. DataComp and "
    "CommonPool rows count the pool they were filtered from as training data.",
    "clip-grid": "Missing in this table: relations, corruption. One series of ViTs on LAION: data "
    "grow 25-fold, and the least data were never used for the largest models.",
}
NO_CAPABILITIES = "This suite has no capabilities: choose the open_clip table or the grid."
NO_ENDS = f"The models that pass the filters leave no two ends of {gains.END} models each."


def shown(choice: SidebarState, data: suite.SuiteData) -> list[str]:
    """Ids of the suite's models that pass the sidebar's filters."""
    kept, _ = suite.split_models(data.models, choice.models)
    return list(kept)


def of_filtered(choice: SidebarState, data: suite.SuiteData) -> pd.Series:
    """Which scores are of models that pass, on the axis "benchmark"."""
    return data.scores["model"].isin(shown(choice, data)) & data.scores["axis"].eq("benchmark")


def chance_words(rows: pd.DataFrame, names: Mapping[str, str], data: suite.SuiteData) -> str:
    """Say on how many benchmarks the median model hardly does better than guessing."""
    known = rows[rows["chance"].notna()]
    near = known[known["corrected"] <= NEAR]
    most = int(rows["n"].max())
    least = int(rows["n"].min())
    words = (
        f"{data.row['name']}: the median of {least if least == most else f'{least} to {most}'} "
        f"models on {len(rows)} benchmarks, the lowest first. "
    )
    if known.empty:
        return words + "What guessing would score is known for none of them."
    listed = ", ".join(near["benchmark"].map(names)) or "none"
    few = known[known["above"] < 0.5]
    words += (
        f"On {len(near)} of {len(known)} whose chance level is known it lies less than a twentieth "
        f"of the way from guessing to 100 % above guessing ({listed})."
    )
    if len(few):
        names_text = ", ".join(few["benchmark"].map(names))
        words += f" Fewer than half of the models are clearly above guessing on {names_text}."
    missing = len(rows) - len(known)
    return words + (f" No chance level is known for {missing}." if missing else "")


def chance_table(rows: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """The medians as a table."""
    per_cent = {
        "Median, %": "median",
        "Low, %": "low",
        "High, %": "high",
        "Guessing, %": "chance",
        "Median from guessing to 100, %": "corrected",
        "Clearly above guessing, %": "above",
        "Lower quarter, %": "lower_quarter",
        "Upper quarter, %": "upper_quarter",
        "Least, %": "least",
        "Most, %": "most",
    }
    shown = pd.DataFrame({title: 100 * rows[name] for title, name in per_cent.items()})
    shown.insert(0, "Benchmark", rows["benchmark"].map(names))
    return shown.assign(Metric=rows["metric"], Judged=rows["judged"], **{"n models": rows["n"]})


def gain_words(rows: pd.DataFrame, scale: pd.Series, x: str) -> str:
    """Say between what the gain is, and which groups gain less than ImageNet."""
    least, most = gains.ends(scale)
    row = rows[rows["tag"] == REFERENCE].iloc[0]
    behind = rows[rows["relative_high"] < 0]["tag"]
    return (
        f"{len(most)} models with {_range(scale[most])} {UNITS[x]} against {len(least)} with "
        f"{_range(scale[least])}. ImageNet gains {100 * row['gain']:.1f} points "
        f"({100 * row['low']:.1f} to {100 * row['high']:.1f}). Clearly less gains: "
        f"{', '.join(behind) or 'none'}. Bars: 95 % (Welch), models taken for independent."
    )


def gain_table(rows: pd.DataFrame) -> pd.DataFrame:
    """The gains as a table."""
    gain = rows["gain"].where(rows["tag"] != REFERENCE)
    base = rows.loc[rows["tag"] == REFERENCE, "gain"].iloc[0]
    return pd.DataFrame(
        {
            "Capability": rows["tag"],
            "Gain, points": 100 * rows["gain"],
            "Low, points": 100 * rows["low"],
            "High, points": 100 * rows["high"],
            "More than ImageNet, points": 100 * rows["relative"],
            "More, low, points": 100 * rows["relative_low"],
            "More, high, points": 100 * rows["relative_high"],
            "Share of ImageNet's gain": (gain / base).round(2),
            "Least scaled models": rows["least_scaled"],
            "Most scaled models": rows["most_scaled"],
        }
    )


def _range(values: pd.Series) -> str:
    low, high = values.min(), values.max()
    return f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"
