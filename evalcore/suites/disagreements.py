"""The answers on which a judge and people disagree, with what each of them says."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from evalcore.analysis.agreement import KEY, YES
from evalcore.suites.labelled import Labelled

COLUMNS = [*("item", "run", "model", "entry", "metric", "version", "labels", "human", "score")]
COLUMNS += ["differs", "against"]
Words = Callable[[str], tuple[pd.DataFrame, pd.DataFrame]]
"""Item → the answers to it and the verdicts on them, as from ``evidence.of_item``."""


def disagreements(joined: Labelled) -> pd.DataFrame:
    """Every judge's verdict on the answers of which one at least says otherwise than people.

    A label or score of 0.5 or more is yes. Undecided labels and answers without a score differ from
    nothing.

    Returns:
        One row an answer and judge, the answers that most judges differ on first, then those with
        the widest gap of score and label: item, run, model (name on screen), entry, metric,
        version, labels (``ann: yes; bob: no``), human (0..1), score (0..1; NaN none), differs
        (bool), against (how many judges differ on the answer).
    """
    rows = joined.pairs[joined.pairs["human"].notna()]
    yes = rows["human"] >= YES
    rows = rows.assign(
        differs=rows["score"].notna() & ((rows["score"] >= YES) != yes),
        gap=(rows["score"] - rows["human"]).abs(),
    )
    by_answer = rows.groupby(KEY, sort=False)
    rows = rows.assign(
        against=by_answer["differs"].transform("sum").astype(int),
        widest=by_answer["gap"].transform("max"),
    )
    rows = rows[rows["against"] > 0]
    names = joined.evidence.entries["model_name"]
    said: dict[tuple[str, str], list[str]] = {}
    for run, item, rater, label in joined.labels[[*KEY, "rater", "label"]].to_numpy():
        said.setdefault((run, item), []).append(f"{rater}: {label}")
    together = ["; ".join(said[key]) for key in zip(rows["run"], rows["item"], strict=True)]
    rows = rows.assign(labels=together, model=rows["entry"].map(names))
    place = joined.evidence.items.index.get_indexer(pd.Index(rows["item"]))
    order = np.lexsort((rows["run"], place, -rows["widest"], -rows["against"]))
    return rows.iloc[order][COLUMNS].reset_index(drop=True)


def first(rows: pd.DataFrame, answers: int) -> pd.DataFrame:
    """The rows of the first so many answers."""
    return rows[rows.groupby(KEY, sort=False).ngroup() < answers]


def with_words(rows: pd.DataFrame, words: Words) -> pd.DataFrame:
    """Add each answer's text and the judge's reply, or its reason where it has no reply.

    Args:
        rows: As from ``disagreements``; each item is read, so better a few.
        words: What reads it.

    Returns:
        The rows with answer and reply; None where there is none. Replies of repeats are numbered.
    """
    answers: dict[tuple[str, str], str | None] = {}
    replies: dict[tuple[str, str], str] = {}
    for item in rows["item"].unique():
        said, verdicts = words(item)
        answers |= {(item, run): text for run, text in zip(said["run"], said["text"], strict=True)}
        told = verdicts.assign(words=verdicts["reply"].fillna(verdicts["reason"]))
        for entry, own in told.dropna(subset="words").groupby("entry"):
            texts = own["words"].astype(str).tolist()
            several = [f"{repeat}: {one}" for repeat, one in zip(own["repeat"], texts, strict=True)]
            replies[item, str(entry)] = "\n".join(several if len(texts) > 1 else texts)
    about = zip(rows["item"], rows["run"], rows["entry"], strict=True)
    found = [(answers.get((item, run)), replies.get((item, entry))) for item, run, entry in about]
    told = pd.DataFrame(found, columns=["answer", "reply"], index=rows.index, dtype=object)
    return pd.concat([rows, told], axis=1)
