"""What the robot of furnished kitchens can do, by rules as in physics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....skills.actions import Verb
from ....skills.embodiment import Embodiment

if TYPE_CHECKING:  # numpy is slow to import
    from .parts import Kitchen

#: Its actions.
VERBS = frozenset(
    {
        Verb.GO_TO,
        Verb.LOOK,
        Verb.OPEN,
        Verb.CLOSE,
        Verb.PICK_UP,
        Verb.PUT,
        Verb.TURN_ON,
        Verb.TURN_OFF,
        Verb.WAIT,
    }
)
#: One gripper, which must be free to open, close and switch. It handles what it was driven to; for
#: each action it takes a stand of its own there.
EMBODIMENT = Embodiment(
    hands=1,
    needs_free_hand=frozenset({Verb.OPEN, Verb.CLOSE, Verb.TURN_ON, Verb.TURN_OFF}),
    blocked_by_fronts=True,
    closed_to_run=frozenset({"microwave"}),
)


def closed_to_run(kitchen: Kitchen) -> dict[str, str]:
    """The fronts of the areas that can be switched and run only while closed, by area."""
    switched = {button.area for button in kitchen.buttons.values()}
    return {
        area.name: area.front
        for area in kitchen.areas.values()
        if area.category in EMBODIMENT.closed_to_run and area.front and area.name in switched
    }
