"""What a person in the room is asked, and the answers: the contract of every desk.

Questions and answers are plain data with a JSON form. A question names things by the labels of the
room file, never by the names that the planner reads, and nothing in it says which planner plays.
Every question carries the criteria of success, so that judging takes no question of its own.

A step asks `Do`, and then `Look` where the room file wants it. An episode begins with `Prepare`,
and goes on after an interruption with `Confirm`.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from ...data_files import first_mistake_in, json_text
from ...errors import BadInput
from ...scene_graph.node import Relation, State
from ...skills.actions import Verb
from ...skills.outcomes import Reason

#: Characters of a label, and of what a person types as a reason.
LONGEST_LABEL, LONGEST_WORDS = 60, 400
#: Things in one answer, and bytes of one photo.
MOST_SIGHTINGS, LARGEST_PHOTO = 200, 12_000_000
#: Characters kept of one reply of a model that read a photo.
LONGEST_REPLY = 40_000

Label = Annotated[
    str, Field(min_length=1, max_length=LONGEST_LABEL, pattern=r"^[^\x00-\x1f\x7f]+$")
]
Words = Annotated[str, Field(max_length=LONGEST_WORDS)]
#: How a thing may be kept by a place.
Kept = Literal[Relation.ON, Relation.INSIDE, Relation.UNDER]
KEPT: dict[Relation, Kept] = {
    Relation.ON: Relation.ON,
    Relation.INSIDE: Relation.INSIDE,
    Relation.UNDER: Relation.UNDER,
}


class _Data(BaseModel):
    """A piece of a question or an answer."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, ser_json_bytes="base64", val_json_bytes="base64"
    )


# --- pieces of questions -------------------------------------------------------------------------


class Criterion(_Data):
    """A written criterion of success."""

    text: str
    """A statement about the room, such as "The apple is in the fridge"."""
    holds: bool
    """What the person last said of it."""


class OfferedReason(_Data):
    """A reason of failure on offer."""

    reason: Reason
    """The typed failure."""
    words: str
    """The same in plain words."""


class Place(_Data):
    """A place that the person looks at."""

    label: Label
    """Of the room file."""
    relations: tuple[Kept, ...]
    """How it keeps things: on, inside; empty for what is closed, which only has a state to tell."""
    states: tuple[State, ...] = ()
    """The states it can be in, in pairs of opposites; empty where none are of interest."""
    is_room: bool = False
    """Whether it is a room: then only things count that are on or in no furniture."""


class KnownThing(_Data):
    """A thing that the person may pick by its label."""

    label: Label
    """Of the room file, or as the person typed it earlier."""
    category: str
    """What it is, such as "cup"."""
    states: tuple[State, ...] = ()
    """The states it can be in."""


class Sighting(_Data):
    """Something that the person sees: a thing at a place, or the state of something."""

    thing: Label
    """The label of a known thing or place, or a new one: "cup", "cup 2"."""
    relation: Kept | None = None
    """How its place keeps it; None together with `place` for the state of something alone."""
    place: Label | None = None
    """The label of the place, or of another thing that keeps it."""
    states: tuple[State, ...] = ()
    """States that the person sees."""


# --- questions -----------------------------------------------------------------------------------


class _Question(_Data):
    """What every question carries."""

    episode: str
    """An opaque name of the episode; it tells nothing about the planner."""
    number: int
    """Of the question in its episode, from 1. `Confirm` has that of the question after it."""
    instruction: str
    """The request to the robot, in the person's labels."""
    step: int
    """The number of the action, from 1; 0 before the first."""
    step_limit: int
    """The actions that the episode may have; 0 where nobody says."""
    criteria: tuple[Criterion, ...]
    """The written criteria, with what the person last said of each."""
    repeated: bool = False
    """Whether this question was asked before an interruption and not answered. The person may have
    acted on it already, and must not do so again.
    """

    @property
    def digest(self) -> str:
        """A stable digest of what is asked; the same after an interruption."""
        data = self.model_dump(mode="json", exclude={"repeated", "criteria", "pending"})
        return hashlib.sha256(json_text(data).encode()).hexdigest()[:20]


