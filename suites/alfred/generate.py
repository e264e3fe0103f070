"""Generate the tasks of the suites `ithor`: ALFRED's seven types in iTHOR's scenes.

Scenes are as the simulator has them (`adapters/ai2thor/objects`); only goals are drawn, with a seed
for each scene. A goal follows the simulator's rules (which receptacle takes which type, one thing
in one slot). It asks for reachable things that fit, by their boxes, where they have to go. No goal
holds at the start. The types that are heated, cooled, cleaned, looked at or stacked are our own
lists (`types.yaml`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count, islice, zip_longest
from pathlib import Path
from typing import Any

from ...adapters.ai2thor.alfred_files import TaskType
from ...adapters.ai2thor.graph import graph_of
from ...adapters.ai2thor.initial_state import floor_plan_number
from ...adapters.ai2thor.object_types import ALLOWED, BASINS, ONE_SLOT
from ...adapters.ai2thor.objects import SCENES, missing, objects
from ...adapters.ai2thor.scenes import ITHOR
from ...adapters.random_draws import RandomDraws
from ...data_files import read_yaml
from ...errors import Missing
from ...scene_graph.goal_evaluation import satisfied
from ...scene_graph.goals import Goal
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Relation, State
from ...scene_graph.task import Task
from ..contract import LazyTasks
from .goals import TaskParameters, goal_of
from .wording import instruction

#: The last scene for training of each kind of room, as usual in iTHOR.
LAST_TRAINING_SCENE = 20
#: Training tasks of each scene, and the number of the first one.
TRAINING_EACH, FIRST_TRAINING = 20, 101
#: Tasks of each kitchen, living room, bedroom and bathroom: 200 in all.
_TASKS = {0: 3, 2: 1, 3: 1, 4: 1}
#: The last scene, by kind of room, that has one task more.
_MORE = {2: 10, 3: 10}

#: The lists of types.
_TYPES = read_yaml(Path(__file__).with_name("types.yaml"))
#: The devices of each treatment. No goal puts a thing there.
_DEVICES = {
    TaskType.HEAT: frozenset({"Microwave"}),
    TaskType.COOL: frozenset({"Fridge"}),
    TaskType.CLEAN: frozenset({"Sink", *BASINS}),
}
_LAMPS = ("DeskLamp", "FloorLamp")
_KNIVES = ("ButterKnife", "Knife")
#: One task in N asks for a slice, where the scene has a knife.
_ONE_SLICED_IN = 2
#: A thing fits if each of its sides is at most this share of the place's side.
_ROOM = 0.8
#: Most of a place's area that its things may cover.
_COVERED = 0.4
_HIGHEST = 1.9  # m, of reachable things
_DRAWS = 60

#: The types in turn, by kind of room. Where a scene has nothing for a type, the next one follows.
_TURNS = {
    0: (TaskType.HEAT, TaskType.COOL, TaskType.CLEAN, TaskType.MOVABLE),
    2: (TaskType.LIGHT, TaskType.TWO, TaskType.MOVABLE, TaskType.TWO, TaskType.SIMPLE),
    3: (TaskType.TWO, TaskType.LIGHT, TaskType.SIMPLE, TaskType.LIGHT, TaskType.MOVABLE),
    4: (TaskType.SIMPLE, TaskType.CLEAN, TaskType.TWO),
}


def generated(first: int = 1) -> LazyTasks:
    """The tasks of all scenes, the scenes in turn. Raises Missing without the package procthor.

    first: the number of the first scene of each kind of room.
    """
    turn, number_of_tasks = dict.fromkeys(_TURNS, 0), 0
    scenes: list[Iterator[Task]] = []
    for scene, sort, number in _scenes():
        each = _TASKS[sort] + (number <= _MORE.get(sort, 0))
        if number >= first:
            scenes.append(islice(_tasks(scene, turn[sort], 1), each))
            number_of_tasks += each
        turn[sort] += each
    return LazyTasks(number_of_tasks, _in_turn(scenes))


def unseen() -> LazyTasks:
    """The tasks of `generated` in scenes that are not for training. Raises Missing."""
    return generated(LAST_TRAINING_SCENE + 1)


def for_training() -> LazyTasks:
    """Further tasks in the scenes for training. Raises Missing."""
    there = [(scene, number) for scene, _, number in _scenes() if number <= LAST_TRAINING_SCENE]
    scenes = [
        islice(_tasks(scene, number, FIRST_TRAINING), TRAINING_EACH) for scene, number in there
    ]
    return LazyTasks(len(scenes) * TRAINING_EACH, _in_turn(scenes))


def _scenes() -> list[tuple[str, int, int]]:
    """The scenes, with kind of room and number within the kind. Raises Missing."""
    lacking = missing()
    if lacking is not None:
        raise Missing(lacking)
    numbers = {scene: floor_plan_number(scene) or 0 for scene in SCENES}
    return [(scene, *divmod(number, 100)) for scene, number in numbers.items()]


def _in_turn(scenes: Sequence[Iterator[Task]]) -> Iterator[Task]:
    return (task for turn in zip_longest(*scenes) for task in turn if task is not None)


def _tasks(scene: str, turn: int, first: int) -> Iterator[Task]:
    """Tasks of a scene, as many as it has. turn: which type is first.

    first: the number of the first task, which is also the seed of its start.
    """
    number = floor_plan_number(scene)
    assert number is not None
    kinds = _TURNS[number // 100]
    drawer = _Drawer(_Scene(scene), RandomDraws(number + 1000 * (first - 1)))
    known: list[Goal] = []
    for i in count():
        wanted = [kinds[(turn + i + skip) % len(kinds)] for skip in range(len(kinds))]
        drawn = (found for kind in wanted if (found := drawer.draw(kind, known)) is not None)
        asked = next(drawn, None)
        if asked is None:
            return
        goal = goal_of(asked)
        known.append(goal)
        yield Task(
            id=f"{asked.kind}/{scene}-{first + i}",
            instruction=instruction(asked, drawer.scene.count, drawer.chance),
            goal=goal,
            scene=f"{ITHOR}:{scene}#{first + i}",
            labels={"category": str(asked.kind), "scene": scene},
        )


class _Scene:
    """A scene's objects: by type, and as a graph for checking goals, with lamps off."""

    def __init__(self, name: str) -> None:
        self.by_type: dict[str, list[Mapping[str, Any]]] = {}
        things = objects(name)
        for thing in things:
            if thing["objectType"] in _LAMPS:
                thing["isToggled"] = False
            self.by_type.setdefault(thing["objectType"], []).append(thing)
        self._free: dict[str, list[Mapping[str, Any]]] = {}
        self._metadata = {"objects": things, "inventoryObjects": [], "sceneName": name}

    @cached_property
    def graph(self) -> SceneGraph:
        return graph_of(self._metadata)

    @cached_property
    def ids(self) -> dict[str, int]:
        return {str(node.native_id): node.id for node in self.graph.nodes()}

    def count(self, object_type: str) -> int:
        return len(self.by_type.get(object_type, ()))

    @cached_property
    def _by_id(self) -> dict[int, Mapping[str, Any]]:
        named = {thing["objectId"]: thing for things in self.by_type.values() for thing in things}
        return {node_id: named[name] for name, node_id in self.ids.items() if name in named}

    def free(self, object_type: str) -> list[Mapping[str, Any]]:
        """The reachable things of a type that hold nothing."""
        if object_type not in self._free:
            self._free[object_type] = [
                thing
                for thing in self.by_type.get(object_type, ())
                if thing["pickupable"]
                and thing["objectId"] not in _TYPES["out_of_reach"]
                and thing["position"]["y"] < _HIGHEST
                and not self.graph.contents(self.ids[thing["objectId"]])
                and self._reachable(self.ids[thing["objectId"]])
            ]
        return self._free[object_type]

    def places(self, object_type: str) -> list[Mapping[str, Any]]:
        """The furniture of a type that can take things; with one slot only, if that is free."""
        return [
            place
            for place in self.by_type.get(object_type, ())
            if place["receptacle"]
            and not place["pickupable"]
            and place["position"]["y"] < _HIGHEST
            and not (object_type in ONE_SLOT and self.graph.contents(self.ids[place["objectId"]]))
        ]

    def has_room(self, place: Mapping[str, Any], target: str, count: int) -> bool:
        """Whether `count` more things of a type have room at a place."""
        there = self.graph.contents(self.ids[place["objectId"]])
        things = [*self.by_type[target][:count], *(self._by_id[thing] for thing in there)]
        return sum(map(_area, things)) <= _COVERED * _area(place)

    def rinses(self) -> bool:
        """Whether a faucet runs into a basin here."""
        return any(
            Affordance.RINSES in node.affordances and self.graph.targets(node.id, Relation.CLOSE)
            for node in self.graph.nodes()
        )

    def _reachable(self, thing: int) -> bool:
        shut = self.graph.closed_around(thing)
        return shut is None or Affordance.OPENABLE in self.graph[shut].affordances


