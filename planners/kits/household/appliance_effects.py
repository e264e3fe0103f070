"""Goals that need an appliance: things to be heated, cooled or cleaned.

A plan for such a goal is made in stages. First things are sliced, since their pieces are new
things; then appliance effects follow one by one; then everything else. Each stage is a subgoal with
a shortest plan of its own. The whole plan need not be shortest.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....scene_graph.goals import EventOccurred, HasState, Related
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Relation, State
from ....skills.actions import Verb
from ....skills.appliance_events import APPLIANCE_EVENTS, effect_places
from .goal_alternatives import Literal

#: A subgoal: literals that have to hold together at the end of a stage.
Subgoal = tuple[Literal, ...]


def is_appliance_effect(literal: Literal) -> bool:
    """Whether a literal asks that a certain thing was heated, cooled or cleaned."""
    return (
        isinstance(literal, EventOccurred)
        and len(literal.names) == 1
        and literal.names[0] in APPLIANCE_EVENTS
        and len(literal.things) == 1
        and isinstance(literal.things[0], int)
        and literal.at_least is None
    )


def appliances_for(graph: SceneGraph, literal: EventOccurred) -> list[int]:
    """The appliances that can fulfil a literal, in the order of the graph's nodes."""
    affordance, verb = APPLIANCE_EVENTS[literal.names[0]]
    needed = Affordance.OPENABLE if verb is Verb.CLOSE else Affordance.SWITCHABLE
    return [
        node.id
        for node in graph.nodes()
        if affordance in node.affordances
        and needed in node.affordances
        and next(_effect_containers(graph, node.id), None) is not None
    ]


def appliance_subgoals(graph: SceneGraph, literal: EventOccurred, device: int) -> Iterator[Subgoal]:
    """Yield the subgoals by which an appliance fulfils a literal, in order.

    Request each one only when the previous one holds in the graph: it is made from the graph as it
    is then.
    """
    thing = literal.things[0]
    assert isinstance(thing, int)
    _, verb = APPLIANCE_EVENTS[literal.names[0]]
    place = next(_effect_containers(graph, device))
    inside = Related(thing, Relation.INSIDE, place, direct=True)
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


def _effect_containers(graph: SceneGraph, device: int) -> Iterator[int]:
    """The containers in which an appliance has its effect."""
    for place in effect_places(graph, device):
        if Affordance.CONTAINER in graph[place].affordances:
            yield place
