"""Replays a recorded run in its simulator and compares every outcome."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from ..adapters.contract import Capability
from ..adapters.registry import require
from ..episodes.approval.approver import Answer, Approver, RecordedAnswers
from ..episodes.approval.choice import approver_of
from ..episodes.branches.point import BranchPoint, point_of
from ..episodes.episode import EpisodeContext, run_episode
from ..episodes.events import ApprovalGiven, Decided, Ended, RecordedEvent, Started, Stepped
from ..episodes.recording import EpisodeLog, episode_path, read_episode
from ..episodes.resolve import Run, resolve
from ..episodes.run_file import PlannedEpisode, RunFile, read_run
from ..errors import BadInput
from ..planners.contract import Brief, Decisions, Done, Grant, Percept, Planner
from ..skills.executor import RetryPolicy
from ..skills.outcomes import FailureClass, Outcome
from ..version import __version__
from .films.caption import Subtitles, mark_of

_Value = TypeVar("_Value")
#: For filming: an action takes as long as its pictures.
_FILMED = RetryPolicy(attempt_s=1800.0, action_s=3600.0)


#: Called with the number of the part of a film that is being made, and of all.
Reached = Callable[[int, int], None]


@dataclass(frozen=True)
class Replayed:
    """The replay of one episode. difference: the first one, in words; None for none."""

    task: str
    steps: int
    difference: str | None


def replay_run(
    folder: Path,
    only: frozenset[int] = frozenset(),
    film: Path | None = None,
    *,
    captions: bool = False,
    reached: Reached | None = None,
) -> Iterator[Replayed]:
    """Replay the episodes of a run (all, or those of these numbers) as far as they are recorded.

    The planner is not asked: its recorded decisions are carried out. film: an MP4 to make of all
    episodes, in this process. captions: whether to write the actions into it. reached: of the
    decisions of an episode.

    Raises BadInput for a run of another version of Peephole or of its simulator, whose outcomes may
    differ. Raises BadInput for an adapter that cannot be replayed, and what `Adapter.film` raises.
    """
    recorded = read_run(folder)
    config = recorded.config if film is None else replace(recorded.config, isolate=False)
    chosen = [each for each in config.episodes if not only or each.number in only]
    if not any(episode_path(folder, each.number, each.task).exists() for each in chosen):
        raise BadInput(
            f"No episode of {folder} was played yet; continue it with: "
            f"peephole run --resume --out {folder}"
        )
    if recorded.peephole != __version__:
        raise BadInput(
            f"{folder} was recorded by peephole {recorded.peephole} and this is {__version__}; "
            f"install that version to replay it."
        )
    run = resolve(replace(config, options={}, models={}), planner=_as_recorded(recorded))
    with ExitStack() as stack:
        stack.callback(run.adapter.close)
        needed = {Capability.REPLAYABLE: "peephole replay does its actions again"}
        if film is not None:
            needed[Capability.IMAGES] = "--film"
        require(run.adapter.spec, needed)
        _check_simulator(folder, recorded, run, film)
        filmed = stack.enter_context(run.adapter.film(film)) if film is not None else None
        mark = mark_of(recorded) if captions else None
        for episode in chosen:
            path = episode_path(folder, episode.number, episode.task)
            if path.exists():
                events = read_episode(path)
                subtitles = None
                if filmed is not None and mark is not None:
                    subtitles = Subtitles(filmed, events, mark)
                policy = None if film is None else _FILMED
                yield _replay(run, episode, events, policy, subtitles, reached)


def _as_recorded(recorded: RunFile) -> Planner:
    """A planner with the name, grants and dialect of a run's, whose code is not needed."""

    def nothing(brief: Brief, percept: Percept) -> Decisions:
        yield Done()

    config = recorded.config
    grants = frozenset(map(Grant, recorded.grants))
    return Planner(config.planner, "", nothing, grants, dialects=(config.dialect,))


def _check_simulator(folder: Path, recorded: RunFile, run: Run, film: Path | None) -> None:
    """Raise BadInput where the run was recorded with another simulator."""
    then, facts = dict(recorded.adapter), run.adapter.facts()
    if film is not None:
        then.pop("isolated", None)
    if then != facts:
        raise BadInput(
            f"{folder} was recorded with {_listed(then)} and here is {_listed(facts)}; "
            f"install what it was recorded with to replay it."
        )


