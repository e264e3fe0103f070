"""Plays episodes through a failing simulator and compares them with undisturbed ones.

    .venv/bin/python benchmarks/simulator_faults.py --faults 200

The simulator runs in a process of its own, behind `faulty_simulator.py`, which at random calls
dies, hangs, or answers with garbled, overlong, late or wrong frames. Tasks are played in turn until
so many faults have been injected. Every episode has to come out as in this process without any
faults: the same decisions, observations, tries, outcomes and result. Exits with 1 at a difference.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from peephole import plugins
from peephole.adapters.contract import Adapter
from peephole.adapters.isolated import Deadlines, IsolatedAdapter
from peephole.adapters.status import connect
from peephole.episodes.episode import Setting, run_episode
from peephole.episodes.recording import EpisodeLog, latest, read_events, without_times
from peephole.episodes.runner import load_suite
from peephole.scene_graph.task import Task
from peephole.skills.outcomes import Failure, FailureClass, Reason

#: Short, so that a campaign does not wait long for what hangs; long enough for a busy machine.
DEADLINES = Deadlines(start_s=20.0, reset_s=5.0, attempt_s=1.5, read_s=1.5)


def story(path: Path) -> list[dict[str, Any]]:
    """What an episode's recording tells, but for times and for what was restarted."""
    told = []
    for event in without_times(latest(read_events(path))):
        if event["event"] == "step":
            outcome = event.pop("outcome")
            event["failure"] = outcome["failure"]
            event["tries"] = [
                {key: attempt[key] for key in ("variation", "failure", "message")}
                for attempt in outcome["attempts"]
                if not is_infrastructure(attempt["failure"])
            ]
        for key in ("retries", "voided"):
            event.pop(key, None)
        told.append(event)
    return told


def is_infrastructure(failure: dict[str, Any] | None) -> bool:
    if failure is None:
        return False
    return Failure(Reason(failure["reason"])).kind is FailureClass.INFRASTRUCTURE


class Campaign:
    """Episodes of one suite with one planner, through any adapter."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.suite = load_suite(options.suite)
        self.planner = plugins.load("planner", options.planner)
        self.folder = folder
        self.voided = 0

    def play(self, adapter: Adapter, task: Task, name: str) -> list[dict[str, Any]]:
        """The story of one episode."""
        setting = Setting(
            adapter=adapter,
            planner=self.planner,
            dialect=plugins.load("dialect", self.planner.dialects[0]),
            ends=self.suite.ends,
            budgets=self.suite.budgets,
            seed=0,
        )
        path = self.folder / f"{name}.jsonl"
        with EpisodeLog(path) as log:
            self.voided += run_episode(setting, task, log).voided
        return story(path)


def first_difference(expected: list[dict[str, Any]], found: list[dict[str, Any]]) -> str:
    for one, other in zip(expected, found, strict=False):
        if one != other:
            return f"{one}\ninstead came\n{other}"
    return f"{len(expected)} events became {len(found)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--share", type=float, default=0.01, help="of calls that are spoilt")
    parser.add_argument("--suite", default="robothow")
    parser.add_argument("--adapter", default="virtualhome")
    parser.add_argument("--planner", default="expert")
    parser.add_argument("--seed", type=int, default=0, help="of the moments and kinds of faults")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "faults").touch()
        (folder / "calls").touch()
        campaign = Campaign(options, folder)
        sound = connect(options.adapter)
        late_s = DEADLINES.reset_s + 0.5
        server = Path(__file__).with_name("faulty_simulator.py")
        command = [sys.executable, str(server), scratch, options.seed, options.share, late_s]
        faulty = IsolatedAdapter(
            options.adapter, sound.spec, DEADLINES, [str(word) for word in command]
        )
        began = time.monotonic()
        expected: dict[str, list[dict[str, Any]]] = {}
        episodes = steps = 0
        while len(faults := (folder / "faults").read_text().splitlines()) < options.faults:
            task = campaign.suite.tasks[episodes % len(campaign.suite.tasks)]
            if task.id not in expected:
                expected[task.id] = campaign.play(sound, task, f"sound-{episodes}")
            episodes += 1
            found = campaign.play(faulty, task, f"faulty-{episodes}")
            steps += sum(event["event"] == "step" for event in found)
            if found != expected[task.id]:
                print(f"{task.id} came out differently (episode {episodes} of the campaign):")
                print(first_difference(expected[task.id], found))
                faulty.close()
                return 1
        faulty.close()
        calls = (folder / "calls").stat().st_size
    kinds = Counter(line.split("\t")[1] for line in faults)
    print(f"{len(faults)} faults in {calls} calls ({time.monotonic() - began:.0f} s):")
    for kind, count in kinds.most_common():
        print(f"{count:5} {kind}")
    print(
        f"{episodes} episodes with {steps} steps came out as without faults; "
        f"{campaign.voided} of their starts were voided and begun anew"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
