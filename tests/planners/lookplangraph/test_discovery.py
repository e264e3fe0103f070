"""Discovery: the looks, the additions to the graph, and the refusals."""

from __future__ import annotations

from typing import Any

import pytest

from peephole.observation_text.view import Visibility
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Kind, Node, Relation
from peephole.skills.actions import Verb

from .episodes import APPLE, FRIDGE, KITCHEN, MILK, TABLE, Play, call


def test_discovery_goes_there_opens_and_confirms(play: Play) -> None:
    played = play(call("discover_objects", "fridge-1"))
    assert played.verbs == [Verb.GO_TO, Verb.OPEN]
    assert "Objects seen here:\nmilk-1 inside fridge-1" in played.prompt(2)
    (found,) = played.notes("augmented")
    assert [node["name"] for node in found["nodes"]] == ["milk 1"]


def test_what_was_moved_is_removed_where_it_was_and_found_where_it_is(play: Play) -> None:
    def moved(graph: SceneGraph) -> None:
        graph.set_outgoing(APPLE, [(Relation.INSIDE, FRIDGE)])

    played = play(
        call("discover_objects", "kitchen_table-1"),
        call("discover_objects", "fridge-1"),
        moved=moved,
    )
    assert "Not found where they were: apple-1." in played.prompt(2)
    assert "apple-1 ontop" not in played.prompt(2)
    assert "apple-1 inside fridge-1" in played.prompt(3)


def test_discovery_adds_only_what_that_place_shows(play: Play) -> None:
    played = play(call("discover_objects", "fridge-1"), visibility=Visibility.ROOM)
    assert "Objects seen here:\nmilk-1 inside fridge-1\n" in played.prompt(2)
    assert "not confirmed:\napple-1 ontop kitchen_table-1" in played.prompt(2)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (call("discover_objects", "kitchen-1"), "kitchen-1 is a room; discover_objects takes"),
        (call("close", "hall-1"), "hall-1 is a room; close takes an asset or an object in it."),
        (call("rearrange", "hall-1", "ontop", "fridge-1"), "hall-1 is a room; rearrange takes"),
        (call("open", "wardrobe-1"), "There is no node 'wardrobe-1'"),
        (call("open", "fridge-2"), "There is no node fridge-2; of this kind there are fridge-1."),
        (call("open", "fridge"), "'fridge' has no number; say which is meant: fridge-1."),
        (call("open", "kitchen_table-1"), "kitchen_table-1 has no door or lid."),
        (call("pick_up", "apple-1"), "confirm it with discover_objects(kitchen_table-1) first."),
        (call("rearrange", "apple-1"), "rearrange takes a node, a relation"),
        (call("rearrange", "apple-1", "ontop", "hall-1"), "apple-1 is only remembered"),
        (call("close", "fridge-1"), "fridge-1 is closed already."),
        (call("go_to", ""), "The node is missing"),
    ],
)
def test_impossible_calls_are_refused_in_a_sentence_and_counted(
    play: Play, said: str, sentence: str
) -> None:
    played = play(said)
    (told,) = played.refusals()
    assert sentence in told
    assert "\n" not in told
    assert played.verbs == []
    assert played.prompt(2).count(told) == 1
    assert played.prompt(2).endswith(
        f" (failed: {told})\n\n"
        "Your last answer was not carried out, for the reason above; give another one."
    )


def test_a_second_discovery_is_refused(play: Play) -> None:
    played = play(*[call("discover_objects", "kitchen_table-1")] * 2)
    assert played.refusals() == [
        "kitchen_table-1 was discovered already, and has apple-1. Do something with it, or look "
        "elsewhere."
    ]


def test_rearranging_to_where_a_thing_is_already_is_refused(play: Play) -> None:
    played = play(
        call("discover_objects", "kitchen_table-1"),
        call("rearrange", "apple-1", "ontop", "kitchen_table-1"),
    )
    assert played.refusals() == [
        "apple-1 is ontop kitchen_table-1 already; say where else it has to be, or do something "
        "else."
    ]
    assert played.verbs == [Verb.GO_TO]


def test_furniture_that_affords_nothing_is_marked_once_it_was_looked_at(play: Play) -> None:
    rug = 10

    def with_a_rug(graph: SceneGraph) -> None:
        graph.add_node(Node(rug, "rug", Kind.FIXTURE, rug))
        graph.add_edge(rug, Relation.INSIDE, KITCHEN)
        graph.remove_edge(APPLE, Relation.ON, TABLE)
        graph.add_edge(APPLE, Relation.ON, rug)

    played = play(call("discover_objects", "rug-1"), moved=with_a_rug)
    assert "\nrug-1\n" in played.prompt(1)
    assert "\nrug-1 (discovered)\nObjects seen here:\napple-1 ontop rug-1\n" in played.prompt(2)


def test_what_came_into_sight_by_opening_is_confirmed(play: Play) -> None:
    played = play(call("open", "fridge-1"))
    assert "fridge-1 (open, discovered)\n" in played.prompt(2)
    assert "Objects seen here:\nmilk-1 inside fridge-1\n" in played.prompt(2)
    assert "not confirmed:\napple-1 ontop kitchen_table-1\nPrev" in played.prompt(2)


def test_a_thing_that_is_gone_is_missed_when_its_container_is_opened(play: Play) -> None:
    played = play(call("open", "fridge-1"), moved=lambda graph: graph.remove_node(MILK))
    assert "Not found where they were: milk-1." in played.prompt(2)


def test_the_prompt_says_what_functions_do_by_themselves(play: Play) -> None:
    def system(**options: Any) -> str:
        return str(play(**options).requests[-1]["messages"][0]["content"])

    assert "walk, open what is in the way, and free a hand by themselves" in system()
    assert "Nothing is opened or put down for you." in system(correction=False)
