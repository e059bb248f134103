"""Six questions that people ask, ready to run: the advice of the VLM selection paper as needs.

Each is checked against the paper's own tables (Tables 4, 10 and 11 of the VQA360 study); where its
prose and its tables differ, the caption says so.
"""

from typing import NamedTuple

from evalcore.needs import Needs

SUITE = "vqa360"
MIN_N = 300
"""The paper's own threshold: tags with fewer questions are too small to judge."""


class Preset(NamedTuple):
    """A named question."""

    title: str
    caption: str
    needs: Needs


def _equal(*tags: str) -> tuple[tuple[str, float], ...]:
    return tuple((tag, 1.0) for tag in tags)


PRESETS: dict[str, Preset] = {
    "unrestricted": Preset(
        "The best, whatever it takes",
        "All four task types, equally, and no limits.",
        Needs(suite=SUITE, axis="task_type", min_n=MIN_N),
    ),
    "cheaper-than-best-closed": Preset(
        "Cheaper than the best closed model",
        "Models behind an API, without Gemini 1.5 Pro (the paper calls it expensive), on charts "
        "and documents, where it leads. The paper advises Gemini 1.5 Flash at 7 to 10 % loss; on "
        "an equal mix of all task types its own tables put GPT-4o mini ahead of Flash.",
        Needs(
            suite=SUITE,
            axis="task_type",
            weights=_equal("Chart Understanding", "Document Understanding"),
            min_n=MIN_N,
            api_only=True,
            ruled_out=("gemini-1.5-pro",),
        ),
    ),
    "open": Preset(
        "The best with open weights",
        "All four task types, equally, on your own machine. The paper: InternVL2-8B is the best "
        "overall choice among open models.",
        Needs(suite=SUITE, axis="task_type", min_n=MIN_N, open_weights=True, self_hosted=True),
    ),
    "open-academic": Preset(
        "Open weights, academic questions",
        "Mathematics, computer science, law and politics: the topics for which the paper names "
        "CogVLM2 as strong. In its tables InternVL2-8B is tied with it at less than half the size.",
        Needs(
            suite=SUITE,
            axis="application_domain",
            weights=_equal("Mathematics", "Computer Science", "Law", "Government and Politics"),
            min_n=MIN_N,
            open_weights=True,
        ),
    ),
    "on-device": Preset(
        "On a phone or a small board",
        "Open weights and at most 3 billion parameters, counted rather than read off the name. "
        "The paper: InternVL2-1B is the strongest of the small models.",
        Needs(suite=SUITE, axis="task_type", min_n=MIN_N, open_weights=True, max_params_b=3.0),
    ),
    "social-everyday": Preset(
        "Everyday and social pictures",
        "Nature, food, social media and sports: the four domains in which the paper finds "
        "GPT-4o mini the best.",
        Needs(
            suite=SUITE,
            axis="application_domain",
            weights=_equal("Nature", "Nutrition and Food", "Social Media", "Sports"),
            min_n=MIN_N,
        ),
    ),
}
"""Preset id to the question."""
