"""The sidebar that every page draws: what to look at, which models, how to weigh.

Keys are bound to the URL, so that a view is a link; labels stand in links as they stand on screen.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import pandas as pd
import streamlit as st

from evalcore.analysis import profiles
from evalcore.decision import need_axis
from evalcore.decision.link import MEANS, tag_key
from evalcore.decision.needs import Needs
from evalcore.errors import EvalcoreError
from evalcore.importers import own_csv
from evalcore.suites import pooling, suite
from pages.shared import launcher, suites
from pages.shared.results import Store
from pages.shared.text import plain

WEIGHTS = {"any": "Any", "open": "Open", "closed": "Closed"}
ANY_SIZE = 0.0
"""A number: a list that is greyed forgets an option None at the next run, and looks empty."""
SIZES = [1.0, 2.0, 3.0, 5.0, 8.0, 10.0, 15.0, 20.0, 40.0, 80.0]
UPLOADED = "uploaded_scores"
LIMITS = "last_limits"
"""The question with the limits of the form, without the sidebar's, as set last on a page."""
PAGE, ENTERED = "page", "page_entered"
"""The page that was drawn last, and whether it has been drawn anew since another one was."""
LAST = "last_question"
"""The last question of the Recommend page: with its limits a block was chosen for it."""
QUESTIONS = "single questions of runs, which are chosen on the page"
WITHOUT_SUITE = {
    "Samples": QUESTIONS,
    "Compare": QUESTIONS,
    "Judges": QUESTIONS,
    "Digits": "published tables and digit studies, which are chosen on the page",
    "Runs": "what was started on this machine",
    "Sources": "every source",
}
"""Pages on which a suite decides nothing, and what they show."""
BY_MODEL = ("Compare", "Digits")
"""Of these the pages that the model filter acts on all the same."""
PENDING = "pending_choices"
"""Values that widgets of the sidebar and the page are to take before they are drawn again."""

OTHERS = {
    suites.AUTO: "Models of today, one block",
    pooling.SUITE: "Models of today, all blocks mixed",
    "openclip": "open_clip table",
    "clip-grid": "CLIP scaling grid",
}


@dataclass(frozen=True)
class SidebarState:
    """What the sidebar says, and the data that follows from it."""

    store: Store
    data: suite.SuiteData
    """The chosen suite with this session's upload in it."""
    axis: str
    models: suite.ModelFilter
    min_n: int
    mean: str
    """``macro`` (each tag the same) or ``micro`` (by number of questions)."""
    weights: dict[str, float]
    """Weight of each chosen tag; empty when all count the same."""
    shown: list[str] = field(default_factory=list)
    """Ids of the models that pass the filter."""
    hidden: pd.DataFrame = field(default_factory=pd.DataFrame)
    """One row a hidden model: model, reason."""
    auto: bool = False
    """Whether the block of current results was not chosen but follows from the needs."""

    def name(self, model: str) -> str:
        """A model's name on screen; an uploaded one carries a marker."""
        return self.names[model]

    @cached_property
    def names(self) -> dict[str, str]:
        """The name on screen of every model, shown or not."""
        models = self.data.models
        if self.auto:
            every = self.store.current().models
            models = pd.concat([models, every[~every["model"].isin(models["model"])]])
        mark = models["source"].eq("upload").map({True: " (yours)", False: ""})
        return dict(zip(models["model"], models["name"].astype(str) + mark, strict=True))

    def cells(self, axis: str | None = None) -> pd.DataFrame:
        """The cells of an axis (the chosen one by default) for the shown models."""
        cells = self.store.cells(self.data, axis or self.axis)
        return cells[cells["model"].isin(self.shown)].reset_index(drop=True)


