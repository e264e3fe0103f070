"""What questions tell of the kitchen (the paper's T_z), by names, and how much they ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field

from ...contract import Brief, Percept
from ..belief.world import KitchenWorld
from ..prompting.templates import Templates

#: An arrangement that is or may be asked for: the area of each object.
Targets = Mapping[str, str]

PROMPTS = Templates(__file__)


class Asking(BaseModel):
    """Options of what is asked, and of how answers are used."""

    candidates: int = Field(
        3, ge=1, description="combinations of a goal, and areas of a hidden object, that are asked"
    )
    objects: int = Field(10, ge=1, description="different objects in all combinations, at most")
    combination: int = Field(4, ge=1, description="objects in one combination, at most")
    temperature: float = Field(0.1, ge=0, description="of questions about goals and places")


@dataclass(frozen=True)
class Situation:
    """What is known.

    objects: of each object in view its area. held: the object in hand. placed: objects that are
    where some acceptable goal has them. failed: goals that were reached in vain. history: what was
    done, the oldest first.
    """

    instruction: str
    closed: tuple[str, ...]
    opened: tuple[str, ...]
    objects: Mapping[str, str]
    held: str | None = None
    placed: frozenset[str] = frozenset()
    failed: tuple[Targets, ...] = ()
    history: tuple[str, ...] = field(default=(), compare=False)

    @property
    def areas(self) -> tuple[str, ...]:
        return (*self.closed, *self.opened)

    @property
    def seen(self) -> frozenset[str]:
        """All objects in view, and the one in hand."""
        return frozenset(self.objects) | ({self.held} if self.held is not None else set())

    def told(self) -> str:
        """The situation in words."""
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
    failed: Sequence[Targets],
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
    )
