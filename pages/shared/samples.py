"""The parts of the Samples page: cards, one item in full, flags, and the set to take away.

Questions, answers and replies are hostile text: they are only ever drawn with ``st.text``.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from evalcore import notes
from evalcore.errors import EvalcoreError
from evalcore.suites.item_results import ItemResults
from pages.shared import frame, launcher, people, pictures
from pages.shared.results import Store
from pages.shared.text import LONG, plain, short, show

RIGHT = 0.5
"""A score from here on counts as right in a pattern; graded scores lie between 0 and 1."""
SHORT = 140
"""Characters of a text on a card."""
ACROSS = 4
TAKEN = (("seconds", ".2f", "s"), ("usd", ".5f", "USD"))
SPENT = (
    ("tokens_in", ",.0f", "tokens read"),
    ("tokens_out", ",.0f", "tokens written"),
    *TAKEN,
)
"""What is told of an answer: column, form, words; of a judge's reply only time and money."""
SAMPLE = "sample"
"""The control that holds the open item; it is bound to the address."""
OPENED = "sample_opened"
"""The same, also while the browser still tells of the item before."""
PROBLEM = "samples_problem"


def models_key(benchmark: str, metric: str) -> str:
    """The control that chooses the runs; others have other runs."""
    return f"samples_models_{benchmark}_{metric}"


def open_item(item: str) -> None:
    """Show an item in full; empty goes back to the list."""
    st.session_state[SAMPLE] = st.session_state[OPENED] = item


def grid(evidence: ItemResults, shown: Sequence[str], entries: Sequence[str]) -> None:
    """Cards of items, a few side by side."""
    scores = evidence.scores.loc[list(shown), list(entries)]
    for start in range(0, len(shown), ACROSS):
        for column, item in zip(st.columns(ACROSS), shown[start : start + ACROSS], strict=False):
            with column.container(border=True):
                _card(evidence.items.loc[item], item, scores.loc[item])


def _card(row: pd.Series, item: str, scores: pd.Series) -> None:
    if row["images"]:
        pictures.thumbnail(row["images"][0], f"Picture of {item}")
    st.text(short(row["question"], SHORT))
    if not row["images"] and row["answers"]:  # else items of one question look all the same
        st.text(short(f"Right: {', '.join(row['answers'])}", SHORT))
    right, scored = int((scores >= RIGHT).sum()), int(scores.notna().sum())
    st.caption(f"{right:,} of {scored:,} right" if scored else "no score")
    st.button("Open", key=f"open_{item}", on_click=open_item, args=(item,), width="stretch")


def steps(listed: Sequence[str], item: str) -> None:
    """Back to the list, and to the items before and after this one; the arrow keys do the same."""
    at = listed.index(item) if item in listed else -1
    place = f"{at + 1:,} of {len(listed):,}" if at >= 0 else "not in this selection"
    st.session_state[OPENED] = item
    there = {"Previous": at > 0, "Next": 0 <= at < len(listed) - 1}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("List", icon=":material/grid_view:", on_click=open_item, args=("",))
        for words, by, key in (("Previous", -1, "Left"), ("Next", 1, "Right")):
            st.button(
                plain(words),
                key=f"sample_{words.lower()}",
                shortcut=key,
                disabled=not there[words],
                on_click=_step,
                args=(listed, by),
            )
        st.caption(plain(place))


def _step(listed: Sequence[str], by: int) -> None:
    """Go on from the item that was opened last: the browser may not have drawn it yet."""
    if (item := st.session_state[OPENED]) in listed:
        at = listed.index(item) + by
        open_item(listed[min(max(at, 0), len(listed) - 1)])


