"""Actions as typed values, and their plain-data form."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from ..errors import BadInput
from ..scene_graph.node import Relation


class Verb(StrEnum):
    """What an agent can do."""

    GO_TO = "go_to"
    PICK_UP = "pick_up"
    PUT = "put"
    OPEN = "open"
    CLOSE = "close"
    TURN_ON = "turn_on"
    TURN_OFF = "turn_off"
    PLUG_IN = "plug_in"
    PLUG_OUT = "plug_out"
    SLICE = "slice"
    DROP = "drop"
    POUR = "pour"
    SIT = "sit"
    LIE_DOWN = "lie_down"
    STAND_UP = "stand_up"
    SLEEP = "sleep"
    WAKE_UP = "wake_up"
    PUT_ON = "put_on"
    TAKE_OFF = "take_off"
    EAT = "eat"
    DRINK = "drink"
    READ = "read"
    WASH = "wash"
    RINSE = "rinse"
    SCRUB = "scrub"
    WIPE = "wipe"
    TOUCH = "touch"
    TYPE = "type"
    SQUEEZE = "squeeze"
    PUSH = "push"
    PULL = "pull"
    MOVE = "move"
    TURN_TO = "turn_to"
    POINT_AT = "point_at"
    WATCH = "watch"
    GREET = "greet"
    LOOK = "look"
    WAIT = "wait"
    REACH = "reach"  # from here on: arms only
    PLACE = "place"
    RESET = "reset"
    HEAT = "heat"  # from here on: text games only; a held thing with an appliance
    COOL = "cool"
    CLEAN = "clean"
    INVENTORY = "inventory"
    HELP = "help"


#: Verbs that only a robot arm has. It also has `pick_up` and `wait`.
ARM_ONLY_VERBS = frozenset({Verb.REACH, Verb.PLACE, Verb.RESET})
#: The verbs of a robot arm.
ARM_VERBS = ARM_ONLY_VERBS | {Verb.PICK_UP, Verb.WAIT}
#: Verbs that only text games have. They also have some of the household's.
GAME_ONLY_VERBS = frozenset({Verb.HEAT, Verb.COOL, Verb.CLEAN, Verb.INVENTORY, Verb.HELP})
#: Verbs of household actions; `dynamics` is their model, physics that of the others.
HOUSEHOLD_VERBS = frozenset(Verb) - ARM_ONLY_VERBS - GAME_ONLY_VERBS
#: Verbs without a target.
WITHOUT_TARGET = ARM_ONLY_VERBS | frozenset(
    {Verb.STAND_UP, Verb.SLEEP, Verb.WAKE_UP, Verb.WAIT, Verb.INVENTORY, Verb.HELP}
)
#: Verbs whose target is optional.
OPTIONAL_TARGET = frozenset({Verb.LOOK})
#: Verbs with a destination.
WITH_PLACE = frozenset({Verb.PUT, Verb.POUR, Verb.HEAT, Verb.COOL, Verb.CLEAN})
#: Verbs with a pose.
WITH_POSE = frozenset({Verb.REACH, Verb.PLACE})
#: How a thing can be put.
PUT_RELATIONS = (Relation.ON, Relation.INSIDE, Relation.UNDER)


@dataclass(frozen=True, slots=True, init=False)
class Action:
    """One primitive action.

    Use the functions below, which give each verb its arguments. Raises BadInput for a pose or
    seconds that are not numeric.
    """

    verb: Verb
    """What is done."""
    target: int | None = None
    """The node acted on."""
    relation: Relation | None = None
    """How to put a thing: on, inside or under."""
    place: int | None = None
    """The destination of `put` and `pour`; the appliance of `heat`, `cool` and `clean`."""
    pose: tuple[float, ...] | None = None
    """Of the gripper, for `reach` and `place`: x y z in m, then a quaternion (x, y, z, w), or three
    Euler angles in rad for arms that take those.
    """
    seconds: float | None = None
    """The duration of an arm's `wait`."""

    def __init__(
        self,
        verb: Verb,
        target: int | None = None,
        relation: Relation | None = None,
        place: int | None = None,
        pose: tuple[float, ...] | None = None,
        seconds: float | None = None,
    ) -> None:
        # Menus make thousands of actions; the dataclass method takes twice as long.
        _set_verb(self, verb)
        _set_target(self, target)
        _set_relation(self, relation)
        _set_place(self, place)
        _set_pose(self, pose)
        _set_seconds(self, seconds)
        if pose is None and seconds is None:
            return
        for name, value in (("pose", pose), ("seconds", seconds)):
            numbers = value if isinstance(value, tuple) else (value,)
            if value is not None and not all(map(_is_number, numbers)):
                raise BadInput(f"The '{name}' of {self.verb} is {value!r}; expected numbers.")

    @property
    def things(self) -> tuple[int, ...]:
        """The nodes concerned, in the order of the arguments."""
        if self.target is None:
            return ()
        return (self.target,) if self.place is None else (self.target, self.place)


