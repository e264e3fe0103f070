"""Worlds in pairs that differ in one hidden thing, for `world_pairs.py`.

A maker knows how the scenes of one or more adapters are written down, and draws pairs: of a world
another one is written in which something was added or removed that the agent does not perceive at
the start, moved to where another hidden thing is, or is in another state. All nodes of a world may
be numbered by where they are. The map and the goal are the same in both worlds.
"""

from __future__ import annotations

import base64
import copy
import json
import random
import struct
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from peephole.adapters.ai2thor.adapter import ThorAdapter
from peephole.adapters.contract import Adapter
from peephole.adapters.kitchens.furnished import scenes as furnished_scenes
from peephole.adapters.kitchens.furnished.parts import Kitchen
from peephole.adapters.kitchens.furnished.plans import draw_kitchen
from peephole.adapters.kitchens.furnished.things import kind as kind_called
from peephole.adapters.kitchens.furnished.things import kinds as kinds_of_things
from peephole.adapters.libero.adapter import LiberoAdapter, LiberoSnapshot
from peephole.adapters.libero.memory import Memory
from peephole.adapters.scenes import load_scene
from peephole.adapters.virtualhome import scenes as virtualhome_scenes
from peephole.errors import BadInput
from peephole.planners.contract import Grant
from peephole.scene_graph.goals import And, Goal, Or, Related, with_ids
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import graph_to_data
from peephole.scene_graph.node import Kind, Node, Relation
from peephole.scene_graph.task import Task

#: Moves come twice: most grants go with them.
KINDS = ("added", "moved", "removed", "moved", "restated")
#: States that end each other, in our words and in VirtualHome's.
_STATES = [("open", "closed"), ("on", "off"), ("clean", "dirty"), ("hot", "cold")]
_STATES += [(a.upper(), b.upper()) for a, b in _STATES]
_OTHER_STATE = {x: y for pair in _STATES for x, y in (pair, pair[::-1])}

NO_GOAL = And(())

# --- worlds --------------------------------------------------------------------------------------


class Unsuitable(Exception):
    """Of this world no such pair can be made."""


@dataclass
class World:
    """Something to play. prepare: done to the adapter once the scene is loaded."""

    task: Task
    prepare: Callable[[Any], None] = lambda adapter: None


@dataclass
class Pair:
    """Two worlds, and in each the ids in which they differ.

    felt: the things, if any, whose difference is not seen but felt by the agent that handles them,
    such as a drawer with something in it.
    """

    worlds: tuple[World, World]
    hidden: tuple[frozenset[int], frozenset[int]]
    felt: frozenset[int] = frozenset()


class Maker(Protocol):
    """Draws pairs of one adapter's worlds."""

    kinds: tuple[str, ...]

    @property
    def adapter(self) -> Adapter:
        """Of the worlds."""
        ...

    def pair(self, kind: str, grants: frozenset[Grant], chance: random.Random) -> Pair:
        """Draw a pair. Raises Unsuitable where the draw gives none."""
        ...


def _task(scene: str, goal: Goal = NO_GOAL, map_: str = "") -> Task:
    return Task("any", "Do as you like.", goal, scene, map=map_)


# --- scene graphs: the built-in world, the evolving graph, Unity, OmniGibson's symbolic backend --


