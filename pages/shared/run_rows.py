"""Runs as rows and words."""

import time
from collections.abc import Sequence
from typing import Any

import pandas as pd

from evalcore.progress import read_status, state
from evalcore.runs import Run


def rows(listed: Sequence[Run]) -> pd.DataFrame:
    """One row a run, newest first, names as on screen."""
    ordered = sorted(listed, key=lambda run: str(run.about["created"]), reverse=True)
    return pd.DataFrame([_row(run) for run in ordered])


def progress_text(run: Run) -> str:
    """How far a run is, in words."""
    status, total = read_status(run.folder), int(run.about["items"])
    parts = [f"{state(run)}: {status.get('answered', 0):,} of {total:,} answered"]
    judged = sum(status.get("judged", {}).values())
    parts += [f"{judged:,} judged"] if judged else []
    parts += [f"{status['failed']:,} failed"] if status.get("failed") else []
    unread = sum(status.get("unparsed", {}).values())
    parts += [f"{unread:,} with no score"] if unread else []
    if speed := _speed(status):
        parts.append(f"{speed:.1f} a second")
        if state(run) == "running":
            parts.append(f"about {(total - status['answered']) / speed:,.0f} s left")
    parts += [f"{status['usd']:.2f} USD"] if status.get("usd") else []
    return ", ".join(parts)


def _speed(status: dict[str, Any]) -> float | None:
    passed = status.get("updated", time.time()) - status.get("began", time.time())
    return status["new"] / passed if status.get("new") and passed > 0 else None


def _row(run: Run) -> dict[str, Any]:
    status = read_status(run.folder)
    return {
        "Model": run.settings.model,
        "Benchmark": run.settings.benchmark,
        "State": state(run),
        "Questions": int(run.about["items"]),
        "Answered": status.get("answered"),
        "Failed": status.get("failed"),
        "Began": str(run.about["created"])[:16].replace("T", " "),
        "Device": run.about["device"],
        "Code": run.about["code"],
        "Run": run.id,
    }
