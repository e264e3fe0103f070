"""Pictures of worlds without a camera show what the view shows, and nothing else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from peephole.adapters.contract import Adapter, Capability
from peephole.adapters.drawn import PICTURE_HEIGHT, PICTURE_WIDTH, draw
from peephole.adapters.registry import connect
from peephole.observation_text.tile_codes import read_codes
from peephole.observation_text.view import View, Visibility, visible
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Edge, Kind, Node, Relation, State
from peephole.skills.actions import Action, Verb, go_to
from peephole.suites.registry import load_suite

from ...table_room import ME, ROOM, TABLE, table_room

BOX, BOWL, APPLE, COIN = range(4, 8)


@pytest.fixture
def house() -> SceneGraph:
    """The agent at a table with a bowl, in it an apple, and a closed box, in it a coin."""
    return table_room(
        [
            Node(BOX, "box", Kind.OBJECT, BOX, frozenset({State.CLOSED})),
            Node(BOWL, "bowl", Kind.OBJECT, BOWL),
            Node(APPLE, "apple", Kind.OBJECT, APPLE),
            Node(COIN, "coin", Kind.OBJECT, COIN),
        ],
        [
            Edge(BOX, Relation.ON, TABLE),
            Edge(BOWL, Relation.ON, TABLE),
            Edge(APPLE, Relation.INSIDE, BOWL),
            Edge(COIN, Relation.INSIDE, BOX),
        ],
    )


def told(view: View, looked_at: int | None = None) -> Counter[tuple[object, ...]]:
    """What the codes of a picture say: of each tile what it is and in which it stands."""
    codes = {code.index: code for code in read_codes(draw(view, looked_at))}
    return Counter(
        (c.category, c.relation, codes[c.parent].category if c.parent in codes else None, c.states)
        for c in codes.values()
    )


def test_every_thing_at_the_place_has_a_tile_in_what_keeps_it(house: SceneGraph) -> None:
    view = visible(house, Visibility.NEAR)
    assert told(view) == Counter(
        [
            ("table", None, None, frozenset()),
            ("box", Relation.ON, "table", frozenset({State.CLOSED})),
            ("bowl", Relation.ON, "table", frozenset()),
            ("apple", Relation.INSIDE, "bowl", frozenset()),
        ]
    )


def test_what_is_hidden_changes_no_pixel(house: SceneGraph) -> None:
    other = house.copy()
    other.remove_node(COIN)
    one, two = (draw(visible(g, Visibility.NEAR), TABLE) for g in (house, other))
    assert np.array_equal(one, two)
    other.remove_node(APPLE)
    assert not np.array_equal(one, draw(visible(other, Visibility.NEAR), TABLE))


def test_from_afar_the_room_shows_its_furniture_without_what_is_on_it(house: SceneGraph) -> None:
    house.remove_edge(ME, Relation.CLOSE, TABLE)
    assert set(told(visible(house, Visibility.NEAR))) == {
        ("kitchen", None, None, frozenset()),
        ("table", Relation.INSIDE, "kitchen", frozenset()),
    }


def test_of_two_alike_the_one_that_is_looked_at_comes_first(house: SceneGraph) -> None:
    house.add_node(Node(9, "table", Kind.FIXTURE, 9, frozenset({State.DIRTY})))
    house.add_edge(9, Relation.INSIDE, ROOM)
    house.add_edge(ME, Relation.CLOSE, 9)
    view = visible(house, Visibility.NEAR)
    for looked_at, states in ((TABLE, frozenset()), (9, frozenset({State.DIRTY}))):
        first = min(read_codes(draw(view, looked_at)), key=lambda code: code.index)
        assert (first.category, first.states) == ("table", states)


def test_a_full_place_makes_a_higher_picture_and_loses_no_tile(house: SceneGraph) -> None:
    for number in range(100, 200):
        house.add_node(Node(number, "pea", Kind.OBJECT, number))
        house.add_edge(number, Relation.ON, TABLE)
    view = visible(house, Visibility.NEAR)
    assert told(view)["pea", Relation.ON, "table", frozenset()] == 100
    assert draw(view).shape[0] > PICTURE_HEIGHT


@pytest.mark.parametrize("suite", ["behavior", "household", "houses"])
def test_adapters_of_symbolic_worlds_give_pictures_of_where_the_agent_is(suite: str) -> None:
    task = next(iter(load_suite(suite).tasks))
    adapter = connect(load_suite(suite).adapter)
    assert Capability.IMAGES in adapter.spec.capabilities
    adapter.reset(task, 0)
    before = adapter.image()
    assert before is not None
    assert before.shape == (PICTURE_HEIGHT, PICTURE_WIDTH, 3)
    place = furniture(adapter)
    assert adapter.attempt(go_to(place), 0).failure is None
    after = adapter.image()
    assert after is not None
    assert min(read_codes(after), key=lambda c: c.index).category == category(adapter, place)
    adapter.close()


def furniture(adapter: Adapter) -> int:
    """A piece of furniture in the agent's room."""
    graph = adapter.view().graph
    room = graph.room_of(graph.agent().id)
    return next(
        n.id for n in graph.nodes(Kind.FIXTURE) if (Relation.INSIDE, room) in graph.places(n.id)
    )


def category(adapter: Adapter, place: int) -> str:
    return adapter.view().graph[place].category


def test_films_of_pictures_have_frames_of_one_size(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    suite = load_suite("behavior")
    adapter = connect(suite.adapter)
    with adapter.film(tmp_path / "film.mp4"):
        adapter.reset(next(iter(suite.tasks)), 0)
        adapter.attempt(go_to(furniture(adapter)), 0)
        adapter.attempt(Action(Verb.WAIT), 0)
    adapter.close()
    assert (tmp_path / "film.mp4").stat().st_size > 0
