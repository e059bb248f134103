"""Every vision-language model that transformers itself can load, through its generic classes.

A family is not code here: what a model needs beyond its own processor and chat template is a row
of ``FORMS``. Models that bring code of their own run through ``remote_code_vlm``.
"""

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from evalcore.errors import BadInput, ModelUnavailable
from evalcore.hub import within_reach
from evalcore.models import local
from evalcore.models.local import Batching, in_batches
from evalcore.models.prompt import INSTRUCTION, Part, all_opened, grey, parts
from evalcore.participants import ModelAdapter
from evalcore.records import Ending, Item, Prediction


@dataclass(frozen=True)
class Form:
    """How a family without a chat template is asked, as its model cards say."""

    text: str
    """The prompt around ``{text}``."""
    mark: str = ""
    """What stands for each picture, before the prompt."""
    flat: bool = False
    """Its processor takes one picture a prompt, in a plain list."""


FORMS = {
    "paligemma": Form("answer en {text}", mark="<image>"),
    "blip-2": Form("Question: {text} Answer:", flat=True),
    "instructblip": Form("{text}", flat=True),
}
"""By ``model_type``. These cannot be asked without a picture: blind, they get a grey one."""
A_PICTURE = 1024
"""Tokens that a picture is thought to take until the first has been prepared."""


