"""Events for what an arm's action measured, beside the action's own event.

weighed (block)   it hangs freely from the gripper; the value is its weight in N tried (block)
it is known whether it can be moved: it was lifted, or did not move held (block)      it was held
without another action; the value is the seconds so far
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scene_graph.events import Event
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Relation
from ..actions import Action, Verb
from ..outcomes import Outcome, Reason
from .sensor_reading import ArmReading


def measurement_events(
    action: Action,
    outcome: Outcome,
    graph: SceneGraph,
    reading: ArmReading | None,
    past: Sequence[Event],
    step: int,
) -> list[Event]:
    """List the measurement events of an action.

    graph, reading: as perceived afterwards; without a reading there are none. past: earlier events.
    """
    if reading is None:
        return []
    things = action.things
    if action.verb is Verb.PICK_UP:
        if outcome.failure is None:
            measured = [Event("tried", things, step)]
            if not graph.sources(things[0], Relation.ON):
                measured.append(Event("weighed", things, step, -reading.force[2]))
            return measured
        if outcome.failure.reason is Reason.IMMOVABLE:
            return [Event("tried", things, step)]
    if action.verb is Verb.WAIT and outcome.success:
        seconds = outcome.sim_time_s if action.seconds is None else action.seconds
        return [
            Event("held", (block,), step, seconds + _held_before(past, block, step))
            for block in graph.held(graph.agent().id)
        ]
    return []


def _held_before(past: Sequence[Event], block: int, step: int) -> float:
    """Seconds for which a block had been held up to the previous step."""
    for event in past:
        if event.name == "held" and event.things == (block,) and event.step == step - 1:
            return event.value or 0.0
    return 0.0
