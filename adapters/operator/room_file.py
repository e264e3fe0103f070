"""The file of a room: rooms, furniture, things, and the tasks in it.

A person writes it by hand or with `peephole operator new`. The adapter `operator` asks a person
about this room; the scene loader `room` makes the same room for rules. Everything has a label of
its own, by which a person knows it: "fridge", "cup 2".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from ...data_files import read_checked
from ...scene_graph.node import Affordance, Relation, State
from ...scene_graph.rules import Ends
from .questions import Label, Words

#: The word for a relation in a file: "in fridge" or "inside fridge".
RELATION_WORDS = {
    "on": Relation.ON,
    "in": Relation.INSIDE,
    "inside": Relation.INSIDE,
    "under": Relation.UNDER,
}
#: The word that is written for a relation.
PREPOSITIONS = {Relation.ON: "on", Relation.INSIDE: "in", Relation.UNDER: "under"}
_NUMBER = re.compile(r" \d+$")
#: The affordances of furniture and things whose kind the file does not describe.
FURNITURE_KIND, THING_KIND = "surface", "graspable"


class Looks(StrEnum):
    """When the person says what is to be seen."""

    START = "start"  # around, before the first action
    NEW_ROOM = "new_room"  # around, on entering a room for the first time
    NEW_PLACE = "new_place"  # on furniture that the robot has come to for the first time
    AFTER_OPEN = "after_open"  # into what was opened
    EVERY_ACTION = "every_action"  # around, after each action


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Named(_Part):
    """Something in a room."""

    name: Label
    """Its label."""
    category: str = ""
    """What it is; by default its name without a number at the end."""
    states: tuple[State, ...] = ()
    """Its states at the start, where they differ from those of its kind."""
    safety: Words = ""
    """What to mind with it."""


class Furniture(_Named):
    """A piece of furniture or an appliance, which stays where it is."""

    room: Label
    """The room it stands in."""
    at: str = ""
    """Of an appliance on other furniture: "on counter"."""
    position: tuple[float, float, float] | None = None
    """Where it is, in m, for a robot that has to know (adapter rosbridge)."""


class Thing(_Named):
    """A thing that can be moved."""

    at: str
    """Where it is at the start: "on table", "in fridge", "in kitchen" for the floor there."""
    mapped: str = ""
    """Where a planner's map has it; empty where the map does not have it."""


class Condition(_Part):
    """A condition of a goal. All conditions of a task must hold."""

    thing: str = ""
    """The label of a thing or a piece of furniture."""
    any: str = ""
    """Instead, a category: that many things of it."""
    count: int = Field(default=1, ge=1)
    """How many things of the category."""
    at: str = ""
    """Where it has to be: "in fridge"."""
    state: State | None = None
    """The state it has to have."""
    event: str = ""
    """What must have happened to it: "heated"."""

    @model_validator(mode="after")
    def _has_both(self) -> Condition:
        if bool(self.thing) == bool(self.any):
            raise ValueError("give either thing or any")
        if not (self.at or self.state or self.event):
            raise ValueError("give at, state or event")
        return self


class RoomTask(_Part):
    """A task in the room."""

    name: str = Field(min_length=1, max_length=80, pattern=r"^[A-Za-z0-9_][A-Za-z0-9_./-]*$")
    """Its id."""
    instruction: str = Field(min_length=1)
    """The request to the robot."""
    criteria: tuple[Words, ...] = ()
    """Statements that hold exactly if it has succeeded; by default those of the goal."""
    goal: tuple[Condition, ...] = ()
    """The same for the simulated twin, which rules judge."""
    formula: dict[str, Any] | None = None
    """Instead of `goal`, one as JSON, with labels in place of ids (docs/howto/real_room.md)."""
    start: dict[str, str] = Field(default_factory=dict)
    """Where things are at the start of this task, where elsewhere: {apple: in fridge}."""
    states: dict[str, tuple[State, ...]] = Field(default_factory=dict)
    """States at the start of this task: {fridge: open}, or {lamp: [off, plugged_out]}."""
    prepare: tuple[Words, ...] = ()
    """What else to prepare, in words: "Fix block A to the table." Rules know nothing of it."""
    robot: str = ""
    """The room in which the robot starts, where it differs from the file's."""
    steps: int = Field(default=0, ge=0)
    """The most actions; 0 for those of the file."""
    category: str = ""
    """A group for statistics."""

    @field_validator("states", mode="before")
    @classmethod
    def _one_or_several(cls, states: Any) -> Any:
        if not isinstance(states, dict):
            return states
        return {label: [said] if isinstance(said, str) else said for label, said in states.items()}

    @model_validator(mode="after")
    def _can_be_judged(self) -> RoomTask:
        if self.goal and self.formula is not None:
            raise ValueError("give either goal or formula")
        if not (self.criteria or self.goal or self.formula is not None):
            raise ValueError("give criteria, or a goal from which they follow")
        return self


