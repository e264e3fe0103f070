"""What the benchmarks of faults share: episodes whose recordings are compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from peephole import plugins
from peephole.adapters.contract import Adapter
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.recording import EpisodeLog, latest, read_events, without_times
from peephole.episodes.runner import load_suite
from peephole.scene_graph.task import Task
from peephole.skills.outcomes import Failure, FailureClass, Reason

Story = list[dict[str, Any]]


class Campaign:
    """Episodes of one suite with one planner, through any adapter.

    tries: whether every try of an action belongs to the story, or only what came of them. voided:
    how many starts were begun anew.
    """

    def __init__(self, suite: str, planner: str, folder: Path, *, tries: bool) -> None:
        self.suite = load_suite(suite)
        self.planner = plugins.load("planner", planner)
        self.folder = folder
        self.voided = 0
        self._tries = tries

    def task(self, episode: int) -> Task:
        """The task of an episode: those of the suite in turn."""
        return self.suite.tasks[episode % len(self.suite.tasks)]

    def play(self, adapter: Adapter, task: Task, name: str) -> Story:
        """The story of one episode."""
        setting = EpisodeContext(
            adapter=adapter,
            planner=self.planner,
            dialect=plugins.load("dialect", self.planner.dialects[0]),
            rules=self.suite.rules,
            budgets=self.suite.budgets,
            seed=0,
        )
        path = self.folder / f"{name}.jsonl"
        with EpisodeLog(path) as log:
            self.voided += run_episode(setting, task, log).voided
        return _story(path, tries=self._tries)


def first_difference(expected: Story, found: Story) -> str:
    for one, other in zip(expected, found, strict=False):
        if one != other:
            return f"{one}\ninstead came\n{other}"
    return f"{len(expected)} events became {len(found)}"


def _story(path: Path, *, tries: bool) -> Story:
    """What an episode's recording tells, but for times and for what was restarted."""
    told = []
    for event in without_times(latest(read_events(path))):
        if event["event"] == "step":
            outcome = event.pop("outcome")
            event["failure"] = outcome["failure"]
            assert not _is_infrastructure(outcome["failure"]), "counted against the planner"
            if tries:
                event["tries"] = [
                    {key: attempt[key] for key in ("variation", "failure", "message")}
                    for attempt in outcome["attempts"]
                    if not _is_infrastructure(attempt["failure"])
                ]
        for key in ("retries", "voided"):
            event.pop(key, None)
        told.append(event)
    return told


def _is_infrastructure(failure: dict[str, Any] | None) -> bool:
    if failure is None:
        return False
    return Failure(Reason(failure["reason"])).kind is FailureClass.INFRASTRUCTURE