@dataclass
class TransformersVLM(ModelAdapter):
    """A model of transformers on this machine; the defaults are the VQA360 paper's settings."""

    may_be_blind = seeded = True

    path: str
    """A folder, or a name on the Hugging Face hub."""
    _: KW_ONLY
    image_size: int | None = 448
    """Side in pixels of the square that every picture is resized to; None leaves it as it is."""
    instruction: str = INSTRUCTION
    """Put before every question; empty for none."""
    max_new_tokens: int = 2048
    batch_size: int = 8
    """Most items in a batch."""
    batch_tokens: int | None = None
    """Most tokens in a batch, prompts and new ones, as estimated and with padding; None: any."""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """auto: as the weights were saved, but float32 on a processor, where half is slow."""
    device: str = "auto"
    """auto: all GPUs if there are any, else the processor."""
    seed: int = 0
    quantize: Literal["4bit", "4bit-if-possible"] | None = None
    attention: str | None = None
    """``flash_attention_2``, the same with ``-if-possible`` after it, or another of transformers'
    names; None leaves it the choice."""
    blind: bool = False
    """Withhold the pictures: the same text is asked without them."""
    revision: str | None = None
    """The hub's branch, tag or commit."""

    def __post_init__(self) -> None:
        """Load the model.

        Raises:
            BadInput: A setting is out of range.
            ModelUnavailable: The model, or what a setting needs, is not there.
        """
        _check(self)
        local.share_processor()
        self._means = local.means(self.device, self.dtype, self.quantize, self.attention)
        self._processor, self._model, self._means = _load(self, self._means)
        self._form = _form(self)
        tokenizer = self._processor.tokenizer
        tokenizer.padding_side = "left"
        if tokenizer.pad_token_id is None:
            tokenizer.pad_token = tokenizer.eos_token
        self._generation = _greedy(self._model, tokenizer, self.max_new_tokens)
        self._picture = 0

    def predict(self, items: Iterable[Item]) -> Iterator[Prediction]:
        """Answer items, of some hundred those of like length together, the shortest first."""
        batching = Batching(
            self._prepare,
            self._generate,
            local.free_memory,
            most=self.batch_size,
            budget=self.batch_tokens,
            length=self._length,
            # Processors refuse a batch in which some prompts have a picture and others have none.
            kind=lambda item: bool(item.images),
        )
        yield from in_batches(items, batching)

    def facts(self) -> dict[str, str]:
        """What a run should record of how the model was really run."""
        return {
            **settings_of(self._model, self),
            **self._means.facts(),
            "attention": str(getattr(self._model.config, "_attn_implementation", None)),
            "batch size": str(self.batch_size),
            "blind": self._blind_way() if self.blind else "no",
        }

    def _blind_way(self) -> str:
        return "grey picture" if self._form else "text only"

    def _prepare(self, items: Sequence[Item]) -> tuple[Any, list[int]]:
        """The model's input, not yet on its device, and the number of tokens of each prompt."""
        asked = [self._asked(item) for item in items]
        paths = [[part for part in prompt if isinstance(part, Path)] for prompt in asked]
        read = iter(all_opened([path for row in paths for path in row], self.image_size))
        images = [[next(read) for _ in row] for row in paths]
        if self._form and self.blind:
            images = [[grey(self.image_size) for _ in item.images] for item in items]
        texts = [self._text(prompt, len(seen)) for prompt, seen in zip(asked, images, strict=True)]
        given = {"text": texts, "padding": True, "return_tensors": "pt"}
        if any(images):
            given["images"] = self._laid(images)
        batch = self._processor(**given).to(dtype=self._model.dtype)
        # PaliGemma's processor makes labels for training.
        batch.pop("labels", None)
        tokens = batch["attention_mask"].sum(1).tolist()
        self._learn(items, tokens)
        return batch, tokens

    def _length(self, item: Item) -> int:
        """Estimated tokens of an item, with the longest possible answer."""
        pictures = len(item.images) * (self._picture or A_PICTURE)
        return self._words(item) + pictures + self.max_new_tokens

    def _words(self, item: Item) -> int:
        return len("".join((self.instruction, item.question, *item.choices)).encode()) // 3

    def _learn(self, items: Sequence[Item], tokens: Sequence[int]) -> None:
        """Remember how many tokens a picture takes at most, with what stands around it."""
        if self.batch_tokens is None or self.blind:
            return
        for item, count in zip(items, tokens, strict=True):
            if item.images:
                seen = (count - self._words(item)) // len(item.images)
                self._picture = max(self._picture, seen)

    def _asked(self, item: Item) -> tuple[Part, ...]:
        return parts(item, self.instruction, blind=self.blind)

    def _text(self, prompt: Sequence[Part], pictures: int) -> str:
        if self._form:
            text = " ".join(part for part in prompt if isinstance(part, str))
            return self._form.mark * pictures + self._form.text.format(text=text)
        content = [
            {"type": "image"} if isinstance(part, Path) else {"type": "text", "text": part}
            for part in prompt
        ]
        turn = [{"role": "user", "content": content}]
        text = self._processor.apply_chat_template(turn, add_generation_prompt=True, tokenize=False)
        return str(text)

    def _laid(self, images: list[list[Any]]) -> list[Any]:
        if not (self._form and self._form.flat):
            return images
        if any(len(seen) != 1 for seen in images):
            raise BadInput(f"{self.path} takes exactly one picture a question")
        return [seen[0] for seen in images]

    def _generate(self, items: Sequence[Item], ready: tuple[Any, list[int]]) -> list[Prediction]:
        import torch

        batch, read = ready
        if self._model.device.type != "cpu":
            batch = batch.to(self._model.device)
        started = time.perf_counter()
        with torch.inference_mode():
            out = self._model.generate(**batch, generation_config=self._generation)
        seconds = (time.perf_counter() - started) / len(items)
        asked = batch["input_ids"].shape[1]
        # Models that get embeddings instead of tokens return the new tokens alone.
        new = out[:, asked:] if out.shape[1] > asked else out
        rows = [self._until_end(row) for row in new.tolist()]
        texts = self._processor.batch_decode(rows, skip_special_tokens=True)
        return [
            answered(item, text, seconds, tokens_in, len(row), self._ended(row))
            for item, text, tokens_in, row in zip(items, texts, read, rows, strict=True)
        ]

    def _until_end(self, row: list[int]) -> list[int]:
        ends = self._ends()
        for place, token in enumerate(row):
            if token in ends:
                return row[: place + 1]
        return row

    def _ends(self) -> set[int]:
        ends = self._generation.eos_token_id
        return set(ends if isinstance(ends, list) else [ends])

    def _ended(self, row: Sequence[int]) -> Ending | None:
        return ended(row, self._ends(), self.max_new_tokens)


def ended(new: Sequence[int], ends: Collection[int], most: int) -> Ending | None:
    """Why a model wrote no further.

    Args:
        new: The tokens that it wrote.
        ends: Those that end an answer.
        most: It was allowed so many.
    """
    if new and new[-1] in ends:
        return "finished"
    return "cut off" if len(new) >= most else None


