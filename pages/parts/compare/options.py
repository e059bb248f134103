"""How the Compare page compares: by which kinds, corrected how, drawn within what."""

from typing import NamedTuple

import streamlit as st

from evalcore.suites.item_results import ItemResults
from pages.parts.compare import comparison as parts
from pages.parts.compare import words
from pages.shared.results import in_session


class Options(NamedTuple):
    """What was asked for."""

    axis: str
    """By whose tags questions are sorted; "" where none carries a tag."""
    correction: str
    """One of ``multiple.CORRECTIONS``."""
    margin: float
    """The largest difference that does not matter, a fraction."""
    strata: str
    """The axis within whose tags sources are drawn; "" for none."""


def ask(evidence: ItemResults, version: str) -> Options:
    """Draw the controls, and give what they say.

    Args:
        evidence: Of the benchmark.
        version: Of the store.
    """
    axes = sorted(set(evidence.tags["axis"]))
    first, second, third = st.columns(3)
    axis = (
        first.selectbox(
            "Sort by",
            axes,
            format_func=title,
            key=f"compare_axis_{evidence.benchmark}",
            bind="query-params",
        )
        if axes
        else ""
    )
    correction = second.selectbox(
        "Correct for many comparisons",
        list(words.CORRECTIONS),
        format_func=lambda name: words.CORRECTIONS[name],
        key="compare_correction",
        bind="query-params",
        help="The more kinds of question one looks at, the more of them look clear by luck.",
    )
    margin = third.number_input(
        "Differences up to so many points do not matter",
        min_value=0.0,
        max_value=50.0,
        value=2.0,
        step=0.5,
        format="%g",
        key="compare_margin",
        bind="query-params",
        help="Two models are equivalent when the whole interval lies within it.",
    )
    return Options(axis or "", correction, float(margin) / 100, _strata(evidence, axes, version))


def title(axis: str) -> str:
    """An axis as it is called on screen."""
    return axis.replace("_", " ").capitalize()


def _strata(evidence: ItemResults, axes: list[str], version: str) -> str:
    """Ask within what sources are drawn, where an axis allows it."""
    fitting = in_session(
        ("strata", version, evidence.benchmark),
        lambda: [axis for axis in axes if fits(evidence, axis)],
    )
    if not fitting:
        return ""
    return st.selectbox(
        "Draw questions",
        ["", *fitting],
        format_func=lambda name: f"Within each {title(name).lower()}" if name else "From all",
        key=f"compare_strata_{evidence.benchmark}",
        bind="query-params",
        help="Within: every resample holds as many pictures or sources of each kind as there are, "
        "for a mix that was fixed on purpose. From all: the mix is taken as chance too, as it is "
        "where questions came as they came.",
    )


def fits(evidence: ItemResults, axis: str) -> bool:
    """Whether an axis sorts the sources into several kinds of several sources each."""
    kinds = parts.strata_of(evidence, axis)
    sources = kinds[~evidence.clusters.duplicated()].value_counts()
    return bool(len(sources) > 1 and sources.min() > 1)
