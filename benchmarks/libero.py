"""Plays LIBERO's tasks by a fixed order of its skills, and counts what the engine calls solved.

    PEEPHOLE_LIBERO_PYTHON=PATH .venv/bin/python benchmarks/libero.py --suites goal,90 --starts 0

A mechanism check of the skills: the order of the actions follows from the goal, and no planner is
asked. Each failed action is tried up to three times with other variations, as the executor does;
then parts of the goal that do not hold are tried once more. The rates are those of planners over
skills; they say nothing about policies. Prints a line an episode, and for each suite the success
with its Wilson interval and the CPU seconds an episode. With --again all episodes are played once
more, in another process and from the last to the first, and those are told that come out otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from pathlib import Path
from typing import Any

from peephole.adapters.process.supervisor import Supervisor
from peephole.results.statistics.estimates import wilson

SERVER = Path(__file__).parent.parent / "adapters" / "libero" / "engine" / "server.py"
SUITES = ("spatial", "object", "goal", "90", "10")
DEADLINE_S = 180.0
TRIES = 3
RETRIED = ("slipped", "blocked", "unreachable", "no_free_spot", "misplaced", "not_confirmed")
_ORDER = {"open": 0, "in": 1, "on": 1, "turnon": 2, "turnoff": 2, "close": 3}
_VERBS = {"open": "open", "close": "close", "turnon": "turn_on", "turnoff": "turn_off"}


class Episode:
    """One task at one start."""

    def __init__(self, server: Supervisor, suite: str, task: int, start: int, seed: int) -> None:
        self._server = server
        self.log: list[dict[str, Any]] = []
        begun = self._call("begin", suite=suite, task=task, start=start, seed=seed)
        self.instruction: str = begun["instruction"]
        self.goal: list[list[str]] = begun["goal"]
        self.state: dict[str, Any] = begun["state"]
        self.reset_cpu_s: float = begun["cpu_s"]

    def _call(self, name: str, **arguments: Any) -> Any:
        return self._server.call(name, arguments, DEADLINE_S)

    def play(self) -> bool:
        """Play the goal's parts in order, and once more those that do not hold at the end."""
        supports = {part[2] for part in self.goal if len(part) == 3}
        parts = sorted(
            range(len(self.goal)),
            key=lambda index: (_ORDER[self.goal[index][0]], self.goal[index][1] not in supports),
        )
        for _ in range(2):
            for index in parts:
                if self.state["success"]:
                    return True
                if not self.state["goal"][index]:
                    self._achieve(self.goal[index])
        return bool(self.state["success"])

    def _achieve(self, part: list[str]) -> None:
        if part[0] in _VERBS:
            self._do(verb=_VERBS[part[0]], target=part[1])
            return
        relation = "on" if part[0] == "on" else "inside"
        for _ in range(2):
            self._free_way(part[2])
            if self.state["held"] != part[1] and not self._do(verb="pick_up", target=part[1]):
                return
            if self._do(verb="put", target=part[1], place=part[2], relation=relation):
                return

    def _free_way(self, place: str) -> None:
        """Open a shut drawer or door that the place belongs to."""
        things = {thing["name"]: thing for thing in self.state["things"]}
        for name in (place, things[place]["parent"]):
            joint = things[name]["joint"] if name in things else None
            inside = not things[place]["surface"]
            if joint and joint["kind"] != "knob" and inside:
                opened = (joint["value"] - joint["shut"]) / (joint["open"] - joint["shut"])
                if opened < 0.6:
                    self._do(verb="open", target=name)

    def _do(self, **action: Any) -> bool:
        for variation in range(TRIES):
            answer = self._call("attempt", variation=variation, **action)
            self.state = answer.pop("state")
            self.log.append({**action, "variation": variation, **answer})
            failure = answer["failure"]
            if failure is None:
                return True
            if failure["reason"] not in RETRIED or self.state["held"] != _held_before(action):
                return False
        return False


def _held_before(action: dict[str, Any]) -> str | None:
    return str(action["target"]) if action["verb"] == "put" else None


