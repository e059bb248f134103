"""The errors that Sextant raises on purpose.

A message says what was wrong (with the value), where (file, row or id) and what would be right.
Only the command line and ``pages/shared`` catch them.
"""


class EvalcoreError(Exception):
    """Base of every error that is meant to be read by a person."""


class BadInput(EvalcoreError):
    """Something a person gave (a file, an option, a weight) cannot be used as it is."""


class UnknownName(BadInput):
    """An id is in no table; the message lists the nearest known ones."""


class BadCatalog(EvalcoreError):
    """A shipped or added catalogue or figures file breaks a rule of the store."""


class StoreUnreadable(EvalcoreError):
    """The results store exists but cannot be read; the message says how to bring it back."""


class ModelUnavailable(EvalcoreError):
    """A model cannot be run at all: wrong key, unknown name, no server, missing files."""


class SpendCapReached(EvalcoreError):
    """A run stopped because the next call could exceed what it may cost."""


class Stopped(EvalcoreError):
    """A call was not made because somebody wished to stop."""
