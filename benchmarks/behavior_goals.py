"""Goals of BEHAVIOR-1K: how long ours take beside bddl's, and whether they agree.

    .venv/bin/python benchmarks/behavior_goals.py [--states N] [--json]

Every activity of the suite behavior in turn is brought into random states, 10,000 in all, and its
goal is evaluated by `satisfied` and by bddl's own `evaluate_goal_conditions`, which finds the facts
it asks for in a set. Printed are the states on which both agree, those fulfilled, the median and
the 95th percentile of the microseconds of one evaluation in processor time, and the milliseconds
in which an activity is loaded: definition, scene and goal. The first load reads the package's
taxonomy and rooms besides. Of each evaluation and load the shortest of five is taken.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from peephole.adapters.omnigibson import activities, goals, scenes
from peephole.adapters.omnigibson.bddl_files import Activity
from peephole.adapters.random_draws import RandomDraws
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import Goal
from peephole.scene_graph.graph import SceneGraph

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "adapters" / "omnigibson"))

import bddl_agreement as agreement  # type: ignore[import-not-found]

REPEATS = 5


def timed(evaluate: Callable[[], Any]) -> tuple[Any, float]:
    """The value and the microseconds of processor time."""
    value, took = None, float("inf")
    for _ in range(REPEATS):
        began = time.process_time_ns()
        value = evaluate()
        took = min(took, (time.process_time_ns() - began) / 1e3)
    return value, took


def load(name: str) -> tuple[Activity, SceneGraph, Goal]:
    """An activity as it is read from its files, its scene and its goal."""
    activity = activities.read.__wrapped__(name)
    start = scenes.scene_of(activity)
    return activity, start, goals.to_goal(activity, scenes.ids_of(start))


def measure(states: int) -> dict[str, object]:
    names = activities.playable_names()
    for name in activities.names():
        activities.read.__wrapped__(name)
    began = time.process_time_ns()
    scenes.load(names[0])
    first = (time.process_time_ns() - began) / 1e6
    agreed = fulfilled = 0
    ours, theirs, loads = [], [], []
    for number, name in enumerate(names):
        activity, start, goal = load(name)
        loads.append(timed(partial(load, name))[1] / 1e3)
        facts: agreement.Facts = set()
        evaluate = agreement.evaluation_of(activity, facts)
        chance = RandomDraws(number)
        for _ in range(states * (number + 1) // len(names) - states * number // len(names)):
            graph = start.copy()
            agreement.shuffle(graph, activity, chance)
            facts.clear()
            facts |= agreement.facts_of(graph)
            mine, took = timed(partial(satisfied, goal, graph))
            ours.append(took)
            value, took = timed(evaluate)
            theirs.append(took)
            agreed += mine == value
            fulfilled += value
    return {
        "activities parsed": len(activities.names()),
        "activities selected": len(names),
        "states": len(ours),
        "agreed": agreed,
        "fulfilled": fulfilled,
        "ours, median µs": round(statistics.median(ours), 1),
        "ours, 95 % µs": round(statistics.quantiles(ours, n=20)[-1], 1),
        "bddl, median µs": round(statistics.median(theirs), 1),
        "bddl, 95 % µs": round(statistics.quantiles(theirs, n=20)[-1], 1),
        "first load, ms": round(first, 1),
        "load, median ms": round(statistics.median(loads), 2),
        "load, longest ms": round(max(loads), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--states", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.states)
    if options.json:
        print(json.dumps(found))
    else:
        for what, value in found.items():
            print(f"{what:24}{value:>10}")


if __name__ == "__main__":
    main()
