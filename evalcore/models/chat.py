"""What all models behind an API share; an adapter adds how one call is sent."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from evalcore.errors import BadInput, ModelUnavailable
from evalcore.models.calls import Calls, Patience, Rejected, Request
from evalcore.models.encoding import Encoded, encoded
from evalcore.models.prompt import Part, parts
from evalcore.models.spending import Ledger, Prices
from evalcore.records import Item, Prediction, Reply

Piece = str | Encoded
"""A part of a prompt as it is sent: text, or a picture."""

# Most that a reservation assumes, so that the cap holds. A token of text is at least one byte; a
# message has some around it. Makers count pictures very differently; the most known is
# gpt-4o-mini: 2,833 tokens and 5,667 for each tile of 512 pixels, of which there are at most eight.
TOKENS_AROUND = 64
TOKENS_RESIZED = 8_500
TOKENS_PICTURE = 50_000


@dataclass(eq=False)
class Chat(ABC):
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
    timeout_s: float = 120.0
    """For one request, all in all."""
    concurrency: int = 32
    """Most calls at once; fewer while the server is overloaded."""
    max_usd: float | None = None
    """The spend cap, which calls in flight cannot exceed either; needs both prices."""
    usd_per_mtok_in: float | None = None
    usd_per_mtok_out: float | None = None
    patience: Patience = Patience()
    name: str = field(init=False)

    maker_url: ClassVar[str]
    maker_key: ClassVar[str]

    def __post_init__(self) -> None:
        self.name = self.model
        if self.concurrency < 1 or self.max_tokens < 1 or self.timeout_s <= 0:
            raise BadInput(
                f"{self.model}: concurrency {self.concurrency!r}, max_tokens {self.max_tokens!r}"
                f" and timeout_s {self.timeout_s!r} must be positive"
            )
        self.address = self.base_url or self.maker_url
        server = urlsplit(self.address)
        if server.scheme not in ("http", "https") or not server.netloc or "@" in server.netloc:
            raise BadInput(
                f"{self.model}: base_url must be an address such as http://localhost:8000/v1,"
                " without a name or key in it"
            )
        prices = Prices(self.usd_per_mtok_in, self.usd_per_mtok_out)
        self._ledger = Ledger(prices, self.max_usd, self.model)
        self._calls = Calls(self.model, self._ledger, self.concurrency, self.patience)

    @property
    def spent_usd(self) -> float:
        """Dollars spent so far; a call cut off while under way counts with its worst case."""
        return self._ledger.spent_usd

    def predict(self, items: Sequence[Item]) -> Iterator[Prediction]:
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
            )

    def ask(self, prompt: str, images: Sequence[Path] = ()) -> Reply:
        """Ask once; pictures go before the words, whatever marks an answer in them contains.

        Raises:
            ModelUnavailable: Wrong key, unknown model, no server, or nothing but failures.
            SpendCapReached: The call could exceed the cap.
        """
        try:
            return self._calls.one(self._request((*images, prompt)))
        except Rejected as error:
            return Reply(None, error=str(error))

    @abstractmethod
    def _send(self, pieces: Sequence[Piece]) -> Reply:
        """Send one call; raises Passing, Rejected or ModelUnavailable."""

    def _question(self, item: Item) -> Request:
        try:
            prompt = parts(item, self.instruction, blind=self.blind)
        except BadInput as error:
            raise Rejected(str(error)) from error
        return self._request(prompt)

    def _request(self, prompt: Sequence[Part]) -> Request:
        try:
            pieces: list[Piece] = [
                part if isinstance(part, str) else encoded(part, self.image_size) for part in prompt
            ]
        except BadInput as error:
            raise Rejected(str(error)) from error
        return Request(lambda: self._send(pieces), self._most_in(pieces), self._most_out())

    def _most_in(self, pieces: Sequence[Piece]) -> int:
        picture = TOKENS_PICTURE if self.image_size is None else TOKENS_RESIZED
        return TOKENS_AROUND + sum(
            len(piece.encode()) if isinstance(piece, str) else picture for piece in pieces
        )

    def _most_out(self) -> int:
        return self.max_tokens

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


def usable(text: str, *, reasoned: bool, cut: bool) -> tuple[str | None, str | None]:
    """The answer as it is, or why there is none.

    Args:
        text: What the model answered, without its reasoning.
        reasoned: It reasoned first.
        cut: It ran into ``max_tokens``.

    Returns:
        Text and error; one of them is None.

    >>> usable("a cat", reasoned=False, cut=True)
    ('a cat', None)
    >>> usable(" ", reasoned=True, cut=True)
    (None, 'only reasoning, no answer (raise max_tokens)')
    """
    unfinished = text.lstrip().startswith("<think>") and "</think>" not in text
    if text.strip() and not unfinished:
        return text, None
    if reasoned or unfinished:
        return None, "only reasoning, no answer (raise max_tokens)"
    return None, "cut off at max_tokens" if cut else "empty answer"
