"""A language model for tests: its replies are given, and it remembers what it was asked."""

from evalcore.participants import Asker
from evalcore.records import Item, Prediction, Reply


class Scripted(Asker):
    """Gives its replies in turn, the last one for ever after."""

    concurrency = 1

    def __init__(self, *replies, name="scripted"):
        self.name = name
        self.replies = [one if isinstance(one, Reply) else Reply(one) for one in replies]
        self.asked = []

    def ask(self, prompt, images=()):
        self.asked.append((prompt, tuple(images)))
        return self.replies[min(len(self.asked), len(self.replies)) - 1]


def item(answers=("red",), choices=(), question="What colour is it?", images=(), name="q1"):
    return Item("test", name, question, tuple(answers), tuple(images), tuple(choices))


def said(text, error=None, name="q1"):
    return Prediction(name, text, error)
