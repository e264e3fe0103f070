"""The skills by their verbs, with their preconditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import fixtures, picking, putting
from .body import AT_REST, Body, Failed
from .scene import BadInput

if TYPE_CHECKING:
    from .points import Array
    from .scene import Thing

__all__ = ["Failed", "Skills"]

#: How often it is looked whether things rest at the start, and how long they get, in s.
_SETTLE_S, _MOST_SETTLE_S = 0.3, 3.0


class Skills(Body):
    """The arm in a scene, with everything that it can do."""

    def settle(self) -> None:
        """Let things come to rest: some stored starts have them in the air or in the floor."""
        objects = [thing for thing in self.scene.things.values() if thing.kind == "object"]
        dofs = [self.scene.free_joint(thing)[1] + axis for thing in objects for axis in range(6)]
        for _ in range(round(_MOST_SETTLE_S / _SETTLE_S)):
            self.arm.wait(_SETTLE_S)
            if np.abs(self.scene.data.qvel[dofs]).max(initial=0.0) < AT_REST:
                break
        self.refresh()

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
        elif verb in ("open", "close"):
            self._open_or_close(thing, verb == "open", variation)
        elif verb in ("turn_on", "turn_off"):
            self._switch(thing, verb == "turn_on", variation)
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
        self._need_free_hand()
        picking.pick_up(self, thing, variation)

    def _put(self, thing: Thing, place: Thing, relation: str, variation: int) -> None:
        if self.held != thing.name:
            raise Failed("not_held", thing.name, "it is not in the hand")
        if place.name == thing.name or place.parent == thing.name:
            raise Failed("into_itself", thing.name, "it cannot be its own place")
        putting.put(self, thing, place, relation, variation)

    def _open_or_close(self, thing: Thing, opening: bool, variation: int) -> None:
        if thing.joint is None or self.scene.is_knob(thing):
            raise Failed("not_openable", thing.name, "it has neither a drawer's nor a door's joint")
        self._need_free_hand()
        moving = fixtures.moving_of(self, thing)
        if opening and moving.part >= fixtures.OPENED[moving.kind]:
            raise Failed("already_open", thing.name, f"it is open by {moving.part:.0%}")
        if not opening and moving.part <= fixtures.SHUT_PART and self._closed(thing):
            raise Failed("already_closed", thing.name, f"it is open by {moving.part:.1%}")
        (fixtures.open_ if opening else fixtures.close)(self, thing, variation)

    def _closed(self, thing: Thing) -> bool:
        """By the engine's own word, which for an untouched drawer may be no."""
        known = thing.name in self.scene.env.object_states_dict
        return not known or self.scene.holds(["close", thing.name])

    def _switch(self, thing: Thing, on: bool, variation: int) -> None:
        if not self.scene.is_knob(thing):
            raise Failed("not_switchable", thing.name, "it has no knob")
        self._need_free_hand()
        value = self.scene.joint_value(thing)
        if on and value >= fixtures.KNOB_ON:
            raise Failed("already_on", thing.name, f"its knob is at {value:.2f} rad")
        if not on and value < 0.0:
            raise Failed("already_off", thing.name, f"its knob is at {value:.2f} rad")
        fixtures.turn_knob(self, thing, on, variation)

    def _need_free_hand(self) -> None:
        if self.held is not None:
            raise Failed("hands_full", self.held, "the hand holds another thing")

    # Snapshots

    def memory(self) -> Array:
        """What the arm was told, as numbers."""
        return np.concatenate(
            [self.arm.target, [self.arm.opening], self.stood_at, self.stood.ravel()]
        )

    def recall(self, memory: Array, held: str | None) -> None:
        """Put back what memory() gave."""
        self.arm.target = memory[:7].copy()
        self.arm.opening = float(memory[7])
        self.stood_at = memory[8:11].copy()
        self.stood = memory[11:].reshape(3, 3).copy()
        self.held = held
        self.refresh()
