"""What stands behind an answer about models of today: costs, memory, terms, single results."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from evalcore.decision.answer import Recommendation
from evalcore.decision.text.phrases import about_money, counted, listed
from evalcore.suites import pooling
from evalcore.suites import suite as suites
from pages.shared import frame, needs_form
from pages.shared.controls import SidebarState
from pages.shared.text import bullets, plain

SHOWN = (
    *("model", "benchmark", "axis", "tag", "split", "value"),
    *("disagree", "apart", "sources"),
)
"""Columns of the scores that the table of results is made of."""
RIVALS = 5
"""Models whose single results are shown beside each other."""
LACKS = {
    "No price": "a price",
    "No answer length": "the length of an answer",
    "How many tokens a picture": "the tokens of a picture",
}
"""Beginning of a sentence of ``usd_missing`` → what is missing."""
APART = "≠"
"""Marks a pooled value whose sources lie more than ``pooling.APART`` apart."""


def costs(rec: Recommendation, names: Mapping[str, str]) -> None:
    """Cost, memory and terms of the ranked models; each model's figures open."""
    st.header("What it costs, and on which terms", anchor=False)
    ranked = [str(model) for model in rec.ranking["model"]]
    facts = rec.market.loc[ranked]
    frame.say(_known(facts))
    st.dataframe(
        _terms(facts, names),
        hide_index=True,
        placeholder="–",
        column_config={
            "USD per 1,000 questions": st.column_config.NumberColumn(format="%.2f"),
            "Memory, GB": st.column_config.NumberColumn(format="%.1f"),
        },
        key="rec_terms",
    )
    with st.expander("Open the figures of one model", icon=":material/calculate:", expanded=False):
        first = rec.winner if rec.winner in ranked else ranked[0]
        order = sorted(rec.market.index, key=lambda model: (model != first, model not in ranked))
        chosen = st.selectbox(
            "Model", order, format_func=lambda model: names.get(model, model), key="rec_facts"
        )
        one_model(rec.market.loc[chosen])


def _known(facts: pd.DataFrame) -> str:
    known, count = int(facts["usd_per_1000"].notna().sum()), len(facts)
    if known == count:
        return "The cost of each is known; open a model to see what it is made of."
    lacks = {
        words: sum(any(text.startswith(start) for text in texts) for texts in facts["usd_missing"])
        for start, words in LACKS.items()
    }
    parts = [f"{words} for {number}" for words, number in lacks.items() if number]
    which = "none" if not known else f"{known}"
    what = f" Missing: {listed(parts)}." if parts else ""
    return (
        f"The cost of {which} of the {counted(count, 'ranked model')} is known, and an unknown "
        f"cost is not zero.{what} You can state them above; open a model to see what it needs."
    )


