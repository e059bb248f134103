"""What open_clip would fetch from elsewhere: whether it is here, and a clear word if it is not."""

from collections.abc import Mapping
from typing import Any

from evalcore.errors import ModelUnavailable
from evalcore.hub import reachable, within_reach


def tokenizer_of(architecture: str, config: Mapping[str, Any]) -> Any:
    """open_clip's tokenizer of an architecture; one that comes from the hub is looked for here.

    Raises:
        ModelUnavailable: The tokenizer is not on this machine and the hub cannot be reached.
    """
    import open_clip

    text = config.get("text_cfg", {})
    needed = text.get("hf_tokenizer_name") or text.get("hf_model_name")
    if needed and not kept(needed) and not reachable():
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
    if kept(repository, file or None) or reachable(None if repository else about.get("url")):
        return about
    where = repository or about.get("url")
    raise ModelUnavailable(
        f"open_clip's {architecture}/{tag}: the weights ({where}) are not on this machine and "
        f"cannot be fetched; fetch them elsewhere and give open_clip:{architecture}/FILE"
    )


def kept(repository: str, file: str | None = None) -> bool:
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
