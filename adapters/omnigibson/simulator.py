"""OmniGibson itself: one BEHAVIOR-1K activity at a time, its state as plain data.

It imports only the standard library and, in `connect`, omnigibson, and uses Python 3.8 syntax,
because `server` runs this file in OmniGibson's interpreter. Lengths are in m in the frame of the
world, quaternions x y z w.

Releases are recognised by their features, not by their number. 1.1.1 has one scene per environment
(`env.scene`, `task.object_scope`), and primitives take the environment alone. The current version
has `env.scenes` and `task.object_scopes`, and primitives take the environment and a robot.

Never run on Isaac Sim. A test compares every name and signature with the sources of 1.1.1.
"""

from __future__ import annotations

import base64
import glob
import importlib
import inspect
import math
import os
import random
from typing import Any

PRIMITIVES = "omnigibson.action_primitives.symbolic_semantic_action_primitives"
ERRORS = "omnigibson.action_primitives.action_primitive_set_base"
#: A robot configuration of omnigibson that suits the primitives.
ROBOT = "tiago_primitives.yaml"

#: The object states to read, by class name.
STATES = ("Open", "ToggledOn", "Cooked", "Frozen", "Heated", "Covered")
#: The robot reaches things within this distance, and its last navigation target, in m.
REACH_M = 1.0
#: Things may be on or in one another if their boxes are this near, in m.
_TOUCH_M = 0.1
#: Settings that disable the simulator's own end of an episode.
_STEPS = 10**9
#: Categories of the building, without floors, on which things lie.
STRUCTURE = frozenset({"walls", "ceilings", "fence", "roof", "background"})
#: Categories that extend through a room; the robot is at them only after navigating there.
GROUND = frozenset({"floors", "lawn", "driveway"})
_FREQUENCY = 30.0
#: Errors of bugs in a primitive. After a RuntimeError the simulator may have died.
_BROKEN = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)


class Unavailable(Exception):
    """Something that OmniGibson needs is missing; the text is for the user."""


class Unknown(Exception):
    """There is no such activity or scene; the text is for the user."""


def connect() -> tuple[Any, str]:
    """The module omnigibson, and the folder of its data. Raises Unavailable."""
    os.environ.setdefault("OMNIGIBSON_HEADLESS", "1")
    try:
        og = importlib.import_module("omnigibson")
        macros = importlib.import_module("omnigibson.macros")
    except ImportError as error:
        lacks = "omnigibson" if error.name == "omnigibson" else "what omnigibson needs"
        raise Unavailable(
            f"This Python cannot import {lacks} ({error}); "
            "install OmniGibson with its own installer."
        ) from error
    except RuntimeError as error:  # the import creates a tensor on the GPU
        raise Unavailable(
            f"OmniGibson needs an NVIDIA GPU with its driver even to be imported "
            f"({_line(error)}); use a machine that has one, or the symbolic backend."
        ) from error
    except KeyError as error:
        raise _no_isaac(error) from error
    except AssertionError as error:  # the current version checks its data first
        raise _no_data(_line(error)) from error
    named = [getattr(macros.gm, name, None) for name in ("DATASET_PATH", "DATA_PATH")]
    data = next((str(path) for path in named if path), "")
    if not os.path.isdir(data):
        raise _no_data(f"there is no folder {data}")
    return og, data


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]


def _no_isaac(error: KeyError) -> Unavailable:
    return Unavailable(
        f"OmniGibson does not find Isaac Sim ({error} is not set); install isaacsim into the same "
        "Python, or run this from an environment in which Isaac Sim's setup was sourced."
    )


def _no_data(why: str) -> Unavailable:
    return Unavailable(
        f"OmniGibson's data is not there ({why}); download it with its own installer, "
        "which asks for the licence, or set OMNIGIBSON_DATASET_PATH or OMNIGIBSON_DATA_PATH."
    )