def sidebar(store: Store, page: str = "") -> SidebarState:
    """Draw the sidebar and return what it says.

    Args:
        store: The store.
        page: The title of the page that is drawn; Recommend asks about models of today first.
    """
    st.session_state.update(st.session_state.pop(PENDING, {}))
    if page != st.session_state.get(PAGE):
        st.session_state.update({PAGE: page, ENTERED: True})
    if page == "Recommend":
        suites.start_today()
    off = page in WITHOUT_SUITE
    with st.sidebar:
        if off:
            st.caption(plain(_unused(page)))
        name = suites.select(store, off=off)
        auto = name == suites.AUTO
        if auto:
            weights = _needs(store, off)
            name = block(store, weights)
        data = suite.with_upload(store.suite(name), uploaded())
        axis = need_axis.AXIS if auto else _axis(data, off)
        models = _model_filter(off and page not in BY_MODEL)
        min_n = 0 if auto else _min_n(data, axis, off)
        mean = _mean(off)
        if not auto:
            weights = _weights(store, axis, min_n, data.suite, off)
        _upload(store, data, axis)
        launcher.form()
        built = store.built[:16].replace("T", " ")
        st.caption(plain(f"Sextant; results store {store.version}, built {built} UTC"))
    shown, hidden = suite.split_models(data.models, models)
    return SidebarState(store, data, axis, models, min_n, mean, weights, shown, hidden, auto)


def _unused(page: str) -> str:
    """Why controls are grey: drawn all the same, they keep their place in the link."""
    rest = " Only the model filter acts here." if page in BY_MODEL else ""
    return (
        f"This page shows {WITHOUT_SUITE[page]}. The grey controls do not act here; they keep what "
        f"you chose for the other pages.{rest}"
    )


def block(store: Store, weights: dict[str, float], asked: Needs | None = None) -> str:
    """The id of the block that answers the needs: the chosen one, else the one that covers most.

    Args:
        store: The store.
        weights: The needs.
        asked: The question with its limits; the last one of this session when not given.
    """
    asked = asked or st.session_state.get(LAST) or Needs("", need_axis.AXIS)
    asked = replace(asked, suite="", axis=need_axis.AXIS, weights=tuple(weights.items()))
    blocks = store.blocks(asked)
    return blocks.chosen or str(blocks.table["suite"].iloc[0])


def _needs(store: Store, off: bool) -> dict[str, float]:
    return _weigh(need_axis.AXIS, sorted(set(store.current().needs["need"])), off)


def _axis(data: suite.SuiteData, off: bool) -> str:
    titles = data.axes.set_index("axis")["title"]
    return st.selectbox(
        "Sort questions by",
        suite.axes(data),
        format_func=lambda axis: str(titles[axis]),
        key="axis",
        bind="query-params",
        disabled=off,
    )


def _model_filter(off: bool) -> suite.ModelFilter:
    weights = st.segmented_control(
        "Model weights",
        list(WEIGHTS),
        format_func=lambda key: WEIGHTS[key],
        default="any",
        required=True,
        key="open",
        bind="query-params",
        disabled=off,
        help="Open: anyone can download the weights and host the model.",
    )
    size = st.selectbox(
        "Largest model",
        [ANY_SIZE, *SIZES],
        format_func=lambda size: f"{size:g} B parameters" if size else "Any size",
        key="size",
        bind="query-params",
        disabled=off,
        help="Real total of parameters; names say less: an '8B' model often has 8.3 billion.",
    )
    unknown = st.checkbox(
        "Include models where this is unknown",
        key="unknown",
        bind="query-params",
        disabled=off,
    )
    return suite.ModelFilter(weights, size or None, unknown)


def _min_n(data: suite.SuiteData, axis: str, off: bool) -> int:
    default = data.axes.set_index("axis").loc[axis, "min_n_default"]
    return int(
        st.number_input(
            "Fewest questions behind a tag",
            min_value=0,
            max_value=100_000,
            value=0 if pd.isna(default) else int(default),
            step=50,
            key=f"min_n_{data.suite}",
            bind="query-params",
            disabled=off,
            help="Tags with fewer questions are left out. The VQA360 paper uses 300.",
        )
    )


def _mean(off: bool) -> str:
    return st.segmented_control(
        "Mean over tags",
        list(MEANS),
        format_func=lambda key: MEANS[key],
        default="macro",
        required=True,
        key="mean",
        bind="query-params",
        disabled=off,
        help="Macro: each tag counts the same. Micro: a tag counts by its number of questions.",
    )


