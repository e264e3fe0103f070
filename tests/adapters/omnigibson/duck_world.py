"""A stand-in of OmniGibson without physics, under OmniGibson's REAL symbolic primitives.

The class SymbolicSemanticActionPrimitives, its errors and the methods that it inherits are the
source of the installed package omnigibson 1.1.1, executed here. What they touch is a stand-in:
torch, the robot, objects with their states, and the sampling of poses, which finds one unless the
thing is told to be full, or cannot hold anything of that kind.

`install` puts it all into `sys.modules` as omnigibson, so that `simulator.Simulator` runs on it. It
can be of two lines: "1.1.1", or "current", whose environment has several scenes.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, MutableMapping
from enum import IntEnum
from importlib.machinery import ModuleSpec
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from peephole.adapters.omnigibson.symbolic import Substances
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Kind, Relation, State

#: What of StarterSemanticActionPrimitives the symbolic ones inherit and use, as in the source.
INHERITED = {
    "_open",
    "_close",
    "_toggle_on",
    "_toggle_off",
    "_place_on_top",
    "_place_inside",
    "_get_obj_in_hand",
    "_navigate_to_obj",
    "_sample_pose_with_object_and_predicate",
    "_settle_robot",
    "_postprocess_action",
    "arm",
}
FOLDER = "action_primitives"


def source(name: str) -> str:
    """The source of a module of the installed omnigibson. Raises PackageNotFoundError."""
    path = distribution("omnigibson").locate_file(f"omnigibson/{name}.py")
    return Path(str(path)).read_text(encoding="utf-8")


# --- the states of things, as classes of omnigibson.object_states -------------------------------


class Condition:
    """A state of one thing, read from the world and written into it."""

    def __init__(self, thing: Thing) -> None:
        self.thing, self.world = thing, thing.world


class Flag(Condition):
    """True or false; a stuck one stays as it is."""

    def get_value(self) -> bool:
        return type(self).__name__ in self.thing.flags

    def set_value(self, value: bool) -> bool:
        if self.thing.name not in self.world.stuck:
            self.thing.flags.discard(type(self).__name__)
            if value:
                self.thing.flags.add(type(self).__name__)
        return True


class Open(Flag): ...


class ToggledOn(Flag): ...


class Cooked(Flag): ...


class Frozen(Flag): ...


class Heated(Flag): ...


class Lies(Condition):
    def get_value(self, other: Thing) -> bool:
        return (type(self), other) in self.thing.where


class Inside(Lies): ...


class OnTop(Lies): ...


class Particles(Condition):
    table = ""

    def _systems(self) -> set[str]:
        return self.world.particles[self.table][self.thing.name]

    def get_value(self, system: System) -> bool:
        return system.name in self._systems()

    def set_value(self, system: System, value: bool) -> bool:
        (self._systems().add if value else self._systems().discard)(system.name)
        return True


class Covered(Particles):
    table = "covered"


class Contains(Particles):
    table = "contains"


class Saturated(Particles):
    table = "saturated"


class ParticleSource(Condition):
    def check_conditions_for_system(self, name: str) -> bool:
        runs = ToggledOn not in self.thing.states or self.thing.states[ToggledOn].get_value()
        return runs and name in self.world.particles["sources"][self.thing.name]


class ParticleRemover(Condition):
    @property
    def conditions(self) -> dict[str, str | None]:
        return self.world.removes[self.thing.name]

    def supports_system(self, name: str) -> bool:
        return name in self.conditions

    def check_conditions_for_system(self, name: str) -> bool:
        needed = self.conditions[name]
        return needed is None or needed in self.world.particles["saturated"][self.thing.name]


class HeatSourceOrSink(Condition):
    distance_threshold = 0.2

    @property
    def requires_inside(self) -> bool:
        return self.thing.name not in self.world.burners

    @property
    def links(self) -> dict[str, Thing]:
        return {"element": self.thing}


class ObjectsInFOVOfRobot(Condition):
    def get_value(self) -> list[Thing]:
        return self.world.in_view()


STATES = (Open, ToggledOn, Cooked, Frozen, Heated, Inside, OnTop, Covered, Contains, Saturated)
OTHERS = (ParticleSource, ParticleRemover, HeatSourceOrSink, ObjectsInFOVOfRobot)


# --- things ---------------------------------------------------------------------------------------


class Vector(list):
    """As much of a tensor as is asked of one."""

    def tolist(self) -> list[float]:
        return list(self)


class Spot:
    """A pose at a thing: in it, on it, or near it."""

    def __init__(self, how: type | None, thing: Thing) -> None:
        self.how, self.thing = how, thing

    def __add__(self, other: object) -> Spot:
        return self

    def __matmul__(self, other: object) -> Spot:
        return self

    def __getitem__(self, number: int) -> Spot:
        return self


class Near:
    """Positions of heating elements, to which every spot of their thing is near."""

    def __sub__(self, other: object) -> Near:
        return self

    def __lt__(self, other: object) -> bool:
        return True


class System:
    def __init__(self, name: str, broken: bool) -> None:
        self.name = name
        if not broken:
            self.states = self  # what the source of _soak_inside asks for, and no system has


class Thing:
    """An object of the scene. where: what it is on and in, besides rooms."""

    def __init__(self, world: World, name: str, category: str, fixed: bool) -> None:
        self.world, self.name, self.category, self.fixed_base = world, name, category, fixed
        self.states: dict[type, Any] = {}
        self.flags: set[str] = set()
        self.abilities: dict[str, dict[str, Any]] = {}
        self.where: set[tuple[type, Thing]] = set()
        self.in_rooms: list[str] | None = None
        self.scene = world
        self.root_link = None
        self.place = (0.0, 0.0, 0.0)
        self.takes = {OnTop: False, Inside: False}

    @property
    def _abilities(self) -> dict[str, dict[str, Any]]:
        return self.abilities

    @property
    def aabb(self) -> tuple[Vector, Vector]:
        return Vector(x - 0.2 for x in self.place), Vector(x + 0.2 for x in self.place)

    def get_position_orientation(self) -> tuple[Vector, Vector]:
        return Vector(self.place), Vector([0.0, 0.0, 0.0, 1.0])

    def get_base_aligned_bbox(self) -> tuple[None, None, None, None]:
        return None, None, None, None

    def set_position_orientation(self, position: Any = None, orientation: Any = None) -> None:
        """To where a spot is; into the hand, for the gripper's position."""
        self.where.clear()
        if isinstance(position, Spot):
            assert position.how is not None
            if self.world.slippery.get(self.name, 0) > 0:
                self.world.slippery[self.name] -= 1
            elif position.thing is not self:
                self.where.add((position.how, position.thing))
            self._move(position.thing.place)

    def _move(self, place: tuple[float, float, float]) -> None:
        self.place = place
        for other in self.world.things.values():
            if other is not self and any(at is self for _, at in other.where):
                other._move(place)


