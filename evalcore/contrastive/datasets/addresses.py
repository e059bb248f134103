"""Benchmarks by address: tar shards of a web server, data sets of the Hugging Face hub.

A download goes into a folder and stays there: ``cache/data`` in the home folder, or the hub's own
cache. What a kill interrupts goes on where it was, and what is whole needs no network.
"""

import contextlib
import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from evalcore.contrastive import cache
from evalcore.contrastive.datasets.naming import SPLITS
from evalcore.errors import BadInput
from evalcore.hub import reachable
from evalcore.models import bounded

if TYPE_CHECKING:
    import httpx2

HUB = "hf:"
"""How the name of a data set of the hub begins: ``hf:owner/name``, with ``@commit`` if need be."""
WEB = re.compile(r"https?://", re.IGNORECASE)
TEXTS = ("classnames.txt", "zeroshot_classification_templates.txt", "dataset_type.txt")
"""What may lie beside the shards, in clip-benchmark's layout."""
COUNT = "nshards.txt"
WHOLE = "whole.json"
"""Says of a folder that everything is there, and how large each file is."""
SINGLE = (".tar", ".parquet")
MOST_SHARDS = 100_000
TIMEOUT_S = 60.0
BLOCK = 2**20
MISSING = frozenset({403, 404, 410})
"""What servers answer for a file that is not there; some stores say 403."""
NO_HEAD = frozenset({405, 501})
PARTIAL = 206
PLAIN = {"Accept-Encoding": "identity"}
WEAK = "W/"
"""How the tag of a file begins that does not name its very bytes."""


def remote(text: str) -> bool:
    """Whether a benchmark is named by an address."""
    return text.startswith(HUB) or bool(WEB.match(text))


def local(text: str, split: str | None = None) -> Path:
    """The folder or file on this disk that an address stands for, downloaded if need be.

    Args:
        text: ``https://host/path`` of a folder in clip-benchmark's layout (``test/0.tar`` …), of
            one tar file or one Parquet file; or ``hf:owner/name``.
        split: Which split of a data set of the hub; None: the first of ``SPLITS`` that it has.

    Raises:
        BadInput: It cannot be reached and is not here, is not of this layout, or is too large.
    """
    return _of_hub(text.removeprefix(HUB), split) if text.startswith(HUB) else _of_web(text)


def _of_web(address: str) -> Path:
    parts = urlsplit(address)
    name = re.sub(r"[^\w.-]+", "_", f"{parts.netloc}{parts.path}").strip("_")
    folder = cache.folder() / cache.DOWNLOADS / name
    single = Path(parts.path).suffix.lower() in SINGLE
    held = folder / Path(parts.path).name if single else folder
    if _whole(folder):
        with contextlib.suppress(OSError):
            cache.note(folder, address)  # it is in use
        return held
    with _alone(folder, address), _client() as client:
        if single:
            sizes = {held.name: _size(client, address)}
            links = {held.name: address}
        else:
            links = _links(client, address.rstrip("/") + "/", folder)
            sizes = {name: _size(client, link) for name, link in links.items()}
        size = sum(known or 0 for known in sizes.values())
        _check_room(address, folder, size)
        _check_beside(address, folder, size)
        cache.note(folder, address)
        for name, link in links.items():
            _fetch(client, link, folder / name)
        written = {path: (folder / path).stat().st_size for path in links}
        _put(folder / WHOLE, json.dumps(written).encode())
    return held


def _whole(folder: Path) -> bool:
    """Whether a folder holds everything that its list names."""
    try:
        sizes = json.loads((folder / WHOLE).read_text(encoding="utf-8"))
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError):
        return False


