"""Detection in the true view."""

from __future__ import annotations

from collections.abc import Callable

from peephole.planners.contract import Percept
from peephole.planners.kits.detectors.choice import ViewDetector
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Relation

from .conftest import APPLE, BOWL, BOX, COIN, FRIDGE, PEAR, ROOM, TABLE


def test_all_that_is_seen_at_the_place_is_found_in_nested_containers_too(
    kitchen: SceneGraph, percept_of: Callable[..., Percept]
) -> None:
    detection = ViewDetector().detect(TABLE, percept_of(kitchen), {})
    things = {t.id: (t.relation, t.related_to) for t in detection.things}
    assert things == {
        BOX: (Relation.ON, TABLE),
        BOWL: (Relation.ON, TABLE),
        APPLE: (Relation.INSIDE, BOWL),
        PEAR: (Relation.ON, TABLE),
    }
    assert detection.covered == {TABLE, BOWL, APPLE, PEAR}


def test_what_is_hidden_or_away_changes_nothing(
    kitchen: SceneGraph, percept_of: Callable[..., Percept]
) -> None:
    other = kitchen.copy()
    other.remove_node(COIN)
    one, two = (ViewDetector().detect(TABLE, percept_of(g), {}) for g in (kitchen, other))
    assert one == two
    fridge = ViewDetector().detect(FRIDGE, percept_of(kitchen), {})
    assert fridge.things == ()
    assert fridge.covered == frozenset()


def test_of_a_room_only_what_stands_free_is_found(
    kitchen: SceneGraph, percept_of: Callable[..., Percept]
) -> None:
    kitchen.detach(PEAR)
    kitchen.add_edge(PEAR, Relation.INSIDE, ROOM)
    detection = ViewDetector().detect(ROOM, percept_of(kitchen), {})
    assert [thing.id for thing in detection.things] == [PEAR]


def test_a_place_out_of_sight_is_reported_in_a_sentence(
    kitchen: SceneGraph, percept_of: Callable[..., Percept]
) -> None:
    detection = ViewDetector().detect(77, percept_of(kitchen), {77: "shelf 1"})
    assert detection.text == "shelf 1: Nothing of it can be seen from here."
    assert detection.note().data["augmented"]["problem"]
