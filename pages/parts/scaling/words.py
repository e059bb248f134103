"""The scaling page's sentences: slopes in words, what is unknown, what the paper says."""

from collections.abc import Sequence

import pandas as pd

from evalcore.analysis import profiles, scaling
from pages.parts.scaling.views import UNITS, View
from pages.shared.charts import signed, span

IN_WORDS = {
    "train_data_m": "the training data",
    "samples_seen_b": "the samples seen",
    "gflops": "the compute of the model",
    "image_tower_params_m": "the parameters of the image tower",
    "params_b": "the parameters",
}
QUOTES = (
    "despite increasing the training dataset size by a factor of 1000×, relational and reasoning "
    "benchmarks performance is fairly flat compared to the significant boost in performance on "
    "other tasks.",
    "While for other benchmark types including object recognition, robustness, etc. performance "
    "improves by 17.4% as model size scales by 11×, relations and reasoning improve by a modest "
    "3.41% with a fairly flat scaling curve.",
)


def headline(view: View) -> str:
    """The slopes in words: what ten times as much brings, and how little reasoning gains."""
    best = _strongest(view)
    # Outside the controlled grid models differ in more than x: no cause is claimed.
    brings = "brings" if view.data.suite == "clip-grid" else "goes with"
    start = "A hint, no more: " if view.hint else ""
    text = f"{start}ten times {IN_WORDS[view.x]} {brings} {_gain(best)} on {best['tag']}"
    if not view.flat:
        last = view.slopes.iloc[-1]
        text += f" and {_gain(last)} on {last['tag']}."
        return text[:1].upper() + text[1:]
    sides = scaling.contrast(view.slopes, view.flat).set_index("part")
    given, rest, gap = (sides.loc[part] for part in ("given", "others", "difference"))
    kinds = "reasoning"
    if len(view.flat) > 1:
        kinds = f"average on the {len(view.flat)} reasoning capabilities ({', '.join(view.flat)})"
    text = f"{text} and {_gain(given)} on {kinds}. "
    if given["low"] <= 0 <= given["high"]:
        text += "The interval for reasoning covers 0: no gain is shown. "
    if given["low"] > 0:
        text += f"That is {given['slope'] / best['slope'] * 100:.0f} % of the former. "
    if gap["high"] < 0:
        text += (
            f"The others gain {_gain(rest)} on average, clearly more than reasoning: "
            f"a difference of {_gain(gap)}."
        )
    return text[:1].upper() + text[1:].strip()


def coverage(view: View) -> str:
    """How many models and groups stand behind the slopes, and over which range of x."""
    slopes, (title, unit) = view.slopes, UNITS[view.x]
    low, high = slopes["x_min"].min(), slopes["x_max"].max()
    least, most = int(slopes["n_models"].min()), int(slopes["n_models"].max())
    groups = int(slopes["n_groups"].max())
    within = f" in {groups} groups alike in {_held(view.hold)}" if view.hold else ""
    text = (
        f"n {least if least == most else f'{least} to {most}'} models{within}; {title.lower()} "
        f"from {low:,g} to {high:,g} {unit}, {high / low:,.0f}-fold. Nothing is extrapolated."
    )
    if view.hint:
        text += " Fewer than 8 models: a hint, not a finding."
    return text


def unknown_words(view: View) -> str:
    """How many models have no known x, and so take no part in the slopes."""
    missing = view.models[view.models[view.x].isna()]
    title = UNITS[view.x][0].lower()
    total = len(view.models)
    if missing.empty:
        return f"{total} models; {title} is known for all."
    named = ", ".join(missing["name"].head(4)) + (" …" if len(missing) > 4 else "")
    return (
        f"{total} models; {title} unknown for {len(missing)} ({named}): these stand in the strip "
        "under “?” and take no part in the slopes."
    )


def left_out(view: View) -> str:
    """Benchmarks that the correction for chance leaves out."""
    benchmarks = view.data.benchmarks.set_index("benchmark")
    rows = view.data.scores[view.data.scores["axis"] == "benchmark"]
    ids = [
        name
        for name in profiles.uncorrectable(rows, view.data.benchmarks)
        if pd.notna(benchmarks.loc[name, view.axis])
    ]
    names = ", ".join(benchmarks.loc[ids, "name"]) or "none"
    return (
        "Corrected for chance: guessing is 0 and all right is 100. Left out because their chance "
        f"level is not one number: {names}."
    )


def notes(view: View) -> list[str]:
    """What to keep in mind about the slopes shown."""
    notes: list[str] = []
    if view.x in ("params_b", "image_tower_params_m") and view.data.suite == "openclip":
        notes.append(
            "ViT-B/32 and ViT-B/16 have the same number of parameters and differ in compute almost "
            "threefold: for the effect of size choose GFLOPs."
        )
    if view.data.suite == "clip-grid":
        notes.append(
            "The grid covers 25-fold training data (80 million to 2 billion pairs), far less than "
            "UniBench's 1,000-fold; size is compute, because ViT-B/32 and ViT-B/16 have the same "
            "number of parameters. OpenAI's checkpoints count at 400 million pairs of other data."
        )
    else:
        alike = f" even when alike in {_held(view.hold)}" if view.hold else ""
        notes.append(
            f"Models that differ in this scale differ in other things too{alike} (data, training, "
            "makers), so this is no proof of a cause."
        )
    if view.data.suite == "openclip":
        notes.append(
            "The controlled grid holds the rest fixed. The two tables are never fitted together."
        )
    return notes


def no_open_data(paper: pd.DataFrame, tags: Sequence[str]) -> list[str]:
    """A sentence for each group that the paper has and the open table lacks."""
    absent = paper[~paper["tag"].isin([*tags, profiles.TOTAL])]
    return [
        f"{row['label'].capitalize()}: no open data. In the paper: "
        f"worst {row['worst'] * 100:.1f} % ({row['worst_family']}), "
        f"mean {row['mean'] * 100:.1f} %, best {row['best'] * 100:.1f} % "
        f"({row['best_family']}), the best with {row['training data']:g} times the training data "
        f"and {row['model size']:g} times the size of the worst."
        for row in absent.to_dict("records")
    ]


def _strongest(view: View) -> pd.Series:
    by_tag = view.slopes.set_index("tag", drop=False)
    for tag in ("object recognition", "standard object recognition"):
        if tag in by_tag.index:
            return by_tag.loc[tag]
    return view.slopes.iloc[0]


def _gain(row: pd.Series) -> str:
    interval = span(row["low"] * 100, row["high"] * 100)
    return f"{signed(row['slope'] * 100)} points ({interval})"


def _held(hold: Sequence[str]) -> str:
    words = {
        "architecture": "architecture",
        "train_data": "data set",
        "train_data_m": "training data",
        "samples_seen_b": "planned samples seen",
    }
    return " and ".join(words[column] for column in hold)