@dataclass
class Graph:
    """A scene as plain data that twins are made of: JSON of ours, or of VirtualHome's.

    Relations are (source, relation, target).
    """

    nodes: list[dict[str, Any]]
    edges: list[tuple[int, str, int]]

    def removed(self, thing: int) -> None:
        self.nodes = [node for node in self.nodes if node["id"] != thing]
        self.edges = [edge for edge in self.edges if thing not in (edge[0], edge[2])]

    def added(self, like: int, beside: int, chance: random.Random) -> int:
        """Add a thing like another one, where a third is. Its id."""
        node = next(node for node in self.nodes if node["id"] == like)
        new: int = max(node["id"] for node in self.nodes) + 1
        twin = {**copy.deepcopy(node), "id": new}
        if "native_id" in node:
            native = node["native_id"]
            twin["native_id"] = new if isinstance(native, int) else f"{native}_{new}"
        self.nodes.insert(chance.randrange(len(self.nodes)), twin)
        self._placed_as(new, beside)
        return new

    def moved(self, thing: int, beside: int) -> None:
        """Put a thing where another one is."""
        self.edges = [edge for edge in self.edges if thing not in (edge[0], edge[2])]
        self._placed_as(thing, beside)

    def _placed_as(self, thing: int, other: int) -> None:
        self.edges += [
            (thing if a == other else a, relation, thing if b == other else b)
            for a, relation, b in self.edges
            if other in (a, b)
        ]

    def restated(self, thing: int) -> None:
        """Turn one state of a thing into its opposite."""
        (node,) = (node for node in self.nodes if node["id"] == thing)
        states = list(node.get("states", []))
        turned = [state for state in states if state in _OTHER_STATE]
        if not turned:
            raise Unsuitable
        states[states.index(turned[0])] = _OTHER_STATE[turned[0]]
        node["states"] = states

    def renumbered(self, order: Sequence[int] | None = None) -> dict[int, int]:
        """Number all nodes from 1 in an order, as a loader might; the new id of each.

        order: by default as they come. What was added stands anywhere among the others, so that
        these move up.
        """
        if order is not None:
            self.nodes.sort(key=lambda node: order.index(node["id"]))
        new = {node["id"]: number for number, node in enumerate(self.nodes, start=1)}
        self.renamed(new)
        return new

    def renamed(self, new: Mapping[int, int]) -> None:
        """Give the nodes the ids of another file, and its order."""
        for node in self.nodes:
            if isinstance(node.get("native_id"), int):
                node["native_id"] = new[node["id"]]
            node["id"] = new[node["id"]]
        self.nodes.sort(key=lambda node: node["id"])
        self.edges = [(new[a], relation, new[b]) for a, relation, b in self.edges]

    def by_place(self) -> list[int]:
        """All ids, each followed by those of what it keeps, as in a nested file."""
        kept: dict[int, list[int]] = {}
        for source, relation, target in self.edges:
            if relation.lower() in ("inside", "on"):
                kept.setdefault(target, []).append(source)
        order: dict[int, None] = {}

        def add(node: int) -> None:
            if node not in order:
                order[node] = None
                for each in sorted(kept.get(node, ())):
                    add(each)

        inner = {node for nodes in kept.values() for node in nodes}
        for node in [n["id"] for n in self.nodes if n["id"] not in inner] + list(inner):
            add(node)
        return list(order)


