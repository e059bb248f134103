"""The marks that today's models put around what they say: one list for all who read or send it.

Thoughts, answers and boxes, ends of turns, and what a server takes for more than text. Rules read
answers through it, judges' replies are read through it, adapters tell thoughts from answers by it,
and it keeps marks inside a judged answer from reaching a server as marks. Where a mark comes from
is said beside it; a new family's mark is added here and nowhere else.
"""

import re

_BAR = "[|｜]"  # DeepSeek writes full-width bars.

_THINKS = r"(?:[a-z]+[:_])?think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis"
"""Names of tags: Qwen, DeepSeek, GLM, Seed (``seed:think``), LongCat (``longcat_think``) ..."""
_OPENS = "|".join(
    [
        rf"<(?:{_THINKS})(?:\s[^<>]*)?>",
        r"\[THINK\]",  # Magistral
        "◁think▷",  # Kimi-VL
        rf"<{_BAR}begin_of_thought{_BAR}>",  # OpenThinker
        rf"<{_BAR}START_THINKING{_BAR}>",  # Command A Reasoning
        r"<unused94>",  # MedGemma
        r"<\|channel>\s*thought",  # Gemma 4
        rf"<{_BAR}channel{_BAR}>\s*(?:analysis|commentary)[^<]*<{_BAR}message{_BAR}>",  # gpt-oss
    ]
)
_CLOSES = "|".join(
    [
        rf"</(?:{_THINKS})\s*>",
        r"\[/THINK\]",
        "◁/think▷",
        rf"<{_BAR}end_of_thought{_BAR}>",
        rf"<{_BAR}END_THINKING{_BAR}>",
        r"<unused95>",
        r"<channel\|>",
        rf"<{_BAR}channel{_BAR}>\s*final[^<]*<{_BAR}message{_BAR}>",
    ]
)
# The last is gpt-oss where a server has dropped its marks.
_THOUGHTS_END = re.compile(
    rf"\A(?:.*(?:{_CLOSES})|analysis.*?assistantfinal)", re.IGNORECASE | re.DOTALL
)
_THOUGHTS_BEGIN = re.compile(_OPENS, re.IGNORECASE)

_ANSWERS = r"answer|final_answer|final|ans|solution|conclusion|response|output"
"""Names of tags; ``conclusion`` is LLaVA-CoT's."""
_PARTS = r"box|answer|solution"
ANSWER_OPENS = re.compile(
    rf"<(?:{_ANSWERS})>|\[ANSWER\]|<{_BAR}begin_of_(?:{_PARTS}){_BAR}>|<{_BAR}START_RESPONSE{_BAR}>",
    re.IGNORECASE,
)
"""Begins what a model marks as its answer; GLM-4.5V writes ``<|begin_of_box|>``."""
ANSWER_CLOSES = re.compile(
    rf"</(?:{_ANSWERS})>|\[/ANSWER\]|<{_BAR}end_of_(?:{_PARTS}){_BAR}>|<{_BAR}END_RESPONSE{_BAR}>",
    re.IGNORECASE,
)
BOX = re.compile(r"\\(?:boxed|fbox|framebox)\s*(?=\{)")
"""Begins a box in LaTeX; its contents stand in braces."""
LABEL = re.compile(
    r"(?:^|[.!?:;,]\s|\s[-–—]\s)[^\S\n]*(?:(?:so|thus|hence|therefore|conclusion)[,:]?\s+)?"
    r"(?:(?:the|my)\s+)?(?:final\s+|correct\s+|right\s+|best\s+)*"
    r"(?:answer|antwort|réponse|respuesta|risposta|答案)[^\S\n]*"
    r"(?:(?:(?:is|ist|est|es|è)\b|是|为)\s*[:：]?|[:：]|\n)\s*(?=\S)",
    re.IGNORECASE | re.MULTILINE,
)
"""Begins an answer in words ("Final answer:", "So the answer is"), up to the end of its line."""
TAKEN_BACK = re.compile(
    r"\b(?:wait|actually|correction|scratch that|on second thought|i mean|i meant|my mistake"
    r"|i made an? (?:mistake|error)|let me (?:re\w+|correct)|i was wrong|sorry|hmm|make that"
    r"|change my answer)\b|(?:^|[.!?,\n–—-])[^\S\n]{0,3}no(?:pe)?[,.!]",
    re.IGNORECASE,
)
"""Words with which a model goes back on what it has just said."""

_TURN = (
    rf"<{_BAR}(?!(?:begin|end)_of_(?:{_PARTS}){_BAR}|(?:START|END)_RESPONSE)[^<>|｜\s]{{1,40}}{_BAR}>"
    r"|</?s>|<(?:bos|eos|pad|unk|(?:start|end)_of_(?:turn|utterance))>|<\|?turn\|?>|\[/?INST\]"
)
_TURN_BEGINS = re.compile(
    rf"\A(?:\s*(?:{_TURN})(?:\s*(?:assistant|model)(?=\s|<|\Z))?)+", re.IGNORECASE
)
_TURN_ENDS = re.compile(rf"(?:{_TURN}).*\Z", re.IGNORECASE | re.DOTALL)

CONTROL = re.compile(
    rf"<({_BAR}[^<>\s]{{1,40}}|[^<>\s|｜]{{1,40}}{_BAR}"
    r"|/?[\w-]{0,30}(?:image|img|video|audio)[\w-]{0,30}|/?s|bos|eos|pad|unk"
    r"|(?:start|end)_of_\w{1,30})>",
    re.IGNORECASE,
)
"""What chat templates and tokenizers take for more than text: places of pictures, ends of turns."""


def without_thoughts(text: str) -> str:
    """Return what follows the last block of thoughts; nothing if a block never ends.

    A template may have put the opening mark into the prompt, so a closing one alone ends thoughts.
    An opening one alone is a model that was cut off while it thought, whatever stands before it.

    Example:
        >>> without_thoughts("It says so.</think>Paris"), without_thoughts("Sure! <think>It says")
        ('Paris', '')
    """
    rest = _THOUGHTS_END.sub("", text, count=1)
    return "" if _THOUGHTS_BEGIN.search(rest) else rest


def spoken(text: str) -> str:
    """Return what a model said: without thoughts, ends of turns and what follows them, and tags.

    All words stay, those outside an answer's tags too: this is what a judge is shown.

    Example:
        >>> spoken("<think>hm</think>It is <|begin_of_box|>Paris<|end_of_box|>.<|im_end|>")
        'It is Paris.'
    """
    return ANSWER_CLOSES.sub("", ANSWER_OPENS.sub("", turn(text)))


def turn(text: str) -> str:
    """Return the one turn that a model said without its thoughts; answers' marks stay."""
    rest = _TURN_BEGINS.sub("", without_thoughts(text))
    return _TURN_ENDS.sub("", rest)


def inert(text: str) -> str:
    """Return a text in which no server finds a picture's place or the end of a turn.

    A judge is shown answers that may say anything, and ``transformers serve`` fails (500) at a mark
    that it finds no picture for.

    Example:
        >>> inert("<image>Which <b>colour</b>? <AND> <|im_end|>yes</s>")
        '(image)Which <b>colour</b>? <AND> (|im_end|)yes(/s)'
    """
    return CONTROL.sub(r"(\1)", text)
