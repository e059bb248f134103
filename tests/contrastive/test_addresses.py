"""Benchmarks by address, from a small server in the test itself."""

import hashlib
import http.server
import json
import os
import shutil
import threading
from collections import namedtuple
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest

from evalcore.contrastive import cache
from evalcore.contrastive.datasets import addresses, loaders
from evalcore.errors import BadInput
from tests.contrastive.test_shards import shard, webp

COMMIT = "0123456789" * 4
Usage = namedtuple("Usage", "total used free")


class Handler(http.server.BaseHTTPRequestHandler):
    """Files of a folder, with tags and parts; ``cut`` breaks an answer off after so many bytes."""

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, body):
        path = unquote(urlsplit(self.path).path)
        self.server.asked.append((self.command, path, self.headers.get("Range")))
        said = self.server.said.get(path)
        content = said.encode() if said else self.server.content(path)
        if content is None:
            self.send_error(404)
            return
        tag = f'"{hashlib.sha256(content).hexdigest()}"'
        begin = int((self.headers.get("Range") or "bytes=0-")[6:].rstrip("-"))
        part = begin and self.headers.get("If-Range", tag) == tag and self.server.parts
        self.send_response(206 if part else 200)
        content = content[begin:] if part else content
        self.send_header("ETag", tag)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if body:
            self.wfile.write(content[: self.server.cut.pop(path, None)])
        self.close_connection = True

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def __init__(self, root):
        super().__init__(("127.0.0.1", 0), Handler)
        self.root, self.asked, self.cut, self.said, self.parts = root, [], {}, {}, True
        self.address = f"http://127.0.0.1:{self.server_port}"

    def content(self, path):
        file = self.root / path.strip("/").removeprefix(f"datasets/me/colours/resolve/{COMMIT}/")
        return file.read_bytes() if file.is_file() else None


@pytest.fixture
def server(tmp_path):
    """Two shards in clip-benchmark's layout on a server."""
    folder = tmp_path / "served" / "wds_colours"
    for number, colour in enumerate(("red", "blue")):
        files = {f"s{number}.webp": webp(colour), f"s{number}.cls": str(1 - number).encode()}
        shard(folder / "test" / f"{number}.tar", files)
    (folder / "test" / "nshards.txt").write_text("2\n")
    (folder / "classnames.txt").write_text("blue\nred\n")
    made = Server(tmp_path / "served")
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


def fetched(server):
    return [path for command, path, _ in server.asked if command == "GET" and "tar" in path]


def test_shards_of_an_address_are_fetched_once_and_then_need_no_network(home, server):
    address = f"{server.address}/wds_colours/"

    task = loaders.load("colours", address)

    assert (task.classes, task.labels.tolist()) == (("blue", "red"), [1, 0])
    assert task.source["path"] == address
    asked = len(server.asked)
    server.said["/wds_colours/test/nshards.txt"] = "broken now"
    assert loaders.load("colours", address).revision() == task.revision()
    assert len(server.asked) == asked and len(fetched(server)) == 2


def test_an_address_gives_what_the_same_folder_gives(home, server):
    there = loaders.load("colours", f"{server.address}/wds_colours")
    here = loaders.load("colours", str(server.root / "wds_colours"))

    assert there.classes == here.classes and there.labels.tolist() == here.labels.tolist()
    assert [there.pictures[n].tobytes() for n in (0, 1)] == [
        here.pictures[n].tobytes() for n in (0, 1)
    ]


def test_one_tar_file_of_an_address(home, server):
    task = loaders.load("colours", f"{server.address}/wds_colours/test/0.tar")

    assert task.labels.tolist() == [1]


def test_what_breaks_off_goes_on_where_it_was(home, server):
    server.cut["/wds_colours/test/1.tar"] = 1000
    address = f"{server.address}/wds_colours"
    with pytest.raises(BadInput, match="1.tar broke off after 1,000 bytes .* to go on from there"):
        loaders.load("colours", address)
    server.asked.clear()

    task = loaders.load("colours", address)

    tars = [(path[-5:], part) for command, path, part in server.asked if command == "GET"]
    assert [one for one in tars if "tar" in one[0]] == [("1.tar", "bytes=1000-")]
    assert task.pictures[1].getpixel((0, 0))[2] > 200


