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
from pages.shared.text import paragraphs

STUDY = "digit_study"
"""Key of the control that chooses a digit study."""
_ASKED, _REFUSED = "link_asked", "link_refused"
_FOLLOWED, _OPENED = "link_followed", "link_opened"
_LONGEST, _MOST = 80, 3
"""Characters of a text, and texts of a list, that a sentence repeats."""
_OWN = {"Compare": "compare_", "Judges": "judges_", "Samples": "samples_"}
"""How the keys of a page's controls begin, by its title; many depend on the benchmark."""
_GUESSED = ("benchmark", "label", "model", "run")
"""Names that no control has and that readers write by hand."""


def read() -> None:
    """Keep what the link that opened the session asks for."""
    if _ASKED not in st.session_state:
        params = st.query_params
        st.session_state[_ASKED] = {key: params.get_all(key) for key in params}
        st.session_state[_REFUSED], st.session_state[_FOLLOWED] = {}, {}


def follow() -> None:
    """Give the controls drawn so far what the link means by other words, and draw them again.

    An option is known by its name on screen, which is what links hold, and by its id. A choice may
    bring options that another needs, so this is done before anything is called impossible.
    """
    asked, followed, meant = st.session_state[_ASKED], st.session_state[_FOLLOWED], {}
    for key, control in _drawn(asked):
        labels = _labels(control, asked[key])
        if labels in ([], _shown(control, st.session_state[key]), followed.get(key)):
            continue
        followed[key], meant[key] = labels, _value(control, labels)
        _address(key, control, meant[key])
    if meant:
        st.session_state[PENDING] = st.session_state.get(PENDING, {}) | meant
        st.rerun()


def possible(key: str, options: Sequence[object]) -> str:
    """The key, after a choice under it that is no option any more is forgotten.

    A control draws its default instead, but the address would keep the former choice.
    """
    if st.session_state.get(key, options[0]) not in options:
        st.session_state[key] = options[0]
    return key


def tell(place: DeltaGenerator, page: str, *, whole: bool = True) -> None:
    """Say what the link asks for and the page does not show, until the reader chooses anew.

    Args:
        place: An empty place for the words.
        page: The page's title; on the next page the words are gone.
        whole: Whether the page was drawn to its end, so that what no control took is left over.
    """
    follow()
    asked, refused = st.session_state[_ASKED], st.session_state[_REFUSED]
    for key, control in _drawn(asked):
        value = st.session_state[key]
        shown = _shown(control, value)
        for text in _missing(control, asked.pop(key), shown):
            refused.setdefault(key, (page, value, []))[2].append(_sentence(key, text, shown))
    texts = []
    for key, (where, value, sentences) in list(refused.items()):
        if where == page and st.session_state.get(key) == value:
            texts += sentences
        else:
            del refused[key]
    if whole and (left := _left(page)):
        texts.append(_left_over(left))
    if texts:
        place.warning(paragraphs(texts), icon=":material/link_off:")


def _left(page: str) -> dict[str, list[str]]:
    """What the link asks for on the page that it opened and no control has taken so far."""
    if st.session_state.setdefault(_OPENED, page) != page:
        st.session_state[_OPENED] = ""
    if st.session_state[_OPENED] != page:
        return {}
    own = _OWN.get(page)
    return {
        key: texts
        for key, texts in st.session_state[_ASKED].items()
        if any(texts) and (key in _GUESSED or (own and key.startswith(own)))
    }


def _left_over(left: dict[str, list[str]]) -> str:
    named = [f'{_cut(key)} = "{_cut("; ".join(texts))}"' for key, texts in left.items()]
    them = "it" if len(named) == 1 else "them"
    return f"The link also asks for {_some(named)}; nothing on this page takes {them}."


def _missing(control: WidgetMetadata[Any], texts: list[str], shown: list[str]) -> list[str]:
    """The texts that are not shown; all of them where others are shown too or the order differs."""
    missing = [text for text in texts if text and not _same(control, text, shown)]
    if missing or _labels(control, texts) in ([], shown):
        return missing
    return ["; ".join(texts)]


def _sentence(key: str, text: str, shown: Sequence[str]) -> str:
    instead = _some(shown) or "nothing"
    asked = f'The link asks for {key} = "{_cut(text)}", which is not possible here'
    return f"{asked}; shown instead: {instead}."


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _some(texts: Sequence[str]) -> str:
    """A list in words; names may hold commas."""
    more = f" and {len(texts) - _MOST} more" if len(texts) > _MOST else ""
    return "; ".join(texts[:_MOST]) + more


def _drawn(asked: dict[str, list[str]]) -> list[tuple[str, WidgetMetadata[Any]]]:
    """The controls of this run that the link names."""
    state = _state()
    bound = [(key, state.query_params.get_binding_for_param(key)) for key in asked]
    drawn = [(key, state.get_widget_metadata(widget.widget_id)) for key, widget in bound if widget]
    return [(key, control) for key, control in drawn if control is not None]


def _state() -> SessionState:
    """Streamlit's own state: nothing public tells what a control can take."""
    context = get_script_run_ctx()
    assert context is not None
    return context.session_state._state  # noqa: SLF001


def _address(key: str, control: WidgetMetadata[Any], value: object) -> None:
    """Put a value into the address; a rerun before the browser has drawn anything would not."""
    serialized = control.serializer(value)
    _state().query_params.set_corrected_value(key, serialized, control.value_type)


def _shown(control: WidgetMetadata[Any], value: object) -> list[str]:
    """A control's value as a link would hold it."""
    serialized = control.serializer(value)
    if isinstance(serialized, bool):
        return ["on" if serialized else "off"]
    if isinstance(serialized, float):
        return [f"{serialized:g}"]
    if serialized is None and not _many(control):
        # An option may itself be None, such as "Any size".
        return [part for part in control.formatted_options or [] if _option(control, part) is None]
    many = serialized if isinstance(serialized, list | tuple) else [serialized]
    return [str(part) for part in many if part not in (None, "")]


def _same(control: WidgetMetadata[Any], text: str, shown: Sequence[str]) -> bool:
    """Whether what is shown is what was asked for."""
    if control.value_type == "bool_value":
        return {"true": "on", "false": "off"}.get(text.lower()) in shown
    if control.value_type in ("double_value", "int_value"):
        try:
            return any(float(text) == float(part) for part in shown)
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
    labels = [names[text.casefold()] for text in texts if text.casefold() in names]
    if not _many(control):
        return labels[-1:]
    return list(dict.fromkeys(labels))[: control.max_array_length or None]


def _option(control: WidgetMetadata[Any], label: str) -> Any:
    option = control.deserializer([label] if _many(control) else label)
    return option[0] if isinstance(option, list) else option


def _value(control: WidgetMetadata[Any], labels: list[str]) -> Any:
    return control.deserializer(labels if _many(control) else labels[-1])


def _many(control: WidgetMetadata[Any]) -> bool:
    return control.value_type == "string_array_value"


def _id(option: object) -> str:
    return f"{option:g}" if isinstance(option, float) else str(option)
