"""`peephole audit`: find goals of a suite that are impossible, fulfilled already, or ambiguous."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import BadInput
from .options import AdapterName, Data, Json, Suite, Tasks
from .output import json_alone, print_json, tell_tasks

if TYPE_CHECKING:
    from ..audit.findings import Audit, AuditedTask

#: Seconds between two lines of progress.
_LINE_EVERY_S = 10.0


def audit(
    suite: Suite,
    tasks: Tasks = "",
    adapter: AdapterName = "",
    data: Data = None,
    seed: Annotated[int, typer.Option(metavar="K", help="Random seed of the simulator.")] = 0,
    as_json: Json = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a row for each task.")] = False,
) -> None:
    """List goals that are impossible, fulfilled already, or ambiguous, each with a proof."""
    from ..audit.findings import lines_of, to_csv

    if as_json and as_csv:
        raise BadInput("--json and --csv exclude each other; choose one.")
    with json_alone(as_json or as_csv):
        found = _audit(suite, tasks, adapter, data, seed)
    if as_json:
        print_json(found.to_data())
    elif as_csv:
        print(to_csv(found), end="")
    else:
        print("\n".join(lines_of(found)))


def _audit(name: str, wanted: str, adapter: str, data: Path | None, seed: int) -> Audit:
    from .. import plugins
    from ..adapters.contract import Capability
    from ..adapters.registry import connect, require
    from ..audit.audit import audit as audit_of
    from ..episodes.resolve import select_tasks
    from ..suites.registry import load_suite

    with plugins.guarded("suite", name):
        suite = load_suite(name, data)
        chosen = set(select_tasks(suite, wanted))
        tasks = [task for task in suite.tasks if task.id in chosen]
    tell_tasks(suite, wanted)
    world = connect(adapter or suite.adapter)
    try:
        require(world.spec, {Capability.GRAPH: "the audit reads the true state"})
        return audit_of(suite, tasks, world, seed=seed, audited=_teller(len(tasks)))
    finally:
        world.close()


def _teller(total: int) -> Callable[[AuditedTask], None]:
    """A function that prints progress on stderr, with the time left."""
    began = last = time.monotonic()
    done = listed = 0

    def tell(task: AuditedTask) -> None:
        nonlocal last, done, listed
        done += 1
        listed += task.listed
        now = time.monotonic()
        if done == total or now - last >= _LINE_EVERY_S:
            last = now
            left_s = (now - began) / done * (total - done)
            left = f", about {left_s:.0f} s left" if done < total else ""
            print(f"{done}/{total} tasks, {listed} listed{left}", file=sys.stderr, flush=True)

    return tell
