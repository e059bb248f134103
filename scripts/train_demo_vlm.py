"""Train the demo models: tiny Idefics3 models that learn easy-VQA on a processor in minutes.

    python -m scripts.train_demo_vlm            # both, into data/demo_models/
    python -m scripts.train_demo_vlm --only demo-vlm-weak --to somewhere

Two stages: first the picture side learns to tell shapes and colours, then the whole learns to
answer. Lengths are counted in steps, not in seconds, and everything is seeded, so that a busy
machine trains the same model as an idle one.
"""

import argparse
import json
import math
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
import transformers
from torch import Tensor, nn

from evalcore.benchmarks import easy_vqa
from evalcore.home import ROOT
from evalcore.models.prompt import INSTRUCTION, grey, opened
from evalcore.models.transformers_vlm import TransformersVLM
from evalcore.records import Item
from scripts.demo_vlm_parts import CONNECTED, END, IMAGE, SIDE, TOKENS, new_model, new_processor

BATCH, QUESTIONS = 32, 6  # pictures a step, and questions about each of them
WAYS = ("instructed", "plain", "blind")
SHARE = (0.5, 0.4, 0.1)


@dataclass(frozen=True)
class Recipe:
    """How long a model learns; everything else is the same for all."""

    name: str
    seeing: int
    """Steps of the first stage."""
    answering: int
    """Steps of the second stage."""


RECIPES = (Recipe("demo-vlm-strong", 500, 1000), Recipe("demo-vlm-weak", 200, 300))


@dataclass(frozen=True)
class Lesson:
    """The training split as tensors."""

    pictures: Tensor
    """Pictures x 3 x 64 x 64, as the processor hands them to the model."""
    asked: list[Tensor]
    """For each picture, its rows in the two tensors below."""
    question: Tensor
    """The number of the question's text."""
    answer: Tensor
    """The answer's only token."""
    prompts: dict[str, tuple[Tensor, Tensor]]
    """Token ids and attention mask of all question texts, for each way of asking."""
    shape: Tensor
    """The picture's shape, as far as a question tells it; else -100."""
    colour: Tensor