class RoomFile(_Part):
    """A whole room file."""

    version: Literal[1]
    """Of this format."""
    name: str = ""
    """What the rooms are, for the person."""
    rooms: tuple[Label, ...] = Field(min_length=1)
    """The labels of the rooms."""
    kinds: dict[str, str] = Field(default_factory=dict)
    """What things of a category are made for, and the states they begin in:
    {fridge: container openable closed}.
    """
    furniture: tuple[Furniture, ...] = ()
    """All that stays where it is."""
    things: tuple[Thing, ...] = ()
    """All that can be moved."""
    robot: Label
    """The room in which the robot starts."""
    look: tuple[Looks, ...] = (Looks.START, Looks.NEW_ROOM, Looks.AFTER_OPEN)
    """When the person says what is to be seen."""
    tries: int = Field(default=1, ge=1, le=10)
    """How often the person may try an action before it has failed."""
    steps: int = Field(default=50, ge=1)
    """The most actions of an episode."""
    ends: Ends = Ends.PLANNER_DONE
    """When an episode ends: planner_done, or goal_reached as soon as the criteria hold."""
    safety: Words = ""
    """What to mind with every action."""
    tasks: Annotated[tuple[RoomTask, ...], Field(min_length=1)]
    """The tasks."""

    @field_validator("kinds")
    @classmethod
    def _known_words(cls, kinds: dict[str, str]) -> dict[str, str]:
        known = {*map(str, Affordance), *map(str, State)}
        for category, words in kinds.items():
            for word in words.split():
                if word not in known:
                    raise ValueError(
                        f"'{word}' of {category} is neither an affordance nor a state; "
                        f"take of {', '.join(sorted(known))}"
                    )
        return kinds

    @model_validator(mode="after")
    def _fits_together(self) -> RoomFile:
        for problem in _problems(self):
            raise ValueError(problem)
        return self

    def task(self, name: str) -> RoomTask:
        """The task of a name. Raises KeyError."""
        return {task.name: task for task in self.tasks}[name]

    @property
    def parts(self) -> tuple[Furniture | Thing, ...]:
        """The furniture and the things."""
        return (*self.furniture, *self.things)

    def words_of(self, part: Furniture | Thing) -> set[str]:
        """The affordances and states of the kind of a piece of furniture or a thing."""
        usual = FURNITURE_KIND if isinstance(part, Furniture) else THING_KIND
        return set(self.kinds.get(category_of(part), usual).split())


def read_room(path: Path) -> RoomFile:
    """The room of a file. Raises BadInput with one sentence on the first mistake."""
    stamp = path.stat().st_mtime_ns if path.is_file() else 0
    return _read(path, stamp)


@lru_cache(maxsize=8)
def _read(path: Path, stamp: int) -> RoomFile:
    return read_checked(path, RoomFile, "room file")


def category_of(part: Furniture | Thing) -> str:
    """The category of a piece of furniture or a thing."""
    return part.category or category_of_label(part.name)


def category_of_label(label: str) -> str:
    """The category of what has only a label: "cup" of "Cup 2"."""
    return " ".join(_NUMBER.sub("", label).lower().split())


def split_place(text: str) -> tuple[Relation, str]:
    """The relation and the label of a place: "in fridge". Raises ValueError."""
    word, _, label = text.strip().partition(" ")
    relation = RELATION_WORDS.get(word)
    if relation is None or not label.strip():
        raise ValueError(f"'{text}' is no place; write on, in or under, and a label: 'on table'")
    return relation, label.strip()