class Prepare(_Question):
    """Bring the room to the start of a task. Answered by `Ready`."""

    kind: Literal["prepare"] = "prepare"
    lines: tuple[str, ...]
    """What to put where, one sentence each."""
    trial: int = 1
    """How often the task is begun, with this time."""


class Do(_Question):
    """Do one action as the robot. Answered by `Done`, `Failed` or `Refused`."""

    kind: Literal["do"] = "do"
    text: str
    """The action in the person's labels: "Put the apple in the fridge.\""""
    verb: Verb
    """What is done."""
    thing: Label | None = None
    """The label of the thing acted on."""
    relation: Kept | None = None
    """How to put a thing."""
    place: Label | None = None
    """The label of the destination."""
    safety: str = ""
    """What to mind; empty where the room file says nothing."""
    tries: int = 1
    """How often the person may try before it has failed."""
    reasons: tuple[OfferedReason, ...]
    """The failures on offer, the likeliest first."""


class Look(_Question):
    """Say what is to be seen. Answered by `Seen`."""

    kind: Literal["look"] = "look"
    text: str
    """Where to look: "Look around in the kitchen.\""""
    places: tuple[Place, ...]
    """The places to look at."""
    expected: tuple[Sighting, ...]
    """What is known to be there; a start for the answer."""
    known: tuple[KnownThing, ...]
    """Things to pick from."""
    reserved: tuple[Label, ...] = ()
    """Labels of rooms and furniture, which no thing may have."""


class Confirm(_Question):
    """Confirm the state of the room after an interruption. Answered by `Confirmed`."""

    kind: Literal["confirm"] = "confirm"
    lines: tuple[str, ...]
    """What is known of the room, one sentence each."""
    pending: str = ""
    """The action that was asked for before the interruption and not answered, in the person's
    labels. It may be done already, which the lines do not have.
    """


Question = Prepare | Do | Look | Confirm


# --- answers -------------------------------------------------------------------------------------


class _Answer(_Data):
    """What every answer carries."""

    criteria: tuple[bool, ...]
    """Whether each criterion holds now, in the order of the question."""


class Ready(_Answer):
    """The room is as it was asked for."""

    kind: Literal["ready"] = "ready"


class Done(_Answer):
    """The action was done."""

    kind: Literal["done"] = "done"


class Failed(_Answer):
    """The action was tried, or looked at, and did not work."""

    kind: Literal["failed"] = "failed"
    reason: Reason
    """One of those on offer."""
    words: Words = ""
    """The person's own words, for the record only."""


class Refused(_Answer):
    """The person does not allow the action. The planner reads the words."""

    kind: Literal["refused"] = "refused"
    words: Words
    """Why, in a few words."""


class PhotoReading(_Data):
    """What a model said of a photo. The person saw it as a proposal; see `Seen.readings`."""

    model: str
    """The model, as results name it."""
    photo: str
    """The name of the photo's file in the episode's folder; it is kept if it was sent."""
    replies: tuple[str, ...] = ()
    """The model's replies, in order, those that are none included."""
    tokens: int = 0
    """The tokens of the replies."""
    sightings: tuple[Sighting, ...] = ()
    """What was proposed to the person."""
    left_out: tuple[str, ...] = ()
    """Names in the reply that fit no place of the question."""
    problem: str = ""
    """Why there is no proposal; empty where the photo was read."""

    @property
    def words(self) -> str:
        """What the person reads about it."""
        if self.problem:
            why = self.problem.rstrip(".")
            return f"The photo was not read: {why}. The photo is kept. Enter what you see by hand."
        if self.sightings:
            told = "Proposed from the photo. Remove what is wrong, and add what is missing."
        else:
            told = "Nothing at these places was made out in the photo. Enter what you see by hand."
        states = [s for s in self.sightings if s.place is None]
        words = [f"{s.thing} {' and '.join(s.states).replace('_', ' ')}" for s in states]
        if words:
            told += f" States in the photo: {', '.join(words)}."
        if self.left_out:
            told += f" Named too, but at no place here: {', '.join(self.left_out)}."
        return told


