"""The forms of answers about goals and places, and how they are read.

Partly useful answers are repaired, and each repair is recorded: names in another spelling, weights
that do not sum to 1, and parts that are left out. Others are refused with a sentence, and the model
is asked again.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pydantic import BaseModel

from ....models.contract import Unusable
from .situation import Asking, Situation, TreeAsking, Wanted

_T = TypeVar("_T")
#: The deviation of a sum of weights from 1 that is no repair.
_ROUNDING = 0.02
#: Larger weights count as this, so that no sum of weights overflows.
_LARGEST = 1e300
#: The most characters quoted of a name.
_QUOTED = 60


class ObjectToArea(BaseModel):
    """An object and where it should be."""

    object: str
    area: str


class Combination(BaseModel):
    """A goal."""

    objects: list[ObjectToArea]
    probability: float


class Goals(BaseModel):
    """The answer of the first and second level."""

    reasoning: str
    combinations: list[Combination]


class PossibleArea(BaseModel):
    """Where an object may be."""

    area: str
    probability: float


class Places(BaseModel):
    """The answer of the third level, on one object."""

    reasoning: str
    areas: list[PossibleArea]


class ObjectFromTo(BaseModel):
    """An object, where it should be and where it is."""

    object: str
    target_area: str
    current_area: str


class FlatHypothesis(BaseModel):
    """A goal with the places of its objects."""

    objects: list[ObjectFromTo]
    probability: float


class Flat(BaseModel):
    """The answer to one question about everything."""

    reasoning: str
    hypotheses: list[FlatHypothesis]


class ChosenAction(BaseModel):
    """An action, of those that are possible."""

    reasoning: str
    action: str


@dataclass(frozen=True)
class Weighed(Generic[_T]):
    """The reading of an answer: possibilities with weights that sum to 1, and the repairs."""

    possibilities: tuple[tuple[_T, float], ...]
    repairs: tuple[str, ...] = ()


@dataclass
class Repairs:
    """The repairs of an answer, one sentence each."""

    sentences: list[str] = field(default_factory=list)

    def add(self, sentence: str) -> None:
        if sentence not in self.sentences:
            self.sentences.append(sentence)


def read_goals(answer: Goals, now: Situation, asking: TreeAsking) -> Weighed[Wanted]:
    """The goals of an answer. Raises Unusable where none is left."""
    if not answer.combinations:
        raise Unusable(
            "There is no combination in the answer. The robot brings objects to areas and does "
            "nothing else: name the objects that serve the instruction best.",
            "no goal of use",
        )
    reader = _GoalReader(now, asking)
    possible = [
        (targets, combination.probability)
        for number, combination in enumerate(answer.combinations, start=1)
        if (targets := reader.targets(number, combination.objects)) is not None
    ]
    return _weighed(possible, asking.candidates, "goal", reader.repairs)


def read_places(answer: Places, thing: str, now: Situation, asking: TreeAsking) -> Weighed[str]:
    """The closed areas where an object may be. Raises Unusable where none is left."""
    repairs = Repairs()
    possible = []
    for place in answer.areas:
        area = _area(place.area, now.areas, repairs)
        if area is None:
            continue
        if area not in now.closed:
            repairs.add(f"{area} is open, and {thing} was not seen there.")
        else:
            possible.append((area, place.probability))
    return _weighed(possible, asking.candidates, "area", repairs)


def read_flat(
    answer: Flat, now: Situation, asking: Asking, most: int
) -> Weighed[tuple[Wanted, Wanted]]:
    """The hypotheses of an answer: targets, and places of what is not seen. Raises Unusable."""
    reader = _GoalReader(now, asking, locked=False)
    possible = []
    for number, hypothesis in enumerate(answer.hypotheses, start=1):
        wanted = [ObjectToArea(object=o.object, area=o.target_area) for o in hypothesis.objects]
        targets = reader.targets(number, wanted)
        if targets is None:
            continue
        places = _places(hypothesis.objects, targets, now, reader.repairs)
        if places is not None:
            possible.append(((targets, places), hypothesis.probability))
    return _weighed(possible, most, "hypothesis", reader.repairs)


def _places(
    objects: Sequence[ObjectFromTo], targets: Wanted, now: Situation, repairs: Repairs
) -> Wanted | None:
    """The places of a goal's unseen objects; None where one is not in a closed area."""
    places = {}
    for each in objects:
        thing = object_named(each.object, now.seen)
        if thing not in targets or thing in now.seen:
            continue
        area = _area(each.current_area, now.areas, repairs)
        if area is None:
            return None
        if area not in now.closed:
            repairs.add(f"{area} is open, and {thing} was not seen there.")
            return None
        places[thing] = area
    return places


