"""A model, a judge and a benchmark that need nothing, for tests and benchmarks of the engine."""

import json
import multiprocessing
import os
import struct
import time
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from evalcore.engine import sealed
from evalcore.engine.evaluate import evaluate
from evalcore.engine.progress import Progress
from evalcore.engine.runs import Run, Settings
from evalcore.participants import Judge, ModelAdapter
from evalcore.records import Item, Prediction, Verdict

SETTINGS = Settings("fake-1b", "fake", "tiny", "tiny")
processes = multiprocessing.get_context("forkserver")
"""New processes without this one's threads."""
processes.set_forkserver_preload(["tests.fakes"])


def png() -> bytes:
    """A black picture of 2 x 2."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        crc = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + crc

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0" * 14))
    return b"\x89PNG\r\n\x1a\n" + header + pixels + chunk(b"IEND", b"")


def items(number: int, folder: Path | None = None) -> list[Item]:
    """A benchmark: the right answer is the item's id; with a folder each has a picture there."""
    made = []
    for count in range(number):
        name = f"q/{count}"
        pictures: tuple[Path, ...] = ()
        if folder:
            pictures = (folder / f"{count}.png",)
            pictures[0].write_bytes(png())
        tag = ("kind", "even" if count % 2 == 0 else "odd")
        made.append(Item("tiny", name, f"What is {name}?", (name,), pictures, tags=(tag,)))
    return made


def question_file(folder: Path, number: int) -> str:
    """A file of questions about one picture, as a person writes it; gives its path."""
    (folder / "a.png").write_bytes(png())
    same = {"image": "a.png", "answers": ["red"]}
    rows = [{"id": f"q{count}", "question": f"Colour {count}?", **same} for count in range(number)]
    path = folder / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def as_written(run: Run, name: str, data: bytes | None = None) -> None:
    """Take a file of a run's folder as what the engine wrote there; ``data`` is put there first."""
    path = run.folder / name
    if data is not None:
        path.write_bytes(data)
    sealed.note_seals(run.folder, {name: path.read_bytes()})


def described(run: Run, **about: object) -> None:
    """Have a run's description tell something else."""
    told = json.loads((run.folder / "run.json").read_text("utf-8")) | about
    as_written(run, "run.json", json.dumps(told).encode())


def noted(path: Path | None) -> list[str]:
    """The calls that a fake noted in its file, in order."""
    return path.read_text().split() if path and path.exists() else []


def _note(path: Path | None, name: str) -> None:
    """One write, so that a call once begun is counted even if the process is killed in it."""
    if path:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(handle, f"{name}\n".encode())
        os.close(handle)


@dataclass
class FakeModel(ModelAdapter):
    """Answers each item with its id, one after the other, unless told otherwise."""

    answers: Mapping[str, str | None] = field(default_factory=dict)
    delay: float = 0.0
    breaks_on: Collection[str] = ()
    """Items at which it raises, alone or in a batch."""
    largest: int | None = None
    """It raises at once when it can take more items than this; else it takes one at a time."""
    silent_on: Collection[str] = ()
    twice: bool = False
    raises: tuple[str, Exception] | None = None
    """An item, and what to raise there."""
    calls: Path | None = None

    def __call__(self) -> "FakeModel":
        """It makes itself."""
        return self

    def predict(self, items: Iterable[Item]) -> Iterator[Prediction]:
        """Answer one item after the other."""
        if self.largest is not None:
            items = list(islice(items, self.largest + 1))
            if len(items) > self.largest:
                raise RuntimeError("out of memory")
        for item in items:
            _note(self.calls, item.id)
            time.sleep(self.delay)
            if self.raises and item.id == self.raises[0]:
                raise self.raises[1]
            if item.id in self.breaks_on:
                raise ValueError(f"cannot look at {item.id}")
            if item.id not in self.silent_on:
                told = Prediction(item.id, self.answers.get(item.id, item.id), usd=0.25)
                yield from [told, told] if self.twice else [told]


@dataclass
class FakeJudge(Judge):
    """1 if the answer is the reference, else 0; it is asked as judges are that cost money."""

    name: str = "exact"
    version: str = "1"
    concurrency: int = 2
    delay: float = 0.0
    breaks_on: Collection[str] = ()
    raises: Exception | None = None
    calls: Path | None = None

    def judge(self, item: Item, prediction: Prediction, repeat: int = 0) -> Verdict:
        """Compare."""
        _note(self.calls, item.id)
        time.sleep(self.delay)
        if self.raises:
            raise self.raises
        if item.id in self.breaks_on:
            raise KeyError(item.id)
        right = float(prediction.text in item.answers)
        return Verdict(item.id, self.name, self.version, repeat, right, usd=0.5)


def stream(folder: Path, model: FakeModel, judge: FakeJudge) -> Progress:
    """What the processes of the tests do: answer, judge and seal one run."""
    return evaluate(Run(folder), model, [judge])


def start(folder: Path, model: FakeModel, judge: FakeJudge) -> multiprocessing.Process:
    """The same in a process of its own."""
    process = processes.Process(target=stream, args=(folder, model, judge))
    process.start()
    return process
