"""Two files of one name are two benchmarks; a sample, and a file that has grown, are not."""

import json

import pytest

from evalcore import judges
from evalcore.engine.launch import carry_out, plan, start
from evalcore.store import build, queries
from evalcore.suites import item_results, suite


def questions(folder, name="test.jsonl", count=20, text="question", first=0):
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {"id": str(n), "image": "", "question": f"{text} {n}?", "answers": ["yes"]}
        for n in range(first, first + count)
    ]
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / name


def answers(folder, name, right, count=20, first=0):
    rows = [
        {"id": str(n), "answer": "yes" if n - first < right else "no"}
        for n in range(first, first + count)
    ]
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"answers:{folder / name}.jsonl"


def ran(model, benchmark, **options):
    (planned,) = plan([model], str(benchmark), **options)
    run = start(planned)
    carry_out(run, [judges.make("exact")])
    return run


def names(path):
    return sorted(set(queries.item_runs(path)["benchmark"]) - {"easy-vqa", "mnist"})


def test_two_files_of_one_name_with_other_questions_are_two_benchmarks(home, tmp_path):
    easy = questions(tmp_path / "easy", text="easy")
    hard = questions(tmp_path / "hard", text="hard")
    ran(answers(tmp_path, "a", 20), easy)
    ran(answers(tmp_path, "b", 9), hard)

    path = build.ensure()

    assert names(path) == ["test", "test@hard"]
    for name, model, value in (("test", "a", 1.0), ("test@hard", "b", 9 / 20)):
        data = suite.load(path, name)
        assert list(data.models["model"]) == [model], "nobody is compared with who was asked else"
        assert set(data.scores["value"]) == {value}
        found = item_results.load(path, name)
        assert len(found.items) == 20
        assert bool(found.asked.to_numpy().all())


def test_one_model_has_a_score_on_each_of_the_two(home, tmp_path):
    model = answers(tmp_path, "a", 12)
    ran(model, questions(tmp_path / "easy", text="easy"))
    ran(model, questions(tmp_path / "hard", text="hard"))

    path = build.ensure()

    assert [len(suite.load(path, name).models) for name in ("test", "test@hard")] == [1, 1]


def test_other_pictures_under_the_same_words_are_another_benchmark(home, tmp_path):
    from tests.fakes import png

    for folder in ("left", "right"):
        file = questions(tmp_path / folder)
        (tmp_path / folder / "p.png").write_bytes(png() + folder.encode())
        rows = [{**json.loads(line), "image": "p.png"} for line in file.read_text().splitlines()]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        ran(answers(tmp_path, folder, 12), file)

    assert names(build.ensure()) == ["test", "test@right"]


def test_the_same_questions_elsewhere_are_the_same_benchmark(home, tmp_path):
    ran(answers(tmp_path, "a", 12), questions(tmp_path / "here"))
    ran(answers(tmp_path, "b", 3), questions(tmp_path / "there"))

    path = build.ensure()

    assert names(path) == ["test"]
    assert len(suite.load(path, "test").models) == 2


@pytest.mark.parametrize("limits", [(None, 5), (5, None), (5, 6)])
def test_samples_of_one_file_are_one_benchmark(home, tmp_path, limits):
    file = questions(tmp_path / "easy")
    for place, limit in enumerate(limits):
        ran(answers(tmp_path, f"m{place}", 12), file, limit=limit, seed=place)

    assert names(build.ensure()) == ["test"]


def test_a_file_that_has_grown_is_the_same_benchmark(home, tmp_path):
    ran(answers(tmp_path, "a", 12), questions(tmp_path / "easy"))
    grown = questions(tmp_path / "easy", count=30)
    ran(answers(tmp_path, "b", 12, count=30), grown)

    assert names(build.ensure()) == ["test"]


def test_a_third_of_the_same_folder_name_has_a_name_too(home, tmp_path):
    for place in ("x", "y", "z"):
        file = questions(tmp_path / place / "hard", text=place)
        ran(answers(tmp_path, place, 12), file)

    found = names(build.ensure())

    assert found[:2] == ["test", "test@hard"]
    assert found[2].startswith("test@hard-")
