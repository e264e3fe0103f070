"""OmniGibson itself as a backend: the state from `simulator`, as a scene graph.

An object of the activity keeps its id and affordances from the graph of the loader "behavior", so
that goals and instructions refer to it. Other things get their own ids, by name. OmniGibson removes
a cut thing; its first half keeps the id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import BadInput, Missing
from ...observation_text.view import View
from ...scene_graph.goals import named_ids
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Box, Edge, Kind, Node, Pose, Relation, State
from ...scene_graph.task import Task
from ...skills.executor import DeadlineExceeded, SimulatorDied
from ...skills.reach import bases
from ..process import messages
from ..process.supervisor import Supervisor
from ..scenes import load_scene, split_scene
from . import settings, simulator
from .primitives import Error, Primitive, Result

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STATES = {
    "Open": (State.OPEN, State.CLOSED),
    "ToggledOn": (State.ON, State.OFF),
    "Covered": (State.DIRTY, State.CLEAN),
    "Cooked": (State.COOKED, None),
    "Heated": (State.HOT, None),
    "Frozen": (State.COLD, None),
}
_RELATIONS = {"Inside": Relation.INSIDE, "OnTop": Relation.ON}
_AFFORDANCES = {
    "openable": Affordance.OPENABLE,
    "toggleable": Affordance.SWITCHABLE,
    "sliceable": Affordance.SLICEABLE,
    "slicer": Affordance.CUTS,
}
#: Abilities of things with an inside.
_HOLLOW = frozenset({"openable", "fillable"})


@dataclass(frozen=True)
class OmniGibsonDeadlines:
    """The time for OmniGibson to answer, in seconds. Users report 7 minutes for a scene."""

    start_s: float = 600.0
    reset_s: float = 1800.0
    apply_s: float = 600.0
    read_s: float = 120.0


class InProcess:
    """A simulator in this process, imported with the first call, with the calls of Supervisor."""

    def __init__(self) -> None:
        self._simulator: simulator.OmniGibsonSimulator | None = None

    def call(self, name: str, arguments: Mapping[str, Any], deadline_s: float) -> Any:
        try:
            if self._simulator is None:
                self._simulator = simulator.OmniGibsonSimulator()
            return getattr(self._simulator, name)(**arguments)
        except simulator.Unavailable as error:
            raise Missing(str(error)) from error
        except simulator.Unknown as error:
            raise BadInput(str(error)) from error
        except DeadlineExceeded:
            raise
        except Exception as error:  # as the server reports it
            words = " ".join(f"{type(error).__name__}: {error}".split())
            raise SimulatorDied(f"OmniGibson failed in '{name}' ({words}).") from error

    def stop(self) -> None:
        if self._simulator is not None:
            self._simulator.close()


class OmniGibsonBackend:
    """One activity in OmniGibson. Things are named by the ids of its graph."""

    def __init__(
        self,
        where: str,
        deadlines: OmniGibsonDeadlines | None = None,
        calls: InProcess | Supervisor | None = None,
    ) -> None:
        """where: as in the setting. calls: instead of those for `where`."""
        self._deadlines = deadlines or OmniGibsonDeadlines()
        self._process: Supervisor | None = None
        if calls is None and where == settings.HERE:
            calls = InProcess()
        elif calls is None:
            server = str(Path(__file__).resolve().with_name("server.py"))
            calls = self._process = Supervisor(
                "omnigibson", [where, server], self._deadlines.start_s
            )
        self._calls = calls
        self._hello: Mapping[str, Any] = {}
        self._known = SceneGraph()  # the activity from its loader
        self._ids: dict[str, int] = {}  # by the simulator's names
        self._data: dict[str, Any] | None = None  # the last state from the simulator
        self._graph = SceneGraph()

    # --- as the adapter sees it --------------------------------------------------------------

    def reset(self, task: Task, seed: int) -> None:
        activity = split_scene(task.scene)[1].partition("?")[0]
        known = load_scene(task.scene)
        self._start()
        arguments = {"activity": activity, "definition": 0, "instance": 0, "seed": seed}
        self._calls.call("reset", arguments, self._deadlines.reset_s)
        self._known, self._ids, self._data = known, {}, None
        self._require(named_ids(task.goal), activity)

    def _require(self, wanted: Iterable[int], activity: str) -> None:
        """Refuse a scene without some things of the goal; "all of a sort" would hold too easily."""
        graph = self.graph()
        lacking = [
            self._known[thing] for thing in wanted if thing in self._known and thing not in graph
        ]
        if lacking:
            names = ", ".join(sorted(str(node.native_id) for node in lacking))
            raise BadInput(
                f"OmniGibson's scene for the activity {activity} lacks {names}, which "
                "its goal needs; update OmniGibson's data, or use the symbolic backend."
            )

    def apply(self, primitive: Primitive, thing: int | None) -> Result:
        name = None if thing is None else str(self.graph()[thing].native_id)
        arguments = {"primitive": str(primitive), "name": name}
        data = self._calls.call("apply", arguments, self._deadlines.apply_s)
        self._data = None
        error = None if data["error"] is None else Error(data["error"])
        return Result(error, str(data["message"]), float(data["sim_time_s"]))

    def graph(self) -> SceneGraph:
        if self._data is None:
            self._data = self._calls.call("state", {}, self._deadlines.read_s)
            self._graph = self._read(self._data)
        return self._graph

    def raw_state(self) -> Mapping[str, Any]:
        """The present state as `simulator` gives it."""
        self.graph()
        assert self._data is not None
        return self._data

    def view(self) -> View:
        """Things seen since the robot came here, unless enclosed since then.

        Whether a place is completely visible is unknown; places where the robot stands count as
        complete.
        """
        graph, data = self.graph(), self.raw_state()
        me = graph.agent().id
        names = [*data["seen"], *([data["held"]] if data["held"] else [])]
        seen = {self._ids[name] for name in names if name in self._ids}
        seen = {thing for thing in seen if graph.closed_around(thing) is None}
        near = set(graph.targets(me, Relation.CLOSE)) & seen
        covered = {
            thing: True
            for thing in seen
            if State.CLOSED not in graph[thing].states
            and (thing in near or not near.isdisjoint(graph.above(thing)))
        }
        room = graph.room_of(me)
        if room is not None:
            covered[room] = False
        return View(graph.part(dict.fromkeys([*graph.room_ids, me, *sorted(seen)])), covered)

    def image(self) -> NDArray[np.uint8] | None:
        data = self._calls.call("image", {}, self._deadlines.read_s)
        return messages.image_from_data(data, "its answer")

    def close(self) -> None:
        self._calls.stop()
        self._data = None

    def facts(self) -> dict[str, Any]:
        if self._process is None:
            return {
                "backend": "omnigibson",
                **self._calls.call("facts", {}, self._deadlines.read_s),
            }
        self._start()
        return {
            "backend": "omnigibson",
            **self._hello.get("facts", {}),
            "interpreter": self._hello.get("python"),
        }

    def _start(self) -> None:
        if self._process is not None and not self._process.running:
            self._hello = self._process.start()

    # --- the graph ---------------------------------------------------------------------------

    def _read(self, data: Mapping[str, Any]) -> SceneGraph:
        things = {thing["name"]: thing for thing in data["objects"]}
        self._name(data, things)
        graph = SceneGraph()
        known = self._known
        for name in data["rooms"]:
            node_id = self._ids[name]
            room = Node(node_id, _category(name), Kind.ROOM, name)
            graph.add_node(replace(known[node_id], native_id=name) if node_id in known else room)
        me = known.agent().id
        graph.add_node(known[me])
        for name, thing in things.items():
            graph.add_node(self._node(self._ids[name], thing))
        self._relate(graph, me, data, things)
        return graph

    def _name(self, data: Mapping[str, Any], things: Mapping[str, Any]) -> None:
        """Give new things an id. Ids are kept, also for things that disappear and return."""
        by_native = {str(node.native_id): node.id for node in self._known.nodes()}
        rooms = {node.category: node.id for node in self._known.nodes(Kind.ROOM)}
        taken = set(self._ids.values())
        halves = [name for name in self._ids if name not in things and f"half_{name}_0" in things]
        for name in halves:
            self._ids[f"half_{name}_0"] = self._ids.pop(name)
        for name in sorted({*data["rooms"], *things} - self._ids.keys()):
            instance = things[name]["instance"] if name in things else name
            node_id = by_native.get(str(instance))
            if node_id is None and name not in things:
                node_id = rooms.get(_category(name))
            if node_id is None or node_id in taken:
                node_id = max([*taken, *self._known.by_id]) + 1
            self._ids[name] = node_id
            taken.add(node_id)

    def _node(self, node_id: int, thing: Mapping[str, Any]) -> Node:
        states = {
            pair[0 if value else 1]
            for name, value in thing["states"].items()
            for pair in [_STATES.get(name, (None, None))]
        }
        if thing["name"].startswith("half_"):
            states.add(State.SLICED)
        low, high = thing["box"]
        center = tuple((a + b) / 2 for a, b in zip(low, high, strict=True))
        size = tuple(b - a for a, b in zip(low, high, strict=True))
        known = self._known.get(node_id)
        return Node(
            node_id,
            _category(thing["category"]) if known is None else known.category,
            Kind.FIXTURE if thing["fixed"] else Kind.OBJECT,
            thing["name"],
            frozenset(state for state in states if state is not None),
            _affordances(thing) if known is None else known.affordances,
            Pose(tuple(thing["position"]), tuple(thing["orientation"])),
            Box((center[0], center[1], center[2]), (size[0], size[1], size[2])),
        )

    def _relate(
        self, graph: SceneGraph, me: int, data: Mapping[str, Any], things: Mapping[str, Any]
    ) -> None:
        ids = self._ids
        for state, name, place in data["relations"]:
            edge = Edge(ids[name], _RELATIONS[state], ids[place])
            if edge.source not in graph.above(edge.target):  # physics sometimes reports circles
                graph.add_edge(*edge)
        if data["room"] is not None:
            graph.add_edge(me, Relation.INSIDE, ids[data["room"]])
        if data["held"] is not None:
            graph.detach(ids[data["held"]])
            graph.add_edge(me, Relation.HOLDS, ids[data["held"]])
        for name, thing in things.items():
            if name != data["held"] and not graph.places(ids[name]):
                for room in thing["rooms"][:1]:
                    graph.add_edge(ids[name], Relation.INSIDE, ids[room])
        for name in data["near"]:
            for base in bases(graph, ids[name]):
                graph.add_edge(me, Relation.CLOSE, base)


def _category(name: str) -> str:
    """Our spelling of a category or room of the simulator: "dining room" of "dining_room_0"."""
    return name.rstrip("0123456789").strip("_").replace("_", " ").lower()


def _affordances(thing: Mapping[str, Any]) -> frozenset[Affordance]:
    abilities = set(thing["abilities"])
    affordances = {can for ability, can in _AFFORDANCES.items() if ability in abilities}
    if not _HOLLOW.isdisjoint(abilities):
        affordances.add(Affordance.CONTAINER)
    affordances.add(Affordance.SURFACE if thing["fixed"] else Affordance.GRASPABLE)
    return frozenset(affordances)