class _Drawer:
    """Draws goals for the tasks of a scene."""

    def __init__(self, scene: _Scene, chance: RandomDraws) -> None:
        self.scene = scene
        self.chance = chance
        self._parents: dict[tuple[str, frozenset[str], int], list[str]] = {}
        self._kinds: dict[TaskType, Callable[[TaskType], TaskParameters | None]] = {
            TaskType.SIMPLE: self._simple,
            TaskType.TWO: self._simple,
            TaskType.LIGHT: self._light,
            TaskType.MOVABLE: self._movable,
            **dict.fromkeys(_DEVICES, self._treated),
        }

    def draw(self, kind: TaskType, known: list[Goal]) -> TaskParameters | None:
        """A new task of a type whose goal does not hold yet, or None."""
        for _ in range(_DRAWS):
            asked = self._kinds[kind](kind)
            if asked is None:
                continue
            goal = goal_of(asked)
            if goal not in known and not satisfied(goal, self.scene.graph):
                return asked
        return None

    def _simple(self, kind: TaskType) -> TaskParameters | None:
        count = 2 if kind is TaskType.TWO else 1
        target = self._target(self.scene.by_type, count)
        parent = None if target is None else self._parent(target, count=count)
        if target is None or parent is None or (kind is TaskType.TWO and parent in ONE_SLOT):
            return None
        return TaskParameters(
            kind, target, parent, sliced=kind is TaskType.SIMPLE and self._sliced(target)
        )

    def _light(self, kind: TaskType) -> TaskParameters | None:
        target = self._target(_TYPES["looked_at"])
        lamps = [lamp for lamp in _LAMPS if self._lamp(lamp)]
        if target is None or not lamps:
            return None
        return TaskParameters(kind, target, toggle=self.chance.pick(lamps))

    def _treated(self, kind: TaskType) -> TaskParameters | None:
        target = self._target(_TYPES["treatable"][kind])
        devices = [device for device in _DEVICES[kind] if self.scene.places(device)]
        if target is None or not devices or (kind is TaskType.CLEAN and not self.scene.rinses()):
            return None
        if not any(self._suits(target, d) and self._has_room(target, d) for d in devices):
            return None
        parent = self._parent(target, _DEVICES[kind])
        if parent is None:
            return None
        return TaskParameters(kind, target, parent, sliced=self._sliced(target))

    def _movable(self, kind: TaskType) -> TaskParameters | None:
        movable = self._target(_TYPES["movable"])
        parent = None if movable is None else self._parent(movable)
        if movable is None or parent is None:
            return None
        fitting = [
            target
            for target in self.scene.by_type
            if target != movable and self._suits(target, movable) and self.scene.free(target)
        ]
        if not fitting:
            return None
        return TaskParameters(kind, self.chance.pick(fitting), parent, movable=movable)

    # --- what there is ----------------------------------------------------------------------------

    def _target(self, object_types: Iterable[str], count: int = 1) -> str | None:
        """A type with at least `count` free things, or None."""
        there = [t for t in object_types if t in ALLOWED and len(self.scene.free(t)) >= count]
        return self.chance.pick(there) if there else None

    def _parent(
        self, target: str, shunned: frozenset[str] = frozenset(), count: int = 1
    ) -> str | None:
        """A type of furniture that takes things of a type, or None."""
        known = self._parents.get((target, shunned, count))
        if known is None:
            known = self._parents[target, shunned, count] = [
                place
                for place in self.scene.by_type
                if place not in shunned
                and place not in _TYPES["no_parent"]
                and self._suits(target, place)
                and self._has_room(target, place, count)
            ]
        return self.chance.pick(known) if known else None

    def _has_room(self, target: str, place: str, count: int = 1) -> bool:
        places = self.scene.places(place)
        if place in ONE_SLOT:
            return bool(places)
        return any(self.scene.has_room(each, target, count) for each in places)

    def _suits(self, target: str, place: str) -> bool:
        """Whether a type of place takes things of a type, and they fit into each such place."""
        if place not in ALLOWED.get(target, ()):
            return False
        sizes = [_size(thing) for thing in self.scene.by_type.get(target, ())]
        rooms = [_size(other) for other in self.scene.by_type[place]]
        if place not in ONE_SLOT:
            return all(_fits(size, room) for size in sizes for room in rooms)
        return target in ONE_SLOT[place]

    def _lamp(self, object_type: str) -> bool:
        lamps = [lamp["objectId"] for lamp in self.scene.by_type.get(object_type, ())]
        graph, ids = self.scene.graph, self.scene.ids
        return any(State.OFF in graph[ids[lamp]].states for lamp in lamps)

    def _sliced(self, target: str) -> bool:
        cuts = any(self.scene.free(knife) for knife in _KNIVES)
        return target in _TYPES["sliceable"] and cuts and self.chance.one_in(_ONE_SLICED_IN)


def _size(thing: Mapping[str, Any]) -> tuple[float, float, float]:
    """The sides of a thing's box in m: the two level ones by length, then the height."""
    size = thing["axisAlignedBoundingBox"]["size"]
    short, long = sorted((size["x"], size["z"]))
    return short, long, size["y"]


def _area(thing: Mapping[str, Any]) -> float:
    """The level area of a thing's box in m²."""
    short, long, _ = _size(thing)
    return short * long


def _fits(thing: tuple[float, float, float], place: tuple[float, float, float]) -> bool:
    """Whether the level sides fit. Heights do not count, since a surface's is its thickness."""
    return thing[0] <= _ROOM * place[0] and thing[1] <= _ROOM * place[1]