def detail(
    store: Store, evidence: ItemResults, item: str, entries: Sequence[str], names: Mapping[str, str]
) -> None:
    """One item in full: what was asked, and what each model and judge said."""
    row = evidence.items.loc[item]
    left, right = st.columns([2, 3])
    with left:
        for number, path in enumerate(row["images"], 1):
            count = len(row["images"])
            words = f"Picture {number} of {count}" if count > 1 else f"Picture of {item}"
            pictures.show(path, pictures.LARGE, words)
            if count > 1:
                st.caption(plain(words))
        if not row["images"]:
            st.caption("No picture.")
    with right:
        st.subheader(plain(item), anchor=False)
        _labelled("Question", row["question"], f"question_{item}")
        if row["choices"]:
            _labelled("Choices", "\n".join(row["choices"]), f"choices_{item}")
        references = "\n".join(row["answers"])
        _labelled("Reference answers", references or "none", f"references_{item}")
        tags = evidence.tags[evidence.tags["item"] == item]
        tag_texts = [f"{axis}: {tag}" for axis, tag in zip(tags["axis"], tags["tag"], strict=True)]
        st.caption(plain(f"{'; '.join(tag_texts) or 'no tags'}. Cluster: {row['cluster']}."))
        flagging(evidence.benchmark, item)
    answers, verdicts = store.evidence_item(evidence.benchmark, item)
    by_run = answers.set_index("run")
    labels = people.labels(evidence.benchmark)
    labels = labels[labels["item"] == item]
    for entry in entries:
        if evidence.asked.loc[item, entry]:
            own_verdicts = verdicts[verdicts["entry"] == entry]
            run = str(evidence.entries.loc[entry, "run"])
            answer = by_run.loc[run] if run in by_run.index else None
            score = evidence.scores.loc[item, entry]
            with st.container(border=True):
                tag_texts = "no score" if pd.isna(score) else f"score {score:.2f}"
                st.markdown(f"**{plain(names[entry])}**: {plain(tag_texts)}")
                _answer(f"{entry}_{item}", answer, own_verdicts)
                _people(labels[labels["run"] == run])


def _people(labels: pd.DataFrame) -> None:
    """What people say of an answer."""
    if len(labels):
        by = zip(labels["rater"], labels["label"], strict=True)
        st.text("Right, say people? " + "; ".join(f"{rater}: {label}" for rater, label in by))


def _answer(key: str, answer: pd.Series | None, verdicts: pd.DataFrame) -> None:
    if answer is None:
        st.caption("Not answered yet.")
        return
    if pd.notna(answer["text"]):
        show(str(answer["text"]), f"answer_{key}")
    if pd.notna(answer["error"]):
        st.text(f"No usable answer: {short(str(answer['error']), LONG)}")
    if answer["ended"] == "cut off":
        st.caption("Cut off at its limit of tokens.")
    st.caption(plain(_spent(answer)))
    for verdict in verdicts.to_dict("records"):
        _verdict(verdict, f"{key}_{verdict['repeat']}")


def _verdict(verdict: Mapping[str, object], key: str) -> None:
    score = verdict["score"]
    text = "no score" if pd.isna(score) else f"{score:.2f}"
    parts = [f"{verdict['judge']} {verdict['version']}, repeat {verdict['repeat']}: {text}"]
    parts += [str(verdict["reason"])] if pd.notna(verdict["reason"]) and verdict["reason"] else []
    if pd.notna(verdict["reply"]):
        parts += _known_numbers(verdict, TAKEN)
    st.text(short("; ".join(parts), LONG))
    if pd.notna(verdict["extracted"]):
        st.text(f"Compared: {short(str(verdict['extracted']), SHORT)}")
    if pd.notna(verdict["reply"]):
        st.caption("The judge's own words")
        show(str(verdict["reply"]), f"reply_{key}")


def _spent(answer: pd.Series) -> str:
    """Tokens, time and money of an answer, as far as they are known."""
    return ", ".join(_known_numbers(answer, SPENT)) or "Tokens, time and cost are not known."


def _known_numbers(
    of: Mapping[str, object] | pd.Series, asked: Sequence[tuple[str, str, str]]
) -> list[str]:
    return [f"{of[name]:{form}} {words}" for name, form, words in asked if pd.notna(of[name])]


