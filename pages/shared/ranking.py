"""The leaderboard as the sidebar asks for it, and the words that go with a place in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from evalcore.analysis import leaders, profiles, unscored
from evalcore.analysis.leaders import Board
from evalcore.decision.text.phrases import counted, listed
from evalcore.suites import suite
from pages.shared.charts import interval_text, n_text, per_cent
from pages.shared.controls import SidebarState

SMALL_B = 3.0
SMALL_CONTRASTIVE_B = 0.2
SMALL_TOWER_M = 100.0
SHOWN_TIED = 5
COVERED = (
    "Intervals cover which questions were asked: not the choice of tags, not the judge's mistakes."
)
BY_TOTALS = (
    "Only published totals are known here: intervals are approximate, and models are compared "
    "without pairing."
)
BY_ITEMS = (
    "Intervals, ties and ranks come from single answers: models are compared question by question, "
    "all at once, and questions that share a picture or source count as one."
)
BY_BOTH = (
    "Of {some} of {all} models the single answers are known: these are compared question by "
    "question. Of the others only published totals are: their intervals are approximate, and they "
    "are compared without pairing."
)
BY_JUDGE = (
    "The intervals hold the spread over judge runs as well, where a judge was asked more than once."
)
NO_INTERVALS = "No intervals can be given, so a small difference may be no difference at all."
LUCKY = (
    "Whoever comes first was also a little lucky: expect the winner to score somewhat lower on "
    "new questions."
)


@dataclass(frozen=True)
class Leaderboard:
    """A leaderboard and how it came about."""

    board: Board
    """As from ``leaders.overall``."""
    rule: str
    """What the score is, as the end of a sentence."""
    notes: tuple[str, ...] = ()
    """Sentences about what could not be done as the sidebar asks."""
    overlapping: bool = False
    """Whether a question counts in several tags, so that n counts it several times."""

    def n(self, row: Mapping[str, float]) -> str:
        """The questions behind a score, in words, and those of them that have none."""
        if row["unscored"] > 0:
            return f"{row['of'] - row['unscored']:,.0f} of {row['of']:,.0f} questions scored"
        overlapping = self.overlapping and not pd.isna(row["n"])
        return n_text(row["n"]) + (" tagged questions" if overlapping else "")

    @property
    def table(self) -> pd.DataFrame:
        """One row a model, best first."""
        return self.board.table

    @property
    def caution(self) -> str:
        """Where the intervals come from, and how far to believe the order."""
        rows = self.ranked
        if rows["low"].isna().all():
            return f"{NO_INTERVALS} {LUCKY}"
        some = int(rows["how"].eq(leaders.PAIRED).sum())
        by_both = BY_BOTH.format(some=some, all=len(rows))
        how = BY_ITEMS if some == len(rows) else by_both if some else BY_TOTALS
        judge = f" {BY_JUDGE}" if self.board.judged else ""
        return f"{how}{judge} {COVERED} {LUCKY}"

    def chosen(self, rows: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
        """Rows, best first, without those that only unscored answers keep near the lead; and these.

        They stay in the leaderboard, with what is known of them.
        """
        silent = unscored.passed_over(self.board.bounds(list(rows["model"])))
        return rows[~rows["model"].isin(silent)], silent

    @property
    def ranked(self) -> pd.DataFrame:
        """The models that have a score, best first."""
        return self.table[self.table["score"].notna()]


def enough_tags(cells: pd.DataFrame, min_n: int) -> list[str]:
    """The tags with enough published questions; an upload neither adds nor removes one."""
    known = cells[cells["kind"] != "uploaded"]
    rows = known if len(known) else cells
    return list(dict.fromkeys(rows.loc[profiles.enough(rows, min_n), "tag"]))


def left_out(cells: pd.DataFrame, min_n: int) -> str:
    """Say which tags have too few questions; empty when none."""
    kept = set(enough_tags(cells, min_n))
    few = cells[~cells["tag"].isin(kept)].groupby("tag", sort=True)["n"].max()
    if few.empty:
        return ""
    names = listed([f"{tag} ({n:,.0f})" for tag, n in few.items()])
    return f"Left out, with fewer than {min_n:,} questions: {names}."


def by_mean(choice: SidebarState, cells: pd.DataFrame) -> Leaderboard:
    """Rank the shown models by the sidebar's mean over tags."""
    usable = cells[profiles.enough(cells, choice.min_n)]
    weights = choice.weights or dict.fromkeys(enough_tags(cells, choice.min_n), 1.0)
    usable = usable[usable["tag"].isin(list(weights))]
    mean, notes = choice.mean, []
    if mean == "micro" and usable.groupby("tag")["n"].max().isna().any():
        mean = "macro"
        notes.append(
            "Weighing by number of questions needs that number for each tag, and it is not "
            "published for all: each tag counts by its own weight only."
        )
    effect = suite.design_effect(choice.data, choice.axis)
    board = leaders.overall(
        usable,
        choice.data.items,
        suite.composition_of(choice.data, choice.axis),
        aggregate=mean,
        weights=weights,
        design_effect=effect,
    )
    overlapping = effect > 1 and len(weights) > 1
    rule = _mean_rule(choice, mean, len(weights))
    return Leaderboard(board, rule, tuple(notes), overlapping=overlapping)


