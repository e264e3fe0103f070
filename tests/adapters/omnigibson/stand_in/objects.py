"""Objects, their states and the robot, as the primitives see them."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .world import World

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


#: What rooms stand on; its top is at z = 0.
GROUND = ("floors", "lawn", "driveway")

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
    def half(self) -> float:
        """Half of an edge, in m."""
        return 0.2 if self.fixed_base else 0.05

    @property
    def middle(self) -> Vector:
        """Where it is: on the floor, on what it is on, or amid what it is in."""
        x, y, _ = self.place
        for how, at in self.where:
            z = at.middle[2]
            return Vector([x, y, z + at.half + self.half if how is OnTop else z])
        return Vector([x, y, -self.half if self.category in GROUND else self.half])

    @property
    def aabb(self) -> tuple[Vector, Vector]:
        middle, half = self.middle, self.half
        return Vector(x - half for x in middle), Vector(x + half for x in middle)

    def get_position_orientation(self) -> tuple[Vector, Vector]:
        return self.middle, Vector([0.0, 0.0, 0.0, 1.0])

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
        held = self._ag_obj_in_hand["left"]
        if held is not None:
            held._move(self.place)


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
