"""Needs as the address of the dashboard's Recommend page that asks the same question.

The keys are those of the page's widgets, whose values stand in links as they stand on screen.
"""

import re
from collections.abc import Mapping
from urllib.parse import urlencode

from evalcore.cost.api import Question
from evalcore.decision.needs import ASSUMED, EVERY, Needs

MEANS = {"macro": "Each tag the same", "micro": "By number of questions"}
WHERE = {"any": "Any", "open": "Open weights", "own": "My machine", "api": "API only"}
"""Where a model may run, with the words on screen."""


def tag_key(axis: str, tag: str) -> str:
    """The key of a tag's weight.

    >>> tag_key("application_domain", "Nutrition and Food")
    'w_application-domain-nutrition-and-food'
    """
    return "w_" + re.sub(r"[^a-z0-9]+", "-", f"{axis} {tag}".lower())


def where(needs: Needs) -> str:
    """The key of ``WHERE`` that the needs ask for."""
    if needs.self_hosted:
        return "own"
    if needs.open_weights:
        return "open"
    return "api" if needs.api_only else "any"


def lines(stated: tuple[tuple[str, float], ...]) -> str:
    """Stated figures as the form takes them: one "name = number" a line."""
    return "\n".join(f"{name} = {value:g}" for name, value in stated)


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
    query += [(key, value) for key, value in _limits(needs).items() if value not in (None, "")]
    query += [("rec_licence", licence) for licence in needs.licences]
    query += [("rec_out", names[model]) for model in needs.ruled_out]
    return f"/recommend?{urlencode(query)}"


def _limits(needs: Needs) -> dict[str, object]:
    least = tuple((tag, 100 * value) for tag, value in needs.min_tag_scores)
    numbers = {
        "rec_size": needs.max_params_b,
        "rec_memory": needs.max_memory_gb,
        "rec_usd": needs.max_usd_per_1000,
        "rec_gpu": needs.gpu_usd_per_hour,
        "rec_pace": dict(needs.questions_per_hour).get(EVERY),
        "rec_seconds": needs.max_seconds,
        "rec_score": None if needs.min_score is None else 100 * needs.min_score,
        "rec_within": None if needs.within is None else 100 * needs.within,
        **_workload(needs.workload),
    }
    return {
        "rec_where": WHERE[where(needs)],
        "rec_precision": needs.precision,
        "rec_costs": lines(needs.usd_per_1000),
        "rec_times": lines(needs.seconds),
        "rec_tags": lines(least),
        "rec_unknown": "true" if needs.include_unknown else None,
        "rec_suspect": "true" if needs.include_suspect else None,
        "rec_commercial": "true" if needs.commercial_use else None,
        "rec_retired": "true" if needs.available_today is False else None,
        "rec_modes": "true" if needs.include_modes else None,
        "rec_card": needs.gpu,
        **{key: None if value is None else f"{value:g}" for key, value in numbers.items()},
    }


def _workload(asked: Question | None) -> dict[str, float | None]:
    """What a question is made of, where it differs from what is assumed anyway."""
    stated = {} if asked is None or asked == ASSUMED else vars(asked)
    return {
        "rec_width": stated.get("width"),
        "rec_height": stated.get("height"),
        "rec_pictures": stated.get("images"),
        "rec_prompt": stated.get("prompt_tokens"),
        "rec_answer": stated.get("tokens_out"),
        "rec_thinking": stated.get("thinking_tokens_out"),
        "rec_image_tokens": stated.get("image_tokens"),
    }
