"""From what a person types to a loaded model: open_clip, Hugging Face folders, an own object.

``open_clip:ARCHITECTURE/TAG`` (every one that open_clip knows), ``open_clip:ARCHITECTURE/FILE`` (a
checkpoint on this disk), ``open_clip:ARCHITECTURE/random``; ARCHITECTURE may be a file of a model's
configuration. ``hf:FOLDER`` or ``hf:OWNER/NAME`` for CLIP, SigLIP, SigLIP 2, BLIP and FLAVA.
``package.module:factory`` for an object with ``get_image_embeddings`` and ``get_text_embeddings``.
"""

import importlib
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evalcore import messages
from evalcore.contrastive import towers
from evalcore.contrastive.encoder import Encoder, Transform, fingerprint, split
from evalcore.contrastive.scoring import Scale
from evalcore.contrastive.towers import Towers
from evalcore.errors import BadInput, ModelUnavailable, UnknownName
from evalcore.hub import reachable, within_reach
from evalcore.models import local


def tokenizer_of(architecture: str, config: Mapping[str, Any]) -> Any:
    """open_clip's tokenizer of an architecture; one that comes from the hub is looked for here.

    Raises:
        ModelUnavailable: The tokenizer is not on this machine and the hub cannot be reached.
    """
    import open_clip

    text = config.get("text_cfg", {})
    needed = text.get("hf_tokenizer_name") or text.get("hf_model_name")
    if needed and not in_hub_cache(needed) and not reachable():
        raise ModelUnavailable(
            f"open_clip's {architecture} needs the tokenizer {needed!r} of the Hugging Face hub, "
            "which is not on this machine, and the hub cannot be reached; fetch it where it can "
            f"('hf download {needed}') and point HF_HOME at its folder, or take an architecture "
            "with open_clip's own tokenizer, such as ViT-B-32"
        )
    try:
        with within_reach(needed or ""):
            return open_clip.get_tokenizer(architecture)
    except (OSError, ValueError) as error:
        first = str(error).splitlines()[0]
        raise ModelUnavailable(f"open_clip's {architecture}: no tokenizer ({first})") from None


def check_weights(architecture: str, tag: str) -> dict[str, Any]:
    """What open_clip knows of a tag's weights.

    Raises:
        ModelUnavailable: They are not on this machine and cannot be fetched.
    """
    from open_clip.pretrained import get_pretrained_cfg

    about: dict[str, Any] = get_pretrained_cfg(architecture, tag)
    repository, _, file = str(about.get("hf_hub") or "").rpartition("/")
    if in_hub_cache(repository, file or None) or reachable(
        None if repository else about.get("url")
    ):
        return about
    where = repository or about.get("url")
    raise ModelUnavailable(
        f"open_clip's {architecture}/{tag}: the weights ({where}) are not on this machine and "
        f"cannot be fetched; fetch them elsewhere and give open_clip:{architecture}/FILE"
    )


def in_hub_cache(repository: str, file: str | None = None) -> bool:
    """Whether the hub's cache on this machine holds a repository, or one file of it."""
    from pathlib import Path

    import huggingface_hub

    if not repository:
        return False
    if Path(repository).is_dir():
        return True
    names = [file] if file else ["tokenizer.json", "tokenizer_config.json", "vocab.txt"]
    names += ["open_clip_model.safetensors", "open_clip_pytorch_model.bin"] if not file else []
    return any(
        isinstance(huggingface_hub.try_to_load_from_cache(repository, name), str) for name in names
    )


PRECISIONS = ("fp32", "bf16", "fp16")
SPELLINGS = (
    "open_clip:ARCHITECTURE/TAG, open_clip:ARCHITECTURE/FILE, hf:FOLDER or package.module:factory"
)
RANDOM = "random"
SEED = 0
"""Of random weights, so that they are the same in every run."""
KINDS = ("clip", "siglip")
"""Model types of transformers whose two towers are known to work through the plain path."""
USUAL_SCALE = 100.0
"""CLIP's factor, where a model names none."""
log = logging.getLogger(__name__)


def load(spec: str, *, device: str = "auto", precision: str = "fp32") -> Encoder:
    """Load a model.

    Args:
        spec: See the module's own words.
        device: ``auto``, ``cpu``, ``cuda``, ``cuda:1``.
        precision: Of the towers: ``fp32``, or ``bf16`` and ``fp16`` through autocast.

    Raises:
        BadInput: The words cannot be read.
        UnknownName: open_clip has no such architecture or tag.
        ModelUnavailable: It needs files that are not here and cannot be fetched.
    """
    if precision not in PRECISIONS:
        raise BadInput(f"precision {precision!r} should be one of {', '.join(PRECISIONS)}")
    local.share_processor()
    if device == "auto":
        device = "cuda" if local.has_gpu() else "cpu"
    spec = messages.checked(spec, "model", SPELLINGS)
    kind, colon, rest = (part.strip() for part in spec.partition(":"))
    if not (kind and colon and rest):
        raise BadInput(f"model {messages.shown(spec)} should be {SPELLINGS}")
    if kind == "open_clip":
        return _open_clip(rest, device, precision)
    return (
        _hugging_face(rest, device, precision) if kind == "hf" else _made(spec, device, precision)
    )


