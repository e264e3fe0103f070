"""Re-executes a recorded run in its simulator and verifies every outcome."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import __version__
from ..adapters.contract import Capability
from ..adapters.registry import require
from ..errors import BadInput
from ..planners.contract import Brief, Decisions, Done, Grant, Percept, Planner
from ..skills.executor import RetryPolicy
from ..skills.outcomes import FailureClass
from . import event_data
from .episode import run_episode
from .recording import (
    EpisodeLog,
    EventData,
    episode_path,
    latest,
    read_episode,
    read_events,
    read_run,
)
from .runner import Worker, stored_config

#: While it is filmed an action takes as long as its pictures do.
_FILMED = RetryPolicy(attempt_s=1800.0, action_s=3600.0)
#: What must come out as recorded, by event; times and the planner's own time never do.
_COMPARED = {
    "start": ("instruction", "scene", "state", "observation"),
    "step": ("action", "observation", "progress", "outcome"),
    "end": ("success", "progress", "steps", "failures"),
}


@dataclass(frozen=True)
class Replayed:
    """The replay of one episode. difference: the first one, in words; None when all agreed."""

    task: str
    steps: int
    difference: str | None


def replay_run(
    run: Path, only: frozenset[int] = frozenset(), film: Path | None = None
) -> Iterator[Replayed]:
    """Replay the episodes of a run (all, or those of these numbers) as far as they were recorded.

    The planner is not asked: its recorded decisions are carried out. film: an MP4 to make of it
    all, in this process. Raises BadInput for a run of another version of Peephole or of its
    simulator, whose outcomes may differ for good reasons, and what `Adapter.film` raises.
    """
    config = stored_config(run)
    if film is not None:
        config = replace(config, isolate=False)
    recorded = read_run(run)
    numbered = list(enumerate(config.tasks, start=1))
    paths = {n: episode_path(run, n, task) for n, task in numbered if not only or n in only}
    if not any(path.exists() for path in paths.values()):
        raise BadInput(
            f"No episode of {run} was played yet; continue it with: "
            f"peephole run --resume --out {run}"
        )
    if recorded.get("peephole") != __version__:
        raise BadInput(
            f"{run} was recorded by peephole {recorded.get('peephole')} and this is {__version__}; "
            f"install that version to replay it."
        )
    with Worker(config, run) as worker, ExitStack() as stack:
        facts, then = worker.adapter.facts(), recorded.get("adapter")
        if film is not None and isinstance(then, dict):
            then = {name: fact for name, fact in then.items() if name != "isolated"}
        if then != facts:
            raise BadInput(
                f"{run} was recorded with {_listed(then)} and here is "
                f"{_listed(facts)}; install what it was recorded with to replay it."
            )
        if film is not None:
            require(worker.adapter.spec, {Capability.IMAGES: "--film"})
            stack.enter_context(worker.adapter.film(film))
            worker.setting = replace(worker.setting, policy=_FILMED)
        for number, task_id in numbered:
            path = paths.get(number)
            if path is not None and path.exists():
                yield _replay(worker, task_id, read_episode(path))


def _replay(worker: Worker, task_id: str, recorded: list[EventData]) -> Replayed:
    decisions = [event for event in recorded if event["event"] == "decision"]

    def follow(brief: Brief, percept: Percept) -> Decisions:
        for event in decisions:
            yield event_data.to_decision(event)
        yield Done("the end of the recording")

    planner = Planner("replay", "repeats recorded decisions", follow, frozenset[Grant]())
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "replayed.jsonl"
        with EpisodeLog(path) as log:
            run_episode(replace(worker.setting, planner=planner), worker.tasks[task_id], log)
        replayed = latest(read_events(path))
    steps = sum(event["event"] == "step" for event in recorded)
    return Replayed(task_id, steps, _difference(recorded, replayed))


def _difference(recorded: list[EventData], replayed: list[EventData]) -> str | None:
    """The first difference between two recordings of an episode that matters."""
    theirs = [event for event in recorded if event["event"] in _COMPARED]
    ours = [event for event in replayed if event["event"] in _COMPARED]
    for then, now in zip(theirs, ours, strict=False):
        if then["event"] != now["event"]:
            return f"step {then['step']}: '{then['event']}' was recorded, '{now['event']}' came now"
        for key in _COMPARED[then["event"]]:
            before, after = _verified(then.get(key)), _verified(now.get(key))
            if before != after:
                return f"step {then['step']}: {key} was {before!r} and is {after!r}"
    if len(ours) < len(theirs):
        return f"step {theirs[len(ours)]['step']} was recorded and did not come again"
    return None


def _verified(value: Any) -> Any:
    """What must agree of a recorded value: of an outcome, the failures the planner caused.

    How often the simulator had to be restarted is no part of what happened in it.
    """
    if not isinstance(value, dict) or "attempts" not in value:
        return value
    outcome = event_data.to_outcome(value)
    tries = [
        (attempt.variation, attempt.failure)
        for attempt in outcome.attempts
        if attempt.failure is None or attempt.failure.kind is not FailureClass.INFRASTRUCTURE
    ]
    return outcome.failure, tries


def _listed(facts: Any) -> str:
    if not isinstance(facts, dict):
        return "an unknown simulator"
    return ", ".join(f"{name} {value}" for name, value in sorted(facts.items()))
