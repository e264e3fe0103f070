"""Discovery: the looks, the additions to the graph, and the refusals."""

from __future__ import annotations

import pytest

from peephole.observation_text.view import Visibility
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Relation
from peephole.skills.actions import Verb

from .episodes import APPLE, FRIDGE, Play, call


def test_discovery_goes_there_opens_and_confirms(play: Play) -> None:
    played = play(call("discover_objects", "fridge-1"))
    assert played.verbs == [Verb.GO_TO, Verb.OPEN]
    assert "Objects discovered here:\nmilk-1 inside fridge-1" in played.prompt(2)
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
    assert "Objects discovered here:\nmilk-1 inside fridge-1\n" in played.prompt(2)
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
