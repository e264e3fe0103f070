"""How the person is asked: one environment variable.

PEEPHOLE_OPERATOR is "terminal" (also where it is unset) or "page". A page may have a port and the
name of a tunnel's end: "page port=9000 host=room.example".
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields

from ...errors import BadInput, unknown_name
from .desk import Desk

VARIABLE = "PEEPHOLE_OPERATOR"
TERMINAL, PAGE = "terminal", "page"
DESKS = (TERMINAL, PAGE)
#: The port of the page. It is always the same, so that a phone's tunnel outlives a restart.
PORT = 8787


@dataclass(frozen=True)
class PageSettings:
    """Where the page is served: always on this machine's loopback interface."""

    port: int = PORT
    """The port; 0 for any that is free."""
    host: str = ""
    """The host name at the other end of a tunnel; empty without one that has a name."""


def chosen() -> str:
    """The name of the chosen desk. Raises BadInput for another one."""
    name, *more = _words() or [TERMINAL]
    if name not in DESKS:
        raise BadInput(f"{VARIABLE} is '{name}'; set it to {' or '.join(DESKS)}.")
    if name == TERMINAL and more:
        raise BadInput(f"{VARIABLE}: terminal has no settings; leave out '{more[0]}'.")
    return name


def page_settings() -> PageSettings:
    """The page's settings in the environment. Raises BadInput naming what is wrong."""
    values = {}
    for item in _words()[1:]:
        name, _, value = item.partition("=")
        if name not in {field.name for field in fields(PageSettings)}:
            raise unknown_name(
                f"setting in {VARIABLE}", name, [field.name for field in fields(PageSettings)]
            )
        values[name] = value
    port = values.get("port", str(PORT))
    if not port.isdecimal() or int(port) > 65535:
        raise BadInput(f"In {VARIABLE}, port is '{port}'; give a number from 0 to 65535.")
    host = values.get("host", "")
    if not host.replace("-", "").replace(".", "").isalnum() and host:
        raise BadInput(f"In {VARIABLE}, host is '{host}'; give a name such as room.example.")
    return PageSettings(int(port), host)


def open_desk() -> Desk:
    """The chosen desk. Raises BadInput for another one."""
    if chosen() == PAGE:
        from .page.desk import PageDesk

        return PageDesk(page_settings())
    from .terminal import TerminalDesk

    return TerminalDesk()


def _words() -> list[str]:
    return os.environ.get(VARIABLE, "").replace(",", " ").split()
