"""Names are read as written; unknown names are refused in one sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.models.contract import Unusable
from peephole.planners.kits.map.names import NodeNames, node_name

NAMES = {3: "wicker basket 1", 4: "wicker basket 2", 7: "apple 1", 9: "t-shirt 12"}

categories = st.from_regex(r"[a-z]+([ -][a-z0-9]*[a-z])*", fullmatch=True)


def test_category_in_lower_case_with_underscores_and_number():
    assert node_name("wicker basket 1") == "wicker_basket-1"
    assert node_name("t-shirt 12") == "t_shirt-12"
    assert node_name("swiss cheese 3") == "swiss_cheese-3"


@given(st.dictionaries(categories, st.integers(1, 10**9 - 1), max_size=8))
def test_every_name_is_read_back(numbers):
    given_names = {
        i: f"{category} {number}" for i, (category, number) in enumerate(numbers.items())
    }
    names = NodeNames(given_names)
    for node_id in given_names:
        node = names.id(names.name(node_id))
        assert names.name(node) == names.name(node_id)


@pytest.mark.parametrize(
    "said",
    [
        "wicker_basket-2",
        "Wicker_Basket-2",
        "wicker basket 2",
        "wicker_basket_2",
        "wicker basket (2)",
        " 'wicker_basket-2' ",
    ],
)
def test_spelling_of_the_same_number_is_free(said):
    assert NodeNames(NAMES).id(said) == 4


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("wicker_basket", "has no number; say which is meant: wicker_basket-1, wicker_basket-2."),
        ("wicker_basket-3", "no node wicker_basket-3; of this kind there are wicker_basket-1, "),
        ("basket-1", "There is no node 'basket-1'"),
        ("apple-0", "There is no node"),
        ("apple-1-1", "There is no node"),
        ("", "There is no node ''"),
        ("apple1", "There is no node 'apple1'"),
    ],
)
def test_what_names_nothing_is_refused(said, told):
    with pytest.raises(Unusable) as refused:
        NodeNames(NAMES).id(said)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_names_that_come_later_are_read():
    growing = dict(NAMES)
    names = NodeNames(growing)
    with pytest.raises(Unusable):
        names.id("pear-1")
    growing[20] = "pear 1"
    assert names.id("pear-1") == 20
