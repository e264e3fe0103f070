"""What notes on a belief and on a search say, read off their data.

A note "belief" has how likely each object is in each area before and after an observation, and the
likeliest goals; a note "search" has the action that was chosen, its value with bounds, what the
search took, and the best branch of its tree. Data of another form, as of other planners, is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...planners.contract import Note

#: The names of the notes.
BELIEF, SEARCH = "belief", "search"
#: A change of a probability that is told.
TOLD_CHANGE = 0.005

_Probability = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
_Finite = Annotated[float, Field(allow_inf_nan=False)]
#: Areas with their probabilities, by object.
Places = Mapping[str, Mapping[str, _Probability]]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True)


@dataclass(frozen=True)
class Change:
    """How likely an object was and is in an area; None where a shortened list leaves it open.

    fell: it was listed before and is so unlikely now that it is not.
    """

    area: str
    before: float | None
    after: float | None
    fell: bool = False

    @property
    def told(self) -> bool:
        """Whether both are known and differ by what can be told."""
        if self.before is None or self.after is None:
            return False
        return abs(self.after - self.before) >= TOLD_CHANGE

    @property
    def is_certain(self) -> bool:
        return (self.after or 0.0) > 1 - TOLD_CHANGE


class HypothesisedGoal(_Data):
    """A goal that may be meant. targets: the area that each of its objects is to come to."""

    weight: _Probability
    targets: Mapping[str, str]

    @property
    def told(self) -> str:
        """Such as "mug, plate to prep surface; jar to spice shelf"."""
        by_area: dict[str, list[str]] = {}
        for name, area in self.targets.items():
            by_area.setdefault(spaced(area), []).append(spaced(name))
        return "; ".join(f"{', '.join(names)} to {area}" for area, names in by_area.items())


class BeliefNote(_Data):
    """A belief before and after an observation.

    survived: the weight of the particles that agreed with it. replenished: new ones were asked for.
    """

    before: Places
    after: Places
    goals: tuple[HypothesisedGoal, ...] = ()
    survived: _Probability | None = None
    replenished: bool = False

    @property
    def objects(self) -> list[str]:
        """The objects, those whose place is least certain first."""
        names = dict.fromkeys([*self.after, *self.before])
        return sorted(names, key=lambda name: max(self.after.get(name, {}).values(), default=0.0))

    def changes(self, name: str) -> list[Change]:
        """The areas of an object with how likely it was and is there, the likeliest first."""
        before, after = self.before.get(name, {}), self.after.get(name, {})
        most_before, most_after = _most_unlisted(before), _most_unlisted(after)
        found = [
            Change(
                area,
                before.get(area, None if most_before else 0.0),
                after.get(area, None if most_after else 0.0),
                fell=area not in after and before.get(area, 0.0) - most_after >= TOLD_CHANGE,
            )
            for area in dict.fromkeys([*after, *before])
        ]
        return sorted(found, key=lambda each: (-(each.after or 0.0), -(each.before or 0.0)))

    def certain(self, name: str) -> str:
        """The one area where an object was and is for certain; empty where there is none."""
        likeliest = self.changes(name)[:1]
        return next((each.area for each in likeliest if not each.told and each.is_certain), "")


class Expected(_Data):
    """A step of a branch of the tree: an action, and what is expected to be seen then."""

    action: str
    observation: str = ""


class SearchNote(_Data):
    """What a search chose and what it took. branch: the best one of its tree, from the root."""

    action: str
    value: _Finite
    lower: _Finite
    upper: _Finite
    simulations: int
    nodes: int
    seconds: _Finite
    branch: tuple[Expected, ...] = ()

    @property
    def told(self) -> str:
        """The value with its bounds, and what the search took, in a line."""
        simulations = f"{self.simulations:,} simulation{'s' if self.simulations != 1 else ''}"
        return (
            f"value {self.value:.1f} [{self.lower:.1f}, {self.upper:.1f}], {simulations}, "
            f"{self.nodes:,} nodes, {self.seconds:.3f} s"
        )


_Read = TypeVar("_Read", BeliefNote, SearchNote)


def belief_of(note: Note) -> BeliefNote | None:
    """The belief of a note; None of other notes."""
    return _read(BeliefNote, note.data) if note.name == BELIEF else None


def search_of(note: Note) -> SearchNote | None:
    """The search of a note; None of other notes."""
    return _read(SearchNote, note.data) if note.name == SEARCH else None


def _most_unlisted(areas: Mapping[str, float]) -> float:
    """How likely an area that is not listed can be at most; 0 where the list is whole."""
    rest = 1.0 - sum(areas.values())
    return min(rest, *areas.values()) if areas and rest >= TOLD_CHANGE else 0.0


def spaced(name: str) -> str:
    """A name to be read: "prep_surface" is "prep surface"."""
    return name.replace("_", " ")


def _read(kind: type[_Read], data: Mapping[str, Any]) -> _Read | None:
    try:
        return kind.model_validate(data)
    except ValidationError:
        return None
