"""Needs as the address of the dashboard's Recommend page that asks the same question.

The keys are those of the page's widgets, whose values stand in links as they stand on screen.
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from evalcore.cost.api import Question
from evalcore.decision.facts import Control
from evalcore.decision.needs import ASSUMED, CONTROLS, Needs

MEANS = {"macro": "Each tag the same", "micro": "By number of questions"}


WORKLOAD = {
    "rec_width": "width",
    "rec_height": "height",
    "rec_pictures": "images",
    "rec_prompt": "prompt_tokens",
    "rec_answer": "tokens_out",
    "rec_thinking": "thinking_tokens_out",
    "rec_image_tokens": "image_tokens",
}
"""Key of a widget to the part of a question that it states."""


def tag_key(axis: str, tag: str) -> str:
    """The key of a tag's weight.

    >>> tag_key("application_domain", "Nutrition and Food")
    'w_application-domain-nutrition-and-food'
    """
    return "w_" + re.sub(r"[^a-z0-9]+", "-", f"{axis} {tag}".lower())


def recommend(needs: Needs, suite_name: str, axis_title: str, names: Mapping[str, str]) -> str:
    """The path and query of the Recommend page for the needs.

    Args:
        needs: What is asked.
        suite_name: The suite's name on screen.
        axis_title: The axis's name on screen.
        names: Model id to its name on screen.
    """
    query = [("suite", suite_name), ("axis", axis_title), (f"min_n_{needs.suite}", needs.min_n)]
    query += [("mean", MEANS[needs.aggregate])]
    for tag, weight in needs.weights:
        query += [(f"tags_{needs.axis}", tag), (tag_key(needs.axis, tag), f"{weight:g}")]
    many = [control for control in CONTROLS if control.kind == "many"]
    for control in CONTROLS:
        value = control.shown(needs)
        if control not in many and not (value is None or value is False or value == ""):
            query.append((control.key, _on_screen(control, value)))
    for key, value in workload_keys(needs.workload).items():
        query += [] if value is None else [(key, f"{value:g}")]
    for control in many:
        values = control.shown(needs)
        shown = names if control.field == "ruled_out" else control.choices
        query += [(control.key, shown[value]) for value in values]
    return f"/recommend?{urlencode(query)}"


def _on_screen(control: Control, value: Any) -> str:
    """A value as it stands in a link."""
    if control.kind == "choice":
        return control.choices[value]
    if control.kind == "tick":
        return "true"
    return f"{value:g}" if control.kind == "number" else str(value)


def workload_keys(asked: Question | None) -> dict[str, float | None]:
    """What a question is made of by key of a widget; None: as assumed."""
    stated = {} if asked is None or asked == ASSUMED else vars(asked)
    return {key: stated.get(field) for key, field in WORKLOAD.items()}