def _replay(
    run: Run,
    episode: PlannedEpisode,
    recorded: Sequence[RecordedEvent],
    policy: RetryPolicy | None,
    subtitles: Subtitles | None,
    reached: Reached | None,
) -> Replayed:
    decided = [event for event in recorded if isinstance(event, Decided)]
    point = _taken_over(run, recorded)
    steps = () if point is None else tuple(point.repeated or ())

    def told(values: Iterable[_Value], start: int) -> Iterator[_Value]:
        """Values of the decisions from a number on, each between what is shown before and after."""
        for number, value in enumerate(values, start=start):
            event = decided[number]
            if reached is not None:
                reached(number + 1, len(decided))
            if subtitles is not None:
                subtitles.before(event)
            yield value
            if subtitles is not None:
                subtitles.after(event)

    def follow(brief: Brief, percept: Percept) -> Decisions:
        yield from told((event.decision for event in decided[len(steps) :]), len(steps))
        yield Done("the end of the recording")

    if point is not None:
        point = replace(point, repeated=_Anew(lambda: told(steps, 0)))
    context = EpisodeContext(
        adapter=run.adapter,
        planner=Planner("replay", "repeats recorded decisions", follow, run.planner.grants),
        dialect=run.dialect,
        rules=run.suite.rules,
        budgets=run.suite.budgets,
        seed=run.config.world_seed(episode),
        point=point,
        policy=policy,
        faults=run.config.faults,
        approver=_as_answered(run, recorded),
    )
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "replayed.jsonl"
        with EpisodeLog(path) as log:
            run_episode(context, run.tasks[episode.task], log)
        if subtitles is not None:
            subtitles.end()
        replayed = read_episode(path)
    number = sum(isinstance(event, Stepped) for event in recorded)
    return Replayed(episode.task, number, _difference(recorded, replayed))


class _Anew(Iterable[_Value]):
    """Values that are made again for each start of an episode."""

    def __init__(self, make: Callable[[], Iterator[_Value]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[_Value]:
        return self._make()


def _taken_over(run: Run, recorded: Sequence[RecordedEvent]) -> BranchPoint | None:
    """Where another planner took over, in a branch; None elsewhere."""
    branch = run.config.branch
    if branch is None or branch.taken:
        return None
    done = [place for place, event in enumerate(recorded) if isinstance(event, Stepped)]
    shared = done[: branch.step - 1]
    return point_of(branch, recorded[: shared[-1] + 1 if shared else 1])


def _as_answered(run: Run, recorded: Sequence[RecordedEvent]) -> Approver | None:
    """The approver of a run; in the place of a person, the recorded answers."""
    if not run.config.asks_person:
        return approver_of(run.config.approval)
    given = (event for event in recorded if isinstance(event, ApprovalGiven))
    return RecordedAnswers(Answer(event.allowed, event.reason) for event in given)


def _difference(recorded: Sequence[RecordedEvent], replayed: Sequence[RecordedEvent]) -> str | None:
    """The first relevant difference between two recordings of an episode."""
    theirs = [event for event in recorded if _verified(event) is not None]
    ours = [event for event in replayed if _verified(event) is not None]
    for then, now in zip(theirs, ours, strict=False):
        before, after = _verified(then), _verified(now)
        if then.event != now.event or before is None or after is None:
            return f"step {then.step}: '{then.event}' was recorded, '{now.event}' came now"
        for key, value in before.items():
            if value != after[key]:
                return f"step {then.step}: {key} was {value!r} and is {after[key]!r}"
    if len(ours) < len(theirs):
        return f"step {theirs[len(ours)].step} was recorded and is missing now"
    return None


def _verified(event: RecordedEvent) -> dict[str, Any] | None:
    """The fields that must be equal, by name; times are not among them."""
    match event:
        case Started():
            return _fields(event, "instruction", "scene", "state", "observation")
        case Stepped():
            fields = _fields(event, "wording", "observation", "progress")
            return {**fields, "outcome": _caused(event.outcome)}
        case Ended():
            return _fields(event.result, "success", "progress", "steps", "failures")
    return None


def _fields(event: object, *names: str) -> dict[str, Any]:
    return {name: getattr(event, name) for name in names}


def _caused(outcome: Outcome) -> Any:
    """The failures of an outcome, without those of the infrastructure.

    Restarts of the simulator do not belong to the episode.
    """
    tries = [
        (attempt.variation, attempt.failure)
        for attempt in outcome.attempts
        if attempt.failure is None or attempt.failure.kind is not FailureClass.INFRASTRUCTURE
    ]
    return outcome.failure, tries


def _listed(facts: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in sorted(facts.items()))
