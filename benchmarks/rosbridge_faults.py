"""Plays episodes with a fake robot that meets a fault at every order, and checks what it did.

    .venv/bin/python benchmarks/rosbridge_faults.py --faults 200

The robot is behind the stand-in of a rosbridge server. Each order meets one fault: the connection
ends before, during or after it; the result comes late, three times, garbled, without its fields,
among those of others, or never; the robot hangs, falls silent, fails, or its perception is garbled.
A run that loses the connection goes on from its recording, as with --resume. Exits with 1 where an
action was done twice, a success was told that was none, or an attempt took longer than its limit.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from peephole.adapters.rosbridge.adapter import RosbridgeAdapter
from peephole.adapters.rosbridge.settings import VARIABLE
from peephole.adapters.rosbridge.stand_in.fake_robot import FakeRobot
from peephole.adapters.rosbridge.stand_in.faults import Fault, Faults
from peephole.adapters.rosbridge.stand_in.server import StandIn, Times
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.events import Stepped
from peephole.episodes.recording import EpisodeLog, read_events
from peephole.episodes.resolve import load_dialect
from peephole.planners.contract import Act, Brief, Decisions, Percept, Planner
from peephole.scene_graph.goals import HasState
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.scene_graph.rules import Budgets
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action
from peephole.skills.executor import ConnectionLost
from peephole.skills.outcomes import RawResult

MAPPING = Path(__file__).parent.parent / "examples" / "fake_robot.yaml"
#: One action, two services and two topics, so that every way to the robot meets every fault.
ROUND = (
    *("open fridge 1", "go to table 1", "turn on lamp 1"),
    *("turn off lamp 1", "go to fridge 1", "close fridge 1"),
)
STEPS = 12
KNOWN_FAILURES = frozenset({"slipped", "refused", "stopped", "not_confirmed"})


def scene() -> SceneGraph:
    """A kitchen with a fridge, a table and a lamp that stays off at the end."""
    can = {
        "fridge": {Affordance.OPENABLE, Affordance.CONTAINER},
        "table": {Affordance.SURFACE},
        "lamp": {Affordance.SWITCHABLE},
    }
    states = {"fridge": {State.CLOSED}, "lamp": {State.OFF}}
    nodes = [Node(1, "kitchen", Kind.ROOM, "kitchen"), Node(2, "robot", Kind.AGENT, "robot")]
    nodes += [
        Node(i, name, Kind.FIXTURE, name, frozenset(states.get(name, ())), frozenset(can[name]))
        for i, name in enumerate(can, 3)
    ]
    edges = [Edge(node.id, Relation.INSIDE, 1) for node in nodes if node.id != 1]
    beside = [Edge(a, Relation.CLOSE, b) for a, b in itertools.permutations((3, 4, 5), 2)]
    return SceneGraph(nodes, [*edges, Edge(2, Relation.CLOSE, 3), *beside])


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Do the round again and again, whatever comes of it."""
    while True:
        for words in ROUND:
            yield Act(words)


@dataclass
class Found:
    """What a campaign has found. limit_s: the seconds that the mapping allows an attempt."""

    faults: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    resumed: int = 0
    longest_s: float = 0.0
    limit_s: float = 0.0
    mistakes: list[str] = field(default_factory=list)


class TimedAdapter(RosbridgeAdapter):
    """The adapter, whose attempts are timed, also those that lose the connection."""

    def __init__(self, found: Found) -> None:
        super().__init__()
        self._found = found
        found.limit_s = self.spec.attempt_s

    def attempt(self, action: Action, variation: int) -> RawResult:
        began = time.monotonic()
        try:
            return super().attempt(action, variation)
        finally:
            self._found.longest_s = max(self._found.longest_s, time.monotonic() - began)