@pytest.mark.parametrize("parts", [True, False])
def test_a_rest_of_another_file_is_not_put_behind_the_beginning(home, server, parts):
    server.cut["/wds_colours/test/1.tar"] = 1000
    address = f"{server.address}/wds_colours"
    with pytest.raises(BadInput, match="broke off"):
        loaders.load("colours", address)
    shard(
        server.root / "wds_colours" / "test" / "1.tar", {"s1.webp": webp("green"), "s1.cls": b"0"}
    )
    server.parts = parts

    task = loaders.load("colours", address)

    assert task.pictures[1].getpixel((0, 0))[1] > 150


def test_what_is_larger_than_the_limit_or_the_disk_is_refused_before_it_is_fetched(
    home, server, monkeypatch
):
    monkeypatch.setenv(cache.LIMIT_VARIABLE, "0.00001")
    with pytest.raises(
        BadInput, match="takes 0.0 GB or more, over the limit of 1e-05 GB; set EVAL"
    ):
        loaders.load("colours", f"{server.address}/wds_colours")
    monkeypatch.delenv(cache.LIMIT_VARIABLE)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**12, 10**12, 10**9))
    with pytest.raises(BadInput, match="has 1.0 GB free, of which 1.1 GB stay free"):
        loaders.load("colours", f"{server.address}/wds_colours")

    assert fetched(server) == []


def test_a_download_is_listed_and_cleared_like_everything_that_is_kept(home, server):
    address = f"{server.address}/wds_colours"
    loaders.load("colours", address)
    kept = cache.Cache()
    kept.entry("texts", {"of": "a"}, "words").write(0, cache.Chunk(np.zeros((9, 9)), {}))

    rows = {row["kind"]: row for row in kept.table()}
    size = sum(one.stat().st_size for one in (home / "cache" / "data").rglob("*") if one.is_file())

    assert (rows["data"]["of"], rows["data"]["chunks"], size > 20_000) == (address, 2, True)
    assert kept.held("data") == size and kept.held() > size + 9 * 9 * 8
    assert kept.clear(rows["data"]["key"]) == size
    assert [row["kind"] for row in kept.table()] == ["texts"]
    loaders.load("colours", address)
    assert kept.clear("data") == size and len(fetched(server)) == 4


