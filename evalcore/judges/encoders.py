"""Similarity by a local text encoder: cosine of embeddings, and BERTScore.

Secondary metrics beside a correctness judge, never instead of one: encoders put "2" next to "3" and
"yes" next to "no". torch and the packages on it are loaded when such a judge is made.
"""

import hashlib
import importlib
import json
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import Any, Literal, get_args

from evalcore.errors import ModelUnavailable
from evalcore.judges.verdicts import Rule, RuleResult, references
from evalcore.records import Item

Part = Literal["precision", "recall", "f1"]
PARTS: tuple[Part, ...] = get_args(Part)
ROBERTA_LARGE = (24, 17)
"""Number of layers of RoBERTa-large, and the layer that BERTScore's authors tuned for it."""


def embedding_similarity(model: Path) -> Rule:
    """Return a judge that scores the cosine of mean-pooled embeddings, a negative one as 0.

    Args:
        model: a local folder with a text encoder that transformers can load.

    Raises:
        ModelUnavailable: the folder does not hold a model, or a package is missing.
    """
    version = _fingerprint(model)
    encoder = _Encoder(model)
    return Rule(f"similarity-embedding:{model.name}", version, encoder.compare, concurrency=1)


def bertscore(model: Path, part: Part = "f1", layer: int | None = None) -> Rule:
    """Return a judge that scores BERTScore's precision, recall or F1 (Zhang et al. 2020).

    Without idf weights and rescaling; of several references the one with the best F1 counts.

    Args:
        model: a local folder with a text encoder; the VQA360 paper uses RoBERTa-large.
        part: which of the three.
        layer: the layer whose vectors are compared; None: 17 of 24, else the last.

    Raises:
        ModelUnavailable: the folder does not hold a model, or a package is missing.
    """
    layer = layer or _layer(model)
    version = f"{_fingerprint(model)}-layer{layer}"
    compare = partial(_bert_scorer(model, layer).compare, part=part)
    return Rule(f"similarity-bertscore-{part}:{model.name}", version, compare, concurrency=1)


class _Encoder:
    """A text encoder with mean pooling."""

    def __init__(self, model: Path) -> None:
        self._torch = _package("torch", "torch")
        transformers = _package("transformers", "transformers")
        self._tokenizer = transformers.AutoTokenizer.from_pretrained(model, local_files_only=True)
        self._model = transformers.AutoModel.from_pretrained(model, local_files_only=True).eval()
        # RoBERTa's first two places are taken.
        places = self._model.config.max_position_embeddings - 2
        self._longest = min(self._tokenizer.model_max_length, places)
        self._lock = Lock()

    def compare(self, item: Item, answer: str) -> RuleResult:
        texts = references(item)
        with self._lock:
            vectors = self._embed([answer, *texts])
        cosines = (vectors[1:] @ vectors[0]).tolist()
        best, nearest = max(zip(cosines, texts, strict=True))
        return RuleResult(min(max(best, 0.0), 1.0), answer, f"nearest reference {nearest!r}")

    def _embed(self, texts: list[str]) -> Any:
        """Return unit vectors of shape (texts, width)."""
        batch = self._tokenizer(
            texts, padding=True, truncation=True, max_length=self._longest, return_tensors="pt"
        )
        with self._torch.inference_mode():
            states = self._model(**batch).last_hidden_state  # (texts, tokens, width)
        mask = batch["attention_mask"].unsqueeze(-1)
        means = (states * mask).sum(1) / mask.sum(1)
        return self._torch.nn.functional.normalize(means, dim=-1)


class _BertScore:
    """BERTScore by the package of its authors."""

    def __init__(self, model: Path, layer: int) -> None:
        package = _package("bert_score", "bert-score")
        self._scorer = package.BERTScorer(model_type=str(model), num_layers=layer)
        self._lock = Lock()

    def compare(self, item: Item, answer: str, part: Part) -> RuleResult:
        texts = references(item)
        with self._lock:
            scores = self._scorer.score([answer] * len(texts), texts)
        rows = list(zip(*(column.tolist() for column in scores), texts, strict=True))
        best = max(rows, key=lambda row: row[2])
        score = min(max(best[PARTS.index(part)], 0.0), 1.0)
        return RuleResult(score, answer, f"nearest reference {best[3]!r}")


@cache
def _bert_scorer(model: Path, layer: int) -> _BertScore:
    """Load an encoder once for precision, recall and F1."""
    return _BertScore(model, layer)


def _package(name: str, pip_name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ModelUnavailable(
            f"this metric needs the package {pip_name!r}, which is not installed ({error}); "
            f"pip install {pip_name}"
        ) from error


def _config(model: Path) -> dict[str, Any]:
    try:
        loaded = json.loads((model / "config.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ModelUnavailable(
            f"no encoder at {str(model)!r} ({error}); it should be a local folder with "
            "config.json, a tokenizer and weights"
        ) from error
    return dict(loaded)


def _layer(model: Path) -> int:
    layers = int(_config(model).get("num_hidden_layers", 0))
    if not layers:
        raise ModelUnavailable(
            f"{str(model / 'config.json')!r} does not say num_hidden_layers; choose a layer"
        )
    return ROBERTA_LARGE[1] if layers == ROBERTA_LARGE[0] else layers


def _fingerprint(model: Path) -> str:
    """Return a short hash of an encoder's settings and of its files' names and sizes."""
    config = json.dumps(_config(model), sort_keys=True)
    sizes = sorted((path.name, path.stat().st_size) for path in model.iterdir() if path.is_file())
    return hashlib.sha256(f"{config}{sizes}".encode()).hexdigest()[:12]
