"""Prints rows as a table, and seconds as people read them."""

from collections.abc import Sequence


def show(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a titled table; the first column is aligned left, the others right."""
    lines = [list(header), *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    print(f"\n{title}")
    for line in lines:
        first, *rest = (cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        print("  ".join([line[0].ljust(len(first)), *rest]), flush=True)


def ms(seconds: float) -> str:
    """Seconds as milliseconds, with a decimal where it says something.

    >>> ms(0.0123), ms(1.234)
    ('12.3 ms', '1234 ms')
    """
    value = seconds * 1000
    return f"{value:.1f} ms" if value < 100 else f"{value:.0f} ms"


def ratio(ours: float, bare: float) -> str:
    """How many times the bare one.

    >>> ratio(3.0, 2.0)
    '1.5 x'
    """
    return f"{ours / bare:.1f} x"


def verdict(worst: float, bar: float) -> str:
    """Whether the worst stays under the bar.

    >>> verdict(0.2, 0.3), verdict(0.4, 0.3)
    ('under', 'OVER')
    """
    return "under" if worst < bar else "OVER"
