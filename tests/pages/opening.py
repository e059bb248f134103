"""How page tests open a page and read it: what it says, draws and lists."""

import json

from streamlit.testing.v1 import AppTest

from evalcore.home import ROOT

APP = str(ROOT / "app.py")
PATIENCE_S = 600
"""How long a page may take, so that no test fails because a machine is busy."""
_SAYING = (
    *("title", "header", "subheader", "markdown", "caption", "text"),
    *("info", "success", "warning", "error"),
)


def opened(page="overview", /, session=None, **link) -> AppTest:
    """Draw a page as a new visitor sees it.

    Args:
        page: Its file's name.
        session: What the session holds before the page is drawn.
        link: The parameters of the address.
    """
    at = AppTest.from_file(APP, default_timeout=PATIENCE_S)
    if page != "overview":
        at.switch_page(f"pages/{page}.py")
    for name, value in link.items():
        at.query_params[name] = value
    for key, value in (session or {}).items():
        at.session_state[key] = value
    return at.run()


def texts(place, *kinds) -> list[str]:
    """The texts of a page or a part of it as Streamlit gets them, of some kinds or of all."""
    return [element.value for kind in kinds or _SAYING for element in getattr(place, kind)]


def words(place, *kinds) -> str:
    """What a reader of a page or a part of it sees: its texts in lines, without escapes."""
    return "\n".join(texts(place, *kinds)).replace("\\", "").replace("\u2060", "")


def charts(at) -> list[dict]:
    """The charts as Plotly draws them."""
    return [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]


def table(place, *columns):
    """The first table that has these columns."""
    return next(one.value for one in place.dataframe if set(columns) <= set(one.value.columns))


def button(at, label):
    """The button with this label, or None."""
    return next((one for one in at.button if one.label == label), None)
