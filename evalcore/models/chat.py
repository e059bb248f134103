"""What all models behind an API share; an adapter adds how one call is sent."""

import json
import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from evalcore import messages, values
from evalcore.errors import BadInput, ModelUnavailable
from evalcore.markup import inert, without_thoughts
from evalcore.models import bounded
from evalcore.models.calls import Calls, Patience, Request, RequestRejected, TransientError
from evalcore.models.cancellation import Cancellation
from evalcore.models.cap import Budget
from evalcore.models.prompt import Encoded, Part, encoded, parts
from evalcore.models.replies import Content
from evalcore.models.spending import Prices, Reservations, is_number
from evalcore.participants import Asker, ModelAdapter
from evalcore.records import Ending, Item, Prediction, Reply

if TYPE_CHECKING:
    import httpx2

Piece = str | Encoded
"""A part of a prompt as it is sent: text, or a picture."""

# Most that a reservation assumes, so that the cap holds. A token of text is at least one byte; a
# message has some around it. Makers count pictures very differently; the most known is gpt-4o-mini.
# Measured there: 2,845 tokens in with detail "low" and 8,512 with "high" for one tile and five
# words, so 2,833 and 5,667 for each tile, and a small picture is not blown up
# (community.openai.com/t/1262691). OpenAI's guide: fitted into 2,048 pixels, then its shorter side
# brought down to 768; tiles are of 512, so that there are at most eight.
TOKENS_AROUND = 64
TOKENS_TILE = 8_500
TOKENS_PICTURE = 50_000
TILE = 512

BYTES_A_TOKEN = 64
"""Of a reply with reasoning and answer, as JSON may spell them."""
CHARACTERS_A_TOKEN = 16
LONGEST = 100_000
"""Characters of an answer: far more than are ever meant."""

OPTIONAL = frozenset({"temperature", "image_size"})
"""Numbers that may be None."""


