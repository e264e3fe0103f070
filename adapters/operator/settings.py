"""How the person is asked: one environment variable.

PEEPHOLE_OPERATOR is "terminal" (also where it is unset) or "page".
"""

from __future__ import annotations

import os

from ...errors import BadInput
from .desk import Desk

VARIABLE = "PEEPHOLE_OPERATOR"
TERMINAL, PAGE = "terminal", "page"
DESKS = (TERMINAL, PAGE)


def chosen() -> str:
    """The name of the chosen desk. Raises BadInput for another one."""
    name = os.environ.get(VARIABLE, "") or TERMINAL
    if name not in DESKS:
        raise BadInput(f"{VARIABLE} is '{name}'; set it to {' or '.join(DESKS)}.")
    return name


def open_desk() -> Desk:
    """The chosen desk. Raises BadInput for another one."""
    if chosen() == PAGE:
        from .page.desk import PageDesk

        return PageDesk()
    from .terminal import TerminalDesk

    return TerminalDesk()