class Robot(Thing):
    """What REGISTERED robots are, with one arm."""

    default_arm = "left"
    arm_names = ("left",)
    action_dim = 2

    def __init__(self, world: World) -> None:
        super().__init__(world, "robot0", "agent", False)
        self._ag_obj_in_hand: dict[str, Thing | None] = {"left": None}
        self.states = {ObjectsInFOVOfRobot: ObjectsInFOVOfRobot(self)}
        self.sensors = {"camera": Camera()}
        self.at: Thing | None = None

    def get_eef_position(self, arm: str) -> Vector:
        return Vector(self.place)

    def get_linear_velocity(self) -> Vector:
        return Vector([0.0, 0.0, 0.0])

    def _establish_grasp(self, arm: str, ag_data: Any, contact_pos: Any) -> None:
        if ag_data[0].name not in self.world.stuck:
            self._ag_obj_in_hand[arm] = ag_data[0]

    def release_grasp_immediately(self) -> None:
        self._ag_obj_in_hand["left"] = None

    def set_position_orientation(self, position: Any = None, orientation: Any = None) -> None:
        self.at = position.thing
        self.place = position.thing.place


class Pixels(list):
    """A picture of 2 x 2 grey points."""

    def __getitem__(self, key: Any) -> Any:
        return self

    def cpu(self) -> Any:
        return self

    def numpy(self) -> Any:
        import numpy as np

        return np.full((2, 2, 3), 128, np.uint8)