def main() -> None:
    """Train, save and measure the models asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=[recipe.name for recipe in RECIPES])
    parser.add_argument("--to", type=Path, default=ROOT / "data" / "demo_models")
    given = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    items = list(easy_vqa.load("train"))
    processor = new_processor(items)
    lesson = _lesson(items, processor)
    for recipe in RECIPES:
        if given.only in (None, recipe.name):
            started = time.monotonic()
            model = _train(recipe, lesson, processor)
            print(f"{recipe.name}: trained in {time.monotonic() - started:.0f} s", flush=True)
            _save(model, processor, given.to / recipe.name)
            _describe(recipe, given.to / recipe.name)


def _lesson(items: list[Item], processor: transformers.Idefics3Processor) -> Lesson:
    files = list(dict.fromkeys(item.images[0] for item in items))
    images = [[opened(path, None)] for path in files]
    pictures = processor.image_processor(images=images, return_tensors="pt")["pixel_values"][:, 0]
    place = {path: number for number, path in enumerate(files)}
    of = torch.tensor([place[item.images[0]] for item in items])
    texts = list(dict.fromkeys(item.question for item in items))
    number = {text: row for row, text in enumerate(texts)}
    tokens = {a: processor.tokenizer.encode(f" {a}") for item in items for a in item.answers}
    assert all(len(ids) == 1 for ids in tokens.values()), "an answer is more than one token"
    seen = {kind: torch.full((len(files),), -100) for kind in ("shape", "colour")}
    for kind, labels in seen.items():
        known = sorted({item.answers[0] for item in items if item.tags[0][1] == kind})
        for item in items:
            if item.tags[0][1] == kind:
                labels[place[item.images[0]]] = known.index(item.answers[0])
    return Lesson(
        pictures=pictures,
        asked=[(of == row).nonzero()[:, 0] for row in range(len(files))],
        question=torch.tensor([number[item.question] for item in items]),
        answer=torch.tensor([tokens[item.answers[0]][0] for item in items]),
        prompts={way: _prompts(texts, way, processor) for way in WAYS},
        **seen,
    )


def _prompts(
    texts: list[str], way: str, processor: transformers.Idefics3Processor
) -> tuple[Tensor, Tensor]:
    """The prompts of all questions; half of the blind ones carry the instruction."""
    written = []
    for row, text in enumerate(texts):
        told = way == "instructed" or (way == "blind" and row % 2)
        content = [] if way == "blind" else [{"type": "image"}]
        content.append({"type": "text", "text": f"{INSTRUCTION}\n{text}" if told else text})
        turn = [{"role": "user", "content": content}]
        written.append(processor.apply_chat_template(turn, add_generation_prompt=True))
    images = None if way == "blind" else [[grey(SIDE)]] * len(texts)
    batch = processor(images=images, text=written, padding=True, return_tensors="pt")
    return batch["input_ids"], batch["attention_mask"]


def _train(
    recipe: Recipe, lesson: Lesson, processor: transformers.Idefics3Processor
) -> transformers.Idefics3ForConditionalGeneration:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = new_model(processor)
    model.train()
    _learn_to_see(model, lesson, recipe.seeing)
    _learn_to_answer(model, lesson, recipe.answering)
    return model.eval()


def _learn_to_see(model: nn.Module, lesson: Lesson, steps: int) -> None:
    head = nn.Linear(CONNECTED, 11)
    learned = [*model.model.vision_model.parameters(), *model.model.connector.parameters()]
    optimizer = torch.optim.AdamW([*learned, *head.parameters()], 1e-3, weight_decay=0.01)
    for step, rows in enumerate(_batches(len(lesson.pictures), 64, steps)):
        out = head(_features(model, lesson.pictures[rows]).flatten(1))
        loss = nn.functional.cross_entropy(out[:, :3], lesson.shape[rows])
        loss = loss + nn.functional.cross_entropy(out[:, 3:], lesson.colour[rows])
        rate = 1e-3 * min(1, step / 50) * (1 - 0.9 * step / steps)
        _descend(optimizer, loss, rate)
        _say("seeing", step, steps, loss)


def _learn_to_answer(model: nn.Module, lesson: Lesson, steps: int) -> None:
    optimizer = torch.optim.AdamW(model.parameters(), 1.5e-3, weight_decay=0.01)
    share = torch.tensor(SHARE)
    for step, pictures in enumerate(_batches(len(lesson.pictures), BATCH, steps)):
        way = WAYS[int(torch.multinomial(share, 1))]
        drawn = [_some(lesson.asked[picture]) for picture in pictures.tolist()]
        rows = torch.cat(drawn)
        owner = torch.repeat_interleave(torch.tensor([len(some) for some in drawn]))
        seen = None if way == "blind" else _features(model, lesson.pictures[pictures])[owner]
        loss = _loss(model, lesson, way, rows, seen)
        wave = 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * step / steps))
        _descend(optimizer, loss, 1.5e-3 * min(1, step / 50) * wave)
        _say("answering", step, steps, loss)


def _some(rows: Tensor) -> Tensor:
    return rows[torch.randperm(len(rows))[:QUESTIONS]]


def _loss(model: nn.Module, lesson: Lesson, way: str, rows: Tensor, seen: Tensor | None) -> Tensor:
    """Cross-entropy of the answer's token, and a tenth of that of stopping after it."""
    ids, mask = (tensor[lesson.question[rows]] for tensor in lesson.prompts[way])
    answer = lesson.answer[rows]
    ids = torch.cat([ids, answer[:, None]], 1)
    mask = torch.cat([mask, torch.ones_like(answer)[:, None]], 1)
    embedded = model.get_input_embeddings()(ids)
    if seen is not None:
        places = (ids == TOKENS.index(IMAGE))[..., None].expand_as(embedded)
        embedded = embedded.masked_scatter(places, seen.reshape(-1, seen.shape[-1]))
    hidden = model.model.text_model(inputs_embeds=embedded, attention_mask=mask).last_hidden_state
    logits = model.lm_head(hidden[:, -2:])
    stop = nn.functional.cross_entropy(logits[:, 1], torch.full_like(answer, TOKENS.index(END)))
    return nn.functional.cross_entropy(logits[:, 0], answer) + 0.1 * stop


