"""Image tokens agree with the examples in the providers' own documentation."""

import pytest

from evalcore.cost import image_tokens
from evalcore.cost.image_tokens import NoSuchSize, tokens
from evalcore.errors import EvalcoreError

# OpenAI, "Images and vision", https://developers.openai.com/api/docs/guides/images-vision
GPT_4O = ("openai-tiles", '{"base": 85, "tile": 170}')
GPT_4O_MINI = ("openai-tiles", '{"base": 2833, "tile": 5667}')
PATCHES = ("openai-patches", '{"multiplier": 1.0, "most_patches": 1536}')
# Anthropic, "Vision", https://platform.claude.com/docs/en/build-with-claude/vision (2026-09-20)
STANDARD = ("anthropic-patches", '{"longest": 1568, "most": 1568}')
HIGH = ("anthropic-patches", '{"longest": 2576, "most": 4784}')
# The same page as of 2025
AREA = ("anthropic-area", '{"longest": 1568, "most": 1600}')
# Google, https://ai.google.dev/gemini-api/docs/image-understanding
GEMINI = ("gemini-tiles", "{}")
# SiliconFlow, https://docs.siliconflow.cn/en/userguide/capabilities/vision
QWEN = ("resized-patches", '{"patch": 28, "fewest": 4, "most": 16384}')
# Scaleway, https://github.com/scaleway/docs-content/pull/4424
PIXTRAL = ("fitted-patches", '{"patch": 16, "longest": 1024}')

EXAMPLES = [
    (GPT_4O, 1024, 1024, 765, "printed: 170 x 4 + 85"),
    (GPT_4O, 2048, 4096, 1105, "printed: 1024 x 2048, then 768 x 1536, 170 x 6 + 85"),
    (GPT_4O, 2049, 513, 1445, "billed as 1453 with 8 of text, community.openai.com/t/1281361"),
    (GPT_4O, 2050, 513, 765, "billed as 773 with 8 of text, the same page"),
    (GPT_4O_MINI, 1024, 1024, 2833 + 4 * 5667, "the same tiles at other prices"),
    (PATCHES, 1024, 1024, 1024, "printed"),
    (PATCHES, 1800, 2400, 1452, "printed: becomes 1056 x 1408"),
    (STANDARD, 200, 200, 64, "table"),
    (STANDARD, 1000, 1000, 1296, "table"),
    (STANDARD, 1092, 1092, 1521, "table"),
    (STANDARD, 1920, 1080, 1560, "table: becomes 1456 x 819"),
    (STANDARD, 2000, 1500, 1564, "table: becomes 1269 x 952"),
    (STANDARD, 3840, 2160, 1560, "table: becomes 1456 x 819"),
    (STANDARD, 1075, 1520, 33 * 47, ".../vision-coordinates: becomes 924 x 1307"),
    (HIGH, 200, 200, 64, "table"),
    (HIGH, 1920, 1080, 2691, "table"),
    (HIGH, 2000, 1500, 3888, "table"),
    (HIGH, 3840, 2160, 4784, "table: becomes 2576 x 1449"),
    (HIGH, 1075, 1520, 2145, ".../vision-coordinates: 39 x 55"),
    (AREA, 200, 200, 54, "table, about"),
    (AREA, 1000, 1000, 1334, "table, about"),
    (AREA, 1092, 1092, 1590, "table, about"),
    (GEMINI, 960, 540, 6 * 258, "printed: tiles of 360 px, 3 x 2"),
    (GEMINI, 384, 384, 258, "printed: both sides at most 384 px"),
    (QWEN, 224, 448, 128, "printed: 8 x 16"),
    (QWEN, 1024, 1024, 1369, "printed: 37 x 37"),
    (QWEN, 3172, 4096, 112 * 145, "printed: becomes 3136 x 4060"),
    (PIXTRAL, 1024, 1024, 4096, "printed: 1024 x 1024 / (16 x 16)"),
]


@pytest.mark.parametrize(("rule", "width", "height", "expected", "why"), EXAMPLES)
def test_a_picture_takes_the_tokens_of_the_documentation(rule, width, height, expected, why):
    # The page gives the area rule's numbers with "about", one of them rounded down.
    slack = 1 if rule is AREA else 0
    assert abs(tokens(*rule, width, height) - expected) <= slack, why