class Camera:
    modalities = frozenset({"rgb", "seg_instance"})

    def get_obs(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return {"rgb": Pixels()}, {}


class SlicingRule:
    """The rule that makes two halves of a thing."""

    def transition(self, object_candidates: dict[str, list[Thing]]) -> Any:
        (whole,) = object_candidates["sliceable"]
        halves = []
        for i in range(2):
            half = Thing(whole.world, f"half_{whole.name}_{i}", f"half_{whole.category}", False)
            half.states = {Inside: Inside(half), OnTop: OnTop(half)}
            half.abilities, half.where, half.place = {}, set(whole.where), whole.place
            halves.append(half)
        return types.SimpleNamespace(add=halves, remove=[whole])

    def execute_transition(self, added_obj_attrs: list[Thing], removed_objs: list[Thing]) -> None:
        for thing in removed_objs:
            del thing.world.things[thing.name]
        for thing in added_obj_attrs:
            thing.world.things[thing.name] = thing

    @property
    def active_rules(self) -> list[SlicingRule]:
        return [self]


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
        self.robot = Robot(self)
        self.robots = [self.robot]
        self._add(graph)

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


# --- the modules ----------------------------------------------------------------------------------


def _torch() -> types.ModuleType:
    def tensor(value: Any, dtype: Any = None) -> Any:
        return Near() if value and isinstance(value[0], Vector) else value

    def norm(vector: Any, dim: int = 0) -> Any:
        return vector if isinstance(vector, Near) else sum(x * x for x in vector) ** 0.5

    torch = types.ModuleType("torch")
    vars(torch).update(
        tensor=tensor,
        norm=norm,
        any=bool,
        zeros=lambda count: Vector([0.0] * count),
        manual_seed=lambda seed: None,
        float32=None,
    )
    return torch


class _Transforms:
    """omnigibson.utils.transform_utils, for which a pose is a spot."""

    @staticmethod
    def pose2mat(pose: tuple[Any, Any]) -> Any:
        return pose[0]

    @staticmethod
    def pose_inv(pose: Any) -> Any:
        return pose

    @staticmethod
    def mat2pose(pose: Any) -> tuple[Any, None]:
        return pose, None


class Primitives:
    """The real primitives on a world: the classes that their source makes."""

    def __init__(self) -> None:
        base: dict[str, Any] = {"__name__": "base"}
        tree = ast.parse(source(f"{FOLDER}/action_primitive_set_base"))
        wanted = {"ActionPrimitiveError", "ActionPrimitiveErrorGroup"}
        tree.body = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name in wanted]
        base.update(IntEnum=IntEnum, List=list)
        exec(compile(tree, "action_primitive_set_base.py", "exec"), base)
        self.error, self.group = base["ActionPrimitiveError"], base["ActionPrimitiveErrorGroup"]
        self.states = types.ModuleType("omnigibson.object_states")
        for state in (*STATES, *OTHERS):
            setattr(self.states, state.__name__, state)
        starter = self._starter()
        symbolic: dict[str, Any] = {
            "__name__": "symbolic",
            "th": _torch(),
            "object_states": self.states,
            "ActionPrimitiveError": self.error,
            "ActionPrimitiveErrorGroup": self.group,
            "StarterSemanticActionPrimitives": starter,
            "BaseRobot": Robot,
            "DatasetObject": Thing,
            "SlicingRule": SlicingRule,
        }
        tree = ast.parse(source(f"{FOLDER}/symbolic_semantic_action_primitives"))
        kinds, wanted_class = (n for n in tree.body if isinstance(n, ast.ClassDef))
        names = [n.targets[0].id for n in kinds.body if isinstance(n, ast.Assign)]  # type: ignore[attr-defined]
        members = [name for name in names if not name.startswith("_")]
        self.kinds = IntEnum(kinds.name, members)  # type: ignore[misc]
        symbolic[kinds.name] = self.kinds
        tree.body = [wanted_class]
        exec(compile(tree, "symbolic_semantic_action_primitives.py", "exec"), symbolic)
        self.controller = symbolic[wanted_class.name]

    def _starter(self) -> type:
        """The base class: its real methods, but for what needs geometry."""
        tree = ast.parse(source(f"{FOLDER}/starter_semantic_action_primitives"))
        (real,) = (
            n
            for n in tree.body
            if isinstance(n, ast.ClassDef) and n.name == "StarterSemanticActionPrimitives"
        )
        methods = [n for n in real.body if isinstance(n, ast.FunctionDef) and n.name in INHERITED]
        assert {n.name for n in methods} == INHERITED
        real.body, real.bases, real.keywords = [*methods], [], []
        tree.body = [real]
        error = self.error

        def sample(relation: str, target: Thing, extents: Any) -> list[tuple[Any, ...]]:
            how = {"onTop": OnTop, "inside": Inside}[relation]
            fits = target.takes[how] and target.name not in target.world.full
            return [(Spot(how, target) if fits else None, None, None)]

        macros = types.SimpleNamespace(
            MAX_ATTEMPTS_FOR_SAMPLING_POSE_WITH_OBJECT_AND_PREDICATE=3,
            PREDICATE_SAMPLING_Z_OFFSET=0.02,
            MAX_STEPS_FOR_SETTLING=3,
        )
        space: dict[str, Any] = {
            "__name__": "starter",
            "th": _torch(),
            "T": _Transforms,
            "m": macros,
            "object_states": self.states,
            "ActionPrimitiveError": error,
            "ManipulationRobot": Robot,
            "sample_cuboid_for_predicate": sample,
        }
        exec(compile(tree, "starter_semantic_action_primitives.py", "exec"), space)
        made: Any = space[real.name]

        def carried(thing: Thing, held: Thing | None) -> bool:
            return thing is held or any(carried(at, held) for _, at in thing.where)

        def start(self: Any, env: Any) -> None:
            self.env, self._enable_head_tracking, self.add_context = env, False, False

        def near(self: Any, obj: Thing, pose_on_obj: Any = None) -> Spot:
            if carried(obj, self._get_obj_in_hand()) or obj.name in obj.world.full:
                raise error(error.Reason.SAMPLING_ERROR, "no valid position near object", {})
            return Spot(None, obj)

        made.__init__ = start
        made.robot = property(lambda self: self.env.scene_.robots[0])
        made.arm = property(made.arm) if not isinstance(made.arm, property) else made.arm
        made._empty_action = lambda self: Vector([0.0, 0.0])
        made._sample_pose_near_object = near
        made._get_robot_pose_from_2d_pose = staticmethod(lambda spot: (spot, None))
        return made  # type: ignore[no-any-return]


