"""The commands and their options."""

import argparse

from evalcore.analysis import multiple, ranking, representatives
from evalcore.cli import agreement, contrastive, doctor, ended, items, mmvet
from evalcore.cli.once import Parser
from evalcore.cli.output import FORMATS
from evalcore.decision.needs import ASSUMED, BYTES, LICENCES
from evalcore.decision.presets import CURRENT, PRESETS
from evalcore.store import queries
from evalcore.suites import small_sets

LISTS = (*queries.TABLES, "tags", "presets", "coverage")
SCALES = ("train_data_m", "samples_seen_b", "gflops", "image_tower_params_m", "params_b")
WEIGHTS = "default: the total that the source prints, with its n; else all tags, equally"
HOLDS = ("architecture", "train_data", "samples_seen_b", "learning_objective", "family")


def build_parser() -> argparse.ArgumentParser:
    """The whole command line of ``python -m evalcore``."""
    parser: argparse.ArgumentParser = Parser(
        prog="python -m evalcore",
        description="Published results of vision-language models: look, compare, decide.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _command(commands, "build", "build the results store anew from the catalogue and the figures")
    listing = _command(commands, "list", "list what the store knows")
    listing.add_argument("kind", choices=LISTS, metavar="KIND", help=", ".join(LISTS))
    _scores(commands)
    _profile(commands)
    _correlate(commands)
    _distil(commands)
    _scaling(commands)
    for name, about in (
        ("recommend", "which model to use under your limits, how sure, and what you give up"),
        ("report", "the recommendation as a Markdown report"),
    ):
        recommend = _command(commands, name, about)
        _needs(recommend)
        if name == "recommend":
            items.add_routing(recommend)
        else:
            recommend.add_argument("--out", metavar="FILE", help="write it here, not to the screen")
    _engine(commands)
    agreement.add(commands)
    mmvet.add(commands)
    contrastive.add(commands, _command)
    doctor.add(commands, _command)
    return parser


def _engine(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    for name, about in (
        ("estimate", "what a run would ask, cost and take, and how wide its intervals would be"),
        ("run", "run models on a benchmark, judge the answers, put them into the store"),
    ):
        command = _command(commands, name, about)
        command.add_argument("--model", action="append", required=True, help="id, or ADAPTER:NAME")
        command.add_argument(
            "--benchmark", required=True, help="a name, NAME=FOLDER, or a file of your own"
        )
        command.add_argument("--benchmark-option", action="append", metavar="NAME=VALUE")
        command.add_argument("--limit", type=int, help="take so many items, spread over the tags")
        command.add_argument("--seed", type=int, default=0, help="default: 0")
        command.add_argument(
            "--blind", action="store_true", help="also run each model without the picture"
        )
        _judging(command, "the benchmark's own")
        _options(command)
        if name == "run":
            _going(command)
    for name, about, judges in (
        (
            "resume",
            "go on with runs that were stopped, killed or partly failed",
            "those that each run began with; more may be named",
        ),
        (
            "judge",
            "score the answers of runs with more judges, or more often, asking no model again",
            "those that each run began with",
        ),
    ):
        command = _command(commands, name, about)
        _runs(command)
        _judging(command, judges)
        if name == "resume":
            _options(command)
        else:
            _cap(command)
        _going(command)
    _command(commands, "runs", "all runs: state, progress, speed, spend, what went wrong")
    _runs(_command(commands, "cancel", "ask runs to stop (again: at once); they can go on"))


def _runs(command: argparse.ArgumentParser) -> None:
    command.add_argument("run", nargs="+", metavar="RUN", help="a run's id, or its last part")


def _judging(command: argparse.ArgumentParser, default: str) -> None:
    judging = command.add_argument_group("judging")
    judging.add_argument("--judge", action="append", help=f"may be given again; default: {default}")
    judging.add_argument("--repeats", type=_count, help="times each judge scores an answer")
    judging.add_argument("--prompt-file", metavar="FILE", help="another table for MM-Vet grading")
    judging.add_argument("--encoder", metavar="FOLDER", help="a local model for similarity judges")
    judging.add_argument("--layer", type=_count, help="the encoder's layer for BERTScore")
    judging.add_argument(
        "--judge-option", action="append", metavar="NAME=VALUE",
        help="of the model that judges: usd_per_mtok_in=0.15",
    )  # fmt: skip


def _options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--option", action="append", metavar="NAME=VALUE", help="of the model: batch_size=16"
    )
    _cap(command)


def _cap(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--max-usd", type=float, metavar="USD",
        help="spend no more on a run, on its model and its judges together",
    )  # fmt: skip


def _going(command: argparse.ArgumentParser) -> None:
    command.add_argument("--retry-failed", action="store_true", help="ask again where it failed")
    command.epilog = ended.CODES
    command.add_argument(
        "--detach", action="store_true", help="come back at once; 'runs' tells the progress"
    )


def _count(text: str) -> int:
    """A number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} should be a whole number from 1 on")
    return int(text)


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, about: str
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=about, description=about)
    command.add_argument("--format", choices=FORMATS, default="table", help="default: table")
    return command


def _scores(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    scores = _command(commands, "scores", "every published value, as printed and as a fraction")
    for name in ("source", "suite", "benchmark", "axis", "model"):
        scores.add_argument(f"--{name}", help=f"only this {name}")


def _suite(command: argparse.ArgumentParser, default: str = "vqa360") -> None:
    command.add_argument("--suite", default=default, help=f"default: {default}")
    command.add_argument("--axis", help="how questions are sorted; default: the suite's own")
    command.add_argument(
        "--include-modes", action="store_true", help="also examples in the prompt, tools, tuning"
    )


def _mean(command: argparse.ArgumentParser) -> None:
    command.add_argument("--min-n", type=int, default=0, help="leave out tags with fewer questions")
    command.add_argument("--aggregate", choices=ranking.MODES, default="macro")
    command.add_argument("--weights", metavar="TAG=W,TAG=W", help=WEIGHTS)
    command.add_argument(
        "--include-suspect", action="store_true", help="use results marked as suspect"
    )


def _profile(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    profile = _command(commands, "profile", "scores by tag with intervals, winners, leaderboard")
    _suite(profile)
    _mean(profile)
    profile.add_argument("--show", choices=("cells", "winners", "leaderboard"), default="cells")
    profile.add_argument(
        "--correction", choices=multiple.CORRECTIONS, default="holm",
        help="of the many comparisons behind winners, where single answers are known",
    )  # fmt: skip
    profile.add_argument("--models", metavar="ID,ID", help="only these models")
    profile.add_argument("--chance-corrected", action="store_true", help="0 is chance, 1 perfect")


def _correlate(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    correlate = _command(commands, "correlate", "which benchmarks, or models, say the same")
    _suite(correlate, "openclip")
    correlate.add_argument(
        "--of", choices=("tags", "models"), default="tags",
        help="tags across models (default), or models across tags",
    )  # fmt: skip
    correlate.add_argument("--method", choices=("spearman", "pearson"), default="spearman")
    correlate.add_argument("--reference", metavar="TAG", help="only with this one, worst first")
    correlate.add_argument(
        "--show", choices=("matrix", "pairs"), default="matrix",
        help="pairs: models on single questions, where the suite's runs have them; default: matrix",
    )  # fmt: skip


def _distil(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    distil = _command(commands, "distil", "which few benchmarks tell the rest, and how far off")
    _suite(distil, "openclip")
    distil.add_argument("--size", type=_count, metavar="K", help="default: smallest good enough")
    distil.add_argument(
        "--hold-out", choices=tuple(small_sets.HOLDS), default="family",
        help="what no fit sees before it predicts it; default: family",
    )  # fmt: skip
    distil.add_argument(
        "--set", choices=tuple(representatives.NAMED), help="one of UniBench's own sets instead"
    )


def _scaling(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    scaling = _command(commands, "scaling", "points per tenfold of data or size, with interval")
    _suite(scaling, "clip-grid")
    scaling.add_argument("--x", choices=SCALES, default="train_data_m")
    scaling.add_argument(
        "--hold",
        metavar="FIELD,FIELD",
        help=f"compare only models equal in these: {', '.join(HOLDS)}",
    )
    scaling.add_argument("--chance-corrected", action="store_true", help="0 is chance, 1 perfect")


def _needs(command: argparse.ArgumentParser) -> None:
    command.add_argument("--preset", choices=(*PRESETS, *CURRENT), help="start from one of these")
    command.add_argument(
        "--need", action="append", metavar="NEED[=W]", help="of current models; see 'list needs'"
    )
    command.add_argument("--suite", help="default: vqa360; with --need the block that fits best")
    command.add_argument(
        "--mix-blocks", action="store_true", default=None, help="pool all blocks of current results"
    )
    command.add_argument("--axis", help="how questions are sorted; default: the suite's own")
    command.add_argument("--weights", metavar="TAG=W,TAG=W", help=WEIGHTS)
    command.add_argument("--aggregate", choices=ranking.MODES, help="default: macro")
    command.add_argument("--min-n", type=int, help="leave out tags with fewer questions")
    limits = command.add_argument_group("limits")
    for flag in (
        *("open-weights", "self-hosted", "api-only", "commercial-use"),
        *("include-unknown", "include-suspect", "include-modes"),
    ):
        limits.add_argument(f"--{flag}", action="store_true", default=None)
    limits.add_argument(
        "--licence", action="append", choices=LICENCES, help="of the weights; may be given again"
    )
    limits.add_argument(
        "--also-retired", action="store_true", default=None, help="also what cannot be had today"
    )
    limits.add_argument("--gpu", metavar="CARD", help="one such card holds it: a name, or '24 GB'")
    limits.add_argument("--max-params-b", type=float, metavar="B", help="real total, billions")
    limits.add_argument(
        "--max-memory-gb", type=float, metavar="GB", help="estimated, at --precision"
    )
    limits.add_argument("--precision", choices=tuple(BYTES), help="default: bf16")
    limits.add_argument("--max-usd-per-1000", type=float, metavar="USD", help="per 1,000 questions")
    limits.add_argument("--max-seconds", type=float, metavar="S", help="per answer")
    limits.add_argument(
        "--min-score",
        action="append",
        metavar="[TAG=]%",
        help="lowest score in per cent, overall or on a tag",
    )
    limits.add_argument(
        "--within-points", type=float, metavar="P", help="the cheapest within P points of the best"
    )
    limits.add_argument("--ruled-out", metavar="ID,ID", help="models you do not want")
    stated = command.add_argument_group("what only you know")
    stated.add_argument("--usd-per-1000", action="append", metavar="ID=USD")
    stated.add_argument("--seconds", action="append", metavar="ID=S")
    stated.add_argument("--gpu-usd-per-hour", type=float, metavar="USD")
    stated.add_argument("--questions-per-hour", action="append", metavar="[ID=]N")
    _workload(command)


def _workload(command: argparse.ArgumentParser) -> None:
    asked = command.add_argument_group("what a question of yours is made of (for cost and memory)")
    asked.add_argument(
        "--picture", metavar="WxH", help=f"pixels; default: {ASSUMED.width}x{ASSUMED.height}"
    )
    asked.add_argument("--pictures", type=int, metavar="N", help="in a question; default: 1")
    asked.add_argument(
        "--prompt-tokens", type=float, metavar="N", help=f"default: {ASSUMED.prompt_tokens:g}"
    )
    asked.add_argument(
        "--output-tokens", type=float, metavar="N", help="of an answer, where none was measured"
    )
    asked.add_argument(
        "--thinking-tokens", type=float, metavar="N", help="of an answer with its thinking"
    )
    asked.add_argument(
        "--image-tokens", type=float, metavar="N", help="of a picture, where no rule is known"
    )
