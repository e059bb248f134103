"""Offline is told at once; what may pass is left to the libraries that try again."""

import socket

import pytest
from huggingface_hub import constants, hf_hub_download

from evalcore import hub


@pytest.fixture
def listening(monkeypatch):
    """An address at which somebody listens and never answers."""
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(hub, "PATIENCE_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def address(server):
    return f"http://127.0.0.1:{server.getsockname()[1]}"


def test_a_slow_server_is_in_reach_and_a_shut_door_is_not(listening):
    place = address(listening)
    assert hub.reachable(place)

    listening.close()
    assert not hub.reachable(place)


def test_a_name_that_nobody_resolves_is_out_of_reach(monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)

    assert not hub.reachable("http://no-such-host.invalid")
    assert not hub.reachable("no address")


def test_offline_the_hubs_library_is_not_let_try_again_and_again(listening, monkeypatch, caplog):
    place = address(listening)
    listening.close()
    monkeypatch.setenv("HF_ENDPOINT", place)
    before = constants.HF_HUB_OFFLINE

    with pytest.raises(OSError, match="hub cannot be reached") as raised, hub.within_reach("a/b"):
        hf_hub_download("a/b", "config.json")

    assert "not (whole) on this machine" in str(raised.value)
    assert caplog.records == []
    assert before == constants.HF_HUB_OFFLINE
