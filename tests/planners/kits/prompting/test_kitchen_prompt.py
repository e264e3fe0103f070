"""The system prompt of kitchens: its rules, and its examples played in the worlds they tell of."""

from __future__ import annotations

import json
import re

import pytest

import peephole
from peephole.observation_text.dialects.tru_pomdp.dialect import DIALECT
from peephole.observation_text.names import Names
from peephole.observation_text.view import Visibility, visible
from peephole.planners.contract import Brief
from peephole.planners.kits.prompting.menus import MenuForm
from peephole.planners.kits.turns import system_prompt
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.skills.dynamics import step
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Outcome

CONFIRMED = re.compile(r" Objects already in target areas: [^.]*\.")


@pytest.fixture(scope="module")
def brief() -> Brief:
    with peephole.make("kitchens:easy", task="easy/one_wall-7") as played:
        played.reset()
        return played.brief()


def test_plain_planners_learn_kitchens_by_demonstrations_alone(brief: Brief) -> None:
    plain = system_prompt(brief, MenuForm.NONE)
    starred = system_prompt(brief, MenuForm.NONE, domain=True)
    rules = ("Open areas hide nothing more", "The instruction is vague", "Walking costs")
    assert all(rule in starred and rule not in plain for rule in rules)
    assert plain.partition("Example 1")[2] == starred.partition("Example 1")[2]
    assert "A failed action adds -25." in starred


@pytest.mark.parametrize(
    ("dialect", "call"),
    [
        ("reactree_plain", "{} microwave 1"),
        ("lookplangraph", "{}(microwave-1)"),
        ("tru_pomdp", "{} microwave"),
    ],
)
def test_what_runs_only_while_closed_is_said_and_a_refusal_says_why(
    dialect: str, call: str
) -> None:
    with peephole.make(
        "kitchen_physics", task="warm_up/10005", adapter="symbolic_gripper", dialect=dialect
    ) as played:
        played.reset()
        prompt = system_prompt(played.brief(), MenuForm.NONE, domain=True)
        assert "microwave before you turn it on" in prompt
        for verb in ("go_to", "open", "turn_on"):
            words = verb if "(" in call else verb.replace("_", " ")
            percept = played.step(call.format(words))
        assert "still open" in percept.text


def _world(first: str, told: str) -> SceneGraph:
    """The kitchen of an example. first: its first observation. told: the whole example."""
    room, robot = 1, 2
    nodes = [Node(room, "kitchen", Kind.ROOM, 1), Node(robot, "robot", Kind.AGENT, 2)]
    edges = [Edge(robot, Relation.INSIDE, room)]
    areas: dict[str, tuple[int, Relation]] = {}
    for kind in ("Closed", "Open"):
        listed = re.search(rf"{kind} areas: ([^.]*)\.", first)
        assert listed is not None
        closed = kind == "Closed"
        affordances = (
            {Affordance.CONTAINER, Affordance.OPENABLE} if closed else {Affordance.SURFACE}
        )
        for name in listed[1].replace(" (empty)", "").split(", "):
            area = len(nodes) + 1
            states = frozenset({State.CLOSED} if closed else ())
            category = name.replace("_", " ")
            nodes.append(Node(area, category, Kind.FIXTURE, area, states, frozenset(affordances)))
            edges.append(Edge(area, Relation.INSIDE, room))
            areas[name] = area, Relation.INSIDE if closed else Relation.ON
    lie = re.findall(r"(\w+) on (\w+)", first.partition("Objects seen: ")[2])
    lie += [(thing, area) for area, thing in re.findall(r"In (\w+) you see: (\w+)", told)]
    for name, area_name in lie:
        thing, (area, relation) = len(nodes) + 1, areas[area_name]
        category = name.replace("_", " ")
        graspable = frozenset({Affordance.GRASPABLE})
        nodes.append(Node(thing, category, Kind.OBJECT, thing, affordances=graspable))
        edges.append(Edge(thing, relation, area))
    return SceneGraph(nodes, edges)


@pytest.mark.parametrize("number", [1, 2])
def test_an_example_happens_as_it_is_told(brief: Brief, number: int) -> None:
    examples = re.split(r"Example \d\n", system_prompt(brief, MenuForm.NONE))
    task, first, *turns = examples[number].strip().splitlines()
    assert task.startswith("Task: ")
    graph = _world(first, examples[number])
    view = visible(graph, Visibility.ROOM)
    names = Names(view.graph.nodes())
    text, state = DIALECT.start(names, view)
    assert text == first
    for said, observed in zip(turns[::2], [*turns[1::2], None], strict=True):
        action = DIALECT.parse(json.loads(said)["action"], names, names.numbers, state)
        assert step(graph, action, Embodiment(hands=1, approaches=True)) is None
        view = visible(graph, Visibility.ROOM)
        names.append(view.graph.nodes())
        text, state = DIALECT.after(names, view, action, Outcome(None), state)
        assert observed is None or text == CONFIRMED.sub("", observed)
