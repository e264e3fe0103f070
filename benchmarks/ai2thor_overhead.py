"""What the AI2-THOR adapter adds to the Controller, in skills a second.

    .venv/bin/python benchmarks/ai2thor_overhead.py --rounds 30

A round carries an apple from a counter into the fridge and back, twelve skills in a kitchen of 68
objects, on the stand-in engine. Ours is the whole way of a step: the planner's text parsed, our
check, the walk with its look-around, the postcondition, the view and its text. The plain loop
plays the very steps that ours sent, on a bare Controller with a stand-in of its own, and does
nothing with the answers. Seconds are those of the processor, of both processes together: one waits
while the other works, so an idle machine takes as long, and what else runs does not count (Linux).
Exits with 1 below 60 skills a second, or where less than 70 % of our
time is spent inside Controller.step.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from peephole.adapters.ai2thor import engine
from peephole.adapters.ai2thor.adapter import GRID_M, SIGHT_M, ThorAdapter
from peephole.episodes.environment import Environment
from peephole.episodes.resolve import dialect_for
from peephole.scene_graph.goals import And
from peephole.scene_graph.node import Relation
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, close, go_to, open_, pick_up, put

LEAST_A_SECOND, LEAST_SHARE = 60.0, 0.7
SCENE = "FloorPlan10"


class Clock:
    """Times the calls of Controller.step, and keeps what they were."""

    def __init__(self, controller_class: Any) -> None:
        self.seconds = 0.0
        self.steps: list[dict[str, Any]] = []
        self.patches = 0
        original = controller_class.step
        before: list[Any] = [None]

        def step(controller: Any, action: Any = None, **arguments: Any) -> Any:
            began = time.process_time()
            try:
                return original(controller, action, **arguments)
            finally:
                self.seconds += time.process_time() - began
                self.steps.append({"action": action, **arguments})
                listed = controller.last_event.metadata["objects"]
                self.patches += listed is before[0]
                before[0] = listed

        controller_class.step = step


def round_of(adapter: ThorAdapter) -> list[Action]:
    """The skills of one round, by the names of the things in the scene."""
    graph = adapter.graph()
    apple = next(node.id for node in graph.nodes() if node.category == "apple")
    fridge = next(node.id for node in graph.nodes() if node.category == "fridge")
    counter = graph.targets(apple, Relation.ON)[0]
    return [
        go_to(counter),
        pick_up(apple),
        go_to(fridge),
        open_(fridge),
        put(apple, Relation.INSIDE, fridge),
        close(fridge),
        open_(fridge),
        pick_up(apple),
        close(fridge),
        go_to(counter),
        put(apple, Relation.ON, counter),
        go_to(fridge),
    ]


def engine_seconds() -> float:
    """Processor seconds of the processes that this one has started and that still run."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[1]) == os.getpid():
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def play(environment: Environment, skills: list[Action], rounds: int) -> float:
    """Seconds of this process for some rounds as an agent plays them."""
    began = time.process_time()
    for _ in range(rounds):
        for skill in skills:
            outcome = environment.step(skill).outcome
            assert outcome is not None
            assert outcome.success, (skill, outcome)
    return time.process_time() - began


def replay(controller: Any, steps: list[dict[str, Any]]) -> float:
    """Seconds of this process for the same steps on a bare Controller."""
    began = time.process_time()
    for step in steps:
        controller.step(**step)
    return time.process_time() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--boxes", action="store_true", help="have the engine send boxes, as Unity")
    options = parser.parse_args()
    boxes = " --boxes" if options.boxes else ""
    os.environ[engine.EXECUTABLE_VARIABLE] = f"{engine.STAND_IN}{boxes}"
    controller_class = import_module("ai2thor.controller").Controller
    clock = Clock(controller_class)

    adapter = ThorAdapter()
    environment = Environment(
        adapter,
        Task("any", "", And(()), f"ithor:{SCENE}#1"),
        dialect_for(adapter.spec),
        rules=Rules(ends=Ends.PLANNER_DONE),
        budgets=Budgets(steps=20 * (options.rounds + 1)),
    )
    environment.reset()
    skills = round_of(adapter)
    play(environment, skills, 1)
    clock.seconds, clock.patches, clock.steps = 0.0, 0, []
    engines = engine_seconds()
    ours = play(environment, skills, options.rounds)
    engines = engine_seconds() - engines
    inside, steps, patches = clock.seconds, list(clock.steps), clock.patches
    objects = len(adapter.world.step("Pass").metadata["objects"])
    adapter.close()

    bare = controller_class(
        local_executable_path=engine.chosen().local_executable_path,
        x_display=":0",
        scene=SCENE,
        gridSize=GRID_M,
        visibilityDistance=SIGHT_M,
        fastActionEmit=True,
    )
    theirs = engine_seconds()
    alone = replay(bare, steps)
    alone += engine_seconds() - theirs
    bare.stop()

    whole, inside = ours + engines, inside + engines
    count = options.rounds * len(skills)
    print(f"{count} skills among {objects} objects, {len(steps)} steps of the Controller,")
    print(f"of them {patches} answered by a patch of the metadata")
    print(f"{count / whole:8.1f} skills a second through the adapter, {1e3 * whole / count:.1f} ms")
    engine_ms = 1e3 * engines / count
    print(f"         of them {engine_ms:.1f} ms in the engine")
    print(f"{count / alone:8.1f} skills a second in the plain loop, {1e3 * alone / count:.1f} ms")
    print(f"{alone / whole:8.1%} of the plain loop's speed")
    print(f"{inside / whole:8.1%} of the adapter's time is spent inside Controller.step")
    return int(count / whole < LEAST_A_SECOND or inside / whole < LEAST_SHARE)


if __name__ == "__main__":
    sys.exit(main())