#: The setter of a new action's fields, which are read-only afterwards.
_set_verb, _set_target, _set_relation, _set_place, _set_pose, _set_seconds = (
    getattr(Action, field.name).__set__ for field in fields(Action)
)


def _on(verb: Verb) -> Callable[[int], Action]:
    """The function that makes an action of a verb on one thing, from its node id."""
    return lambda thing: Action(verb, thing)


go_to = _on(Verb.GO_TO)
pick_up = _on(Verb.PICK_UP)
open_ = _on(Verb.OPEN)
close = _on(Verb.CLOSE)
turn_on = _on(Verb.TURN_ON)
turn_off = _on(Verb.TURN_OFF)
plug_in = _on(Verb.PLUG_IN)
plug_out = _on(Verb.PLUG_OUT)
slice_ = _on(Verb.SLICE)
drop = _on(Verb.DROP)  # let a held thing fall where the agent stands
sit = _on(Verb.SIT)
lie_down = _on(Verb.LIE_DOWN)
put_on = _on(Verb.PUT_ON)  # put on a held garment, to wear it
take_off = _on(Verb.TAKE_OFF)  # take off a worn garment; it falls where the agent stands
eat = _on(Verb.EAT)  # eat food, or what lies on a plate
drink = _on(Verb.DRINK)
read = _on(Verb.READ)
wash = _on(Verb.WASH)
rinse = _on(Verb.RINSE)
scrub = _on(Verb.SCRUB)
wipe = _on(Verb.WIPE)  # wipe a thing with the held tool
touch = _on(Verb.TOUCH)
type_ = _on(Verb.TYPE)
squeeze = _on(Verb.SQUEEZE)
push = _on(Verb.PUSH)
pull = _on(Verb.PULL)
move = _on(Verb.MOVE)
turn_to = _on(Verb.TURN_TO)
point_at = _on(Verb.POINT_AT)
watch = _on(Verb.WATCH)
greet = _on(Verb.GREET)


def put(thing: int, relation: Relation, place: int) -> Action:
    return Action(Verb.PUT, thing, relation, place)


def pour(thing: int, place: int) -> Action:
    """Pour a held liquid, or some content of a held thing, onto or into a recipient."""
    return Action(Verb.POUR, thing, None, place)


def stand_up() -> Action:
    return Action(Verb.STAND_UP)


def sleep() -> Action:
    return Action(Verb.SLEEP)


def wake_up() -> Action:
    return Action(Verb.WAKE_UP)


def look(thing: int | None = None) -> Action:
    """Look around, or turn to a thing and look at it."""
    return Action(Verb.LOOK, thing)


def wait(seconds: float | None = None) -> Action:
    """Do nothing; seconds: only for arms. Raises BadInput for an impossible duration."""
    if seconds is not None and not (_is_number(seconds) and 0 <= seconds < math.inf):
        raise BadInput(f"The waiting time {seconds!r} is invalid; give seconds, a number from 0.")
    return Action(Verb.WAIT, seconds=None if seconds is None else float(seconds))


