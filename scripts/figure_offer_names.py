"""What people decided about names in the offers: every table here is written by hand."""

from typing import NamedTuple

# Provider → the makers (as the catalogue names them) whose models it sells as its own.
MAKERS_OF_PROVIDER = {
    "alibaba": ("Alibaba", "Alibaba (Qwen)"),
    "amazon-bedrock": ("Amazon",),
    "anthropic": ("Anthropic",),
    "azure": ("Microsoft",),
    "google": ("Google",),
    "minimax": ("MiniMax",),
    "mistral": ("Mistral AI",),
    "moonshotai": ("Moonshot AI",),
    "openai": ("OpenAI",),
    "stepfun": ("StepFun",),
    "xai": ("xAI",),
    "zai": ("Z.ai (Zhipu)",),
}

# Marked deprecated in models.dev on 2026-07-02, or gone before that: a price of these is history.
DEPRECATED = (
    r"claude-3-(?!5-haiku).*|gemini-1\.5-.*|gemini-2\.0-.*|gemini-3-pro-preview"
    r"|gemini-3\.1-flash-lite-preview|gpt-4\.5-preview|chatgpt-4o-latest|grok-4-0709"
)
# Words in a price's source → the last day on which it holds.
UNTIL = (
    ("introductory price until 2026-12-31", "2026-12-31"),
    ("introductory price, doubles on 2027-01-01", "2026-12-31"),
)
UNTIL_NOTE = "introductory price; it doubles on 2027-01-01"

# Printed name → what a reader must know of the join.
NOTE_OF_PRINTED = {
    "qwen3-vl-235b-a22b": "printed without Instruct or Thinking; taken as Instruct, because the "
    "output price is the one without thinking",
    "qwen3-vl-30b-a3b": "printed without Instruct or Thinking; taken as Instruct, because the "
    "output price is the one without thinking",
    "qwen.qwen3-vl-235b-a22b": "printed without Instruct or Thinking; taken as Instruct",
    "claude-3-opus-20240229": "the only version sold under this name",
    "grok-4-0709": "the only version sold under this name; requests are answered, and billed, as "
    "Grok 4.3 since 2026-05-15",
    "llama-4-maverick-17b-128e-instruct-fp8": "served in 8 bits",
    "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8": "served in 8 bits",
    "meta-llama/llama-4-maverick-17b-128e-instruct-fp8": "served in 8 bits",
    "gemini-3-flash-preview": "sold as a preview",
    "gemini-3-pro-preview": "sold as a preview, shut down on 2026-03-09",
    "gemini-3.1-pro-preview": "sold as a preview",
}


class Rule(NamedTuple):
    """A rule of ``evalcore.cost.image_tokens`` for a printed one; no name: it is incomplete."""

    name: str
    options: str
    source: str
    note: str


OPENAI = "https://developers.openai.com/api/docs/guides/images-vision"
CLAUDE = "https://platform.claude.com/docs/en/build-with-claude/vision"
GEMINI_TILES = "https://ai.google.dev/gemini-api/docs/image-understanding"
GEMINI_BUDGET = "https://ai.google.dev/gemini-api/docs/media-resolution"
QWEN = "Qwen model cards and Alibaba Cloud Model Studio, visual understanding"

RULES_AS_OF = "2026-07"
"""The collection dates no rule; its copy of OpenAI's page knows GPT-5.6, which is of July 2026."""


def _tiles(base: int, tile: int) -> Rule:
    return Rule("openai-tiles", f'{{"base": {base}, "tile": {tile}}}', OPENAI, "detail high")


def _patches(multiplier: str) -> Rule:
    options = f'{{"multiplier": {multiplier}, "most_patches": 1536, "longest": 2048}}'
    return Rule("openai-patches", options, OPENAI, "detail high")


def _open(note: str, source: str) -> Rule:
    return Rule("", "", source, note)


_STANDARD = '{"longest": 1568, "most": 1568}'
_HIGH = '{"longest": 2576, "most": 4784}'
_28 = '{"patch": 28, "fewest": 4, "most": 16384}'
_32 = '{"patch": 32, "fewest": 4, "most": 16384}'
_SENT_LESS = "providers often send fewer: they cap the pixels of a picture below the model's limit"
_NO_MULTIPLIER = "the multiplier of its patches was not found"

