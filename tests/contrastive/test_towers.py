"""BLIP and FLAVA: the towers give the similarities that transformers itself computes."""

import pytest
import torch
import transformers

from evalcore.contrastive import towers

SMALL = {
    "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
}  # fmt: skip
TEXT = SMALL | {"vocab_size": 100, "max_position_embeddings": 64}
PICTURE = SMALL | {"image_size": 32, "patch_size": 16}
IDS = torch.tensor([[30, 5, 6, 0, 0], [30, 7, 0, 0, 0]])
"""Two texts of different lengths; 0 is blank."""


@pytest.fixture
def pictures():
    return torch.randn(2, 3, 32, 32, generator=torch.Generator().manual_seed(0))


def cosines(found, pictures):
    one, other = found.of_images(pictures), found.of_texts(IDS)
    unit = torch.nn.functional.normalize
    return unit(one, dim=-1) @ unit(other, dim=-1).T


@torch.no_grad()
def test_blip_compares_as_its_own_contrastive_head_does(tmp_path, pictures):
    config = transformers.BlipConfig(
        text_config=TEXT | {"encoder_hidden_size": 32},
        vision_config=PICTURE,
        projection_dim=16,
        image_text_hidden_size=16,
    )
    model = transformers.BlipForImageTextRetrieval(config).eval()
    model.save_pretrained(tmp_path)

    found = towers.blip(str(tmp_path))

    mask = (IDS != 0).long()
    own = model(input_ids=IDS, pixel_values=pictures, attention_mask=mask, use_itm_head=False)
    found.model.eval()
    torch.testing.assert_close(cosines(found, pictures), own.itm_score)


@torch.no_grad()
def test_flava_compares_as_its_own_pretraining_does(tmp_path, pictures):
    config = transformers.FlavaConfig(
        image_config=PICTURE,
        text_config=TEXT,
        multimodal_config=SMALL,
        image_codebook_config={},
        projection_dim=16,
        hidden_size=32,
    )
    model = transformers.FlavaForPreTraining(config).eval()
    model.flava.save_pretrained(tmp_path)

    found = towers.flava(str(tmp_path))

    own = model(
        input_ids=IDS,
        input_ids_masked=IDS,
        pixel_values=pictures,
        attention_mask=(IDS != 0).long(),
        skip_unmasked_multimodal_encoder=True,
        return_loss=False,
    ).contrastive_logits_per_image
    found.model.eval()
    torch.testing.assert_close(
        cosines(found, pictures) * found.model.logit_scale.exp(), own, rtol=1e-4, atol=1e-4
    )
