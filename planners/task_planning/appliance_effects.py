"""Treatments as goals: what has to be heated, cooled or cleaned by way of an appliance.

A plan for such a goal is made in stages: what has to be sliced is sliced first, for its pieces are
other things; then every treatment, one after the other; then the rest. Each stage is a goal that a
search finds a shortest plan for, the whole need not be the shortest.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...scene_graph.goals import EventOccurred, HasState, Not, Related
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Relation, State
from ...skills.actions import Verb
from ...skills.appliance_events import APPLIANCE_EVENTS, chambers
from .goal_alternatives import Literal

#: Literals that have to hold at the end of a stage.
Stage = tuple[Literal, ...]


def is_appliance_effect(literal: Literal) -> bool:
    """Whether a literal says that a certain thing was treated."""
    return (
        isinstance(literal, EventOccurred)
        and len(literal.names) == 1
        and literal.names[0] in APPLIANCE_EVENTS
        and len(literal.things) == 1
        and isinstance(literal.things[0], int)
        and literal.at_least is None
    )


def devices(graph: SceneGraph, literal: EventOccurred) -> list[int]:
    """What a thing can be treated with, in the order of the graph's nodes."""
    affordance, verb = APPLIANCE_EVENTS[literal.names[0]]
    needed = Affordance.OPENABLE if verb is Verb.CLOSE else Affordance.SWITCHABLE
    return [
        node.id
        for node in graph.nodes()
        if affordance in node.affordances
        and needed in node.affordances
        and next(_takers(graph, node.id), None) is not None
    ]


def stages(graph: SceneGraph, literal: EventOccurred, device: int) -> Iterator[Stage]:
    """What has to hold, one after the other, for a thing to be treated with a device.

    To be asked for one after the other, each when those before it hold in the graph, which may
    change meanwhile.
    """
    thing = literal.things[0]
    assert isinstance(thing, int)
    _, verb = APPLIANCE_EVENTS[literal.names[0]]
    place = next(_takers(graph, device))
    inside = Related(thing, Relation.INSIDE, place)
    if verb is Verb.CLOSE:
        yield (inside,)
        yield (inside, HasState(device, State.OPEN))
        yield (inside, HasState(device, State.CLOSED))
        return
    yield (inside,)
    before: list[Literal] = [inside, HasState(device, State.OFF)]
    if Affordance.OPENABLE in graph[device].affordances:
        before.append(HasState(device, State.CLOSED))
    yield tuple(before)
    yield (inside, HasState(device, State.ON))


def slicing(literals: Stage) -> Stage:
    """Those of some literals that slice."""
    return tuple(x for x in literals if isinstance(x, HasState) and x.state is State.SLICED)


def rest_of(literals: Stage) -> Stage:
    """Those of some literals that are no treatments."""
    return tuple(x for x in literals if isinstance(x, Not) or not is_appliance_effect(x))


def _takers(graph: SceneGraph, device: int) -> Iterator[int]:
    """The containers in which a device treats things."""
    for place in chambers(graph, device):
        if Affordance.CONTAINER in graph[place].affordances:
            yield place
