"""Pictures and texts → embeddings, each made once and kept.

Pictures are decoded and resized by threads while the model works on those before them. What is kept
of them (bytes, so that any model of the same transform finds just what it would have made itself)
and of the embeddings is whole chunk by chunk, so that a killed run goes on where it was.
"""

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from evalcore.contrastive.cache import Cache, Chunk, Entry
from evalcore.contrastive.encoder import NO_VECTOR, Encoder, check_widths, joined, sound
from evalcore.contrastive.pictures import Pictures
from evalcore.contrastive.scoring import Floats, Ints, Rows
from evalcore.errors import BadInput, EvalcoreError
from evalcore.pictures import Unreadable

CHUNK = 512
"""Pictures that are kept together; a kill loses at most so many."""
TEXT_CHUNK = 2048
AHEAD = 2
"""Chunks of pictures that are made ready while the model works."""
SLICE = 32
"""Pictures that a thread takes at a time."""
BATCH = 64
CUT = "longer than the model's context"
Watch = Callable[[int, int], None]


@dataclass
class Embedded:
    """The embeddings of all pictures or texts of a benchmark."""

    vectors: Rows
    """(n, d) of length one; NaN where a picture has no embedding."""
    failed: dict[int, str] = field(default_factory=dict)
    """Picture → why it has no embedding; text → that it was cut."""
    encoded: int = 0
    """How many the model was shown now; the others were kept from before."""
    decoded: int = 0
    """How many pictures were decoded and resized now."""