class OmniGibsonSimulator:
    """An environment with one robot and one activity."""

    def __init__(self) -> None:
        self._og, self._data = connect()
        self._env = None  # type: Any
        self._loaded = None  # type: Any
        self._control = None  # type: Any
        self._info = {}  # type: dict[str, Any]
        self._reached = None  # type: str | None
        self._seen = set()  # type: set[str]

    def facts(self) -> dict[str, Any]:
        """The release and its Isaac Sim."""
        stand_in = getattr(self._og, "STAND_IN", "")  # the real one has none
        return {
            **({"stand_in": stand_in} if stand_in else {}),
            "omnigibson": getattr(self._og, "__version__", "unknown"),
            "isaac": os.environ.get("ISAAC_PATH", ""),
        }

    # --- the start ---------------------------------------------------------------------------

    def reset(self, activity: str, definition: int, instance: int, seed: int) -> None:
        """Load an activity, or reset it if it is loaded.

        definition, instance: of the activity, and of its starts in the data; the first scene with
        one is loaded. Raises Unavailable and Unknown.
        """
        torch = importlib.import_module("torch")
        torch.manual_seed(seed)
        random.seed(seed)  # the sampling of poses uses it
        wanted = (activity, definition, instance)
        if self._env is None or self._loaded != wanted:
            self._loaded = None
            self._load(*wanted)
            self._loaded = wanted
        self._env.reset()
        self._info, self._reached, self._seen = {}, None, set()
        self._look()

    def _load(self, activity: str, definition: int, instance: int) -> None:
        og = self._og
        scene = self._scene_for(activity, definition, instance)
        settings = importlib.import_module("omnigibson.utils.config_utils")
        config = settings.parse_config(os.path.join(og.example_config_path, ROBOT))
        config["scene"] = {
            "type": "InteractiveTraversableScene",
            "scene_model": scene,
            "include_robots": False,
        }
        config["task"] = {
            "type": "BehaviorTask",
            "activity_name": activity,
            "activity_definition_id": definition,
            "activity_instance_id": instance,
            "online_object_sampling": False,
            "termination_config": {"max_steps": _STEPS},
        }
        self._env = None
        try:
            if og.sim is not None:  # another scene would stay loaded
                og.clear()
            self._env = og.Environment(configs=config)
        except KeyError as error:
            if "ISAAC_PATH" in str(error):
                raise _no_isaac(error) from error
            raise
        except (AssertionError, OSError) as error:
            raise Unknown(
                f"OmniGibson cannot load the activity {activity} in the scene {scene} "
                f"({_line(error)}); repair or update its data."
            ) from error
        made = importlib.import_module(PRIMITIVES).SymbolicSemanticActionPrimitives
        if "robot" in inspect.signature(made.__init__).parameters:
            self._control = made(self._env, self._robot())
        else:
            self._control = made(self._env)

    def _scene_for(self, activity: str, definition: int, instance: int) -> str:
        """The first scene in the data with a start of an activity."""
        task = importlib.import_module("omnigibson.tasks.behavior_task").BehaviorTask
        named = task.get_cached_activity_scene_filename("*", activity, definition, instance)
        for place in ("scenes", os.path.join("*", "scenes")):  # of 1.1.1, of the current version
            pattern = os.path.join(glob.escape(self._data), place, "*", "json", named + ".json")
            for path in sorted(glob.glob(pattern)):
                return os.path.basename(os.path.dirname(os.path.dirname(path)))
        raise Unknown(
            f"OmniGibson's data ({self._data}) has no scene for the activity {activity}; "
            "choose another activity, or use the symbolic backend."
        )

    def _scene(self) -> Any:
        env = self._env
        return env.scenes[0] if hasattr(env, "scenes") else env.scene

    def _robot(self) -> Any:
        return self._scene().robots[0]

    def _scope(self) -> dict[str, str]:
        """The activity's names of objects, by their names in the scene."""
        task = self._env.task
        batched = hasattr(task, "object_scopes")
        scope = task.object_scopes[0] if batched else task.object_scope
        names = {}
        for instance, entity in scope.items():
            exists = entity is not None and getattr(entity, "exists", True)
            if exists and not getattr(entity, "is_system", False):
                names[entity.name] = instance
        return names

    # --- acting ------------------------------------------------------------------------------

    def apply(self, primitive: str, name: str | None) -> dict[str, Any]:
        """Run a primitive once: {"error", "message", "sim_time_s"}; error is None or its reason.

        name: of the target; for NAVIGATE_TO also a room. None for RELEASE.
        """
        group = importlib.import_module(ERRORS).ActionPrimitiveErrorGroup
        kind = importlib.import_module(PRIMITIVES).SymbolicSemanticActionPrimitiveSet
        about = [] if name is None else [self._object(name)]
        steps, error, message = 0, None, ""
        try:
            for action in self._control.apply_ref(kind[primitive], *about, attempts=1):
                info = self._env.step(action)[-1]
                self._info = info[0] if isinstance(info, list) else info
                steps += 1
        except group as failed:
            last = failed.exceptions[-1]
            error, message = last.reason.name, str(last)
        except NotImplementedError as failed:  # neither ActionPrimitiveError nor a group
            error, message = "UNSUPPORTED", _line(failed)
        except _BROKEN as failed:
            error, message = "BROKEN", f"{type(failed).__name__}: {_line(failed)}"
        if primitive == "NAVIGATE_TO" and name is not None and error is None:
            self._reached, self._seen = name, {name}  # arriving includes seeing the target
        self._look()
        return {"error": error, "message": message, "sim_time_s": steps / _FREQUENCY}

    def _object(self, name: str) -> Any:
        scene = self._scene()
        thing = scene.object_registry("name", name)
        if thing is None:  # a room: its floor
            ground = [thing for thing in scene.objects if thing.category in GROUND]
            thing = next((t for t in ground if name in (t.in_rooms or ())), None)
        if thing is None:
            raise Unknown(f"The scene has no object {name}.")
        return thing

    # --- reading -----------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """The true state.

            {"objects": [{"name", "instance", "category", "rooms", "fixed", "abilities", "states",
             "position", "orientation", "box": [low, high]}], "relations": [[state, name, name]],
             "rooms": [name], "room": of the robot, "held": name, "near": [name], "seen": [name],
             "goal": {"satisfied": n, "unsatisfied": n} or None}

        instance: its name in the activity. seen: since the robot arrived here. goal: as evaluated
        by the simulator's own task.
        """
        held = self._control._get_obj_in_hand()
        reader = _SceneReader(self._scene(), self._robot(), self._scope())
        return {
            **reader.read(held, self._reached),
            "held": None if held is None else held.name,
            "seen": sorted(self._seen),
            "goal": self._goal(),
        }

    def _goal(self) -> dict[str, int] | None:
        status = self._info.get("done", {}).get("goal_status")
        if isinstance(status, list):  # one per environment
            status = status[0] if status else None
        if not isinstance(status, dict):
            return None
        return {key: len(status.get(key, ())) for key in ("satisfied", "unsatisfied")}

    def _look(self) -> None:
        """Add what the cameras see now."""
        states = importlib.import_module("omnigibson.object_states")
        seen = self._robot().states[states.ObjectsInFOVOfRobot].get_value()
        self._seen.update(thing.name for thing in seen)

    def image(self) -> dict[str, Any] | None:
        """The frame of the robot's first camera: {"shape": [h, w, 3], "rgb": base64}, or None."""
        for sensor in self._robot().sensors.values():
            if "rgb" in sensor.modalities:
                pixels = sensor.get_obs()[0]["rgb"][:, :, :3].cpu().numpy().astype("uint8")
                packed = base64.b64encode(pixels.tobytes()).decode()
                return {"shape": list(pixels.shape), "rgb": packed}
        return None

    def close(self) -> None:
        """Forget the environment. The GPU is free once the process has ended."""
        if self._env is not None:
            self._env.close()
        self._env = self._loaded = self._control = None


