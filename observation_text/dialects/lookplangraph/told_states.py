"""Which states of a thing are told, in the dialect and in prompts that tell a scene graph."""

from __future__ import annotations

from ....scene_graph.node import Affordance, Node, State

#: In the order in which they are told. What is as it usually is (clean, plugged in) is not.
_TOLD = (
    State.OPEN,
    State.CLOSED,
    State.ON,
    State.OFF,
    State.PLUGGED_OUT,
    State.DIRTY,
    State.HOT,
    State.COLD,
    State.SLICED,
    State.FILLED,
    State.COOKED,
    State.BROKEN,
)
#: The states that are told only of what is made for them.
_ONLY_WITH = {
    State.OPEN: Affordance.OPENABLE,
    State.CLOSED: Affordance.OPENABLE,
    State.ON: Affordance.SWITCHABLE,
    State.OFF: Affordance.SWITCHABLE,
}


def states_of(node: Node) -> list[str]:
    """The states of a thing that are told, in words."""
    return [
        str(state).replace("_", " ")
        for state in _TOLD
        if state in node.states
        and (state not in _ONLY_WITH or _ONLY_WITH[state] in node.affordances)
    ]
