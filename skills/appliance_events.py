"""Events that appliances cause: things are heated, cooled, cleaned, toasted or filled.

    heated (thing)    the microwave around it was turned on
    cooled (thing)    the fridge around it was closed
    cleaned (thing)   the faucet beside its basin was turned on
    toasted (thing)   the toaster around it was turned on
    filled (thing)    the coffee machine around it was turned on

They are events because ALFRED counts them so (Shridhar et al., 2020, section 3). A thing stays
"heated" after it cools down, and a thing that cannot be dirty can be cleaned. They happen to the
direct contents of the place only: ALFRED checks just the list that AI2-THOR gives there.
"""

from __future__ import annotations

from ..scene_graph.events import Event
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Affordance, Relation
from .actions import Action, Verb

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