class GraphMaker:
    """Pairs for an adapter that takes scene graphs in files.

    scenes: what the worlds are made of. raw: whether the files are VirtualHome's.
    """

    kinds: tuple[str, ...] = KINDS

    def __init__(self, adapter: Adapter, scenes: Sequence[str], folder: Path, *, raw: bool) -> None:
        self.adapter = adapter
        self._scenes, self._raw, self._folder = scenes, raw, folder
        self._written = 0

    def pair(self, kind: str, grants: frozenset[Grant], chance: random.Random) -> Pair:
        scene = chance.choice(self._scenes)
        truth, hidden = self._hidden(scene)
        things = [
            i
            for i in hidden
            if (truth[i].kind is Kind.OBJECT or (truth[i].kind is Kind.FIXTURE and not grants))
            and not truth.contents(i)
            and truth.holder(i) is None
        ]
        movable = [i for i in things if truth[i].kind is Kind.OBJECT]
        if len(movable) < 2:
            raise Unsuitable
        base, twin = self._data(scene), self._data(scene)
        thing, other = chance.choice(things), chance.choice(movable)
        if kind == "added":
            thing = twin.added(chance.choice(movable), other, chance)
        elif kind == "removed":
            twin.removed(thing)
        elif kind == "moved":
            thing = chance.choice(movable)
            if truth.places(thing) == truth.places(other):
                raise Unsuitable
            twin.moved(thing, other)
        else:
            twin.restated(thing)
        goal = _goal(truth, chance) if Grant.GOAL in grants else NO_GOAL
        earlier = self._data(scene) if Grant.MAP in grants else None
        if earlier is not None and kind == "removed":
            earlier.removed(thing)
        new: list[Mapping[int, int]] = [{}, {}]
        numbering = chance.choice(("kept", "in order", "by place"))
        worlds = []
        for number, world in enumerate((base, twin)):
            ids = {node["id"]: node["id"] for node in world.nodes}
            mapped = copy.deepcopy(earlier)
            if numbering != "kept":
                order = world.by_place() if numbering == "by place" else None
                ids = world.renumbered(order)
                if mapped is not None:  # what is only in the map comes last
                    known = {node["id"] for node in mapped.nodes}
                    ids |= {i: len(ids) + n for n, i in enumerate(sorted(known - set(ids)), 1)}
                    mapped.renamed(ids)
            new[number] = ids
            worlds.append(self._world(world, with_ids(goal, ids.__getitem__), mapped))
        return Pair(
            (worlds[0], worlds[1]),
            (
                frozenset({new[0][thing]} if thing in new[0] else ()),
                frozenset({new[1][thing]} if thing in new[1] else ()),
            ),
        )

    def _hidden(self, scene: str) -> tuple[SceneGraph, list[int]]:
        """The true state at the start of a scene, and what is not perceived of it."""
        self.adapter.reset(self._world(self._data(scene)).task, 0)
        truth, view = self.adapter.graph(), self.adapter.view()
        assert truth is not None
        return truth, [i for i in truth.by_id if i not in view.graph]

    def _data(self, scene: str) -> Graph:
        if self._raw:
            data = copy.deepcopy(virtualhome_scenes.raw(scene))
            edges = [(e["from_id"], e["relation_type"], e["to_id"]) for e in data["edges"]]
            return Graph(data["nodes"], edges)
        data = graph_to_data(load_scene(scene))
        return Graph(data["nodes"], [(a, relation, b) for a, relation, b in data["edges"]])

    def _world(self, graph: Graph, goal: Goal = NO_GOAL, earlier: Graph | None = None) -> World:
        map_ = "" if earlier is None else self._written_as(earlier)
        return World(_task(self._written_as(graph), goal, map_))

    def _written_as(self, graph: Graph) -> str:
        """The reference of a file of a graph."""
        if self._raw:
            keys = ("from_id", "relation_type", "to_id")
            edges: list[Any] = [dict(zip(keys, edge, strict=True)) for edge in graph.edges]
            data: dict[str, Any] = {"nodes": graph.nodes, "edges": edges}
        else:
            data = {**graph_to_data(SceneGraph()), "nodes": graph.nodes, "edges": graph.edges}
        self._written += 1  # a name of its own: files are read once a process
        path = self._folder / f"{id(self)}-{self._written}.json"
        path.write_text(json.dumps(data))
        return f"{'virtualhome' if self._raw else 'json'}:{path}"


def _goal(truth: SceneGraph, chance: random.Random) -> Goal:
    """Some things in or on some furniture, seen or not."""
    things = [node.id for node in truth.nodes(Kind.OBJECT)]
    places = [node.id for node in truth.nodes(Kind.FIXTURE)]
    relations = (Relation.ON, Relation.INSIDE)
    count = min(4, len(things))
    return And(
        tuple(
            Related(thing, chance.choice(relations), chance.choice(places))
            for thing in chance.sample(things, count)
        )
    )


