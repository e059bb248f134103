"""A home in which every text that comes from outside asks for a picture of a server that counts."""

import csv
import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from evalcore import home, notes
from evalcore.engine import runs
from evalcore.engine.runs import Run, Settings
from evalcore.home import ROOT
from evalcore.records import Item, Prediction, Verdict
from tests.fakes import as_written, described, png

ITEMS = 12
UNANSWERED = 5
STUDY = "demo-clip"
"""Of the shipped runs, those that make a study of digits."""


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """A server that nothing may ask: its address, and what it was asked for."""
    asked: list[str] = []

    class Noting(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *about: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Noting) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()


def markup(server: str, what: str) -> str:
    """A text in the place of ``what`` that is markup wherever markup is read.

    Args:
        server: Address of the server that must not be asked.
        what: Which text it is; stands in what the server is asked for.
    """
    where = f"{server}/{what}"
    return (
        f"{what} ![m]({where}.png) :red[hi] $x^2$ <img src={where}.gif onerror=alert(1)> "
        f'<a href="{where}">l</a> '
        f"[a]({where}) <b>b</b> **c** :smile: {where}/bare"
    )


def brief(server: str, what: str) -> str:
    """A shorter one, for a model of one's own."""
    return f"![m]({server}/{what}.png) :red[hi] $x^2$ <b>b"


def made(server: str, folder: Path) -> list[Run]:
    """Fill the home in use with hostile runs, catalogue rows and notes; gives the runs.

    Args:
        server: As from ``listening``.
        folder: For the pictures of the questions.
    """
    _catalog(server)
    items = _items(server, folder)
    found = [_ran(server, items, number) for number in range(3)]
    _begun(server, items, len(found))
    notes.flag(items[0].benchmark, items[0].id, True, markup(server, "why"))
    for run in found:
        for item in items:
            notes.label(item.benchmark, item.id, run.id, brief(server, "rater"), "yes")
    for path in home.shipped_runs_folder().glob(f"{STUDY}--*"):
        _renamed(path, markup(server, "study"))
    return found


def uploads(server: str, folder: Path) -> tuple[Path, Path]:
    """Scores of one's own and labels of one's own, with hostile names, in files of such names."""
    name = markup(server, "upload").replace("/", ":")[:60]
    scores, labels = folder / f"{name}.csv", folder / f"labels {name}.csv"
    tags = (
        "Chart Understanding",
        "Document Understanding",
        "Knowledge-based Visual Question-Answering",
        "Visual Question-Answering",
    )
    model = brief(server, "own")
    _write(scores, ["model", "benchmark", "axis", "tag", "score", "n"], [
        [model, "vqa360", "task_type", tag, 0.9, 500] for tag in tags
    ])  # fmt: skip
    _write(labels, ["model", "item", "rater", "label"], [
        [f"{number} {markup(server, 'model')}", f"{at} {markup(server, 'item')}",
         brief(server, "rater"), "no"]
        for number in range(3) for at in range(ITEMS)
    ])  # fmt: skip
    return scores, labels


def _items(server: str, folder: Path) -> list[Item]:
    there = folder / "![p](x) :red[p] **p**.png"
    there.write_bytes(png())
    gone = folder / "![gone](x) :red[g].png"
    return [
        Item(
            markup(server, "benchmark"),
            f"{at} {markup(server, 'item')}",
            f"{at} {markup(server, 'question')}",
            (markup(server, "answer"),),
            images=(there if at % 2 else gone,),
            choices=(markup(server, "answer"), markup(server, "choice")),
            tags=(
                (markup(server, "axis"), f"{at % 2} {markup(server, 'tag')}"),
                ("capability", markup(server, "capability")),
            ),
        )
        for at in range(ITEMS)
    ]


def _begun(server: str, items: list[Item], number: int) -> Run:
    """A run without any answer: it can be gone on with."""
    settings = Settings(f"{number} {markup(server, 'model')}", "fake", items[0].benchmark, "fake")
    run = runs.create(settings, [], "here")
    lines = [json.dumps(vars(item) | {"images": [*map(str, item.images)]}) for item in items]
    as_written(run, "items.jsonl", ("\n".join(lines) + "\n").encode())
    described(run, items=len(items), device=markup(server, "device"))
    return Run(run.folder)


def _ran(server: str, items: list[Item], number: int) -> Run:
    """A sealed run: a rule and a language model have judged."""
    run = _begun(server, items, number)
    answers = [
        Prediction(item.id, f"{markup(server, 'answer')} {number}", seconds=1.0, usd=0.1)
        for item in items
    ]
    answers[UNANSWERED] = Prediction(items[UNANSWERED].id, None, markup(server, "error"))
    run.seal("predictions", answers)
    for judge in ("exact", f"goeval:{markup(server, 'judge')}"):
        said = [
            Verdict(
                item.id, judge, "1", 0, float((at + number) % 3 > 0),
                extracted=markup(server, "extracted"), reason=markup(server, "reason"),
                reply=markup(server, "reply"),
            )
            for at, item in enumerate(items)
            if at != UNANSWERED
        ]  # fmt: skip
        run.tell("judge", {"judge": judge, "version": "1"})
        run.seal(f"verdicts/{runs.verdict_key(judge, '1', 0)}", said)
    return run


def _renamed(path: Path, model: str) -> None:
    """A run as another model's."""
    folder = home.runs_folder() / path.name.replace(STUDY, "study")
    shutil.copytree(path, folder)
    about = json.loads((folder / "run.json").read_text("utf-8"))
    described(Run(folder), settings=about["settings"] | {"model": model})


def _catalog(server: str) -> None:
    """A source and a model of one's own, with hostile words in every free column."""
    kinds = {
        "sources": {"id": "hostile", "relation": "maker", "url": "javascript:alert(1)"},
        "models": {"id": "hostile", "kind": "generative", "source": "hostile"},
    }
    free = {"title", "note", "licence", "name", "maker", "family", "architecture"}
    for kind, fixed in kinds.items():
        with (ROOT / "data" / "catalog" / f"{kind}.csv").open(encoding="utf-8") as shipped:
            columns = next(csv.reader(shipped))
        row = {name: markup(server, f"{kind}-{name}") for name in columns if name in free} | fixed
        folder = home.home() / "catalog"
        folder.mkdir(exist_ok=True)
        _write(folder / f"{kind}.csv", columns, [[row.get(name, "") for name in columns]])


def _write(path: Path, columns: list[str], rows: list[list[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
