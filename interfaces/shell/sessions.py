"""The sessions of the shell door: a file each, which only their user can read.

A file has the token of `peephole play`, whose socket is beside it. It stays after the end, with
the sentence that ends the episode, so that a late call learns it too.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from ...data_files import json_data, private_folder
from ...errors import BadInput

#: Names the session where several are open: its name, or the path of its file.
VARIABLE = "PEEPHOLE_SESSION"
#: Seconds for which the file of an episode that is over stays.
_KEPT_S = 24 * 3600.0
#: Seconds in which a connection to a socket comes about where somebody listens.
_CONNECT_S = 2.0


@dataclass(frozen=True)
class Session:
    """A session. over: how its episode ended, "" while it goes on."""

    socket: str
    token: str
    over: str = ""

    @property
    def alive(self) -> bool:
        """Whether a process holds the episode, in this container or in another."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(_CONNECT_S)
            try:
                client.connect(self.socket)
            except (TimeoutError, BlockingIOError):  # it has many clients
                return True
            except OSError:
                return False
        return True


class SessionFile:
    """The file of a session that this process holds."""

    def __init__(self) -> None:
        """Make a session's name and a place for its socket. Raises BadInput."""
        folder = _folder()
        _clear(folder)
        self.name = secrets.token_hex(3)
        self.path = folder / f"{self.name}.json"
        self.socket = _socket_of(self.path)
        self.token = secrets.token_urlsafe(24)

    def write(self, over: str = "") -> None:
        """Let clients find it. over: how its episode ended."""
        content = json.dumps({"token": self.token, "over": over})
        draft = self.path.with_suffix(".draft")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(content)
        draft.replace(self.path)


def find_session(given: str = "") -> Session:
    """The session of a name or a file; by default that of PEEPHOLE_SESSION, else the only one.

    Raises BadInput where there is none, or several.
    """
    wanted = given or os.environ.get(VARIABLE, "")
    if wanted:
        path = Path(wanted) if os.sep in wanted else _folder() / f"{Path(wanted).stem}.json"
        found = _read(path)
        if found is None:
            raise BadInput(f"There is no session {wanted}; start one with: peephole play")
        return found
    read = {path.stem: _read(path) for path in _folder().glob("*.json")}
    open_ = {name: each for name, each in read.items() if each and not each.over and each.alive}
    if len(open_) == 1:
        return next(iter(open_.values()))
    if open_:
        raise BadInput(
            f"Several sessions are open ({', '.join(sorted(open_))}); name one with --session, or "
            f"in the variable {VARIABLE}."
        )
    over = [(path.stat().st_mtime, read[path.stem]) for path in _folder().glob("*.json")]
    ended = max(((at, each) for at, each in over if each and each.over), default=None)
    if ended is not None and ended[1] is not None:
        return ended[1]
    raise BadInput("No session is open; start one with: peephole play --suite NAME")


def _read(path: Path) -> Session | None:
    """The session of a file; None if it cannot be read."""
    try:
        data = json_data(path.read_text(encoding="utf-8"))
        token, over = data["token"], data["over"]
    except (OSError, ValueError, TypeError, KeyError):
        return None
    if not (isinstance(token, str) and isinstance(over, str)):
        return None
    return Session(_socket_of(path), token, over)


def _socket_of(path: Path) -> str:
    return str(path.with_suffix(".sock"))


def _folder() -> Path:
    """The folder of the user's sessions, which nobody else can enter. Raises BadInput."""
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    name = "peephole" if given else f"peephole-{os.getuid()}"
    return private_folder(Path(given or tempfile.gettempdir()) / name, "XDG_RUNTIME_DIR")


def _clear(folder: Path) -> None:
    """Remove what killed processes left, and old files of ended episodes."""
    for path in folder.glob("*.json"):
        session = _read(path)
        old = time.time() - path.stat().st_mtime > _KEPT_S
        if session is None or (not session.alive and (old or not session.over)):
            path.unlink(missing_ok=True)
            path.with_suffix(".sock").unlink(missing_ok=True)
