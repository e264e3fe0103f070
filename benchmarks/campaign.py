"""What the benchmarks of faults share: episodes whose recordings are compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from peephole.adapters.contract import Adapter
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.events import Ended, Stepped
from peephole.episodes.recording import EpisodeLog, read_episode, without_times
from peephole.episodes.resolve import load_dialect
from peephole.planners.registry import load_planner
from peephole.scene_graph.task import Task
from peephole.skills.outcomes import Failure, FailureClass
from peephole.suites.registry import load_suite

Story = list[dict[str, Any]]


class Campaign:
    """Episodes of one suite with one planner, through any adapter.

    tries: whether every try of an action and what was perceived after it belong to the story, or
    only the outcome and its report: another try may have looked from elsewhere. voided: how
    many starts were repeated.
    """

    def __init__(self, suite: str, planner: str, folder: Path, *, tries: bool) -> None:
        self.suite = load_suite(suite)
        self.planner = load_planner(planner)
        self.folder = folder
        self.voided = 0
        self._tries = tries

    def task(self, episode: int) -> Task:
        """The task of an episode: those of the suite in turn."""
        return self.suite.tasks[episode % len(self.suite.tasks)]

    def play(self, adapter: Adapter, task: Task, name: str) -> Story:
        """The story of one episode."""
        context = EpisodeContext(
            adapter=adapter,
            planner=self.planner,
            dialect=load_dialect(self.planner.dialects[0]),
            rules=self.suite.rules,
            budgets=self.suite.budgets,
        )
        path = self.folder / f"{name}.jsonl"
        with EpisodeLog(path) as log:
            self.voided += run_episode(context, task, log).voided
        return _story(path, tries=self._tries)


def first_difference(expected: Story, found: Story) -> str:
    for one, other in zip(expected, found, strict=False):
        if one != other:
            return f"{one}\ninstead came\n{other}"
    return f"{len(expected)} events became {len(found)}"


def _story(path: Path, *, tries: bool) -> Story:
    """What an episode's recording tells, but for times and for what was restarted."""
    parts = []
    for event in read_episode(path):
        (data,) = without_times([event])
        if isinstance(event, Stepped):
            outcome = data.pop("outcome")
            data["failure"] = outcome["failure"]
            assert not _is_infrastructure(event.outcome.failure), "counted against the planner"
            if tries:
                data["tries"] = [
                    {key: attempt[key] for key in ("variation", "failure", "message")}
                    for attempt, tried in zip(
                        outcome["attempts"], event.outcome.attempts, strict=True
                    )
                    if not _is_infrastructure(tried.failure)
                ]
            else:
                del data["view"]
        elif isinstance(event, Ended):
            for key in ("retries", "voided"):
                del data["result"][key]
        parts.append(data)
    return parts


def _is_infrastructure(failure: Failure | None) -> bool:
    return failure is not None and failure.kind is FailureClass.INFRASTRUCTURE
