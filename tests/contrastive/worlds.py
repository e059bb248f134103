"""A tiny model, a few pictures, and a model of one's own, for tests of contrastive models."""

import io
import json
import tarfile
from pathlib import Path

import numpy as np
from PIL import Image

from evalcore.contrastive import models
from evalcore.contrastive.encoder import Encoder

CONFIG = {
    "embed_dim": 16,
    "vision_cfg": {"image_size": 16, "layers": 2, "width": 16, "patch_size": 8, "head_width": 8},
    "text_cfg": {"context_length": 16, "vocab_size": 49408, "width": 16, "heads": 2, "layers": 2},
}
COLOURS = {"black": (5, 5, 5), "blue": (20, 30, 220), "green": (20, 200, 40), "red": (230, 20, 20)}
_loaded: dict[Path, Encoder] = {}


def config(folder: Path, name: str = "tiny") -> Path:
    """A file of a tiny architecture."""
    path = folder / f"{name}.json"
    path.write_text(json.dumps(CONFIG))
    return path


def spec(folder: Path) -> str:
    """A tiny open_clip model with random weights, as a person would name it."""
    return f"open_clip:{config(folder)}/random"


def tiny(folder: Path) -> Encoder:
    """The same, loaded."""
    return models.load(spec(folder), device="cpu")


def picture(colour: str, seed: int = 0, size: tuple[int, int] = (20, 24)) -> Image.Image:
    """A noisy picture of one colour."""
    rng = np.random.default_rng(seed)
    noise = rng.integers(-4, 5, (*size, 3))
    return Image.fromarray(np.clip(np.array(COLOURS[colour]) + noise, 0, 255).astype(np.uint8))


def class_folders(folder: Path, each: int = 3, colours: tuple[str, ...] = tuple(COLOURS)) -> Path:
    """A folder for each colour with some pictures of it."""
    for colour in colours:
        (folder / colour).mkdir(parents=True)
        for number in range(each):
            picture(colour, number).save(folder / colour / f"{number}.png")
    return folder


class Colours:
    """A model that knows colours: pictures are their mean colour, texts the colour they name."""

    revision = "1"
    image_size = 16

    def __init__(self) -> None:
        self.shown = 0
        self.said: list[str] = []

    def get_image_embeddings(self, pictures):
        """Mean colour of each, roughly unnormalised, and a constant."""
        self.shown += len(pictures)
        return pictures.mean(dim=(2, 3))

    def get_text_embeddings(self, texts):
        """The colour that a text names, normalised as pictures are."""
        self.said += texts
        found = []
        for text in texts:
            named = next((c for c in COLOURS if c in text), None)
            colour = np.array(COLOURS[named]) / 255 if named else np.array([0.5, 0.5, 0.5])
            found.append((colour - 0.45) / 0.27)
        return np.array(found)


def colours() -> Colours:
    """What ``package.module:factory`` names."""
    return Colours()


class Same(Colours):
    """A model that says the same of everything."""

    revision = "same"

    def get_text_embeddings(self, texts):
        """One vector for all."""
        self.said += texts
        return np.ones((len(texts), 3))


def shard(path, files):
    """Write an archive of files, name to bytes; the answer is its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w") as archive:
        for name, content in files.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))
    return path.parent