def reach(pose: Sequence[float]) -> Action:
    """Move the gripper of an arm to a pose. Raises BadInput for an invalid pose."""
    return Action(Verb.REACH, pose=_pose(Verb.REACH, pose))


def place(pose: Sequence[float]) -> Action:
    """Move the gripper of an arm to a pose and open it. Raises BadInput for an invalid pose."""
    return Action(Verb.PLACE, pose=_pose(Verb.PLACE, pose))


def reset() -> Action:
    """Move an arm back to its start."""
    return Action(Verb.RESET)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _pose(verb: Verb, pose: object) -> tuple[float, ...]:
    if not isinstance(pose, (list, tuple)) or not all(
        _is_number(number) and math.isfinite(number) for number in pose
    ):
        raise BadInput(f"The 'pose' of {verb} is {pose!r}; expected a list of finite numbers.")
    if len(pose) not in (6, 7):
        raise BadInput(
            f"The 'pose' of {verb} has {len(pose)} numbers; expected 7, x y z and a quaternion, "
            f"or 6, x y z and Euler angles."
        )
    return tuple(float(number) for number in pose)


def to_data(action: Action) -> dict[str, Any]:
    """An action as JSON data, without absent fields."""
    data: dict[str, Any] = {name: getattr(action, name) for name in _FIELDS}
    data["verb"] = str(action.verb)
    data["relation"] = action.relation and str(action.relation)
    data["pose"] = action.pose and list(action.pose)
    return {name: value for name, value in data.items() if value is not None}


def from_data(data: Mapping[str, Any]) -> Action:
    """The action from the data of `to_data`. Raises BadInput naming the wrong field."""
    return _checked(*(data.get(name) for name in _FIELDS))


def check(action: Action) -> None:
    """Raise BadInput, naming the argument, for an action without what its verb needs."""
    _checked(*(getattr(action, name) for name in _FIELDS))


_FIELDS = tuple(field.name for field in fields(Action))


def _checked(verb: Any, target: Any, relation: Any, place: Any, pose: Any, seconds: Any) -> Action:
    """The action with these arguments. Raises BadInput as `check`."""
    try:
        verb = Verb(verb)
    except ValueError:
        raise BadInput(
            f"An action's 'verb' is {verb!r}; expected one of {', '.join(Verb)}."
        ) from None
    for name, value in (("target", target), ("place", place)):
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise BadInput(f"The '{name}' of {verb} is {value!r}; expected a node id (an integer).")
    if verb is Verb.PUT and relation not in PUT_RELATIONS:
        raise BadInput(
            f"The 'relation' of put is {relation!r}; expected {' or '.join(PUT_RELATIONS)}."
        )
    if verb in WITH_PLACE and place is None:
        raise BadInput(f"The action {verb} has no 'place'; expected a node id.")
    if target is None and verb not in WITHOUT_TARGET | OPTIONAL_TARGET:
        raise BadInput(f"The action {verb} has no 'target'; expected a node id.")
    if verb is not Verb.PUT and relation is not None:
        raise BadInput(f"The action {verb} takes no 'relation'.")
    if verb not in WITH_PLACE and place is not None:
        raise BadInput(f"The action {verb} takes no 'place'.")
    if verb in WITHOUT_TARGET and target is not None:
        raise BadInput(f"The action {verb} takes no 'target'.")
    if verb in WITH_POSE:
        return Action(verb, pose=_pose(verb, pose))
    if pose is not None:
        raise BadInput(f"The action {verb} takes no 'pose'.")
    if verb is Verb.WAIT:
        return wait(seconds)
    if seconds is not None:
        raise BadInput(f"The action {verb} takes no 'seconds'.")
    return Action(verb, target, Relation(relation) if relation else None, place)
