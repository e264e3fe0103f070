"""The sentences that a person reads: actions, reasons of failure, and what is known of the room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Node, Relation
from ...skills.actions import Action, Verb
from ...skills.outcomes import Reason
from .questions import OfferedReason
from .room_file import PREPOSITIONS
from .room_scene import the

#: Verbs whose name is not the sentence's beginning.
_VERBS = {
    Verb.GO_TO: "go to",
    Verb.PICK_UP: "pick up",
    Verb.TURN_ON: "switch on",
    Verb.TURN_OFF: "switch off",
    Verb.PLUG_OUT: "unplug",
    Verb.SIT: "sit down on",
    Verb.LIE_DOWN: "lie down on",
    Verb.TYPE: "type on",
    Verb.DROP: "let go of",
    Verb.LOOK: "look at",
}

#: The failures that a person can report, in plain words.
_WORDS = {
    Reason.NOT_HERE: "It is not there.",
    Reason.UNREACHABLE: "It cannot be reached from here.",
    Reason.BLOCKED: "Something is in the way.",
    Reason.SLIPPED: "It slipped out of the hand.",
    Reason.HANDS_FULL: "It needs a free hand.",
    Reason.NOT_GRASPABLE: "The hand cannot hold it.",
    Reason.IMMOVABLE: "It does not move.",
    Reason.NOT_OPENABLE: "It cannot be opened or closed.",
    Reason.ALREADY_OPEN: "It is open already.",
    Reason.ALREADY_CLOSED: "It is closed already.",
    Reason.STILL_ON: "It is still switched on.",
    Reason.STILL_OPEN: "It is still open.",
    Reason.NOT_SWITCHABLE: "It has no switch.",
    Reason.ALREADY_ON: "It is switched on already.",
    Reason.ALREADY_OFF: "It is switched off already.",
    Reason.UNPLUGGED: "It is not plugged in.",
    Reason.CONTAINER_CLOSED: "The place is closed.",
    Reason.ENCLOSED: "It is inside something closed.",
    Reason.NO_FREE_SPOT: "There is no free spot.",
    Reason.DOES_NOT_FIT: "It does not fit.",
    Reason.MISPLACED: "It did not stay at the place.",
    Reason.NO_TOOL: "The tool is missing.",
    Reason.UNSUITABLE: "This cannot be done with it.",
    Reason.REFUSED: "It did not work, and nobody knows why.",
}
_ALWAYS = (Reason.NOT_HERE, Reason.UNREACHABLE, Reason.BLOCKED, Reason.HANDS_FULL, Reason.REFUSED)
#: Further failures by verb, which come first.
_REASONS: dict[Verb, tuple[Reason, ...]] = {
    Verb.GO_TO: (Reason.BLOCKED,),
    Verb.PICK_UP: (Reason.SLIPPED, Reason.NOT_GRASPABLE, Reason.ENCLOSED, Reason.IMMOVABLE),
    Verb.PUT: (
        *(Reason.NO_FREE_SPOT, Reason.DOES_NOT_FIT, Reason.CONTAINER_CLOSED),
        *(Reason.SLIPPED, Reason.MISPLACED, Reason.UNSUITABLE),
    ),
    Verb.OPEN: (Reason.NOT_OPENABLE, Reason.ALREADY_OPEN, Reason.STILL_ON, Reason.IMMOVABLE),
    Verb.CLOSE: (Reason.NOT_OPENABLE, Reason.ALREADY_CLOSED, Reason.IMMOVABLE),
    Verb.TURN_ON: (
        *(Reason.NOT_SWITCHABLE, Reason.ALREADY_ON, Reason.STILL_OPEN, Reason.UNPLUGGED),
    ),
    Verb.TURN_OFF: (Reason.NOT_SWITCHABLE, Reason.ALREADY_OFF),
    Verb.SLICE: (Reason.NO_TOOL, Reason.UNSUITABLE),
}
_OTHERWISE = (Reason.UNSUITABLE, Reason.SLIPPED)
#: Failures that are about the destination, where there is one.
ABOUT_PLACE = frozenset(
    {
        *(Reason.NO_FREE_SPOT, Reason.DOES_NOT_FIT, Reason.CONTAINER_CLOSED),
        *(Reason.NOT_HERE, Reason.UNREACHABLE),  # the thing itself is in the hand
    }
)
#: Failures that are about no thing that is known.
ABOUT_NOTHING = frozenset({Reason.HANDS_FULL, Reason.NO_TOOL, Reason.BLOCKED})
#: Failures after which things may be elsewhere.
MISHAPS = frozenset({Reason.SLIPPED, Reason.MISPLACED})


def reasons_of(verb: Verb) -> tuple[OfferedReason, ...]:
    """The failures on offer for a verb, the likeliest first."""
    reasons = dict.fromkeys((*_REASONS.get(verb, _OTHERWISE), *_ALWAYS))
    return tuple(OfferedReason(reason=reason, words=_WORDS[reason]) for reason in reasons)


def sentence(text: str) -> str:
    """A text as a sentence."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def action_text(action: Action, graph: SceneGraph) -> str:
    """An action in the person's labels."""
    verb = _VERBS.get(action.verb, action.verb.replace("_", " "))
    words = [verb]
    if action.target is not None:
        node = graph[action.target]
        words = ["walk into"] if _enters(action, node) else [verb]
        words.append(_with_room(node, graph, action))
    if action.place is not None:
        relation = Relation.ON if action.relation is None else action.relation
        words += [PREPOSITIONS.get(relation, str(relation)), the(_label(graph[action.place]))]
    return sentence(" ".join(words))


