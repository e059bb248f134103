"""Two models, two judges and people's labels of their answers, small and with known truth."""

from dataclasses import dataclass, replace

from evalcore.engine import evaluate, runs
from evalcore.records import Item, Prediction, Verdict
from tests.fakes import SETTINGS, FakeJudge, FakeModel, items

NUMBER = 40
HOSTILE = "<img src=x onerror=alert(1)> ![x](https://example.org/x.png) **bold**"
STRONG, WEAK = "strong-1b", "weak-1b"


@dataclass
class KindJudge(FakeJudge):
    """Passes whatever is right, and every second wrong answer too."""

    name: str = "kind"

    def judge(self, item: Item, prediction: Prediction, repeat: int = 0) -> Verdict:
        """Be kind to items with an even number."""
        even = int(item.id.partition("/")[2]) % 2 == 0
        score = float(prediction.text in item.answers or even)
        return Verdict(item.id, self.name, "1", repeat, score, reason="kind", usd=0.001)


def ran(folder=None) -> dict[str, str]:
    """Run both models with both judges in the home in use; gives model → run."""
    made = {}
    for model, wrong in ((STRONG, 8), (WEAK, 24)):
        settings = replace(SETTINGS, model=model)
        run = runs.create(settings, items(NUMBER, folder), "here")
        answers = {f"q/{count}": HOSTILE if count == 0 else "no" for count in range(wrong)}
        evaluate.evaluate(run, FakeModel(answers), [FakeJudge(), KindJudge()])
        made[model] = run.id
    return made


def ran_abilities() -> str:
    """One model on questions that need capabilities, graded twice; gives the run."""
    tags = (("capability", "ocr"), ("integration", "ocr"))
    both = (("capability", "math"), ("capability", "ocr"), ("integration", "math+ocr"))
    asked = [
        replace(item, benchmark="abilities", tags=both if number < 2 else tags)
        for number, item in enumerate(items(6))
    ]
    settings = replace(SETTINGS, model=STRONG, benchmark="abilities")
    run = runs.create(settings, asked, "here")
    evaluate.evaluate(run, FakeModel({"q/0": "no", "q/5": "no"}), [FakeJudge()], repeats=2)
    return run.id


def right(model: str, item: str) -> bool:
    """Whether a model's answer to an item is right."""
    return int(item.partition("/")[2]) >= (8 if model == STRONG else 24)


def csv(*labels: tuple[str, str, str, str], who: str = "model") -> bytes:
    """A file of labels: (model, item, rater, label)."""
    lines = [f"{who},item,rater,label", *[",".join(row) for row in labels]]
    return ("\n".join(lines) + "\n").encode()


def every(rater: str = "ann") -> list[tuple[str, str, str, str]]:
    """True labels of all answers."""
    return [
        (model, f"q/{count}", rater, "yes" if right(model, f"q/{count}") else "no")
        for model in (STRONG, WEAK)
        for count in range(NUMBER)
    ]
