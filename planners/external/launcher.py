"""Runs one program where it cannot see given paths, and ends all that it has started.

    python -I -S launcher.py '{"command": [...], "hide": [...], "mode": "pids"}' STATUS CONTROL

It is started in the program's folder.

It is a process of its own between Peephole and the program, with the standard library alone. It
ends the program and all its descendants once the program itself has ended, or nobody holds the
other end of the pipe CONTROL any more, even if Peephole was killed. To the pipe STATUS it writes
one JSON object: {"status": …} with the exit status (negative: of a signal), or {"error": …} where
nothing was started.

Modes: "pids": namespaces of Linux for users, mounts and processes. A hidden folder and a hidden
file are empty there; of a folder that the program's own is in, its own is left. "mounts": the same
without processes. "": none of it, so nothing is hidden.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import sys
from typing import Any, NoReturn

MODES = ("pids", "mounts", "")
_NEWNS, _NEWUSER, _NEWPID = 0x00020000, 0x10000000, 0x20000000
_RDONLY, _NOSUID_NODEV_NOEXEC, _BIND = 1, 2 | 4 | 8, 1 << 12
_PRIVATE = (1 << 18) | (1 << 14)
_SUBREAPER = 36
_LOOK_EVERY_S = 0.2
#: Rounds of ending descendants; each ends all that are there, and new ones may come meanwhile.
_ROUNDS = 50


def main() -> None:
    """Run the program of the command line; ends with status 0 whatever became of it."""
    spec = json.loads(sys.argv[1])
    status, control = int(sys.argv[2]), int(sys.argv[3])
    for descriptor in (status, control):
        os.set_inheritable(descriptor, False)
    _write(status, _run(spec, control, (status, control)))


def _run(spec: dict[str, Any], control: int, own: tuple[int, ...]) -> dict[str, Any]:
    """The status of the program. own: descriptors that it must not have."""
    mode = spec["mode"]
    try:
        if sys.platform == "linux":
            _libc().prctl(_SUBREAPER, 1, 0, 0, 0)
        if mode:
            _separate(_NEWUSER | _NEWNS | (_NEWPID if mode == "pids" else 0))
            _mount("none", "/", None, _PRIVATE, None)
            for path in sorted(spec["hide"], reverse=True):  # what is in a folder, before it
                _hide(path)
    except OSError as error:
        return {"error": f"{error.strerror}"}
    failed, told = os.pipe()
    child = os.fork()
    if child == 0:
        for descriptor in (failed, *own):  # a first process keeps what it has open
            os.close(descriptor)
        _child(spec, told)
    os.close(told)
    os.close(0)
    status = _until_its_end(child, control)
    _end_all(child)
    with os.fdopen(failed) as file:
        why = file.read()
    return {"error": why} if why else {"status": status}


def _until_its_end(child: int, control: int) -> int:
    """The exit status of the child, which is ended where the control pipe closes."""
    watched = [control]
    with contextlib.suppress(AttributeError, OSError):  # Linux tells at once
        watched.append(os.pidfd_open(child))
    while True:
        readable, _, _ = select.select(watched, [], [], _LOOK_EVERY_S)
        if control in readable:
            _kill(child)
        ended, status = os.waitpid(child, 0 if control in readable else os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)


def _child(spec: dict[str, Any], told: int) -> NoReturn:
    """Become the program; in its own namespace of processes, through a first process."""
    try:
        if spec["mode"]:
            if spec["mode"] == "pids":
                _mount("proc", "/proc", "proc", _NOSUID_NODEV_NOEXEC, None)
            _separate(_NEWUSER | _NEWNS)  # the mounts above cannot be taken away from here
        if spec["mode"] == "pids":
            _first_process(spec, told)
        _become(spec)
    except OSError as error:
        os.write(told, (error.strerror or str(error)).encode())
    os._exit(127)


def _first_process(spec: dict[str, Any], told: int) -> None:
    """Go on in a child; the first process waits for it, and all others end with the first."""
    program = os.fork()
    if program == 0:
        return
    os.close(told)
    while True:
        ended, status = os.wait()
        if ended == program:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def _become(spec: dict[str, Any]) -> NoReturn:
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    os.execvp(spec["command"][0], spec["command"])


def _separate(kinds: int) -> None:
    """Leave namespaces for new ones, as the same user and group."""
    user, group = os.getuid(), os.getgid()
    if _libc().unshare(kinds) != 0:
        raise _error()
    with contextlib.suppress(OSError), open("/proc/self/setgroups", "w") as file:
        file.write("deny")
    for name, number in (("uid_map", user), ("gid_map", group)):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(f"{number} {number} 1")


def _hide(path: str) -> None:
    """Let a file or a folder be empty here, but for the program's own folder."""
    if not os.path.isdir(path):
        _mount(os.devnull, path, None, _BIND, None)
        return
    here = os.getcwd()
    kept = os.open(".", os.O_RDONLY | os.O_DIRECTORY) if _is_in(here, path) else None
    flags = _NOSUID_NODEV_NOEXEC | (0 if kept is not None else _RDONLY)
    _mount("peephole", path, "tmpfs", flags, "size=4k")
    if kept is not None:
        os.makedirs(here, exist_ok=True)
        _mount(f"/proc/self/fd/{kept}", here, None, _BIND, None)
        os.close(kept)
        os.chdir(here)


def _is_in(path: str, folder: str) -> bool:
    return os.path.commonpath([path, folder]) == folder


def _mount(source: str, target: str, kind: str | None, flags: int, data: str | None) -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    options = None if data is None else data.encode()
    if _libc().mount(*texts, ctypes.c_ulong(flags), options) != 0:
        raise _error()


def _end_all(child: int) -> None:
    """End all descendants; those without a parent have become children of this process."""
    _kill(child)
    for _ in range(_ROUNDS):
        for each in _descendants():
            _kill(each)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        select.select([], [], [], 0.02)


def _descendants() -> list[int]:
    """The processes below this one; none where the system has no /proc."""
    parents: dict[int, int] = {}
    with contextlib.suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError, ValueError), open(f"/proc/{name}/stat") as file:
                parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
    found, frontier = [], {os.getpid()}
    while frontier:
        frontier = {each for each, parent in parents.items() if parent in frontier}
        found += sorted(frontier)
    return found


def _kill(process: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(process, signal.SIGKILL)


def _write(descriptor: int, data: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        os.write(descriptor, json.dumps(data).encode())


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


if __name__ == "__main__":
    main()
