"""The failed episodes of both sides of a comparison, each with its cause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..failures.causes import Cause, blame
from ..statistics.estimates import Estimate, rate_over_tasks
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
    """What made it fail; None where the true state is not known throughout."""
    step: int | None
    """The step that decided it, 0 for the beginning."""


@dataclass(frozen=True)
class CauseShare:
    """How many failed episodes of one side had a cause."""

    count: int
    share: Estimate
    """Of all failed episodes with a known cause; a task is one draw."""


def failed_episodes(
    planners: Sequence[PairedPlanner],
) -> tuple[tuple[FailedEpisode, ...], tuple[FailedEpisode, ...]]:
    """Those of the simulated and of the real side, among the pairs."""
    return tuple(_failed(planners, "sim")), tuple(_failed(planners, "real"))


def _failed(planners: Sequence[PairedPlanner], side: str) -> Iterator[FailedEpisode]:
    for planner in planners:
        for pair in planner.pairs:
            episode: PlayedEpisode = getattr(pair, side)
            if not episode.success:
                yield _with_cause(planner.name, episode)


def _with_cause(planner: str, episode: PlayedEpisode) -> FailedEpisode:
    found = blame(episode.events)
    return FailedEpisode(
        planner=planner,
        task=episode.task,
        seed=episode.seed,
        file=episode.path.name,
        cause=None if found is None else found.cause,
        step=None if found is None else found.step,
    )


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
