"""The goals of ALFRED's seven types of tasks, in terms of categories.

The literals of a goal are ALFRED's goal conditions (Shridhar et al., 2020, section 4; ReAcTree,
https://arxiv.org/abs/2511.02424, section 5). Their number is given in brackets:

- simple (1): a target at a parent;
- two (2): the parent with the most targets has two of them;
- light (2): a target in hand; a visible lamp on, which the adapter reports as CLOSE;
- heat, cool, clean (3): a target at a parent; a target that was heated; one with both;
- movable (3): a target in a movable receptacle; such a receptacle at a parent; a stack with both.

A task with a slice has one more condition: that a slice exists; with two slices, two more. Then the
other conditions are about slices. Heated, cooled and cleaned are events, because things take the
temperature of the room again. "At a parent" are things that the engine lists there directly, not
things inside others that stand there.

ALFRED searches the name of a type anywhere in an id, so a pencil counts as a Pen and a butter knife
as a Knife. For ALFRED's own tasks, `as_judged_by_alfred` does the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from ...adapters.ai2thor.alfred_files import TaskType
from ...adapters.ai2thor.object_types import CONTAINERS, RENAMED, category_of
from ...scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    EventOccurred,
    Exists,
    Goal,
    HasState,
    Related,
    Term,
    as_one_literal,
)
from ...scene_graph.node import Affordance, Kind, Relation, State

#: The event of each treatment.
TREATED = {TaskType.HEAT: "heated", TaskType.COOL: "cooled", TaskType.CLEAN: "cleaned"}

_ME = Domain(kind=Kind.AGENT)
#: By type, the other types with its name in their ids: for targets, and for receptacles. Bathtub is
#: left out, since ALFRED asks for its basin.
_OTHER_TARGETS = {
    "Box": ("TissueBox",),
    "Knife": ("ButterKnife",),
    "Pen": ("Pencil",),
    "Pot": ("Potato",),
    "Towel": ("HandTowel", "PaperTowelRoll"),
}
_OTHER_PARENTS = {
    "Bed": ("DogBed",),
    "Chair": ("ArmChair",),
    "Sink": ("SinkBasin",),
    "Toilet": ("ToiletPaperHanger",),
    "TowelHolder": ("HandTowelHolder",),
}


class TaskParameters(NamedTuple):
    """The parameters of a task as object types; "" where its type of task has none."""

    kind: TaskType
    """The type of task."""
    target: str
    """The thing that the task is about."""
    parent: str = ""
    """The receptacle where the target, or the movable one, has to be."""
    movable: str = ""
    """The receptacle that is carried with the target."""
    toggle: str = ""
    """The lamp."""
    sliced: bool = False
    """Whether the target is a slice."""


def goal_of(asked: TaskParameters, *, as_judged_by_alfred: bool = False) -> Goal:
    """The goal of a task. Its literals are ALFRED's goal conditions.

    as_judged_by_alfred: also count other types with the type's name in theirs.
    """
    more = as_judged_by_alfred
    target = _Target(asked.target, _OTHER_TARGETS if more else {}, asked.sliced)
    place = _domain(asked.parent, _OTHER_PARENTS if more else {})

    def at_parent(thing: Term) -> Goal:
        return Exists("place", place, target.being(thing, _kept(thing, asked.parent, "place")))

    match asked.kind:
        case TaskType.SIMPLE:
            parts = [target.some(at_parent("thing"))]
        case TaskType.TWO:
            there = _kept("thing", asked.parent, "place")
            parts = [Exists("place", place, target.some(target.being("thing", there), 2))]
        case TaskType.LIGHT:
            held = target.being("thing", Related("me", Relation.HOLDS, "thing"))
            lit = as_one_literal(
                And((HasState("lamp", State.ON), Related("me", Relation.CLOSE, "lamp")))
            )
            lamps = _domain(asked.toggle)
            parts = [
                target.some(Exists("me", _ME, held)),
                Exists("lamp", lamps, Exists("me", _ME, lit)),
            ]
        case TaskType.MOVABLE:
            movable = _domain(asked.movable, can=Affordance.GRASPABLE)
            # The other types hold nothing, but ALFRED counts one that is at a parent.
            moved = _domain(asked.movable, _OTHER_TARGETS if more else {}, Affordance.GRASPABLE)
            into = _kept("thing", asked.movable, "movable")
            stands = _kept("movable", asked.parent, "place")
            loaded = Exists("movable", movable, target.being("thing", into))
            brought = Exists("movable", moved, Exists("place", place, stands))
            stack = Exists(
                "movable",
                movable,
                Exists(
                    "place", place, as_one_literal(And((*target.is_target("thing"), into, stands)))
                ),
            )
            parts = [target.some(loaded), brought, target.some(stack)]
        case _:
            treated = EventOccurred((TREATED[asked.kind],), ("thing",))
            there = _kept("thing", asked.parent, "place")
            both = as_one_literal(And((*target.is_target("thing"), treated, there)))
            parts = [
                target.some(at_parent("thing")),
                target.some(target.being("thing", treated)),
                target.some(Exists("place", place, both)),
            ]
    return And((*target.exists(2 if asked.kind is TaskType.TWO else 1), *parts))


def relation_at(receptacle: str) -> Relation:
    """The relation of things to a receptacle of an object type."""
    return Relation.INSIDE if receptacle in CONTAINERS else Relation.ON


def _kept(thing: Term, receptacle: str, place: Term) -> Goal:
    """The goal that a place of an object type directly holds a thing."""
    relation = relation_at(receptacle)
    return Related(thing, relation, place, direct=relation is Relation.INSIDE)


def _domain(
    object_type: str,
    others: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    can: Affordance | None = None,
) -> Domain:
    """The things of a type, by its names in all builds, and of other types that count too."""
    names = (object_type, RENAMED.get(object_type, object_type))
    also = frozenset(map(category_of, others.get(object_type, ())))
    return Domain(frozenset(map(category_of, names)), can=can, also=also)


class _Target:
    """The target: things of a category, or only those that are SLICED.

    Slices have the category of the thing that was cut. So a planner can plan for them before they
    exist. The thing that was cut cannot be grasped any more.
    """

    def __init__(
        self, object_type: str, others: Mapping[str, tuple[str, ...]], sliced: bool
    ) -> None:
        self.domain = _domain(object_type, others, Affordance.GRASPABLE)
        self._sliced = sliced

    def exists(self, count: int) -> tuple[Goal, ...]:
        """The conditions that `count` slices exist, if the task asks for slices."""
        return tuple(self.some(part, count) for part in self.is_target("thing"))

    def some(self, body: Goal, count: int = 1) -> Goal:
        """The goal that a literal holds for `count` targets, the variable "thing"."""
        if count > 1:
            return AtLeast(count, "thing", self.domain, body)
        return Exists("thing", self.domain, body)

    def is_target(self, thing: Term) -> tuple[Goal, ...]:
        """The condition for a thing of the domain to be a target."""
        return (HasState(thing, State.SLICED),) if self._sliced else ()

    def being(self, thing: Term, literal: Goal) -> Goal:
        """One literal: the thing is a target and a literal holds for it."""
        parts = (*self.is_target(thing), literal)
        return literal if len(parts) == 1 else as_one_literal(And(parts))