def _enters(action: Action, node: Node) -> bool:
    return action.verb is Verb.GO_TO and node.kind is Kind.ROOM


def _with_room(node: Node, graph: SceneGraph, action: Action) -> str:
    """A thing, with its room where the robot has to go there."""
    name = the(_label(node))
    room = graph.room_of(node.id)
    elsewhere = room is not None and room not in (node.id, graph.room_of(graph.agent().id))
    if action.verb is Verb.GO_TO and elsewhere and room is not None:
        return f"{name} in {the(_label(graph[room]))}"
    return name


def _label(node: Node) -> str:
    return str(node.native_id)


def preparations(start: SceneGraph, first: Iterable[str]) -> tuple[str, ...]:
    """What to put where at the start of a task. first: labels of things to begin with."""
    room = start.room_of(start.agent().id)
    assert room is not None
    lines = [f"The robot starts in {the(_label(start[room]))}, with empty hands."]
    places: dict[str, list[str]] = {}
    for thing in start.nodes(Kind.OBJECT):
        for relation, place in start.places(thing.id):
            where = f"{PREPOSITIONS.get(relation, str(relation))} {the(_label(start[place]))}"
            places.setdefault(where, []).append(_label(thing))
    wanted = set(first)
    for where in sorted(places, key=lambda where: wanted.isdisjoint(places[where])):
        lines.append(f"{sentence(where).rstrip('.')}: {', '.join(places[where])}.")
    for node in start.nodes():
        lines += _states_in_words(node)
    return tuple(lines)


def _states_in_words(node: Node) -> Iterator[str]:
    name = the(_label(node))
    return (sentence(f"{name} is {str(s).replace('_', ' ')}") for s in sorted(node.states))


def known_lines(graph: SceneGraph, me: int) -> tuple[str, ...]:
    """What is known of the robot and of the room around it, a sentence each."""
    room = graph.room_of(me)
    lines = []
    if room is not None:
        lines.append(f"The robot is in {the(_label(graph[room]))}.")
    at = [the(_label(graph[each])) for each in graph.targets(me, Relation.CLOSE)]
    if at:
        lines.append(f"It stands at {' and '.join(at)}.")
    held = [the(_label(graph[each])) for each in graph.held(me)]
    lines.append(f"It holds {' and '.join(held)}." if held else "Its hands are empty.")
    for node_id in graph.below(room) if room is not None else ():
        node = graph[node_id]
        if node.kind is Kind.AGENT or graph.closed_around(node_id) is not None:
            continue
        name = the(_label(node))
        if node.kind is Kind.OBJECT:
            for relation, place in graph.places(node_id):
                where = f"{PREPOSITIONS.get(relation, str(relation))} {the(_label(graph[place]))}"
                lines.append(sentence(f"{name} is {where}"))
        lines += _states_in_words(node)
    return tuple(lines)
