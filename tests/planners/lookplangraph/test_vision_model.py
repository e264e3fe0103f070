"""Things that a vision model sees or misses, in prompts and notes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from peephole.observation_text.view import Visibility
from peephole.planners.contract import Internal
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Kind, Node, Relation, State

from .episodes import APPLE, FRIDGE, KITCHEN, MILK, PEAR, TABLE, Eyes, Play, call


def into_the_room(graph: SceneGraph) -> None:
    """The pear stands free in the kitchen, and the milk beside the apple on the table."""
    graph.set_outgoing(PEAR, [(Relation.INSIDE, KITCHEN)])
    graph.set_outgoing(MILK, [(Relation.ON, TABLE)])


@pytest.mark.parametrize("visibility", [Visibility.NEAR, Visibility.ROOM])
def test_no_prompt_has_what_a_vision_model_misses(play: Play, visibility: Visibility) -> None:
    played = play(
        call("discover_objects", "kitchen_table-1"),
        call("go_to", "hall-1"),
        call("go_to", "kitchen-1"),
        call("open", "milk-9"),
        moved=into_the_room,
        visibility=visibility,
        eyes=Eyes(),
        augmentation="vision",
        priors=False,
    )
    for number in range(1, 5):
        told = played.prompt(number).partition("Scene:")[2]
        assert not [thing for thing in ("apple-", "pear-", "milk-") if thing in told]


@pytest.mark.parametrize("place", [FRIDGE, TABLE])
@pytest.mark.parametrize("augmentation", ["none", "view", "vision"])
def test_what_was_not_found_reaches_no_model_and_no_note(
    play: Play, augmentation: str, place: int
) -> None:
    def hidden(graph: SceneGraph) -> None:
        """An emerald that is not on the map: in the closed fridge, or at a place without a look."""
        graph.add_node(Node(30, "emerald", Kind.OBJECT, 30, frozenset({State.DIRTY})))
        graph.add_edge(30, Relation.INSIDE if place == FRIDGE else Relation.ON, place)

    eyes = Eyes([], [("pear-1", "shelf-1")], [])
    played = play(
        call("go_to", "hall-1"),
        call("discover_objects", "shelf-1"),
        call("go_to", "kitchen-1"),
        call("pick_up", "emerald-1"),
        call("pick_up", "emerald"),
        call("discover_objects", "shelf-1"),
        moved=hidden,
        visibility=Visibility.NEAR if place == FRIDGE else Visibility.ROOM,
        eyes=eyes,
        augmentation=augmentation,
    )
    told = [message["content"] for asked in played.requests for message in asked["messages"]]
    told = [text.partition("Previous actions:")[0] for text in told]  # those quote its answers
    notes = [each for each in played.decisions if not isinstance(each, Internal)]
    assert "emerald" not in f"{told} {notes} {eyes.asked}"
    unknown = played.refusals()[-3:] if augmentation != "none" else played.refusals()[-2:]
    assert not any("of this kind there are" in sentence for sentence in unknown)


def test_a_thing_at_two_places_is_found_at_the_one_that_is_looked_at(play: Play) -> None:
    def twice(graph: SceneGraph) -> None:
        graph.replace_node(replace(graph[FRIDGE], states=frozenset({State.OPEN})))
        graph.set_outgoing(PEAR, [(Relation.INSIDE, FRIDGE), (Relation.ON, TABLE)])

    played = play(call("discover_objects", "kitchen_table-1"), moved=twice)
    assert "pear-1 ontop kitchen_table-1" in played.prompt(2)


def test_what_stands_free_is_seen_by_the_vision_model_too(play: Play) -> None:
    eyes = Eyes([("pear-1", "kitchen-1")], [("book-1", "hall-1")])
    played = play(
        call("go_to", "hall-1"),
        moved=into_the_room,
        eyes=eyes,
        augmentation="vision",
    )
    first, second = played.prompt(1), played.prompt(2)
    assert "Objects seen here:\npear-1 inside kitchen-1\n" in first
    assert "Objects seen here:\nbook-1 inside hall-1\n" in second
    assert "kitchen-1: pear-1 inside kitchen-1" in second
    assert "Assets here:\nfridge-1 (closed)\nkitchen_table-1\n" in first


def test_what_was_handled_is_where_it_was_put_without_a_look(play: Play) -> None:
    eyes = Eyes([], [("apple-1", "kitchen_table-1")])
    played = play(
        call("discover_objects", "kitchen_table-1"),
        call("rearrange", "apple-1", "inside", "fridge-1"),
        moved=into_the_room,
        eyes=eyes,
        augmentation="vision",
    )
    assert played.truth.places(APPLE) == [(Relation.INSIDE, FRIDGE)]
    told = played.prompt(3)
    assert "apple-1 inside fridge-1" in told
    assert "milk-1 inside fridge-1" in told.partition("not confirmed:")[2]


def test_names_of_what_nobody_found_are_not_listed(play: Play) -> None:
    def twins(graph: SceneGraph) -> None:
        graph.add_node(replace(graph[APPLE], id=20))
        graph.add_edge(20, Relation.ON, TABLE)

    eyes = Eyes([], [("apple-1", "kitchen_table-1")])
    played = play(
        call("discover_objects", "kitchen_table-1"),
        call("pick_up", "apple-7"),
        moved=twins,
        eyes=eyes,
        augmentation="vision",
    )
    assert played.refusals() == ["There is no node apple-7; of this kind there are apple-1."]