def own(model: Any, name: str, device: str = "cpu", precision: str = "fp32") -> Encoder:
    """Use an object of one's own.

    Args:
        model: It has ``get_image_embeddings(pictures)``, from (n, 3, h, w) normalised tensors to
            (n, d), and ``get_text_embeddings(texts)``, from n strings to (n, d); both may be
            tensors or arrays, of any length. The pictures are valid until the next call: their
            memory is used again. It may have ``preprocess`` (a picture to a tensor; else CLIP's at
            ``image_size``, 224), ``logit_scale`` (else 100) and ``logit_bias``, and ``revision``,
            which names its weights; without one they are read from its modules, and where it has
            none nothing is kept for the next time.
        name: Its id.
        device: Where it wants its pictures.
        precision: Autocast around its methods.

    Raises:
        BadInput: It lacks one of the two methods.
    """
    lacks = [
        method
        for method in ("get_image_embeddings", "get_text_embeddings")
        if not callable(getattr(model, method, None))
    ]
    if lacks:
        raise BadInput(f"model {name!r}: {type(model).__name__} has no method {lacks[0]}")
    preprocess, bias = getattr(model, "preprocess", None), getattr(model, "logit_bias", None)
    transform = split(preprocess) if preprocess else _usual(int(getattr(model, "image_size", 224)))
    factor = float(getattr(model, "logit_scale", USUAL_SCALE))
    return Encoder(
        name,
        _own_fingerprint(model, precision, device),
        transform,
        Scale(factor, None if bias is None else float(bias)),
        model.get_image_embeddings,
        model.get_text_embeddings,
        lambda texts: list(texts),
        device=device,
        precision=precision,
        about={"code": f"{type(model).__module__}.{type(model).__qualname__}"},
    )


def _own_fingerprint(model: Any, precision: str, device: str) -> str | None:
    """What names the weights of an own object: its word for it, or its modules."""
    import torch

    more = (type(model).__qualname__, precision, device.partition(":")[0])
    if getattr(model, "revision", None):
        return f"{model.revision}-{precision}-{device.partition(':')[0]}"
    if isinstance(model, torch.nn.Module):
        return fingerprint(model, *more)
    parts = {k: v for k, v in vars(model).items() if isinstance(v, torch.nn.Module)}
    return fingerprint(torch.nn.ModuleDict(parts), *more) if parts else None


def _usual(size: int) -> Transform:
    """CLIP's way with pictures, which is open_clip's too."""
    from open_clip.transform import image_transform

    return split(image_transform(size, is_train=False))


def _made(spec: str, device: str, precision: str) -> Encoder:
    """What a function of the user's own returns."""
    module, _, name = spec.partition(":")
    try:
        factory = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise BadInput(
            f"model {messages.shown(spec)}: {error}; it should be open_clip:ARCHITECTURE/TAG, "
            "hf:FOLDER, or package.module:factory of code that Python finds"
        ) from None
    return own(factory(), name, device, precision)


def _open_clip(spec: str, device: str, precision: str) -> Encoder:
    import open_clip
    import torch

    architecture, source = _parted(spec)
    config = open_clip.get_model_config(architecture)
    if config is None:
        raise _unknown("architecture", architecture, open_clip.list_models())
    tags = open_clip.list_pretrained_tags_by_model(architecture)
    is_file = Path(source).is_file()
    if not is_file and source not in (RANDOM, *tags):
        raise _unknown(f"tag of {architecture}", source, [*tags, RANDOM, "or a checkpoint file"])
    tokens = tokenizer_of(architecture, config)
    about = {} if is_file or source == RANDOM else check_weights(architecture, source)
    torch.manual_seed(SEED)
    try:
        with within_reach(source if about else ""):
            model, _, preprocess = open_clip.create_model_and_transforms(
                architecture,
                pretrained=None if source == RANDOM else source,
                device=device,
                # open_clip only warns when a tag was trained with another activation.
                force_quick_gelu=bool(about.get("quick_gelu", False)),
                pretrained_text=False,
            )
    except (OSError, RuntimeError, KeyError, ValueError) as error:
        raise ModelUnavailable(f"open_clip:{spec} cannot be loaded: {error}") from None
    model.eval()
    name = f"{architecture}/{Path(source).stem if is_file else source}".lower()
    if source == RANDOM:
        log.warning("%s has random weights: its scores are chance", name)
    return Encoder(
        name,
        fingerprint(model, "open_clip", open_clip.__version__, precision, device.partition(":")[0]),
        split(preprocess),
        _scale(model),
        model.encode_image,
        model.encode_text,
        tokens,
        _token_counts(tokens),
        getattr(tokens, "context_length", None),
        device,
        precision,
        {"weights": source if not is_file else Path(source).name, "architecture": architecture},
    )


