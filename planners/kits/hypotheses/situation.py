"""The state of the kitchen in questions (the paper's T_z), by names, and the limits of answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, Field

from ....observation_text.layout import layout_in_words
from ...contract import Brief, OnlyWith, Percept
from ..belief.world import KitchenWorld
from ..prompting.body import is_mobile
from ..prompting.templates import Templates

#: A goal: the area where each of its objects is wanted.
Wanted = Mapping[str, str]

PROMPTS = Templates(__file__)


class Asking(BaseModel):
    """Options of the questions, and of how answers are used."""

    objects: int = Field(10, ge=1, description="the most different objects over all goals")
    combination: int = Field(4, ge=1, description="the most objects in one goal")
    temperature: float = Field(
        0.1, ge=0, description="the temperature of questions about goals and places"
    )


class TreeAsking(Asking):
    """Options of the questions where they are asked level by level."""

    candidates: Annotated[int, OnlyWith("hypotheses", "tree")] = Field(
        3, ge=1, description="the number of goals, and of areas of a hidden object, to ask for"
    )


@dataclass(frozen=True)
class Situation:
    """What is known."""

    instruction: str
    """As the user gave it."""
    closed: tuple[str, ...]
    """The areas whose contents were never seen."""
    opened: tuple[str, ...]
    """The open areas."""
    objects: Mapping[str, str]
    """The area of each object in view."""
    held: str | None = None
    """The object in hand."""
    placed: frozenset[str] = frozenset()
    """Objects at the area of some acceptable goal."""
    failed: tuple[Wanted, ...] = ()
    """Goals that were reached without success."""
    history: tuple[str, ...] = field(default=(), compare=False)
    """The actions so far, oldest first."""
    without_door: tuple[str, ...] = ()
    """Of the closed areas those with nothing to open: the robot has not looked there yet."""

    walks: bool = True
    """Whether the robot walks, by itself or by an action."""

    layout: str = ""
    """How the things in view lie to each other, in words; "" where the adapter does not say."""

    @property
    def shut(self) -> tuple[str, ...]:
        """The closed areas that have something to open."""
        return tuple(name for name in self.closed if name not in self.without_door)

    @property
    def areas(self) -> tuple[str, ...]:
        return (*self.closed, *self.opened)

    @property
    def seen(self) -> frozenset[str]:
        """All objects in view, and the one in hand."""
        return frozenset(self.objects) | ({self.held} if self.held is not None else set())

    def text(self) -> str:
        """The situation as text for a prompt."""
        return PROMPTS.render("situation", now=self)

    def about(self, kind: str, **more: Any) -> dict[str, Any]:
        """The situation as data, for a question of a kind."""
        return {
            "kind": kind,
            "instruction": self.instruction,
            "closed": self.closed,
            "opened": self.opened,
            "objects": dict(self.objects),
            "held": self.held,
            "placed": sorted(self.placed),
            **more,
        }


def situation_of(
    brief: Brief,
    world: KitchenWorld,
    percept: Percept,
    failed: Sequence[Wanted],
    history: Sequence[str],
) -> Situation:
    """What is known now. percept: the newest. failed, history: as in `Situation`."""
    names = sorted(world.areas)
    return Situation(
        instruction=brief.instruction,
        closed=tuple(name for name in names if not world.areas[name].is_open),
        opened=tuple(name for name in names if world.areas[name].is_open),
        objects=world.located,
        held=world.held,
        placed=frozenset(world.name(thing) for thing in percept.confirmed),
        failed=tuple(failed),
        history=tuple(history),
        without_door=tuple(name for name in names if world.is_out_of_sight(name)),
        walks=is_mobile(brief.embodiment, brief.actions),
        layout=layout_in_words(percept.view.graph, brief.directions, world.name),
    )
