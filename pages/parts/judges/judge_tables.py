"""What the Judges page says: tables ready to read, and sentences with their figures."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from evalcore.analysis import agreement, bridging, raters
from evalcore.analysis.corrected import NO_FIT, Corrected
from evalcore.cost import image_tokens
from evalcore.suites.item_results import ItemResults
from pages.shared.charts import between, interval_text, intervals, per_cent, points

SIDE = 448
"""Pixels: the size at which the VQA360 paper shows its pictures (its Table 6)."""
MINI = "gpt-4o-mini"
NEWEST = 3
"""Runs that a command names."""
FEW = 100
"""Fewer labels than this leave more than about 8 points each way at 80 % agreement."""


def picture_cost(prices: pd.DataFrame, rules: pd.DataFrame) -> str:
    """Say what the picture adds to a verdict's price; empty where price or rule is unknown."""
    price = prices[(prices["model"] == MINI) & prices["by_maker"].astype(bool)]
    rule = rules[(rules["model"] == MINI) & rules["rule"].notna()]
    if price.empty or rule.empty:
        return ""
    paid, counted = price.sort_values("as_of").iloc[-1], rule.sort_values("as_of").iloc[-1]
    tokens = image_tokens.tokens(counted["rule"], counted["options"], SIDE, SIDE)
    usd = tokens * paid["usd_per_mtok_in"] / 1000
    return (
        f"It also costs less: a picture of {SIDE} x {SIDE} pixels is {tokens:,} tokens for GPT-4o "
        f"mini, which adds {usd:.2f} USD to 1,000 verdicts (the maker's price of {paid['as_of']}); "
        "without it a verdict is its text alone."
    )


def published_words(rows: pd.DataFrame) -> list[str]:
    """Say what the validation table shows beyond the paper's text.

    Args:
        rows: As from ``source_facts.judges``.
    """
    sentences = []
    for metric in ("GoEval-mini (GPT-4o mini)", "GoEval (GPT-4o)"):
        own = rows[rows["metric"] == metric].set_index("variant")
        blind, seeing = "sees references", "sees references and image"
        if {blind, seeing} <= set(own.index):
            sentences.append(
                f"{metric}: {_with_interval(own.loc[blind])} with references and without the "
                f"picture, {_with_interval(own.loc[seeing])} with both. The paper's table leaves "
                "the better one out, and its text says that all parts together do best."
            )
    worst = rows[rows["metric"].str.startswith("BERTScore") & (rows["accuracy"] < 0.5)]
    if len(worst):
        sentences.append(
            f"BERTScore: the printed accuracy of {per_cent(worst['accuracy'].max())} % is below "
            "any coin's 50 %; turning every answer round would be right "
            f"{per_cent(1 - worst['accuracy'].max())} % of the time. A similarity is no yes or no: "
            "it needs a threshold, and with one it cannot do worse than always saying the same. "
            "The paper's single scores and labels are not published, so neither a threshold nor "
            "the share of its commoner label can be told for it. With your own labels both stand "
            "beside any judge that grades, under Check with your labels."
        )
    return sentences


def _with_interval(row: pd.Series) -> str:
    return (
        f"{per_cent(row['accuracy'])} % agreement "
        f"(95 %: {interval_text(row['low'], row['high'])}, n {row['n']:.0f})"
    )


def examples(rows: pd.DataFrame, models: pd.Series) -> pd.DataFrame:
    """The printed answers on which people and a judge can be seen side by side."""
    marks = {True: "right", False: "wrong"}
    agree = rows["human"] == rows["judged"]
    return pd.DataFrame(
        {
            "Question": rows["question"],
            "References, as printed": rows["printed_references"],
            "Answer": rows["answer"],
            "Of": rows["model"].map(models),
            "People say": rows["human"].map(marks),
            "Judge says": rows["judged"].map(marks),
            "They": agree.map({True: "agree", False: "disagree"}),
            "Stands in": rows["place"],
        }
    )


