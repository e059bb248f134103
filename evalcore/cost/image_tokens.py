"""How many tokens a picture is: the providers' rules as functions of width and height in pixels.

Each follows a published rule; the docstring names it. ``tokens`` finds a rule by its name and gives
it the options of a row of ``image_rules.csv``.
"""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from evalcore.errors import EvalcoreError


class NoSuchSize(EvalcoreError):
    """A picture that the rule does not cover."""


def openai_tiles(width: int, height: int, *, base: int, tile: int) -> int:
    """Tiles of 512 px: fit into 2048 x 2048, shortest side at most 768, base + tile x tiles.

    Rule and examples (1024 x 1024 is 765 tokens, 2048 x 4096 is 1105 for GPT-4o): OpenAI, "Images
    and vision", https://developers.openai.com/api/docs/guides/images-vision. Pictures are only
    made smaller and to whole pixels, as bills show (2049 x 513 is eight tiles, 2050 x 513 four:
    https://community.openai.com/t/1281361).

    >>> openai_tiles(1024, 1024, base=85, tile=170)
    765
    """
    fit = min(1.0, 2048 / max(width, height))
    fit *= min(1.0, 768 / (min(width, height) * fit))
    return base + tile * _cells(round(width * fit), 512) * _cells(round(height * fit), 512)


def openai_patches(  # noqa: PLR0913  the rule's own numbers
    width: int,
    height: int,
    *,
    multiplier: float,
    most_patches: int | None = None,
    longest: int | None = None,
    refused_above: int | None = None,
) -> int:
    """Patches of 32 px times a multiplier; too many patches shrink the picture, or refuse it.

    Above ``most_patches`` the picture is scaled by sqrt(32 x 32 x most / (width x height)) and once
    more so that a whole number of patches fits its tighter side: 1800 x 2400 becomes 1056 x 1408,
    1,452 patches of the 1,536 allowed. A picture that was made smaller has whole pixels, rounded as
    in ``openai_tiles``: 3928 x 2945 becomes 1408 x 1056, and a hair more is no further row.
    Source: OpenAI, "Images and vision",
    https://developers.openai.com/api/docs/guides/images-vision.

    Raises:
        NoSuchSize: The picture has more than ``refused_above`` patches.

    >>> openai_patches(1024, 1024, multiplier=1.0, most_patches=1536)
    1024
    """
    scale = 1.0 if longest is None else min(1.0, longest / max(width, height))
    wide, high = _pixels(width * scale), _pixels(height * scale)
    patches = _cells(wide, 32) * _cells(high, 32)
    if most_patches is not None and patches > most_patches:
        shrink = math.sqrt(32 * 32 * most_patches / (wide * high))
        across, down = wide * shrink / 32, high * shrink / 32
        shrink *= min(_whole(across) / across, _whole(down) / down)
        patches = _cells(_pixels(wide * shrink), 32) * _cells(_pixels(high * shrink), 32)
        patches = min(patches, most_patches)
    if refused_above is not None and patches > refused_above:
        raise NoSuchSize(
            f"a picture of {width} x {height} pixels has {patches:,} patches of 32 px and the "
            f"provider refuses more than {refused_above:,}; state a smaller picture"
        )
    return math.ceil(round(patches * multiplier, 6))


def anthropic_patches(width: int, height: int, *, longest: int, most: int) -> int:
    """Patches of 28 px, the picture first made as small as both limits of the model ask.

    The largest picture of the same shape whose sides, filled up to multiples of 28, stay within
    ``longest`` and whose patches stay within ``most``. Source, with a table of examples: Anthropic,
    "Vision", https://platform.claude.com/docs/en/build-with-claude/vision, and "Coordinates and
    bounding boxes", .../vision-coordinates (1075 x 1520 becomes 924 x 1307).

    >>> anthropic_patches(1920, 1080, longest=1568, most=1568)
    1560
    """

    def counts(long: int) -> tuple[int, int]:
        short = max(1, round(long * min(width, height) / max(width, height)))
        return _cells(long, 28), _cells(short, 28)

    def fits(long: int) -> bool:
        across, down = counts(long)
        return across * 28 <= longest and across * down <= most

    low, high = 1, max(width, height)
    if not fits(high):
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        high = low
    across, down = counts(high)
    return across * down


def anthropic_area(width: int, height: int, *, longest: int, most: int) -> int:
    """Width x height / 750, the picture first made smaller to ``longest``, at most ``most``.

    The rule that Anthropic's guide gave for Claude 3 ("tokens = (width px * height px)/750"):
    200 x 200 is about 54 tokens, 1000 x 1000 about 1,334, 1092 x 1092 about 1,590. Source: "Vision"
    as of 2025, https://docs.anthropic.com/en/docs/build-with-claude/vision.

    >>> anthropic_area(1000, 1000, longest=1568, most=1600)
    1334
    """
    scale = min(1.0, longest / max(width, height))
    return min(most, math.ceil(width * scale * height * scale / 750))


def gemini_tiles(width: int, height: int) -> int:
    """258 tokens if both sides are at most 384 px, else 258 for each tile.

    A tile's side is min(width, height) / 1.5, rounded down and kept between 256 and 768 px:
    960 x 540 has tiles of 360 px, 3 x 2 = 6 of them. Google calls the formula rough. Source:
    https://ai.google.dev/gemini-api/docs/image-understanding (the limits of 256 and 768 px stood
    there for Gemini 1.5; the page still names 768).

    >>> gemini_tiles(960, 540)
    1548
    """
    if width <= 384 and height <= 384:
        return 258
    side = min(768, max(256, math.floor(min(width, height) / 1.5)))
    return 258 * _cells(width, side) * _cells(height, side)


