"""Questions that people ask, ready to run: the advice of the VLM selection paper, and of today.

Each of the paper's is checked against its own tables (Tables 4, 10 and 11 of the VQA360 study);
where its prose and its tables differ, the caption says so. Those of today name no suite: the block
of current results that fits best answers (see ``blocks``).
"""

from typing import NamedTuple

from evalcore.cost.api import Question
from evalcore.decision.needs import Needs

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

NEED = "need"
"""The axis of the questions of today."""

CURRENT: dict[str, Preset] = {
    "documents-small": Preset(
        "Documents and charts, small and open",
        "Models of today with open weights and at most 8 billion parameters, counted.",
        Needs("", NEED, _equal("documents", "charts"), open_weights=True, max_params_b=8.0),
    ),
    "text-cheap": Preset(
        "Text in pictures, cheap, through an API",
        "At most 2 dollars per 1,000 questions with one picture of 1024 x 1024 pixels, 100 tokens "
        "of text, and answers of 100 tokens, or 1,000 with thinking, where none were measured.",
        Needs(
            "",
            NEED,
            _equal("text in pictures"),
            api_only=True,
            max_usd_per_1000=2.0,
            workload=Question(1024, 1024, 100, tokens_out=100, thinking_tokens_out=1000),
        ),
    ),
    "mathematics-one-card": Preset(
        "Mathematics on one card of 24 GB",
        "Weights under a permissive licence that fit, in 16 bits, on one graphics card of 24 GB.",
        Needs("", NEED, _equal("mathematics"), licences=("permissive",), gpu="24 GB"),
    ),
    "everyday-cheapest": Preset(
        "Everyday scenes, cheapest of the good ones",
        "The cheapest model within 3 points of the best.",
        Needs("", NEED, _equal("everyday scenes"), within=0.03),
    ),
}
"""Preset id to the question about models of today."""
