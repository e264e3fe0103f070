"""A state of the engine as typed values, read from its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from ...scene_graph.fields import Field
from ...scene_graph.node import Box, Pose, Relation, Vector


class ThingKind(StrEnum):
    """What a thing of the engine is."""

    OBJECT = "object"  # movable
    FIXTURE = "fixture"
    PART = "part"  # a drawer, a door or a knob of a fixture
    REGION = "region"  # a place on or in a thing, or a zone of the table
    TABLE = "table"  # also a floor


class JointKind(StrEnum):
    """How a joint moves."""

    SLIDE = "slide"
    HINGE = "hinge"
    KNOB = "knob"


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint of a drawer, a door or a knob."""

    value: float
    """Where it stands, in m or rad."""
    shut: float
    """Its value when shut or off."""
    open: float
    """Its value when fully open or on."""
    kind: JointKind
    """How it moves."""

    @property
    def share(self) -> float:
        """How far it is from shut, 1 when fully open."""
        whole = self.open - self.shut
        return (self.value - self.shut) / whole if whole else 0.0


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing of the engine, or a place of it."""

    name: str
    """The engine's own, such as "akita_black_bowl_1"."""
    kind: ThingKind
    """What it is."""
    parent: str | None
    """The name of the thing that it is a part of."""
    pose: Pose
    """In m, in the frame of the world."""
    box: Box | None
    """The axis-aligned bounding box, in m."""
    joint: Joint | None
    """What moves it, if anything."""
    surface: bool
    """Whether things can be put on it."""
    container: bool
    """Whether things can be put inside."""


@dataclass(frozen=True)
class EngineState:
    """Everything at one moment."""

    things: Mapping[str, Thing]
    """By name, in the engine's order."""
    relations: tuple[tuple[str, Relation, str], ...]
    """What lies on, in and under what, by names."""
    held: str | None
    """What the gripper holds."""
    goal: tuple[bool, ...]
    """Which conjuncts of the goal hold by the engine's predicates."""
    success: bool
    """Whether the engine says that the task is done."""
    digest: str
    """Of the physics, to the last bit."""

    @cached_property
    def children(self) -> Mapping[str, tuple[Thing, ...]]:
        """The parts and places of each thing, by its name."""
        found: dict[str, list[Thing]] = {}
        for thing in self.things.values():
            if thing.parent is not None:
                found.setdefault(thing.parent, []).append(thing)
        return {name: tuple(parts) for name, parts in found.items()}


def read_state(field: Field) -> EngineState:
    """A state of an answer. Raises BadInput naming the wrong field."""
    parts = field.entries(("things", "relations", "held", "goal", "success", "digest"), None)
    things = [_thing(each) for each in parts["things"].items()]
    by_name = {thing.name: thing for thing in things}
    relations = []
    for each in parts["relations"].items():
        source, relation, target = each.items(3)
        for end in (source, target):
            if end.text() not in by_name:
                raise end.wrong("expected the name of a thing")
        relations.append((source.text(), relation.name_of(Relation), target.text()))
    held = parts["held"]
    if held.value is not None and held.text() not in by_name:
        raise held.wrong("expected the name of a thing")
    return EngineState(
        by_name,
        tuple(relations),
        held.value,
        tuple(_truth(each) for each in parts["goal"].items()),
        _truth(parts["success"]),
        parts["digest"].text(),
    )


def _thing(field: Field) -> Thing:
    parts = field.entries(
        ("name", "kind", "parent", "position", "quaternion", "box", "joint"),
        None,
    )
    x, y, z, w = (each.number() for each in parts["quaternion"].items(4))
    parent = parts["parent"]
    return Thing(
        parts["name"].text(),
        parts["kind"].name_of(ThingKind),
        None if parent.value is None else parent.text(),
        Pose(_vector(parts["position"]), (x, y, z, w)),
        _box(parts["box"]),
        None if parts["joint"].value is None else _joint(parts["joint"]),
        _truth(parts["surface"]) if "surface" in parts else False,
        _truth(parts["container"]) if "container" in parts else False,
    )


def _joint(field: Field) -> Joint:
    parts = field.entries(("value", "shut", "open", "kind"), None)
    return Joint(
        parts["value"].number(),
        parts["shut"].number(),
        parts["open"].number(),
        parts["kind"].name_of(JointKind),
    )


def _box(field: Field) -> Box | None:
    if field.value is None:
        return None
    low, high = (_vector(each) for each in field.items(2))
    a, b, c = ((one + other) / 2 for one, other in zip(low, high, strict=True))
    d, e, f = (other - one for one, other in zip(low, high, strict=True))
    return Box((a, b, c), (d, e, f))


def _vector(field: Field) -> Vector:
    x, y, z = (each.number() for each in field.items(3))
    return x, y, z


def _truth(field: Field) -> bool:
    if not isinstance(field.value, bool):
        raise field.wrong("expected true or false")
    return field.value