def fixed(width: int, height: int, *, tokens: int) -> int:
    """The same number for every picture.

    So with Gemini 3 (``media_resolution``: 280, 560, 1,120 by default; the numbers are the most a
    picture takes; https://ai.google.dev/gemini-api/docs/media-resolution), Gemma 3 (256) and a
    chosen budget of Gemma 4.

    >>> fixed(4000, 3000, tokens=1120)
    1120
    """
    return tokens


def resized_patches(  # noqa: PLR0913  the rule's own numbers
    width: int, height: int, *, patch: int, fewest: int, most: int, extra: int = 0
) -> int:
    """Sides rounded to multiples of ``patch``, the patches kept between ``fewest`` and ``most``.

    The rule of Qwen's models: 28 px for Qwen2.5-VL, 32 px for Qwen3-VL. 224 x 448 is 128 tokens,
    1024 x 1024 is 1,369 and 3172 x 4096 is 16,240 at 28 px and at most 16,384. Sources:
    https://docs.siliconflow.cn/en/userguide/capabilities/vision (these examples) and Alibaba Cloud
    Model Studio, "Visual understanding" (the same rounding, and 2 tokens more a picture).

    >>> resized_patches(1024, 1024, patch=28, fewest=4, most=16384)
    1369
    """
    across, down = max(1, round(width / patch)), max(1, round(height / patch))
    if across * down > most:
        shrink = math.sqrt(width * height / (most * patch * patch))
        across = max(1, math.floor(width / shrink / patch))
        down = max(1, math.floor(height / shrink / patch))
    elif across * down < fewest:
        grow = math.sqrt(fewest * patch * patch / (width * height))
        across, down = math.ceil(width * grow / patch), math.ceil(height * grow / patch)
    return across * down + extra


def fitted_patches(width: int, height: int, *, patch: int, longest: int) -> int:
    """Patches that cover the picture after it was made to fit ``longest``; Pixtral: 16 px, 1024.

    A picture of 1024 x 1024 takes the most, 4,096. Source: Scaleway, "Understanding the
    pixtral-12b-2409 model", https://github.com/scaleway/docs-content/pull/4424.

    >>> fitted_patches(1024, 1024, patch=16, longest=1024)
    4096
    """
    scale = min(1.0, longest / max(width, height))
    return _cells(_near(width * scale), patch) * _cells(_near(height * scale), patch)


def padded_patches(width: int, height: int, *, patch: int, most: int, longest: int) -> int:
    """Patches filled up to pairs, two by two to a token; larger pictures shrink to both limits.

    The rule of Kimi K2.5: patches of 14 px, at most 16,384 whole ones and 7,168 px a side. Source:
    the picture processor that the makers gave to transformers (5.24.0, ``Kimi_K25ImageProcessor``).

    >>> padded_patches(1024, 768, patch=14, most=16384, longest=7168)
    1036
    """
    whole = max(1, width // patch) * max(1, height // patch)
    scale = min(1.0, math.sqrt(most / whole), longest / height, longest / width)
    across, down = max(1, math.floor(width * scale)), max(1, math.floor(height * scale))
    return _cells(across, 2 * patch) * _cells(down, 2 * patch)


def counted_tiles(width: int, height: int, *, side: int, tile: int, most: int) -> int:
    """Tiles that cover the picture, at most ``most``, and one more, ``tile`` tokens each.

    The rule that xAI gave for grok-4-fast: tiles of 448 px, 256 tokens each, at most six.

    >>> counted_tiles(800, 800, side=448, tile=256, most=6)
    1280
    """
    return tile * (min(most, _cells(width, side) * _cells(height, side)) + 1)


RULES: Mapping[str, Callable[..., int]] = {
    "openai-tiles": openai_tiles,
    "openai-patches": openai_patches,
    "anthropic-patches": anthropic_patches,
    "anthropic-area": anthropic_area,
    "gemini-tiles": gemini_tiles,
    "fixed": fixed,
    "resized-patches": resized_patches,
    "fitted-patches": fitted_patches,
    "padded-patches": padded_patches,
    "counted-tiles": counted_tiles,
}


def tokens(rule: str, options: str, width: int, height: int) -> int:
    """The tokens of one picture by a named rule.

    Args:
        rule: A key of ``RULES``.
        options: The rule's own numbers as JSON.
        width: Pixels.
        height: Pixels.

    Raises:
        EvalcoreError: There is no such rule, its options do not fit, or a side is below 1.
        NoSuchSize: The rule does not cover a picture of this size.
    """
    if width < 1 or height < 1:
        raise EvalcoreError(
            f"a picture of {width} x {height} pixels; both sides should be 1 or more"
        )
    if rule not in RULES:
        raise EvalcoreError(f"no image rule {rule!r}; known rules: {', '.join(RULES)}")
    try:
        given: dict[str, Any] = json.loads(options or "{}")
        return RULES[rule](width, height, **given)
    except (TypeError, json.JSONDecodeError) as error:
        raise EvalcoreError(
            f"image rule {rule!r}: options {options!r} do not fit: {error}"
        ) from None


def _cells(length: float, side: int) -> int:
    """How many cells of a side cover a length."""
    return math.ceil(length / side)


def _pixels(length: float) -> int:
    """A length in whole pixels, at least one."""
    return max(1, round(length))


def _near(length: float) -> float:
    """A length without the last digits that floating point adds: 768.0000001 covers 768 pixels."""
    return round(length, 6)


def _whole(length: float) -> int:
    """The whole number below, one that is hit up to floating point counting as hit."""
    return max(1, math.floor(round(length, 9)))
