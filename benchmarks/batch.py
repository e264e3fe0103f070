"""Steps a second of a batch in one process, with the texts and menus of every step.

    make bench                                    # sets up the peers as well
    .venv/bin/python benchmarks/batch.py          # without the others

All actions are random ones of the menus. Every round runs us and each peer in turn; printed are
medians of the rounds. Times are CPU seconds of this process, so that other work on the machine
counts less; TextWorldExpress works in a process of its own, so its time is on the clock.
The first round of a suite is not counted: scenes are loaded in it.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import steps as single

import peephole
from peephole.episodes.batch.batch import Batch, BatchStep

SUITES = ("houses", "household", "robothow", "wah")


class Play:
    """A batch that plays random actions."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._dice = random.Random(0)
        self._now: BatchStep = batch.reset()

    def rate(self, steps: int) -> float:
        """Steps a CPU second, texts and menus made; new episodes are begun meanwhile."""
        rounds = max(1, steps // self._batch.size)
        choice = self._dice.choice
        began = time.process_time()
        for _ in range(rounds):
            said = [choice(menu) if menu else "" for menu in self._now.menus]
            self._now = self._batch.step(said)
        return rounds * self._batch.size / (time.process_time() - began)


def express() -> Callable[[], float] | None:
    """Steps a second of TextWorldExpress's household game, or None if it is not here."""
    if find_spec("textworld_express") is None:
        print("TextWorldExpress is not installed here; `make bench` sets it up.", file=sys.stderr)
        return None
    from textworld_express import TextWorldExpressEnv

    try:
        game: Any = TextWorldExpressEnv(envStepLimit=200)
        game.load(gameName="twc", gameParams="numLocations=3,includeDoors=0")
    except Exception as error:  # such as no Java
        print(f"TextWorldExpress does not start here ({error}).", file=sys.stderr)
        return None
    dice = random.Random(0)

    def rate(count: int = 300) -> float:
        _, infos = game.reset(seed=1, gameFold="train", generateGoldPath=False)
        began = time.perf_counter()
        for _ in range(count):
            _, _, done, infos = game.step(dice.choice(infos["validActions"]))
            if done:
                _, infos = game.reset(seed=1, gameFold="train", generateGoldPath=False)
        return count / (time.perf_counter() - began)

    return rate


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suites", nargs="+", default=SUITES, metavar="SUITE")
    parser.add_argument("--size", type=int, default=128, help="episodes at a time")
    parser.add_argument("--steps", type=int, default=6400, help="of a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        games = single.peers(Path(scratch))
        of_express = express()
        for suite in options.suites:
            with peephole.make_batch(suite, size=options.size) as batch:
                play = Play(batch)
                play.rate(options.steps)
                for _ in range(options.rounds):
                    found.setdefault(suite, []).append(play.rate(options.steps))
                    for name, (run, count) in games.items():
                        found.setdefault(name, []).append(count / run())
                    if of_express is not None:
                        found.setdefault("TextWorldExpress, twc (clock)", []).append(of_express())
    rates = {name: statistics.median(each) for name, each in found.items()}
    if options.json:
        print(json.dumps(rates, indent=2))
        return 0
    print(f"{options.size} episodes in one process, texts and menus of every step.\n")
    for name, rate in rates.items():
        print(f"{name:46}{rate:10,.0f} steps/s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
