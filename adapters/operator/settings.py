"""How the person is asked: one environment variable.

PEEPHOLE_OPERATOR is "terminal" (also where it is unset) or "page". "stand_in:FILE" has rules answer
in the room of a room file, "stand_in:FILE:MEMORY" with a room that survives a kill.
"""

from __future__ import annotations

import atexit
import os
from functools import cache
from pathlib import Path

from ...errors import BadInput
from .desk import Desk

VARIABLE = "PEEPHOLE_OPERATOR"
TERMINAL, PAGE, STAND_IN = "terminal", "page", "stand_in"


def chosen() -> str:
    """The name of the chosen desk. Raises BadInput for another one."""
    return _setting()[0]


def open_desk() -> Desk:
    """The chosen desk of this process, which stays open to its end. Raises BadInput."""
    return _opened(*_setting())


@cache
def _opened(name: str, more: str) -> Desk:
    desk: Desk
    if name == STAND_IN:
        from .stand_in.person import RulePerson

        room, _, memory = more.partition(":")
        desk = RulePerson(Path(room), Path(memory) if memory else None)
    elif name == PAGE:
        from .page.desk import PageDesk

        desk = PageDesk()
    else:
        from .terminal import TerminalDesk

        desk = TerminalDesk()
    atexit.register(desk.close)
    return desk


def _setting() -> tuple[str, str]:
    name, _, more = os.environ.get(VARIABLE, "").partition(":")
    name = name or TERMINAL
    if name not in (TERMINAL, PAGE, STAND_IN) or bool(more) != (name == STAND_IN):
        raise BadInput(
            f"{VARIABLE} is '{os.environ[VARIABLE]}'; set it to {TERMINAL}, {PAGE} or "
            f"{STAND_IN}:FILE with a room file."
        )
    return name, more
