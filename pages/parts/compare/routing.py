"""Compare page: which model for which kind of question, under the limits and costs of Recommend."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from evalcore.analysis import paired, routing
from evalcore.decision import limits
from evalcore.decision.eligible import EligibleRuns, eligible_runs
from evalcore.decision.needs import Needs
from evalcore.decision.text.phrases import counted, listed
from evalcore.suites import routed, suite
from pages.parts.compare.comparison import Comparison
from pages.shared import controls, frame, limits_form, needs_form
from pages.shared.agreement import short_names
from pages.shared.charts import between, per_cent, points
from pages.shared.controls import SidebarState
from pages.shared.results import in_session
from pages.shared.text import plain, readable

ASKED = "Which runs may answer, and at what cost"
CAPTION = (
    "A question with several tags is a kind of its own; kinds with fewer than 20 questions are "
    "taken together. What answers cost and took in a run goes before prices, and what you state "
    "goes before both."
)


class Field(NamedTuple):
    """The runs that a table may send questions to."""

    entries: list[str]
    """Entries with scores of the metric."""
    names: dict[str, str]
    who: EligibleRuns
    hidden: dict[str, str]
    """Entry that the sidebar hides → why."""
    allowed: list[str]


def show(choice: SidebarState, comparison: Comparison, metric: str) -> None:
    """The limits, the routing table and its gain, and who may not take part."""
    st.subheader("Which model for which kind of question", divider="gray")
    about = comparison.evidence.entries
    known = [str(value) for value in about.index[about["metric"] == metric]]
    known = [entry for entry in known if comparison.evidence.scores[entry].notna().any()]
    named = dict(zip(about.loc[known, "model"], about.loc[known, "model_name"], strict=True))
    needs, budget = _ask(choice, {str(model): str(name) for model, name in named.items()})
    field = _field(choice, comparison, known, needs, budget)
    sentence = limits.in_words(needs, named)
    frame.say(
        f"Limits: {', '.join(sentence)}. {len(field.allowed)} of {len(known)} runs may answer."
    )
    rows = left_out(field, budget)
    if field.allowed:
        rows = pd.concat([rows, _plan(choice, comparison, field, budget)], ignore_index=True)
    else:
        unpriced = set(field.who.split.admissible) - set(field.hidden)
        nobody = "No run meets the limits, so there is nothing to send."
        frame.say(routed.UNPRICED if unpriced else nobody)
    _left_out(field, rows, comparison.entries)
    st.caption(CAPTION)


def _ask(choice: SidebarState, names: Mapping[str, str]) -> tuple[Needs, float | None]:
    """The limits, in the words of Recommend and as set there, and the budget of the mean."""
    last = st.session_state.get(controls.LIMITS)
    st.caption(ASKED)
    form = limits_form.of_runs(names, last)
    asked = st.number_input(
        "At most so many $ per 1,000 questions, in the mean (0: no limit)",
        min_value=0.0,
        value=0.0,
        format="%g",
        key="compare_budget",
        bind="query-params",
        help="Of the whole table: a dear model may answer where it helps most. The cost limit "
        "above is one for every model by itself.",
    )
    empty = (Needs("", ""), form, names, ())
    st.session_state[controls.LIMITS] = needs_form.needs(empty[0], suite.ModelFilter(), *empty[1:])
    return needs_form.needs(empty[0], choice.models, *empty[1:]), asked / 1000 or None


def _field(
    choice: SidebarState,
    comparison: Comparison,
    known: list[str],
    needs: Needs,
    budget: float | None,
) -> Field:
    """Sort the runs by the limits."""
    evidence, models = comparison.evidence, choice.store.table("models")
    of = {entry: str(evidence.entries["model"][entry]) for entry in known}
    measured = in_session(
        ("measured", choice.store.version, evidence.benchmark, *known),
        lambda: routed.measured(evidence, known),
    )
    who = eligible_runs(of, models, needs, choice.store.current().market, measured)
    _, off = suite.split_models(models, choice.models)
    why = dict(zip(off["model"], off["reason"], strict=True))
    hidden = {entry: why[model] for entry, model in of.items() if model in why}
    allowed = [entry for entry in who.admissible(budget) if entry not in hidden]
    return Field(known, short_names(evidence, known), who, hidden, allowed)


def _plan(
    choice: SidebarState, comparison: Comparison, field: Field, budget: float | None
) -> pd.DataFrame:
    """The table, in words and figures; gives who may answer and is not in it, for the screen."""
    evidence = comparison.evidence
    first = [entry for entry in comparison.entries if entry in field.allowed]
    key = (choice.store.version, evidence.benchmark, *first, "", *field.allowed)
    scores = in_session(("pool", *key), lambda: routed.pool(evidence, first, field.allowed))
    costs = tuple(field.who.costs.loc[list(scores.columns), "usd"].fillna(-1))
    plan = in_session(
        ("plan", *key, comparison.axis, budget, costs),
        lambda: routed.plan(evidence, scores, comparison.axis, field.who, budget),
    )
    rows = routed.left_out(
        evidence, scores, plan, comparison.axis, field.who, field.allowed, budget
    )
    if apart := len(field.allowed) - scores.shape[1]:
        verb = "is" if apart == 1 else "are"
        frame.say(f"{apart} of these {verb} not in the table; why is listed below it.")
    frame.say(words(plan, field.names, budget))
    if len(plan.table):
        shown = table(plan, field.names, field.who)
        st.dataframe(
            shown,
            hide_index=True,
            placeholder="–",
            column_config=frame.one_decimal(shown),
            key="compare_plan",
        )
    with st.expander("What 1,000 questions cost, and whence that is known"):
        own = field.who.costs.loc[list(scores.columns)]
        shown = pd.DataFrame(
            {
                "Run": own.index.map(field.names),
                "$ per 1,000 questions": own["usd"].round(4),
                "Known from": own["whence"],
                "Rests on": own["basis"].map(needs_form.on_screen),
            }
        )
        st.dataframe(shown, hide_index=True, placeholder="–", key="compare_costs")
    return _on_screen(rows, field)


def table(plan: routing.Plan, names: Mapping[str, str], who: EligibleRuns) -> pd.DataFrame:
    """The routing table for the screen."""
    rows = plan.table
    return pd.DataFrame(
        {
            "Kind of question": rows["kind"],
            "Send to": rows["entry"].map(names),
            "Its score, %": 100 * rows["score"].astype(float),
            f"{names.get(plan.single, 'One for all')}, %": 100 * rows["single_score"].astype(float),
            "$ per 1,000": (1000 * rows["cost"].astype(float)).round(3),
            "Cost known from": rows["entry"].map(who.costs["whence"]),
            "n": rows["n"],
        }
    )


def words(plan: routing.Plan, names: Mapping[str, str], budget: float | None) -> str:
    """What routing brings, told by questions that took no part in making the table."""
    if why := routed.nothing(plan, budget):
        return why
    single = names[plan.single]
    if (plan.table["entry"] == plan.single).all():
        return (
            f"On the {counted(plan.n, 'question')} that all of these have a score for, {single} "
            "is the best for every kind: one model for all loses nothing."
        )
    text = (
        f"Sent as in the table, {per_cent(plan.score)} % would be right on the questions that the "
        f"table was made from, against {per_cent(plan.single_score)} % of {single} for all "
        f"(n {plan.n:,}){_costs(plan)}. "
    )
    if pd.isna(plan.gain):
        return text + "Too few sources of questions to say how much of that gain is luck."
    honest = points(plan.gain)
    interval = f"95 %: {between(plan.gain_low, plan.gain_high)}"
    text += (
        f"On questions left out when the table was made the gain is {honest} points ({interval})"
    )
    if paired.verdict(plan.gain_low, plan.gain_high, 0.0) == "different" and plan.gain > 0:
        return f"{text}: sending by kind pays."
    return f"{text}: the data do not show that it pays."


def _costs(plan: routing.Plan) -> str:
    """What the table's answers cost beside those of one for all, where both are known."""
    if pd.isna(plan.cost) or pd.isna(plan.single_cost):
        return ""
    routed_usd, single_usd = 1000 * plan.cost, 1000 * plan.single_cost
    return f", for {routed_usd:.3g} against {single_usd:.3g} USD per 1,000 questions"


