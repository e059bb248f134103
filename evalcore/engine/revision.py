"""What a run asks, as a hash: changed questions or pictures are never mixed into one run."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from evalcore import files
from evalcore.errors import BadInput
from evalcore.pictures import MOST_BYTES
from evalcore.records import Item


def revision(items: Iterable[Item]) -> str:
    """A hash of ids, questions, answers, choices, tags and the pictures' bytes.

    Raises:
        BadInput: A picture cannot be read.
    """
    digest = hashlib.sha256()
    for item in items:
        told = (item.id, item.question, item.answers, item.choices, item.tags)
        digest.update(canonical(told).encode())
        for path in item.images:
            try:
                digest.update(files.content(path, MOST_BYTES))
            except BadInput as error:
                raise BadInput(
                    f"a picture of item {item.id!r} cannot be read ({error}); put it there, or run "
                    "the model anew with the benchmark where it is now"
                ) from None
    return digest.hexdigest()[:12]


def canonical(value: Any) -> str:
    """JSON in one spelling; ASCII, so that any name of a file or model can be written."""
    return json.dumps(value, sort_keys=True, default=str)
