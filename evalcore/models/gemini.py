"""Google's Gemini models, through google-genai."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from evalcore.models import replies
from evalcore.models.bounded import TooLong
from evalcore.models.calls import TransientError
from evalcore.models.chat import Chat, Piece
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
        reply = self._generated(pieces)
        if isinstance(reply, Exception):
            raise reply
        with replies.PARSING:
            return self._read(replies.parsed(reply))

    def _generated(self, pieces: Sequence[Piece]) -> str | replies.Fault:
        """The body of the reply: what the SDK makes of one fails whole at one odd value."""
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
            answer = sdk.models.generate_content(
                model=self.model,
                contents=types.Content(role="user", parts=parts),
                config=config,
            )
        except errors.APIError as error:
            return self._fault(error)
        except (httpx2.HTTPError, TooLong) as error:
            return replies.broken(error, self.address, self.timeout_s)
        except (ValueError, RecursionError):
            # What the SDK raises for an error's body that it cannot read.
            return TransientError(replies.NO_JSON, billed=True)
        return (answer.sdk_http_response and answer.sdk_http_response.body) or ""

    def _fault(self, error: "errors.APIError") -> replies.Fault:
        details = _details(error.details)
        reasons = [str(detail["reason"]) for detail in details if detail.get("reason")]
        words = replies.clean(error.message or error.details, self._key())
        code = reasons[0] if reasons else str(error.status or "")
        headers = getattr(error.response, "headers", None)
        wait_s = replies.retry_after(headers) if headers is not None else None
        asked = [_seconds(entry["retryDelay"]) for entry in details if entry.get("retryDelay")]
        return replies.fault(self.model, error.code, words, code, wait_s or next(iter(asked), None))

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
            should_return_http_response=True,
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
                httpx_client=self._client(),
            ),
        )

    def _read(self, answer: Mapping[str, Any] | None) -> Reply:
        if answer is None:
            raise TransientError(replies.NO_JSON, billed=True)
        usage = replies.mapping(answer.get("usageMetadata"))
        said_tokens, thought = (
            replies.tokens(usage.get(name, 0))
            for name in ("candidatesTokenCount", "thoughtsTokenCount")
        )
        text, why, ended = self._outcome(answer, thought or 0)
        known = usage and said_tokens is not None and thought is not None
        tokens_out = (said_tokens or 0) + (thought or 0) if known else None
        return Reply(
            text, why, replies.tokens(usage.get("promptTokenCount")), tokens_out, ended=ended
        )

    def _outcome(
        self, answer: Mapping[str, Any], thought: int
    ) -> tuple[str | None, str | None, Ending | None]:
        """Text and error of an answer, one of which is None, and why it ended."""
        blocked = replies.mapping(answer.get("promptFeedback")).get("blockReason")
        if blocked:
            why = replies.clean(blocked, None)
            return None, f"refused: the question was blocked ({why})", "filtered"
        candidates = answer.get("candidates")
        if not (isinstance(candidates, list) and candidates):
            raise TransientError("the server's reply has no candidates", billed=True)
        candidate = replies.mapping(candidates[0])
        finish = str(candidate.get("finishReason"))
        if finish in BLOCKED:
            return None, f"refused: {finish}", "filtered"
        content = replies.content(replies.mapping(candidate.get("content")).get("parts"))
        ended = ENDINGS.get(finish)
        return *self._usable(content, reasoned=thought > 0, ended=ended), ended


def _details(body: Any) -> list[Mapping[str, Any]]:
    """Google's machine-readable details of an error: reasons, and how long to wait."""
    details = replies.mapping(replies.mapping(body).get("error")).get("details")
    listed = details if isinstance(details, list) else []
    return [detail for detail in listed if isinstance(detail, Mapping)]


def _seconds(duration: object) -> float | None:
    """A protobuf duration in JSON.

    >>> _seconds("17.5s")
    17.5
    """
    return replies.pause(str(duration).removesuffix("s"))
