"""Catalogue rows (models and benchmarks) of the suites, from the figures files.

The image towers' sizes come from ``data/catalog/architectures.csv``, which people write.
A cell stays empty where no source tells.
"""

from pathlib import Path

import figure_benchmarks as facts
import figure_names as names
from figure_io import Row, columns, look_up, read, times
from figure_scores import MMVET2_ITEMS, grid_id

MODEL_COLUMNS = columns(
    "id,name,maker,family,kind,params_b,params_basis,active_params_b,image_tower_params_m,"
    "train_data,train_data_m,samples_seen_b,gflops,architecture,patch_size,learning_objective,"
    "released,status,open_weights,licence,source,note"
)
BENCHMARK_COLUMNS = columns(
    "id,name,family,task,judge,metric,chance,n_items,n_items_source,n_classes,type,capability,curated,"
    "object_centric,source,note"
)

POOL = "training data is the pool size, not the filtered subset that was trained on"


def models(folder: Path, architectures: list[Row], mmvet2_ids: dict[str, str]) -> list[Row]:
    """One row a model of all suites; a model of two suites keeps its first row."""
    towers = {row["architecture"]: row for row in architectures}
    rows = [
        *_vqa360_models(folder),
        *_mmvet2_models(folder, mmvet2_ids),
        *_openclip_models(folder, towers),
        *_grid_models(folder, towers),
        *_unibench_models(folder),
    ]
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(row["id"], row)
    return list(first.values())


def _vqa360_models(folder: Path) -> list[Row]:
    return [
        {
            "id": row["model"],
            "name": row["name"],
            "maker": row["maker"],
            "family": look_up(names.VQA360_FAMILY, row["model"], "VQA360_FAMILY"),
            "kind": "generative",
            "params_b": row["params_b"],
            "params_basis": _basis(row["params_b"]),
            "open_weights": row["open_weights"],
            "source": "vqa360",
        }
        for row in read(folder / "vqa360_models.csv")
    ]


def _mmvet2_models(folder: Path, ids: dict[str, str]) -> list[Row]:
    rows = []
    for row in read(folder / "mmvet2_models.csv"):
        maker, family = look_up(names.MMVET2_MAKER, row["model"], "MMVET2_MAKER")
        rows.append(
            {
                "id": ids[row["model"]],
                "name": row["model"],
                "maker": maker,
                "family": family,
                "kind": "generative",
                "params_b": row["params_b"],
                "params_basis": _basis(row["params_b"]),
                "open_weights": row["open_weights"],
                "source": "mmvet2",
            }
        )
    return rows


def _basis(params_b: str) -> str:
    """A total in whole billions says no more than the model's name; another was counted."""
    if not params_b:
        return ""
    return "counted" if "." in params_b else "nominal"


def _openclip_models(folder: Path, towers: dict[str, Row]) -> list[Row]:
    rows = []
    for row in read(folder / "openclip_models.csv"):
        data = look_up(names.TRAIN_DATA, row["pretrained"], "TRAIN_DATA")
        rows.append(
            _tower(row["architecture"], towers, data)
            | {
                "id": row["model"].lower(),
                "name": row["model"],
                "params_b": times(row["params_m"], "0.001"),
                "params_basis": "counted",
                "train_data": data,
                "train_data_m": row["train_data_m"],
                "samples_seen_b": row["samples_seen_b"],
                "gflops": row["gflops"],
                "source": "openclip",
                "note": POOL if data.split(" ")[0] in ("DataComp", "CommonPool") else "",
            }
        )
    return rows


def _grid_models(folder: Path, towers: dict[str, Row]) -> list[Row]:
    return [
        _tower(row["architecture"], towers, row["train_data"])
        | {
            "id": grid_id(row),
            "name": f"{row['architecture']}/{row['checkpoint'].removesuffix('.pt')}",
            "train_data": row["train_data"],
            "train_data_m": row["train_data_m"],
            "samples_seen_b": row["samples_seen_b"],
            "gflops": times(row["gmacs_per_sample"], "2"),
            "source": "clip-grid",
        }
        for row in read(folder / "clip_scaling_grid.csv")
    ]