class _GoalReader:
    """A reader of one answer's goals. An object's first wanted area holds for all of them."""

    def __init__(self, now: Situation, asking: Asking, *, locked: bool = True) -> None:
        """locked: an object has the same area in all goals."""
        self.repairs = Repairs()
        self._now = now
        self._asking = asking
        self._locked = locked
        self._areas: dict[str, str] = {}

    def targets(self, number: int, objects: Sequence[ObjectToArea]) -> Wanted | None:
        """The targets of a goal; None where it has to be left out."""
        targets: dict[str, str] = {}
        for each in objects:
            thing = object_named(each.object, self._now.seen)
            area = _area(each.area, self._now.areas, self.repairs)
            if area is None or not thing:
                return None
            if thing != each.object:
                self.repairs.add(f"'{each.object[:_QUOTED]}' is taken for {thing}.")
            if self._needs_nothing(thing, area):
                continue
            if targets.get(thing, area) != area or not self._may_be(number, thing, area):
                return None
            targets[thing] = area
        if self._is_goal(number, targets):
            self._areas |= targets
            return targets
        return None

    def _needs_nothing(self, thing: str, area: str) -> bool:
        now = self._now
        if thing in now.placed:
            self.repairs.add(f"{thing} is placed right already and needs nothing more.")
        elif now.objects.get(thing) == area:
            self.repairs.add(f"{thing} is at {area} already, and that was not told to be right.")
        else:
            return False
        return True

    def _may_be(self, number: int, thing: str, area: str) -> bool:
        """Whether an object may be wanted at an area: it exists, and has no second area."""
        first = self._areas.get(thing, area)
        if self._locked and first != area:
            self.repairs.add(f"{thing} is wanted at {first} and, in goal {number}, at {area}.")
            return False
        if thing not in self._now.seen and not self._now.closed:
            self.repairs.add(f"All areas are open, and there is no {thing}.")
            return False
        return True

    def _is_goal(self, number: int, targets: Wanted) -> bool:
        if not targets:
            self.repairs.add(f"Goal {number} leaves nothing to do.")
        elif len(targets) > self._asking.combination:
            self.repairs.add(
                f"Goal {number} has {len(targets)} objects; at most "
                f"{self._asking.combination} are asked for."
            )
        elif len({*self._areas, *targets}) > self._asking.objects:
            self.repairs.add(
                f"Goal {number} makes it more than {self._asking.objects} different objects."
            )
        elif dict(targets) in [dict(failed) for failed in self._now.failed]:
            self.repairs.add(f"Goal {number} was reached already, and was not what is wanted.")
        else:
            return True
        return False


def _area(said: str, areas: Sequence[str], repairs: Repairs) -> str | None:
    """The known area of a name; None if there is none."""
    meant = matched(said, areas)
    if meant is None:
        repairs.add(f"There is no area '{said[:_QUOTED]}'.{nearest(said, areas)}")
    elif meant != said:
        repairs.add(f"'{said[:_QUOTED]}' is taken for {meant}.")
    return meant


def _weighed(
    possible: Sequence[tuple[_T, float]], most: int, what: str, repairs: Repairs
) -> Weighed[_T]:
    """Distinct possibilities with weights that sum to 1. Raises Unusable."""
    possible = [
        (each, max(-_LARGEST, min(weight, _LARGEST)) if math.isfinite(weight) else weight)
        for each, weight in possible
    ]
    merged: list[tuple[_T, float]] = []
    for each, weight in possible:
        if not (math.isfinite(weight) and weight > 0):
            repairs.add(f"The probability {weight} of a {what} is left out: it is not above 0.")
            continue
        at = next((i for i, (other, _) in enumerate(merged) if other == each), None)
        if at is None:
            merged.append((each, weight))
        else:
            repairs.add(f"A {what} is there twice.")
            merged[at] = (each, merged[at][1] + weight)
    if not merged:
        why = " ".join(repairs.sentences[:4])
        raise Unusable(why or f"There is no {what} in the answer.", f"no {what} of use")
    if len(merged) > most:
        repairs.add(f"There are {len(merged)} of a {what}; the likeliest {most} are used.")
        merged = sorted(merged, key=lambda pair: -pair[1])[:most]
    largest = max(weight for _, weight in merged)
    total = math.fsum(weight / largest for _, weight in merged)
    if abs(math.fsum(weight for _, weight in possible if math.isfinite(weight)) - 1) > _ROUNDING:
        repairs.add("The probabilities do not sum to 1 and are scaled.")
    return Weighed(
        tuple((each, weight / largest / total) for each, weight in merged), tuple(repairs.sentences)
    )


# --- names as models write them, matched with those of areas and objects --------------------------

_SEPARATORS = re.compile(r"[\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SUFFIX = re.compile(r"(?:_\d+)+$")


def normalised(said: str) -> str:
    """A name in lower case, its words and numbers joined by "_"; empty where it has none."""
    return _SEPARATORS.sub("_", _CAMEL.sub("_", said)).strip("_").lower()


def without_number(name: str) -> str:
    """A normalised name without the numbers at its end."""
    return _SUFFIX.sub("", name) or name


def matched(said: str, known: Iterable[str]) -> str | None:
    """The known name that is meant; None where it is none or there are several.

    It is the exact match, else the one with the same letters and numbers, else the one with the
    same letters. The last two ignore numbers at the end.
    """
    names = list(known)
    if said in names:
        return said
    for way in (_letters, lambda name: _letters(without_number(normalised(name)))):
        same = [name for name in names if way(name) == way(said)]
        if same:
            return same[0] if len(same) == 1 else None
    return None


def object_named(said: str, seen: Iterable[str]) -> str:
    """The object in view that is meant, the first of several; else the name of an unseen one."""
    names = sorted(seen)
    meant = matched(said, names)
    if meant is not None:
        return meant
    plain = without_number(normalised(said))
    alike = [name for name in names if without_number(normalised(name)) == plain]
    return alike[0] if alike else plain


def _letters(name: str) -> str:
    """The letters and numbers of a name, in lower case."""
    return _SEPARATORS.sub("", name).lower()


def nearest(said: str, known: Iterable[str]) -> str:
    """A hint such as " Near to it: cutlery_drawer."; empty where no name is near."""
    near = difflib.get_close_matches(normalised(said), list(known), n=3, cutoff=0.5)
    return f" Near to it: {', '.join(near)}." if near else ""