class MeantMaker:
    """Pairs of one kitchen and one instruction with several readings, of which another is meant."""

    kinds: tuple[str, ...] = ("meant",)

    def __init__(self, adapter: Adapter, tasks: Sequence[Task]) -> None:
        self.adapter = adapter
        self._tasks = [task for task in tasks if task.candidates is not None]

    def pair(self, kind: str, grants: frozenset[Grant], chance: random.Random) -> Pair:
        task = chance.choice(self._tasks)
        assert isinstance(task.candidates, And)
        readings = [part.parts for part in task.candidates.parts if isinstance(part, Or)]
        goals = [And(tuple(chance.choice(reading) for reading in readings)) for _ in range(2)]
        if not readings or goals[0] == goals[1]:
            raise Unsuitable
        first, second = (World(replace(task, goal=goal)) for goal in goals)
        return Pair((first, second), (frozenset(), frozenset()))


# --- AI2-THOR ------------------------------------------------------------------------------------


class ThorMaker:
    """Pairs of iTHOR's rooms: tasks in ALFRED's form that say where every thing is.

    What is in another state was made dirty or clean by the engine once the room was loaded.
    """

    kinds: tuple[str, ...] = KINDS

    def __init__(self, adapter: ThorAdapter, folder: Path) -> None:
        self.adapter: ThorAdapter = adapter
        self._folder = folder
        self._written = 0

    def pair(self, kind: str, grants: frozenset[Grant], chance: random.Random) -> Pair:
        plan = f"FloorPlan{chance.choice((0, 200, 300, 400)) + chance.randint(1, 30)}"
        self.adapter.reset(_task(f"ithor:{plan}#{chance.randrange(9)}"), 0)
        engine = self.adapter.world
        metadata = engine.step("Pass").metadata
        things = [o for o in metadata["objects"] if o["pickupable"]]
        agent = metadata["agent"]
        poses = [_pose(o) for o in metadata["objects"] if o["pickupable"] or o["moveable"]]
        start = {
            "floor_plan": plan,
            "object_toggles": [],
            "init_action": {
                **agent["position"],
                "rotation": agent["rotation"]["y"],
                "horizon": agent["cameraHorizon"],
            },
        }
        base = self._world({**start, "object_poses": poses})
        truth, hidden = self._started(base)
        kept = [o for o in things if o["objectId"] in hidden and not o["receptacle"]]
        if len(kept) < 2:
            raise Unsuitable
        thing, other = chance.sample(kept, 2)
        index = next(i for i, pose in enumerate(poses) if pose["objectName"] == thing["name"])
        changed = list(poses)
        prepare: Callable[[ThorAdapter], None] = _nothing
        if kind == "added":
            changed.append({**_beside(other), "objectName": thing["name"]})
        elif kind == "removed":
            del changed[index]
        elif kind == "moved":
            changed[index] = {**_beside(other), "objectName": thing["name"]}
        else:
            soiled = [o for o in kept if o["dirtyable"]]
            if not soiled:
                raise Unsuitable
            thing = chance.choice(soiled)
            action = "CleanObject" if thing["isDirty"] else "DirtyObject"
            prepare = _doing(action, thing["objectId"])
        twin = self._world({**start, "object_poses": changed})
        if kind == "restated":
            base.prepare = _nothing
            twin.prepare = prepare
        after, _ = self._started(twin)
        names = {node.native_id for node in truth.nodes()}, {n.native_id for n in after.nodes()}
        differ = names[0] ^ names[1] or {thing["objectId"]}
        return Pair(
            (base, twin),
            (
                frozenset(n.id for n in truth.nodes() if n.native_id in differ),
                frozenset(n.id for n in after.nodes() if n.native_id in differ),
            ),
        )

    def _started(self, world: World) -> tuple[SceneGraph, set[int | str]]:
        """The true state at the start, and what the simulator calls what is not perceived."""
        self.adapter.reset(world.task, 0)
        truth, view = self.adapter.graph(), self.adapter.view()
        return truth, {node.native_id for node in truth.nodes() if node.id not in view.graph}

    def _world(self, scene: Mapping[str, Any]) -> World:
        task = {
            "task_id": "any",
            "task_type": "pick_and_place_simple",
            "scene": scene,
            "instructions": ["Do as you like."],
            "pddl_params": {
                "object_target": "Apple",
                "parent_target": "Fridge",
                "mrecep_target": "",
                "toggle_target": "",
                "object_sliced": False,
            },
        }
        self._written += 1
        path = self._folder / f"thor-{id(self)}-{self._written}.jsonl"
        path.write_text(json.dumps(task) + "\n")
        return World(_task(f"alfred:{path}#any"))