def test_downloads_count_in_the_limit_and_arrays_make_room_for_them(home, server, monkeypatch):
    shutil.copytree(server.root / "wds_colours", server.root / "another")
    loaders.load("colours", f"{server.address}/wds_colours")
    size = cache.Cache().held("data")
    monkeypatch.setenv(cache.LIMIT_VARIABLE, f"{1.5 * size / 1e9:.9f}")
    full = cache.Cache()
    full.entry("texts", {"of": "a"}).write(0, cache.Chunk(np.zeros(size // 8), {}))
    assert full.table()[-1]["kind"] == "data" and len(full.table()) == 1  # no room, nothing lost

    with pytest.raises(BadInput, match="other downloads 0.0 GB of the limit .* --clear KEY remov"):
        loaders.load("colours", f"{server.address}/another")
    assert not any("another" in path for path in fetched(server))

    cache.Cache().clear("data")
    full.entry("texts", {"of": "a"}).write(0, cache.Chunk(np.zeros(size // 8), {}))
    assert full.held("texts") > size
    loaders.load("colours", f"{server.address}/another")
    assert [row["kind"] for row in full.table()] == ["data"]


def test_a_server_that_does_not_answer_or_has_nothing_is_told(home, server):
    with pytest.raises(BadInput, match="nothing/ holds neither test/nshards.txt nor nshards.txt"):
        loaders.load("colours", f"{server.address}/nothing")
    with pytest.raises(BadInput, match="x.tar: the server answers 404 Not Found"):
        loaders.load("colours", f"{server.address}/x.tar")
    server.said["/wds_colours/test/nshards.txt"] = "many"
    with pytest.raises(BadInput, match="holds no number of shards: 'many'"):
        loaders.load("colours", f"{server.address}/wds_colours")
    with pytest.raises(BadInput, match="cannot be reached .* is not on this machine"):
        loaders.load("colours", "http://127.0.0.1:1/wds_colours")


def test_a_shard_that_the_server_lacks_is_named(home, server):
    (server.root / "wds_colours" / "test" / "1.tar").unlink()

    with pytest.raises(BadInput, match="test/1.tar: the server answers 404"):
        loaders.load("colours", f"{server.address}/wds_colours")


@pytest.fixture
def hub(server, tmp_path, monkeypatch):
    """The same as a data set of a hub."""
    api, root = "/api/datasets/me/colours", server.root
    shutil.move(root / "wds_colours", root / "moved")
    for path in sorted((root / "moved").iterdir()):
        shutil.move(path, root / path.name)
    (root / "train").mkdir()
    (root / "train" / "0.tar").write_bytes(b"large")
    paths = [path for path in root.rglob("*") if path.is_file()]
    files = [
        {
            "type": "file", "path": str(path.relative_to(root)), "size": path.stat().st_size,
            "oid": hashlib.sha1(path.read_bytes()).hexdigest(),
        }
        for path in paths
    ]  # fmt: skip
    server.said |= {
        "/": "a hub",
        f"{api}/revision/main": json.dumps({"id": "me/colours", "sha": COMMIT, "siblings": []}),
        f"{api}/tree/{COMMIT}": json.dumps(files),
    }
    monkeypatch.setenv("HF_ENDPOINT", server.address)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    return server


def test_a_data_set_of_the_hub_is_fetched_without_its_other_splits(home, hub, tmp_path):
    task = loaders.load("colours", "hf:me/colours")

    assert (task.classes, task.labels.tolist()) == (("blue", "red"), [1, 0])
    assert task.source["path"] == "hf:me/colours"
    assert [path for path in fetched(hub) if "train" in path] == []


def test_the_first_split_that_there_is_is_taken(home, hub):
    for path in ("test/0.tar", "test/1.tar", "test/nshards.txt"):
        (hub.root / path).rename(hub.root / "train" / Path(path).name)
    tree = f"/api/datasets/me/colours/tree/{COMMIT}"
    files = [one for one in json.loads(hub.said[tree]) if one["path"] != "train/0.tar"]
    hub.said[tree] = json.dumps(files).replace("test/", "train/")

    assert loaders.load("colours", "hf:me/colours").labels.tolist() == [1, 0]


def test_what_the_hubs_cache_holds_needs_no_network(home, hub, monkeypatch):
    loaders.load("colours", "hf:me/colours")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    asked = len(hub.asked)

    assert loaders.load("colours", "hf:me/colours").labels.tolist() == [1, 0]
    assert len(hub.asked) == asked


def test_a_hub_out_of_reach_is_told(home, hub, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")

    with pytest.raises(
        BadInput, match="the hub cannot be reached; .*hf download me/colours --repo"
    ):
        loaders.load("colours", "hf:me/colours")


def test_wrong_names_of_the_hub_are_told(home, hub):
    with pytest.raises(BadInput, match="has no tar or Parquet files of a split val"):
        loaders.load("colours", "hf:me/colours?split=val")
    with pytest.raises(BadInput, match="0.tar is no whole, uncompressed tar file"):
        loaders.load("colours", "hf:me/colours?split=train")
    with pytest.raises(BadInput, match="should be hf:owner/name"):
        loaders.load("colours", "hf:me/colours/and/more")
    with pytest.raises(BadInput, match="hf:me/other is not"):
        loaders.load("colours", "hf:me/other")


def test_a_data_set_over_the_limit_is_refused(home, hub, monkeypatch):
    monkeypatch.setenv(cache.LIMIT_VARIABLE, "0.000001")

    with pytest.raises(BadInput, match="over the limit"):
        addresses.local("hf:me/colours")
    assert fetched(hub) == []
    assert not any(Path(os.environ["HF_HUB_CACHE"]).rglob("*.tar"))
