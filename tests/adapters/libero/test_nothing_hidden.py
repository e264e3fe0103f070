"""Worlds that differ in what is in a shut drawer look the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from peephole.adapters.libero.goals import Conjunct
from peephole.adapters.libero.memory import Memory
from peephole.adapters.libero.names import node_id
from peephole.adapters.libero.stand_in.table import Table
from peephole.adapters.libero.stand_in.tasks import BOWL, CHEESE, PLATE, TASKS
from peephole.adapters.libero.state import read_state
from peephole.adapters.libero.world import LiberoWorld
from peephole.observation_text.view import View
from peephole.scene_graph.fields import Field
from peephole.scene_graph.node import Relation


def moved(state: dict[str, Any]) -> None:
    (cheese,) = (thing for thing in state["things"] if thing["name"] == CHEESE)
    cheese["position"][1] += 0.03


def gone(state: dict[str, Any]) -> None:
    state["things"] = [thing for thing in state["things"] if thing["name"] != CHEESE]
    state["relations"] = [each for each in state["relations"] if CHEESE not in each]


def another(state: dict[str, Any]) -> None:
    """Something else, by another name."""
    state["things"] = [
        {**thing, "name": "butter_1"} if thing["name"] == CHEESE else thing
        for thing in state["things"]
    ]
    state["relations"] = [
        ["butter_1" if word == CHEESE else word for word in each] for each in state["relations"]
    ]


def view_of(state: dict[str, Any], seen: dict[str, int]) -> View:
    read = read_state(Field("a test", "", state))
    world = LiberoWorld([Conjunct("on", (CHEESE, BOWL))], read, "")
    memory = Memory()
    memory.look(world.graph(read), {node_id(name, "") for name in seen})
    return memory.view


@pytest.mark.parametrize("change", [moved, gone, another])
def test_what_is_in_a_shut_drawer_changes_nothing(change: Callable[[dict[str, Any]], None]) -> None:
    table = Table.begun(TASKS[4], 0)
    before = view_of(table.state(), table.seen())
    state = table.state()
    change(state)
    assert view_of(state, table.seen()) == before


def test_pixels_through_a_gap_show_nothing_of_a_shut_drawer() -> None:
    table = Table.begun(TASKS[4], 0)
    before = view_of(table.state(), table.seen())
    assert view_of(table.state(), {**table.seen(), CHEESE: 400}) == before


def test_what_stands_on_something_unseen_stands_free() -> None:
    table = Table.begun(TASKS[1], 0)
    table.attempt("pick_up", BOWL, None, 0)
    table.attempt("put", BOWL, PLATE, 0)
    view = view_of(table.state(), {BOWL: 400})
    assert node_id(PLATE, "") not in view.graph
    ((relation, room),) = view.graph.places(node_id(BOWL, ""))
    assert (relation, view.graph[room].category) == (Relation.INSIDE, "room")
    assert node_id(BOWL, "") in view.within_reach()
