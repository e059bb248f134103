"""The Digits page's sentences and tables."""

import pandas as pd

from evalcore.contrastive.digits import DEMO, NETWORK
from evalcore.decision.text.phrases import counted, listed
from pages.parts.digits.studies import SETS, Published
from pages.shared.charts import interval_text, n_text, per_cent

NETWORK_SAYS = (
    "The line at 99 % is MNIST read by a network with two layers: “a simple 2-layer MLP achieves "
    "99% accuracy on MNIST (Wan et al., 2013) significantly outperforming all 59 VLMs we studied” "
    "(UniBench, section 3.2, arXiv 2408.04810). It was not measured here."
)
QUOTES = (
    "even when we compute top-5 accuracy (with 50% being chance), VLMs barely reach 90% accuracy",
    "Despite these tailored prompts, which explicitly described the black-and-white nature and "
    "content of the images, the performance still lagged significantly behind simpler models.",
    "We find across all benchmarks VLMs struggled with number recognition and counting tasks.",
)
ABOUT_QUOTES = (
    "UniBench, section 3.2, arXiv 2408.04810, quoted. Its Figures 5, 6, 9 and 10 show medians of "
    "59 models, but it prints no values for them; section 8.0.1 prints the order of the six "
    "set-ups, which is the column “UniBench's place”."
)
TOY = (
    "A toy, to show the view: a CLIP of 3.4 million parameters, trained for a minute on "
    "scikit-learn's 1,797 digits with captions. It has seen neither MNIST nor the study's "
    "sentences, and says nothing about models of use. scripts/demo_digits.py makes it again."
)
EMPTY = "No digit study is here yet. This command runs one and puts it into the results:"
YOURS = "Your own model, with its six prompt sets in one pass over the pictures:"
COMMAND = (
    "python -m evalcore digits --model open_clip:ViT-B-32/laion2b_s34b_b79k "
    "--benchmark mnist=FOLDER"
)


def reached(published: Published) -> str:
    """Say who reaches the network's 99 % on MNIST, and how the best do on the other sets."""
    sentences = []
    for benchmark, title in published.titles.items():
        rows = published.rows[published.rows["benchmark"] == benchmark]
        best = rows.iloc[0]
        score = f"{best['name']} with {_score(best, n_text(best['n']))}"
        if benchmark != "mnist":
            sentences.append(f"The best on {title} is {score}.")
            continue
        there = int(rows["value"].ge(NETWORK).sum())
        who = f"{there} of {counted(len(rows))}" if there else f"None of {counted(len(rows))}"
        verb = "reach" if there > 1 else "reaches"
        sentences.append(
            f"{who} {verb} the {100 * NETWORK:.0f} % of a network with two layers on MNIST; the "
            f"best is {score}."
        )
    return " ".join(sentences)


def medians(published: Published) -> str:
    """Say where the median model stands on each set, against guessing."""
    rows = published.medians.set_index("benchmark")
    parts = [
        f"{title} {per_cent(rows['median'][name])} % "
        f"({interval_text(rows['low'][name], rows['high'][name])}; guessing "
        f"{per_cent(rows['chance'][name])} %)"
        for name, title in published.titles.items()
    ]
    missing = sorted(set(SETS) - set(published.titles))
    lacks = " CountBench is in no open table that ships." if "countbench" in missing else ""
    n = counted(int(published.medians["n"].max()))
    return (
        f"The median of {n}: {listed(parts)}. Intervals: 95 %, over which models there happen to "
        f"be.{lacks}"
    )


def median_table(published: Published) -> pd.DataFrame:
    """The medians as a table."""
    rows = published.medians.set_index("benchmark").loc[list(published.titles)]
    per_hundred = {
        "Median, %": "median", "Low, %": "low", "High, %": "high", "Guessing, %": "chance",
        "Least, %": "least", "Most, %": "most", "Clearly above guessing, %": "above",
    }  # fmt: skip
    shown = pd.DataFrame({title: 100 * rows[name].astype(float) for title, name in
                          per_hundred.items()})  # fmt: skip
    shown.insert(0, "Benchmark", list(published.titles.values()))
    return shown.assign(**{"n models": rows["n"]})


