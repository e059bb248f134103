"""Models of transformers that need more than CLIP's plain path: BLIP, FLAVA and SigLIP 2.

BLIP and FLAVA compare the first token of each tower, after a projection, as their makers'
contrastive loss does. BLIP's second step, which reads picture and text together, is no contrastive
model and is left out. SigLIP 2 in its NaFlex form keeps a picture's proportions, so that it takes
patches and their grid instead of a square. (SigLIP 2 of fixed size is a SigLIP to transformers.)
"""

import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from evalcore.contrastive.encoder import Transform


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
    transform: Transform | None = None
    """How it wants its pictures, where its image processor alone does not say it."""


def blip(path: str) -> Towers:
    """BLIP's contrastive half, of a checkpoint for image-text matching."""
    import torch
    import transformers

    model = transformers.BlipForImageTextRetrieval.from_pretrained(path, dtype=torch.float32)

    def images(batch: Any) -> Any:
        return model.vision_proj(model.vision_model(pixel_values=batch).last_hidden_state[:, 0])

    texts = _first_token(model, model.text_encoder, model.text_proj)
    return Towers(model, images, texts, 35)  # the length that BLIP was trained and tested with


def flava(path: str) -> Towers:
    """FLAVA's two unimodal encoders."""
    import torch
    import transformers

    model = transformers.FlavaModel.from_pretrained(path, dtype=torch.float32)

    def images(batch: Any) -> Any:
        return model.image_projection(model.image_model(batch).last_hidden_state[:, 0])

    texts = _first_token(model, model.text_model, model.text_projection)
    return Towers(model, images, texts, 77)  # the length that FLAVA was trained with


def _first_token(model: Any, reads: Any, projects: Any) -> Callable[[Any], Any]:
    """A text tower: the first token of what it reads, without the blanks, projected."""
    blank = model.config.text_config.pad_token_id

    def texts(ids: Any) -> Any:
        output = reads(input_ids=ids, attention_mask=(ids != blank).long())
        return projects(output.last_hidden_state[:, 0])

    return texts


def siglip2(path: str) -> Towers:
    """SigLIP 2 with pictures of any proportions (NaFlex)."""
    import torch
    import transformers

    model = transformers.Siglip2Model.from_pretrained(path, dtype=torch.float32)
    processor = transformers.AutoImageProcessor.from_pretrained(path)
    points = processor.patch_size**2  # a patch lists its points, each with three colours
    mean = torch.tensor(list(processor.image_mean) * points)
    std = torch.tensor(list(processor.image_std) * points)

    def images(batch: Any) -> Any:
        sides = (batch[:, 0, :, -PATCH_HEADER:] * 255).round().long()
        there = sides[:, :, 0]
        grid = (sides[:, 0, [1, 3]] * 256 + sides[:, 0, [2, 4]]).clamp(min=1)
        pixels = (batch[:, 0, :, :-PATCH_HEADER] - mean.to(batch.device)) / std.to(batch.device)
        return model.get_image_features(
            pixel_values=pixels * there[..., None],
            pixel_attention_mask=there,
            spatial_shapes=grid,
        ).pooler_output

    return Towers(
        model,
        images,
        lambda ids: model.get_text_features(input_ids=ids).pooler_output,
        int(model.config.text_config.max_position_embeddings),
        Transform(lambda picture: _packed(processor, picture), key(processor), (0.0,), (1.0,)),
    )


PATCH_HEADER = 5
"""Bytes of a packed row beside its patch: whether it is one, and the grid's height and width."""


def _packed(processor: Any, picture: Image.Image) -> Image.Image:
    """A picture's patches as one grey picture, so that they are kept as others are.

    Each row is a patch; the first row also holds the grid, two bytes a number.
    """
    packed = unscaled(processor, picture)
    patches, (height, width) = packed["pixel_values"][0], packed["spatial_shapes"][0]
    rows = np.zeros((len(patches), patches.shape[1] + PATCH_HEADER), np.uint8)
    rows[:, :-PATCH_HEADER] = as_bytes(patches)
    rows[:, -PATCH_HEADER] = packed["pixel_attention_mask"][0]
    rows[0, 1 - PATCH_HEADER :] = [height // 256, height % 256, width // 256, width % 256]
    return Image.fromarray(rows)


def unscaled(processor: Any, picture: Image.Image) -> Any:
    """What an image processor makes of a picture before it scales and normalises it."""
    given = {"do_rescale": False, "do_normalize": False, "return_tensors": "np"}
    return processor(picture.convert("RGB"), **given)


def as_bytes(pixels: Any) -> NDArray[np.uint8]:
    """Values from 0 to 255 as bytes."""
    levels: NDArray[np.uint8] = np.clip(np.rint(pixels), 0, 255).astype(np.uint8)
    return levels


def key(processor: Any) -> str:
    """A hash of all that decides the pixels before they are normalised."""
    later = ("image_mean", "image_std")
    settings = {k: v for k, v in processor.to_dict().items() if k not in later and k[0] != "_"}
    return f"hf-{hashlib.sha256(repr(sorted(settings.items(), key=str)).encode()).hexdigest()[:12]}"


OTHERS: dict[str, Callable[[str], Towers]] = {"blip": blip, "flava": flava, "siglip2": siglip2}
"""By transformers' model type."""
