"""Questions and answers that try to be more than text, as a run that is in the store."""

from pathlib import Path

from evalcore.engine import runs
from evalcore.engine.folder import canonical
from evalcore.engine.runs import Run, Settings
from evalcore.records import Item, Prediction, Verdict
from tests.fakes import as_written, described, png

SCRIPT = '<script>alert("h")</script><img src="https://evil.example/a.png" onerror="alert(1)">'
MARKDOWN = "![pixel](https://evil.example/b.png) [link](https://evil.example) $x^2$ :smile: `c`"
RIGHT_TO_LEFT = "\u202eabc \u05e9\u05dc\u05d5\u05dd"
FORMULA = '=HYPERLINK("https://evil.example")'
LONG = "long " * 200_000 + "the very end"
UNBROKEN = "A" * 1_000_000
ANSWERS = (SCRIPT, MARKDOWN, RIGHT_TO_LEFT, FORMULA, LONG, UNBROKEN)
NAME = "<b>bold<b> ![x](https:evil.example) $y$.png"
"""Of a picture; it is not there."""


def ran(folder: Path, model: str = "hostile-1b", benchmark: str = "hostile") -> Run:
    """Make a sealed run of six items; pictures of the second and sixth are missing, the third's is
    a text file."""
    good = folder / "good.png"
    good.write_bytes(png())
    pictures = [
        (good, good),
        (folder / "gone.png",),
        (Path("/etc/passwd"),),
        (),
        (),
        (folder / NAME,),
    ]
    items = [
        Item(benchmark, f"q/{at}", f"{answer[:300]}?", (answer[:50],), pictures[at],
             tags=(("<b>kind</b>", f"<i>{at % 2}</i>"),))
        for at, answer in enumerate(ANSWERS)
    ]  # fmt: skip
    # The run remembers paths, and asks for the pictures' bytes only when it is made.
    made = [item for item in items if all(path.exists() for path in item.images)]
    run = runs.create(Settings(model, "fake", benchmark, "fake"), made, "here")
    rows = [canonical(vars(item)) + "\n" for item in items]
    as_written(run, "items.jsonl", "".join(rows).encode())
    described(run, items=len(items))
    run = Run(run.folder)
    ended = {4: "cut off", 3: "finished"}
    run.seal(
        "predictions",
        [Prediction(f"q/{at}", one, ended=ended.get(at)) for at, one in enumerate(ANSWERS)],
    )
    judged = [
        Verdict(f"q/{at}", "goeval:judge", "1", 0, at % 2, reason=one[:200], reply=one)
        for at, one in enumerate(ANSWERS)
    ]
    run.seal("verdicts/goeval-judge-1-r0", judged)
    return run


def silent(model: str = "silent-1b", benchmark: str = "silence") -> Run:
    """Make a run of three items of which every answer failed, so that there is no verdict."""
    items = [Item(benchmark, f"q/{at}", f"Question {at}?", ("yes",)) for at in range(3)]
    run = runs.create(Settings(model, "fake", benchmark, "fake"), items, "here")
    run.tell("judge", {"judge": "exact", "version": "1"})
    run.seal("predictions", [Prediction(item.id, None, error="empty answer") for item in items])
    return run
