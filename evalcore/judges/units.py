"""Units after and before numbers, so that 50 cm equals 0.5 m and not 50 kg."""

from typing import NamedTuple


class Unit(NamedTuple):
    """What a unit measures, and how many of the first unit of that kind it is."""

    kind: str
    size: float


# "pound" is left out: it is money and mass.
_KINDS: dict[str, dict[str, float]] = {
    "per cent": {"%": 1, "percent": 1},
    "length": {"m": 1, "metre": 1, "meter": 1, "km": 1e3, "kilometre": 1e3, "kilometer": 1e3}
    | {"cm": 0.01, "centimetre": 0.01, "centimeter": 0.01, "mm": 1e-3, "millimetre": 1e-3}
    | {"millimeter": 1e-3, "ft": 0.3048, "foot": 0.3048, "feet": 0.3048, "inch": 0.0254}
    | {"inche": 0.0254, "mile": 1609.344, "mi": 1609.344, "yard": 0.9144},
    "mass": {"kg": 1, "kilogram": 1, "g": 1e-3, "gram": 1e-3, "mg": 1e-6, "milligram": 1e-6}
    | {"lb": 0.45359237, "oz": 0.028349523125, "ounce": 0.028349523125, "tonne": 1e3},
    "time": {"s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hr": 3600}
    | {"hour": 3600, "day": 86400, "week": 604800, "ms": 1e-3},
    "volume": {"l": 1, "litre": 1, "liter": 1, "ml": 1e-3, "millilitre": 1e-3, "milliliter": 1e-3},
    "degrees Celsius": {"°c": 1, "celsius": 1},
    "degrees Fahrenheit": {"°f": 1, "fahrenheit": 1},
    "dollars": {"$": 1, "usd": 1, "dollar": 1, "cent": 0.01},
    "euros": {"€": 1, "eur": 1, "euro": 1},
    "pounds": {"£": 1, "gbp": 1},
    "yen": {"¥": 1, "yen": 1, "jpy": 1},
}
_UNITS = {name: Unit(kind, size) for kind, sizes in _KINDS.items() for name, size in sizes.items()}


def unit(name: str) -> Unit | None:
    """Return the unit of that name, in the singular or plural; None if it is not a known one."""
    name = name.lower()
    return _UNITS.get(name) or _UNITS.get(name.removesuffix("s"))
