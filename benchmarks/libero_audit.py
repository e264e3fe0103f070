"""Which things the arm can take out of which drawer, and put in again, in our scenes of LIBERO.

    PEEPHOLE_LIBERO_PYTHON=PATH .venv/bin/python benchmarks/libero_audit.py --starts 0-9

Plays each pair of a thing and a drawer of the scenes of `libero:household`: the drawer opposite
stands open, as while two drawers are in use; the drawer is opened, the thing taken out, put on the
table, picked up, and put back in, and the drawer closed. Each action is tried up to three times, as
the executor does. Prints a row a pair: how often each action worked of the times that it was
reached, and how often all did. A task may only use a pair that works 9 times of 10.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections import Counter
from typing import Any

from libero import DEADLINE_S, RETRIED, SERVER, TRIES, numbers

from peephole.adapters.libero.engine.household import HouseholdTask
from peephole.adapters.libero.engine.household_tasks import SUITES
from peephole.adapters.process.supervisor import Supervisor

SUITE = "libero_household_audit"
TABLE = "kitchen_table"
STEPS = ("open", "take out", "put down", "pick up", "put in", "close")
ENOUGH = 0.9


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=os.environ.get("PEEPHOLE_LIBERO_PYTHON"))
    parser.add_argument("--pairs", default="", help="N, N-M or a list; all by default")
    parser.add_argument("--starts", default="0-9")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if not options.python:
        parser.error("set PEEPHOLE_LIBERO_PYTHON to an interpreter that has LIBERO")
    server = Supervisor("libero", [options.python, str(SERVER)])
    server.start()
    print(f"| thing | drawer | {' | '.join(STEPS)} | all | CPU s |")
    print(f"|---{'|---' * (len(STEPS) + 3)}|")
    for number in numbers(options.pairs, len(SUITES[SUITE])):
        audit(server, number, numbers(options.starts, 20), options.seed)
    server.stop()
    return 0


def audit(server: Supervisor, number: int, starts: list[int], seed: int) -> None:
    """Play one pair at all starts, and print its row."""
    task = SUITES[SUITE][number]
    ((thing, (drawer,)),) = task.hidden.items()
    worked: Counter[str] = Counter()
    reached: Counter[str] = Counter()
    cpu, whole = [], 0
    for start in starts:
        server.call(
            "begin", {"suite": SUITE, "task": number, "start": start, "seed": seed}, DEADLINE_S
        )
        spent = 0.0
        for step, action in actions(task, thing, drawer):
            done, seconds = attempt(server, action)
            spent += seconds
            reached[step] += 1
            worked[step] += done
            if not done:
                break
        else:
            whole += server.call("state", {}, DEADLINE_S)["success"]
        cpu.append(spent)
    cells = [f"{worked[step]} of {reached[step]}" for step in STEPS]
    mark = "" if whole >= ENOUGH * len(starts) else " (no)"
    print(
        f"| {thing} | {drawer} | {' | '.join(cells)} | {whole} of {len(starts)}{mark} "
        f"| {statistics.mean(cpu):.1f} |",
        flush=True,
    )


def actions(task: HouseholdTask, thing: str, drawer: str) -> list[tuple[str, dict[str, Any]]]:
    """The actions of a pair with the names of their steps."""
    own, other = (each.name for each in task.fixtures[:2])
    if not drawer.startswith(own):
        own, other = other, own
    put = {"verb": "put", "target": thing}
    pick_up = {"verb": "pick_up", "target": thing}
    return [
        ("open", {"verb": "open", "target": drawer.replace(own, other)}),
        ("open", {"verb": "open", "target": drawer}),
        ("take out", pick_up),
        ("put down", {**put, "place": TABLE, "relation": "on"}),
        ("pick up", pick_up),
        ("put in", {**put, "place": drawer, "relation": "inside"}),
        ("close", {"verb": "close", "target": drawer}),
    ]


def attempt(server: Supervisor, action: dict[str, Any]) -> tuple[bool, float]:
    """Try an action up to three times. Returns whether it worked and the CPU seconds."""
    spent = 0.0
    for variation in range(TRIES):
        answer = server.call("attempt", {**action, "variation": variation}, DEADLINE_S)
        spent += answer["cpu_s"]
        failure = answer["failure"]
        if failure is None:
            return True, spent
        is_away = action["verb"] == "put" and answer["state"]["held"] is None
        if failure["reason"] not in RETRIED or is_away:
            break
    return False, spent


if __name__ == "__main__":
    raise SystemExit(main())
