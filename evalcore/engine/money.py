"""What a run has spent, and may spend: on its model and its judges together, over all passes."""

from evalcore.engine import budget, provenance
from evalcore.engine.budget import RunBudget
from evalcore.engine.runs import Run


def spent_usd(run: Run) -> float:
    """What a run has cost so far in dollars, failed attempts and lost ones included."""
    ledger = budget.read(run.folder)
    return _recorded(run) if ledger is None else ledger.spent


def cap_usd(run: Run) -> float | None:
    """What a run may spend at most in dollars, as last told; None: no cap."""
    ledger = budget.read(run.folder)
    if ledger is not None and ledger.capped:
        return ledger.cap
    told: float | None = run.settings.options.get("max_usd")
    return told


def limit(run: Run, cap: float | None) -> None:
    """Let a cap hold from now on, for every worker and every later pass; None: no cap.

    Raises:
        BadInput: It is no number of dollars from 0 up.
        EvalcoreError: The folder cannot be written.
    """
    RunBudget(run.folder, lambda: _recorded(run)).limit(cap)


def budget_of(run: Run) -> RunBudget:
    """The budget that a worker on a run spends from.

    Raises:
        EvalcoreError: The folder cannot be written.
    """
    opened = RunBudget(run.folder, lambda: _recorded(run))
    cap = cap_usd(run)
    if cap is not None:
        opened.limit(cap)
    return opened


def _recorded(run: Run) -> float:
    """What the records alone tell: all there is of a run that has kept no ledger yet."""
    lost = sum(float(fact.about["usd"]) for fact in run.facts(provenance.UNANSWERED))
    paid = [one.usd for one in run.predictions().values()]
    paid += [one.usd for key in run.judges() for one in run.follow_verdicts(key).now().values()]
    return lost + sum(usd or 0.0 for usd in paid)