def _problems(room: RoomFile) -> Iterator[str]:
    """What does not fit together, the first thing first."""
    furniture = {part.name: part for part in room.furniture}
    things = {part.name: part for part in room.things}
    labels = [*room.rooms, *(part.name for part in room.parts)]
    seen: set[str] = set()
    for label in labels:
        if label.lower() in seen:
            yield f"'{label}' is there twice; number what is alike: {label} 1, {label} 2"
        seen.add(label.lower())
    if room.robot not in room.rooms:
        yield f"the robot starts in '{room.robot}', which is no room of the file"
    for part in room.furniture:
        if part.room not in room.rooms:
            yield f"'{part.name}' stands in '{part.room}', which is no room of the file"
        if part.at:
            yield from _place_problems(room, part.name, part.at, set(furniture))
            base = furniture[split_place(part.at)[1]]
            if base.room != part.room:
                yield f"'{part.name}' is {part.at}, which stands in another room, '{base.room}'"
    for thing in room.things:
        for at in filter(None, (thing.at, thing.mapped)):
            yield from _place_problems(room, thing.name, at, {*room.rooms, *furniture, *things})
    yield from _cycles({part.name: part.at for part in room.furniture if part.at})
    yield from _cycles({thing.name: thing.at for thing in room.things})
    yield from _task_problems(room, furniture, things)


def _place_problems(room: RoomFile, what: str, at: str, known: set[str]) -> Iterator[str]:
    try:
        relation, label = split_place(at)
    except ValueError as error:
        yield f"the place of '{what}': {error}"
        return
    if label not in known:
        yield f"'{what}' is {at}, but the file has no '{label}'"
        return
    if label in room.rooms:
        if relation is not Relation.INSIDE:
            yield f"'{what}' is {at}, but '{label}' is a room; write 'in {label}'"
        return
    part = next(part for part in room.parts if part.name == label)
    needed = {Relation.ON: "surface", Relation.INSIDE: "container"}.get(relation)
    if needed is not None and needed not in room.words_of(part):
        yield (
            f"'{what}' is {at}, but '{label}' is no {needed}; correct the place, or give the kind "
            f"'{category_of(part)}' the word {needed}"
        )


def _cycles(places: dict[str, str]) -> Iterator[str]:
    for start in places:
        way = [start]
        while (at := places.get(way[-1])) is not None:
            label = split_place(at)[1]
            if label in way:
                yield f"'{start}' is, by way of others, at itself"
                return
            way.append(label)


def _task_problems(
    room: RoomFile, furniture: dict[str, Furniture], things: dict[str, Thing]
) -> Iterator[str]:
    names: set[str] = set()
    categories = {category_of(part) for part in things.values()}
    for task in room.tasks:
        where = f"in the task '{task.name}'"
        if task.name in names:
            yield f"two tasks have the name '{task.name}'"
        names.add(task.name)
        if task.robot and task.robot not in room.rooms:
            yield f"{where} the robot starts in '{task.robot}', which is no room of the file"
        for label, at in task.start.items():
            if label not in things:
                yield f"{where} 'start' has '{label}', which is no thing of the file"
            every = {*room.rooms, *furniture, *things}
            yield from (f"{where} {p}" for p in _place_problems(room, label, at, every))
        moved = {**{thing.name: thing.at for thing in room.things}, **task.start}
        yield from (f"{where} {problem}" for problem in _cycles(moved))
        for label in task.states:
            if label not in furniture and label not in things:
                yield f"{where} 'states' has '{label}', which the file does not have"
        for condition in task.goal:
            named = condition.thing
            if named and named not in furniture and named not in things:
                yield f"{where} the goal has '{named}', which the file does not have"
            if condition.any and condition.any not in categories:
                yield f"{where} the goal has any '{condition.any}', but no thing is one"
            if condition.at:
                every = {*room.rooms, *furniture, *things}
                what = named or condition.any
                problems = _place_problems(room, what, condition.at, every)
                yield from (f"{where} the goal: {problem}" for problem in problems)
