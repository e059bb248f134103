"""Downloads from servers that keep to no rule."""

import re

import pytest

from evalcore.contrastive.datasets import addresses
from evalcore.errors import BadInput
from evalcore.models import bounded
from tests.models.hostile_server import ATTACKS, serving


@pytest.mark.parametrize("attack", ["slow headers", "slow status line", "slow status lines"])
def test_a_download_that_never_begins_is_given_up(attack, home, monkeypatch):
    monkeypatch.setattr(addresses, "TIMEOUT_S", 0.5)
    with serving(lambda request, turn: ATTACKS[attack]()) as address, pytest.raises(BadInput) as no:
        addresses.local(f"{address}/a.tar")

    assert re.search("timed out|time for the whole request is over", str(no.value))


def test_a_download_may_take_longer_than_its_beginning():
    pieces = [b"HTTP/1.1 200 OK\r\ncontent-length: 60\r\n\r\n", *[b"x", b""] * 60]

    with serving(lambda request, turn: iter(pieces)) as address:
        client = bounded.downloads(2.0)
        with client.stream("GET", address) as reply:
            assert b"".join(reply.iter_raw()) == b"x" * 60