class Seen(_Answer):
    """Everything that is to be seen at the places of a `Look`.

    A place without sightings was seen empty.
    """

    kind: Literal["seen"] = "seen"
    sightings: tuple[Sighting, ...] = Field(default=(), max_length=MOST_SIGHTINGS)
    """Things at the places, and states of places and things."""
    unseen: tuple[Label, ...] = ()
    """Places of the question that could not be looked at."""
    photo: bytes | None = Field(default=None, max_length=LARGEST_PHOTO)
    """A photo as PNG or JPEG (in JSON as base64), which becomes the agent's camera image."""
    readings: tuple[PhotoReading, ...] = ()
    """What a model said of the photos of this answer, for the record only."""


class Confirmed(_Answer):
    """The room is as it was said, if need be after the person put it right."""

    kind: Literal["confirmed"] = "confirmed"


Answer = Ready | Done | Failed | Refused | Seen | Confirmed

#: The answers that each kind of question takes.
ANSWERS: dict[str, tuple[type[_Answer], ...]] = {
    "prepare": (Ready,),
    "do": (Done, Failed, Refused),
    "look": (Seen,),
    "confirm": (Confirmed,),
}

_QUESTION: TypeAdapter[Question] = TypeAdapter(Annotated[Question, Field(discriminator="kind")])
_ANSWER: TypeAdapter[Answer] = TypeAdapter(Annotated[Answer, Field(discriminator="kind")])


def question_from_json(text: str | bytes) -> Question:
    """The question of a JSON text. Raises BadInput."""
    with first_mistake_in("The question"):
        return _QUESTION.validate_json(text)


def answer_from_json(text: str | bytes) -> Answer:
    """The answer of a JSON text. Raises BadInput on the first mistake."""
    with first_mistake_in("The answer"):
        return _ANSWER.validate_json(text)


def check_answer(question: Question, answer: Answer) -> None:
    """Raise BadInput, in one sentence for the person, where an answer does not fit its question."""
    expected = ANSWERS[question.kind]
    if not isinstance(answer, expected):
        kinds = " or ".join(each.__name__.lower() for each in expected)
        raise BadInput(f"This question takes {kinds}, not {answer.kind}; answer it again.")
    if len(answer.criteria) != len(question.criteria):
        raise BadInput(
            f"The answer judges {len(answer.criteria)} criteria of {len(question.criteria)}; "
            f"say of each whether it holds."
        )
    match question, answer:
        case Do(), Failed(reason=reason):
            if reason not in {offered.reason for offered in question.reasons}:
                raise BadInput(f"The reason '{reason}' is not on offer here; choose one that is.")
        case Do(), Refused(words=words):
            if not words.strip():
                raise BadInput("The refusal has no reason; say in a few words why.")
        case Look(), Seen():
            _check_seen(question, answer)


def _check_seen(question: Look, seen: Seen) -> None:
    places = {place.label for place in question.places}
    reserved = {label.casefold() for label in question.reserved} | {p.casefold() for p in places}
    known = {thing.label for thing in question.known}
    things = {sighting.thing for sighting in seen.sightings if sighting.place is not None}
    placed: set[str] = set()
    for unseen in seen.unseen:
        if unseen not in places:
            raise BadInput(f"'{unseen}' was not to be looked at; leave it out.")
    for sighting in seen.sightings:
        thing, place = sighting.thing, sighting.place
        if (place is None) != (sighting.relation is None):
            raise BadInput(f"'{thing}' needs a place together with on, inside or under.")
        if place is None:
            if thing not in places | things | known:
                raise BadInput(f"'{thing}' is neither a place here nor a thing; say where it is.")
            continue
        if thing.casefold() in placed:
            raise BadInput(
                f"'{thing}' is named twice; leave it at one place, or give the other a name of its "
                f"own, with a number."
            )
        if thing.casefold() in reserved:
            raise BadInput(f"'{thing}' is a place of the room, not a thing; choose another name.")
        if thing == place or place not in places | things:
            raise BadInput(f"'{thing}' is at '{place}', which is no place to look at; choose one.")
        placed.add(thing.casefold())
    _check_no_cycle({each.thing: each.place for each in seen.sightings if each.place is not None})


def _check_no_cycle(place_of: dict[str, str]) -> None:
    """Raise BadInput where a thing is, by way of others, at itself."""
    for start in place_of:
        way = [start]
        while (place := place_of.get(way[-1])) is not None:
            if place in way:
                raise BadInput(f"'{way[-1]}' is at '{place}', which is at '{way[-1]}'; correct it.")
            way.append(place)
