"""Models that bring code of their own: InternVL2 and CogVLM2 as their makers published them.

Such a model's Python files run with all of your rights. Nothing here starts one unless
``trust_remote_code=True`` says so, and then only from the folder or revision that is named.
"""

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from evalcore.errors import BadInput, ModelUnavailable
from evalcore.hub import within_reach
from evalcore.models import local
from evalcore.models.local import Batching, in_batches
from evalcore.models.prompt import INSTRUCTION, opened, parts
from evalcore.models.transformers_vlm import answered, ended, settings_of
from evalcore.participants import ModelAdapter
from evalcore.records import MARK, Item, Prediction

# What InternVL2's model card subtracts and divides by: the means and spreads of ImageNet.
MEAN, SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


@dataclass
class RemoteCodeVLM(ModelAdapter):
    """A model whose own code answers, one item after the other.

    Two ways of asking are known: ``model.chat(tokenizer, pixel_values, question, settings)`` as
    InternVL2 has it, and ``model.build_conversation_input_ids`` as CogVLM2 has it. Each picture
    is one tile of ``image_size``, as in the VQA360 paper.
    """

    may_be_blind = seeded = True

    path: str
    """A folder, or a name on the Hugging Face hub."""
    _: KW_ONLY
    trust_remote_code: bool = False
    """Yes, run the model's own Python code."""
    image_size: int = 448
    instruction: str = INSTRUCTION
    max_new_tokens: int = 2048
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    device: str = "auto"
    seed: int = 0
    quantize: Literal["4bit", "4bit-if-possible"] | None = None
    blind: bool = False
    revision: str | None = None
    """The hub's commit; name one, since code can change under a branch."""

    def __post_init__(self) -> None:
        """Load the model.

        Raises:
            ModelUnavailable: Its code is not trusted, or it cannot be loaded, or it has neither
                of the two ways of asking.
        """
        if self.trust_remote_code is not True:
            raise ModelUnavailable(
                f"{self.path!r} runs Python code of its own with all of your rights; read it, then"
                " say trust_remote_code=True"
            )
        local.share_processor()
        self._means = local.means(self.device, self.dtype, self.quantize, None)
        self._tokenizer, self._model = _load(self)
        self._ask = self._way()

    def predict(self, items: Iterable[Item]) -> Iterator[Prediction]:
        """Answer items in their order; the next picture is read while the model works."""
        yield from in_batches(items, Batching(self._prepare, self._generate, local.free_memory))

    def facts(self) -> dict[str, str]:
        """What a run should record of how the model was really run."""
        config = self._model.config
        language = getattr(config, "llm_config", config)
        attention = getattr(language, "attn_implementation", None) or getattr(
            config, "_attn_implementation", None
        )
        return {
            **settings_of(self._model, self),
            **self._means.facts(),
            "attention": str(attention),
            "batch size": "1",
            "blind": "text only" if self.blind else "no",
        }

    def _way(self) -> Callable[[str, list[Any]], str]:
        if hasattr(self._model, "build_conversation_input_ids"):
            return self._converse
        if hasattr(self._model, "chat"):
            return self._chat
        raise ModelUnavailable(
            f"{self.path!r} has neither chat nor build_conversation_input_ids; its code cannot be"
            " asked"
        )

    def _prepare(self, items: Sequence[Item]) -> tuple[str, list[Any]]:
        prompt = parts(items[0], self.instruction, blind=self.blind)
        images = [opened(part, self.image_size) for part in prompt if isinstance(part, Path)]
        if self._ask == self._converse:
            if len(images) > 1:
                raise BadInput(f"{self.path} takes at most one picture a question")
            return "".join(part for part in prompt if isinstance(part, str)), images
        marked = (f"{MARK}\n" if isinstance(part, Path) else part for part in prompt)
        return "".join(marked), [self._pixels(image) for image in images]

    def _generate(self, items: Sequence[Item], ready: tuple[str, list[Any]]) -> list[Prediction]:
        import torch

        started = time.perf_counter()
        with torch.inference_mode(), _listening(self._model) as written:
            text = self._ask(*ready)
        seconds = time.perf_counter() - started
        out = len(self._tokenizer(text, add_special_tokens=False)["input_ids"])
        why = ended(written, {self._tokenizer.eos_token_id}, self.max_new_tokens)
        return [answered(items[0], text, seconds, None, out, why)]

    def _chat(self, question: str, tiles: list[Any]) -> str:
        import torch

        pixels = torch.cat(tiles).to(self._model.device, self._model.dtype) if tiles else None
        more = {"num_patches_list": [1] * len(tiles)} if len(tiles) > 1 else {}
        settings = {"max_new_tokens": self.max_new_tokens, "do_sample": False}
        return str(self._model.chat(self._tokenizer, pixels, question, settings, **more))

    def _converse(self, question: str, images: list[Any]) -> str:
        model = self._model
        given = model.build_conversation_input_ids(
            self._tokenizer, query=question, history=[], images=images, template_version="chat"
        )
        names = ("input_ids", "token_type_ids", "attention_mask")
        batch = {name: given[name].unsqueeze(0).to(model.device) for name in names}
        if images:
            batch["images"] = [[given["images"][0].to(model.device, model.dtype)]]
        out = model.generate(**batch, max_new_tokens=self.max_new_tokens, do_sample=False)
        new = out[0, batch["input_ids"].shape[1] :]
        return str(self._tokenizer.decode(new, skip_special_tokens=True))

    def _pixels(self, image: Any) -> Any:
        import torch

        values = (np.asarray(image, dtype=np.float32) / 255 - MEAN) / SPREAD
        return torch.from_numpy(values.astype(np.float32)).permute(2, 0, 1)[None]


@contextlib.contextmanager
def _listening(model: Any) -> Iterator[list[int]]:
    """The tokens that a model writes meanwhile, which its own code gives out as text only."""
    written: list[int] = []
    if not hasattr(model, "generate"):
        yield written
        return
    generate = model.generate

    def heard(*given: Any, **settings: Any) -> Any:
        out = generate(*given, **settings)
        row, asked = out[0].tolist(), settings.get("input_ids")
        prompt = [] if asked is None else asked[0].tolist()
        # A model that is given embeddings returns the new tokens alone.
        written[:] = row[len(prompt) :] if row[: len(prompt)] == prompt else row
        return out

    model.generate = heard
    try:
        yield written
    finally:
        del model.generate


def _load(given: RemoteCodeVLM) -> tuple[Any, Any]:
    import torch
    import transformers

    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(given.seed)
    shared = {"trust_remote_code": True, "revision": given.revision}
    options: dict[str, Any] = {**local.placement(given.device), **shared}
    options["dtype"] = local.dtype(given.dtype, given.device)
    if given._means.four_bit:
        options["quantization_config"] = local.four_bit()
    try:
        with within_reach(given.path):
            tokenizer = transformers.AutoTokenizer.from_pretrained(given.path, **shared)
            kind = transformers.AutoConfig.from_pretrained(given.path, **shared)
            causal = "AutoModelForCausalLM" in (getattr(kind, "auto_map", None) or {})
            base = transformers.AutoModelForCausalLM if causal else transformers.AutoModel
            model = base.from_pretrained(given.path, **options)
    except (OSError, ValueError, KeyError, ImportError, AttributeError) as error:
        raise ModelUnavailable(f"{given.path!r} cannot be loaded: {error}") from error
    return tokenizer, model.eval()