def answered(  # noqa: PLR0913  what an answer is made of
    item: Item,
    text: str,
    seconds: float,
    tokens_in: int | None,
    tokens_out: int | None,
    ended: Ending | None,
) -> Prediction:
    """A model's words as a prediction; white space alone is no answer."""
    empty = not text.strip()
    return Prediction(
        item.id,
        None if empty else text,
        error="empty answer" if empty else None,
        seconds=seconds,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        ended=ended,
    )


def settings_of(model: Any, asked: Any) -> dict[str, str]:
    """Facts of a model that is loaded: what it is, where it is, how its adapter asks it."""
    commit = getattr(model.config, "_commit_hash", None)
    return {
        "class": type(model).__name__,
        **({"revision": str(commit)} if commit else {}),
        "device": local.names_of(model),
        "dtype": str(model.dtype).removeprefix("torch."),
        "picture": f"{asked.image_size} px square" if asked.image_size else "as it is",
        "instruction": asked.instruction,
        "most new tokens": str(asked.max_new_tokens),
        "decoding": "greedy",
        "seed": str(asked.seed),
    }


def _check(given: TransformersVLM) -> None:
    for name in ("image_size", "max_new_tokens", "batch_size", "batch_tokens"):
        value = getattr(given, name)
        if value is not None and value < 1:
            raise BadInput(f"{name} is {value!r}; it must be 1 or more")


def _load(given: TransformersVLM, means: local.Means) -> tuple[Any, Any, local.Means]:
    import torch
    import transformers

    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(given.seed)
    shared = {"trust_remote_code": False, "revision": given.revision}
    options: dict[str, Any] = {**local.placement(given.device), **shared}
    options["dtype"] = local.dtype(given.dtype, given.device)
    if means.four_bit:
        options["quantization_config"] = local.four_bit()
    try:
        with within_reach(given.path):
            processor = transformers.AutoProcessor.from_pretrained(given.path, **shared)
            config = transformers.AutoConfig.from_pretrained(given.path, **shared)
            means = supported(given.attention, means, config)
            if means.attention:
                options["attn_implementation"] = means.attention
            model = transformers.AutoModelForImageTextToText.from_pretrained(given.path, **options)
    except (OSError, ValueError, KeyError, ImportError) as error:
        if "trust_remote_code" in str(error):
            raise ModelUnavailable(
                f"{given.path!r} brings Python code of its own; read it, then name the model"
                f" remote-code:{given.path} with the option trust_remote_code=true"
            ) from None
        raise ModelUnavailable(f"{given.path!r} cannot be loaded: {error}") from error
    return processor, model.eval(), means


def supported(asked: str | None, means: local.Means, config: Any) -> local.Means:
    """Without FlashAttention where it was asked for if possible and the family has none.

    PaliGemma and Gemma 3 look at all of a picture at once, which FlashAttention cannot mask.
    """
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING

    if means.attention != local.FLASH or not str(asked).endswith(local.IF_POSSIBLE):
        return means
    kind = MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING[type(config)]
    if kind._supports_flash_attn:
        return means
    why = {**means.left_out, "attention": f"FlashAttention 2 is not made for {kind.__name__}"}
    return replace(means, attention=None, left_out=why)


def _form(given: TransformersVLM) -> Form | None:
    processor, kind = given._processor, given._model.config.model_type
    if getattr(processor, "chat_template", None) or processor.tokenizer.chat_template:
        return None
    if kind not in FORMS:
        raise ModelUnavailable(
            f"{given.path!r} ({kind}) has no chat template, and how to ask it is not known;"
            f" known without one: {', '.join(FORMS)}"
        )
    return FORMS[kind]


def _greedy(model: Any, tokenizer: Any, max_new_tokens: int) -> Any:
    """The model's own generation settings without chance in them."""
    settings = deepcopy(model.generation_config)
    settings.do_sample, settings.num_beams = False, 1
    settings.temperature = settings.top_p = settings.top_k = None
    settings.max_length, settings.max_new_tokens = None, max_new_tokens
    if settings.eos_token_id is None:
        settings.eos_token_id = tokenizer.eos_token_id
    if settings.pad_token_id is None:
        settings.pad_token_id = tokenizer.pad_token_id
    return settings
