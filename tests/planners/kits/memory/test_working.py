"""Working memory: a recalled place is where the thing was when it was last seen."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.environment import Environment
from peephole.episodes.resolve import load_dialect
from peephole.observation_text.names import Named, Sighting
from peephole.observation_text.view import Visibility, visible
from peephole.planners.contract import Grant, Percept
from peephole.planners.kits.memory.working import WorkingMemory
from peephole.scene_graph.goals import And
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Kind, Relation, State
from peephole.scene_graph.rules import Ends, Rules
from peephole.scene_graph.task import Task
from peephole.skills.actions import Verb

HANDLING = frozenset({Verb.GO_TO, Verb.PICK_UP, Verb.PUT, Verb.DROP, Verb.OPEN, Verb.CLOSE})
DIALECTS = ("reactree", "reactree_plain", "reactree_thor", "alfworld")


def percept(graph: SceneGraph, profile: Visibility = Visibility.NEAR) -> Percept:
    """What an agent perceives of a graph, under names that count by id."""
    names: dict[int, str] = {}
    counts: dict[str, int] = {}
    for node in sorted(graph.nodes(), key=lambda node: node.id):
        counts[node.category] = counts.get(node.category, 0) + 1
        names[node.id] = f"{node.category} {counts[node.category]}"
    return Percept("", visible(graph, profile), names, 0)


@pytest.fixture
def kitchen(house: Any) -> Any:
    """A kitchen with a table at which the agent stands, a fridge, and a hall."""
    house.kitchen, house.hall = house.room("kitchen"), house.room("hall")
    house.table = house.fixture("table", house.kitchen)
    house.fridge = house.fixture("fridge", house.kitchen, State.OPEN)
    house.me = house.agent(house.kitchen)
    return house


def at(house: Any, place: int) -> Percept:
    """What is perceived after walking to a place."""
    graph = house.graph
    for relation, near in list(graph.outgoing(house.me)):
        if relation is Relation.CLOSE:
            graph.remove_edge(house.me, relation, near)
    graph.detach(house.me)
    graph.add_edge(house.me, Relation.INSIDE, graph.room_of(place))
    if graph[place].kind is not Kind.ROOM:
        graph.add_edge(house.me, Relation.CLOSE, place)
    return percept(graph)


def test_a_thing_is_recalled_where_it_was_seen_last(kitchen: Any) -> None:
    juice = kitchen.thing("juice", on=kitchen.table)
    memory = WorkingMemory("reactree")
    memory.update(at(kitchen, kitchen.fridge))
    assert memory.recall("juice") == "You have not seen juice before."
    memory.update(at(kitchen, kitchen.table))
    assert memory.recallable() == ("juice",)
    assert memory.recall("juice") == "You saw juice 1 near table 1 in kitchen 1."
    kitchen.graph.detach(juice)
    kitchen.graph.add_edge(juice, Relation.INSIDE, kitchen.fridge)
    memory.update(at(kitchen, kitchen.hall))  # nobody saw that
    assert memory.recall("juice") == "You saw juice 1 near table 1 in kitchen 1."
    memory.update(at(kitchen, kitchen.fridge))
    assert memory.recall("juice") == "You saw juice 1 near fridge 1 in kitchen 1."


def test_what_is_no_longer_there_is_said_to_be_gone(kitchen: Any) -> None:
    juice, milk = (kitchen.thing(name, on=kitchen.table) for name in ("juice", "milk"))
    memory = WorkingMemory("reactree")
    memory.update(at(kitchen, kitchen.table))
    for thing in (juice, milk):
        kitchen.graph.detach(thing)
        kitchen.graph.add_edge(thing, Relation.INSIDE, kitchen.fridge)
    memory.update(at(kitchen, kitchen.hall))
    assert "no longer" not in memory.recall("juice")
    memory.update(at(kitchen, kitchen.table))
    gone = "You saw juice 1 near table 1 in kitchen 1, but it is no longer there."
    assert memory.recall("juice") == gone
    kitchen.thing("juice", on=kitchen.table)
    memory.update(at(kitchen, kitchen.table))
    assert memory.recall("juice") == "You saw juice 2 near table 1 in kitchen 1."
    assert memory.recall("juice 1") == gone


def test_what_a_closed_door_hides_is_still_there(kitchen: Any) -> None:
    kitchen.thing("juice", inside=kitchen.fridge)
    memory = WorkingMemory("reactree")
    memory.update(at(kitchen, kitchen.fridge))
    kitchen.graph.set_state(kitchen.fridge, State.CLOSED)
    memory.update(at(kitchen, kitchen.fridge))
    assert memory.recall("juice") == "You saw juice 1 near fridge 1 in kitchen 1."


def test_a_look_from_afar_says_nothing_of_what_is_on_a_table(kitchen: Any) -> None:
    juice = kitchen.thing("juice", on=kitchen.table)
    kitchen.graph.add_edge(juice, Relation.INSIDE, kitchen.kitchen)  # as VirtualHome has it
    memory = WorkingMemory("reactree")
    memory.update(at(kitchen, kitchen.table))
    memory.update(at(kitchen, kitchen.fridge))
    assert memory.recall("juice") == "You saw juice 1 near table 1 in kitchen 1."


def test_what_is_held_is_recalled_so_until_it_is_out_of_hand(kitchen: Any) -> None:
    juice = kitchen.thing("juice")
    kitchen.graph.add_edge(kitchen.me, Relation.HOLDS, juice)
    memory = WorkingMemory("reactree")
    memory.update(at(kitchen, kitchen.table))
    assert memory.recall("juice") == "You are holding juice 1."
    kitchen.graph.remove_edge(kitchen.me, Relation.HOLDS, juice)
    kitchen.graph.add_edge(juice, Relation.INSIDE, kitchen.hall)
    memory.update(at(kitchen, kitchen.table))
    assert "holding" not in memory.recall("juice")


def test_what_is_in_a_closed_box_in_hand_is_not_gone(kitchen: Any) -> None:
    box = kitchen.thing("box", State.OPEN)
    kitchen.graph.add_edge(kitchen.me, Relation.HOLDS, box)
    kitchen.thing("juice", inside=box)
    memory = WorkingMemory("reactree")
    memory.update(at(kitchen, kitchen.table))
    kitchen.graph.set_state(box, State.CLOSED)
    memory.update(at(kitchen, kitchen.table))
    assert memory.recall("juice") == "You saw juice 1 near box 1 in kitchen 1."


def test_furniture_is_not_remembered(kitchen: Any) -> None:
    memory = WorkingMemory("reactree")
    memory.update(at(kitchen, kitchen.table))
    assert memory.recallable() == ()
    assert memory.recall("table") == "You have not seen table before."


@pytest.mark.parametrize(
    "said", ["Soap Bar", "the soap bar", "soap bar.", "SoapBar", "soap bar 2", "SoapBar (2)"]
)
def test_things_are_asked_for_by_kind_or_name(kitchen: Any, said: str) -> None:
    kitchen.thing("soap bar", inside=kitchen.hall)
    kitchen.thing("soap bar", on=kitchen.table)
    memory = WorkingMemory("reactree_thor")
    memory.update(at(kitchen, kitchen.table))
    assert memory.recall(said) == "You saw SoapBar (2) near Table (1)."


MUG = Sighting(Named("mug", 2), Named("microwave", 1), Named("kitchen", 1))
SOAP = Sighting(Named("soap bar", 1), None, Named("bathroom", 1))
CUP = Sighting(Named("cup", 1), held=True)


@pytest.mark.parametrize(
    ("dialect", "told"),
    [
        (
            "reactree",
            "You saw mug 2 near microwave oven 1 in kitchen 1. You saw soap bar 1 in bathroom 1. "
            "You are holding cup 1.",
        ),
        (
            "reactree_plain",
            "You saw mug 2 near microwave oven 1 in kitchen 1. You saw soap bar 1 in bathroom 1. "
            "You are holding cup 1.",
        ),
        (
            "reactree_thor",
            "You saw Mug (2) near Microwave (1). You saw SoapBar (1) in Bathroom (1). "
            "You are holding Cup (1).",
        ),
        (
            "alfworld",
            "You saw mug 2 near microwave 1 in kitchen 1. You saw soapbar 1 in bathroom 1. "
            "You are holding cup 1.",
        ),
    ],
)
def test_dialects_word_it(dialect: str, told: str) -> None:
    assert load_dialect(dialect).recalled("thing", [MUG, SOAP, CUP]) == told
    assert load_dialect(dialect).recalled("wine", []) == "You have not seen wine before."


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from(list(Visibility)[:2]), st.sampled_from(DIALECTS))
def test_it_tells_what_was_true_when_it_was_seen(
    seed: int, profile: Visibility, dialect: str
) -> None:
    chance = random.Random(seed)

    class House(SymbolicAdapter):
        def view(self) -> Any:
            truth = self.graph()
            assert truth is not None
            return visible(truth, profile)

    environment = Environment(
        House(),
        Task("task", "", And(()), f"house:{chance.randrange(1, 11)}"),
        load_dialect(dialect),
        rules=Rules(ends=Ends.PLANNER_DONE),
        grants=frozenset({Grant.TRUTH}),
    )
    now = environment.reset()
    memory = WorkingMemory(dialect)
    truths: dict[int, SceneGraph] = {}  # by thing, as it was when that was seen last
    for _ in range(30):
        memory.update(now)
        truth = now.truth
        assert truth is not None
        truths.update((n.id, truth) for n in now.view.graph.nodes(Kind.OBJECT))
        assert memory.sightings.keys() == truths.keys()
        for thing, sighting in memory.sightings.items():
            _check(sighting, thing, truths[thing], now)
        offered = [action for _, action in now.menu()]
        handling = [action for action in offered if action.verb in HANDLING]
        now = environment.step(chance.choice(handling or offered))


def _check(sighting: Sighting, thing: int, then: SceneGraph, now: Percept) -> None:
    """Check a sighting against the true state at the time of the last view."""
    names = {i: Named(n.rpartition(" ")[0], int(n.split(" ")[-1])) for i, n in now.names.items()}
    assert sighting.thing == names[thing]
    room = then.room_of(thing)
    assert room is not None
    assert sighting.room == names[room]
    keepers = [i for i in then.above(thing) if then[i].kind in (Kind.FIXTURE, Kind.OBJECT)]
    assert (sighting.place is None) == (not keepers)
    assert sighting.place is None or sighting.place in [names[i] for i in keepers]
    assert sighting.held == (thing in then.held(then.agent().id))
    if sighting.gone:
        truth = now.truth
        assert truth is not None
        held = thing in truth.held(truth.agent().id)
        assert thing not in truth or (held, truth.places(thing)) != (
            sighting.held,
            then.places(thing),
        )