def _nothing(adapter: ThorAdapter) -> None:
    adapter.world.step("Pass")


def _doing(action: str, thing: str) -> Callable[[ThorAdapter], None]:
    def prepare(adapter: ThorAdapter) -> None:
        adapter.world.step(action, objectId=thing, forceAction=True)

    return prepare


def _pose(thing: Mapping[str, Any]) -> dict[str, Any]:
    keys = {"position": dict(thing["position"]), "rotation": dict(thing["rotation"])}
    return {"objectName": thing["name"], **keys}


def _beside(thing: Mapping[str, Any]) -> dict[str, Any]:
    pose = _pose(thing)
    pose["position"]["x"] += 0.01
    return pose


# --- blocks --------------------------------------------------------------------------------------


class BlockMaker:
    """Pairs of block worlds, in which one block weighs more or is welded to the table."""

    kinds: tuple[str, ...] = ("restated",)

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter

    def pair(self, kind: str, grants: frozenset[Grant], chance: random.Random) -> Pair:
        count = chance.randint(2, 3)
        seed, block = chance.randrange(10**6), chance.randrange(count)
        masses = [round(chance.uniform(0.06, 0.5), 2) for _ in range(count)]
        letter = "ABC"[block]
        if chance.random() < 0.5:
            other = [*masses]
            other[block] = round(masses[block] + 0.05, 2)
            changes = [f"masses={','.join(map(str, some))}" for some in (masses, other)]
        else:
            changes = ["welded=none", f"welded={letter}"]
        first, second = (World(_task(f"blocks:seed={seed};n={count};{c}")) for c in changes)
        self.adapter.reset(first.task, 0)
        truth = self.adapter.graph()
        assert truth is not None
        felt = frozenset(n.id for n in truth.nodes() if n.native_id == f"cube{letter}")
        return Pair((first, second), (frozenset(), frozenset()), felt)


# --- furnished kitchens --------------------------------------------------------------------------


class FurnishedMaker:
    """Pairs of furnished kitchens, in which a thing behind a closed front is elsewhere, or not."""

    kinds: tuple[str, ...] = ("moved", "added", "removed")

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter

    def pair(self, kind: str, grants: frozenset[Grant], chance: random.Random) -> Pair:
        kitchen = draw_kitchen(chance.randrange(3000, 3400))
        keeping = [area for area in kitchen.areas.values() if area.spaces]
        closed = [area.name for area in keeping if area.front is not None]
        chosen = chance.sample(
            [each for each in kinds_of_things() if kind_called(each).graspable], 8
        )
        objects = {f"{each}_1": chance.choice(keeping).name for each in chosen}
        hidden = [thing for thing, area in objects.items() if area in closed]
        if not hidden:
            raise Unsuitable
        thing = chance.choice(hidden)
        others = {name: area for name, area in objects.items() if name != thing}
        if kind == "moved":
            twin = {**others, thing: chance.choice([a for a in closed if a != objects[thing]])}
        else:
            twin = others
        both = (others, objects) if kind == "added" else (objects, twin)
        (first, one), (second, other) = (_furnished(kitchen, each, thing) for each in both)
        return Pair((first, second), (one, other))


