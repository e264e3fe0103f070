"""Events that actions cause besides their own: effects of appliances, and what an arm measures.

    heated (thing)    the microwave around it was turned on
    cooled (thing)    the fridge around it was closed
    cleaned (thing)   the faucet beside its basin was turned on
    toasted (thing)   the toaster around it was turned on
    filled (thing)    the coffee machine around it was turned on
    weighed (block)   it hangs freely from the gripper; the value is its weight in N
    tried (block)     it is known whether it can be moved: it was lifted, or did not move
    held (block)      it was held without another action; the value is the seconds so far

Effects of appliances are events because ALFRED counts them so (Shridhar et al., 2020, section 3). A
thing stays "heated" after it cools down, and a thing that cannot be dirty can be cleaned. They
happen to the direct contents of the place only: ALFRED checks just the list that AI2-THOR gives
there.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..scene_graph.goals import Event
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Affordance, Relation
from .actions import Action, Verb
from .arm.blocks.world import ArmReading
from .outcomes import Outcome, Reason

#: For each event, the affordance of the appliance and the verb that cause it.
APPLIANCE_EVENTS: dict[str, tuple[Affordance, Verb]] = {
    "heated": (Affordance.HEATS, Verb.TURN_ON),
    "cooled": (Affordance.COOLS, Verb.CLOSE),
    "cleaned": (Affordance.RINSES, Verb.TURN_ON),
    "toasted": (Affordance.TOASTS, Verb.TURN_ON),
    "filled": (Affordance.FILLS, Verb.TURN_ON),
}
_VERBS = frozenset(verb for _, verb in APPLIANCE_EVENTS.values())


def appliance_events(graph: SceneGraph, action: Action, step: int) -> list[Event]:
    """List the appliance events of a successful action. graph: the state before the action."""
    device = action.target
    if action.verb not in _VERBS or device is None or device not in graph:
        return []
    return [
        Event(name, (thing,), step)
        for name, (affordance, verb) in APPLIANCE_EVENTS.items()
        if verb is action.verb and affordance in graph[device].affordances
        for place in effect_places(graph, device)
        for thing in graph.contents(place)
    ]


def events_of(graph: SceneGraph, action: Action, step: int) -> list[Event]:
    """List all events of a successful action, its own first. graph: the state before the action."""
    return [Event(str(action.verb), action.things, step), *appliance_events(graph, action, step)]


def effect_places(graph: SceneGraph, device: int) -> list[int]:
    """List where an appliance acts: inside itself, or in the basins beside it."""
    if Affordance.RINSES in graph[device].affordances:
        return graph.targets(device, Relation.CLOSE)
    return [device]


def measurement_events(
    action: Action,
    outcome: Outcome,
    graph: SceneGraph,
    reading: ArmReading,
    past: Sequence[Event],
    step: int,
) -> list[Event]:
    """List the measurement events of an action.

    graph, reading: as perceived afterwards. past: earlier events.
    """
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
    before = ("held", (block,), step - 1)
    return next((e.value or 0.0 for e in past if (e.name, e.things, e.step) == before), 0.0)
