"""The sessions of the shell door: a file each, which only their user can read.

A file names the socket of `peephole play` and has its token. It stays after the end, with the
sentence that ends the episode, so that a late call learns it too.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from ...errors import BadInput, PeepholeError

#: Names the session where several are open: its name, or the path of its file.
VARIABLE = "PEEPHOLE_SESSION"
#: Seconds for which the file of an episode that is over stays.
_KEPT_S = 24 * 3600.0


@dataclass(frozen=True)
class Session:
    """What a session's file says. over: how its episode ended, "" while it goes on."""

    socket: str
    token: str
    pid: int
    over: str = ""

    @property
    def alive(self) -> bool:
        """Whether the process that holds the episode is there."""
        try:
            os.kill(self.pid, 0)
        except OSError:
            return False
        return True


class SessionFile:
    """The file of a session that this process holds."""

    def __init__(self) -> None:
        """Make a session's name and a place for its socket. Raises PeepholeError."""
        folder = _folder()
        _clear(folder)
        self.name = secrets.token_hex(3)
        self.path = folder / f"{self.name}.json"
        self.socket = str(folder / f"{self.name}.sock")
        self.token = secrets.token_urlsafe(24)

    def write(self, over: str = "") -> None:
        """Let clients find it. over: how its episode ended."""
        content = json.dumps(asdict(Session(self.socket, self.token, os.getpid(), over)))
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
    try:
        return Session(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _folder() -> Path:
    """The folder of the user's sessions, which nobody else can enter. Raises PeepholeError."""
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    name = "peephole" if given else f"peephole-{os.getuid()}"
    folder = Path(given or tempfile.gettempdir()) / name
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise PeepholeError(
            f"The folder {folder} cannot be made ({error.strerror}); set XDG_RUNTIME_DIR to a "
            f"folder of yours."
        ) from None
    private = found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077
    if not (private and stat.S_ISDIR(found.st_mode)):
        raise PeepholeError(
            f"Others can enter the folder {folder}; remove it, or set XDG_RUNTIME_DIR to a folder "
            f"of yours."
        )
    return folder


def _clear(folder: Path) -> None:
    """Remove what killed processes left, and old files of ended episodes."""
    for path in folder.glob("*.json"):
        session = _read(path)
        old = time.time() - path.stat().st_mtime > _KEPT_S
        if session is None or (not session.alive and (old or not session.over)):
            path.unlink(missing_ok=True)
            path.with_suffix(".sock").unlink(missing_ok=True)