@contextlib.contextmanager
def _alone(folder: Path, address: str) -> Iterator[None]:
    """The folder for one process at a time."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / ".lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # let go by the system if this process dies
            yield
    except OSError as error:
        raise BadInput(f"{address} cannot be kept in {folder} ({error})") from None


def _client() -> "httpx2.Client":
    return bounded.downloads(TIMEOUT_S)


def _links(client: "httpx2.Client", base: str, folder: Path) -> dict[str, str]:
    """The shards of a folder and their addresses; the texts beside them are fetched at once."""
    for within in ("test/", ""):
        count = _text(client, f"{base}{within}{COUNT}")
        if count is None:
            continue
        if not count.strip().isdecimal() or not 0 < int(count) <= MOST_SHARDS:
            raise BadInput(f"{base}{within}{COUNT} holds no number of shards: {count[:40]!r}")
        _put(folder / within / COUNT, count.encode())
        for name in TEXTS:
            text = _text(client, base + name)
            if text is not None:
                _put(folder / name, text.encode())
        return {f"{within}{at}.tar": f"{base}{within}{at}.tar" for at in range(int(count))}
    raise BadInput(
        f"{base} holds neither test/{COUNT} nor {COUNT}; it should be a folder in clip-benchmark's "
        "layout, or the address of one .tar or .parquet file"
    )


def _text(client: "httpx2.Client", link: str) -> str | None:
    """A small text; None where there is none."""
    with _answered(client, "GET", link, {}) as answer:
        if answer.status_code in MISSING:
            return None
        _check_status(answer, link)
        held = b""
        for block in answer.iter_bytes():
            held += block
            if len(held) > BLOCK:
                raise BadInput(f"{link} is larger than a list of names can be")
        return held.decode("utf-8", errors="replace")


def _size(client: "httpx2.Client", link: str) -> int | None:
    """The bytes of a file; None where the server does not say."""
    with _answered(client, "HEAD", link, {}) as answer:
        if answer.status_code in NO_HEAD:
            return None
        _check_status(answer, link)
        length = answer.headers.get("content-length", "")
        return int(length) if length.isdecimal() else None


def _fetch(client: "httpx2.Client", link: str, target: Path) -> None:
    """One file, going on where a download of the same file was left."""
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    aside, mark = (target.with_name(target.name + end) for end in (".part", ".mark"))
    if not (aside.exists() and mark.exists() and _goes_on(client, link, aside, mark)):
        aside.unlink(missing_ok=True)
        mark.unlink(missing_ok=True)
        with _answered(client, "GET", link, PLAIN) as answer:
            _check_status(answer, link)
            tag = answer.headers.get("etag") or answer.headers.get("last-modified") or ""
            if tag and not tag.startswith(WEAK):
                _put(mark, tag.encode())
            _write(answer, aside, 0, link)
    aside.replace(target)
    mark.unlink(missing_ok=True)


def _goes_on(client: "httpx2.Client", link: str, aside: Path, mark: Path) -> bool:
    """Fetch the rest of a file; False if the server has another one now, or only whole files."""
    begun, tag = aside.stat().st_size, mark.read_text(encoding="utf-8")
    wanted = {**PLAIN, "Range": f"bytes={begun}-", "If-Range": tag}
    with _answered(client, "GET", link, wanted) as answer:
        now = (answer.headers.get("etag"), answer.headers.get("last-modified"))
        if answer.status_code != PARTIAL or tag not in now:
            return False
        _write(answer, aside, begun, link)
    return True


def _write(answer: "httpx2.Response", aside: Path, begun: int, link: str) -> None:
    """The body of an answer, with a bar on a terminal.

    Raises:
        BadInput: It ends early or is too large; what is there stays for the next time.
    """
    import httpx2
    from tqdm import tqdm

    length = answer.headers.get("content-length", "")
    whole = begun + int(length) if length.isdecimal() else None
    bar = tqdm(total=whole, initial=begun, unit="B", unit_scale=True, desc=aside.stem, disable=None)
    most = cache.limit_bytes()
    try:
        with bar, aside.open("ab") as file:
            for block in answer.iter_raw():
                file.write(block)
                bar.update(len(block))
                if file.tell() > most:
                    raise BadInput(_too_large(link, file.tell()))
    except httpx2.HTTPError as error:
        there = aside.stat().st_size
        raise BadInput(
            f"{link} broke off after {there:,} bytes ({error}); give it again to go on from there"
        ) from None


@contextlib.contextmanager
def _answered(
    client: "httpx2.Client", method: str, link: str, headers: Mapping[str, str]
) -> Iterator["httpx2.Response"]:
    import httpx2

    try:
        with client.stream(method, link, headers=dict(headers)) as answer:
            yield answer
    except httpx2.InvalidURL as error:
        raise BadInput(f"{link} is no address ({error})") from None
    except httpx2.HTTPError as error:
        raise BadInput(
            f"{link} cannot be reached ({error or type(error).__name__}), and it is not on this "
            "machine; fetch it where it can be, and give the folder instead"
        ) from None


def _check_status(answer: "httpx2.Response", link: str) -> None:
    if not answer.is_success:
        raise BadInput(f"{link}: the server answers {answer.status_code} {answer.reason_phrase}")


def _check_room(what: str, folder: Path, size: int) -> None:
    """Refuse what is over the limit, or leaves the disk too little.

    Raises:
        BadInput: So.
    """
    held = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    above = folder
    while not above.exists():
        above = above.parent
    if size > cache.limit_bytes():
        raise BadInput(_too_large(what, size))
    free = shutil.disk_usage(above).free
    if size - held > free - cache.SPARE_BYTES:
        raise BadInput(
            f"{what} takes {size / 1e9:.1f} GB, and {above} has {free / 1e9:.1f} GB free, of which "
            f"{cache.SPARE_BYTES / 1e9:.1f} GB stay free"
        )


def _check_beside(what: str, folder: Path, size: int) -> None:
    """Make room for a download among what is kept: arrays go, other downloads stay.

    Raises:
        BadInput: These leave too little of the limit.
    """
    kept = cache.Cache()
    own = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    others = kept.held(cache.DOWNLOADS) - (own if (folder / cache.ABOUT).exists() else 0)
    if others + size > kept.limit:
        raise BadInput(
            f"{what} takes {size / 1e9:.1f} GB, and other downloads {others / 1e9:.1f} GB of the "
            f"limit of {kept.limit / 1e9:g} GB; set {cache.LIMIT_VARIABLE} higher, or remove some: "
            "'python -m evalcore cache' lists them, and --clear KEY removes one"
        )
    kept.make_room(max(0, size - own), folder)


def _too_large(what: str, size: int) -> str:
    return (
        f"{what} takes {size / 1e9:.1f} GB or more, over the limit of "
        f"{cache.limit_bytes() / 1e9:g} GB; set {cache.LIMIT_VARIABLE} higher to allow it"
    )


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_bytes(content)
    aside.replace(path)


def _of_hub(text: str, split: str | None) -> Path:
    """A data set in the hub's own cache, where ``hf download`` puts it too."""
    from huggingface_hub import errors

    name, _, revision = text.partition("@")
    online = reachable()
    try:
        for wanted_split in (split,) if split else SPLITS:
            place = _snapshot(name, revision or None, wanted_split, online)
            if place is not None:
                return place
    except errors.HFValidationError:
        raise BadInput(f"{HUB}{text} should be {HUB}owner/name or {HUB}owner/name@commit") from None
    except OSError as error:
        reason = str(error.__cause__ or error).split("\n")[0].rstrip(".")
        why = reason if online else "the hub cannot be reached"
        raise BadInput(
            f"{HUB}{text} is not (whole) on this machine, and {why}; fetch it where it can be "
            f"('hf download {name} --repo-type dataset --local-dir FOLDER') and give the folder"
        ) from None
    raise BadInput(
        f"{HUB}{name} has no tar or Parquet files of a split {split or ' or '.join(SPLITS)}"
    )


def _snapshot(name: str, revision: str | None, split: str, online: bool) -> Path | None:
    """The folder with one split; None where it has no shards or Parquet files of it."""
    from huggingface_hub import snapshot_download

    wanted: dict[str, Any] = {
        "repo_type": "dataset",
        "revision": revision,
        "endpoint": os.environ.get("HF_ENDPOINT"),
        "cache_dir": os.environ.get("HF_HUB_CACHE"),
        "allow_patterns": [
            f"{split}/*", f"*/{split}/*", f"*{split}-*.parquet", f"*{split}.parquet", *TEXTS,
        ],
    }  # fmt: skip
    if online:
        files: Any = snapshot_download(name, dry_run=True, **wanted)
        if not any(Path(file.filename).suffix in SINGLE for file in files):
            return None
        sizes = [entry.file_size or 0 for entry in files if entry.will_download]
        _check_room(f"{HUB}{name}", Path(files[0].local_path).parent, sum(sizes))
    place = Path(snapshot_download(name, local_files_only=not online, **wanted))
    return place if any(path.suffix in SINGLE for path in place.rglob("*")) else None
