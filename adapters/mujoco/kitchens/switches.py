"""What buttons have switched on: each full press turns its area on or off.

What runs only while it is closed stays off while its door is open, and stops when that opens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from ....skills.arm.mobile.world import Button, RoomWorld

#: A pressed button counts as released below this share of the travel that counts as a press.
_RELEASED = 0.5


class SwitchesSnapshot(NamedTuple):
    """The complete state of switches."""

    running: Mapping[str, bool]
    pressed: frozenset[str]


class Switches:
    """The areas of a world that are switched. Call `tick` after every tick."""

    def __init__(
        self,
        world: RoomWorld,
        on: Iterable[str] = (),
        doors: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """on: the areas that run at first. doors: the fronts of those that run only while closed,
        by area.
        """
        self._world = world
        self._doors = {area: world.fronts[front] for area, front in doors.items()}
        self._buttons: tuple[Button, ...] = tuple(world.buttons.values())
        self._running = {button.area: False for button in self._buttons}
        self._running.update(dict.fromkeys(on, True))
        self._pressed: set[str] = set()

    @property
    def running(self) -> Mapping[str, bool]:
        """Whether each area that can be switched is on."""
        return self._running

    def tick(self) -> None:
        """Take in how far the buttons are pressed now."""
        for button in self._buttons:
            value = self._world.button_value(button.name)
            if button.name in self._pressed:
                if value < _RELEASED * button.pressed_at:
                    self._pressed.discard(button.name)
            elif value >= button.pressed_at:
                self._pressed.add(button.name)
                self._running[button.area] = not self._running[button.area]
        for area, door in self._doors.items():
            if self._running[area] and self._world.front_value(door.name) > door.closed_at:
                self._running[area] = False

    def snapshot(self) -> SwitchesSnapshot:
        return SwitchesSnapshot(dict(self._running), frozenset(self._pressed))

    def restore(self, snapshot: SwitchesSnapshot) -> None:
        self._running = dict(snapshot.running)
        self._pressed = set(snapshot.pressed)
