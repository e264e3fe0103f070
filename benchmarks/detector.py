"""The F1 of the detector's chain over many images, against what the set error rates give.

    .venv/bin/python benchmarks/detector.py [--images 1000] [--suites behavior,wah,houses]
        [--rates missed=0.1,invented=0.05,miscounted=0.2]

Of the suites' tasks every place is gone to (and opened), its picture taken, sent as a PNG file over
HTTP to the stand-in `scripted_detector`, described there, parsed, grounded and scored as in a run.
All of that can only lose something, so a difference shows where.

What the rates give. A thing alone of its kind at its place is told with the probability
s = 1 - missed; one of several alike with s = (1 - missed)(1 - miscounted / 2), because a miscount
leaves out a number between one and all but one, each as likely: half of them in the mean. With N
things in all images, of which thing i has s_i and is kept by thing k(i) or by the place (s = 1):

    right nodes R = sum of s_i        wrong nodes W = invented * N
    F1 of nodes = 2 R / (R + W + N)
    right edges E = sum of s_i s_k(i)
    F1 of edges = 2 E / (E + W + N)
    exact = mean over images of the product of (1 - missed)(1 - invented) for each thing and of
            (1 - miscounted) for each group of two and more alike
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from peephole.adapters.registry import connect
from peephole.episodes.augmentation import AugmentationScore, score
from peephole.episodes.environment import Environment
from peephole.episodes.resolve import dialect_for
from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.served_model import ServeOptions
from peephole.observation_text.view import View
from peephole.planners.contract import Grant, Percept
from peephole.planners.kits.detectors.detection import placement, things_at
from peephole.planners.kits.detectors.from_model import ModelDetector
from peephole.scene_graph.node import Kind, State
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.skills.actions import Action, Verb, go_to
from peephole.stand_ins.detector import MODEL, ErrorRates, parse_rates
from peephole.suites.contract import Suite
from peephole.suites.registry import load_suite


@dataclass
class Expected:
    """Sums over images of what the rates give."""

    things: int = 0
    nodes: float = 0.0
    edges: float = 0.0
    true_edges: int = 0
    invented: float = 0.0
    exact: float = 0.0
    images: int = 0

    def add(self, view: View, place: int, rates: ErrorRates) -> None:
        """Add one image."""
        graph = view.graph
        things = things_at(view, place)
        kept = {thing: placement(view, thing) for thing in things}
        alike = Counter((graph[thing].category, *kept[thing]) for thing in things)

        def seen_share(thing: int | None) -> float:
            if thing not in kept:
                return 1.0
            several = alike[(graph[thing].category, *kept[thing])] > 1
            return (1 - rates.missed) * (1 - rates.miscounted / 2 if several else 1)

        self.images += 1
        self.things += len(things)
        self.nodes += sum(map(seen_share, things))
        self.edges += sum(
            seen_share(t) * seen_share(kept[t][1]) for t in things if kept[t][0] is not None
        )
        self.true_edges += sum(kept[thing][0] is not None for thing in things)
        self.invented += rates.invented * len(things)
        groups = sum(count > 1 for count in alike.values())
        each = (1 - rates.missed) * (1 - rates.invented)
        self.exact += each ** len(things) * (1 - rates.miscounted) ** groups

    @property
    def figures(self) -> dict[str, float]:
        return {
            "node_f1": 2 * self.nodes / (self.nodes + self.invented + self.things),
            "edge_f1": 2 * self.edges / (self.edges + self.invented + self.true_edges),
            "exact": self.exact / self.images,
        }


def looks(suite: Suite, most: int) -> Iterator[tuple[str, Percept, int]]:
    """Of a suite's tasks percepts at places with things: the task, the percept and the place."""
    adapter = connect(suite.adapter)
    count = 0
    for task in suite.tasks:
        environment = Environment(
            adapter,
            replace(task, budgets=Budgets(steps=10_000), rules=Rules(ends=Ends.PLANNER_DONE)),
            dialect_for(adapter.spec),
            grants=frozenset({Grant.IMAGES}),
        )
        percept = environment.reset()
        for room in percept.view.graph.room_ids:
            percept = environment.step(go_to(room))
            for node in list(percept.view.graph.nodes(Kind.FIXTURE)):
                percept = environment.step(go_to(node.id))
                if State.CLOSED in node.states:
                    percept = environment.step(Action(Verb.OPEN, node.id))
                if node.id in percept.view.graph and things_at(percept.view, node.id):
                    yield task.id, percept, node.id
                    count += 1
                    if count >= most:
                        adapter.close()
                        return
    adapter.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--suites", default="behavior,wah,houses")
    parser.add_argument("--rates", default="missed=0.1,invented=0.05,miscounted=0.2")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rates = parse_rates(options.rates)
    suites = options.suites.split(",")
    expected, measured = Expected(), AugmentationScore()
    began = time.monotonic()
    with MODEL.serve(ServeOptions(options.rates, options.seed)) as endpoint:
        connection = ModelConnection(ModelConfig("scripted_detector"), endpoint)
        for number, name in enumerate(suites):
            played = ""
            left = (options.images - measured.looks) // (len(suites) - number)
            for task, percept, place in looks(load_suite(name), left):
                if task != played:  # a detector lives for one episode
                    detector = ModelDetector(connection.for_episode("vision", lambda event: None))
                    played = task
                expected.add(percept.view, place, rates)
                detection = detector.detect(place, percept, {place: percept.names[place]})
                found = score(detection.note(), percept.view)
                assert found is not None
                measured += found
        connection.close()
    figures = {
        "node_f1": measured.nodes.f1,
        "edge_f1": measured.edges.f1,
        "exact": measured.exact / (measured.looks - measured.empty),
    }
    report = {
        "images": measured.looks,
        "things": expected.things,
        "rates": asdict(rates),
        "expected": expected.figures,
        "measured": figures,
        "unusable": dict(measured.unusable),
        "seconds": round(time.monotonic() - began, 1),
    }
    if options.json:
        print(json.dumps(report))
        return
    print(f"{measured.looks} images with {expected.things} things, {report['seconds']} s")
    for name, value in figures.items():
        print(f"{name:8} measured {value:.4f}  by the rates {expected.figures[name]:.4f}")
    print("unusable:", dict(measured.unusable) or "none")
    apart = max(abs(figures[name] - expected.figures[name]) for name in ("node_f1", "edge_f1"))
    sys.exit(apart > 0.02)


if __name__ == "__main__":
    main()
