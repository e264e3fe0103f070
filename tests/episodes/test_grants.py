"""What the agent gets beyond views, and what is not granted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from peephole.adapters.contract import Capability
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.observation_text.dialect import Dialect
from peephole.observation_text.dialects.alfworld.dialect import DIALECT as ALFWORLD
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.view import View
from peephole.planners.contract import Grant
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Kind, Node, Relation
from peephole.scene_graph.task import Task
from peephole.skills import actions
from peephole.skills.outcomes import Reason

from .small_house import SOLUTION, begun, told_by


def test_what_is_not_granted_is_not_told(task: Task) -> None:
    environment = begun(task)
    brief = environment.brief()
    assert (brief.goal, brief.goal_things, brief.fixtures) == (None, None, None)
    assert (brief.inventory, brief.map) == (None, None)
    percept = environment.step("look")
    assert percept.truth is None
    assert percept.image() is None
    assert set(percept.names) == {2, 4, 5, 6}  # neither the table next door nor the apple


def test_an_inventory_gives_names_and_no_places(task: Task) -> None:
    environment = begun(task, grants=frozenset({Grant.INVENTORY}))
    brief = environment.brief()
    assert brief.inventory is not None
    assert [(thing.id, thing.name, thing.room) for thing in brief.inventory] == [
        (1, "apple 1", None)
    ]
    assert brief.fixtures is None
    percept = environment.step("pick up apple 1")
    assert percept.refused is None
    assert percept.outcome is not None
    assert percept.outcome.failure is not None
    assert percept.outcome.failure.reason is Reason.NOT_SEEN
    assert percept.names[1] == "apple 1"
    assert 1 not in percept.view.graph


def test_fixtures_are_granted_with_their_rooms(task: Task) -> None:
    environment = begun(task, grants=frozenset({Grant.FIXTURES}))
    brief = environment.brief()
    assert brief.fixtures is not None
    assert [(thing.name, thing.room) for thing in brief.fixtures] == [
        ("fridge 1", 4),
        ("table 1", 5),
    ]
    assert brief.inventory is None
    assert environment.menu() == begun(task).menu()  # offers what the view shows, as ever
    # One may walk to furniture that one knows of, and handle it only where it is.
    percept = environment.step("pick up table 1")
    assert percept.outcome is not None
    assert percept.outcome.failure is not None
    assert percept.outcome.failure.reason is Reason.NOT_CLOSE
    percept = environment.step("go to table 1")
    assert percept.outcome is not None
    assert percept.outcome.success
    assert 3 in percept.view.graph


def test_a_map_is_the_scene_as_it_was_recorded(
    task: Task, house: SceneGraph, tmp_path: Path
) -> None:
    """It has a stove that was taken away since, and the apple still lies on the table."""
    stale = house.copy()
    stale.add_node(Node(9, "stove", Kind.FIXTURE, 9, affordances=frozenset({Affordance.SURFACE})))
    stale.add_edge(9, Relation.INSIDE, 5)
    stale.add_node(Node(8, "cat", Kind.AGENT, 8))
    stale.add_edge(8, Relation.INSIDE, 5)
    stale.remove_edge(1, Relation.INSIDE, 2)
    stale.add_edge(1, Relation.ON, 3)
    write_graph(stale, tmp_path / "stale.json")
    mapped = replace(task, map=f"json:{tmp_path / 'stale.json'}")
    environment = begun(mapped, grants=frozenset({Grant.MAP}))
    brief = environment.brief()
    assert brief.map is not None
    assert told_by(View(brief.map, {})) == told_by(View(stale, {}))
    ids = {name: node for node, name in environment.step("look").names.items()}
    apple, table, stove, cat = map(ids.get, ("apple 1", "table 1", "stove 1", "cat 1"))
    assert brief.map.has_edge(apple, Relation.ON, table)
    for action, reason in (
        (actions.go_to(apple), Reason.NOT_SEEN),
        (actions.pick_up(apple), Reason.NOT_SEEN),
        (actions.go_to(cat), Reason.NOT_SEEN),  # who moves is not where the map has it
        (actions.open_(stove), Reason.NOT_CLOSE),
    ):
        outcome = environment.step(action).outcome
        assert outcome is not None
        assert outcome.failure is not None
        assert outcome.failure.reason is reason, action
    percept = environment.step(actions.go_to(stove))
    assert percept.outcome is not None
    assert percept.outcome.failure is not None
    assert percept.outcome.failure.reason is Reason.NOT_SEEN  # what is known is never unknown
    assert percept.text == "You have not seen the stove yet."
    outcome = environment.step(actions.go_to(table)).outcome
    assert outcome is not None
    assert outcome.success


def test_a_map_that_nobody_recorded_is_the_scene_as_it_is(task: Task, house: SceneGraph) -> None:
    assert begun(task, grants=frozenset({Grant.MAP})).brief().map == house


def test_the_goal_is_granted_with_its_things(task: Task) -> None:
    brief = begun(task, grants=frozenset({Grant.GOAL})).brief()
    assert brief.goal == task.goal
    assert brief.goal_things is not None
    assert {i: thing.name for i, thing in brief.goal_things.items()} == {
        3: "table 1",
        2: "fridge 1",
        1: "apple 1",
    }


def test_the_truth_is_given_where_it_is_granted(task: Task, house: SceneGraph) -> None:
    environment = begun(task, grants=frozenset({Grant.TRUTH}))
    environment.step(actions.go_to(2))
    truth = environment.step(actions.open_(2)).truth
    assert truth is not None
    assert truth == environment.adapter.graph()
    assert truth != house


class Camera(SymbolicAdapter):
    """The built-in world with pictures of one colour."""

    spec = replace(
        SymbolicAdapter.spec, capabilities=SymbolicAdapter.spec.capabilities | {Capability.IMAGES}
    )

    def image(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        return np.full((2, 3, 3), 7, np.uint8)


def test_images_are_given_where_they_are_granted(task: Task) -> None:
    assert begun(task, adapter=Camera()).step("look").image() is None
    environment = begun(task, adapter=Camera(), grants=frozenset({Grant.IMAGES}))
    image = environment.step("look").image()
    assert image is not None
    assert image.shape == (2, 3, 3)


@pytest.mark.parametrize("dialect", [DIALECT, ALFWORLD])
def test_an_overview_tells_the_place_and_leaves_the_dialect_as_it_was(
    task: Task, dialect: Dialect
) -> None:
    told, untold = begun(task, dialect=dialect), begun(task, dialect=dialect)
    for action in (*SOLUTION[:3], actions.look(), *SOLUTION[3:]):
        percept = told.step(action)
        assert percept.overview() == percept.overview()
        assert percept.text == untold.step(action).text
        if percept.ended is None:
            assert told.menu() == untold.menu()
        assert "fridge" in percept.overview() or "table" in percept.overview()


def test_what_is_known_and_not_seen_is_worded_so(task: Task) -> None:
    for dialect, words, told in (
        (DIALECT, "pick up apple 1", "You have not seen the apple yet."),
        (ALFWORLD, "take apple 1", "Nothing happens."),
    ):
        environment = begun(task, dialect=dialect, grants=frozenset({Grant.INVENTORY}))
        text = environment.step(words if dialect is DIALECT else actions.pick_up(1)).text
        assert told in text
        assert "fridge" not in text
