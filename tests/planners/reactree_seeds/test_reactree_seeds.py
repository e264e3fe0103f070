"""Seed trees: the trees that the rule makes of goals, and that their searches are real."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from peephole.planners.contract import Act, Internal
from peephole.planners.reactree_seeds.goal_conditions import Things, Unreadable, conditions_of
from peephole.planners.reactree_seeds.planner import PLANNER, Options
from peephole.scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    Exists,
    ForAll,
    Goal,
    HasState,
    Related,
)
from peephole.scene_graph.node import Relation, State

INSIDE, ON = Relation.INSIDE, Relation.ON


@pytest.fixture
def home(house: Any) -> Any:
    """A kitchen and a bedroom with places to search; the agent is in the bedroom."""
    kitchen, bedroom = house.room("kitchen"), house.room("bedroom")
    house.fridge = house.fixture("fridge", kitchen, State.CLOSED)
    house.table = house.fixture("table", kitchen)
    house.dishwasher = house.fixture("dishwasher", kitchen, State.CLOSED, State.OFF)
    house.desk = house.fixture("desk", bedroom)
    house.cabinet = house.fixture("cabinet", bedroom, State.CLOSED)
    house.agent(bedroom)
    return house


def at(category: str, relation: Relation, place: str, count: int = 1) -> Goal:
    """A number of things of a category at one place of a category."""
    there = Related("thing", relation, "place")
    things = AtLeast(count, "thing", Domain(frozenset({category})), there)
    return Exists("place", Domain(frozenset({place})), things)


def nodes(played: Any) -> dict[int, dict[str, Any]]:
    """The nodes of the tree, by id, as in the newest note on each."""
    found: dict[int, dict[str, Any]] = {}
    for note in played.notes("tree"):
        found.update((node["id"], node) for node in note.data["nodes"])
    return found


def ended(played: Any) -> list[tuple[str, str]]:
    """Goals and statuses of the agents that have ended, in order."""
    return [
        (node["goal"], node["state"])
        for note in played.notes("tree")
        for node in note.data["nodes"]
        if node["kind"] == "agent" and "text" in node
    ]


def test_a_thing_is_found_in_one_room_after_the_other_and_then_put(home: Any, play: Any) -> None:
    home.thing("egg", inside=home.cabinet)
    played = play(PLANNER, home.graph, at("egg", ON, "table"), until_done=True)
    assert played.success
    assert ended(played) == [
        ("", "expand"),
        ("find and pick up the egg", "expand"),
        ("find and pick up the egg in kitchen 1", "failure"),
        ("find and pick up the egg in bedroom 1", "success"),
        ("find the table and put the egg on it", "success"),
    ]
    tree = nodes(played)
    kinds = {node["kind"] for node in tree.values()}
    assert kinds == {"agent", "sequence", "fallback"}
    assert all(node["parent"] in {None, *tree} for node in tree.values())


def test_a_failed_search_is_real(home: Any, play: Any) -> None:
    home.thing("egg", inside=home.cabinet)
    played = play(PLANNER, home.graph, at("egg", ON, "table"), until_done=True)
    failed = next(n["text"] for n in nodes(played).values() if n["state"] == "failure")
    lines = failed.splitlines()
    for place in ("fridge 1", "table 1", "dishwasher 1"):
        assert f"Act: go to {place}" in lines
    assert lines[lines.index("Act: open fridge 1") + 1].startswith("You open fridge. You see")
    assert lines[-2:] == [
        "Think: I have looked everywhere in the kitchen and did not find the egg.",
        "Act: failure",
    ]
    said = [line for line in failed.splitlines() if line.startswith("Act: ")]
    acted = [d for d in played.decisions if isinstance(d, Act)]
    assert len(said) - 1 < len(acted)  # each was carried out, and more in the other rooms


def test_several_things_are_placed_in_parallel_and_what_is_switched_comes_after(
    home: Any, play: Any
) -> None:
    for place in (home.table, home.desk):
        home.thing("plate", on=place)
    there = Related("thing", INSIDE, "place")
    goal = Exists(
        "place",
        Domain(frozenset({"dishwasher"})),
        And(
            (AtLeast(2, "thing", Domain(frozenset({"plate"})), there), HasState("place", State.ON))
        ),
    )
    played = play(PLANNER, home.graph, goal, until_done=True)
    assert played.success
    tree = nodes(played)
    (parallel,) = [node for node in tree.values() if node["kind"] == "parallel"]
    assert tree[parallel["parent"]]["goal"] == "bring everything to the dishwasher"
    goals = [node["goal"] for node in tree.values() if node["parent"] == parallel["id"]]
    assert goals == ["move one plate to the dishwasher", "move another plate to the dishwasher"]
    assert ended(played)[-1] == ("turn on the dishwasher", "success")


def test_what_is_nowhere_fails_to_the_root(home: Any, play: Any) -> None:
    played = play(PLANNER, home.graph, at("egg", ON, "table"), until_done=True)
    assert not played.success
    assert played.ended == "GiveUp: Not all parts could be done."
    states = {node["state"] for node in nodes(played).values() if node["kind"] != "agent"}
    assert states == {"failure"}


def test_every_expansion_is_a_decision_and_the_notes_are_none(home: Any, play: Any) -> None:
    home.thing("egg", inside=home.cabinet)
    played = play(PLANNER, home.graph, at("egg", ON, "table"), until_done=True)
    expansions = [d for d in played.decisions if isinstance(d, Internal) and d.name == "expand"]
    assert len(expansions) == sum(state == "expand" for _, state in ended(played)) == 2


def test_the_same_work_can_be_an_example_for_react(home: Any, play: Any) -> None:
    """One conversation in the form of its replies, which recalls only what was seen."""
    home.thing("egg", inside=home.cabinet)
    home.thing("egg", inside=home.cabinet)
    options = Options(examples_for="react", working_memory=True)
    planner = replace(
        PLANNER, plan=lambda brief, first: PLANNER.plan(replace(brief, options=options), first)
    )
    played = play(planner, home.graph, at("egg", ON, "table", 2), until_done=True)
    assert played.success
    assert played.notes("tree") == []
    assert "expand" not in {d.name for d in played.decisions if isinstance(d, Internal)}
    (note,) = (note for note in played.notes("plan") if "example" in note.data)
    first, _, *lines = note.data["example"].splitlines()
    assert first == "Task: "
    turns = [json.loads(line) for line in lines if line.startswith("{")]
    assert turns[-1]["action"] == "done"
    assert all(len(turn["thought"]) <= 300 for turn in turns)
    said = [turn["action"] for turn in turns]
    assert said.count("recall location of egg") == 1, "not before one was seen"
    acted = [turn.action for turn in played.decisions if isinstance(turn, Act)]
    assert len(said) == len(acted) + 2


# --- goals ---------------------------------------------------------------------------------------


def test_what_things_are_put_into_is_brought_after_them() -> None:
    pot, sink = Domain(frozenset({"pot"})), Domain(frozenset({"sink"}))
    stands = Exists("place", sink, Related("pot", INSIDE, "place"))
    brought = Exists("pot", pot, stands)
    egg = Domain(frozenset({"egg"}))
    loaded = Exists("pot", pot, Exists("thing", egg, Related("thing", INSIDE, "pot")))
    conditions = conditions_of(And((brought, loaded)))
    assert [placing.place.categories for placing in conditions.placings] == [{"pot"}, {"sink"}]


def test_slices_are_asked_for_as_such() -> None:
    bread = Domain(frozenset({"bread"}))
    cut = HasState("thing", State.SLICED)
    there = And((cut, Related("thing", ON, 7)))
    conditions = conditions_of(And((Exists("thing", bread, cut), Exists("thing", bread, there))))
    assert [placing.things for placing in conditions.placings] == [
        Things(frozenset({"bread"}), sliced=True)
    ]
    assert not conditions.switchings


def test_a_goal_on_all_things_has_no_rule(home: Any, play: Any) -> None:
    goal = ForAll("thing", Domain(frozenset({"egg"})), Related("thing", ON, home.table))
    with pytest.raises(Unreadable, match="ForAll"):
        conditions_of(goal)
    played = play(PLANNER, home.graph, goal, until_done=True)
    assert played.ended.startswith("GiveUp: There is no rule for this goal")
