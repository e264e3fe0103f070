"""The modules of omnigibson: real classes of primitives, made of their source, on a stand-in."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, MutableMapping
from enum import IntEnum
from importlib.machinery import ModuleSpec
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from .objects import OTHERS, STATES, Inside, Near, OnTop, Robot, SlicingRule, Spot, Thing, Vector
from .world import World

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


#: The numbers of the conditions that hold in a world, and of those that do not.
Goal = Callable[[World], tuple[list[int], list[int]]]


class Environment:
    """omnigibson.Environment of one world; as there, only a stopped simulator loads one."""

    package: types.ModuleType  # set by `install`
    world: World
    scope: dict[str, str]  # names in the activity, by names in the scene
    line = "1.1.1"
    goal: Goal  # of the activity: which of its conditions hold

    def __init__(self, configs: Any) -> None:
        if self.package.sim is None:
            self.package.sim = types.SimpleNamespace(stopped=True)
        assert self.package.sim.stopped, "Simulator must be stopped before loading scene!"
        self.package.sim.stopped = False
        self.configs = configs
        self.scene_ = self.world
        named = {instance: self.world.things.get(n) for n, instance in self.scope.items()}
        if self.line == "current":
            self.scenes = [self.world]
            self.task: Any = types.SimpleNamespace(object_scopes=[named])
        else:
            self.scene = self.world
            self.task = types.SimpleNamespace(object_scope=named)

    def reset(self) -> None:
        self.world.restore()

    def close(self) -> None:
        pass

    def step(self, action: Any) -> tuple[Any, ...]:
        satisfied, unsatisfied = type(self).goal(self.world)
        status = {"satisfied": satisfied, "unsatisfied": unsatisfied}
        info = {"done": {"success": not unsatisfied, "goal_status": status}}
        if self.line == "current":
            return [{}], [0.0], [False], [False], [info]
        return {}, 0.0, False, False, info


def install(
    world: World,
    modules: MutableMapping[str, Any],
    data: Path,
    scope: dict[str, str] | None = None,
    line: str = "1.1.1",
    goal: Goal = lambda world: ([0], []),
) -> Primitives:
    """Put the stand-in into a table of modules, such as `sys.modules`. data: its data folder."""
    made = Primitives()
    controller = made.controller
    if line == "current":

        class Current(made.controller):  # type: ignore[misc, name-defined]
            def __init__(self, env: Any, robot: Any) -> None:
                super().__init__(env)

        controller = Current
    package = types.ModuleType("omnigibson")
    about = {"package": package, "world": world, "scope": scope or {}, "line": line}
    about["goal"] = staticmethod(goal)

    def clear() -> None:
        package.sim = types.SimpleNamespace(stopped=True)  # type: ignore[attr-defined]

    table = {
        "Environment": type("Environment", (Environment,), about),
        "sim": None,
        "clear": clear,
        "__version__": f"stand-in of {line}",
        "STAND_IN": "a stand-in of OmniGibson under its own primitives",
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
        f"omnigibson.{FOLDER}.action_primitive_set_base": {
            "ActionPrimitiveError": made.error,
            "ActionPrimitiveErrorGroup": made.group,
        },
        f"omnigibson.{FOLDER}.symbolic_semantic_action_primitives": {
            "SymbolicSemanticActionPrimitives": controller,
            "SymbolicSemanticActionPrimitiveSet": made.kinds,
        },
    }
    for name, content in contents.items():
        module = package if content is table else types.ModuleType(name)
        module.__spec__ = ModuleSpec(name, None)
        vars(module).update(content)
        modules[name] = module
    modules["omnigibson.object_states"] = made.states
    modules["torch"] = _torch()
    return made
