"""The report as a page: it holds the answer, asks nobody for anything, and runs nothing."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from evalcore.decision import report
from evalcore.decision.needs import Needs
from evalcore.suites import current, suite

LINK = "http://127.0.0.1:8501/recommend?suite=VQA360&rec_size=8"
HOSTILE = '<script>alert(1)</script>"><img src=http://evil.example/x onerror=alert(1)>|a`b*'
LOADING = {"src", "srcset", "data", "poster", "action", "background"}
EMPTY = {"meta", "line", "circle"}
"""Tags of the report without an end tag."""


class Reader(HTMLParser):
    """Notes tags, attributes and text, and fails where tags are not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text, self.open = set(), [], "", []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += [(tag, *pair) for pair in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture
def answer(store):
    data = suite.load(store, "qwen3-vl")
    needs = Needs("qwen3-vl", "need", (("documents", 1.0),), open_weights=True)
    return current.recommend_for(data, needs), data.models


def made(answer, **changed):
    rec, models = answer
    about = {"link": LINK, "store_version": "v", "date": "2026-11-30"} | changed
    return report.html(rec, models, **about)


def test_it_holds_every_sentence_of_the_answer(answer):
    shown = Reader(made(answer)).text

    assert [said for said in answer[0].sentences if " ".join(said.split()) not in shown] == []


def test_it_loads_and_runs_nothing(answer):
    page = Reader(made(answer))

    assert not page.tags & {"script", "link", "img", "iframe", "object", "embed", "base"}
    assert [one for one in page.attributes if one[1] in LOADING or one[1].startswith("on")] == []
    assert [value for tag, name, value in page.attributes if name == "href"] == [LINK]
    assert "@import" not in page.text and "url(" not in page.text


def test_hostile_names_stay_text(answer):
    rec, models = answer
    models = models.assign(name=HOSTILE)
    rec = replace(rec, sentences=(HOSTILE,), assumptions=(HOSTILE,))
    page = Reader(made((rec, models), block=HOSTILE, store_version=HOSTILE, date=HOSTILE))

    assert not page.tags & {"script", "img"}
    assert HOSTILE in page.text


@pytest.mark.parametrize("link", ["javascript:alert(1)", "data:text/html,<b>x"])
def test_only_a_web_address_becomes_a_link(answer, link):
    page = Reader(made(answer, link=link))

    assert "a" not in page.tags


def test_without_a_ranked_model_there_is_no_figure(answer):
    rec, models = answer
    page = Reader(made((replace(rec, ranking=rec.ranking.iloc[:0], winner=None), models)))

    assert "svg" not in page.tags and "Which model to use" in page.text


def test_an_unknown_interval_draws_no_line(answer):
    rec, models = answer
    unknown = rec.ranking.assign(low=float("nan"), high=float("nan"))
    page = Reader(made((replace(rec, ranking=unknown), models)))

    assert "line" not in page.tags and "circle" in page.tags
