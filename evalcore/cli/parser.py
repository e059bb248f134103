"""The commands and their options."""

import argparse

from evalcore.analysis import ranking
from evalcore.cli.output import FORMATS
from evalcore.needs import BYTES
from evalcore.presets import PRESETS
from evalcore.store import queries

LISTS = (*queries.TABLES, "tags", "presets")
SCALES = ("train_data_m", "samples_seen_b", "gflops", "image_tower_params_m", "params_b")
HOLDS = ("architecture", "train_data", "samples_seen_b", "learning_objective", "family")


def build_parser() -> argparse.ArgumentParser:
    """The whole command line of ``python -m evalcore``."""
    parser = argparse.ArgumentParser(
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
    _scaling(commands)
    for name, about in (
        ("recommend", "which model to use under your limits, how sure, and what you give up"),
        ("report", "the recommendation as a Markdown report"),
    ):
        recommend = _command(commands, name, about)
        _needs(recommend)
        if name == "report":
            recommend.add_argument("--out", metavar="FILE", help="write it here, not to the screen")
    _engine(commands)
    return parser


def _engine(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    for name, about in (
        ("estimate", "what a run would ask, and how wide its intervals would be"),
        ("run", "run models on a benchmark, judge the answers, put them into the store"),
    ):
        command = _command(commands, name, about)
        command.add_argument("--model", action="append", required=True, help="id, or ADAPTER:NAME")
        command.add_argument(
            "--benchmark", required=True, help="a name, NAME=FOLDER, or a file of your own"
        )
        command.add_argument("--limit", type=int, help="take so many items, spread over the tags")
        command.add_argument("--seed", type=int, default=0, help="default: 0")
        command.add_argument(
            "--blind", action="store_true", help="also run each model without the picture"
        )
        command.add_argument("--option", action="append", metavar="NAME=VALUE")
        _judging(command)
        command.add_argument(
            "--detach", action="store_true", help="come back at once; 'runs' tells the progress"
        )
    for name, about in (
        ("resume", "go on with a run that was stopped, killed or partly failed"),
        ("judge", "score a run's answers with more judges, without asking the model again"),
    ):
        command = _command(commands, name, about)
        command.add_argument("run", metavar="RUN", help="a run's id, or its last part")
        _judging(command)
    _command(commands, "runs", "all runs: state, progress, speed, what went wrong")
    cancel = _command(commands, "cancel", "ask a run to stop; it can be resumed")
    cancel.add_argument("run", metavar="RUN", help="a run's id, or its last part")


def _judging(command: argparse.ArgumentParser) -> None:
    command.add_argument("--judge", action="append", help="default: exact; may be given again")
    command.add_argument("--repeats", type=int, default=1, help="times each judge scores")
    command.add_argument("--retry-failed", action="store_true", help="ask again where it failed")


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


def _mean(command: argparse.ArgumentParser) -> None:
    command.add_argument("--min-n", type=int, default=0, help="leave out tags with fewer questions")
    command.add_argument("--aggregate", choices=ranking.MODES, default="macro")
    command.add_argument("--weights", metavar="TAG=W,TAG=W", help="default: all tags, equally")
    command.add_argument(
        "--include-suspect", action="store_true", help="use results marked as suspect"
    )


def _profile(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    profile = _command(commands, "profile", "scores by tag with intervals, winners, leaderboard")
    _suite(profile)
    _mean(profile)
    profile.add_argument("--show", choices=("cells", "winners", "leaderboard"), default="cells")
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
    command.add_argument("--preset", choices=tuple(PRESETS), help="start from one of these")
    command.add_argument("--suite", help="default: vqa360")
    command.add_argument("--axis", help="how questions are sorted; default: the suite's own")
    command.add_argument("--weights", metavar="TAG=W,TAG=W", help="default: all tags, equally")
    command.add_argument("--aggregate", choices=ranking.MODES, help="default: macro")
    command.add_argument("--min-n", type=int, help="leave out tags with fewer questions")
    limits = command.add_argument_group("limits")
    for flag in ("open-weights", "self-hosted", "api-only", "include-unknown", "include-suspect"):
        limits.add_argument(f"--{flag}", action="store_true", default=None)
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
    limits.add_argument("--ruled-out", metavar="ID,ID", help="models you do not want")
    stated = command.add_argument_group("what only you know")
    stated.add_argument("--usd-per-1000", action="append", metavar="ID=USD")
    stated.add_argument("--seconds", action="append", metavar="ID=S")
    stated.add_argument("--gpu-usd-per-hour", type=float, metavar="USD")
    stated.add_argument("--questions-per-hour", action="append", metavar="[ID=]N")
