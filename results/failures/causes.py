"""The cause of a failed episode: planning, perception or contact.

docs/reference/failures.md has the rules. The first that fits decides.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...episodes.events import RecordedEvent, result_among
from ...scene_graph.graph import SceneGraph
from .history import history_of
from .needs import open_needs
from .played import Attribution, Cause, read_played
from .sight import Sight


def blame(events: Sequence[RecordedEvent], twin: SceneGraph | None = None) -> Attribution | None:
    """The cause of a failed episode.

    twin: the presumed true state at its start, for an episode whose true state was not recorded.

    None for one that has not failed or was voided, and where the cause cannot be told.
    """
    result = result_among(events)
    if result is None or result.success is not False or result.is_voided:
        return None
    history = history_of(events, result)
    if history.goal is None:
        return None
    played = None if history.last is None else read_played(events, history.goal)
    if history.last is None or played is None:
        return _blame_in_room(events, Sight(events, history.goal, result.steps), twin)
    needs = open_needs(history.goal, history.last, history.happened)
    targets = frozenset[int]().union(*(need.targets for need in needs))
    found = played.failed_skill(targets) or played.false_belief(targets)
    return found or Attribution(Cause.PLANNING, result.steps)


def _blame_in_room(
    events: Sequence[RecordedEvent], sight: Sight, twin: SceneGraph | None
) -> Attribution | None:
    """The cause of a failure in a room without a true state, by what was seen and by its twin."""
    found = sight.failed_skill() or sight.false_belief()
    played = None if twin is None else read_played(events, sight.goal, twin)
    if found is not None or played is None or not sight.knows_goal:
        return found or sight.planning()
    last = played.moments[-1].world if played.moments else played.start
    needs = open_needs(sight.goal, last, played.happened)
    targets = frozenset[int]().union(*(need.targets for need in needs))
    found = played.failed_skill(targets) or played.false_belief(targets)
    if found is None and not played.reached:
        return Attribution(Cause.PLANNING, sight.steps)
    return found
