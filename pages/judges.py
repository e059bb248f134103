"""Judges page: may I trust this judge, and gaps of which size?"""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from evalcore import notes
from evalcore.errors import EvalcoreError
from evalcore.importers import own_labels
from evalcore.suites import labelled
from evalcore.suites.item_results import ItemResults
from evalcore.suites.labelled import Labelled
from pages.parts.judges import against, labelling
from pages.parts.judges import charts as drawing
from pages.parts.judges import judge_tables as parts
from pages.parts.judges.runs import benchmark, bridge, mmvet, titled
from pages.shared import frame, launcher, people, source_facts
from pages.shared.charts import per_cent
from pages.shared.controls import SidebarState
from pages.shared.results import Store
from pages.shared.text import plain

PARTS = {
    "published": "What was published",
    "own": "Check with your labels",
    "bridge": "Replace a judge",
    "mmvet": "MM-Vet tables",
}
BY_MODEL = "model"
FILE_LIMIT_MB = 20
FRESH = "3s"
"""How often the figures are drawn anew while somebody labels."""
AT_ONCE = 10_000_000
"""With more scores than this the figures take seconds, and are drawn when asked for."""


def published(choice: SidebarState) -> None:
    """The paper's own check of its judges, and what it leaves out."""
    store = choice.store
    rows = source_facts.judges(store.table("judges"))
    st.header("GoEval against people, as published", anchor=False)
    table = pd.DataFrame(
        {
            "Judge": rows["metric"],
            "Sees": rows["variant"].str.removeprefix("sees "),
            "Accuracy, %": (100 * rows["accuracy"]).round(1),
            "95 %": [
                f"{per_cent(low)} to {per_cent(high)}"
                for low, high in zip(rows["low"], rows["high"], strict=True)
            ],
            "Kendall's tau x 100": (100 * rows["tau"]).round(1),
            "Human labels": rows["n"],
            "Printed in": rows["in_paper"].map({True: "paper", False: "authors' own table"}),
            "Note": rows["note"],
        }
    )
    frame.figure(
        source_facts.agreement_chart(rows),
        source_facts.judge_summary(rows),
        table,
        "judges_published",
    )
    st.subheader("What the paper leaves out", anchor=False)
    sentences = parts.published_words(rows)
    cost = parts.picture_cost(store.table("prices"), store.table("image_rules"))
    for sentence in [*sentences[:1], cost, *sentences[1:]]:
        if sentence:
            frame.say(sentence)
    st.subheader("Answers on which people and the judge can be seen side by side", anchor=False)
    answers = store.table("judge_examples")
    shown = parts.examples(answers, store.table("models").set_index("model")["name"])
    differ = int((answers["human"] != answers["judged"]).sum())
    frame.say(
        f"The VQA360 paper prints {len(answers)} answers of its judge's check (Table 9, without "
        f"the pictures here); people and GoEval-mini disagree on {differ} of them. They are "
        "examples that the authors chose, so their share says nothing."
    )
    st.dataframe(shown, hide_index=True, key="judges_examples")


def own(choice: SidebarState) -> None:
    """Labels of one's own: by the blind view or from a file, and what follows from them."""
    evidence = benchmark(choice, "judges_benchmark", "label")
    if evidence is None:
        return
    st.subheader("Label answers blind", anchor=False)
    going = False
    if launcher.allowed():
        going = labelling.view(choice.store, evidence)
    else:
        st.caption(
            "Labelling here is off: this server can be reached by others. Whoever runs it sets "
            "EVALCORE_ALLOW_WRITE=1 to allow it. A file of labels can be checked all the same."
        )
    uploaded = _uploaded(evidence)
    large = evidence.scores.size > AT_ONCE
    often = FRESH if going and uploaded is None and not large else None
    if going and large:
        st.button("Draw the figures with the newest labels", key="judges_anew")
    st.fragment(_figures, run_every=often)(choice.store, evidence, uploaded)


def _figures(store: Store, evidence: ItemResults, uploaded: pd.DataFrame | None) -> None:
    """Everything that follows from the labels; drawn anew while somebody labels."""
    labels = notes.labels(evidence.benchmark) if uploaded is None else uploaded
    if labels.empty:
        frame.say("No label of this benchmark yet, so there is nothing to compare judges with.")
        return
    to_all = st.toggle(
        "Weigh labels to all answers",
        value=uploaded is None,
        key=f"judges_to_all_{uploaded is not None}",
        bind="query-params",
        help=(
            "The blind view draws evenly over models and verdicts, so each label speaks for the "
            "answers of its model that got the same verdict. Off: labels count as they are."
        ),
    )
    joined = _kept(evidence, labels, to_all)
    _agreement(store, joined)
    _corrected(joined)


def _kept(evidence: ItemResults, labels: pd.DataFrame, to_all: bool) -> Labelled:
    """The labels joined with the verdicts; the same one as long as nothing changed."""
    key = (id(evidence), to_all, int(pd.util.hash_pandas_object(labels).sum()))
    kept = st.session_state.get("judges_joined")
    if kept is None or kept[0] != key:
        kept = key, labelled.labelled(evidence, labels, to_all=to_all)
        st.session_state["judges_joined"] = kept
    joined: Labelled = kept[1]
    return joined


