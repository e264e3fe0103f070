"""Names are stable: numbered by first sight, what comes at once by id."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.observation_text.names import Names
from peephole.scene_graph.node import Kind, Node


def things(*ids, category="apple"):
    return [Node(i, category, Kind.OBJECT, f"native {-i}") for i in ids]


def test_what_comes_at_once_is_numbered_by_id():
    names = Names(things(30, 4, 200))
    assert [names(node_id) for node_id in (4, 30, 200)] == ["apple 1", "apple 2", "apple 3"]


def test_what_comes_later_never_changes_a_name():
    first, then = things(30, 4)
    names = Names()
    names.append([first])
    names.append([then, first])
    assert (names(first.id), names(then.id)) == ("apple 1", "apple 2")
    assert (names.count("apple"), names.count("pear")) == (2, 0)


def test_a_thing_that_is_given_twice_has_one_name():
    (apple,) = things(90)
    names = Names([apple, apple])
    assert (names(apple.id), names.count("apple")) == ("apple 1", 1)


def test_an_id_that_has_become_another_thing_has_another_name():
    (apple,) = things(90)
    names = Names([apple])
    names.append([replace(apple, category="pear")])
    assert names(apple.id) == "pear 1"
    assert (names.find("pear", 1), names.find("apple", 1)) == (apple.id, None)


@given(ids=st.lists(st.integers(-3, 30), unique=True, min_size=1), data=st.data())
def test_leaving_one_out_moves_the_others_up_and_never_past_each_other(ids, data):
    nodes = things(*ids)
    left = data.draw(st.sampled_from(nodes))
    whole, rest = Names(nodes), Names(node for node in nodes if node is not left)
    order = sorted((n for n in nodes if n is not left), key=lambda n: whole.number(n.id))
    assert [rest.number(node.id)[1] for node in order] == list(range(1, len(nodes)))


def test_every_category_counts_on_its_own(house):
    names = Names(house.nodes())
    assert names(house.id("wine 2")) == "wine 2"
    assert names.number(house.id("kitchen table 1")) == ("kitchen table", 1)


def test_a_name_finds_its_thing_and_a_made_up_one_nothing(house):
    names = Names(house.nodes())
    assert names.find("juice", 2) == house.id("juice 2")
    assert names.find("juice", 3) is None
    assert names.find("nosuch", 1) is None


def test_what_appears_later_is_numbered_after_all_that_was_there(house):
    names = Names(house.nodes())
    slices = [Node(900, "apple", Kind.OBJECT, 0), Node(800, "apple", Kind.OBJECT, 1)]
    names.append([*slices, house[house.id("apple 1")]])
    assert names(800) == "apple 3"
    assert names(900) == "apple 4"
    assert names(house.id("apple 1")) == "apple 1"


def test_an_unnamed_thing_has_no_name(house):
    with pytest.raises(KeyError):
        Names(house.nodes())(12345)


@given(data=st.data())
def test_names_are_unique_and_do_not_depend_on_the_graphs_order(data, house_strategy):
    graph = data.draw(house_strategy)
    nodes = list(graph.nodes())
    names = Names(graph.nodes())
    assert len({names(node.id) for node in nodes}) == len(nodes)
    again = Names(data.draw(st.permutations(nodes)))
    for node in nodes:
        assert again(node.id) == names(node.id)
        assert names.find(*names.number(node.id)) == node.id
