"""Where an episode of a branch leaves the recording of its parent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...scene_graph.graph import SceneGraph
from ..events import Decided, Perceived, RecordedEvent, Stepped, TrialStarted
from ..recording import Log
from ..world import RecordedMoments
from .branch import Branch
from .parent import newest_reply, quoted, shared_events


@dataclass(frozen=True)
class BranchPoint:
    """Where an episode leaves the recording of its parent."""

    step: int
    """The first step that is not repeated."""
    decisions: int
    """So many decisions of the planner are repeated."""
    state: SceneGraph | None
    """The recorded true state at that moment; None without one."""
    action: str = ""
    """The action that is done there, in the dialect; "" for the planner's own."""
    said: bool = False
    """Whether the planner itself says the action, by a changed reply of its model."""
    any_question: bool = False
    """See `Branch.any_question`."""
    repeated: Iterable[Stepped | TrialStarted] | None = None
    """What is repeated before another planner takes over; None where the same planner goes on."""


def point_of(branch: Branch, events: Sequence[RecordedEvent]) -> BranchPoint:
    """Where an episode leaves its parent. events: what both have in common."""
    moments = RecordedMoments()
    state = None
    for event in events:
        if isinstance(event, Perceived):
            state = moments.after(event).truth
    repeated = tuple(event for event in events if isinstance(event, Stepped | TrialStarted))
    reply = newest_reply(events)
    return BranchPoint(
        step=branch.step,
        decisions=sum(isinstance(event, Decided) for event in events),
        state=state,
        action=branch.action,
        said=bool(branch.action) and reply is not None and quoted(branch.action) in reply.reply,
        any_question=branch.any_question,
        repeated=None if branch.taken else repeated,
    )


def point_of_log(branch: Branch, log: Log, repeat: int) -> BranchPoint:
    """Where the episode of a log leaves its parent. repeat: of the episode.

    Raises NotBranched where the parent is needed and is gone or has changed.
    """
    if branch.taken:
        return point_of(branch, log.events[: branch.taken])
    done = [p for p, event in enumerate(log.events) if isinstance(event, Stepped)]
    if len(done) >= branch.step - 1 > 0:
        return point_of(branch, log.events[: done[branch.step - 2] + 1])
    return point_of(branch, shared_events(branch, repeat))