def judge_names(rows: pd.DataFrame) -> list[str]:
    """The name of each judge on screen: its version too where one judge has several."""
    twice = rows.groupby("metric")["version"].transform("nunique") > 1
    return list(rows["metric"].where(~twice, rows["metric"] + ", version " + rows["version"]))


def agreement_table(rows: pd.DataFrame) -> pd.DataFrame:
    """The agreement of judges, ready to read."""
    columns = {"Judge": judge_names(rows)}
    if "model" in rows:
        columns["Model"] = rows["model"]
    if "tag" in rows:
        columns["Tag"] = rows["tag"]
    columns["n"] = rows["n"]
    for name, title in (
        *(("accuracy", "Accuracy, %"), ("kappa", "Kappa x 100"), ("tau", "Tau-b x 100")),
        *(("sensitivity", "Says right of right ones, %"),),
        *(("specificity", "Says wrong of wrong ones, %"), ("bias", "Too kind by, points")),
    ):
        columns[title] = (100 * rows[name]).round(1)
        words = between if name == "bias" else interval_text
        columns[f"{title.rstrip(',% ')}, 95 %"] = intervals(
            rows, f"{name}_low", f"{name}_high", how=words
        )
    for name, title in (
        *(("both_yes", "Both say right"), ("only_judge", "Only the judge says right")),
        *(("only_people", "Only people say right"), ("both_no", "Both say wrong")),
        *(("undecided", "People undecided"), ("unscored", "No verdict")),
    ):
        columns[title] = rows[name]
    return pd.DataFrame(columns)


def agreement_words(rows: pd.DataFrame) -> str:
    """Say which judge agrees best and what the numbers are worth."""
    known = rows.dropna(subset="accuracy")
    if known.empty:
        return "No label meets a verdict yet."
    order = known.sort_values("accuracy", ascending=False, kind="stable")
    best, last = order.iloc[0], order.iloc[-1]
    alike = order[np.isclose(order["accuracy"], best["accuracy"])]
    kappa = ["not defined" if np.isnan(value) else f"{value:.2f}" for value in alike["kappa"]]
    measures = [
        f"(95 %: {interval_text(low, high)}, n {n:.0f})"
        for low, high, n in alike[["accuracy_low", "accuracy_high", "n"]].to_numpy()
    ]
    names, share = judge_names(order)[: len(alike)], f"{per_cent(best['accuracy'])} %"
    if len(alike) > 1:
        each = (f"{name} {value}" for name, value in zip(names, measures, strict=True))
        words = f"{' and '.join(each)} agree with people equally often, on {share}"
    else:
        words = f"{names[0]} agrees with people on {share} {measures[0]}"
    words += (
        f"; Cohen's kappa {' and '.join(kappa)}. Always saying what people say more often would "
        f"be right on {per_cent(best['common'])} %."
    )
    if len(known) > len(alike):
        words += (
            f" Least: {judge_names(order.iloc[-1:])[0]} with {per_cent(last['accuracy'])} % "
            f"({interval_text(last['accuracy_low'], last['accuracy_high'])}, n {last['n']:.0f})."
        )
    if known["n"].nunique() > 1:
        words += " Not all of them judged the same answers, so the gap between them may be that."
    if best["n"] < FEW:
        words += f" Fewer than {FEW} labels: take this as a hint."
    return words


def differing(rows: pd.DataFrame, names: pd.Series) -> str:
    """Say on which model a judge errs most in one direction; that is what turns rankings."""
    known = rows.dropna(subset="bias_low").assign(name=lambda table: table["model"].map(names))
    if len(known) < 2:
        return ""
    kind, strict = known.loc[known["bias"].idxmax()], known.loc[known["bias"].idxmin()]
    apart = kind["bias_low"] > strict["bias_high"]
    return (
        f"Compared with people it is kindest to {kind['name']} ({points(kind['bias'])} points, "
        f"{between(kind['bias_low'], kind['bias_high'])}) and strictest with "
        f"{strict['name']} ({points(strict['bias'])} points, "
        f"{between(strict['bias_low'], strict['bias_high'])}); "
        + ("the intervals lie apart." if apart else "the intervals overlap.")
    )


