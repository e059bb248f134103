"""Needs as the address of the dashboard's Recommend page that asks the same question.

The keys are those of the page's widgets, whose values stand in links as they stand on screen.
"""

import re
from urllib.parse import urlencode

from evalcore.needs import Needs

MEANS = {"macro": "Each tag the same", "micro": "By number of questions"}


def tag_key(axis: str, tag: str) -> str:
    """The key of a tag's weight.

    >>> tag_key("application_domain", "Nutrition and Food")
    'w_application-domain-nutrition-and-food'
    """
    return "w_" + re.sub(r"[^a-z0-9]+", "-", f"{axis} {tag}".lower())


def recommend(needs: Needs, suite_name: str, axis_title: str) -> str:
    """The path and query of the Recommend page for the needs.

    Args:
        needs: What is asked.
        suite_name: The suite's name on screen.
        axis_title: The axis's name on screen.
    """
    query: list[tuple[str, str]] = [("suite", suite_name), ("axis", axis_title)]
    query.append((f"min_n_{needs.suite}", str(needs.min_n)))
    query.append(("mean", MEANS[needs.aggregate]))
    for tag, weight in needs.weights:
        query.append((f"tags_{needs.axis}", tag))
        query.append((tag_key(needs.axis, tag), f"{weight:g}"))
    return f"/recommend?{urlencode(query)}"