def summary(log: list[dict[str, Any]]) -> str:
    """What failed, in one line."""
    bad = [step for step in log if step["failure"]]
    words = [
        f"{s['verb']} {s['target']}: {s['failure']['reason']} ({s['failure']['told']})" for s in bad
    ]
    return "; ".join(words)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=os.environ.get("PEEPHOLE_LIBERO_PYTHON"))
    parser.add_argument("--suites", default=",".join(SUITES), help="without libero_")
    parser.add_argument("--tasks", default="", help="N, N-M or a list; all by default")
    parser.add_argument("--starts", default="0")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="a file of JSON lines")
    parser.add_argument("--again", action="store_true", help="compare with a second playing")
    options = parser.parse_args()
    if not options.python:
        parser.error("set PEEPHOLE_LIBERO_PYTHON to an interpreter that has LIBERO")
    server = Supervisor("libero", [options.python, str(SERVER)])
    server.start()
    played: dict[Key, Story] = {}
    for short in options.suites.split(","):
        suite = f"libero_{short}"
        count = len(server.call("catalogue", {"suite": suite}, DEADLINE_S)["tasks"])
        played |= play_suite(server, suite, numbers(options.tasks, count), options)
    server.stop()
    return replay(server, played, options.seed) if options.again else 0


#: An episode's suite, task and start.
Key = tuple[str, int, int]
#: Whether it was solved, its tries without times of the processor, and the digest of its end.
Story = tuple[bool, list[dict[str, Any]], str]


def story(episode: Episode) -> Story:
    tries = [{key: step[key] for key in step if key != "cpu_s"} for step in episode.log]
    return episode.state["success"], tries, episode.state["digest"]


def replay(server: Supervisor, played: dict[Key, Story], seed: int) -> int:
    """Play the episodes again, from the last to the first. 1 if one comes out otherwise."""
    server.start()
    different = 0
    for (suite, task, start), before in reversed(played.items()):
        episode = Episode(server, suite, task, start, seed)
        episode.play()
        now = story(episode)
        if now != before:
            different += 1
            same = [one == other for one, other in zip(now[1], before[1], strict=False)]
            first = same.index(False) if False in same else len(same)
            print(
                f"{suite} {task} start {start} came out otherwise from try {first} on", flush=True
            )
    server.stop()
    print(f"{len(played) - different} of {len(played)} episodes came out the same a second time")
    return int(different > 0)


def play_suite(
    server: Supervisor, suite: str, tasks: list[int], options: argparse.Namespace
) -> dict[Key, Story]:
    solved, cpu, resets, simulated, slowest = [], [], [], [], 0.0
    played: dict[Key, Story] = {}
    for start in numbers(options.starts, 50):
        for task in tasks:
            began = time.monotonic()
            episode = Episode(server, suite, task, start, options.seed)
            success = episode.play()
            played[suite, task, start] = story(episode)
            steps = [step["cpu_s"] for step in episode.log]
            solved.append(success)
            cpu.append(sum(steps))
            resets.append(episode.reset_cpu_s)
            simulated.append(sum(step["sim_s"] for step in episode.log))
            slowest = max([slowest, *steps])
            print(
                f"{suite} {task:2} start {start} {'solved' if success else 'FAILED'} "
                f"cpu {cpu[-1]:.2f}+{resets[-1]:.2f} s, wall {time.monotonic() - began:.0f} s, "
                f"{len(steps)} tries | {episode.instruction} | {summary(episode.log)}",
                flush=True,
            )
            if options.out:
                row = {"suite": suite, "task": task, "start": start, "success": success}
                row["goal"], row["log"] = episode.goal, episode.log
                with options.out.open("a") as file:
                    file.write(json.dumps(row) + "\n")
    rate = wilson(sum(solved), len(solved))
    print(
        f"{suite}: {sum(solved)} of {len(solved)} solved, {rate.mean:.0%} "
        f"({rate.low:.0%} to {rate.high:.0%}); CPU s an episode {statistics.mean(cpu):.2f} playing "
        f"+ {statistics.mean(resets):.2f} reset, slowest try {slowest:.1f}; simulated "
        f"{statistics.mean(simulated):.0f} s",
        flush=True,
    )
    return played


def numbers(text: str, count: int) -> list[int]:
    """The numbers of "3", "0-4" or "1,5,7"; all below count if empty."""
    if not text:
        return list(range(count))
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found


if __name__ == "__main__":
    raise SystemExit(main())
