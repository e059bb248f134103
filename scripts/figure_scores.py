"""Score rows of the four suites that publish scores of single models."""

from decimal import ROUND_FLOOR, Decimal
from pathlib import Path

import figure_names as names
from figure_io import Row, columns, decimal, percent, read

COLUMNS = columns(
    "model,mode,benchmark,split,axis,tag,metric,judge,value,n,sd,sd_over,repeats,kind,"
    "printed_model,printed_value,printed_unit,suspect,note"
)

MMVET2_ITEMS = "517"  # MM-Vet v2 paper, section 2
MMVET2_REPEATS = "5"  # section 3.1: GPT-4 grades every answer five times
SHIFTED = (
    "probably printed one column to the right: the row begins with the MM-Vet v1 total of Table 2"
)
SHIFTED_MODELS = {"OpenFlamingo-9B", "Otter-9B", "InternVL2-40B", "InternVL2-Llama3-76B"}
NOT_A_COUNT = "not k/n at this n: the printed mean hides unscored items; interval approximate"


def vqa360(folder: Path) -> list[Row]:
    """10 models on 39 tags of three axes, graded by GoEval-mini with references and image."""
    return [
        _score(
            model=row["model"],
            benchmark="vqa360",
            axis=row["axis"],
            tag=row["tag"],
            metric="goeval-mini-ref-image",
            judge="gpt-4o-mini",
            value=percent(row["goeval_mini_pct"]),
            n=row["n_items"],
            printed_model=row["model"],
            printed_value=row["goeval_mini_pct"],
            note="" if is_count(row["goeval_mini_pct"], row["n_items"]) else NOT_A_COUNT,
        )
        for row in read(folder / "vqa360_scores.csv")
    ]


def is_count(printed_percent: str, n: str) -> bool:
    """Whether some whole number of n items rounds to the printed per cent (two decimals)."""
    share = Decimal(printed_percent)
    below = (share * int(n) / 100).to_integral_value(ROUND_FLOOR)
    return any(abs(k * 100 / int(n) - share) <= Decimal("0.005") for k in (below, below + 1))


def mmvet2(folder: Path, ids: dict[str, str]) -> list[Row]:
    """20 models on seven capabilities and 19 on 16 integrations; ids: printed name → model."""
    capabilities = [_capability(row, ids) for row in read(folder / "mmvet2_capabilities.csv")]
    integrations = [_integration(row, ids) for row in read(folder / "mmvet2_integrations.csv")]
    return capabilities + integrations


def _capability(row: Row, ids: dict[str, str]) -> Row:
    if row["capability"] == "mm-vet-v1-total":
        first_edition = {"benchmark": "mm-vet-v1", "tag": "total", "judge": "gpt-4"}
        return _mmvet(row, ids) | {"axis": "capability"} | first_edition
    return _mmvet(row, ids) | {"axis": "capability", "tag": row["capability"]} | _total(row)


def _integration(row: Row, ids: dict[str, str]) -> Row:
    score = _mmvet(row, ids) | {"axis": "integration", "tag": row["integration"]} | _total(row)
    if row["model"] in SHIFTED_MODELS and row["integration"] != "total":
        score |= {"suspect": "1", "note": SHIFTED}
    return score


def _mmvet(row: Row, ids: dict[str, str]) -> Row:
    return _score(
        model=ids[row["model"]],
        benchmark="mm-vet-v2",
        metric="mm-vet-grade",
        judge="gpt-4-0613",
        value=percent(row["score_pct"]),
        printed_model=row["model"],
        printed_value=row["score_pct"],
    )


def _total(row: Row) -> Row:
    """Items, spread and repeats: published for the total only."""
    spread = percent(row["std_over_5_runs"])
    if not spread:
        return {}
    over = {"sd_over": "judge repeats", "repeats": MMVET2_REPEATS}
    return {"n": MMVET2_ITEMS, "sd": spread, **over}


def openclip(folder: Path) -> list[Row]:
    """121 contrastive models on 38 data sets, each in its own metric."""
    return [
        _score(
            model=row["model"].lower(),
            benchmark=row["benchmark"],
            axis="benchmark",
            tag=row["benchmark"],
            metric=names.OPENCLIP_METRIC.get(row["benchmark"], names.METRIC_DEFAULT),
            value=decimal(Decimal(row["accuracy"])),
            printed_model=row["model"],
            printed_value=row["accuracy"],
            printed_unit="fraction",
        )
        for row in read(folder / "openclip_zeroshot.csv")
    ]


def clip_grid(folder: Path) -> list[Row]:
    """34 checkpoints of the scaling grid on 35 data sets."""
    return [
        _score(
            model=grid_id(row),
            benchmark=row["benchmark"],
            axis="benchmark",
            tag=row["benchmark"],
            metric=names.METRIC_DEFAULT,
            value=decimal(Decimal(row["accuracy"])),
            printed_model=row["checkpoint"],
            printed_value=row["accuracy"],
            printed_unit="fraction",
        )
        for row in read(folder / "clip_scaling_grid.csv")
    ]


def grid_id(row: Row) -> str:
    """The checkpoint's id: checkpoint names repeat between architectures."""
    checkpoint = row["checkpoint"].removesuffix(".pt")
    return f"grid/{row['architecture']}/{checkpoint}".lower()


def mmvet2_ids(folder: Path, aliases: list[Row], taken: set[str]) -> dict[str, str]:
    """Model id of each printed MM-Vet v2 name: its alias, else its slug.

    Raises:
        ValueError: A slug is another suite's model; only an alias row may join the two.
    """
    alias = {row["foreign_name"]: row["model"] for row in aliases if row["source"] == "mmvet2"}
    ids = {}
    for row in read(folder / "mmvet2_models.csv"):
        name = row["model"]
        slug = name.lower().replace(" ", "-")
        if name not in alias and slug in taken:
            raise ValueError(f"mmvet2_models.csv: {name!r} would join {slug!r}; add an alias row")
        ids[name] = alias.get(name, slug)
    return ids


def _score(**cells: str) -> Row:
    return {"printed_unit": "%", "kind": "published", "suspect": "0"} | cells
