"""What the correlation page compares: a table over models or over tags, and words for its pairs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from evalcore.analysis import correlation, profiles
from evalcore.suites import suite
from pages.shared import charts_correlation as drawing
from pages.shared import frame
from pages.shared.charts_correlation import bounds, coefficient
from pages.shared.controls import Choice

REFERENCE = "imagenet1k"
ALIKE = 0.9
PLURALS = {"benchmark": "benchmarks", "type": "types", "capability": "capabilities"}


@dataclass(frozen=True)
class View:
    """What is compared: the columns of a table over its rows."""

    what: str
    table: pd.DataFrame
    names: dict[str, str]
    """Name on screen of each column."""
    row_names: pd.Series
    row_kinds: pd.Series
    rows: str
    """What a row is: "models" or "tags"."""


def benchmark_view(choice: Choice, what: str) -> View:
    """Benchmarks, types or capabilities over the open_clip models that pass the filter."""
    data = suite_data(choice, "openclip")
    kept, _ = suite.split_models(data.models, choice.models)
    cells = choice.store.cells(data, what)
    table = correlation.wide(cells[cells["model"].isin(kept)])
    models = data.models.set_index("model").reindex(table.index)
    frame.say(
        f"{len(table)} of {len(data.models)} models of the open_clip table "
        f"pass the sidebar's filters. They come from {models['family'].nunique()} families, and "
        "some are near-copies (the same weights with quickgelu, epochs 31 and 32 of one run), so "
        "they are not independent and the true intervals are wider than drawn."
    )
    if what != "benchmark":
        kinds = data.benchmarks.set_index("benchmark")[what]
        grouped = kinds.reindex(sorted(set(data.scores["benchmark"]))).notna()
        frame.say(
            f"{int(grouped.sum())} of {len(grouped)} benchmarks have a {what} in UniBench; each "
            f"{what} is the mean of its benchmarks."
        )
        names = {tag: str(tag) for tag in table.columns}
    else:
        names = data.benchmarks.set_index("benchmark")["name"].to_dict()
    return View(what, table, names, models["name"], models["family"].fillna("other"), "models")


def model_view(choice: Choice) -> View:
    """VQA360's models over the tags of its three axes."""
    data = suite_data(choice, "vqa360")
    kept, _ = suite.split_models(data.models, choice.models)
    parts = [choice.store.cells(data, axis).assign(axis=axis) for axis in suite.axes(data)]
    cells = pd.concat(parts, ignore_index=True)
    least = choice.min_n if choice.data.suite == "vqa360" else data.axes["min_n_default"].max()
    cells = cells[profiles.enough(cells, least) & cells["model"].isin(kept)]
    titles = data.axes.set_index("axis")["title"]
    cells = cells.assign(row=cells["axis"].map(titles) + ": " + cells["tag"])
    table = correlation.wide(cells, rows="row", columns="model")
    names = data.models.set_index("model")
    mine = names["source"].eq("upload").map({True: " (yours)", False: ""})
    frame.say(
        "Profile correlation, descriptive: item answers are not published, so this says that two "
        "models are strong on the same kinds of question, not that they get the same questions "
        f"right. Over {len(table)} tags with at least {int(least)} questions. The tags share "
        "questions, so any interval would be too narrow; none is given."
    )
    rows = pd.Series(table.index, index=table.index)
    kinds = rows.str.split(": ").str[0]
    return View("model", table, (names["name"] + mine).to_dict(), rows, kinds, "tags")


def map_words(once: pd.DataFrame, view: View) -> str:
    """Say how much of a map is redundant and which pairs stand out."""
    known = once.dropna(subset="r").sort_values("r")
    if known.empty:
        return "No pair has a correlation: fewer than four rows, or values that do not vary."
    most, least = known.iloc[-1], known.iloc[0]
    words = (
        f"Of {len(known)} pairs of {PLURALS.get(view.what, 'models')}, "
        f"{int((known.r > ALIKE).sum())} say nearly the same (r above {ALIKE}). "
        f"Most alike: {view.names[most.a]} and {view.names[most.b]} (r {coefficient(most.r)}); "
        f"least alike: {view.names[least.a]} and {view.names[least.b]} "
        f"(r {coefficient(least.r)}), which complement each other."
    )
    if view.what != "model":
        count = int(drawing.uncertain(known).sum())
        words += f" The interval of {count} (marked {drawing.MARK}) covers 0."
    return words + " Click a square to open its pair."


def pair_words(view: View, pairs: pd.DataFrame, chosen: Sequence[str]) -> str:
    """Say r of one pair with its interval and n, and whether it says anything."""
    one = pairs[(pairs["a"] == chosen[0]) & (pairs["b"] == chosen[1])]
    row = one.iloc[0]
    interval = "" if view.what == "model" else f" (95 %: {bounds(row['low'], row['high'])})"
    words = (
        f"{view.names[chosen[0]]} and {view.names[chosen[1]]}: r {coefficient(row['r'])}"
        f"{interval}, n {row['n']} {view.rows}."
    )
    if drawing.uncertain(one).any():
        words += " The interval covers 0: knowing one says nothing certain about the other."
    return words


def reference_words(found: pd.DataFrame, names: Mapping[str, str]) -> str:
    """Count what the reference predicts badly, not at all, and well."""
    nothing = found[found["verdict"] == "not or negatively"]
    listed = ", ".join(nothing["benchmark"].map(names)) or "none"
    least, most = int(found["n"].min()), int(found["n"].max())
    return (
        f"{int((found['r'] < correlation.POORLY_BELOW).sum())} of {len(found)} benchmarks "
        f"correlate with {names[REFERENCE]} below 0.5; {len(nothing)} not at all or negatively "
        f"({listed}): the interval covers 0 or lies below it. "
        f"{int((found['verdict'] == 'well').sum())} are predicted well, with the whole interval "
        f"above 0.5. n {least if least == most else f'{least} to {most}'} models."
    )


def representatives(rows: pd.DataFrame, available: Collection[str]) -> pd.DataFrame:
    """The table of representatives as the paper prints it, types first."""
    shown = pd.DataFrame(
        {
            "Group": rows["printed_tag"],
            "Sorted by": rows["axis"],
            "Benchmark": rows["printed_benchmark"],
            "r as printed": rows["printed_value"],
            "In open_clip table": rows["benchmark"].isin(available).map({True: "yes", False: "no"}),
        }
    )
    return shown.sort_values(["Sorted by", "Group"], ascending=[False, True])


def pair_table(once: pd.DataFrame, view: View) -> pd.DataFrame:
    """The pairs of a map as a table, most alike first."""
    named = once.assign(a=once["a"].map(view.names), b=once["b"].map(view.names)).round(2)
    named = named.sort_values("r", ascending=False)
    named.columns = ["First", "Second", "r", "Low", "High", f"n {view.rows}"]
    return named.drop(columns=["Low", "High"]) if view.what == "model" else named


def suite_data(choice: Choice, name: str) -> suite.SuiteData:
    """A suite, with the session's upload where the sidebar shows that suite."""
    return choice.data if choice.data.suite == name else choice.store.suite(name)
