"""Which runs meet the limits, and what 1,000 questions cost of each, as the recommender has it.

A run tells more than a catalogue: what its own answers cost and took goes before prices, and a
model that answered here could be had. What a person states goes before both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from evalcore.decision import answer
from evalcore.decision.limits import Split, check_limits, gather, split
from evalcore.decision.market import Market, card_gb, facts
from evalcore.decision.needs import ASSUMED, EVERY, Needs

STATED, MEASURED, UNKNOWN = "as stated", "measured", "unknown"
MACHINE, CATALOGUE = "own machine", "catalogue"
ANSWERED = "it answered in a run here"
UNPRICED = "its cost, so it cannot be within a budget"


@dataclass(frozen=True)
class EligibleRuns:
    """The runs sorted by the limits, and their costs."""

    split: Split
    """By entry."""
    costs: pd.DataFrame
    """Index entry; usd (per 1,000 questions; NaN unknown), whence (one of ``STATED``, ``MEASURED``,
    ``MACHINE``, ``CATALOGUE``, ``UNKNOWN``), basis (what it rests on, or what is missing)."""
    of: Mapping[str, str]
    """Entry → its model."""

    def admissible(self, budget: float | None = None) -> list[str]:
        """The entries that meet the limits; under a budget only those whose cost is known."""
        known = self.costs["usd"].notna()
        return [name for name in self.split.admissible if budget is None or known[name]]

    def left_out(self, budget: float | None = None) -> pd.DataFrame:
        """Who may not take part: entry, limit (in words), relaxation ("" where it is unknown).

        What is not known begins with "unknown: ", and says of a cost what it lacks.
        """
        missed = answer.excluded(self.split)
        unknown = [
            (entry, "unknown: " + "; ".join(gap.text for gap in gaps), "")
            for entry, gaps in self.split.unknown.items()
        ]
        within = set(self.admissible(budget))
        unknown += [
            (entry, f"unknown: {UNPRICED}. {self.costs['basis'][entry]}", "")
            for entry in self.split.admissible
            if entry not in within
        ]
        rest = pd.DataFrame(unknown, columns=["model", "limit", "relaxation"])
        rows = pd.concat([missed, rest], ignore_index=True)
        rows = rows.rename(columns={"model": "entry"})
        # What is to be stated is stated of a model, not of its runs.
        pairs = zip(rows["entry"], rows["limit"], strict=True)
        return rows.assign(limit=[text.replace(name, self.of[name]) for name, text in pairs])


def eligible_runs(
    of: Mapping[str, str],
    models: pd.DataFrame,
    needs: Needs,
    market: Market,
    measured: pd.DataFrame,
) -> EligibleRuns:
    """Sort runs by the limits that concern a model whatever it scores, and cost them.

    Args:
        of: Entry → its model.
        models: model, params_b, open_weights, licence; what it lacks is unknown.
        needs: The limits, with figures stated by model; lowest scores are left aside.
        market: What is known of offers.
        measured: Index entry; usd (per 1,000 questions), usd_n (answers behind it), seconds (an
            answer), each NaN where the run does not tell it.

    Raises:
        BadInput: A limit outside its range.
        UnknownName: The graphics card is not known.
    """
    check_limits(needs)
    asked = _by_entry(needs, of, measured)
    rows = models.drop_duplicates("model").set_index("model").reindex(list(of.values()))
    rows = rows.assign(base=list(of.values()), mode="", model=list(of))
    is_open = rows.set_index("model")["open_weights"].astype(object)
    offered = _measured_first(facts(rows, asked, market), asked, measured, is_open)
    table = pd.DataFrame(index=pd.Index(list(of), name="model"))
    nothing = pd.DataFrame(columns=["score", "ceiling"], dtype=float)
    card = card_gb(asked.gpu, market.rents) if asked.gpu else np.nan
    return EligibleRuns(
        split(gather(rows, asked, nothing, table, offered, card), asked),
        offered[["usd_per_1000", "whence", "basis"]].rename(columns={"usd_per_1000": "usd"}),
        of,
    )


def _by_entry(needs: Needs, of: Mapping[str, str], measured: pd.DataFrame) -> Needs:
    """The needs with what is stated of a model said of each of its runs."""
    stated = dict(needs.seconds)
    took = measured["seconds"].to_dict()
    seconds = {entry: stated.get(model, took.get(entry, np.nan)) for entry, model in of.items()}
    every = [pair for pair in needs.questions_per_hour if pair[0] == EVERY]
    return replace(
        needs,
        min_score=None,
        min_tag_scores=(),
        ruled_out=tuple(entry for entry, model in of.items() if model in needs.ruled_out),
        usd_per_1000=_spread(needs.usd_per_1000, of),
        questions_per_hour=(*every, *_spread(needs.questions_per_hour, of)),
        seconds=tuple(pair for pair in seconds.items() if not np.isnan(pair[1])),
        available_today=True if needs.available_today is None else needs.available_today,
        workload=needs.workload or ASSUMED,
    )


def _spread(
    pairs: Sequence[tuple[str, float]], of: Mapping[str, str]
) -> tuple[tuple[str, float], ...]:
    fields = dict(pairs)
    return tuple((entry, fields[model]) for entry, model in of.items() if model in fields)


def _hosted(offered: pd.DataFrame, asked: Needs, is_open: pd.Series) -> set[str]:
    """The runs whose models the stated machine would serve: see ``market.facts``."""
    paced = {entry for entry, _ in asked.questions_per_hour}
    rented = bool(asked.gpu) or asked.gpu_usd_per_hour is not None
    return {
        str(entry)
        for entry in offered.index
        if asked.self_hosted or (rented and is_open[entry] is True and {entry, EVERY} & paced)
    }


def _measured_first(
    offered: pd.DataFrame, asked: Needs, measured: pd.DataFrame, is_open: pd.Series
) -> pd.DataFrame:
    """What is known of the offers, with what the runs themselves told of cost and availability."""
    offered = offered.copy()
    unknown = offered["available"].isna()
    offered.loc[unknown, "available"] = True
    offered.loc[unknown, "status"] = ANSWERED
    stated, hosted = dict(asked.usd_per_1000), _hosted(offered, asked, is_open)
    rows = []
    for fact in offered.to_dict("records"):
        entry, usd = str(fact["model"]), float(fact["usd_per_1000"])
        own = float(measured["usd"].get(entry, np.nan))
        missing = tuple(fact["usd_missing"])
        # On an own machine a question costs what the machine does, whatever an API took for it.
        if entry not in stated and not asked.self_hosted and not np.isnan(own):
            texts = f"Mean over {int(measured['usd_n'][entry]):,} answers of the run."
            rows.append((own, (), MEASURED, texts))
            continue
        known = not np.isnan(usd)
        whence = MACHINE if entry in hosted else CATALOGUE
        whence = STATED if entry in stated else whence if known else UNKNOWN
        rows.append((usd, missing, whence, " ".join(fact["usd_basis"] if known else missing)))
    columns = ["usd_per_1000", "usd_missing", "whence", "basis"]
    table = pd.DataFrame(rows, index=offered.index, columns=columns)
    return offered.drop(columns=columns[:2]).join(table)
