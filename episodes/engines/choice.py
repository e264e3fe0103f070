"""The choice of an engine by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from ...errors import BadInput, Missing
from ...installed import Lack
from ..events import RecordedEvent
from .contract import Engine
from .player import SerialEngine
from .processes import ProcessEngine
from .threads import ThreadEngine

EngineName = Literal["", "serial", "threads", "processes", "ray"]


def make_engine(
    name: EngineName,
    workers: int,
    folder: Path,
    watch: Callable[[RecordedEvent], None] | None = None,
    *,
    asks_person: bool = False,
    attended: bool = False,
    in_threads: bool = False,
    here: bool = False,
) -> Engine:
    """The engine of a name; "" means one process for one worker, several for more, or threads.

    folder: of what is played, within reach of all workers. watch: called with every event; one
    process only. asks_person: a person approves actions; one process only. attended: a person or a
    robot takes part in episodes; one process only. in_threads: whether what is played suits
    threads. here: it can be played in this process only. Raises BadInput for options that exclude
    each other, and Missing for an engine that is not installed.
    """
    if name == "serial" and workers > 1:
        raise BadInput("--engine serial plays in one process; leave --workers out.")
    if asks_person and (workers > 1 or name not in ("", "serial")):
        raise BadInput(
            "A person approves the actions of one episode at a time; use --workers 1 and "
            "--engine serial, or approve by a file of rules."
        )
    if attended and (workers > 1 or name not in ("", "serial")):
        raise BadInput(
            "A person or a robot plays one episode at a time; use --workers 1 and --engine serial."
        )
    if watch is not None and (workers > 1 or name not in ("", "serial")):
        raise BadInput("--watch needs --workers 1 and --engine serial.")
    if name == "ray":
        if find_spec("ray") is None:
            raise Missing(Lack("--engine ray needs Ray", "ray"))
        from .ray_actors import RayEngine

        return RayEngine(workers, folder)
    if name == "threads" or (not name and workers > 1 and in_threads):
        return ThreadEngine(workers)
    if here and (workers > 1 or name not in ("", "serial")):
        raise BadInput(
            "A planner or suite object is played in one process; name it as FILE.py:NAME or "
            "register it to use several workers, or play it with the engine threads."
        )
    if name == "processes" or (not name and workers > 1):
        return ProcessEngine(workers)
    return SerialEngine(watch)