def _parted(spec: str) -> tuple[str, str]:
    """Architecture and tag, with a file of a configuration made known to open_clip."""
    import open_clip

    config, tag, source = spec.partition(".json/")
    if tag:
        path = Path(f"{config}.json")
        if not path.is_file():
            raise BadInput(f"open_clip:{spec}: there is no file {str(path)!r}")
        open_clip.add_model_config(path)
        return path.stem, source
    architecture, slash, source = spec.partition("/")
    if not slash or not source:
        tags = ", ".join([*open_clip.list_pretrained_tags_by_model(architecture), RANDOM])
        raise BadInput(f"open_clip:{spec} names no weights: open_clip:{spec}/TAG, of {tags}")
    return architecture, source


def _unknown(what: str, name: str, known: list[str]) -> UnknownName:
    import difflib

    near = difflib.get_close_matches(name, known, n=5, cutoff=0.5) or known[:20]
    return UnknownName(f"open_clip knows no {what} {name!r}; known: {', '.join(near)}")


def _token_counts(tokens: Any) -> Callable[[Any], list[int]] | None:
    """A function that counts tokens before any cut, for tokenizers where that is known."""
    encode, clean = getattr(tokens, "encode", None), getattr(tokens, "tokenizer", None)
    if encode is not None:  # open_clip's own, which puts a sign at each end
        return lambda texts: [len(encode(text)) + 2 for text in texts]
    if clean is not None:
        return lambda texts: [len(ids) for ids in clean(list(texts), truncation=False)["input_ids"]]
    return None


def _hugging_face(path: str, device: str, precision: str) -> Encoder:
    import transformers

    try:
        with within_reach(path):
            config = transformers.AutoConfig.from_pretrained(path)
            encoder = _towers(path, config)
            tokenizer = transformers.AutoTokenizer.from_pretrained(path)
            pictures = transformers.AutoImageProcessor.from_pretrained(path)
    except OSError as error:
        first = str(error).splitlines()[0]
        raise ModelUnavailable(
            f"hf:{path}: {first}; give a folder that holds the model, its tokenizer and its "
            "preprocessor_config.json"
        ) from None
    model, context = encoder.model.to(device).eval(), encoder.context
    tokenizer.padding_side = "right"  # as all of them were trained, whatever a class's default is

    def tokens(texts: Any) -> Any:
        given = {"padding": "max_length", "truncation": True, "max_length": context}
        return tokenizer(list(texts), return_tensors="pt", **given)["input_ids"]

    return Encoder(
        Path(path).name.lower(),
        fingerprint(model, transformers.__version__, precision, device.partition(":")[0]),
        encoder.transform or _processor(pictures),
        _scale(model),
        encoder.of_images,
        encoder.of_texts,
        tokens,
        lambda texts: [len(ids) for ids in tokenizer(list(texts), truncation=False)["input_ids"]],
        context,
        device,
        precision,
        {"weights": Path(path).name, "architecture": str(config.model_type)},
    )


def _towers(path: str, config: Any) -> Towers:
    if config.model_type in towers.OTHERS:
        return towers.OTHERS[config.model_type](path)
    if config.model_type in KINDS:
        return _clip(path, int(config.text_config.max_position_embeddings))
    raise BadInput(
        f"hf:{path} is a {config.model_type!r} model; CLIP, SigLIP, SigLIP 2, BLIP and FLAVA run "
        "through transformers here, others through open_clip: or an object of your own"
    )


def _clip(path: str, context: int) -> Towers:
    """CLIP and SigLIP: transformers gives both vectors.

    Without a mask over the blanks: CLIP's end sign does not look at what follows it, and SigLIP was
    trained to see them (mlfoundations/open_clip#984).
    """
    import torch
    import transformers

    model = transformers.AutoModel.from_pretrained(path, dtype=torch.float32)

    def pooled(output: Any) -> Any:
        return getattr(output, "pooler_output", output)

    return Towers(
        model,
        lambda batch: pooled(model.get_image_features(pixel_values=batch)),
        lambda ids: pooled(model.get_text_features(input_ids=ids)),
        context,
    )


def _processor(pictures: Any) -> Transform:
    """Hugging Face's image processor, stopped before it scales and normalises."""
    from PIL import Image

    def resize(picture: Image.Image) -> Image.Image:
        pixels = towers.unscaled(pictures, picture)["pixel_values"][0]
        return Image.fromarray(towers.as_bytes(pixels).transpose(1, 2, 0))

    mean, std = tuple(pictures.image_mean), tuple(pictures.image_std)
    return Transform(resize, towers.key(pictures), mean, std)


def _scale(model: Any) -> Scale:
    """The model's own factor and, if it was trained with a sigmoid, its bias."""
    bias, factor = getattr(model, "logit_bias", None), getattr(model, "logit_scale", None)
    if factor is None:  # BLIP does not keep its own; it changes no ranking
        return Scale(USUAL_SCALE, None)
    factor = float(factor.detach().exp())
    return Scale(factor, None if bias is None else float(bias.detach()))
