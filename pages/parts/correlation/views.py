"""What the correlation page compares: a table over models or over tags, and words for its pairs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from evalcore.analysis import correlation, ordering, profiles
from evalcore.decision.text.phrases import counted
from evalcore.suites import pooling, small_sets, suite
from pages.shared import frame
from pages.shared import heat_map as drawing
from pages.shared.controls import SidebarState
from pages.shared.heat_map import bounds, coefficient

ALIKE = ordering.ALIKE
REFERENCE = small_sets.REFERENCE
PLURALS = {"benchmark": "benchmarks", "type": "types", "capability": "capabilities"}
PLURALS |= {"need": "needs"}
TABLES = {"openclip": "open_clip table", "clip-grid": "CLIP scaling grid"}
KINDS = 7
"""So many families or makers have a colour of their own in a plot of one pair."""
TURNED = " (turned round)"
"""Ends the name of a measure that is better the lower it is: 1 - value stands for it."""


@dataclass(frozen=True)
class View:
    """A table to correlate: its columns are compared, over its rows."""

    what: str
    table: pd.DataFrame
    names: dict[str, str]
    """Name on screen of each column."""
    row_names: pd.Series
    row_kinds: pd.Series
    rows: str
    """What a row is: "models" or "tags"."""
    every: pd.DataFrame
    """The table with columns that too few rows have for the map; a pair may be looked at."""
    scope: str
    """Ends the keys of what belongs to this table and no other."""
    reference: str | None
    """The column that one asks what it predicts."""
    title: str
    """Name of the suite."""
    today: bool = False
    """Whether its models are of today."""


def benchmark_view(choice: SidebarState, data: suite.SuiteData, what: str, least: int = 0) -> View:
    """Benchmarks, or groups of them, over the models of a suite that pass the filter.

    Args:
        choice: What the sidebar says.
        data: The suite.
        what: "benchmark" or another axis of it.
        least: The map leaves out columns that fewer models have.
    """
    kept, _ = suite.split_models(data.models, choice.models)
    cells = choice.store.cells(data, what)
    every = profiles.wide(cells)
    turned = small_sets.turned(data) if what == "benchmark" else pd.DataFrame()
    every = every.join(turned, how="outer") if len(turned) else every
    every = every[every.index.isin(kept)]
    table = every.loc[:, every.notna().sum() >= least]
    # A model with none of the columns that are left is no row of the map.
    table = table[table.notna().any(axis=1)]
    models = data.models.set_index("model").reindex(every.index)
    frame.say(_rows(data, models.reindex(table.index)))
    if data.current:
        frame.say(_columns(every, table, what, least))
    names = {tag: str(tag) for tag in every.columns}
    if what == "benchmark":
        known = data.benchmarks.set_index("benchmark")["name"].to_dict()
        names |= {tag: known.get(tag, tag) for tag in names}
        if len(turned):
            listed = ", ".join(names[tag] for tag in turned.columns)
            frame.say(f"Better the lower it is, so that 1 − value is compared: {listed}.")
        names |= {tag: names[tag] + TURNED for tag in turned.columns}
    else:
        frame.say(_shared(data, what) if data.current else _grouped(data, what))
    return View(
        what=what,
        table=table,
        names=names,
        row_names=models["name"],
        row_kinds=_kinds(models["maker"] if data.current else models["family"]),
        rows="models",
        every=every,
        scope=what if data.suite == "openclip" else f"{what}_{data.suite}",
        reference=_reference(table, what),
        title=str(data.row["name"]),
        today=data.current,
    )


def _rows(data: suite.SuiteData, models: pd.DataFrame) -> str:
    """How many models of what there are, and that they are no independent witnesses."""
    passed = f"{len(models)} of {len(data.models)} models"
    if not data.current:
        copies = (
            "some are near-copies (the same weights with quickgelu, epochs 31 and 32 of one run)"
            if data.suite == "openclip"
            else "many differ in one setting only"
        )
        return (
            f"{passed} of the {TABLES.get(data.suite, data.row['name'])} pass the sidebar's "
            f"filters. They come from {_families(models['family'])}, and {copies}, so they are not "
            "independent and the true intervals are wider than drawn."
        )
    sentence = (
        f"{data.row['name']}: {passed} (each mode counts as one) are in the map, of "
        f"{counted(models['base'].nunique(), 'release')} and "
        f"{_families(models['family'])}. Sizes of one family and "
        "modes of one release are not independent: the true intervals are wider than drawn. Only "
        "results that take part by default are used; prices and sizes are no columns here."
    )
    if data.suite == pooling.SUITE:
        sentence += f" Mixed: {pooling.NOTE}."
    return sentence


def _families(column: pd.Series) -> str:
    many = column.nunique()
    return f"{many} families" if many != 1 else "one family"


def _columns(every: pd.DataFrame, table: pd.DataFrame, what: str, least: int) -> str:
    return (
        f"The map has {len(table.columns)} of {len(every.columns)} {PLURALS[what]}: those that at "
        f"least {least} of the models have."
    )


def _shared(data: suite.SuiteData, what: str) -> str:
    words = f"A {what} is the mean of its benchmarks."
    if small_sets.groups(data, what)["benchmark"].duplicated().any():
        words += " Some benchmarks speak for several, which therefore rise together."
    return words


def _grouped(data: suite.SuiteData, what: str) -> str:
    kinds = data.benchmarks.set_index("benchmark")[what]
    grouped = kinds.reindex(sorted(set(data.scores["benchmark"]))).notna()
    return (
        f"{int(grouped.sum())} of {len(grouped)} benchmarks have a {what} in UniBench; each "
        f"{what} is the mean of its benchmarks."
    )


def _kinds(column: pd.Series) -> pd.Series:
    """The most frequent kinds, and one for all others."""
    kinds = column.fillna("other").astype(str)
    common = kinds.value_counts().index[:KINDS]
    return kinds.where(kinds.isin(common) | (kinds.nunique() <= KINDS + 4), "other")


def _reference(table: pd.DataFrame, what: str) -> str | None:
    if what != "benchmark" or table.empty:
        return None
    return REFERENCE if REFERENCE in table else str(table.notna().sum().idxmax())


def model_view(choice: SidebarState) -> View:
    """VQA360's models over the tags of its three axes."""
    data = suite_data(choice, "vqa360")
    kept, _ = suite.split_models(data.models, choice.models)
    parts = [choice.store.cells(data, axis).assign(axis=axis) for axis in suite.axes(data)]
    cells = pd.concat(parts, ignore_index=True)
    least = choice.min_n if choice.data.suite == "vqa360" else data.axes["min_n_default"].max()
    cells = cells[profiles.enough(cells, least) & cells["model"].isin(kept)]
    titles = data.axes.set_index("axis")["title"]
    cells = cells.assign(row=cells["axis"].map(titles) + ": " + cells["tag"])
    table = profiles.wide(cells, rows="row", columns="model")
    names = data.models.set_index("model")
    mine = names["source"].eq("upload").map({True: " (yours)", False: ""})
    frame.say(
        "Profile correlation, descriptive: item answers are not published, so this says that two "
        "models are strong on the same kinds of question, not that they get the same questions "
        "right, which is Figure 4 of the paper; of runs made here that stands under “Models, "
        f"question by question”. Over {len(table)} tags with at least {int(least)} questions. The "
        "tags share questions, so any interval would be too narrow; none is given."
    )
    rows = pd.Series(table.index, index=table.index)
    kinds = rows.str.split(": ").str[0]
    title = str(data.row["name"])
    shown = (names["name"] + mine).to_dict()
    return View("model", table, shown, rows, kinds, "tags", table, "model", None, title)


