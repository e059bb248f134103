"""The Hugging Face hub: whether it can be reached, asked before its libraries try for minutes."""

import contextlib
import os
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

HUB = "https://huggingface.co"
PATIENCE_S = 3.0
"""Seconds to wait for an answer; an address that is only slow counts as reachable."""
NOBODY_THERE = (socket.gaierror, ConnectionRefusedError)


def reachable(address: str | None = None) -> bool:
    """Whether an address can be reached; never where ``HF_HUB_OFFLINE`` says that one is offline.

    Out of reach is a name that cannot be resolved, a network that is not there, a door that is
    shut. What may pass (no answer in time, a server's error) is left to the libraries, which try
    again.
    """
    if os.environ.get("HF_HUB_OFFLINE", "").lower() in ("1", "true", "yes", "on"):
        return False
    asked = address or os.environ.get("HF_ENDPOINT", HUB)
    try:
        request = urllib.request.Request(asked, method="HEAD")
        urllib.request.urlopen(request, timeout=PATIENCE_S).close()
    except urllib.error.HTTPError:
        return True  # it answers, if not with this page
    except urllib.error.URLError as error:
        # A network that is not there, or a proxy that lets nobody out, has no class of its own.
        no_way = type(error.reason) is OSError
        return not (no_way or isinstance(error.reason, NOBODY_THERE))
    except OSError:
        return True
    except ValueError:
        return False
    return True


@contextlib.contextmanager
def within_reach(path: str) -> Iterator[None]:
    """Let the hub's libraries look for a folder or hub name on this machine alone when offline.

    They would ask for each file six times, with a warning each, though nobody can answer.

    Raises:
        OSError: Offline, and it is not there.
    """
    if Path(path).exists() or reachable():
        yield
        return
    from huggingface_hub import constants

    before, constants.HF_HUB_OFFLINE = constants.HF_HUB_OFFLINE, True
    try:
        yield
    except OSError as error:
        raise OSError(
            "it is not (whole) on this machine, and the Hugging Face hub cannot be reached; fetch "
            "it where it can be ('hf download') and give the folder"
        ) from error
    finally:
        constants.HF_HUB_OFFLINE = before
