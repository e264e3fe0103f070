"""Names as models write them find the areas and objects that they mean."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from peephole.planners.kits.hypotheses.answers import matched, nearest, normalised, object_named

WORDS = st.lists(st.sampled_from(["fridge", "cooler", "layer", "tea", "spice"]), min_size=1)
ways = st.sampled_from(
    [
        lambda words: "_".join(words),
        lambda words: " ".join(words).title(),
        lambda words: "-".join(words).upper(),
        lambda words: "".join(word.capitalize() for word in words),
        lambda words: "_".join(words) + "_17",
    ]
)


@given(WORDS, ways, ways)
def test_a_name_is_found_however_it_is_written(words, said, known):
    others = ["human_hand", "prep_surface"]
    assert matched(said(words), [known(words), *others]) == known(words)


@given(st.text())
def test_normalising_twice_is_normalising_once(said):
    name = normalised(said)
    assert normalised(name) == name
    assert name == name.strip("_")
    assert " " not in name


@given(st.text(), st.lists(st.text(min_size=1), max_size=4))
def test_only_known_names_are_found(said, known):
    match = matched(said, known)
    assert match is None or match in known
    assert isinstance(nearest(said, known), str)


def test_several_names_that_may_be_meant_are_none():
    assert matched("cup_3", ["cup_1", "cup_2"]) is None
    assert matched("cup_2", ["cup_1", "cup_2"]) == "cup_2"


def test_an_object_in_view_is_meant_before_an_unseen_one():
    seen = {"coffee_mug", "cup", "cup_2"}
    assert object_named("Coffee Mug_9", seen) == "coffee_mug"
    assert object_named("cup_2", seen) == "cup_2"
    assert object_named("cup_7", seen) == "cup"
    assert object_named("bellPepper_3", seen) == "bell_pepper"
