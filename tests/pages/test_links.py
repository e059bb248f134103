"""What a link asks for: by names or ids, in its order, and told where nothing takes it."""

import pytest

from evalcore.store import build
from evalcore.suites import item_results
from pages.shared.text import plain
from tests.pages.test_compare import run, wrong

ENTRIES, MODELS = "compare_entries_tiny_exact", "samples_models_tiny_exact"
ONLY = "compare_only_tiny_exact"


@pytest.fixture(scope="module")
def home_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALCORE_HOME", str(folder))
        run("good", wrong(3, 5, 7, 9, 11))
        run("late", wrong(3, 5))
        run("mapper", wrong(*range(0, 60, 2)))
        build.ensure()
    return folder


@pytest.fixture
def page(open_page):
    def page(name, **link):
        at = open_page(name, **link)
        assert not at.exception
        return at

    return page


@pytest.fixture
def ids(page):
    """The id of each model's run."""
    about = item_results.load(build.ensure(), "tiny").entries
    return dict(zip(about["model"], about.index, strict=True))


def told(at):
    return "\n\n".join(one.value for one in at.main.warning)


def chosen(at, key):
    return [one.split("--")[0] for one in at.multiselect(key=key).value]


def test_a_part_of_what_a_page_opens_with_is_taken_by_id(page, ids):
    at = page("samples", samples_of="tiny", samples_metric="exact", **{MODELS: ids["late"]})

    assert chosen(at, MODELS) == ["late"]
    assert at.query_params[MODELS] == "late"
    assert not at.main.warning


def test_another_order_than_the_page_opens_with_is_taken_by_id_and_by_name(page, ids):
    first = chosen(page("compare", compare_benchmark="tiny"), ENTRIES)
    turned = first[::-1]

    by_id = page("compare", **{ENTRIES: [ids[model] for model in turned]})
    by_name = page("compare", **{ENTRIES: turned})

    for at in (by_id, by_name):
        assert chosen(at, ENTRIES) == turned
        assert at.query_params[ENTRIES] == turned
        assert not at.main.warning


def test_what_is_impossible_in_a_list_of_ids_is_told_and_the_rest_taken(page, ids):
    at = page("compare", **{ENTRIES: [ids["mapper"], "nobody", ids["late"]]})

    assert chosen(at, ENTRIES) == ["mapper", "late"]
    asked = f'The link asks for {ENTRIES} = "nobody", which is not possible here'
    assert told(at) == plain(f"{asked}; shown instead: mapper; late.")


def test_a_long_list_of_what_is_shown_instead_is_cut(page):
    at = page("samples", samples_of="easy-vqa", **{"samples_models_easy-vqa_exact": "nobody"})

    assert told(at).endswith(plain(" and 5 more."))
    assert told(at).count(";") == 3


def test_a_line_that_cannot_be_read_leaves_the_other_refusals_told(page):
    at = page("compare", rec_size="-5", rec_out="nope", rec_costs="garbage")

    assert "has no '='" in at.main.error[0].value
    for key, text in (("rec_size", "-5"), ("rec_out", "nope")):
        assert plain(f'The link asks for {key} = "{text}", which') in told(at)


def test_a_page_with_nothing_left_to_draw_tells_of_its_link_all_the_same(page):
    at = page("overview", suite="vqa360", size="1", open="closed", mean="nope")

    assert any("No model is left" in one.value for one in at.main.markdown)
    assert plain('The link asks for mean = "nope"') in told(at)


def test_whose_questions_are_listed_is_forgotten_where_it_is_not_compared(page):
    three = ["good", "late", "mapper"]
    at = page("compare", **{ENTRIES: three, ONLY: "mapper"})
    assert at.selectbox(key=ONLY).value.startswith("mapper")

    at.multiselect(key=ENTRIES).set_value(three[:2]).run()

    assert at.selectbox(key=ONLY).value.startswith("good")
    assert ONLY not in at.query_params
    at.selectbox(key="compare_benchmark").set_value("easy-vqa").run()
    assert not at.exception
    assert at.selectbox(key="compare_only_easy-vqa_exact").value


def test_another_benchmark_has_its_own_runs_and_closes_the_open_item(page):
    at = page("samples", samples_of="tiny", sample="q/3", **{MODELS: "good"})
    assert at.text_input(key="sample").value == "q/3"

    at.selectbox(key="samples_of").set_value("easy-vqa").run()

    assert at.text_input(key="sample").value == ""
    assert "sample" not in at.query_params
    assert not at.main.warning
    assert len(at.multiselect(key="samples_models_easy-vqa_exact").value) == 8


def test_what_no_control_takes_is_told_on_the_page_that_the_link_opens(page):
    mine = {"compare_metric_mine": "exact", "compare_entries_mine_exact": ["a", "b"]}
    at = page("compare", **mine, benchmark="<b>x</b>", label="y", utm_source="z")

    assert told(at) == plain(
        'The link also asks for compare_metric_mine = "exact"; '
        'compare_entries_mine_exact = "a; b"; benchmark = "<b>x</b>" and 1 more; nothing on this '
        "page takes them."
    )
    at.switch_page("pages/samples.py").run()
    assert not at.main.warning


def test_what_a_later_choice_takes_up_is_told_no_longer(page):
    at = page("compare", **{"compare_metric_easy-vqa": "exact"})
    assert plain('asks for compare_metric_easy-vqa = "exact"; nothing on') in told(at)

    at.selectbox(key="compare_benchmark").set_value("easy-vqa").run()

    assert not at.main.warning


def test_the_links_of_the_pages_themselves_are_taken_whole(page):
    own = {"samples_of": "tiny", "samples_metric": "exact", MODELS: ["late", "good"]}
    at = page("samples", sample="q/3", **own)

    assert chosen(at, MODELS) == ["late", "good"]
    assert at.text_input(key="sample").value == "q/3"
    assert not at.main.warning