@dataclass(eq=False)
class Chat(ModelAdapter, Asker):
    """A model behind an API; answers benchmark items, and judges can ask it.

    ``predict`` and ``ask`` may be used from several threads; all calls share one limit and one
    spend cap. The key is read from the environment when the first call is made and kept nowhere
    but in the HTTP client.
    """

    model: str
    """The name by which the server knows the model."""
    _: KW_ONLY
    base_url: str | None = None
    """The server; None is the maker's own."""
    key_env: str | None = None
    """Environment variable with the key; None is the maker's usual one, which is sent to the
    maker's own server only: another server gets no key unless a variable is named."""
    instruction: str = ""
    """Put before every question; not before what a judge asks."""
    blind: bool = False
    """Leave the pictures out."""
    max_tokens: int = 2048
    temperature: float | None = 0.0
    """None leaves it to the server, as some reasoning models demand."""
    image_size: int | None = 448
    """Side of the square that pictures are resized to; None sends them as they are."""
    keep_shape: bool = False
    """Pictures keep their shape instead, and ``image_size`` is their longer side."""
    timeout_s: float = 120.0
    """For one request, all in all."""
    concurrency: int = 32
    """Most calls at once; fewer while the server is overloaded."""
    max_usd: float | None = None
    """The spend cap, which calls in flight cannot exceed either; needs both prices. A run caps
    its model and its judges together instead: ``spend_from``."""
    usd_per_mtok_in: float | None = None
    usd_per_mtok_out: float | None = None
    patience: Patience | Mapping[str, Any] = Patience()
    """Also as a mapping of its fields, as JSON has it."""
    name: str = field(init=False)

    calls_api = may_be_blind = paid = True
    maker_url: ClassVar[str]
    maker_key: ClassVar[str]

    def __post_init__(self) -> None:
        self.name = self.model = messages.checked(self.model, "model", "the server's name for it")
        for name in ("concurrency", "max_tokens", "timeout_s", "temperature", "image_size"):
            value = getattr(self, name)
            if not (is_number(value) or (value is None and name in OPTIONAL)):
                raise BadInput(f"{self.model}: {name} is {value!r}, not a number")
        if self.concurrency < 1 or self.max_tokens < 1 or self.timeout_s <= 0:
            raise BadInput(
                f"{self.model}: concurrency {self.concurrency!r}, max_tokens {self.max_tokens!r}"
                f" and timeout_s {self.timeout_s!r} must be positive"
            )
        self.address = self.base_url or self.maker_url
        messages.server(self.address, self.model)
        prices = Prices(self.usd_per_mtok_in, self.usd_per_mtok_out)
        self._ledger = Reservations(prices, self.max_usd, self.model)
        given = self.patience
        try:
            patience = given if isinstance(given, Patience) else Patience(**given)
        except TypeError as error:
            raise BadInput(f"{self.model}: patience {given!r}: {error}") from None
        self._calls = Calls(self.model, self._ledger, self.concurrency, patience)

    @property
    def spent_usd(self) -> float:
        """Dollars spent so far; a call cut off while under way counts with its worst case."""
        return self._ledger.spent_usd

    @property
    def prices(self) -> Prices:
        """What its tokens cost, as far as it is known."""
        return self._ledger.prices

    def spend_from(self, budget: Budget) -> None:
        """Pay all calls to come out of a budget that others spend from too.

        Raises:
            BadInput: The budget has a cap that cannot be kept: a price is unknown, or answers have
                no limit.
        """
        if budget.cap is not None:
            self._require_limit(budget.cap)
        self._ledger.spend_from(budget)

    def stop_with(self, stop: Cancellation) -> bool:
        """Begin no call once somebody asks so; ``predict`` gives what is under way, and ends."""
        self._calls.stop_with(stop)
        return True

    def most_usd(self, prompt: str, pictures: int) -> float:
        """The most that asking once can cost in dollars; 0 if nothing, or if nobody knows."""
        tokens_in = TOKENS_AROUND + len(prompt.encode()) + pictures * self._picture
        return self._ledger.most_usd(tokens_in, self._most_out())

    def _require_limit(self, cap: float) -> None:  # noqa: B027  most have one
        """Make sure that the most a call can cost is known, but for the prices."""

    @property
    def settings(self) -> str:
        """What decides an answer beside the model's name and the prompt, as JSON."""
        return json.dumps(self._settings_told(), sort_keys=True, default=dict)

    def facts(self) -> dict[str, str]:
        """What a run should record of how the model was really asked; never the key."""
        settings = {name: str(value) for name, value in self._settings_told().items()}
        return {
            "device": f"server {self._server}",
            "model": self.model,
            "instruction": self.instruction,
            "blind": "text only" if self.blind else "no",
            **settings,
        }

    def _settings_told(self) -> dict[str, object]:
        shape = "longer side" if self.keep_shape else "square"
        size = self.image_size
        return {
            "picture": f"{size} px {shape}" if size else "as it is",
            "most new tokens": self.max_tokens,
            "temperature": "the server's" if self.temperature is None else self.temperature,
        }

    @property
    def _server(self) -> str:
        return urlsplit(self.address).netloc

    def require_key(self) -> None:
        """Make sure that there is a key where one is needed, before anything is spent.

        Raises:
            ModelUnavailable: The environment variable holds none.
        """
        self._key()

    def predict(self, items: Iterable[Item]) -> Iterator[Prediction]:
        """Answer items, several at once, as the answers come.

        Raises:
            ModelUnavailable: Wrong key, unknown model, no server, or nothing but failures.
            SpendCapReached: The next call could exceed the cap; all answers so far are given out.
        """
        for item, reply in self._calls.many(items, self._question):
            yield Prediction(
                item.id,
                reply.text,
                reply.error,
                reply.seconds,
                reply.tokens_in,
                reply.tokens_out,
                reply.usd,
                reply.ended,
            )

    def ask(self, prompt: str, images: Sequence[Path] = ()) -> Reply:
        """Ask once; pictures go before the words, and no mark in the words counts as one.

        The words are sent as they are. A server that fails at a mark in them, such as ``<image>``
        where it finds no picture for it, is asked once more with marks in round brackets.

        Raises:
            ModelUnavailable: Wrong key, unknown model, no server, or nothing but failures.
            SpendCapReached: The call could exceed the cap.
            Stopped: Somebody asked to stop before.
        """
        try:
            request = self._request((*images, prompt))
            if (apart := inert(prompt)) != prompt:
                send, again = request.send, self._request((*images, apart)).send
                request = replace(request, send=lambda: _either(send, again))
            return self._calls.one(request)
        except RequestRejected as error:
            return Reply(None, error=str(error))

    @abstractmethod
    def _send(self, pieces: Sequence[Piece]) -> Reply:
        """Send one call; raises TransientError, RequestRejected or ModelUnavailable."""

    def _question(self, item: Item) -> Request:
        try:
            prompt = parts(item, self.instruction, blind=self.blind)
        except BadInput as error:
            raise RequestRejected(str(error)) from error
        return self._request(prompt, item.id)

    def _request(self, prompt: Sequence[Part], item: str | None = None) -> Request:
        try:
            pieces: list[Piece] = [
                values.words(part) or "" if isinstance(part, str) else self._encoded(part)
                for part in prompt
            ]
        except BadInput as error:
            raise RequestRejected(str(error)) from error
        return Request(lambda: self._send(pieces), self._most_in(pieces), self._most_out(), item)

    def _encoded(self, path: Path) -> Encoded:
        return encoded(path, self.image_size, keep_shape=self.keep_shape)

    def _most_in(self, pieces: Sequence[Piece]) -> int:
        return TOKENS_AROUND + sum(
            len(piece.encode()) if isinstance(piece, str) else self._picture for piece in pieces
        )

    @property
    def _picture(self) -> int:
        """Most tokens of one picture."""
        one_tile = self.image_size is not None and self.image_size <= TILE
        return TOKENS_TILE if one_tile else TOKENS_PICTURE

    def _most_out(self) -> int:
        return self.max_tokens

    def _client(self) -> "httpx2.Client":
        """The HTTP client of the maker's SDK."""
        most = bounded.MOST_BYTES + BYTES_A_TOKEN * self.max_tokens
        return bounded.client(self.timeout_s, self.concurrency, most)

    def _usable(
        self, content: Content, *, reasoned: bool, ended: Ending | None
    ) -> tuple[str | None, str | None]:
        """The answer as it is, or why there is none; one of them is None.

        Args:
            content: What the message holds.
            reasoned: Whether the model is known to have reasoned first.
            ended: Why it wrote no further.
        """
        text = content.text
        most = max(LONGEST, CHARACTERS_A_TOKEN * self.max_tokens)
        if content.strange:
            return None, unreadable(content.strange)
        if len(text) > most:
            return None, (
                f"the answer has {len(text):,} characters, more than the {most:,} that are kept;"
                " the server seems not to heed max_tokens"
            )
        unfinished = bool(text.strip()) and not without_thoughts(text).strip()
        if text.strip() and not unfinished:
            return text, None
        if reasoned or content.thought or unfinished:
            return None, "only reasoning, no answer (raise max_tokens)"
        return None, "cut off at max_tokens" if ended == "cut off" else "empty answer"

    def _key(self) -> str | None:
        """The key from the environment; None for a server that is asked without one."""
        if self.key_env is None and self.base_url is not None:
            return None
        variable = self.key_env or self.maker_key
        key = os.environ.get(variable, "").strip()
        if not key or not key.isascii() or not key.isprintable():
            raise ModelUnavailable(
                f"{self.model}: the environment variable {variable} holds no key; set it"
            )
        return key


def _either(send: Callable[[], Reply], apart: Callable[[], Reply]) -> Reply:
    """Send words as they are, or with their marks set apart if the server fails at them."""
    try:
        return send()
    except (TransientError, RequestRejected) as error:
        passing = isinstance(error, TransientError) and (error.overloaded or error.unreachable)
        if passing or error.billed:
            raise
    return apart()


def unreadable(what: str) -> str:
    """The error of an answer that is there, but not in a form that chat servers use."""
    return f"the server's reply cannot be read: {what}; is the address that of a chat server?"
