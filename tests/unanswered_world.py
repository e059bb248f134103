"""Three models asked the same 60 questions: one answers all, two leave most without a score."""

from dataclasses import replace

from evalcore.engine import evaluate, runs
from evalcore.records import Item, Verdict
from tests.fakes import SETTINGS, FakeJudge, FakeModel

NUMBER = 60
BENCHMARK = "numbers"
STEADY, CHOOSY, HALF_READ = "steady-1b", "choosy-1b", "half-read-1b"
UNREADABLE = "4 or 5"


class Reader(FakeJudge):
    """Gives no score to an answer that cannot be read."""

    def judge(self, item, prediction, repeat=0):
        """Compare, if it can be read."""
        if prediction.text == UNREADABLE:
            return Verdict(item.id, self.name, self.version, repeat, None, reason="two numbers")
        return super().judge(item, prediction, repeat)


def questions() -> list[Item]:
    """The right answer is the item's id; every second one is even."""
    return [
        Item(BENCHMARK, f"q/{n}", f"Which number? {n}", (f"q/{n}",),
             tags=(("kind", "even" if n % 2 == 0 else "odd"),))
        for n in range(NUMBER)
    ]  # fmt: skip


def ran() -> None:
    """Steady gets 54 of 60, choosy 14 of the 14 that it answers, half-read 20 of 20 read ones."""
    asked = questions()
    names = [item.id for item in asked]
    models = {
        STEADY: FakeModel(dict.fromkeys(names[::10], "no")),
        CHOOSY: FakeModel(breaks_on=set(names[14:])),
        HALF_READ: FakeModel(dict.fromkeys(names[20:], UNREADABLE)),
    }
    for model, fake in models.items():
        run = runs.create(replace(SETTINGS, model=model, benchmark=BENCHMARK), asked, "here")
        evaluate.evaluate(run, fake, [Reader()])