class _SceneReader:
    """Reads one state of a scene. scope: the activity's names of objects, by their own."""

    def __init__(self, scene: Any, robot: Any, scope: dict[str, str]) -> None:
        self._states = importlib.import_module("omnigibson.object_states")
        self._scene, self._robot, self._scope = scene, robot, scope
        self._things = [
            thing
            for thing in scene.objects
            if thing not in scene.robots
            and (thing.category not in STRUCTURE or thing.name in scope)
        ]
        self._boxes = {}  # type: dict[str, tuple[list[float], list[float]]]
        for thing in self._things:
            low, high = thing.aabb
            self._boxes[thing.name] = (low.tolist(), high.tolist())

    def read(self, held: Any, reached: str | None) -> dict[str, Any]:
        """The objects, relations and rooms, and the robot's place; see `state`.

        reached: the name of the last navigation target.
        """
        objects = [self._object(thing) for thing in self._things]
        robot = self._robot
        position = robot.get_position_orientation()[0]
        room = self._room_at(position)
        rooms = {name for data in objects for name in data["rooms"]} | ({room} if room else set())
        return {
            "objects": objects,
            "relations": self._relations(held),
            "rooms": sorted(rooms),
            "room": room,
            "near": self._near(position.tolist(), reached),
        }

    def _object(self, thing: Any) -> dict[str, Any]:
        position, orientation = thing.get_position_orientation()
        # The room at the start stays a thing's room only if the thing cannot be carried.
        rooms = list(getattr(thing, "in_rooms", None) or ()) if thing.fixed_base else []
        return {
            "name": thing.name,
            "instance": self._scope.get(thing.name),
            "category": thing.category,
            "rooms": rooms or [room for room in [self._room_at(position)] if room],
            "fixed": bool(thing.fixed_base),
            "abilities": sorted(thing.abilities),
            "states": self._states_of(thing),
            "position": position.tolist(),
            "orientation": orientation.tolist(),
            "box": list(self._boxes[thing.name]),
        }

    def _room_at(self, position: Any) -> str | None:
        scene = self._scene
        room = scene.seg_map.get_room_instance_by_point(position[:2])
        return room if isinstance(room, str) else None

    def _states_of(self, thing: Any) -> dict[str, bool]:
        states_now, scene = {}, self._scene
        for name in STATES:
            state = getattr(self._states, name)
            if state not in thing.states:
                continue
            if name == "Covered":
                systems = scene.system_registry.objects
                states_now[name] = any(bool(thing.states[state].get_value(s)) for s in systems)
            else:
                states_now[name] = bool(thing.states[state].get_value())
        return states_now

    def _relations(self, held: Any) -> list[list[str]]:
        """Pairs of things on or in one another. Only those whose boxes touch are checked."""
        relations, boxes = [], self._boxes
        for thing in self._things:
            if thing.fixed_base or thing is held:
                continue
            for place in self._things:
                if place is thing:
                    continue
                if _apart(boxes[thing.name], boxes[place.name]) > _TOUCH_M:
                    continue
                for name in ("Inside", "OnTop"):
                    state = getattr(self._states, name)
                    if state in thing.states and thing.states[state].get_value(place):
                        relations.append([name, thing.name, place.name])
        return relations

    def _near(self, position: list[float], reached: str | None) -> list[str]:
        """The names of what the robot reaches from where it is."""
        near = [
            thing.name
            for thing in self._things
            if thing.category not in GROUND
            and _distance(position, self._boxes[thing.name]) <= REACH_M
        ]
        if reached in self._boxes and reached not in near:
            near.append(reached)
        return near


def _distance(point: list[float], box: Any) -> float:
    """The horizontal distance of a point from a box."""
    low, high = box
    return math.hypot(*(max(low[i] - point[i], 0.0, point[i] - high[i]) for i in (0, 1)))


def _apart(one: Any, other: Any) -> float:
    """The distance of two boxes along the axis in which it is largest."""
    return float(max(max(one[0][i] - other[1][i], other[0][i] - one[1][i]) for i in range(3)))