def published_table(published: Published) -> pd.DataFrame:
    """Every model on every set."""
    rows = published.rows
    return pd.DataFrame(
        {
            "Benchmark": rows["title"],
            "Place": rows["rank"],
            "Model": rows["name"],
            **_measured(rows),
        }
    )


def _measured(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """The columns that every score has: value, interval, guessing and n."""
    return {
        "Accuracy, %": 100 * rows["value"],
        "Low, %": 100 * rows["low"],
        "High, %": 100 * rows["high"],
        "Guessing, %": 100 * rows["chance"],
        "n pictures": rows["n"].astype("Int64"),
    }


def headline(study: pd.DataFrame) -> str:
    """Say between what labels and prompts move a model, what top-5 adds, and the distance to 99 %.

    Args:
        study: As from ``studies.ranked``.
    """
    first = study[study["k"] == 1]
    best, worst = first.iloc[0], first.iloc[-1]
    sentences = (
        f"{best['name']} on {best['title']}, {n_text(best['n'])} pictures: from {_score(worst)} "
        f"with {worst['setup']} to {_score(best)} with {best['setup']}; guessing scores "
        f"{per_cent(best['chance'])} %. Nothing but labels and prompts differs."
    )
    last = study[study["k"] == study["k"].max()].sort_values("value").iloc[-1]
    if last["k"] > 1:
        sentences += (
            f" The right one is among its first {last['k']} guesses in {_score(last)} at best; "
            f"guessing scores {per_cent(last['chance'])} %."
        )
    if best["benchmark"] == "mnist":
        side = "The first guess is not clearly below"
        if best["high"] < NETWORK:
            side = "Even this is below" if last["high"] < NETWORK else "The first guess is below"
        sentences += f" {side} the {100 * NETWORK:.0f} % of a network with two layers."
        place = best["paper"]
        if not pd.isna(place):
            sentences += f" In UniBench's list the best set-up here is in place {place} of 6."
    return sentences


def caveats(study: pd.DataFrame) -> list[str]:
    """What must be said beside a study."""
    notes = [note for note in dict.fromkeys(study["note"].dropna()) if "demo" not in note]
    toy = [TOY] if (study["suite"] == DEMO).any() else []
    chosen = (
        "Bars: 95 % (Wilson), over which pictures there happen to be. Best and worst were chosen "
        "on these same pictures, so they look a little further apart than they are."
    )
    return [*toy, chosen, *notes]


def study_table(study: pd.DataFrame) -> pd.DataFrame:
    """One row a set-up and k."""
    shown = pd.DataFrame(
        {
            "Place": study["rank"],
            "UniBench's place": study["paper"],
            "Labels and prompts": study["setup"],
            "Top": study["k"],
            **_measured(study),
        }
    )
    return shown if study["paper"].notna().any() else shown.drop(columns="UniBench's place")


def all_table(table: pd.DataFrame) -> pd.DataFrame:
    """One row a study: its best and worst set-up, and its best top-5."""
    rows = []
    for _, study in table.groupby("key", sort=False):
        first = study[study["k"] == 1].sort_values("value", ascending=False)
        best, worst = first.iloc[0], first.iloc[-1]
        rows.append(
            {
                "Model": best["name"],
                "Benchmark": best["title"],
                "Best, %": 100 * best["value"],
                "Low, %": 100 * best["low"],
                "High, %": 100 * best["high"],
                "Worst, %": 100 * worst["value"],
                "Best top-5, %": 100 * study.loc[study["k"] == 5, "value"].max(),
                "n pictures": int(best["n"]) if best["n"] > 0 else None,
            }
        )
    return pd.DataFrame(rows)


def _score(row: pd.Series, *more: str) -> str:
    """Per cent with its interval, and what else stands in the brackets."""
    span = interval_text(row["low"], row["high"])
    within = "; ".join([span if pd.isna(row["low"]) else f"95 %: {span}", *more])
    return f"{per_cent(row['value'])} % ({within})"