# Rule as printed with a price → the rule here.
RULE_OF_PRINTED = {
    "1 token per 28x28 px (dynamic resolution)": Rule("resized-patches", _28, QWEN, _SENT_LESS),
    "1 token per 32x32 px, 4 to 16,384 tokens": Rule("resized-patches", _32, QWEN, _SENT_LESS),
    "1 token per 32x32 px as for Qwen3-VL (not re-checked for this model)": Rule(
        "resized-patches",
        _32,
        QWEN,
        f"the rule of Qwen3-VL, not checked for this one; {_SENT_LESS}",
    ),
    "28 px patches (ceil(w/28) x ceil(h/28), about w x h / 750); cap 1568 px / 1568 tokens": Rule(
        "anthropic-patches", _STANDARD, CLAUDE, ""
    ),
    "28 px patches (ceil(w/28) x ceil(h/28)); cap 2576 px / 4784 tokens": Rule(
        "anthropic-patches", _HIGH, CLAUDE, ""
    ),
    "28 px patches (ceil(w/28) x ceil(h/28)); cap 2576 px / 4784 tokens (tier assumed from 4.7 and "
    "later; not re-checked for this model)": Rule(
        "anthropic-patches", _HIGH, CLAUDE, "the page says Claude 4.7 and later"
    ),
    "about width x height / 750 tokens; image scaled to max 1568 px long side (about 1600 "
    "tokens)": Rule(
        "anthropic-area",
        '{"longest": 1568, "most": 1600}',
        "https://docs.anthropic.com/en/docs/build-with-claude/vision",
        "the page's rule for Claude 3, 2025",
    ),
    "256 tokens per image (896x896 encoder input)": Rule(
        "fixed", '{"tokens": 256}', "Gemma 3 documentation", "without pan and scan"
    ),
    "selectable budget 70 / 140 / 280 / 560 / 1120 tokens per image": Rule(
        "fixed",
        '{"tokens": 280}',
        "Gemma 4 documentation; transformers 5.24.0, Gemma4ImageProcessor, for the default of 280",
        "the budget is chosen (70, 140, 280, 560, 1120); 280 is the default",
    ),
    "1 token per 16x16 px (256 px per token)": Rule(
        "fitted-patches",
        '{"patch": 16, "longest": 1024}',
        "https://github.com/scaleway/docs-content/pull/4424",
        "marks at the ends of rows are not counted",
    ),
    "(number of 448x448 tiles + 1) x 256, max 6 tiles (documented for grok-4-fast)": Rule(
        "counted-tiles",
        '{"side": 448, "tile": 256, "most": 6}',
        "xAI's rule for grok-4-fast",
        "documented for grok-4-fast, not checked for this model",
    ),
    "up to 4 tiles of 560x560 px (tokens per tile not found)": _open(
        "up to 4 tiles of 560 x 560 px; the tokens of a tile were not found",
        "https://docs.rs/vision-squeezer",
    ),
    "258 tokens if both sides <= 384 px, else 258 per 768x768 tile": Rule(
        "gemini-tiles", "{}", GEMINI_TILES, "Google calls the formula rough"
    ),
    "media_resolution low 280 / medium 560 / high 1120 tokens per image (rule documented for "
    "Gemini 3)": Rule(
        "fixed",
        '{"tokens": 1120}',
        GEMINI_BUDGET,
        "the most at the default resolution; low is 280, medium 560",
    ),
    "32 px patches, capped at 1536, x1.62": _patches("1.62"),
    "32 px patches, capped at 1536, x2.46": _patches("2.46"),
    "32 px patches, capped at 1536, x1.72": _patches("1.72"),
    "32 px patches, capped at 1536 (high detail), x1.62": _patches("1.62"),
    "32 px patches, capped at 1536 (high detail), x2.46": _patches("2.46"),
    "512 px tiles: 170 per tile + 85 base; low detail 85": _tiles(85, 170),
    "512 px tiles after fit to 2048 px and short side 768: 170 per tile + 85 base; low detail 85": (
        _tiles(85, 170)
    ),
    "512 px tiles after fit to 2048 px and short side 768: 5667 per tile + 2833 base; low detail "
    "2833": _tiles(2833, 5667),
    "512 px tiles: 140 per tile + 70 base; low detail 70": _tiles(70, 140),
    "512 px tiles: 150 per tile + 75 base; low detail 75": _tiles(75, 150),
    "32 px patches, capped at 1536 (high detail) per the 2026 docs (an earlier note listed 70 + "
    "140 per tile); multiplier not found": _open(_NO_MULTIPLIER, OPENAI),
    "32 px patches; high/auto: max 2,500 patches or 2048 px; original: max 10,000 patches or 6000 "
    "px; multiplier not found": _open(_NO_MULTIPLIER, OPENAI),
    "32 px patches; high: max 2,500 patches or 2048 px; original: max 10,000 patches or 6000 px; "
    "multiplier not found": _open(_NO_MULTIPLIER, OPENAI),
    "32 px patches; detail original/auto keeps full size (reject above 30,000 patches), multiplier "
    "not found": _open(_NO_MULTIPLIER, OPENAI),
}

# The note of an answer length → the answers behind it.
ANSWERS = {
    "average / maximum output tokens per answer over 10,370 items of 7 benchmarks, VLMEvalKit "
    "prompts; most runs capped near 2,048 or 4,096": "10370",
}
ANSWERS_NOTE = (
    "7 benchmarks, half of them mathematics, with VLMEvalKit's prompts; most runs were cut off "
    "near 2,048 or 4,096 tokens"
)
