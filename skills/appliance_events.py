"""Events that appliances bring about: things are heated, cooled, cleaned, toasted or filled.

    heated (thing)    what is inside was turned on with it: a microwave
    cooled (thing)    what it is inside was closed: a fridge
    cleaned (thing)   it was in the basin beside a faucet that was turned on
    toasted (thing)   what is inside was turned on with it: a toaster
    filled (thing)    what is inside was turned on with it: a coffee machine

These are events, beside those of the actions, as ALFRED counts them (Shridhar et al., 2020,
section 3): that a thing has been heated stays true when it is warm no more, and what cannot be
dirty can be cleaned. They happen to what the place itself keeps: in AI2-THOR, to what the engine
lists there, which is all that ALFRED looks at.
"""

from __future__ import annotations

from ..scene_graph.events import Event
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Affordance, Relation
from .actions import Action, Verb

#: Of each event, the affordance of the appliance and the verb that bring it about.
APPLIANCE_EVENTS: dict[str, tuple[Affordance, Verb]] = {
    "heated": (Affordance.HEATS, Verb.TURN_ON),
    "cooled": (Affordance.COOLS, Verb.CLOSE),
    "cleaned": (Affordance.RINSES, Verb.TURN_ON),
    "toasted": (Affordance.TOASTS, Verb.TURN_ON),
    "filled": (Affordance.FILLS, Verb.TURN_ON),
}
_VERBS = frozenset(verb for _, verb in APPLIANCE_EVENTS.values())


def appliance_events(graph: SceneGraph, action: Action, step: int) -> list[Event]:
    """List the appliance events of a successful action.

    graph: as it was before the action.
    """
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
    """List all events of a successful action, its own first. graph: as it was before."""
    return [Event(str(action.verb), action.things, step), *appliance_events(graph, action, step)]


def effect_places(graph: SceneGraph, device: int) -> list[int]:
    """List where an appliance has its effect: inside itself, or in what stands beside it."""
    if Affordance.RINSES in graph[device].affordances:
        return graph.targets(device, Relation.CLOSE)
    return [device]