def map_words(once: pd.DataFrame, view: View) -> str:
    """Say how much of a map is redundant and which pairs stand out."""
    known = once.dropna(subset="r").sort_values("r")
    enough = known[known["n"] >= ordering.FEW]
    if known.empty:
        return "No pair has a correlation: fewer than four rows, or values that do not vary."
    stand_out = known if enough.empty else enough
    most, least = stand_out.iloc[-1], stand_out.iloc[0]
    words = f"{_name(view, most)} have r {coefficient(most.r)}."
    if len(known) > 1:
        alike = int((stand_out.r > ALIKE).sum())
        words = (
            f"Of {len(known)} pairs of {PLURALS.get(view.what, 'models')}, {alike} "
            f"{'says' if alike == 1 else 'say'} nearly the same (r above {ALIKE}). Most alike: "
            f"{_name(view, most)} (r {coefficient(most.r)}); least alike: {_name(view, least)} "
            f"(r {coefficient(least.r)}), which complement each other."
        )
    if view.what != "model":
        count = int(drawing.uncertain(known).sum())
        words += f" The interval of {count} (marked {drawing.MARK}) covers 0."
    words += _gaps(once, len(known) - len(enough))
    return words + " Click a square to open its pair."


def _name(view: View, pair: pd.Series) -> str:
    return f"{view.names[pair.a]} and {view.names[pair.b]}"