def flagging(benchmark: str, item: str) -> None:
    """Flag an item as wrong, or take that back; where writing is allowed."""
    held = notes.flagged(benchmark).set_index("item")["why"]
    if item in held.index:
        st.warning("Flagged as wrong." + (f" {plain(held[item])}" if held[item] else ""))
    if not launcher.allowed():
        st.caption("Flagging is off: this server can be reached by others.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if item in held.index:
            st.button("Take the flag back", on_click=_flag, args=(benchmark, item, False))
        else:
            st.text_input("What is wrong with it", key=f"why_{item}", max_chars=500)
            st.button("Flag as wrong", on_click=_flag, args=(benchmark, item, True))
    if problem := st.session_state.pop(PROBLEM, ""):
        st.error(plain(problem))


def _flag(benchmark: str, item: str, flagged: bool) -> None:
    try:
        notes.flag(benchmark, item, flagged, str(st.session_state.get(f"why_{item}", "")))
    except EvalcoreError as error:
        st.session_state[PROBLEM] = str(error)


def exports(evidence: ItemResults, listed: Sequence[str], entries: Sequence[str]) -> None:
    """The filtered set to take away; it is only put together when asked for."""
    with st.container(horizontal=True):
        for words, ending, mime in (("CSV", "csv", "text/csv"), ("JSONL", "jsonl", "text/plain")):
            st.download_button(
                plain(words),
                lambda ending=ending: exported(evidence, listed, entries, ending),
                file_name=f"samples.{ending}",
                mime=mime,
                key=f"samples_{ending}",
                on_click="ignore",
            )


def exported(
    evidence: ItemResults, listed: Sequence[str], entries: Sequence[str], ending: str
) -> str:
    """One row an item and entry: what was asked, answered and scored. Pictures by their names."""
    flagged = notes.flags(evidence.benchmark)
    items = evidence.items.loc[list(listed)]
    grouped = evidence.tags[evidence.tags["item"].isin(items.index)].groupby("item")
    tags = {item: [*zip(rows["axis"], rows["tag"], strict=True)] for item, rows in grouped}
    runs = set(evidence.entries.loc[list(entries), "run"])
    answers = evidence.answers
    answers = answers[answers["item"].isin(items.index) & answers["run"].isin(runs)]
    by_key = {(line["run"], line["item"]): line for line in answers.to_dict("records")}
    rows = []
    for item, row in items.iterrows():
        asked = {
            "benchmark": evidence.benchmark,
            "item": item,
            "question": row["question"],
            "answers": list(row["answers"]),
            "choices": list(row["choices"]),
            "pictures": [Path(path).name for path in row["images"]],
            "tags": tags.get(item, []),
            "cluster": row["cluster"],
            "flagged": item in flagged,
        }
        for entry in entries:
            if evidence.asked.loc[item, entry]:
                about = evidence.entries.loc[entry]
                answer = by_key.get((about["run"], item), {})
                score = evidence.scores.loc[item, entry]
                rows.append(
                    asked
                    | {name: about[name] for name in ("run", "model", "metric", "judge", "version")}
                    | {"score": None if pd.isna(score) else float(score)}
                    | {name: _known(answer.get(name)) for name in ("text", "error", "seconds")}
                    | {
                        name: _known(answer.get(name))
                        for name in ("tokens_in", "tokens_out", "usd", "ended")
                    }
                )
    if ending == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)
    flat = [
        {
            name: json.dumps(v, ensure_ascii=False) if isinstance(v, list) else v
            for name, v in row.items()
        }
        for row in rows
    ]
    return frame.to_csv(pd.DataFrame(flat))


def _known(value: object) -> object:
    return None if value is None or pd.isna(value) else value


def _labelled(label: str, text: str, key: str) -> None:
    st.caption(plain(label))
    show(text, key)
