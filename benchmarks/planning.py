"""How long plans take to find, for random placements of one to six things.

    .venv/bin/python benchmarks/planning.py [--houses N] [--draws N] [--json]

Every goal puts so many graspable things of a house each on or into a fixture that does not keep
it, all drawn with a fixed seed. Printed are, for the houses "house:N?rooms=R" and for those of
VirtualHome's annotated programs, the median and the 95th percentile of the milliseconds that
`find_plan` takes of one processor, by the number of placements, and the share proven shortest.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from peephole.adapters.scenes import load_scene
from peephole.planners.kits.household.search import find_plan
from peephole.scene_graph.goals import And, Related
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Kind, Relation
from peephole.skills.actions import Verb
from peephole.skills.embodiment import Embodiment

COUNTS = range(1, 7)
ROOMS = (4, 8, 16)
PROGRAMS = ("1004_2", "140_1", "517_1", "810_1")
VERBS = frozenset(Verb)


@dataclass(frozen=True)
class Row:
    """The figures of all goals with so many placements. Times in ms."""

    houses: str
    placements: int
    goals: int
    median: float
    percentile_95: float
    exact: float
    expanded: float


def placements(graph: SceneGraph, count: int, dice: random.Random) -> And | None:
    """A goal of placements that do not hold yet, or None where there is too little to move."""
    things = [
        node.id
        for node in graph.nodes(Kind.OBJECT)
        if Affordance.GRASPABLE in node.affordances and not graph.contents(node.id)
    ]
    places = [
        (relation, node.id)
        for node in graph.nodes(Kind.FIXTURE)
        for affordance, relation in (
            (Affordance.SURFACE, Relation.ON),
            (Affordance.CONTAINER, Relation.INSIDE),
        )
        if affordance in node.affordances
    ]
    if len(things) < count or len(places) < 2:
        return None
    parts = []
    for thing in dice.sample(things, count):
        others = [place for place in places if place not in graph.places(thing)]
        relation, place = dice.choice(others)
        parts.append(Related(thing, relation, place))
    return And(tuple(parts))


def measure(name: str, graphs: list[SceneGraph], draws: int) -> Iterator[Row]:
    for count in COUNTS:
        dice = random.Random(count)
        times, exact, expanded = [], [], []
        for graph in graphs:
            for _ in range(draws):
                goal = placements(graph, count, dice)
                if goal is None:
                    continue
                begun = time.process_time()
                found = find_plan(graph, goal, Embodiment(), VERBS)
                times.append(1000 * (time.process_time() - begun))
                exact.append(found.exact and found.actions is not None)
                expanded.append(found.expanded)
        if len(times) > 1:
            yield Row(
                name,
                count,
                len(times),
                round(statistics.median(times), 2),
                round(statistics.quantiles(times, n=20)[-1], 2),
                round(statistics.mean(exact), 3),
                statistics.median(expanded),
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--houses", type=int, default=4, help="generated houses of each size")
    parser.add_argument("--draws", type=int, default=5, help="goals a house and count")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    generated = [
        load_scene(f"house:{number}?rooms={rooms}")
        for rooms in ROOMS
        for number in range(1, options.houses + 1)
    ]
    real = [load_scene(f"virtualhome-eval:{program}") for program in PROGRAMS]
    rows = [
        *measure("generated", generated, options.draws),
        *measure("virtualhome", real, options.draws),
    ]
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
        return
    print("houses       placements  goals  median ms  95% ms  exact  states")
    for row in rows:
        print(
            f"{row.houses:<12} {row.placements:>10} {row.goals:>6} {row.median:>10.1f}"
            f" {row.percentile_95:>7.1f} {row.exact:>6.0%} {row.expanded:>7.0f}"
        )


if __name__ == "__main__":
    main()
