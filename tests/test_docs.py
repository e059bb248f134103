"""What the documents promise is checked against the project itself."""

import re
import shlex
import shutil
import subprocess

import pytest

from evalcore.cli.app import build_app, commands
from evalcore.home import ROOT
from evalcore.store import queries

NAMED_BY_THE_BRIEF = {
    "streamlit", "plotly", "pandas", "duckdb", "torch", "transformers", "open_clip_torch",
    "openai", "google-genai",
}  # fmt: skip
REQUIREMENTS = ["requirements.txt", "requirements-dashboard.txt", "requirements-dev.txt"]
# The README need not name itself, nor git its own file.
UNNAMED = {".gitignore", "README.md"}
# A path of the machine on which a file was written means nothing to whoever reads it.
MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:tmp|work|root|opt|home/\w+)/")


@pytest.fixture(scope="module")
def readme():
    path = ROOT / "README.md"
    assert path.exists(), "README.md is missing"
    return path.read_text("utf-8")


def tracked():
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]


def pins(name):
    """The (package, version) pairs of a requirements file and of those that it includes."""
    found = []
    for line in (ROOT / name).read_text("utf-8").splitlines():
        if line.startswith("-r "):
            found += pins(line.removeprefix("-r ").strip())
        elif line and not line.startswith("#"):
            package, _, version = line.partition("==")
            found.append((package, version))
    return found


@pytest.mark.parametrize(
    ("requirements", "does"),
    [("requirements.txt", "streamlit run app.py"), ("requirements-dev.txt", "pytest -n auto")],
)
def test_the_readme_has_one_line_that_installs_and_then_runs(readme, requirements, does):
    lines = [line for line in readme.splitlines() if f"pip install -r {requirements} " in line]

    assert len(lines) == 1
    assert lines[0].endswith(does)


def test_every_command_stands_in_the_readme(readme):
    named = set(re.findall(r"^\| `python -m evalcore ([a-z-]+)", readme, flags=re.M))

    assert len(commands()) == 22
    assert sorted({command.name for command in commands()} ^ named) == []


@pytest.mark.parametrize("command", commands(), ids=lambda command: command.name)
def test_the_help_of_a_command_has_examples_that_are_read(command):
    examples = re.findall(r"^Example: (.*)$", command.help, flags=re.M)

    assert examples or command.name in ("build", "runs"), "give an example in its docstring"
    for example in examples:
        words = shlex.split(example)
        assert words[0] == command.name
        build_app().parse_args(words, exit_on_error=False, print_error=False)


def test_every_page_stands_in_the_readme(readme):
    titles = re.findall(r'st\.Page\([^)]*?title="(\w+)"', (ROOT / "app.py").read_text("utf-8"))

    assert titles
    assert [title for title in titles if f"| {title} |" not in readme] == []


def test_the_readmes_tree_names_everything_at_the_top(readme):
    tree = readme.partition("## What lies where")[2].partition("```")[2].partition("```")[0]
    top = {name.split("/")[0] + ("/" if "/" in name else "") for name in tracked()}

    assert tree, "README.md has no tree under 'What lies where'"
    assert sorted(name for name in top - UNNAMED if name not in tree) == []


def test_the_readmes_tree_names_nothing_that_is_not_there(readme):
    tree = readme.partition("## What lies where")[2].partition("```")[2].partition("```")[0]
    named = re.findall(r"^([\w./-]+)  ", tree, flags=re.M)

    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "DECISIONS.md", "CHANGELOG.md"])
def test_links_to_files_lead_somewhere(name):
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / name).read_text("utf-8"))

    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_readme_counts_what_the_store_holds(readme, store):
    published = queries.published(store)
    published = published[published["kind"] != "measured"]  # that is the demo
    sources = published["source"].nunique()
    assert f"{len(published):,} values of {sources} sources" in readme
    assert f"lists {len(queries.table(store, 'errata'))} places" in readme


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_every_requirement_has_one_exact_version(name):
    found = pins(name)

    assert [package for package, version in found if not re.fullmatch(r"[\w.+]+", version)] == []
    assert len({package for package, _ in found}) == len(found)


def test_the_whole_list_holds_what_the_brief_names():
    assert {package for package, _ in pins("requirements.txt")} >= NAMED_BY_THE_BRIEF


def test_browsing_needs_no_package_that_runs_models():
    light = {package for package, _ in pins("requirements-dashboard.txt")}

    assert light & {"torch", "torchvision", "transformers", "open_clip_torch", "timm"} == set()


def test_no_tracked_file_names_a_path_of_the_machine_it_was_written_on():
    found = []
    for name in tracked():
        content = (ROOT / name).read_bytes()
        if b"\0" not in content and MACHINE_PATH.search(content.decode("utf-8", "replace")):
            found.append(name)

    assert found == []