def _weights(store: Store, axis: str, min_n: int, name: str, off: bool) -> dict[str, float]:
    cells = store.cells(store.suite(name), axis)
    cells = cells[profiles.enough(cells, min_n)]
    return _weigh(axis, list(dict.fromkeys(cells["tag"])), off)


def _weigh(axis: str, tags: list[str], off: bool) -> dict[str, float]:
    chosen = st.multiselect(
        "What matters to you",
        tags,
        key=f"tags_{axis}",
        bind="query-params",
        disabled=off,
        placeholder="All tags, equally",
        help="Choose tags to weigh only those; then say how much each counts.",
    )
    weights = {tag: _weight(axis, tag, off) for tag in chosen}
    return {tag: weight for tag, weight in weights.items() if weight > 0}


def _weight(axis: str, tag: str, off: bool) -> float:
    return float(
        st.number_input(
            f"Weight of {plain(tag)}",
            min_value=0.0,
            max_value=1000.0,
            value=1.0,
            step=0.5,
            format="%g",
            key=tag_key(axis, tag),
            bind="query-params",
            disabled=off,
        )
    )


def uploaded() -> pd.DataFrame:
    """The scores that were uploaded in this session; none is an empty frame."""
    empty = pd.DataFrame(columns=["suite", "model"])
    return st.session_state.get(UPLOADED, empty)


def _upload(store: Store, data: suite.SuiteData, axis: str) -> None:
    with st.expander("Your own results", icon=":material/upload_file:"):
        known = store.stored()
        st.download_button(
            "Template (CSV)",
            own_csv.template(known, data.suite, _stored_axis(known, data.suite, axis)),
            file_name=f"{data.suite}-template.csv",
            mime="text/csv",
            on_click="ignore",
        )
        st.file_uploader(
            "CSV with model, benchmark, axis, tag, score (0 to 1), n, and suite, metric, judge "
            "where a benchmark has several; at most 2 MB",
            type="csv",
            key="upload",
            on_change=_take_upload,
            args=(store,),
            help="Checked here, drawn with a marker, and forgotten when you close this session. "
            f"A model called {suite.OWN} and the id of one in the suite has its size, licence and "
            "price.",
        )
        if error := st.session_state.get("upload_error"):
            st.error(plain(error))
        upload = uploaded()
        if len(upload):
            names = ", ".join(sorted(set(upload["model"])))
            st.success(plain(f"{len(upload)} scores of {names} are shown, this session only."))
            st.button("Remove them", on_click=lambda: st.session_state.pop(UPLOADED))


def _stored_axis(known: own_csv.Stored, name: str, axis: str) -> str:
    """The axis to fill in: derived ones (type, capability) follow from the benchmarks."""
    places = known.places[known.places["suite"] == name]
    return axis if axis in set(places["axis"]) else "benchmark"


def _take_upload(store: Store) -> None:
    file = st.session_state.get("upload")
    st.session_state.pop("upload_error", None)
    if file is None:
        return
    try:
        st.session_state[UPLOADED] = own_csv.read(file.getvalue(), file.name, store.stored())
    except EvalcoreError as error:
        st.session_state["upload_error"] = str(error)


def benchmark_suite(choice: SidebarState) -> suite.SuiteData:
    """The sidebar's suite, or open_clip's table if that has no scores by benchmark."""
    data = choice.data
    by_benchmark = "benchmark" in set(data.axes["axis"]) and len(data.scores) > 0
    return data if by_benchmark else choice.store.suite("openclip")


def other_suites(data: suite.SuiteData, choice: SidebarState) -> None:
    """Buttons that change the sidebar's suite; blocks are mixed only by such a choice."""
    st.caption("The sidebar's suite decides whose results are compared. Compare instead:")
    with st.container(horizontal=True):
        for name, label in OTHERS.items():
            here = choice.auto if name == suites.AUTO else name == data.suite
            if not here:
                st.button(plain(label), key=f"instead_{name}", on_click=suites.take, args=(name,))