def images(
    encoder: Encoder,
    pictures: Pictures,
    cache: Cache,
    *,
    batch: int = BATCH,
    watch: Watch = lambda done, total: None,
) -> Embedded:
    """The embeddings of pictures.

    Args:
        encoder: The model.
        pictures: What to show it.
        cache: What is kept from before, and takes in what is made.
        batch: Pictures that the model sees at a time.
        watch: Told how many are done, and of how many.

    Raises:
        EvalcoreError: Not one picture has an embedding, or the model cannot take them.
    """
    total, about = len(pictures), {"of": pictures.revision, "transform": encoder.transform.key}
    label = f"{total} pictures, first {pictures.name(0)}"
    normal = [*encoder.transform.mean, *encoder.transform.std]
    made_by = {**about, "model": encoder.fingerprint, "normal": normal}
    kept = cache.entry("images", made_by, f"{encoder.name}: {label}")
    numbers = range(-(-total // CHUNK))
    held = {n: chunk for n in numbers if (chunk := _kept(kept, n, total)) is not None}
    missing = [number for number in numbers if number not in held]
    embedded = Embedded(np.empty((0, 0), np.float32))
    done = sum(len(chunk.rows) for chunk in held.values())
    if missing:
        source = _Pixels(encoder, pictures, cache.entry("pixels", about, label))
        for number, pixels in source.chunks(missing):
            held[number], whole = _encoded(encoder, pixels, batch, pictures, number * CHUNK)
            if whole:
                kept.write(number, held[number])
            embedded.encoded += len(pixels.rows)
            done += len(pixels.rows)
            watch(done, total)
        embedded.decoded = source.decoded
    for number in numbers:
        embedded.failed |= {number * CHUNK + row: why for row, why in held[number].failed.items()}
    _check_some(encoder, embedded.failed, total)
    parts = [held[number].rows for number in numbers]
    check_widths(parts, encoder.name)
    embedded.vectors = Stacked(parts)
    return embedded


def _check_some(encoder: Encoder, failed: Mapping[int, str], total: int) -> None:
    """Refuse a set of which not one picture has an embedding."""
    if len(failed) < total:
        return
    if all(why.endswith(NO_VECTOR) for why in failed.values()):
        raise EvalcoreError(
            f"model {encoder.name!r} gives no embedding for any of {total} pictures: "
            f"{failed[0]}; check its weights and its precision"
        )
    raise BadInput(
        f"none of {total} pictures can be read: {failed[0]}; they should be whole, of a "
        "format that Pillow knows, such as PNG or JPEG"
    )


def texts(encoder: Encoder, sentences: Sequence[str], cache: Cache) -> Embedded:
    """The embeddings of texts, in large batches; the same text is shown to the model once.

    Raises:
        EvalcoreError: The model has no embedding for a text, or cannot take them.
    """
    known = list(dict.fromkeys(sentences))
    place = {text: at for at, text in enumerate(known)}
    label = f"{encoder.name}: {len(known)} texts, first {known[0]!r}"
    kept = cache.entry("texts", {"of": known, "model": encoder.fingerprint}, label)
    embedded, parts = Embedded(np.empty((0, 0), np.float32)), []
    cut: set[str] = set()
    for number, begin in enumerate(range(0, len(known), TEXT_CHUNK)):
        part = known[begin : begin + TEXT_CHUNK]
        chunk = kept.read(number)
        if chunk is None or len(chunk.rows) != len(part) or not sound(chunk.rows).all():
            chunk = Chunk(encoder.texts(part), dict.fromkeys(encoder.too_long(part), CUT))
            _check_texts(encoder, part, chunk.rows)
            kept.write(number, chunk)
            embedded.encoded += len(chunk.rows)
        parts.append(chunk.rows)
        cut.update(known[begin + row] for row in chunk.failed)
    embedded.vectors = joined(parts, encoder.name)[[place[text] for text in sentences]]
    embedded.failed = {at: CUT for at, text in enumerate(sentences) if text in cut}
    return embedded


def _check_texts(encoder: Encoder, sentences: Sequence[str], rows: Floats) -> None:
    """Refuse texts without an embedding: no picture could be scored against them."""
    bad = np.flatnonzero(~sound(rows))
    if len(bad):
        raise EvalcoreError(
            f"model {encoder.name!r} gives no embedding for {len(bad)} of {len(sentences)} texts, "
            f"first {sentences[bad[0]]!r}: {NO_VECTOR}"
        )


class Stacked:
    """Chunks of rows as one array, of which only what is asked for comes into memory."""

    def __init__(self, parts: Sequence[Floats]) -> None:
        """Stack parts of ``CHUNK`` rows, the last perhaps shorter; one with no width is unknown."""
        self._width = max(part.shape[1] for part in parts)
        self._parts = [
            part if part.shape[1] else np.full((len(part), self._width), np.nan, np.float32)
            for part in parts
        ]
        self._length = sum(map(len, parts))

    def __len__(self) -> int:
        """How many rows there are."""
        return self._length

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and their width."""
        return self._length, self._width

    def __getitem__(self, asked: "slice | Ints") -> Floats:
        """Some rows, by a slice or by their numbers."""
        wanted = np.arange(self._length)[asked]
        gathered = np.empty((len(wanted), self._width), np.float32)
        for number in np.unique(wanted // CHUNK):
            inside = wanted // CHUNK == number
            gathered[inside] = self._parts[number][wanted[inside] - number * CHUNK]
        return gathered


def _kept(entry: Entry, number: int, total: int) -> Chunk | None:
    """A chunk that is kept and whole: each row a vector, or told why it is none."""
    chunk = entry.read(number)
    if chunk is None or len(chunk.rows) != min(CHUNK, total - number * CHUNK):
        return None
    bad = np.flatnonzero(~sound(chunk.rows)) if chunk.rows.shape[1] else range(len(chunk.rows))
    return chunk if set(map(int, bad)) <= chunk.failed.keys() else None


def _encoded(
    encoder: Encoder, pixels: Chunk, batch: int, pictures: Pictures, begin: int
) -> tuple[Chunk, bool]:
    """The embeddings of some pictures, and whether the model gave one for each that it saw.

    Where it did not, nothing is kept: another day or machine may give it.
    """
    if len(pixels.failed) == len(pixels.rows):
        return Chunk(np.empty((len(pixels.rows), 0), np.float32), pixels.failed), True
    rows = [
        encoder.images(np.array(pixels.rows[at : at + batch]))  # torch wants its own
        for at in range(0, len(pixels.rows), batch)
    ]
    vectors = np.array(joined(rows, encoder.name))
    vectors[list(pixels.failed)] = np.nan
    lacks = {
        int(row): f"{pictures.name(begin + int(row))}: {NO_VECTOR}"
        for row in np.flatnonzero(~sound(vectors))
        if int(row) not in pixels.failed
    }
    return Chunk(vectors, {**pixels.failed, **lacks}), not lacks


class _Pixels:
    """A benchmark's pictures as a model wants them, in chunks."""

    def __init__(self, encoder: Encoder, pictures: Pictures, kept: Entry) -> None:
        self.transform, self.pictures, self.kept = encoder.transform, pictures, kept
        self.decoded = 0
        self._writing: deque[Future[None]] = deque()

    def chunks(self, numbers: Sequence[int]) -> Iterator[tuple[int, Chunk]]:
        """These chunks in order, some of them made ready before they are asked for."""
        threads = (os.cpu_count() or 1) if self.pictures.parallel else 1
        with ThreadPoolExecutor(threads) as pool, ThreadPoolExecutor(1) as keeper:
            queue: deque[tuple[int, Callable[[], Chunk]]] = deque()
            for number in numbers:
                queue.append((number, self._begin(number, pool, keeper)))
                if len(queue) > AHEAD:
                    first, ready = queue.popleft()
                    yield first, ready()
            while queue:
                first, ready = queue.popleft()
                yield first, ready()

    def _begin(
        self, number: int, pool: ThreadPoolExecutor, keeper: ThreadPoolExecutor
    ) -> Callable[[], Chunk]:
        """Have a chunk made ready; what comes back waits for it."""
        held = self.kept.read(number)
        if held is not None:
            return lambda: held
        end = min((number + 1) * CHUNK, len(self.pictures))
        begins = range(number * CHUNK, end, SLICE)
        parts = [pool.submit(self._some, at, min(at + SLICE, end)) for at in begins]

        def ready() -> Chunk:
            chunk = _joined(parts)
            self.decoded += len(chunk.rows)
            self._writing.append(keeper.submit(self.kept.write, number, chunk))
            if len(self._writing) > AHEAD:  # a slow disk must not fill the memory
                self._writing.popleft().result()
            return chunk

        return ready

    def _some(self, begin: int, end: int) -> list[Any]:
        return [self._one(at) for at in range(begin, end)]

    def _one(self, at: int) -> Any:
        """A picture's pixels, or in words why there are none."""
        try:
            return self.transform.pixels(self.pictures[at])
        except Unreadable as error:
            return str(error)
        except EvalcoreError:
            raise
        except Exception as error:  # noqa: BLE001  any decoder may raise anything
            return f"{self.pictures.name(at)} cannot be read ({type(error).__name__}: {error})"


def _joined(parts: Sequence["Future[list[Any]]"]) -> Chunk:
    """One array of all pictures; an empty one where a picture could not be read."""
    pictures = [picture for part in parts for picture in part.result()]
    failed = {row: picture for row, picture in enumerate(pictures) if isinstance(picture, str)}
    read = [picture for picture in pictures if not isinstance(picture, str)]
    if not read:
        return Chunk(np.zeros((len(pictures), 1, 1, 1), np.uint8), failed)
    channels = max(picture.shape[0] for picture in read)
    rows = np.zeros((len(pictures), channels, *read[0].shape[1:]), read[0].dtype)
    for row, picture in enumerate(pictures):
        if not isinstance(picture, str):
            rows[row] = picture  # a grey picture beside colours has three equal channels
    return Chunk(rows, failed)


class PictureSubset:
    """Some of the pictures of a benchmark."""

    def __init__(self, pictures: Pictures, rows: Ints) -> None:
        """Take the pictures of these numbers, in this order."""
        self.pictures, self.rows = pictures, rows
        self.parallel = pictures.parallel
        digest = hashlib.sha256(f"{pictures.revision}".encode() + rows.tobytes())
        self.revision = None if pictures.revision is None else digest.hexdigest()[:16]

    def __len__(self) -> int:
        """How many there are."""
        return len(self.rows)

    def __getitem__(self, at: int) -> Image.Image:
        """One picture."""
        return self.pictures[int(self.rows[at])]

    def name(self, at: int) -> str:
        """As among all."""
        return self.pictures.name(int(self.rows[at]))

    def path(self, at: int) -> Path | None:
        """As among all."""
        return self.pictures.path(int(self.rows[at]))

    def alike(self) -> None:
        """None: none is there twice."""

    wholes = alike


class Spread:
    """Rows of an array, some of them several times; no copy is made before one is asked for."""

    def __init__(self, rows: Rows, places: Ints) -> None:
        """Take (m, d) rows and, for each of n, the number of its row."""
        self.rows, self.places = rows, places

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.places)

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and their width."""
        return len(self.places), *self.rows.shape[1:]

    def __getitem__(self, asked: Any) -> Floats:
        """Some rows, by a slice or by their numbers."""
        return self.rows[self.places[asked]]


def images_once(encoder: Encoder, pictures: Pictures, cache: Cache, **how: Any) -> Embedded:
    """As ``images``, whose ``how`` it takes; the same picture is shown to the model once.

    Returns:
        ``vectors`` and ``failed`` of all pictures; ``encoded`` and ``decoded`` count each once.
    """
    same = pictures.alike()
    if same is None:
        return images(encoder, pictures, cache, **how)
    first = np.unique(same, return_index=True)[1]
    embedded = images(encoder, PictureSubset(pictures, first), cache, **how)
    failed = {
        at: embedded.failed[place]
        for at, place in enumerate(same.tolist())
        if place in embedded.failed
    }
    return replace(embedded, vectors=Spread(embedded.vectors, same), failed=failed)
