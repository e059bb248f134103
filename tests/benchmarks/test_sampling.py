"""Sampling: the same draw for everyone, smaller draws inside larger ones, tags in proportion."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.benchmarks import sampling
from evalcore.errors import BadInput
from evalcore.records import Item


def item(number, *tags):
    return Item(benchmark="b", id=str(number), question="Q?", answers=("x",), tags=tags)


def pool(kinds):
    return [item(number, ("kind", kind)) for number, kind in enumerate(kinds)]


def kinds(items):
    return Counter(dict(item.tags).get("kind") for item in items)


POOLS = st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=60).map(pool)
SEEDS = st.integers(-5, 5)


@given(POOLS, SEEDS, st.randoms(use_true_random=False), st.integers(1, 70))
def test_the_order_of_the_input_does_not_matter(items, seed, rng, limit):
    shuffled = list(items)
    rng.shuffle(shuffled)

    assert sampling.sample(items, limit, seed) == sampling.sample(shuffled, limit, seed)


@given(POOLS, SEEDS)
def test_a_larger_limit_contains_the_smaller_one(items, seed):
    whole = sampling.sample(items, None, seed)

    assert sorted(item.id for item in whole) == sorted(item.id for item in items)
    for limit in range(1, len(items) + 3):
        assert sampling.sample(items, limit, seed) == whole[:limit]


@given(POOLS, SEEDS)
def test_every_beginning_holds_each_tag_in_proportion(items, seed):
    whole, shares = sampling.sample(items, None, seed), kinds(items)

    for drawn in range(1, len(items) + 1):
        found = kinds(whole[:drawn])
        for kind, share in shares.items():
            assert abs(found[kind] - drawn * share / len(items)) < 1


def test_another_seed_is_another_draw():
    items = pool("a" * 100)
    draws = {tuple(item.id for item in sampling.sample(items, 10, seed)) for seed in range(20)}

    assert len(draws) == 20


def test_every_item_has_the_same_chance():
    items = pool("a" * 6 + "b" * 4)

    drawn = Counter(item.id for seed in range(4_000) for item in sampling.sample(items, 5, seed))

    # 5 of 10, so 2,000 times each; the standard deviation is at most sqrt(4,000 / 4) = 32.
    assert all(abs(drawn[item.id] - 2_000) < 5 * 32 for item in items)


def test_an_axis_can_be_named():
    items = [item(n, ("first", "same"), ("kind", "ab"[n % 2])) for n in range(20)]

    drawn = sampling.sample(items, 10, 0, by="kind")

    assert kinds(drawn) == {"a": 5, "b": 5}


def test_items_with_several_tags_are_drawn_by_their_combination():
    both = [item(n, ("cap", "ocr"), ("cap", "math")) for n in range(10)]
    turned = [item(n, ("cap", "math"), ("cap", "ocr")) for n in range(10, 20)]
    single = [item(n, ("cap", "ocr")) for n in range(20, 40)]

    drawn = sampling.sample(both + turned + single, 10, 3)

    assert Counter(len(item.tags) for item in drawn) == {1: 5, 2: 5}


def test_items_without_tags_are_drawn_too():
    items = [item(n) for n in range(30)] + pool("a" * 0) + [item(99, ("kind", "a"))]

    assert len(sampling.sample(items, 10, 0)) == 10
    assert sampling.sample([], 10, 0) == []


@pytest.mark.parametrize(
    ("limit", "by", "message"),
    [
        (0, None, "limit 0 leaves nothing to ask; give 1 or more, or none for all"),
        (-3, None, "limit -3 leaves nothing to ask; give 1 or more, or none for all"),
        (5, "colour", "no item has a tag on the axis 'colour'; there are kind"),
    ],
)
def test_a_draw_of_nothing_is_refused(limit, by, message):
    with pytest.raises(BadInput) as caught:
        sampling.sample(pool("aab"), limit, 0, by)

    assert str(caught.value) == message


def test_a_large_benchmark_of_many_tags_is_drawn_in_full():
    rng = random.Random(1)
    items = pool([str(rng.randrange(500)) for _ in range(20_000)])

    assert len(set(sampling.sample(items, None, 1))) == 20_000
