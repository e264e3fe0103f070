"""The rows above and below every agent: `expert`, and an agent that says done at once.

    .venv/bin/python benchmarks/agent_rows.py [SUITE …] [--tasks N] [--mcp N] [--json]

Each suite that plays on this machine is played by both, by default its first 20 tasks. The second
row sits in the seat of agents outside Peephole; with --mcp N it plays the first N tasks of a suite
as an agent program over MCP, too, which must give the same. It should score nothing: each task in
which it does is listed, with whether the goal holds at the start. It is an error where the goal
does not hold there. A suite without tasks of its own, or whose simulator is not here, is named.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import peephole
from peephole.errors import PeepholeError
from peephole.planners.contract import Brief, Decisions, Grant, Percept, Planner
from peephole.planners.external.planner import DIALECTS
from peephole.planners.external.seat import Seat
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.suites.registry import load_suite, suite_names

#: An agent program of one call; `-S` spares it the packages of this environment.
_PROGRAM = """
import json, os, sys, urllib.request
def send(data, **more):
    headers = {"Authorization": "Bearer " + os.environ["PEEPHOLE_MCP_TOKEN"], **more,
               "Content-Type": "application/json",
               "Accept": "application/json, text/event-stream"}
    body = json.dumps({"jsonrpc": "2.0", **data}).encode()
    request = urllib.request.Request(os.environ["PEEPHOLE_MCP_URL"], body, headers)
    with urllib.request.urlopen(request) as reply:
        reply.read()
        session = reply.headers.get("Mcp-Session-Id")
        return {"Mcp-Session-Id": session} if session else {}
about = {"protocolVersion": "2025-06-18", "capabilities": {},
         "clientInfo": {"name": "no-op", "version": "1"}}
session = send({"id": 1, "method": "initialize", "params": about})
send({"method": "notifications/initialized"}, **session)
done = {"name": "done", "arguments": {}}
send({"id": 2, "method": "tools/call", "params": done}, **session)
"""


@dataclass
class Row:
    """Both rows of a suite. holds: tasks that no-op scores because their goal holds at the start.

    wrong: tasks that it scores although theirs does not. differ: tasks in which MCP and the seat
    give different ends.
    """

    suite: str
    tasks: int = 0
    expert: int = 0
    no_op: int = 0
    holds: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    over_mcp: int = 0
    differ: list[str] = field(default_factory=list)
    note: str = ""
    seconds: float = 0.0


def no_op() -> Planner:
    """An agent in a seat that says done at once."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        seat = Seat()

        def act() -> None:
            seat.call("done")
            seat.leave()

        threading.Thread(target=act, daemon=True).start()
        return seat.plan(brief, percept)

    return Planner(name="no_op", summary="says done at once", plan=plan, dialects=DIALECTS)


def rows_of(name: str, tasks: int, over_mcp: int) -> Row:
    """Play both rows of a suite."""
    row, began = Row(name), time.monotonic()
    try:
        suite = load_suite(name)
        ids = [task.id for _, task in zip(range(tasks), suite.tasks, strict=False)]
        row.tasks = len(ids)
        with tempfile.TemporaryDirectory() as folder:
            expert = peephole.run("expert", suite, tasks=ids, out=Path(folder, "expert"))
            silent = peephole.run(no_op(), suite, tasks=ids, out=Path(folder, "no_op"))
            row.expert = sum(bool(each.success) for each in expert.results)
            scored = [each.task for each in silent.results if each.success]
            row.no_op = len(scored)
            row.holds = [task for task in scored if _holds(name, task)]
            row.wrong = [task for task in scored if task not in row.holds]
            _compare_mcp(row, Path(folder), ids[:over_mcp], silent)
    except PeepholeError as error:
        row.note = str(error)
    row.seconds = round(time.monotonic() - began, 1)
    return row


def _compare_mcp(row: Row, folder: Path, ids: Sequence[str], silent: peephole.RunResults) -> None:
    if not ids:
        return
    program = folder / "no_op.py"
    program.write_text(_PROGRAM)
    played = peephole.run(
        f"mcp:{sys.executable} -S {program}", row.suite, tasks=list(ids), out=folder / "mcp"
    )
    row.over_mcp = len(played.results)
    for one, other in zip(played.results, silent.results, strict=False):
        if (one.ended, one.success, one.progress) != (other.ended, other.success, other.progress):
            row.differ.append(one.task)


def _holds(suite: str, task: str) -> bool:
    """Whether a task's goal holds at the start."""
    with peephole.make(suite, task=task, grants=[Grant.TRUTH]) as environment:
        truth = environment.reset().truth
        return truth is not None and satisfied(environment.task.goal, truth)


_HEAD = f"{'suite':<28}{'tasks':>6}{'expert':>8}{'no-op':>7}{'MCP':>5}{'seconds':>9}"


def _lines(row: Row) -> Iterator[str]:
    figures = f"{row.tasks:>6}{row.expert:>8}{row.no_op:>7}{row.over_mcp:>5}{row.seconds:>9}"
    yield f"{row.suite:<28}{row.note or figures}"
    for what, tasks in (
        ("the goal holds at the start", row.holds),
        ("WRONG: the goal does not hold at the start", row.wrong),
        ("WRONG: MCP and the seat differ", row.differ),
    ):
        if tasks:
            yield f"    {what}: {', '.join(tasks)}"


def main() -> int:
    """Play and print; 1 where a row is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("suites", nargs="*", help="by default all, with their variants")
    parser.add_argument("--tasks", type=int, default=20, help="of each suite")
    parser.add_argument("--mcp", type=int, default=0, help="tasks that are played over MCP, too")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rows = []
    if not asked.json:
        print(_HEAD, flush=True)
    for name in asked.suites or suite_names():
        rows.append(rows_of(name, asked.tasks, asked.mcp))
        if not asked.json:
            print("\n".join(_lines(rows[-1])), flush=True)
    if asked.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
    return int(any(row.wrong or row.differ for row in rows))


if __name__ == "__main__":
    sys.exit(main())
