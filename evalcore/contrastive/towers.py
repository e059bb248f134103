"""Models of transformers whose two towers lie elsewhere than CLIP's: BLIP and FLAVA.

Both compare the first token of each tower, after a projection, as their makers' contrastive loss
does. BLIP's second step, which reads picture and text together, is no contrastive model and is left
out.
"""

from collections.abc import Callable
from typing import Any, NamedTuple


class Towers(NamedTuple):
    """What embeds pictures and texts."""

    model: Any
    """The torch module, not yet moved to a device."""
    of_images: Callable[[Any], Any]
    """(n, 3, h, w) → (n, d)."""
    of_texts: Callable[[Any], Any]
    """(n, context) token ids → (n, d)."""
    context: int
    """Tokens that are read of a text."""


def blip(path: str) -> Towers:
    """BLIP's contrastive half, of a checkpoint for image-text matching."""
    import torch
    import transformers

    model = transformers.BlipForImageTextRetrieval.from_pretrained(path, dtype=torch.float32)
    blank = model.config.text_config.pad_token_id

    def texts(ids: Any) -> Any:
        found = model.text_encoder(input_ids=ids, attention_mask=(ids != blank).long())
        return model.text_proj(found.last_hidden_state[:, 0])

    def images(batch: Any) -> Any:
        return model.vision_proj(model.vision_model(pixel_values=batch).last_hidden_state[:, 0])

    return Towers(model, images, texts, 35)  # the length that BLIP was trained and tested with


def flava(path: str) -> Towers:
    """FLAVA's two unimodal encoders."""
    import torch
    import transformers

    model = transformers.FlavaModel.from_pretrained(path, dtype=torch.float32)
    blank = model.config.text_config.pad_token_id

    def texts(ids: Any) -> Any:
        found = model.text_model(input_ids=ids, attention_mask=(ids != blank).long())
        return model.text_projection(found.last_hidden_state[:, 0])

    def images(batch: Any) -> Any:
        return model.image_projection(model.image_model(batch).last_hidden_state[:, 0])

    return Towers(model, images, texts, 77)  # the length that FLAVA was trained with


OTHERS: dict[str, Callable[[str], Towers]] = {"blip": blip, "flava": flava}
"""By transformers' model type."""