def printed_totals(choice: SidebarState) -> pd.DataFrame:
    """The totals over all questions of the shown models, printed or run here; empty without any."""
    scores = choice.data.scores
    # Most suites print none: looking first saves estimating nothing.
    if not scores["tag"].eq(profiles.TOTAL).any():
        return pd.DataFrame(columns=profiles.COLUMNS)
    rows = profiles.totals(scores)
    return rows[rows["model"].isin(choice.shown)]


def by_total(choice: SidebarState, totals: pd.DataFrame) -> Leaderboard:
    """Rank the shown models by ``printed_totals``."""
    printed = bool(totals["kind"].eq("published").any())
    rule = f"total over all questions{', as published' if printed else ''}"
    composition = suite.composition_of(choice.data, choice.axis)
    return Leaderboard(leaders.overall(totals, choice.data.items, composition), rule)


def default(choice: SidebarState, cells: pd.DataFrame) -> Leaderboard:
    """The leaderboard of a first visit: the published total, unless tags were weighed."""
    totals = printed_totals(choice)
    return by_mean(choice, cells) if choice.weights or totals.empty else by_total(choice, totals)


def score_text(leaderboard: Leaderboard, row: pd.Series) -> str:
    """A score with its interval and its n."""
    interval = interval_text(row["low"], row["high"])
    known = interval if pd.isna(row["low"]) else f"95 %: {interval}"
    return f"{per_cent(row['score'])} % ({known}), {leaderboard.n(row)}{_ends(row)}"


def _ends(row: pd.Series) -> str:
    """Between what a score lies whatever its unscored answers are, to go on with; else ""."""
    if not row["unscored"] > 0:
        return ""
    ends = f"{per_cent(row['worst'])} %, with them right {per_cent(row['best'])} %"
    return f"; with the other {row['unscored']:,.0f} wrong {ends}"


def silent_text(rows: pd.DataFrame, silent: Sequence[str], names: Mapping[str, str]) -> str:
    """Say which models are not named first, and why; "" where there are none."""
    own_rows = rows[rows["model"].isin(list(silent))]
    sentences = [
        f"{names[row['model']]} ({per_cent(row['score'])} % on "
        f"{row['of'] - row['unscored']:,.0f} of {row['of']:,.0f} questions; with the others wrong "
        f"{per_cent(row['worst'])} %)"
        for row in own_rows.to_dict("records")
    ]
    if not sentences:
        return ""
    return f"Not chosen, for want of answers: {short_list(sentences)}."


def tied_text(current: Leaderboard, rows: pd.DataFrame, names: dict[str, str]) -> str:
    """Say in words which models are tied with the first of the rows, which are best first."""
    if len(rows) == 1:
        return "No other model is left to compare it with."
    if rows.iloc[[0]]["se"].isna().any():
        return "Ties cannot be judged: n is not published for every tag."
    tied = current.board.tied(list(rows["model"]))[1:]
    text = f"Tied with {short_list([names[model] for model in tied])}." if tied else ""
    bounds = current.board.bounds(list(rows["model"]))
    if turned := unscored.turned(bounds):
        first = names[str(bounds["worst"][turned].idxmax())]
        text = f"{text} With its unscored answers as wrong, {first} would be ahead.".strip()
    unknown = int(rows["se"].isna().sum())
    if unknown:
        return f"{text} Against {counted(unknown)} without n, ties cannot be judged.".strip()
    return text or "No other model is tied with it."


def short_list(names: Sequence[str], most: int = SHOWN_TIED) -> str:
    """A list in words, cut after a few names with the number of the rest."""
    if len(names) <= most:
        return listed(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def contrastive(choice: SidebarState) -> bool:
    """Whether the suite is of contrastive models (an upload's kind is not known)."""
    known = choice.data.models[choice.data.models["source"] != "upload"]
    return bool(known["kind"].eq("contrastive").any())


def small(choice: SidebarState) -> tuple[set[str], str]:
    """The ids of the small models of the suite, and the limit in words."""
    models = choice.data.models
    size = models["params_b"].astype(float)
    if not contrastive(choice):
        return set(models.loc[size <= SMALL_B, "model"]), f"at most {SMALL_B:g} B parameters"
    tower = models["image_tower_params_m"].astype(float)
    fits = (size <= SMALL_CONTRASTIVE_B) | (size.isna() & (tower <= SMALL_TOWER_M))
    limit = (
        f"at most {1000 * SMALL_CONTRASTIVE_B:g} M parameters, or an image tower of at most "
        f"{SMALL_TOWER_M:g} M where the total is unknown"
    )
    return set(models.loc[fits, "model"]), limit


def open_weights(choice: SidebarState) -> pd.Series:
    """Whether each model's weights are open, in words, indexed by model."""
    models = choice.data.models.set_index("model")
    words = {True: "yes", False: "no"}
    return models["open_weights"].map(lambda flag: words.get(flag, "not known")).rename("open")


def rank_text(low: float, high: float) -> str:
    """The ranks that the data allow."""
    if pd.isna(low):
        return "not known"
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def _mean_rule(choice: SidebarState, mean: str, tags: int) -> str:
    titles = choice.data.axes.set_index("axis")["title"]
    how = "by number of questions" if mean == "micro" else "each the same"
    if choice.weights:
        how = "with your weights" + (" times number of questions" if mean == "micro" else "")
    title = str(titles[choice.axis]).lower()
    return f"mean over {counted(tags, 'tag')} ({title}), {how}"