def _terms(facts: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    between = [
        "–" if pd.isna(low) else f"{about_money(low)} to {about_money(high)}"
        for low, high in zip(facts["usd_low"], facts["usd_high"], strict=True)
    ]
    return pd.DataFrame(
        {
            "Model": [names[str(model)] for model in facts.index],
            "USD per 1,000 questions": facts["usd_per_1000"].astype(float).to_numpy(),
            "Sources disagree": between,
            "Memory, GB": facts["memory_gb"].astype(float).to_numpy(),
            "Licence": [licence or "–" for licence in facts["licence"]],
            "Allows": facts["licence_class"].to_numpy(),
            "To be had": [status or "not known" for status in facts["status"]],
        }
    )


def one_model(fact: pd.Series) -> None:
    """Every assumption behind one model's cost, memory, licence and availability."""
    cost = fact["usd_per_1000"]
    figure = "not known" if pd.isna(cost) else about_money(cost)
    if not pd.isna(fact["usd_low"]):
        figure += f"; sources disagree, {about_money(fact['usd_low'])} to "
        figure += about_money(fact["usd_high"])
    _section(
        f"USD per 1,000 questions: {figure}",
        (*fact["usd_basis"], *map(needs_form.on_screen, fact["usd_missing"])),
    )
    memory = fact["memory_gb"]
    figure = "not known" if pd.isna(memory) else f"{memory:.1f} GB"
    at = [f"At {name}: {value:.1f} GB." for name, value in fact["memory_at"].items()]
    _section(f"Memory: {figure}", (*fact["memory_basis"], *at))
    _section(f"Licence: {fact['licence'] or 'not known'}", (fact["condition"],))
    _section(f"To be had: {fact['status'] or 'not known'}", (fact["status_source"],))


def _section(title: str, lines: Sequence[str]) -> None:
    st.markdown(f"**{plain(title)}**\n\n{bullets(filter(None, lines))}")


def surer(rec: Recommendation, names: Mapping[str, str]) -> None:
    """What one change lets in, and what to test next; the sentences of the answer in full."""
    parts = (
        ("What one change would let in", _changes(rec, names), "rec_changes"),
        ("What to test next to be surer", _tests(rec, names), "rec_tests"),
        ("Which missing result would place others", _gaps(rec, names), "rec_gaps"),
    )
    for title, table, key in parts:
        # Of models whose offers are not looked up, what to test is said where answers are known.
        if len(table) and (len(rec.market) or (key == "rec_tests" and _seen(rec))):
            columns = frame.one_decimal(table)
            with st.expander(plain(f"{title} ({len(table)})"), icon=":material/lightbulb:"):
                st.dataframe(
                    table, hide_index=True, placeholder="–", column_config=columns, key=key
                )


def _seen(rec: Recommendation) -> bool:
    return len(rec.tests) > 0 and bool(rec.tests["seen"].notna().any())


def _changes(rec: Recommendation, names: Mapping[str, str]) -> pd.DataFrame:
    rows = rec.relaxations
    if len(rows):
        rows = rows[rows["gain"].isna() | rows["gain"].gt(0)]
    if rows.empty:
        return pd.DataFrame()
    return pd.DataFrame(
        {
            "Model": [names[str(model)] for model in rows["model"]],
            "Qualifies if you": rows["change"],
            "Score, %": (rows["score"].astype(float) * 100).round(1),
            "Gain, points": (rows["gain"].astype(float) * 100).round(1),
        }
    )


def _tests(rec: Recommendation, names: Mapping[str, str]) -> pd.DataFrame:
    rows = rec.tests
    if rows.empty:
        return pd.DataFrame()
    leader = names[rec.tied_best[0]]
    return pd.DataFrame(
        {
            f"To tell from {leader}": [names[str(model)] for model in rows["model"]],
            "Gap seen, points": (rows["gap"].astype(float) * 100).round(1),
            "Own questions, put to both": rows["paired"].map(_count),
            "Own questions, others for each": rows["unpaired"].map(_count),
            "How much they differ": [
                "assumed" if pd.isna(n) else f"as on {n:,.0f} questions here" for n in rows["seen"]
            ],
        }
    )


def _gaps(rec: Recommendation, names: Mapping[str, str]) -> pd.DataFrame:
    rows = rec.gaps
    if rows.empty:
        return pd.DataFrame()
    return pd.DataFrame(
        {
            "A result on": rows["what"],
            "Would place": [
                ", ".join(names[model] for model in who) or "–" for who in rows["completes"]
            ],
            "Lacking it": rows["lacking"].map(len),
        }
    )


def _count(number: float) -> str:
    return "–" if pd.isna(number) else f"{number:,.0f}"


def results(choice: SidebarState, data: suites.SuiteData, rec: Recommendation) -> None:
    """The single results of the winner and its rivals; each opens to its sources."""
    st.header("The results behind it", anchor=False)
    ranked = [str(model) for model in rec.ranking["model"]]
    first = [rec.winner] if rec.winner else []
    models = [*first, *(model for model in ranked if model != rec.winner)][:RIVALS]
    tags = [tag for tag, _ in rec.mix]
    narrow = replace(data, scores=data.scores[[name for name in SHOWN if name in data.scores]])
    every = pd.concat([suites.behind(narrow, rec.needs.axis, tag) for tag in tags])
    every = every[every["model"].isin(ranked)].drop_duplicates(["model", "benchmark", "split"])
    rows = every[every["model"].isin(models)]
    benchmarks = list(dict.fromkeys(rows["benchmark"]))
    titles = data.benchmarks.set_index("benchmark")["name"]
    mark = rows["disagree"].eq(True) if "disagree" in rows else pd.Series(False, index=rows.index)
    text = (rows["value"] * 100).map("{:.1f}".format) + mark.map({True: f" {APART}", False: ""})
    table = rows.assign(text=text).pivot(index="benchmark", columns="model", values="text")
    table = table.reindex(index=benchmarks, columns=models)
    apart = f" {APART}: its sources lie more than {100 * pooling.APART:g} points apart."
    frame.say(
        f"Per cent, of {len(models)} models on the benchmarks that the mix is made of. Select a "
        "cell, or choose below, to see where it comes from." + apart * ("disagree" in rows)
    )
    shown = table.set_axis([choice.names[model] for model in models], axis=1)
    shown = frame.headed(shown, {"Benchmark": [str(titles[name]) for name in benchmarks]})
    st.dataframe(
        shown,
        hide_index=True,
        placeholder="–",
        key="rec_cells",
        on_select=lambda: _take_cell(models, benchmarks, list(shown.columns)),
        selection_mode="single-cell",
    )
    ordered = models
    if "disagree" in every:
        far = every[every["disagree"].eq(True)]
        _apart(far, choice.names, titles)
        ordered = list(dict.fromkeys([*models, *far["model"]]))
    left, right = st.columns(2)
    model = left.selectbox(
        "Sources of the result of", ordered, format_func=lambda model: choice.names[model],
        key="rec_cell_model",
    )  # fmt: skip
    benchmark = right.selectbox(
        "on", benchmarks, format_func=lambda name: str(titles[name]), key="rec_cell_benchmark"
    )
    with st.container(key="rec_sources_of"):
        sources(choice, data, model, benchmark)


def _apart(rows: pd.DataFrame, names: Mapping[str, str], titles: pd.Series) -> None:
    """List every result of the ranked models whose sources lie far apart, the farthest first."""
    if rows.empty:
        return
    rows = rows.sort_values(["apart", "model"], ascending=[False, True])
    # Suspect values took no part, unless there was no other.
    ends = [
        [score.value for score in scores if not score.suspect] or [score.value for score in scores]
        for scores in rows["sources"]
    ]
    table = pd.DataFrame(
        {
            "Model": [names[model] for model in rows["model"]],
            "Benchmark": [str(titles[name]) for name in rows["benchmark"]],
            "Apart, points": (rows["apart"] * 100).to_numpy(float),
            "Counted, %": (rows["value"] * 100).to_numpy(float),
            "Sources say, %": [f"{100 * min(each):.1f} to {100 * max(each):.1f}" for each in ends],
        }
    )
    with st.expander(
        f"{APART} Sources more than {100 * pooling.APART:g} points apart ({len(table)})"
    ):
        columns = frame.one_decimal(table)
        st.dataframe(table, hide_index=True, column_config=columns, key="rec_apart")


def _take_cell(models: list[str], benchmarks: list[str], columns: list[str]) -> None:
    cells = st.session_state["rec_cells"]["selection"]["cells"]
    if not cells:
        return
    row, column = cells[0]
    place = columns.index(column) - 1
    st.session_state["rec_cell_benchmark"] = benchmarks[row]
    if place >= 0:
        st.session_state["rec_cell_model"] = models[place]


def sources(choice: SidebarState, data: suites.SuiteData, model: str, benchmark: str) -> None:
    """Where one result comes from: value, source, relation of the source to the model, split."""
    scores = data.scores
    own = scores["model"].eq(model) & scores["benchmark"].eq(benchmark)
    scores = scores[own & scores["axis"].eq("benchmark")]
    if scores.empty:
        frame.say("There is no result of this model on it.")
        return
    about = choice.store.table("sources").set_index("source")
    table = _told(scores, about)
    if "disagree" in scores and scores["disagree"].eq(True).any():
        st.warning(
            plain(
                f"Its sources lie {100 * scores['apart'].max():.1f} points apart: more than "
                f"{100 * pooling.APART:g}. The spread is part of the interval."
            )
        )
    st.dataframe(
        table, hide_index=True, placeholder="–", key="rec_sources",
        column_config=frame.one_decimal(table),
    )  # fmt: skip


def _told(scores: pd.DataFrame, about: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for score in scores.to_dict("records"):
        if isinstance(score.get("sources"), tuple):
            measured = [(own.value, own.source, own.relation, own.used, own.suspect, own.note)
                    for own in score["sources"]]  # fmt: skip
        else:
            source = score["source"]
            relation = about["relation"].get(source)
            measured = [(score["value"], source, relation, True, score["suspect"], score["note"])]
        rows += [(*own, score["split"]) for own in measured]
    titles = about["title"] if "title" in about else pd.Series(dtype=object)
    return pd.DataFrame(
        {
            "Value, %": [round(100 * row[0], 1) for row in rows],
            "Source": [str(titles.get(row[1], row[1])) for row in rows],
            "Relation to the model": [row[2] for row in rows],
            "Split": [row[6] for row in rows],
            "Counts": ["yes" if row[3] else "no, another kind goes first" for row in rows],
            "Suspect": ["yes" if row[4] is True else "" for row in rows],
            "Note": [row[5] for row in rows],
        }
    )