def _uploaded(evidence: ItemResults) -> pd.DataFrame | None:
    """Labels from a file, for this session only; an unusable file is an error in words."""
    with st.expander("Labels from a file instead", icon=":material/upload_file:"):
        st.caption(
            plain(
                "CSV with the columns run or model, item, label (yes, no, unsure, or a grade in "
                "0..1) and, if you like, rater. It stays in this session."
            )
        )
        file = st.file_uploader(
            "File of labels", type="csv", key="judges_file", max_upload_size=FILE_LIMIT_MB
        )
        people.forget()
        if file is None:
            return None
        try:
            labels = own_labels.read(
                file.getvalue(), file.name, labelled.answers_to_label(evidence)
            )
        except EvalcoreError as error:
            st.error(plain(str(error)))
            return None
        people.take(evidence.benchmark, file.name, labels)
        st.success(plain(f"{len(labels):,} labels of {file.name}; the figures below are theirs."))
        return labels


def _agreement(store: Store, joined: Labelled) -> None:
    st.header("Do the judges agree with people?", anchor=False)
    rows, labels = joined.table(), joined.labels
    titled("Labels of each rater", parts.labelled_table(labels), "judges_raters")
    frame.say(parts.rater_words(labels, joined.evidence.clusters))
    if rows.empty:
        frame.say("No label meets a verdict yet.")
        return
    names = parts.judge_names(rows)
    frame.figure(
        drawing.agreement(rows, [f"{n} (n {k})" for n, k in zip(names, rows["n"], strict=True)]),
        parts.agreement_words(rows),
        parts.agreement_table(rows),
        "judges_agreement",
    )
    axes = [BY_MODEL, *sorted(set(joined.evidence.tags["axis"]))]
    axis = st.selectbox(
        "Where do they err? By",
        axes,
        format_func=lambda name: name.replace("_", " "),
        key=f"judges_axis_{joined.evidence.benchmark}",
        bind="query-params",
    )
    split = joined.errors(axis)
    models = joined.evidence.entries.drop_duplicates("model").set_index("model")["model_name"]
    if axis == BY_MODEL:
        for metric, own_rows in split.groupby("metric", sort=False):
            if sentence := parts.differing(own_rows, models):
                frame.say(f"{metric}: {sentence}")
        split = split.assign(model=split["model"].map(models))
    titled("Agreement of each part", parts.agreement_table(split), "judges_parts", expanded=True)
    against.view(joined)
    by_judge = joined.curves()
    if by_judge:
        tuned = joined.thresholds()
        sentences = " ".join(parts.threshold_words(row) for row in tuned.to_dict("records"))
        frame.figure(drawing.curves(by_judge), sentences, tuned.round(4), "judges_thresholds")
    with st.expander("Repeats, unreadable verdicts, cost", on_change="rerun") as folded:
        if folded.open:
            table = store.once(_repeats, joined.evidence.benchmark)
            st.dataframe(table, hide_index=True, placeholder="–", key="judges_repeats")


def _repeats(store: Store, benchmark: str) -> pd.DataFrame:
    return parts.repeats_table(store.evidence(benchmark).grades)


def _corrected(joined: Labelled) -> None:
    """Raw scores beside those that the labels correct."""
    labelled_by = set(joined.pairs["metric"])
    metrics = [metric for metric in joined.evidence.metrics() if metric in labelled_by]
    if not metrics:
        return
    st.header("Scores without the judge's errors", anchor=False)
    metric = st.selectbox(
        "Judge",
        metrics,
        key=f"judges_metric_{joined.evidence.benchmark}",
        bind="query-params",
    )
    correction = joined.corrected(metric)
    names = labelled.names(joined.evidence, metric)
    rows = correction.table
    shown = [names[entry] for entry in rows["entry"]]
    counted = int(rows["ppi"].notna().sum())
    words = (
        f"{counted} of {len(rows)} have enough labels to be corrected by their own (two or more "
        "of each verdict). Corrected intervals hold what the labels leave open, so they are "
        "wider. "
        + " ".join(labelled.order_words(correction, names))
        + parts.unfit_words(correction, names)
    )
    frame.figure(
        drawing.corrected(rows, shown),
        words,
        parts.corrected_table(correction, shown),
        "judges_scores",
    )
    st.caption(
        plain(
            "Corrected by own labels: prediction-powered inference inside each model and verdict. "
            "By one error rate: Rogan and Gladen, which assumes that the judge errs alike on all "
            f"models; over all, it says right of {_rate(correction.sensitivity)} of the right "
            f"answers and wrong of {_rate(correction.specificity)} of the wrong ones. These scores "
            "are of all answers, so here labels are always weighed to all of them."
        )
    )


def _rate(rate: object) -> str:
    value, low, high = (getattr(rate, name) for name in ("value", "low", "high"))
    return f"{per_cent(value)} % ({per_cent(low)} to {per_cent(high)})"


SHOWN: dict[str, Callable[[SidebarState], None]] = {
    "published": published,
    "own": own,
    "bridge": bridge,
    "mmvet": mmvet,
}

with frame.page(
    "Judges",
    "Decide whether you may trust a judge, and how large a gap must be before it is more than the "
    "judge's error.",
    counted=False,
) as choice:
    part = st.segmented_control(
        "Part",
        list(PARTS),
        format_func=lambda key: PARTS[key],
        default="published",
        required=True,
        key="judges_part",
        bind="query-params",
    )
    SHOWN[part](choice)
