"""The failed episodes of both sides of a comparison, each with its cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...episodes.events import RecordedEvent, beginning_of
from ...episodes.world import RecordedMoments
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind
from ..failures.causes import blame
from ..failures.played import Cause
from ..statistics.estimates import Estimate, rate_over_tasks
from .observations import share_ids
from .sides import PairedPlanner, PlayedEpisode


@dataclass(frozen=True)
class FailedEpisode:
    """A failed episode of one side."""

    planner: str
    """Label of its planner."""
    task: str
    """Id of its task."""
    seed: int
    """Of the episode."""
    file: str
    """The name of its recording."""
    cause: Cause | None
    """What made it fail; None where that cannot be told."""
    step: int | None
    """The step that decided it, 0 for the beginning."""


@dataclass(frozen=True)
class CauseShare:
    """How many failed episodes of one side had a cause."""

    count: int
    share: Estimate
    """Of all failed episodes with a known cause; a task is one draw."""


@dataclass(frozen=True)
class FailedPair:
    """A pair of episodes of which at least one failed; None stands for a success."""

    planner: str
    """Label of the planner."""
    task: str
    """Id of the task."""
    sim: FailedEpisode | None
    """The simulated episode."""
    real: FailedEpisode | None
    """The real episode."""


def failed_pairs(planners: Sequence[PairedPlanner]) -> tuple[FailedPair, ...]:
    """The pairs with a failure, in their order."""
    return tuple(
        FailedPair(
            planner.name,
            pair.task,
            None if pair.sim.success else _with_cause(planner.name, pair.sim, pair.real),
            None if pair.real.success else _with_cause(planner.name, pair.real, pair.sim),
        )
        for planner in planners
        for pair in planner.pairs
        if not (pair.sim.success and pair.real.success)
    )


def _with_cause(planner: str, episode: PlayedEpisode, other: PlayedEpisode) -> FailedEpisode:
    events = episode.events
    found = blame(events, None if _start(events)[0] is not None else _twin(events, other))
    return FailedEpisode(
        planner=planner,
        task=episode.task,
        seed=episode.seed,
        file=episode.path.name,
        cause=None if found is None else found.cause,
        step=None if found is None else found.step,
    )


def _twin(events: Sequence[RecordedEvent], other: PlayedEpisode) -> SceneGraph | None:
    """The true state at the start on the other side, where ids mean the same there."""
    truth, (_, seen) = _start(other.events)[0], _start(events)
    furniture = [node for node in seen.nodes() if node.kind in (Kind.ROOM, Kind.FIXTURE)]
    is_there = truth is not None and all(node.id in truth for node in furniture)
    return truth if is_there and truth is not None and share_ids(seen, truth) else None


def _start(events: Sequence[RecordedEvent]) -> tuple[SceneGraph | None, SceneGraph]:
    """The true state at the start of an episode, if it was recorded, and what was seen of it."""
    moment = RecordedMoments().after(beginning_of(events))
    return moment.truth, moment.view.graph


def cause_shares(failed: Sequence[FailedEpisode]) -> Mapping[Cause, CauseShare]:
    """The share of each cause; empty where no cause is known."""
    known = [each for each in failed if each.cause is not None]
    if not known:
        return {}
    return {
        cause: CauseShare(
            sum(each.cause is cause for each in known),
            rate_over_tasks([(each.task, each.cause is cause) for each in known]),
        )
        for cause in Cause
    }
