"""The run folder: the truth of a fresh result, readable by any process at any moment.

Layout: ``run.json`` (settings and provenance), ``items.jsonl``, ``predictions/<worker>.jsonl`` and
``verdicts/<judge>/<worker>.jsonl`` while it runs; ``predictions.parquet`` and
``verdicts/<judge>.parquet`` once sealed; ``facts`` (see ``provenance``), ``spending.jsonl`` (see
``budget``) and ``ledger.jsonl`` (see ``ledger``). Lines are only appended, each by one write, so
that a kill costs at most the line being written (see ``lines``).
"""

import dataclasses
import hashlib
import json
import logging
import platform
import re
import shutil
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evalcore import home
from evalcore.engine import lines, provenance, sealed
from evalcore.engine.folder import ABOUT, ITEMS, canonical, read_about, read_items, revision
from evalcore.engine.lines import Writer, cannot
from evalcore.engine.sealed import Follower
from evalcore.errors import BadInput, EvalcoreError
from evalcore.records import Item, Prediction, Verdict

OPERATIONAL = frozenset(
    {
        "max_usd", "usd_per_mtok_in", "usd_per_mtok_out", "concurrency", "timeout_s", "key_env",
        "patience", "device",
    }
)  # fmt: skip
"""Options that change how a run is carried out but not what is asked: the run stays the same."""
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Settings:
    """Everything that decides what a run answers; another setting is another run."""

    model: str
    """The model's id, as it will stand in the store."""
    adapter: str
    """A row of ``models.ADAPTERS``."""
    benchmark: str
    """The benchmark's id, as it will stand in the store."""
    loader: str
    """A row of ``benchmarks.LOADERS``."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of the adapter: path, image size, instruction, precision, most tokens ..."""
    loader_options: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None
    """Items to take (seeded, by tag); None takes all."""
    seed: int = 0

    @property
    def id(self) -> str:
        """The run's id: model, benchmark and a hash of the settings."""
        fields = dataclasses.asdict(self)
        fields["options"] = {
            name: value for name, value in self.options.items() if name not in OPERATIONAL
        }
        digest = hashlib.sha256(canonical(fields).encode()).hexdigest()[:10]
        return f"{slug(self.model)}--{slug(self.benchmark)}--{digest}"


