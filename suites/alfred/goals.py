"""The goals of ALFRED's seven types of tasks, over categories of things.

Counted as ALFRED counts goal conditions (Shridhar et al., 2020, section 4, and ReAcTree,
https://arxiv.org/abs/2511.02424, section 5): one literal a condition,

- simple (1): a target at a parent;
- two (2): the parent that has most of them has two targets;
- light (2): a target in hand; a lamp on that is in sight, which the adapter tells as CLOSE;
- heat, cool, clean (3): a target at a parent; a target that was heated; one that is both;
- movable (3): a target in a movable receptacle; such a one at a parent; one stack that is both;

and one more where a slice of the target is asked for: that there is one; of two, two more. Then
the other conditions are about slices. What was heated, cooled or cleaned is an event, for things
take the warmth of the room again: it must have happened to the very thing. At a parent is what the
engine lists there itself, not what is in something that stands there.

ALFRED finds things by the name of their type anywhere in their id: a pencil does for a Pen, and a
butter knife for a Knife. With its own tasks, `as_judged_by_alfred` follows that.
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

#: What must have happened to the target.
TREATED = {TaskType.HEAT: "heated", TaskType.COOL: "cooled", TaskType.CLEAN: "cleaned"}

_ME = Domain(kind=Kind.AGENT)
#: By type, the other types with its name in their ids: of what is carried, and of what keeps
#: things. That of a bathtub is left out, which ALFRED asks for by its basin.
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
    """What a task asks for, in object types; "" where its type of task has none."""

    kind: TaskType
    target: str
    parent: str = ""
    movable: str = ""
    toggle: str = ""
    sliced: bool = False


def goal_of(asked: TaskParameters, *, as_judged_by_alfred: bool = False) -> Goal:
    """The goal; its literals are the conditions that ALFRED counts.

    as_judged_by_alfred: count the types whose names have that of the task's in them too.
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
            # Of the others, none keeps anything, but ALFRED counts one that is at a parent.
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
    """How things lie at a receptacle of an object type."""
    return Relation.INSIDE if receptacle in CONTAINERS else Relation.ON


def _kept(thing: Term, receptacle: str, place: Term) -> Goal:
    """That a place, which is of an object type, itself keeps a thing."""
    relation = relation_at(receptacle)
    return Related(thing, relation, place, direct=relation is Relation.INSIDE)


def _domain(
    object_type: str,
    others: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    can: Affordance | None = None,
) -> Domain:
    """The things of a type, under its name in any build, and of others that count as well."""
    names = (object_type, RENAMED.get(object_type, object_type))
    also = frozenset(map(category_of, others.get(object_type, ())))
    return Domain(frozenset(map(category_of, names)), can=can, also=also)


class _Target:
    """What is asked for: things of a category, or only those of them that are SLICED.

    Slices are of the category of what they were cut from, so that one may plan for them before
    there are any; what was cut itself can be grasped no more.
    """

    def __init__(
        self, object_type: str, others: Mapping[str, tuple[str, ...]], sliced: bool
    ) -> None:
        self.domain = _domain(object_type, others, Affordance.GRASPABLE)
        self._sliced = sliced

    def exists(self, count: int) -> tuple[Goal, ...]:
        """The conditions that there are so many slices, where slices are asked for."""
        return tuple(self.some(part, count) for part in self.is_target("thing"))

    def some(self, body: Goal, count: int = 1) -> Goal:
        """That it holds of so many targets, the variable "thing"."""
        if count > 1:
            return AtLeast(count, "thing", self.domain, body)
        return Exists("thing", self.domain, body)

    def is_target(self, thing: Term) -> tuple[Goal, ...]:
        """What makes a thing of the domain a target."""
        return (HasState(thing, State.SLICED),) if self._sliced else ()

    def being(self, thing: Term, literal: Goal) -> Goal:
        """That a literal holds of a thing which is a target, as one literal."""
        parts = (*self.is_target(thing), literal)
        return literal if len(parts) == 1 else as_one_literal(And(parts))
