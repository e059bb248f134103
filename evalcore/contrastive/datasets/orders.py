"""ARO's order benchmarks from captions: each caption against four shuffles of its words.

Nouns and adjectives among their own places, everything but these, the words within each three,
and the threes as wholes (Yuksekgonul et al., ICLR 2023, and the authors' code at
github.com/mertyg/vision-language-models-are-bows). The authors draw anew at each start, so no two
of their runs have the same wrong captions; the draw that UniBench printed is kept in its shards
alone. Here one seed gives the same draw again. Words are spaCy's throughout, where the authors take
NLTK's for the threes.
"""

import importlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from evalcore.contrastive.datasets.authors import entries, entry_text, files
from evalcore.contrastive.task import Task
from evalcore.errors import BadInput

CAPTIONS = {"coco_order": "coco_karpathy_test.json", "flickr30k_order": "flickr30k_test.json"}
"""Benchmark → the file of captions, which lies where its paths of pictures begin."""
SHARDS = {name: f"haideraltahan/wds_{name}" for name in CAPTIONS}
PIPELINE = "en_core_web_sm"
SEED = 0
WORDS = 30
"""Words of a caption that are kept."""
NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
ADJECTIVES = frozenset({"JJ", "JJR", "JJS"})
LEFT_OUT = re.compile(r'[.!"()*#:;~]')
Tagged = list[tuple[str, str]]
"""Words with their Penn Treebank tags."""
Tagger = Callable[[str], Tagged]


def caption_file(place: Path) -> Path | None:
    """The file of captions that a folder holds, or the file itself; None where there is none."""
    if place.is_file():
        return place if place.name in CAPTIONS.values() else None
    return next((place / name for name in CAPTIONS.values() if (place / name).is_file()), None)


def load(name: str, place: Path, tagger: Tagger | None = None) -> Task:
    """One item a caption: the caption and four shuffles of it.

    Args:
        name: The benchmark's id.
        place: As in ``found``.
        tagger: Words and tags of a text; None: spaCy's, as the authors'.

    Raises:
        BadInput: spaCy is not installed, the file lacks something, or a picture is missing.
    """
    path = caption_file(place)
    assert path is not None
    tag, by = (tagger, "") if tagger else _spacy(name)
    names: list[Path] = []
    captions: list[tuple[str, ...]] = []
    for where, row in entries(path):
        sentences = row.get("caption")
        if not isinstance(sentences, list) or not all(isinstance(part, str) for part in sentences):
            raise BadInput(f"{where}: 'caption' should be a list of texts")
        for caption in sentences:
            names.append(path.parent / entry_text(where, row, "image"))
            rng = np.random.default_rng([SEED, len(captions)])
            captions.append(tuple(map(cleaned, (caption, *shuffles(tag(caption), rng)))))
    return Task(
        name,
        files(path, names),
        captions=tuple(captions),
        right=np.zeros(len(captions), np.int64),
        source={"path": str(place.absolute()), "seed": SEED, "tagger": by},
    )


def shuffles(tagged: Tagged, rng: np.random.Generator) -> list[str]:
    """The four shuffles of a caption; one may happen to be the caption itself.

    Args:
        tagged: Its words and tags.
        rng: What draws.
    """
    words = [word for word, _ in tagged]
    nouns = [at for at, (_, tag) in enumerate(tagged) if tag in NOUNS]
    adjectives = [at for at, (_, tag) in enumerate(tagged) if tag in ADJECTIVES]
    rest = [at for at in range(len(words)) if at not in {*nouns, *adjectives}]
    threes = [list(range(at, min(at + 3, len(words)))) for at in range(0, len(words), 3)]
    mixed = [threes[at] for at in rng.permutation(len(threes))]
    return [
        " ".join(_shuffled(words, [nouns, adjectives], rng)),
        " ".join(_shuffled(words, [rest], rng)),
        " ".join(_shuffled(words, threes, rng)),
        " ".join(words[at] for three in mixed for at in three),
    ]


def _shuffled(
    words: Sequence[str], places: Sequence[list[int]], rng: np.random.Generator
) -> list[str]:
    """The words of each group of places in another order among these places."""
    shuffled = list(words)
    for group in places:
        for at, taken in zip(group, rng.permutation(group), strict=True):
            shuffled[at] = words[taken]
    return shuffled


def cleaned(caption: str) -> str:
    """A caption as the authors give it to a model: small letters, few signs, 30 words.

    >>> cleaned("A cat, on a mat.  Asleep!")
    'a cat, on a mat asleep'
    """
    return " ".join(LEFT_OUT.sub(" ", caption.lower()).split()[:WORDS])


def _spacy(name: str) -> tuple[Tagger, str]:
    """The tagger of spaCy and its version; it is loaded only when it is needed."""
    try:
        pipeline = importlib.import_module("spacy").load(PIPELINE)
    except (ImportError, OSError) as error:
        shards = SHARDS.get(name)
        own = f", or take the draw that UniBench made: hf:{shards}" if shards else ""
        raise BadInput(
            f"benchmark {name!r}: the wrong captions are shuffles by parts of speech, which need "
            f"spaCy and its {PIPELINE} ({error}); pip install spacy, then python -m spacy download "
            f"{PIPELINE}{own}"
        ) from None

    def tag(caption: str) -> Tagged:
        return [(str(token.text), str(token.tag_)) for token in pipeline(caption)]

    return tag, f"{PIPELINE} {pipeline.meta.get('version')}"
