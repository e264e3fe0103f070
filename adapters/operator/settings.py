"""How the person is asked: one environment variable.

PEEPHOLE_OPERATOR is "terminal" (also where it is unset) or "page". A page may have a port and the
name of a tunnel's end: "page port=9000 host=room.example". With "detector=MODEL" a vision model,
named as in --model, reads photos and proposes what is to be seen. With "stand_in room=lab.yaml"
rules answer in the room of a room file; with "memory=FILE" that room survives a kill.
"""

from __future__ import annotations

import atexit
import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import BadInput, PeepholeError, unknown_name
from ...models.config import ModelConfig
from ...models.serving import checked, label
from .desk import Desk

if TYPE_CHECKING:
    from .photo_reader import PhotoReader

VARIABLE = "PEEPHOLE_OPERATOR"
TERMINAL, PAGE, STAND_IN = "terminal", "page", "stand_in"
#: The settings that each desk takes.
_SETTINGS: dict[str, tuple[str, ...]] = {
    TERMINAL: ("detector",),
    PAGE: ("port", "host", "detector"),
    STAND_IN: ("room", "memory"),
}
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
    """The name of the chosen desk. Raises BadInput naming what is wrong in the settings."""
    name, settings = _read(os.environ.get(VARIABLE, ""))
    if name == PAGE:
        _page(settings)
    if name == STAND_IN and "room" not in settings:
        raise BadInput(f"{VARIABLE}: {STAND_IN} needs a room file; write {STAND_IN} room=FILE.")
    if "detector" in settings:
        _check_detector(settings["detector"])
    return name


def detector() -> str:
    """The model that reads photos, as results name it; empty without one."""
    model = _read(os.environ.get(VARIABLE, ""))[1].get("detector", "")
    return label(checked(ModelConfig(model))) if model else ""


def _check_detector(model: str) -> None:
    if not model:
        raise BadInput(f"In {VARIABLE}, detector is empty; write detector=MODEL.")
    try:
        checked(ModelConfig(model))
    except PeepholeError as error:
        raise BadInput(f"In {VARIABLE}, detector: {error}") from None


def page_settings() -> PageSettings:
    """The page's settings in the environment. Raises BadInput naming what is wrong."""
    return _page(_read(os.environ.get(VARIABLE, ""))[1])


def open_desk() -> Desk:
    """The chosen desk of this process, which stays open to its end. Raises BadInput."""
    chosen()
    return _opened(os.environ.get(VARIABLE, ""))


@cache
def _opened(text: str) -> Desk:
    name, settings = _read(text)
    desk: Desk
    reader: PhotoReader | None = None
    if "detector" in settings:
        from .photo_reader import ModelPhotoReader

        reader = ModelPhotoReader(settings["detector"])
        atexit.register(reader.close)
    if name == STAND_IN:
        from .stand_in.person import RulePerson

        memory = settings.get("memory")
        desk = RulePerson(Path(settings["room"]), Path(memory) if memory else None)
    elif name == PAGE:
        from .page.desk import PageDesk

        desk = PageDesk(_page(settings), reader=reader)
    else:
        from .terminal import TerminalDesk

        desk = TerminalDesk(reader=reader)
    atexit.register(desk.close)
    return desk


def _read(text: str) -> tuple[str, dict[str, str]]:
    """The name of a desk, and its settings. Raises BadInput."""
    name, *items = re.split(r",?\s+", text.strip()) if text.strip() else [TERMINAL]
    if name not in _SETTINGS:
        raise BadInput(f"{VARIABLE} is '{name}'; set it to {' or '.join(_SETTINGS)}.")
    settings = {}
    for item in items:
        setting, _, value = item.partition("=")
        if setting not in _SETTINGS[name]:
            raise unknown_name(f"setting in {VARIABLE}", setting, _SETTINGS[name])
        settings[setting] = value
    return name, settings


def _page(settings: dict[str, str]) -> PageSettings:
    port, host = settings.get("port", str(PORT)), settings.get("host", "")
    if not port.isdecimal() or int(port) > 65535:
        raise BadInput(f"In {VARIABLE}, port is '{port}'; give a number from 0 to 65535.")
    if not host.replace("-", "").replace(".", "").isalnum() and host:
        raise BadInput(f"In {VARIABLE}, host is '{host}'; give a name such as room.example.")
    return PageSettings(int(port), host)
