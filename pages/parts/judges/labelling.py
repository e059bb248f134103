"""Blind labelling: one answer after the other, without the model's name, by mouse or keyboard."""

from collections.abc import Sequence
from typing import get_args

import numpy as np
import pandas as pd
import streamlit as st

from evalcore import notes
from evalcore.notes import LabelWord
from evalcore.suites import labelled
from evalcore.suites.item_results import ItemResults
from pages.shared import frame, pictures
from pages.shared.results import Store
from pages.shared.text import plain, show

SEED = 20261130
"""All raters see one order, so that the first answers are labelled by all of them."""
MOST_PICTURES = 4
MOST = 2000
"""Answers of a run and pattern of verdicts that are queued: more than people label."""
KEYS: dict[LabelWord, tuple[str, str]] = {
    "yes": ("Right", "Y"),
    "no": ("Wrong", "N"),
    "unsure": ("Cannot tell", "U"),
}
"""Label → what the button says, and its key."""
BACK_KEY = "B"
Queue = dict[tuple[str, str], None]
"""(run, item) in the order of labelling, each found at once."""


def queue(evidence: ItemResults, models: Sequence[str]) -> pd.DataFrame:
    """The answers in the order in which they are to be labelled.

    They come even over models and over what the judges say: round by round one answer of each
    (run, pattern of verdicts), drawn at random, in random order.

    Args:
        evidence: The benchmark's.
        models: Whose answers to take.

    Returns:
        One row an answer that a judge scored: run, item.
    """
    entries = evidence.entries[evidence.entries["model"].isin(models)]
    rng, parts = np.random.default_rng(SEED), []
    order, scores = evidence.scores.index.argsort(), evidence.scores.notna()
    # Places instead of names: a benchmark may have millions of answers.
    for number, run in enumerate(runs := sorted(entries["run"].unique())):
        judges = evidence.entries.index[evidence.entries["run"] == run]
        # What has no answer has no score either.
        places = order[scores[judges].to_numpy().any(axis=1)[order]]
        places = places[rng.permutation(len(places))]
        stratum = labelled.verdict_patterns(evidence, judges).to_numpy()[places]
        turn = pd.Series(stratum).groupby(stratum).cumcount().to_numpy()
        early = turn < MOST
        parts.append(np.stack([np.full(early.sum(), number), places[early], turn[early]]))
    if not parts:
        return pd.DataFrame(columns=["run", "item"])
    run, place, turn = np.concatenate(parts, axis=1)
    late = np.lexsort((rng.random(len(turn)), turn))
    items = evidence.scores.index[place[late]]
    return pd.DataFrame({"run": np.array(runs, dtype=object)[run[late]], "item": items})


def view(store: Store, evidence: ItemResults) -> bool:
    """Draw one answer with its question and pictures, and the buttons that label it.

    Args:
        store: Where the answers are.
        evidence: The benchmark's.

    Returns:
        Whether somebody is labelling.
    """
    benchmark = evidence.benchmark
    left, right = st.columns(2)
    rater = left.text_input(
        "Your name as a rater",
        key="judges_rater",
        max_chars=60,
        help="Labels of several raters are kept apart; everybody goes on where they stopped.",
    ).strip()
    names = evidence.entries.drop_duplicates("model").set_index("model")["model_name"]
    chosen = right.multiselect(
        "Models to label",
        list(names.index),
        format_func=lambda model: names[model],
        placeholder="All models",
        key=f"judges_models_{benchmark}",
        bind="query-params",
    )
    rows = _kept_queue(evidence, chosen or list(names.index))
    if not rater:
        st.info("Type a name to begin; labels are stored under it on this machine.")
        return False
    _next(store, evidence, rows, rater)
    return True