def _tower(architecture: str, towers: dict[str, Row], train_data: str) -> Row:
    """What a contrastive model's architecture and training set tell about it."""
    if architecture not in towers:
        raise ValueError(f"architectures.csv: no row for {architecture!r}; add one")
    tower = towers[architecture]
    family = tower["family"]
    by_data = names.MAKER_OF_TRAIN_DATA.get(train_data, "")
    return {
        "maker": names.MAKER_OF_FAMILY.get(family, by_data),
        "family": family,
        "kind": "contrastive",
        "image_tower_params_m": tower["image_tower_params_m"],
        "architecture": architecture,
        "patch_size": tower["patch_size"],
        "learning_objective": names.OBJECTIVE_OF_FAMILY.get(family, names.OBJECTIVE_DEFAULT),
        "open_weights": "1",
    }


def _unibench_models(folder: Path) -> list[Row]:
    return [
        {
            "id": f"unibench/{row['model']}".lower(),
            "name": row["model"],
            "family": row["family"],
            "kind": "contrastive",
            "image_tower_params_m": row["params_m"],
            "train_data_m": row["train_data_m"],
            "architecture": row["architecture"],
            # "CLIP ViT B 16" ends in its patch size
            "patch_size": row["family"].split(" ")[-1] if row["architecture"] == "vit" else "",
            "learning_objective": row["learning_objective"],
            "open_weights": "1",
            "source": "unibench",
            "note": POOL if row["family"].startswith("DataComp ") else "",
        }
        for row in read(folder / "unibench_models.csv")
    ]


def benchmarks(folder: Path) -> list[Row]:
    """One row a benchmark of all suites."""
    printed = [_unibench_benchmark(row) for row in read(folder / "unibench_benchmarks.csv")]
    extra = [_other(name, task, "openclip") for name, task in facts.OPENCLIP_ONLY_TASK.items()]
    rows = [*printed, *extra, _other("fer2013", "zero-shot", "clip-grid")]
    return [*_generative_benchmarks(folder), *map(_with_facts, rows)]


def _generative_benchmarks(folder: Path) -> list[Row]:
    items = sum(int(row["n_items"]) for row in read(folder / "vqa360_sources.csv"))
    vqa360 = {
        "id": "vqa360",
        "name": "VQA360",
        "judge": "gpt-4o-mini",
        "metric": "goeval-mini-ref-image",
        "n_items": str(items),
        "n_items_source": "VQA360 paper, section 2.1",
        "source": "vqa360",
    }
    second = {
        "id": "mm-vet-v2",
        "name": "MM-Vet v2",
        "family": "MM-Vet v2",
        "judge": "gpt-4-0613",
        "n_items": MMVET2_ITEMS,
        "n_items_source": "MM-Vet v2 paper, section 2",
    }
    first = {"id": "mm-vet-v1", "name": "MM-Vet", "family": "MM-Vet", "judge": "gpt-4"}
    first["note"] = facts.NOTE["mm-vet-v1"]
    mmvet = {"metric": "mm-vet-grade", "source": "mmvet2"}
    return [{"task": "open question"} | row for row in (vqa360, second | mmvet, first | mmvet)]


def _unibench_benchmark(row: Row) -> Row:
    kept = ("type", "capability", "curated", "object_centric", "n_classes")
    return _other(row["benchmark"], row["measure"], "unibench") | {key: row[key] for key in kept}


def _other(benchmark: str, task: str, source: str) -> Row:
    classes = facts.CLASS_COUNT.get(benchmark)
    return {
        "id": benchmark,
        "task": task,
        "n_classes": str(classes) if classes else "",
        "source": source,
    }


def _with_facts(row: Row) -> Row:
    benchmark = row["id"]
    items = facts.ITEM_COUNT.get(benchmark)
    metric = names.OPENCLIP_METRIC.get(benchmark, names.METRIC_DEFAULT)
    return row | {
        "name": look_up(facts.NAME, benchmark, "NAME"),
        "metric": metric,
        "chance": _chance(row, metric),
        "n_items": str(items) if items else "",
        "n_items_source": facts.ITEM_SOURCE if items else "",
        "note": facts.NOTE.get(benchmark, ""),
    }


def _chance(row: Row, metric: str) -> str:
    """What guessing scores under the row's metric; '' where that is not one known number."""
    if row["id"] in facts.CAPTIONS:
        return str(1 / facts.CAPTIONS[row["id"]])
    guessable = metric in ("accuracy", "mean-per-class-recall") and row["task"] == "zero-shot"
    if not guessable or not row["n_classes"] or row["id"] in facts.CHANCE_UNCLEAR:
        return ""
    return str(1 / int(row["n_classes"]))
