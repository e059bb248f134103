"""Every server that speaks OpenAI's chat completions: OpenAI, OpenRouter, or one of your own.

Such as vLLM, SGLang, llama.cpp or ``transformers serve``, where the name is the model's folder. A
name, an address and prices are all that tells them apart.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from evalcore.errors import BadInput
from evalcore.models import replies
from evalcore.models.bounded import TooLong
from evalcore.models.calls import TransientError
from evalcore.models.chat import Chat, Piece, unreadable
from evalcore.models.prompt import Encoded
from evalcore.records import Ending, Reply

if TYPE_CHECKING:
    import httpx2
    from openai import OpenAI

LIMITS = ("max_tokens", "max_completion_tokens")
"""Names of the limit of an answer's tokens, old and new."""
NAMES = frozenset({"code", "type", "param"})
"""What an error's body holds besides its words."""
ENDINGS: Mapping[str, Ending] = {
    "stop": "finished",
    "eos": "finished",
    "eos_token": "finished",
    "end_turn": "finished",
    "stop_sequence": "finished",
    "length": "cut off",
    "max_tokens": "cut off",
    "model_length": "cut off",
    "content_filter": "filtered",
}
"""``finish_reason`` → why an answer ended: OpenAI's words, and those of servers alike."""
THOUGHTS = ("reasoning_content", "reasoning", "thinking")
"""Where servers put a model's reasoning, beside its answer."""


@dataclass(eq=False, kw_only=True)
class OpenAIChat(Chat):
    """A model behind an OpenAI-compatible server."""

    extra: Mapping[str, Any] | None = None
    """More settings of the request; None as a value takes a setting out."""

    maker_url: ClassVar[str] = "https://api.openai.com/v1"
    maker_key: ClassVar[str] = "OPENAI_API_KEY"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_usd is not None:
            self._require_limit(self.max_usd)

    def _require_limit(self, cap: float) -> None:
        if not self._most_out():
            raise BadInput(
                f"{self.model}: a cap of ${cap:g} needs a limit of the answer's tokens;"
                f" extra takes {' and '.join(LIMITS)} out"
            )

    def _settings_told(self) -> dict[str, object]:
        more = {"more settings": dict(self.extra)} if self.extra else {}
        return {**super()._settings_told(), **more}

    def _send(self, pieces: Sequence[Piece]) -> Reply:
        # A fault is raised here and not where the SDK's exception is at hand, so that none hangs
        # on to it: it could quote the key.
        reply = self._posted(self._body(pieces))
        if isinstance(reply, Exception):
            raise reply
        with replies.PARSING:
            return self._read(replies.parsed(reply.content))

    def _body(self, pieces: Sequence[Piece]) -> dict[str, Any]:
        messages = [{"role": "user", "content": _content(pieces)}]
        return {"model": self.model, "messages": messages, **self._settings()}

    def _settings(self) -> dict[str, Any]:
        limit = "max_completion_tokens" if self.base_url is None else "max_tokens"
        given = {"temperature": self.temperature, limit: self.max_tokens, **(self.extra or {})}
        return {name: value for name, value in given.items() if value is not None}

    def _most_out(self) -> int:
        settings = self._settings()
        return max(int(settings.get(name, 0)) for name in LIMITS)

    def _posted(self, body: Mapping[str, Any]) -> "httpx2.Response | replies.Fault":
        import httpx2
        import openai

        try:
            return self._sdk.post(
                "/chat/completions",
                cast_to=httpx2.Response,
                body=body,
                options={"security": {"bearer_auth": True}},
            )
        except openai.APIStatusError as error:
            wait_s = replies.retry_after(error.response.headers)
            return self._fault(error.status_code, error.body, wait_s)
        except openai.APIConnectionError as error:
            return replies.broken(error.__cause__ or error, self.address, self.timeout_s)
        except (httpx2.HTTPError, TooLong) as error:
            return replies.broken(error, self.address, self.timeout_s)

    def _fault(self, status: int, body: object, wait_s: float | None = None) -> replies.Fault:
        about = body if isinstance(body, Mapping) else {"message": body}
        code = about.get("code") or about.get("type") or ""
        named = "" if code == status else replies.clean(code, self._key())
        rest = {name: value for name, value in about.items() if value and name not in NAMES}
        words = about.get("message") or about.get("detail") or (json.dumps(rest) if rest else "")
        return replies.fault(self.model, status, replies.clean(words, self._key()), named, wait_s)

    def _read(self, answer: Mapping[str, Any] | None) -> Reply:
        """A whole answer; OpenRouter puts faults that come late into one with status 200."""
        if answer is None:
            raise TransientError(replies.NO_JSON, billed=True)
        choices = answer.get("choices")
        choice = replies.mapping(choices[0]) if isinstance(choices, list) and choices else {}
        error = answer.get("error") or choice.get("error")
        if error:
            status = replies.tokens(replies.mapping(error).get("code")) or 0
            raise self._fault(status if status in replies.STATUSES else 502, error)
        if not choice:
            raise TransientError("the server's reply has no choices", billed=True)
        usage = replies.mapping(answer.get("usage"))
        ended = ENDINGS.get(str(choice.get("finish_reason")))
        text, why = self._outcome(choice, usage, ended)
        read, written = (
            replies.tokens(usage.get(f"{side}_tokens")) for side in ("prompt", "completion")
        )
        return Reply(text, why, read, written, ended=ended)

    def _outcome(
        self, choice: Mapping[str, Any], usage: Mapping[str, Any], ended: Ending | None
    ) -> tuple[str | None, str | None]:
        """Text and error of an answer; one of them is None."""
        message = choice.get("message")
        if not isinstance(message, Mapping):
            return None, unreadable(f"its message is {replies.kind(message)}")
        content = replies.content(message.get("content"))
        refusal = message.get("refusal") or content.refusal
        if refusal:
            return None, f"refused: {replies.clean(refusal, self._key())}"
        if ended == "filtered":
            return None, "refused: content filter"
        details = replies.mapping(usage.get("completion_tokens_details"))
        counted = replies.tokens(details.get("reasoning_tokens"))
        thoughts = any(message.get(name) for name in THOUGHTS)
        return self._usable(content, reasoned=bool(thoughts or counted), ended=ended)

    @cached_property
    def _sdk(self) -> "OpenAI":
        from openai import OpenAI

        return OpenAI(
            api_key=self._key() or "none",
            base_url=self.address,
            max_retries=0,
            timeout=self.timeout_s,
            http_client=self._client(),
        )


def _content(pieces: Sequence[Piece]) -> str | list[dict[str, Any]]:
    """A message's content; plain text where there is no picture, as some servers want it."""
    if len(pieces) == 1 and isinstance(pieces[0], str):
        return pieces[0]
    return [
        {"type": "text", "text": piece}
        if isinstance(piece, str)
        else {"type": "image_url", "image_url": {"url": _data_uri(piece)}}
        for piece in pieces
    ]


def _data_uri(picture: Encoded) -> str:
    return f"data:{picture.mime};base64,{base64.b64encode(picture.data).decode()}"