def corrected_table(correction: Corrected, names: Sequence[str]) -> pd.DataFrame:
    """Raw and corrected scores, ready to read."""
    rows = correction.table
    shown = {"Model": names, "n": rows["n"], "Labels": rows["labelled"]}
    for name, title in (
        ("raw", "Raw"),
        ("ppi", "Corrected"),
        ("rogan_gladen", "By one error rate"),
    ):
        shown[f"{title}, %"] = (100 * rows[name]).round(1)
        shown[f"{title}, 95 %"] = intervals(rows, f"{name}_low", f"{name}_high")
    shown["Rank raw"], shown["Rank corrected"] = rows["rank_raw"], rows["rank_ppi"]
    shown["No correction because"] = rows["why"].replace("", None)
    shown["Of one error rate"] = rows["why_rates"].replace("", None)
    return pd.DataFrame(shown)


def unfit_words(correction: Corrected, names: Mapping[str, str]) -> str:
    """Name the models whose labels and raw score one error rate for all cannot join."""
    rows = correction.table
    unfit = [names[entry] for entry in rows.loc[rows["why_rates"].str.startswith(NO_FIT), "entry"]]
    if not unfit:
        return ""
    return f" By one error rate for all, {NO_FIT} for {', '.join(unfit)}; the table says why."


def rater_words(labels: pd.DataFrame, clusters: pd.Series) -> str:
    """Say how far raters agree among themselves."""
    count = labels["rater"].nunique()
    if count < 2:
        return "One rater: how far people agree among themselves cannot be told."
    alpha = raters.alpha(labels)
    if np.isnan(alpha.value):
        return f"{count} raters, but too few answers with two labels to compare them."
    pairs = raters.pairs(labels, clusters).dropna(subset="kappa").sort_values("kappa")
    interval = (
        "no interval" if np.isnan(alpha.low) else f"95 %: {alpha.low:.2f} to {alpha.high:.2f}"
    )
    words = (
        f"{count} raters: Krippendorff's alpha {alpha.value:.2f} ({interval}; {alpha.n} answers "
        "with two labels or more)."
    )
    if len(pairs):
        row = pairs.iloc[0]
        words += f" Least alike: {row['a']} and {row['b']}, kappa {row['kappa']:.2f}, n {row['n']}."
    return words


def threshold_words(row: dict[str, float]) -> str:
    """Say what a tuned threshold is worth."""
    outside = interval_text(row["outside_low"], row["outside_high"])
    return (
        f"{row['metric']}: with scores from 0.5 on as yes it agrees on "
        f"{per_cent(row['at_half'])} %. From {row['threshold']:.3f} on it would be "
        f"{per_cent(row['inside'])} %, and on labels that had no part in choosing that "
        f"{per_cent(row['outside'])} % ({outside}, n {row['n']}); always saying the same is right "
        f"on {per_cent(row['common'])} %."
    )


