"""The skills by their verbs, with their preconditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import handling
from .body import Body, Failed
from .scene import BadInput

if TYPE_CHECKING:
    from .points import Array
    from .scene import Thing

__all__ = ["Failed", "Skills"]


class Skills(Body):
    """The arm in a scene, with everything that it can do."""

    def attempt(
        self, verb: str, target: str, place: str | None, relation: str | None, variation: int
    ) -> None:
        """One try. Raises Failed, and BadInput for what does not exist."""
        thing = self._thing(target)
        self.refresh()
        if verb == "pick_up":
            self._pick_up(thing, variation)
        elif verb == "put":
            if place is None or relation not in ("on", "inside"):
                raise BadInput("put needs a place and the relation on or inside.")
            self._put(thing, self._thing(place), relation, variation)
        else:
            raise BadInput(f"There is no verb '{verb}'.")
        self.refresh()

    def _thing(self, name: str) -> Thing:
        if name not in self.scene.things:
            raise BadInput(f"This scene has no '{name}'.")
        return self.scene.things[name]

    def _pick_up(self, thing: Thing, variation: int) -> None:
        if thing.kind != "object":
            raise Failed("not_graspable", thing.name, "it is fixed")
        if self.held == thing.name:
            raise Failed("held", thing.name, "it is in the hand")
        if self.held is not None:
            raise Failed("hands_full", self.held, "the hand holds another thing")
        handling.pick_up(self, thing, variation)

    def _put(self, thing: Thing, place: Thing, relation: str, variation: int) -> None:
        if self.held != thing.name:
            raise Failed("not_held", thing.name, "it is not in the hand")
        if place.name == thing.name or place.parent == thing.name:
            raise Failed("into_itself", thing.name, "it cannot be its own place")
        handling.put(self, thing, place, relation, variation)
        self.arm.go_home()

    # Snapshots

    def memory(self) -> Array:
        """What the arm was told, as numbers."""
        return np.concatenate([self.arm.target, [self.arm.opening], self.stood.ravel()])

    def recall(self, memory: Array, held: str | None) -> None:
        """Put back what memory() gave."""
        self.arm.target = memory[:7].copy()
        self.arm.opening = float(memory[7])
        self.stood = memory[8:].reshape(3, 3).copy()
        self.held = held
        self.refresh()
