"""The mapping file of a robot: a YAML file that says which ROS names do which skill.

    version: 1
    bridge: ws://127.0.0.1:9090
    ros: 1
    limits: {speed: 0.3, forbidden: [slice]}
    skills:
      go_to:
        action: /go_to
        type: my_robot/GoToAction
        fields: {place: "{target.name}", speed: "{speed}"}
        deadline_s: 90

Values in braces are filled in for each action; `fields` has their names.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...data_files import checked, read_yaml
from ...errors import BadInput
from ...skills.actions import ARM_ONLY_VERBS, Verb
from ...skills.outcomes import Failure, FailureClass, Reason
from .fields import OF_START, names_in, values_of

_Name = Annotated[str, Field(pattern=r"^/?[A-Za-z~][A-Za-z0-9_/~]*$", max_length=200)]
_Type = Annotated[str, Field(pattern=r"^[A-Za-z]\w*(/(msg|srv|action))?/[A-Za-z]\w*$")]
#: A path into a message: "status.code", or "poses.0.x" into a list.
_Path = Annotated[str, Field(pattern=r"^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$", max_length=200)]
_Seconds = Annotated[float, Field(gt=0, le=3600)]
#: Seconds for one question to rosapi, and for stopping the robot over a new connection.
ROSAPI_S, STOP_S = 5.0, 3.0
#: Seconds that a person may take to prepare a room: a day.
PATIENCE_S = 86_400.0
#: Failures that a robot can report: the others mean a lost connection or a person.
_REPORTED = frozenset(
    reason
    for reason in Reason
    if Failure(reason).kind not in (FailureClass.INFRASTRUCTURE, FailureClass.DENIED)
)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Result(_Strict):
    """How the robot says whether it did a skill."""

    ok: _Path | None = None
    """The field that is true after a success. Without it, the status of the action or the service
    decides.
    """
    error: _Path | None = None
    """The field with the robot's words or code for a failure."""
    reasons: dict[str, Reason] = {}
    """From a word or code of `error` to a typed failure; the first that occurs in it."""

    @model_validator(mode="after")
    def _are_of_a_robot(self) -> Result:
        for words, reason in self.reasons.items():
            if reason not in _REPORTED:
                raise ValueError(f"a robot cannot report '{reason}' ('{words}'); choose another")
        if self.reasons and self.error is None:
            raise ValueError("'reasons' need the field 'error' that has the robot's words")
        return self


class Answer(_Strict):
    """The topic on which a robot answers what was published to it."""

    topic: _Name
    type: _Type
    id: _Path
    """The field that repeats the id of the order; `fields` must send "{id}"."""


class Skill(_Strict):
    """What does one verb: an action, a service, or a topic with its answer."""

    action: _Name | None = None
    """The name of an action server."""
    service: _Name | None = None
    """The name of a service."""
    topic: _Name | None = None
    """A topic on which the order is published; needs `answer`."""
    type: _Type
    """Of the action (ROS 1: "package/NameAction"), the service or the topic."""
    fields: dict[str, Any] = {}
    """The goal, request or message, with values in braces."""
    answer: Answer | None = None
    """Where the robot answers a topic."""
    result: Result = Result()
    """How the robot says whether it worked."""
    deadline_s: _Seconds = 60.0
    """Seconds until the order is cancelled."""
    speed: float | None = Field(default=None, gt=0)
    """In m/s, for "{speed}"; without it `limits.speed`."""

    @property
    def name(self) -> str:
        return self.action or self.service or self.topic or ""

    @model_validator(mode="after")
    def _is_one_thing(self) -> Skill:
        if sum(each is not None for each in (self.action, self.service, self.topic)) != 1:
            raise ValueError("give one of action, service and topic")
        if (self.topic is None) != (self.answer is None):
            raise ValueError("a topic needs 'answer', and nothing else has one")
        if self.topic is not None and "id" not in names_in(self.fields):
            raise ValueError('the fields must send "{id}", so that the answer can repeat it')
        return self


class Workspace(_Strict):
    """The box, in m in the frame of the scene, in which targets and destinations must lie."""

    min: tuple[float, float, float]
    max: tuple[float, float, float]

    @model_validator(mode="after")
    def _is_a_box(self) -> Workspace:
        if any(low >= high for low, high in zip(self.min, self.max, strict=True)):
            raise ValueError("each number of 'min' must be below that of 'max'")
        return self


class Limits(_Strict):
    """What is never sent to the robot."""

    workspace: Workspace | None = None
    speed: float | None = Field(default=None, gt=0, le=10)
    """In m/s: the value of "{speed}", and the most that a skill may ask for."""
    forbidden: frozenset[Verb] = frozenset()
    """Verbs that are denied."""


class Watchdog(_Strict):
    """Silence after which a running order is cancelled."""

    silence_s: _Seconds = 10.0
    """Seconds without a sign of life from the robot."""
    topic: _Name | None = None
    """The topic of a heartbeat. Without it, status and feedback of the running action count, and
    services and topics have their deadline only.
    """
    type: _Type = "std_msgs/Empty"


class Stop(_Strict):
    """A message that stops the robot, sent along with each cancel."""

    topic: _Name
    type: _Type
    fields: dict[str, Any] = {}


class Topic(_Strict):
    """A topic that the robot publishes."""

    topic: _Name
    type: _Type