def left_out(field: Field, budget: float | None) -> pd.DataFrame:
    """Who may not answer: entry, and for the screen Run, Because, Let in if you."""
    rows = field.who.left_out(budget)
    entries = set(rows["entry"])
    more = [
        (entry, f"hidden by the sidebar: {why}", "change the sidebar's filter")
        for entry, why in field.hidden.items()
        if entry not in entries
    ]
    rows = pd.concat([rows, pd.DataFrame(more, columns=list(rows.columns))], ignore_index=True)
    return _on_screen(rows, field)


def _on_screen(rows: pd.DataFrame, field: Field) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "entry": rows["entry"],
            "Run": rows["entry"].map(field.names),
            "Because": rows["limit"].map(needs_form.on_screen),
            "Let in if you": rows["relaxation"],
        }
    )


def _left_out(field: Field, rows: pd.DataFrame, chosen: Sequence[str]) -> None:
    if rows.empty:
        return
    barred = set(rows["entry"]) - set(field.allowed)
    above = [field.names[entry] for entry in chosen if entry in barred]
    if above:
        verb = "does" if len(above) == 1 else "do"
        frame.say(f"{listed(above)}, chosen above, {verb} not meet the limits: not in the table.")
    with st.expander(
        plain(f"Not in the table: {counted(len(rows), 'run')}"), expanded=not field.allowed
    ):
        readable(rows.drop(columns="entry"))
