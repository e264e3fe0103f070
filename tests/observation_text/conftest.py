"""Houses made by hand, for the wording and the view of exactly known things, and acting in one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from peephole.observation_text.dialect import Dialect, Refusal
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.names import Names
from peephole.observation_text.observer import Observer
from peephole.observation_text.view import View, Visibility, visible
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import (
    POSTURES,
    Affordance,
    Edge,
    Kind,
    Node,
    Relation,
    State,
)
from peephole.skills.actions import Action, Verb
from peephole.skills.dynamics import step
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Outcome

KINDS = {
    "house": Kind.SCENE,
    "kitchen": Kind.ROOM,
    "bedroom": Kind.ROOM,
    "bathroom": Kind.ROOM,
    "living room": Kind.ROOM,
    "character": Kind.AGENT,
    "fridge": Kind.FIXTURE,
    "kitchen table": Kind.FIXTURE,
    "kitchen cabinet": Kind.FIXTURE,
    "microwave oven": Kind.FIXTURE,
    "bench": Kind.FIXTURE,
    "tv": Kind.FIXTURE,
    "sofa": Kind.FIXTURE,
    "bed": Kind.FIXTURE,
    "chair": Kind.OBJECT,
}
AFFORDANCES = {
    "fridge": "openable container pluggable",
    "kitchen table": "surface",
    "kitchen cabinet": "openable container surface",
    "microwave oven": "openable container switchable",
    "bench": "surface",
    "bed": "surface",
    "tv": "switchable pluggable watchable",
    "sofa": "surface sittable lieable",
    "apple": "graspable sliceable",
    "juice": "graspable",
    "wine": "graspable pourable drinkable",
    "glass": "graspable recipient",
    "shirt": "graspable wearable squeezable",
    "plate": "graspable surface",
    "mat": "surface",
    "coffee table": "movable surface",
    "box": "graspable openable container",
    "knife": "graspable cuts",
}


class House(SceneGraph):
    """A scene graph that is built from categories; ids are native ids, 1, 2, 3 …"""

    def add(
        self, category: str, place: int | None = None, how: str = "inside", states: str = ""
    ) -> int:
        node_id = len(self) + 1
        self.add_node(
            Node(
                node_id,
                category,
                KINDS.get(category, Kind.OBJECT),
                node_id,
                frozenset(map(State, states.split())),
                frozenset(map(Affordance, AFFORDANCES.get(category, "").split())),
            )
        )
        if place is not None:
            self.relate(node_id, how, place)
        return node_id

    def relate(self, source: int, how: str, target: int) -> None:
        self.add_edge(*Edge(source, Relation(how), target))

    def id(self, name: str) -> int:
        """The id of "apple 2"."""
        category, number = name.rsplit(" ", 1)
        return [n.id for n in self.nodes() if n.category == category][int(number) - 1]


@pytest.fixture
def empty() -> House:
    """A house without anything, to build in."""
    return House()


@pytest.fixture
def house() -> House:
    """Four rooms in the manner of the paper's; the agent stands in the middle of the kitchen.

    On the table: two apples and a plate with a knife. In the closed fridge: juice 1, and wine 1
    in a closed box. In the open cabinet: juice 2. In the bedroom: wine 2 on the bed.
    """
    h = House()
    living = h.add("living room")
    kitchen = h.add("kitchen")
    bedroom = h.add("bedroom")
    h.add("bathroom")
    me = h.add("character", kitchen)
    h.add("tv", living, states="off plugged_in")
    table = h.add("kitchen table", kitchen)
    fridge = h.add("fridge", kitchen, states="closed plugged_in")
    cabinet = h.add("kitchen cabinet", kitchen, states="open")
    h.add("bench", kitchen)
    h.add("bench", kitchen)
    h.add("microwave oven", cabinet, "on", states="closed off")
    h.add("chair", kitchen)
    h.add("apple", table, "on")
    h.add("apple", table, "on")
    plate = h.add("plate", table, "on")
    h.add("knife", plate, "on")
    h.add("juice", fridge)
    box = h.add("box", fridge, states="closed")
    h.add("wine", box)
    h.add("juice", cabinet)
    bed = h.add("bed", bedroom)
    h.add("wine", bed, "on")
    assert h.room_of(me) == kitchen
    return h


class Play:
    """An agent that acts in a house by text and is told what came of it, by default in `reactree`.

    Opening and closing need a free hand, as in VirtualHome.
    """

    def __init__(
        self,
        house: SceneGraph,
        dialect: Dialect = DIALECT,
        visibility: Visibility = Visibility.ROOM,
    ) -> None:
        self.house = house
        self.visibility = visibility
        self.body = Embodiment(needs_free_hand=frozenset({Verb.OPEN, Verb.CLOSE}))
        self.observer = Observer(Names(house.nodes()), dialect, frozenset(Verb))
        self.first = self.observer.start(self.view())

    def view(self) -> View:
        return visible(self.house, self.visibility)

    def do(self, action: Action | str) -> str:
        """The observation after an action."""
        if isinstance(action, str):
            action = self.observer.parse(action)
        failure = self.observer.admit(action) or step(self.house, action, self.body)
        return self.observer.after(self.view(), action, Outcome(failure))[0]

    def parse(self, text: str) -> Action:
        return self.observer.parse(text)

    def refusal(self, text: str) -> str:
        with pytest.raises(Refusal) as caught:
            self.observer.parse(text)
        return str(caught.value)


@pytest.fixture
def play(house: House) -> Play:
    """An agent at the start in the `house`."""
    return Play(house)


@pytest.fixture(scope="session")
def play_in() -> Callable[..., Play]:
    """Starts an agent in a house of the test's own."""
    return Play


def _unburdened(house: SceneGraph) -> SceneGraph:
    """A house whose agent stands with nothing on its body, and in which each thing has one place.

    Only of views of such a house menus and texts are made without joining them to a graph.
    """
    me = house.agent()
    house.replace_node(replace(me, states=me.states - POSTURES))
    for thing in house.contents(me.id):
        house.remove_node(thing)
    house.set_outgoing(
        me.id,
        [
            pair
            for pair in house.outgoing(me.id)
            if pair[0] in (Relation.HOLDS, Relation.CLOSE, Relation.INSIDE)
        ],
    )
    for thing in house.nodes():
        for relation, place in house.places(thing.id)[1:]:
            house.remove_edge(thing.id, relation, place)
    return house


@pytest.fixture(scope="session")
def unburdened() -> Callable[[SceneGraph], SceneGraph]:
    """See `_unburdened`."""
    return _unburdened