def _furnished(
    kitchen: Kitchen, objects: Mapping[str, str], thing: str
) -> tuple[World, frozenset[int]]:
    """A kitchen with things in areas, and the id of one of them. Raises Unsuitable."""
    try:
        graph = furnished_scenes.graph_of(furnished_scenes.furnished(kitchen, objects))
    except BadInput:  # something does not fit there
        raise Unsuitable from None
    ids = frozenset(node.id for node in graph.nodes() if node.native_id == thing)
    return World(_task(furnished_scenes.scene_of(kitchen.seed, objects))), ids


# --- LIBERO's table ------------------------------------------------------------------------------


class LiberoMaker:
    """Pairs of LIBERO's table with a thing in a shut drawer: in another one, elsewhere in it, or
    nowhere that the arm or the camera could find it.
    """

    kinds: tuple[str, ...] = ("moved", "removed", "shifted")
    _THINGS = ("cream_cheese_1", "akita_black_bowl_1")
    _AWAY = (5.0, 5.0, 0.05)
    #: How far the floor of a drawer is over the lowest point of its box, in m.
    _FLOOR = 0.012

    def __init__(self, adapter: LiberoAdapter) -> None:
        self.adapter: LiberoAdapter = adapter

    def pair(self, kind: str, grants: frozenset[Grant], chance: random.Random) -> Pair:
        task = _task(f"libero:libero_goal/{chance.randrange(4)}/{chance.randrange(5)}")
        # A bowl fills a drawer nearly.
        thing = self._THINGS[0] if kind == "shifted" else chance.choice(self._THINGS)
        self.adapter.reset(task, 0)
        truth = self.adapter.graph()
        drawers = [n for n in truth.nodes() if str(n.native_id).endswith(_DRAWERS)]
        (node,) = (n for n in truth.nodes() if n.native_id == thing)
        first, second = chance.sample(drawers, 2)
        places = [self._in(first, node), self._in(second, node)]
        if kind == "removed":
            places[1] = self._AWAY
        elif kind == "shifted":
            x, y, z = places[0]
            places[1] = (x, y + 0.02, z)
        one, other = (World(task, _placing(thing, place)) for place in places)
        hidden, keeps = frozenset({node.id}), frozenset({first.id, second.id})
        return Pair((one, other), (hidden, hidden), keeps)

    def _in(self, drawer: Node, thing: Node) -> tuple[float, float, float]:
        """Where a thing stands in a drawer, in m: the origin of its body."""
        assert drawer.box is not None
        assert thing.box is not None
        assert thing.pose is not None
        (x, y, z), (_, _, height) = drawer.box.center, drawer.box.size
        foot = thing.pose.position[2] - (thing.box.center[2] - thing.box.size[2] / 2)
        return x, y, z - height / 2 + self._FLOOR + foot


_DRAWERS = ("_top_region", "_middle_region", "_bottom_region")


def _placing(thing: str, place: tuple[float, float, float]) -> Callable[[LiberoAdapter], None]:
    """Puts a thing somewhere at the start, before the camera looks."""

    def prepare(adapter: LiberoAdapter) -> None:
        played = adapter._played
        before = played.state.things[thing].pose.position
        physics = _with_thing(adapter.snapshot().physics, thing, before, place)
        adapter.restore(LiberoSnapshot(physics, Memory(), Counter()))
        adapter._look()

    return prepare


def _with_thing(
    physics: str, thing: str, before: Sequence[float], place: tuple[float, float, float]
) -> str:
    """A state of the stand-in or of the engine, in which a thing is moved."""
    kept = json.loads(base64.b64decode(physics))
    if "at" in kept:
        kept["at"][thing] = place
    else:
        data = base64.b64decode(kept["state"])
        at = data.index(struct.pack("3d", *before))
        data = data[:at] + struct.pack("3d", *place) + data[at + 24 :]
        kept["state"] = base64.b64encode(data).decode()
    return base64.b64encode(json.dumps(kept).encode()).decode()