def repeats_table(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Repeat spread, unreadable verdicts and cost, ready to read."""
    rows = raters.repeats(verdicts)
    return pd.DataFrame(
        {
            "Judge": judge_names(rows),
            "Verdicts": rows["verdicts"],
            "Unreadable, %": (100 * rows["unparsed"]).round(1),
            "Unreadable, 95 %": intervals(rows, "unparsed_low", "unparsed_high"),
            "Answers judged twice or more": rows["repeated"],
            "Of these judged differently, %": (100 * rows["differ"]).round(1),
            "Spread of a total over repeats, points": (100 * rows["sd_total"]).round(2),
            "USD per 1,000 verdicts": rows["usd_per_1000"],
            "Priced verdicts": rows["priced"],
        }
    )


def bridge_words(bridge: bridging.Bridge, old: str, new: str) -> list[str]:
    """Say how the new judge stands to the old one, and whether the ranking holds."""
    offset = bridge.offset
    sentences = [
        f"On {offset.n:,} answers that both scored, {new} gives {points(offset.value)} points "
        f"against {old} (95 %: {between(offset.low, offset.high)}), as a mean over "
        f"{len(bridge.models)} models. They give the same score to {per_cent(bridge.alike.value)} "
        f"% ({interval_text(bridge.alike.low, bridge.alike.high)})."
    ]
    low, high = bridge.another
    if not np.isnan(low):
        sentences.append(
            f"For a model that is not among these, expect an offset between {points(low)} and "
            f"{points(high)} points (95 %): the offset differs from model to model, with a "
            f"standard deviation of {100 * bridge.spread:.1f} points."
        )
    turned, gap = bridge.pairs[bridge.pairs["turns"]], _widest(bridge.pairs)
    if gap is not None:
        sentences.append(
            f"The gap that changes most is that of {gap['a']} and {gap['b']}: "
            f"{points(gap['old'])} points under the old judge, {points(gap['new'])} under "
            f"the new one (change {points(gap['change'])}, {between(gap['low'], gap['high'])})."
        )
    if len(bridge.models) < 2:
        sentences.append("One model has no ranking to compare.")
    elif turned.empty:
        sentences.append("The ranking is the same under both.")
    for row in turned.to_dict("records"):
        sentences.append(
            f"The ranking turns: {row['b']} passes {row['a']} ({points(row['old'])} points "
            f"under the old judge, {points(row['new'])} under the new one; change "
            f"{points(row['change'])}, {between(row['low'], row['high'])})."
        )
    return sentences


def another_judge(evidence: ItemResults) -> tuple[str, str]:
    """What to do where no answers have two judges: words, and a command where one does it."""
    entries = evidence.entries.drop_duplicates("run")
    if entries["contrastive"].all():
        return (
            "These runs are of contrastive models: what they choose is scored as it is chosen, so "
            "there is no judge to replace. Choose a benchmark whose answers a judge scored.",
            "",
        )
    mine = entries[~entries["contrastive"] & ~entries["demo"]]
    if mine.empty:
        return (
            "No answers here were scored by two judges, and the demo runs are only read. Run a "
            "model of your own, and have its answers scored by two judges.",
            f"python -m evalcore run --model MODEL --benchmark {evidence.benchmark} "
            "--judge JUDGE --judge ANOTHER",
        )
    runs = mine.sort_values("created", ascending=False)["run"].head(NEWEST)
    used = ", ".join(dict.fromkeys(evidence.entries["metric"]))
    return (
        f"No answers here were scored by two judges (there is {used}). Have the same answers "
        "scored by another one, such as anls or goeval-ref-noimage=openai:gpt-4o-mini, and "
        "compare them here:",
        f"python -m evalcore judge {' '.join(runs)} --judge JUDGE",
    )


def _widest(pairs: pd.DataFrame) -> pd.Series | None:
    """The pair whose difference changes most beyond luck; of several the closest one."""
    clear = pairs[(pairs["low"] > 0) | (pairs["high"] < 0)]
    order = np.lexsort((clear["old"].abs(), -clear["change"].abs().round(6)))
    return clear.iloc[order[0]] if len(order) else None


def labelled_table(labels: pd.DataFrame) -> pd.DataFrame:
    """How many answers each rater labelled."""
    values = agreement.grades(labels["label"])
    groups = labels.assign(
        yes=values >= agreement.YES, no=values < agreement.YES, unsure=values.isna()
    ).groupby("rater")
    counts = groups[["yes", "no", "unsure"]].sum().reset_index()
    return counts.set_axis(["Rater", "Right", "Wrong", "Cannot tell"], axis=1)