class Run:
    """One run folder."""

    def __init__(self, folder: Path) -> None:
        """Open a run folder.

        Raises:
            EvalcoreError: There is no readable ``run.json``.
        """
        self.folder = folder
        about = read_about(folder)
        self.settings = Settings(**about.pop("settings"))
        self.about: dict[str, Any] = about
        """Provenance: created, code, packages, device, revision, items."""
        self.checked = False
        """Whether this process knows that questions and pictures are those it began with."""

    @property
    def id(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def shipped(self) -> bool:
        """Whether it came with the project: a demo, only read and never gone on with."""
        return self.folder.parent == home.shipped_runs_folder()

    def items(self) -> list[Item]:
        """The run's items in order; a picture without a whole path lies in the run's folder.

        Raises:
            EvalcoreError: Some cannot be read.
        """
        return read_items(self.folder, int(self.about["items"]))

    def predictions(self) -> dict[str, Prediction]:
        """The answers so far by item; a later answer replaces a failed one, never a good one.

        The ``usd`` of one is what all attempts at its item cost together.
        """
        return {
            prediction.item: prediction for prediction in self.follow_predictions().now().values()
        }

    def follow_predictions(self) -> Follower[Prediction]:
        """The same, to be asked again and again while the run goes on."""
        return Follower(
            self.folder, "predictions", Prediction, lambda prediction: prediction.text is not None
        )

    def judges(self) -> list[str]:
        """The verdict keys (see ``verdict_key``) that have verdicts."""
        folder = self.folder / "verdicts"
        return sorted(
            {
                path.name.removesuffix(".parquet")
                for path in folder.glob("[!.]*")
                if path.is_dir() or path.suffix == ".parquet"
            }
        )

    def verdicts(
        self, key: str, answers: Mapping[str, Prediction] | None = None
    ) -> dict[str, Verdict]:
        """One judge's verdicts of one repeat by item, on the answers that are there now.

        Args:
            key: One of ``judges()``.
            answers: ``predictions()``, where they are known already.
        """
        held = self.predictions() if answers is None else answers
        return lines.counting(self.follow_verdicts(key).now().values(), held)

    def follow_verdicts(self, key: str) -> Follower[Verdict]:
        """All verdicts of a key, also on answers that are gone, to be asked again and again."""
        return Follower(
            self.folder, f"verdicts/{key}", Verdict, lambda verdict: verdict.score is not None
        )

    def sealed(self, part: str) -> bool:
        """Whether ``predictions`` or ``verdicts/<judge>`` has its final form."""
        return (self.folder / f"{part}.parquet").exists()

    def remember_judges(self, specs: Sequence[str], repeats: int, **setup: object) -> None:
        """Note with which judges the run is carried out, so that it can be resumed with them.

        Args:
            specs: The judges as they were named: ``goeval-ref-noimage=openai:gpt-4o-mini``.
            repeats: How often each scores each answer.
            setup: What else ``launch.judges_of`` was given, such as ``prompt_file``.

        Raises:
            EvalcoreError: The folder cannot be written.
        """
        given = {name: value for name, value in setup.items() if value is not None}
        self.tell("judges", {"specs": list(specs), "repeats": repeats, "setup": given})

    def judge_specs(self) -> tuple[list[str], int]:
        """All judges that the run was carried out with, and the repeats that were last asked for.

        Empty and 1 for a run that was never told any.
        """
        facts = [fact.about for fact in self.facts("judges")]
        specs = dict.fromkeys(spec for about in facts for spec in about["specs"])
        return list(specs), int(facts[-1]["repeats"]) if facts else 1

    def judge_setup(self) -> dict[str, Any]:
        """What else the judges were made with: ``judges_of(specs, **run.judge_setup())``."""
        setups = [fact.about["setup"] for fact in self.facts("judges")]
        return {name: value for setup in setups for name, value in setup.items()}

    def tell(self, kind: str, about: Mapping[str, Any]) -> None:
        """Append a fact of how this process carries the run out; see ``provenance.Fact``.

        Raises:
            EvalcoreError: The folder cannot be written.
        """
        provenance.tell(self.folder, kind, about)

    def facts(self, kind: str = "model") -> list[provenance.Fact]:
        """What the run's workers told, oldest first: how the model was really run, by default."""
        return provenance.facts(self.folder, kind)

    def fact(self, name: str) -> str | None:
        """One fact of how the model was really run, of all workers: ``cpu; cuda:0 NVIDIA A40``."""
        values = [fact.about.get(name) for fact in self.facts()]
        return "; ".join(dict.fromkeys(str(value) for value in values if value)) or None

    def writer(self, part: str) -> Writer:
        """A file of this process's own to append to."""
        return Writer(self.folder / part)

    def seal(self, part: str, rows: Sequence[Prediction | Verdict] | None = None) -> None:
        """Write ``part`` in its final form; what it was gathered from goes afterwards.

        One process at a time (see ``claims.Claims.alone``). Lines that came after an earlier
        sealing (judgements tried again) are taken in.

        Args:
            part: ``predictions`` or ``verdicts/<judge>``.
            rows: All of its records that count, from a process that knows them; None reads them.

        Raises:
            EvalcoreError: The disk is full; the lines stay as they are.
        """
        if self.sealed(part) and not any((self.folder / part).glob("*.jsonl")):
            return
        if rows is None and part == "predictions":
            held = self.predictions()
            rows = [held[item.id] for item in self.items() if item.id in held]
        elif rows is None:
            # Also those on answers that are gone: they were paid for, and name what they judged.
            rows = list(self.follow_verdicts(part.removeprefix("verdicts/")).now().values())
        try:
            sealed.write(self.folder, part, rows, _record(part))
        except UnicodeEncodeError:  # half a surrogate pair, which the lines have not
            self.seal(part)


def create(settings: Settings, items: Sequence[Item], device: str) -> Run:
    """Open the run of these settings, making its folder if it is new.

    Raises:
        BadInput: The run exists with other items: the benchmark's data has changed since.
        EvalcoreError: The home folder cannot be written.
    """
    folder = home.runs_folder() / settings.id
    digest = revision(items)
    if not (folder / "run.json").exists():
        _lay(folder, settings, items, digest, device)
    run = Run(folder)
    if run.about["revision"] != digest:
        raise BadInput(
            f"{folder}: the benchmark {settings.benchmark!r} has other items now (revision "
            f"{digest}, the run began with {run.about['revision']}); move that folder away to "
            "begin anew"
        )
    run.checked = True
    return run


def every() -> list[Run]:
    """All runs that can be read, those that ship first; one made here hides its shipped twin."""
    own_runs = own()
    ids = {run.id for run in own_runs}
    return [*(run for run in _in(home.shipped_runs_folder()) if run.id not in ids), *own_runs]


def own() -> list[Run]:
    """The runs of this machine that can be read."""
    return _in(home.runs_folder())


def unreadable() -> dict[str, str]:
    """The folders among this machine's runs that are none, and why."""
    reasons = {}
    for path in sorted(home.runs_folder().glob("[!.]*/")):
        try:
            Run(path)
        except EvalcoreError as error:
            reasons[path.name] = str(error)
    return reasons


def _in(folder: Path) -> list[Run]:
    """The runs of a folder; one that cannot be read is logged."""
    runs = []
    # A name with a dot before it is being made, or left by a killed process.
    for path in sorted(folder.glob("[!.]*/run.json")):
        try:
            runs.append(Run(path.parent))
        except EvalcoreError as error:
            log.warning("passed over: %s", error)
    return runs


def verdict_key(judge: str, version: str, repeat: int) -> str:
    """The name of a verdict file: a judge in one version, one of its repeats."""
    return f"{slug(judge)}-{slug(version)}-r{repeat}"


def slug(text: str) -> str:
    """A name as part of a path.

    >>> slug("goeval-ref:GPT 4o/mini")
    'goeval-ref-gpt-4o-mini'
    """
    return re.sub(r"[^a-z0-9.+]+", "-", text.lower()).strip("-.")[:80]


def _lay(folder: Path, settings: Settings, items: Sequence[Item], digest: str, device: str) -> None:
    """Make the folder aside and move it into place, so that it is there whole or not at all."""
    about = {
        "settings": dataclasses.asdict(settings),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "code": provenance.code_version(),
        "packages": provenance.packages(),
        "python": platform.python_version(),
        "device": device,
        "revision": digest,
        "items": len(items),
        "layout": sealed.LAYOUT,
    }
    aside = folder.with_name(f".{folder.name}.{uuid.uuid4().hex[:8]}")
    try:
        aside.mkdir(parents=True)
        lines = "".join(canonical(dataclasses.asdict(item)) + "\n" for item in items)
        (aside / ITEMS).write_text(lines, encoding="utf-8")
        (aside / ABOUT).write_text(json.dumps(about, indent=1, default=str), encoding="utf-8")
        sealed.note_all(aside)
        aside.rename(folder)
    except (OSError, EvalcoreError) as error:
        shutil.rmtree(aside, ignore_errors=True)
        if not (folder / ABOUT).exists():  # otherwise another process was first
            raise no_folder(folder, error) from None


def no_folder(folder: Path, error: Exception) -> EvalcoreError:
    """The error for a run folder that cannot be made."""
    if not isinstance(error, OSError):
        return EvalcoreError(f"cannot make the run folder {folder}: {error}")
    way = "set EVALCORE_HOME to a folder that you may write to"
    return cannot(f"make the run folder {folder}", error, way)


def _record(part: str) -> type[Prediction] | type[Verdict]:
    return Prediction if part == "predictions" else Verdict
