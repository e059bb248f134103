"""Numbers and lists in words: one decimal at most, exact where a person stated the figure."""

from collections.abc import Sequence

OVERALL = "total"
"""The tag of a total that a source prints over all its questions."""


class Names(dict[str, str]):
    """Model id to the name to show; an id without one is its own name. Always on one line."""

    def __missing__(self, model: str) -> str:
        return " ".join(model.split())


def percent(fraction: float | None) -> str:
    """Return a fraction as per cent.

    >>> percent(0.7219)
    '72.2 %'
    """
    return "unknown" if fraction is None else f"{100 * fraction:.1f} %"


def points(difference: float) -> str:
    """Return a difference of fractions in percentage points.

    >>> points(0.02983)
    '3.0 points'
    """
    return f"{100 * difference:.1f} points"


def of_100(share: float) -> str:
    """Return a share of draws as a count of 100; only none is 0 and only all is 100.

    >>> of_100(0.5), of_100(0.99999), of_100(1.0)
    ('50 of 100', 'more than 99 of 100', '100 of 100')
    """
    if 0 < share < 0.01:
        return "fewer than 1 of 100"
    if 0.99 < share < 1:
        return "more than 99 of 100"
    return f"{100 * share:.0f} of 100"


def percent_text(share: float) -> str:
    """Return a chance in per cent; a simulated 0 or 1 is no certainty.

    >>> percent_text(0.987), percent_text(1.0)
    ('98.7 %', 'more than 99.9 %')
    """
    if share > 0.999:
        return "more than 99.9 %"
    return "less than 0.1 %" if share < 0.001 else percent(share)


def exact(value: float, large: str, small: str) -> str:
    """Return a figure in the unit that needs at most one decimal; small = large / 1000.

    >>> exact(7.5, "B", "M"), exact(0.94, "B", "M")
    ('7.5 B', '940 M')
    """
    if abs(value * 10 - round(value * 10)) < 1e-9:
        return f"{round(value, 1):,.1f} {large}".replace(".0 ", " ")
    return f"{value * 1000:,.1f} {small}".replace(".0 ", " ")


def size(params_b: float) -> str:
    """Return a number of parameters given in billions.

    >>> size(8.08)
    '8,080 M'
    """
    return exact(params_b, "B", "M")


def money(usd: float) -> str:
    """Return dollars per 1,000 questions, in cents where a dollar figure needs two decimals.

    >>> money(1.5), money(0.075)
    ('$1.5 per 1,000 questions', '7.5 cents per 1,000 questions')
    """
    if abs(usd * 10 - round(usd * 10)) < 1e-9:
        amount = f"${usd:,.1f}".removesuffix(".0")
    else:
        amount = f"{usd * 100:,.1f}".removesuffix(".0") + " cents"
    return f"{amount} per 1,000 questions"


def about_money(usd: float) -> str:
    """Return dollars per 1,000 questions that were computed, rounded to one decimal.

    >>> about_money(1.7248), about_money(0.4799)
    ('$1.7 per 1,000 questions', '48 cents per 1,000 questions')
    """
    amount = f"${usd:,.1f}" if usd >= 0.995 else f"{usd * 100:.1f}".removesuffix(".0") + " cents"
    return f"{amount} per 1,000 questions"


def listed(items: Sequence[str]) -> str:
    """Return the items as a list in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def some(items: Sequence[str], most: int = 8) -> str:
    """Return the items as a list, cut after the first ones with the number of the rest.

    >>> some(["a", "b", "c", "d"], most=2)
    'a, b and 2 more'
    """
    if len(items) <= most:
        return listed(items)
    return f"{', '.join(items[:most])} and {len(items) - most} more"


def counted(count: int, noun: str = "model") -> str:
    """Return the count with its noun.

    >>> counted(1), counted(3)
    ('1 model', '3 models')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
