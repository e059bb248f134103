"""What every uploaded text file is checked for before a row is read."""

from evalcore.errors import BadInput
from evalcore.files import shown


def lines(content: bytes, name: str, what: str, max_bytes: int, max_rows: int) -> list[str]:
    """The lines of a file, ends kept.

    Args:
        content: The file.
        name: What it is called, for messages.
        what: What it holds, such as ``scores``.
        max_bytes: Largest file that is taken.
        max_rows: Most lines that are taken.

    Raises:
        BadInput: It is too large, no UTF-8 text, or has too many lines.
    """
    name = shown(name)
    if len(content) > max_bytes:
        raise BadInput(
            f"{name}: {len(content) / 1e6:.0f} MB; a file of {what} may have at most "
            f"{max_bytes / 1e6:.0f} MB"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{name}: not UTF-8 text (byte {error.start}); save it as CSV UTF-8"
        ) from None
    if "\0" in text:
        raise BadInput(f"{name}: holds zero bytes, so it is no text file; save it as CSV UTF-8")
    found = text.splitlines(keepends=True)
    if len(found) > max_rows:
        raise BadInput(f"{name}: {len(found)} rows; at most {max_rows} are taken")
    return found