class Objects(Topic):
    """The topic of what the robot sees. It must be published again after each action."""

    list: _Path
    """The field with the list of things."""
    name: _Path
    """In each thing: its name, the same whenever it is seen."""
    category: _Path | None = None
    """In each thing: what it is; without it the scene or the name tells."""
    place: _Path
    """In each thing: the name of the furniture, thing or room that keeps it."""
    relation: _Path | None = None
    """In each thing: on, inside or under; without it, what fits the place."""
    states: _Path | None = None
    """In each thing: a list of its states, such as open."""
    covers: _Path | None = None
    """The field with the list of places that were looked at; without it, where the robot stands."""


class Location(Topic):
    """The topic of where the robot is."""

    place: _Path
    """The name of a room, or of the furniture that it stands at."""


class Gripper(Topic):
    """The topic of what the robot holds."""

    holding: _Path
    """The name of the held thing, or a list of names; empty for none."""


class Perception(_Strict):
    """The topics that become the scene graph."""

    objects: Objects
    location: Location | None = None
    """Without it, the robot is where its last action led."""
    gripper: Gripper | None = None
    """Without it, the robot holds what its actions say."""
    settle_s: float = Field(default=0.0, ge=0, le=60)
    """Seconds after an action before its messages count."""
    within_s: _Seconds = 5.0
    """Seconds after an action until two new messages of every topic must have come."""


class Judge(Topic):
    """A topic on which a person or a program says whether the goal is reached."""

    done: _Path
    """The field that is true then."""


class Mapping(_Strict):
    """A whole mapping file."""

    version: Literal[1]
    name: str = ""
    """The robot, for the record."""
    bridge: Annotated[str, Field(pattern=r"^wss?://[^\s/:]+(:\d{1,5})?(/\S*)?$")]
    """The address of the rosbridge server."""
    ros: Literal[1, 2] = 1
    """The robot's version of ROS."""
    hands: int = Field(default=1, ge=1, le=4)
    """How many things it holds."""
    check_names: bool = True
    """Whether the names are looked up by rosapi before an episode."""
    check_rules: bool = True
    """Whether an action that cannot work by what was perceived is kept from the robot."""
    connect_s: _Seconds = 10.0
    """Seconds until the connection must be there."""
    cancel_s: _Seconds = 5.0
    """Seconds that the robot has to confirm a cancel."""
    limits: Limits = Limits()
    watchdog: Watchdog = Watchdog()
    stop: Stop | None = None
    start: Skill | Literal["operator"] | None = None
    """What brings the room to the start of an episode: the robot, or a person who is asked to, as
    by the adapter `operator`. Without it, it is taken to be there.
    """
    skills: Annotated[dict[Verb, Skill], Field(min_length=1)]
    perception: Perception
    judge: Literal["perceived"] | Judge = "perceived"
    """Who says whether the goal is reached: the goal over what was perceived, or a topic."""

    @property
    def attempt_s(self) -> float:
        """Seconds in which every attempt ends."""
        slowest = max(skill.deadline_s for skill in self.skills.values())
        seeing = self.perception.settle_s + self.perception.within_s
        return slowest + self.cancel_s + seeing + STOP_S + 5.0

    @property
    def reset_s(self) -> float:
        """Seconds in which every reset ends."""
        if self.start == "operator":
            return PATIENCE_S
        starting = 0.0 if self.start is None else self.start.deadline_s
        return self.attempt_s + starting + self.connect_s + 3 * ROSAPI_S

    @model_validator(mode="after")
    def _agrees(self) -> Mapping:
        arm = sorted(ARM_ONLY_VERBS & self.skills.keys())
        if arm:
            raise ValueError(f"the skill {arm[0]} is of arms with poses; leave it out")
        unused = sorted(self.limits.forbidden - self.skills.keys())
        if unused:
            raise ValueError(f"the forbidden {unused[0]} is no skill here; leave it out")
        for verb, skill in self.skills.items():
            _check_skill(verb, skill, self)
        if isinstance(self.start, Skill):
            _check_names("start", self.start, OF_START)
        speeds = (names_in(skill.fields) for skill in self.skills.values())
        if self.limits.speed is not None and not any("speed" in names for names in speeds):
            raise ValueError('no skill sends "{speed}", so that limits.speed would bind nothing')
        return self


def _check_skill(verb: Verb, skill: Skill, whole: Mapping) -> None:
    """Raise ValueError where a skill does not fit its verb, the limits or the version of ROS."""
    _check_names(verb, skill, values_of(verb))
    if "speed" in names_in(skill.fields) and (skill.speed or whole.limits.speed) is None:
        raise ValueError(f'{verb} sends "{{speed}}", but neither it nor the limits say how much')
    if skill.speed and whole.limits.speed and skill.speed > whole.limits.speed:
        raise ValueError(f"the speed {skill.speed:g} of {verb} is above limits.speed; lower it")
    if skill.action and whole.ros == 1 and not re.search(r"[^/]Action$", skill.type):
        raise ValueError(f'the type of {verb} must end in "Action" in ROS 1')


def _check_names(of: str, skill: Skill, known: tuple[str, ...]) -> None:
    """Raise ValueError for a value in braces that a skill does not have."""
    for name in sorted(names_in(skill.fields)):
        if name not in known:
            raise ValueError(f'"{{{name}}}" of {of} is unknown; use one of {", ".join(known)}')


def read_mapping(path: Path) -> Mapping:
    """The mapping of a file. Raises BadInput naming what is wrong with it."""
    try:
        data = read_yaml(path)
    except OSError as error:
        raise BadInput(f"The robot's file {path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise BadInput(f"The robot's file {path} is no YAML ({error}); correct it.") from None
    return checked(data, Mapping, f"The robot's file {path}")