@pytest.mark.parametrize(
    ("multiplier", "expected"), [(1.2, 520), (1.5, 650)], ids=["gpt-5.4-mini", "gpt-5-nano"]
)
def test_a_multiplier_gives_what_was_billed(multiplier, expected):
    # https://community.openai.com/t/1377015: 433 patches were billed as 527 and 656 tokens, 7 and
    # 6 of them text. 433 is prime, so the patches stand in one row.
    billed = image_tokens.openai_patches(433 * 32, 32, multiplier=multiplier)
    assert abs(billed - expected) <= 1


# What a picture added to the tokens of a question, as users measured it.
GPT_4_1_MINI = {"multiplier": 1.62, "most_patches": 1536, "longest": 2048}
GPT_5_MINI = {"multiplier": 1.2, "most_patches": 1536, "longest": 2048}
GPT_5_4_MINI = {"multiplier": 1.2, "most_patches": 2500, "longest": 2048}
BILLED = [
    # https://community.openai.com/t/1281361: 2,498 with 10 of text; OpenAI's calculator says 2,348
    (GPT_4_1_MINI, 4000, 1474, 2488),
    # https://community.openai.com/t/1377015: 1,833 and 3,008 with 7 or 8 of text
    (GPT_5_MINI, 1600, 1600, 1825),
    (GPT_5_4_MINI, 1600, 1600, 3000),
    # OpenAI Developer Community, 2026-06-17, "GPT-5-mini image input token calculation
    # discrepancy": the question with the picture minus the question without
    (GPT_5_MINI, 256, 256, 77),
    (GPT_5_MINI, 512, 512, 308),
    (GPT_5_MINI, 768, 1024, 922),
    (GPT_5_MINI, 1280, 720, 1104),
    (GPT_5_MINI, 1024, 1024, 1229),
    (GPT_5_MINI, 2048, 768, 1844),
]


@pytest.mark.parametrize(("options", "width", "height", "billed"), BILLED)
def test_patches_give_what_was_billed(options, width, height, billed):
    assert abs(image_tokens.openai_patches(width, height, **options) - billed) <= 1


@pytest.mark.parametrize(
    ("width", "height", "across", "down"), [(3928, 2945, 44, 33), (701, 3155, 18, 81)]
)
def test_a_fraction_of_a_pixel_is_no_row_of_patches(width, height, across, down):
    # Scaled to the limit these are a fraction of a pixel more than so many patches.
    found = image_tokens.openai_patches(width, height, multiplier=1.0, most_patches=1536)
    assert found == across * down


@pytest.mark.parametrize("rule", sorted(image_tokens.RULES))
def test_a_picture_and_the_same_on_its_side_take_the_same(rule):
    options = {
        "openai-tiles": '{"base": 70, "tile": 140}',
        "openai-patches": '{"multiplier": 1.2, "most_patches": 1536, "longest": 2048}',
        "anthropic-patches": STANDARD[1],
        "anthropic-area": AREA[1],
        "gemini-tiles": "{}",
        "fixed": '{"tokens": 1120}',
        "resized-patches": QWEN[1],
        "fitted-patches": PIXTRAL[1],
        "padded-patches": '{"patch": 14, "most": 16384, "longest": 7168}',
        "counted-tiles": '{"side": 448, "tile": 256, "most": 6}',
    }[rule]
    for width, height in ((1, 1), (640, 480), (1275, 1650), (4000, 300)):
        assert tokens(rule, options, width, height) == tokens(rule, options, height, width) > 0


def test_patches_never_exceed_their_budget():
    for width in range(100, 6000, 371):
        for height in range(100, 6000, 433):
            assert tokens(*PATCHES, width, height) <= 1536
            assert tokens(*STANDARD, width, height) <= 1568
            assert tokens(*QWEN, width, height) <= 16384


def test_a_picture_that_the_provider_refuses_has_no_tokens():
    options = '{"multiplier": 1.2, "refused_above": 30000}'
    assert tokens("openai-patches", options, 4800, 6400) == 36000

    with pytest.raises(NoSuchSize, match=r"4801 x 6400 .* 30,200 patches .* more than 30,000"):
        tokens("openai-patches", options, 4801, 6400)


def test_errors_say_what_would_be_right():
    with pytest.raises(EvalcoreError, match="no image rule 'tiles'; known rules: openai-tiles"):
        tokens("tiles", "{}", 10, 10)
    with pytest.raises(EvalcoreError, match="options '{}' do not fit"):
        tokens("openai-tiles", "{}", 10, 10)
    with pytest.raises(EvalcoreError, match="options 'base' do not fit"):
        tokens("openai-tiles", "base", 10, 10)
    with pytest.raises(EvalcoreError, match="0 x 10 pixels; both sides should be 1 or more"):
        tokens("fixed", '{"tokens": 1}', 0, 10)
