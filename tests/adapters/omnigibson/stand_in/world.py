"""A scene of things, made of a scene graph."""

from __future__ import annotations

import types
from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from peephole.adapters.omnigibson.symbolic_backend import Substances
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Kind, Relation, State

from .objects import (
    Contains,
    Covered,
    HeatSourceOrSink,
    Inside,
    OnTop,
    Open,
    ParticleRemover,
    ParticleSource,
    Robot,
    Saturated,
    SlicingRule,
    System,
    Thing,
    ToggledOn,
)


class World:
    """A scene of things, made of a scene graph; names are "n17" for node 17.

    stuck: names of things that neither open nor switch nor come into the hand. slippery: how often
    a thing falls instead of staying where it is placed. full: what no spot is found at. broken:
    systems are as in 1.1.1, where _soak_inside asks them for what they have not.
    """

    def __init__(
        self,
        graph: SceneGraph,
        substances: Substances | None = None,
        burners: Iterable[int] = (),
        *,
        broken: bool = False,
    ) -> None:
        self._first = graph.copy()
        self.things: dict[str, Thing] = {}
        self.stuck: set[str] = set()
        self.slippery: dict[str, int] = {}
        self.full: set[str] = set()
        self.burners = {f"n{burner}" for burner in burners}
        told = substances or Substances()
        tables = ("covered", "contains", "saturated", "sources")
        self.particles = {
            table: {f"n{thing}": set(names) for thing, names in getattr(told, table).items()}
            for table in tables
        }
        self.removes = {f"n{thing}": dict(what) for thing, what in told.removes.items()}
        self.rooms = {room.id: str(room.native_id) for room in graph.nodes(Kind.ROOM)}
        named = {s for table in self.particles.values() for names in table.values() for s in names}
        self.system_registry = types.SimpleNamespace(
            objects=[System(name, broken) for name in sorted(named)]
        )
        self.transition_rule_api = SlicingRule()
        self.seg_map = types.SimpleNamespace(get_room_instance_by_point=self._room_at)
        self._first_particles = deepcopy(self.particles)
        self.restore()

    def restore(self) -> None:
        """Bring back the start."""
        self.particles = deepcopy(self._first_particles)
        self.things.clear()
        self.robot = Robot(self)
        self.robots = [self.robot]
        self._add(self._first)

    def _add(self, graph: SceneGraph) -> None:
        for node in graph.nodes():
            if node.kind not in (Kind.FIXTURE, Kind.OBJECT):
                continue
            name = f"n{node.id}"
            fixed = node.kind is Kind.FIXTURE
            category = "floors" if node.category == "floor" else node.category
            thing = self.things[name] = Thing(self, name, category, fixed)
            room = graph.room_of(node.id)
            base = [node.id, *(p for p in graph.above(node.id) if graph[p].kind is not Kind.ROOM)]
            rooms = [*self.rooms]
            thing.place = (10.0 * (rooms.index(room) if room in rooms else 0), 2.0 * base[-1], 0.0)
            thing.in_rooms = [self.rooms[room]] if room is not None and fixed else None
            self._endow(thing, node.affordances, node.states, node.id)
        for source, relation, target in graph.edges():
            if f"n{source}" in self.things and f"n{target}" in self.things:
                how = {Relation.INSIDE: Inside, Relation.ON: OnTop}.get(relation)
                if how is not None:
                    self.things[f"n{source}"].where.add((how, self.things[f"n{target}"]))
            elif relation is Relation.HOLDS:
                self.robot._ag_obj_in_hand["left"] = self.things[f"n{target}"]
        room = graph.room_of(graph.agent().id)
        self.robot.place = (10.0 * [*self.rooms].index(room), 0.0, 0.0) if room else (0, 0, 0)

    def _endow(self, thing: Thing, can: Any, states: Any, number: int) -> None:
        has: set[type] = {Inside, OnTop}
        has |= {Open} if Affordance.OPENABLE in can else set()
        has |= {ToggledOn} if Affordance.SWITCHABLE in can else set()
        heats = Affordance.HEATS in can or thing.name in self.burners
        has |= {HeatSourceOrSink} if heats else set()
        for state in (Covered, Contains, Saturated):
            has |= {state} if thing.name in self.particles[state.table] else set()
        has |= {ParticleSource} if thing.name in self.particles["sources"] else set()
        has |= {ParticleRemover} if thing.name in self.removes else set()
        thing.states = {state: state(thing) for state in has}
        thing.flags = {"Open"} if State.OPEN in states else set()
        thing.flags |= {"ToggledOn"} if State.ON in states else set()
        names = {Affordance.CUTS: "slicer", Affordance.SLICEABLE: "sliceable"}
        names |= {Affordance.OPENABLE: "openable", Affordance.SWITCHABLE: "toggleable"}
        thing.abilities = {name: {} for affordance, name in names.items() if affordance in can}
        thing.takes = {
            OnTop: Affordance.SURFACE in can,
            Inside: Affordance.CONTAINER in can,
        }

    # --- what a scene has ------------------------------------------------------------------------

    @property
    def objects(self) -> list[Thing]:
        return [*self.things.values(), self.robot]

    def object_registry(self, key: str, value: str, default: Any = None) -> Any:
        assert key == "name"
        return self.robot if value == self.robot.name else self.things.get(value, default)

    def _room_at(self, xy: Any) -> str | None:
        rooms = [*self.rooms.values()]
        number = round(xy[0] / 10.0)
        return rooms[number] if number < len(rooms) else None

    def in_view(self) -> list[Thing]:
        """What is at the robot and in nothing shut, and the fixtures of the room."""
        here = self._room_at(self.robot.place)
        found = []
        for thing in self.things.values():
            same = self._room_at(thing.place) == here
            near = self.robot.at is not None and thing.place == self.robot.at.place
            if same and (near or thing.fixed_base) and not self._shut_in(thing):
                found.append(thing)
        return found

    def _shut_in(self, thing: Thing) -> bool:
        return any(
            (how is Inside and Open in at.states and not at.states[Open].get_value())
            or self._shut_in(at)
            for how, at in thing.where
        )

    def held(self) -> str | None:
        held = self.robot._ag_obj_in_hand["left"]
        return None if held is None else held.name