class Environment:
    """omnigibson.Environment of one world."""

    world: World  # set by `install`
    scope: dict[str, str]  # names in the activity, by names in the scene
    line = "1.1.1"

    def __init__(self, configs: Any) -> None:
        self.configs = configs
        self.scene_ = self.world
        named = {instance: self.world.things.get(n) for n, instance in self.scope.items()}
        if self.line == "current":
            self.scenes = [self.world]
            self.task: Any = types.SimpleNamespace(object_scopes=[named])
        else:
            self.scene = self.world
            self.task = types.SimpleNamespace(object_scope=named)

    def reload(self, configs: Any) -> None:
        self.configs = configs

    def reset(self) -> None:
        pass

    def close(self) -> None:
        pass

    def step(self, action: Any) -> tuple[Any, ...]:
        info = {"done": {"success": False, "goal_status": {"satisfied": [0], "unsatisfied": []}}}
        if self.line == "current":
            return [{}], [0.0], [False], [False], [info]
        return {}, 0.0, False, False, info


def install(
    world: World,
    modules: MutableMapping[str, Any],
    data: Path,
    scope: dict[str, str] | None = None,
    line: str = "1.1.1",
) -> Primitives:
    """Put the stand-in into a table of modules, such as `sys.modules`. data: its data folder."""
    made = Primitives()
    controller = made.controller
    if line == "current":

        class Current(made.controller):  # type: ignore[misc, name-defined]
            def __init__(self, env: Any, robot: Any) -> None:
                super().__init__(env)

        controller = Current
    table = {
        "Environment": type(
            "Environment", (Environment,), {"world": world, "scope": scope or {}, "line": line}
        ),
        "__version__": f"stand-in of {line}",
        "example_config_path": str(data),
    }
    paths = {"DATASET_PATH": str(data)} if line == "1.1.1" else {"DATA_PATH": str(data)}
    task = type(
        "BehaviorTask",
        (),
        {
            "get_cached_activity_scene_filename": staticmethod(
                lambda scene_model, activity_name, activity_definition_id, activity_instance_id: (
                    f"{scene_model}_task_{activity_name}_{activity_definition_id}"
                    f"_{activity_instance_id}_template"
                )
            )
        },
    )
    contents: dict[str, dict[str, Any]] = {
        "omnigibson": table,
        "omnigibson.macros": {"gm": types.SimpleNamespace(**paths)},
        "omnigibson.utils.config_utils": {"parse_config": lambda config: {"from": config}},
        "omnigibson.tasks.behavior_task": {"BehaviorTask": task},
        f"omnigibson.{FOLDER}.action_primitive_set_base": {"ActionPrimitiveErrorGroup": made.group},
        f"omnigibson.{FOLDER}.symbolic_semantic_action_primitives": {
            "SymbolicSemanticActionPrimitives": controller,
            "SymbolicSemanticActionPrimitiveSet": made.kinds,
        },
    }
    for name, content in contents.items():
        module = types.ModuleType(name)
        module.__spec__ = ModuleSpec(name, None)
        vars(module).update(content)
        modules[name] = module
    modules["omnigibson.object_states"] = made.states
    modules["torch"] = _torch()
    return made