# A part of its own, so that a press is answered before the figures below are drawn anew.
@st.fragment
def _next(store: Store, evidence: ItemResults, rows: Queue, rater: str) -> None:
    """The answer whose turn it is, or the one that the rater went back to."""
    labels = notes.labels(evidence.benchmark)
    mine = labels[labels["rater"] == rater]
    done = set(zip(mine["run"], mine["item"], strict=True))
    again = st.session_state.get("judges_again")
    turn = next((place for place in rows if place not in done), None)
    if again in done:
        _answer(store, evidence, again, mine, rater)
    elif turn is not None:
        _answer(store, evidence, turn, mine, rater)
    else:
        st.success("You have labelled every answer of these models.")
    count = sum(place in rows for place in done)
    st.progress(count / max(len(rows), 1), f"{count:,} of {len(rows):,} answers labelled by you")


def _kept_queue(evidence: ItemResults, models: Sequence[str]) -> Queue:
    """The queue, made once for a benchmark as it is in the store and a choice of models."""
    key = (id(evidence), tuple(models))
    kept = st.session_state.get("judges_queue")
    if kept is None or kept[0] != key:
        # The evidence is kept with it, so that its id is no other's meanwhile.
        rows = queue(evidence, models)
        places = dict.fromkeys(zip(rows["run"], rows["item"], strict=True))
        kept = key, evidence, places
        st.session_state["judges_queue"] = kept
    order: Queue = kept[2]
    return order


def _answer(
    store: Store, evidence: ItemResults, place: tuple[str, str], mine: pd.DataFrame, rater: str
) -> None:
    run, item = place
    answers, _ = store.evidence_item(evidence.benchmark, item)
    text = answers.loc[answers["run"] == run, "text"].iloc[0]
    asked = evidence.items.loc[item]
    paths, key = asked["images"], f"judges_{run}_{item}"
    with st.container(border=True, key="judges_blind"):
        left, right = st.columns([1, 2]) if paths else (None, st.container())
        if left is not None:
            with left:
                _pictures(paths)
        with right:
            _words("Question", asked["question"], f"{key}_question")
            if asked["choices"]:
                _words("Choices", "\n".join(asked["choices"]), f"{key}_choices")
            if st.toggle("Show the reference answers", key="judges_references"):
                _words("References", "\n".join(asked["answers"]) or "none", f"{key}_references")
            _words("Answer", text, f"{key}_answer")
            _buttons(evidence.benchmark, place, mine, rater)


def _pictures(paths: Sequence[str]) -> None:
    """The pictures in order; of one that cannot be shown, why."""
    for number, path in enumerate(paths[:MOST_PICTURES], 1):
        pictures.show(path, pictures.LARGE, f"Picture {number} of {len(paths)}", "stretch")
    if len(paths) > MOST_PICTURES:
        st.caption(f"{len(paths) - MOST_PICTURES:,} more pictures are not shown.")


def _buttons(benchmark: str, place: tuple[str, str], mine: pd.DataFrame, rater: str) -> None:
    run, item = place
    before = mine[(mine["run"] == run) & (mine["item"] == item)]
    st.markdown("**Is the answer right?**")
    if len(before):
        answer = KEYS[before["label"].iloc[0]][0].lower()
        frame.say(f"You said: {answer}. Another label takes its place.")
    with st.container(horizontal=True):
        for label in get_args(LabelWord):
            word, key = KEYS[label]
            st.button(
                plain(word),
                # Of this answer: a second press in a row must not label one that nobody saw.
                key=f"judges_say_{label}_{len(mine)}_{run}_{item}",
                shortcut=key,
                on_click=_note,
                args=(benchmark, item, run, rater, label),
            )
        st.button(
            "Back",
            key="judges_back",
            shortcut=BACK_KEY,
            disabled=mine.empty,
            on_click=_back,
            args=(mine, place),
            help="To the answer that you labelled before.",
        )


def _words(title: str, text: str, key: str) -> None:
    st.caption(plain(title))
    show(text, key)


def _note(benchmark: str, item: str, run: str, rater: str, label: LabelWord) -> None:
    notes.label(benchmark, item, run, rater, label)
    st.session_state.pop("judges_again", None)


def _back(mine: pd.DataFrame, place: tuple[str, str]) -> None:
    """Show the label before the one that is shown."""
    order = list(mine.sort_values("time")[["run", "item"]].itertuples(index=False, name=None))
    at = order.index(place) if place in order else len(order)
    st.session_state["judges_again"] = order[max(0, at - 1)]
