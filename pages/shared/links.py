"""What a link asks of the controls: read by name or by id, and told where it is impossible.

Streamlit drops a value that a control cannot take from the address without a word. Here the link
that opened the session is kept aside, and each control that it names is compared with it once, in
the first run that draws the control.
"""

from collections.abc import Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.common import WidgetMetadata

from pages.shared.controls import PENDING
from pages.shared.text import plain

_ASKED, _REFUSED = "link_asked", "link_refused"
_LONGEST = 80


def read() -> None:
    """Keep what the link that opened the session asks for."""
    if _ASKED not in st.session_state:
        params = st.query_params
        st.session_state[_ASKED] = {key: params.get_all(key) for key in params}
        st.session_state[_REFUSED] = {}


def follow() -> None:
    """Give the controls drawn so far what the link means by other words, and draw them again.

    An option is known by its name on screen, which is what links hold, and by its id. A choice may
    bring options that another needs, so this is done before anything is called impossible.
    """
    asked, meant = st.session_state[_ASKED], {}
    for key, control in _drawn(asked):
        labels = _labels(control, asked[key])
        if set(labels) - set(_shown(control, st.session_state[key])):
            meant[key] = _value(control, labels)
            _address(key, control, meant[key])
            asked[key] = [text for text in asked[key] if not _labels(control, [text])]
    if meant:
        st.session_state[PENDING] = st.session_state.get(PENDING, {}) | meant
        st.rerun()


def tell(place: DeltaGenerator, page: str) -> None:
    """Say what the link asks for and the page does not show, until the reader chooses anew.

    Args:
        place: An empty place for the words.
        page: The page's title; on the next page the words are gone.
    """
    follow()
    asked, refused = st.session_state[_ASKED], st.session_state[_REFUSED]
    for key, control in _drawn(asked):
        value = st.session_state[key]
        shown = _shown(control, value)
        for text in asked.pop(key):
            if text and not _same(control, text, shown):
                refused.setdefault(key, (page, value, []))[2].append(_sentence(key, text, shown))
    said = []
    for key, (where, value, sentences) in list(refused.items()):
        if where == page and st.session_state.get(key) == value:
            said += sentences
        else:
            del refused[key]
    if said:
        place.warning("\n\n".join(said), icon=":material/link_off:")


def _sentence(key: str, text: str, shown: Sequence[str]) -> str:
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    instead = ", ".join(shown) or "nothing"
    return plain(
        f'The link asks for {key} = "{cut}", which is not possible here; shown instead: {instead}.'
    )


def _drawn(asked: dict[str, list[str]]) -> list[tuple[str, WidgetMetadata[Any]]]:
    """The controls of this run that the link names."""
    state = _state()
    bound = [(key, state.query_params.get_binding_for_param(key)) for key in asked]
    found = [(key, state.get_widget_metadata(one.widget_id)) for key, one in bound if one]
    return [(key, control) for key, control in found if control is not None]


def _state() -> SessionState:
    """Streamlit's own state: nothing public tells what a control can take."""
    context = get_script_run_ctx()
    assert context is not None
    return context.session_state._state  # noqa: SLF001


def _address(key: str, control: WidgetMetadata[Any], value: object) -> None:
    """Put a value into the address; a rerun before the browser has drawn anything would not."""
    said = control.serializer(value)
    _state().query_params.set_corrected_value(key, said, control.value_type)


def _shown(control: WidgetMetadata[Any], value: object) -> list[str]:
    """A control's value as a link would hold it."""
    said = control.serializer(value)
    if isinstance(said, bool):
        return ["on" if said else "off"]
    if isinstance(said, float):
        return [f"{said:g}"]
    if said is None and not _many(control):
        # An option may itself be None, such as "Any size".
        return [one for one in control.formatted_options or [] if _option(control, one) is None]
    many = said if isinstance(said, list | tuple) else [said]
    return [str(one) for one in many if one not in (None, "")]


def _same(control: WidgetMetadata[Any], text: str, shown: Sequence[str]) -> bool:
    """Whether what is shown is what was asked for."""
    if control.value_type == "bool_value":
        return {"true": "on", "false": "off"}.get(text.lower()) in shown
    if control.value_type in ("double_value", "int_value"):
        try:
            return any(float(text) == float(one) for one in shown)
        except ValueError:
            return False
    return bool(set(_labels(control, [text]) or [text]) & set(shown))


def _labels(control: WidgetMetadata[Any], texts: Sequence[str]) -> list[str]:
    """The options that the texts name, as they stand on screen; empty for a free field."""
    names: dict[str, str] = {}
    for label in control.formatted_options or []:
        names.setdefault(label.casefold(), label)
    for label in control.formatted_options or []:
        names.setdefault(_id(_option(control, label)).casefold(), label)
    found = [names[text.casefold()] for text in texts if text.casefold() in names]
    return list(dict.fromkeys(found))[: control.max_array_length or None]


def _option(control: WidgetMetadata[Any], label: str) -> Any:
    one = control.deserializer([label] if _many(control) else label)
    return one[0] if isinstance(one, list) else one


def _value(control: WidgetMetadata[Any], labels: list[str]) -> Any:
    return control.deserializer(labels if _many(control) else labels[-1])


def _many(control: WidgetMetadata[Any]) -> bool:
    return control.value_type == "string_array_value"


def _id(option: object) -> str:
    return f"{option:g}" if isinstance(option, float) else str(option)
