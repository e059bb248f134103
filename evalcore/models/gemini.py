"""Google's Gemini models, through google-genai."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from evalcore.models import http
from evalcore.models.calls import Passing
from evalcore.models.chat import Chat, Piece, usable
from evalcore.records import Ending, Reply

if TYPE_CHECKING:
    from google.genai import Client, errors, types

BLOCKED = {
    "SAFETY",
    "RECITATION",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "MODEL_ARMOR",
}
"""Reasons to end an answer that are a refusal."""
ENDINGS: Mapping[str, Ending] = {"STOP": "finished", "MAX_TOKENS": "cut off"}


@dataclass(eq=False, kw_only=True)
class GeminiChat(Chat):
    """A Gemini model."""

    thinking_budget: int | None = None
    """Most tokens of thought; 0 for none, -1 for as many as the model likes, None for its own
    default. Thoughts count towards ``max_tokens`` and are paid for like the answer."""

    maker_url: ClassVar[str] = "https://generativelanguage.googleapis.com"
    maker_key: ClassVar[str] = "GEMINI_API_KEY"

    def _settings_told(self) -> dict[str, object]:
        thoughts = "the model's" if self.thinking_budget is None else self.thinking_budget
        return {**super()._settings_told(), "thinking budget": thoughts}

    def _send(self, pieces: Sequence[Piece]) -> Reply:
        # Raised here and not where the SDK's exception is at hand: that could quote the key.
        found = self._generated(pieces)
        if isinstance(found, Exception):
            raise found
        return _read(found)

    def _generated(self, pieces: Sequence[Piece]) -> "types.GenerateContentResponse | http.Fault":
        import httpx2
        from google.genai import errors, types

        parts = [
            types.Part.from_text(text=piece)
            if isinstance(piece, str)
            else types.Part.from_bytes(data=piece.data, mime_type=piece.mime)
            for piece in pieces
        ]
        sdk, config = self._sdk, self._config
        try:
            return sdk.models.generate_content(
                model=self.model,
                contents=types.Content(role="user", parts=parts),
                config=config,
            )
        except errors.APIError as error:
            return self._fault(error)
        except httpx2.HTTPError as error:
            return http.broken(error, self.address, self.timeout_s)
        except ValueError:
            # What the SDK raises, and pydantic too, for an answer that it cannot read.
            return Passing("the answer is no JSON object", billed=True)

    def _fault(self, error: "errors.APIError") -> http.Fault:
        details = _details(error.details)
        reasons = [str(one["reason"]) for one in details if one.get("reason")]
        words = http.clean(error.message or error.details, self._key())
        code = reasons[0] if reasons else str(error.status or "")
        headers = getattr(error.response, "headers", None)
        wait_s = http.retry_after(headers) if headers is not None else None
        asked = [_seconds(one["retryDelay"]) for one in details if one.get("retryDelay")]
        return http.fault(self.model, error.code, words, code, wait_s or next(iter(asked), None))

    @cached_property
    def _config(self) -> "types.GenerateContentConfig":
        from google.genai import types

        thinking = (
            None
            if self.thinking_budget is None
            else types.ThinkingConfig(thinking_budget=self.thinking_budget)
        )
        return types.GenerateContentConfig(
            temperature=self.temperature,
            max_output_tokens=self.max_tokens,
            thinking_config=thinking,
        )

    @cached_property
    def _sdk(self) -> "Client":
        from google.genai import Client, types

        return Client(
            vertexai=False,
            api_key=self._key() or "none",
            http_options=types.HttpOptions(
                base_url=self.address,
                timeout=round(self.timeout_s * 1000),
                httpx_client=http.client(self.timeout_s, self.concurrency),
            ),
        )


def _read(answer: "types.GenerateContentResponse") -> Reply:
    usage = answer.usage_metadata
    tokens_in = usage.prompt_token_count if usage else None
    thought = (usage.thoughts_token_count if usage else None) or 0
    said = usage.candidates_token_count if usage else None
    tokens_out = None if usage is None else (said or 0) + thought
    text, why = _outcome(answer, thought)
    return Reply(text, why, tokens_in, tokens_out, ended=_ended(answer))


def _ended(answer: "types.GenerateContentResponse") -> Ending | None:
    found = answer.candidates[0].finish_reason if answer.candidates else None
    finish = found.value if found else ""
    return "filtered" if finish in BLOCKED else ENDINGS.get(finish)


def _outcome(
    answer: "types.GenerateContentResponse", thought: int
) -> tuple[str | None, str | None]:
    """Text and error of an answer; one of them is None."""
    feedback = answer.prompt_feedback
    if feedback and feedback.block_reason:
        return None, f"refused: the question was blocked ({feedback.block_reason.value})"
    if not answer.candidates:
        raise Passing("the answer has no candidates", billed=True)
    candidate = answer.candidates[0]
    finish = candidate.finish_reason.value if candidate.finish_reason else ""
    if finish in BLOCKED:
        return None, f"refused: {finish}"
    parts = (candidate.content.parts if candidate.content else None) or []
    text = "".join(part.text or "" for part in parts if not part.thought)
    return usable(text, reasoned=thought > 0, cut=finish == "MAX_TOKENS")


def _details(body: Any) -> list[Mapping[str, Any]]:
    """Google's machine-readable details of an error: reasons, and how long to wait."""
    error = body.get("error") if isinstance(body, Mapping) else None
    details = error.get("details") if isinstance(error, Mapping) else None
    return [one for one in details or [] if isinstance(one, Mapping)]


def _seconds(duration: object) -> float | None:
    """A protobuf duration in JSON.

    >>> _seconds("17.5s")
    17.5
    """
    try:
        return float(str(duration).removesuffix("s"))
    except ValueError:
        return None