def mapping(url: str, ros: int, folder: Path) -> Path:
    """The example's mapping with short deadlines, as a file of its own."""
    data: dict[str, Any] = yaml.safe_load(MAPPING.read_text())
    data |= {"bridge": url, "ros": ros, "connect_s": 5.0, "cancel_s": 0.5, "check_rules": False}
    data["limits"]["forbidden"] = []
    data["watchdog"]["silence_s"] = 0.4
    data["perception"]["within_s"] = 3.0
    for skill in data["skills"].values():
        skill["deadline_s"] = 0.6
    path = folder / "robot.yaml"
    path.write_text(yaml.safe_dump(data))
    return path


def play(number: int, faults: dict[int, Fault], ros: int, folder: Path, found: Found) -> None:
    """Play one episode to its end, going on wherever the connection is lost."""
    write_graph(scene(), folder / "scene.json")
    robot = FakeRobot(scene())
    goal = HasState(5, State.BROKEN)  # never, so that the steps decide
    task = Task("round", "Go round.", goal, f"json:{folder / 'scene.json'}")
    path = folder / f"{number}.jsonl"
    with StandIn(robot, Faults(listed=faults), Times(0.04, 0.03, 0.35), ros) as server:
        os.environ[VARIABLE] = str(mapping(server.url, ros, folder))
        while True:
            adapter = TimedAdapter(found)
            context = EpisodeContext(
                adapter,
                Planner("round", "goes round", plan),
                load_dialect("reactree"),
                budgets=Budgets(steps=STEPS),
                files=folder / f"{number}",
            )
            try:
                with EpisodeLog(path) as log:
                    run_episode(context, task, log)
                break
            except ConnectionLost as error:
                found.resumed += 1
                if "--resume" not in str(error):
                    found.mistakes.append(str(error))
            finally:
                adapter.close()
        time.sleep(0.1)  # what the robot still does
        judge(number, path, server, found)


def judge(number: int, path: Path, server: StandIn, found: Found) -> None:
    """Compare what was recorded with what the robot got and did."""
    steps = [event for event in read_events(path) if isinstance(event, Stepped)]
    done = [order for order, _ in server.robot.done]
    if len(set(server.received)) < len(server.received) or len(set(done)) < len(done):
        found.mistakes.append(f"episode {number}: an order was done twice")
    if len(server.received) > len(steps):
        found.mistakes.append(
            f"episode {number}: {len(server.received)} orders for {len(steps)} steps"
        )
    successes = sum(step.outcome.success for step in steps)
    if successes > len(done):
        found.mistakes.append(f"episode {number}: {successes} successes, {len(done)} done")
    for step in steps:
        failure = step.outcome.failure
        reason = "done" if failure is None else str(failure.reason)
        found.outcomes[reason] += 1
        if failure is not None and reason not in KNOWN_FAILURES:
            found.mistakes.append(f"episode {number}: {step.action} ended as {reason}")
    if found.longest_s > found.limit_s:
        found.mistakes.append(f"an attempt took {found.longest_s:.1f} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="moves the faults among the actions")
    options = parser.parse_args()
    found = Found()
    stop = options.seed + options.faults
    every = list(itertools.islice(itertools.cycle(Fault), options.seed, stop))
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        for number, start in enumerate(range(0, len(every), STEPS)):
            folder = Path(scratch) / str(number)
            folder.mkdir()
            faults = dict(enumerate(every[start : start + STEPS]))
            play(number, faults, 1 + number % 2, folder, found)
            found.faults.update(map(str, faults.values()))
    for counts, what in ((found.faults, "faults"), (found.outcomes, "actions")):
        told = ", ".join(f"{name} {count}" for name, count in counts.items())
        print(f"{sum(counts.values())} {what}: {told}")
    print(f"the connection was lost {found.resumed} times, and the run went on each time")
    print(f"the longest attempt took {found.longest_s:.1f} s of at most {found.limit_s:.1f} s")
    print(f"{time.monotonic() - began:.0f} s; {len(found.mistakes)} mistakes")
    for mistake in found.mistakes[:10]:
        print(f"  {mistake}")
    return bool(found.mistakes)


if __name__ == "__main__":
    sys.exit(main())