def _gaps(once: pd.DataFrame, few: int) -> str:
    """How many models the pairs share, where that differs from pair to pair."""
    if once["n"].nunique() < 2:
        return ""
    words = f" The number in a square: {once['n'].min()} to {once['n'].max()} shared models"
    words += f"; grey: {few} pairs with fewer than {ordering.FEW}" if few else ""
    undefined = int(once["r"].isna().sum())
    least = correlation.LEAST_MODELS
    return words + (f"; no r: {undefined} pairs with fewer than {least}." if undefined else ".")


def pair_words(view: View, pairs: pd.DataFrame, chosen: Sequence[str]) -> str:
    """Say r of one pair with its interval and n, and whether it says anything."""
    pair = pairs[(pairs["a"] == chosen[0]) & (pairs["b"] == chosen[1])]
    row = pair.iloc[0]
    interval = "" if view.what == "model" else f" (95 %: {bounds(row['low'], row['high'])})"
    words = (
        f"{view.names[chosen[0]]} and {view.names[chosen[1]]}: r {coefficient(row['r'])}"
        f"{interval}, n {row['n']} {view.rows}."
    )
    if view.what != "model" and row["n"] < ordering.FEW:
        words += " So few models prove nothing."
    elif drawing.uncertain(pair).any() and view.what != "model":
        words += " The interval covers 0: knowing one says nothing certain about the other."
    return words


def cluster_words(rows: pd.DataFrame, view: View) -> str:
    """Say how many of the columns are in a cluster."""
    inside = int(rows["members"].map(len).sum())
    rule = f"every pair has r of at least {ALIKE} over at least {ordering.FEW} {view.rows}"
    if rows.empty:
        return f"No two say the same ({rule})."
    return (
        f"{inside} of {len(view.table.columns)} are in "
        f"{counted(len(rows), 'cluster')} that say the same ({rule}); one of each would do "
        "for the order of models, not for how good they are. The others stand alone."
    )


def cluster_table(rows: pd.DataFrame, view: View) -> pd.DataFrame:
    """The clusters, with the pair in each that is least alike."""
    return pd.DataFrame(
        {
            "Say the same": [
                ", ".join(view.names[name] for name in row) for row in rows["members"]
            ],
            "Members": rows["members"].map(len),
            "Lowest r": [coefficient(r) for r in rows["r"]],
            "Interval": [bounds(*ends) for ends in zip(rows["low"], rows["high"], strict=True)],
            f"Fewest {view.rows}": rows["n"],
        }
    )


def reference_words(rows: pd.DataFrame, names: Mapping[str, str], reference: str) -> str:
    """Count what the reference predicts badly, not at all, and well."""
    nothing = rows[rows["verdict"] == "not or negatively"]
    listed = ", ".join(nothing["benchmark"].map(names)) or "none"
    least, most = int(rows["n"].min()), int(rows["n"].max())
    below = {limit: int((rows["r"] < limit).sum()) for limit in (0.3, 0.7)}
    unknown = int((rows["verdict"] == "cannot tell").sum())
    words = (
        f"{int((rows['r'] < correlation.POORLY_BELOW).sum())} of {len(rows)} benchmarks "
        f"correlate with {names[reference]} below {correlation.POORLY_BELOW} ({below[0.3]} below "
        f"0.3, {below[0.7]} below 0.7); {len(nothing)} not at all or negatively "
        f"({listed}): the interval covers 0 or lies below it. "
        f"{int((rows['verdict'] == 'well').sum())} are predicted well, with the whole interval "
        f"above 0.5. n {least if least == most else f'{least} to {most}'} models."
    )
    return words + (f" Of {unknown} one cannot tell: too few models." if unknown else "")


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


def suite_data(choice: SidebarState, name: str) -> suite.SuiteData:
    """A suite, with the session's upload where the sidebar shows that suite."""
    return choice.data if choice.data.suite == name else choice.store.suite(name)