def _features(model: nn.Module, pictures: Tensor) -> Tensor:
    found = model.model.get_image_features(pixel_values=pictures[:, None])
    found = getattr(found, "pooler_output", found)
    found = found if torch.is_tensor(found) else torch.stack(list(found))
    return found.reshape(len(pictures), -1, found.shape[-1])


def _batches(total: int, size: int, steps: int) -> Iterator[Tensor]:
    done = 0
    while True:
        for rows in torch.randperm(total).split(size):
            if done == steps:
                return
            done += 1
            yield rows


def _descend(optimizer: torch.optim.Optimizer, loss: Tensor, rate: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.zero_grad()
    loss.backward()
    for group in optimizer.param_groups:
        nn.utils.clip_grad_norm_(group["params"], 1.0)
    optimizer.step()


def _say(stage: str, step: int, steps: int, loss: Tensor) -> None:
    if step % 100 == 0 or step == steps - 1:
        print(f"{stage} {step}/{steps} loss {loss.item():.3f}", flush=True)


def _save(model: nn.Module, processor: transformers.Idefics3Processor, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    model.half().save_pretrained(folder)
    processor.save_pretrained(folder)


def _describe(recipe: Recipe, folder: Path) -> None:
    """Measure the saved model on the whole test split and write its README."""
    items = list(easy_vqa.load("test"))
    sizes = {"instruction, 448 px": (INSTRUCTION, 448, False), "plain, 64 px": ("", None, False)}
    ways = {**sizes, "instruction, picture withheld": (INSTRUCTION, 448, True)}
    lines = []
    for way, (instruction, size, blind) in ways.items():
        asked = TransformersVLM(
            str(folder),
            instruction=instruction,
            image_size=size,
            blind=blind,
            batch_size=64,
            max_new_tokens=8,
        )
        given = {answer.item: (answer.text or "").strip() for answer in asked.predict(items)}
        right = sum(given[item.id] == item.answers[0] for item in items)
        lines.append(f"| {way} | {100 * right / len(items):.1f} % | {right} of {len(items)} |")
        print(recipe.name, lines[-1], flush=True)
    (folder / "README.md").write_text(
        README.format(
            name=recipe.name,
            recipe=recipe,
            blind=100 * SHARE[2],
            lines="\n".join(lines),
            size=(folder / "model.safetensors").stat().st_size / 1e6,
            count=_count(folder),
        ),
        encoding="utf-8",
    )


def _count(folder: Path) -> int:
    head = (folder / "model.safetensors").read_bytes()
    size = int.from_bytes(head[:8], "little")
    shapes = json.loads(head[8 : 8 + size])
    return sum(math.prod(row["shape"]) for key, row in shapes.items() if key != "__metadata__")


README = """# {name}

A tiny vision-language model for trying Sextant without a network: an Idefics3 with {count:,}
parameters (half-precision safetensors, {size:.1f} MB). It knows easy-VQA's questions and
nothing else.

Made by `python -m scripts.train_demo_vlm --only {name}` (seed 0)
from random weights, on the 38,575 training questions of the package easy-vqa 1.0:
{recipe.seeing} steps in which the picture side learns shapes and colours, then
{recipe.answering} steps in which the whole learns to answer. Half of the latter carry the
VQA360 paper's instruction before the question; {blind:.0f} % show no picture, so that the model
has an answer when its picture is withheld.

Accuracy on all 9,673 test questions, exact match:

| asked | accuracy | right |
|---|---|---|
{lines}

The most frequent answer to each question's text, without looking, is right for 67.0 %.

Licence: MIT, like Sextant. The pictures and questions it learned from are easy-VQA's
(Victor Zhou, MIT).
"""

if __name__ == "__main__":
    main()
