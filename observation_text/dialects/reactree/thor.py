"""The dialect `reactree_thor`: the wording of `reactree` for AI2-THOR, where a camera decides.

After Choi et al., ReAcTree (2025), appendix B.2, table 9, and its published environment. Types are
written as in the simulator, with their numbers in brackets, "go to SoapBar (2)". Every action is
followed by what is seen from there. Lists are in reverse alphabetical order, as in the paper. Names
are those of the episode, so that they stay the same when slices appear. The differences are
in `docs/reference/dialects.md`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from weakref import WeakKeyDictionary

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Kind, Node, State
from ....skills.actions import Action, Verb
from ....skills.outcomes import Failure, Outcome, Reason
from ....skills.reach import around
from ...dialect import Dialect, DialectState, Refusal
from ...menu import Menu, Offers
from ...names import Named, Names, Sighting
from ...view import View
from . import grammar
from .words import failure_text, is_listed_in_thor, receptacle_of, short_put, state_after_walk

#: Failures with a text of the environment's own; without a reason, that of the verb.
_FAILURES = {
    Reason.HANDS_FULL: "You are currently holding {held}.",
    Reason.NOT_GRASPABLE: "The {thing} cannot be pick up.",
    Reason.ALREADY_ON: "The {thing} already turn on.",
    Reason.ALREADY_OFF: "The {thing} already turn off.",
    Reason.ALREADY_SLICED: "The {thing} already sliced.",
}
_SWITCHED = {
    Verb.TURN_ON: "The {thing} cannot be turn on.",
    Verb.TURN_OFF: "The {thing} cannot be turn off.",
}
_UNEXPLAINED = frozenset({Reason.REFUSED, Reason.NOT_CONFIRMED, Reason.BLOCKED})
_FAILED = {
    Verb.OPEN: "The {thing} is open failed.",
    Verb.SLICE: "The {thing} slice failed.",
}
_KEEPING = frozenset({Affordance.SURFACE, Affordance.CONTAINER})

#: Words that are capitals in types.
_ABBREVIATED = frozenset({"cd", "tv"})

_NAME = re.compile(r"([^\s()]+) ?\((\d+)\)")
_NUMBER_WITHOUT_BRACKETS = re.compile(r"(?:^|\s)\d+(?=\s|$)")


class ThorNames(Names):
    """The names of an episode as AI2-THOR writes types: "SoapBar (2)" for "soap bar 2".

    It shares the data of the original names, including later additions.
    """

    def __init__(self, plain: Names) -> None:
        self._numbers, self._ids, self._counts = plain._numbers, plain._ids, plain._counts

    def __call__(self, node_id: int) -> str:
        name, number = self.number(node_id)
        return f"{name} ({number})"

    def number(self, node_id: int) -> tuple[str, int]:
        category, number = self._numbers[node_id]
        return joined(category), number

    def plain(self, name: str) -> str:
        """The category of a type in any letter case; any other text unchanged."""
        wanted = name.lower()
        return next((c for c in self.categories() if joined(c).lower() == wanted), wanted)


def joined(category: str) -> str:
    """ "SoapBar" from "soap bar", "TVStand" from "tv stand"."""
    return "".join(
        word.upper() if word in _ABBREVIATED else word[:1].upper() + word[1:]
        for word in category.split(" ")
    )


_THOR_NAMES: WeakKeyDictionary[Names, ThorNames] = WeakKeyDictionary()


def thor_names(names: Names) -> ThorNames:
    """The names of an episode in this wording, made once."""
    thor = _THOR_NAMES.get(names)
    if thor is None:
        thor = _THOR_NAMES[names] = ThorNames(names)
    return thor


class ReAcTreeThor(Dialect):
    """The dialect of AI2-THOR.

    Its state is that of `reactree`, with the last destination, {"at": id}.
    """

    name = "reactree_thor"
    words_things_alike = True

    def start(self, names: Names, view: View) -> tuple[str, DialectState]:
        graph, thor = view.graph, thor_names(names)
        room = graph.room_of(graph.agent().id)
        where = "room" if room is None else graph[room].category
        text = f"You are in the house, and you arrive at the {where}, "
        return f"{text}{_surroundings_text(thor, graph, room)}", {}

    def overview(self, names: Names, view: View) -> str:
        """The first observation, with the things now held."""
        return self.start(names, view)[0] + _held_text(thor_names(names), view)

    def after(
        self, names: Names, view: View, action: Action, outcome: Outcome, state: DialectState
    ) -> tuple[str, DialectState]:
        thor = thor_names(names)
        if outcome.failure is not None:
            text = _failure_text(thor, view, action, outcome.failure)
        else:
            text = _success_text(thor, view, action, already=action.target == state.get("at"))
            if action.verb is Verb.GO_TO:
                state = {**state_after_walk(view, action.target, state), "at": action.target}
        return text + _held_text(thor, view), state

    def word(self, names: Names, action: Action) -> str:
        return grammar.word(thor_names(names), action)

    def parse(
        self, text: str, names: Names, perceived: Container[int], state: DialectState
    ) -> Action:
        thor = thor_names(names)
        plain = _NAME.sub(lambda name: f"{thor.plain(name[1])} {name[2]}", text)
        try:
            action = grammar.parse(plain, names, perceived, receptacle_of(state))
        except Refusal as refusal:
            raise Refusal(_in_brackets(str(refusal))) from None
        if _NUMBER_WITHOUT_BRACKETS.search(_NAME.sub("", text)):
            raise Refusal("The number belongs in brackets; say 'NAME (NUMBER)'.")
        return action

    def other_forms(self, names: Names, view: View, menu: Menu, state: DialectState) -> Offers:
        """A put at the last receptacle need not name it."""
        return menu.offers(view, short_put(thor_names(names), state))

    def kind(self, category: str) -> str:
        return joined(category)

    def called(self, thing: Named) -> str:
        return f"{self.kind(thing.category)} ({thing.number})"

    def recalled(self, said: str, sightings: Sequence[Sighting]) -> str:
        """As in the environment: without the room, if the place that kept the thing is known."""
        without = [s if s.place is None else replace(s, room=None) for s in sightings]
        return super().recalled(said, without)


def _in_brackets(refusal: str) -> str:
    return refusal.replace("', without brackets", "'").replace("NAME NUMBER", "NAME (NUMBER)")


# --- lists ---------------------------------------------------------------------------------------


def _listed(names: Names, node_ids: Iterable[int]) -> str:
    """ "Sink (1), SinkBasin (1), Shelf (1, 2)": names in reverse order, numbers ascending.

    The environment sorts the simulator's names, "Sink_4d2" after "SinkBasin_7f1".
    """
    numbers = sorted(map(names.number, node_ids))
    groups = [(name, [number for _, number in group]) for name, group in groupby(numbers, _first)]
    groups.sort(key=lambda group: f"{group[0]}_", reverse=True)
    return ", ".join(f"{name} ({', '.join(map(str, members))})" for name, members in groups)


def _first(pair: tuple[str, int]) -> str:
    return pair[0]


def _surroundings_text(names: Names, graph: SceneGraph, room: int | None) -> str:
    below = () if room is None else graph.below(room)
    listed = _listed(names, [thing for thing in below if is_listed_in_thor(graph[thing])])
    return f"Looking quickly around the room, you see {listed or 'nothing'}."


def seen_from_here(graph: SceneGraph) -> list[int]:
    """The nodes seen from here: things, and the furniture at hand or around them."""
    me = graph.agent().id
    here = around(graph, me)
    for node in graph.nodes(Kind.OBJECT):
        here.add(node.id)
        here.update(graph.above(node.id))
    kinds = (Kind.FIXTURE, Kind.OBJECT)
    return [thing for thing in here if graph[thing].kind in kinds]


# --- feedback ------------------------------------------------------------------------------------


def _success_text(names: ThorNames, view: View, action: Action, *, already: bool) -> str:
    """The text of a success, without held things.

    already: the target was also the last destination.
    """
    graph, verb, target = view.graph, action.verb, action.target
    if verb is Verb.LOOK:
        return _look_text(names, view, target)
    if target is None:
        return f"You {grammar.word(names, action)}."
    if verb is Verb.GO_TO:
        return _arrival_text(names, graph, target, already=already)
    text = f"You {grammar.word(names, action)}."
    if verb is Verb.PUT and action.place is not None:
        text = f"You put {names(target)} on {names(action.place)}."
    if verb is Verb.OPEN and not _keeps(graph.get(target)):
        return f"{text} The {names(target)} is empty."
    text += f" {_sight_text(names, graph)}"
    if verb is Verb.SLICE:
        slices = [t for t in seen_from_here(graph) if State.SLICED in graph[t].states]
        text += f" {_listed(names, slices)} are sliced." if slices else ""
    return text


def _arrival_text(names: ThorNames, graph: SceneGraph, target: int, *, already: bool) -> str:
    node, sight = graph.get(target), _sight_text(names, graph)
    if node is not None and node.kind is Kind.ROOM:
        return f"You arrive at the {node.category}, {_room_text(names, graph, target)}"
    if _keeps(node):
        return f"You arrive at {names(target)}. {sight}{_states_text(names, node)}"
    arrival = f"You already arrive at {names(target)}. " if already else ""
    return f"{arrival}{sight}{_states_text(names, node)}"


def _look_text(names: ThorNames, view: View, target: int | None) -> str:
    graph = view.graph
    if target is None:
        return _room_text(names, graph, graph.room_of(graph.agent().id))
    node = graph.get(target)
    text = f"You look at {names(target)}."
    if node is not None and target in view.covered:
        kept = _listed(names, graph.contents(target))
        if kept or view.covered[target]:
            text += f" You see {kept or 'nothing'}."
    return f"{text}{_states_text(names, node)}"


def _room_text(names: ThorNames, graph: SceneGraph, room: int | None) -> str:
    return f"{_surroundings_text(names, graph, room)} {_sight_text(names, graph)}"


def _keeps(node: Node | None) -> bool:
    """Whether a thing is a receptacle."""
    return node is not None and not _KEEPING.isdisjoint(node.affordances)


def _states_text(names: ThorNames, node: Node | None) -> str:
    """The sentence whether a thing is open, closed or on."""
    text = ""
    if node is None:
        return text
    if Affordance.OPENABLE in node.affordances:
        for state in (State.OPEN, State.CLOSED):
            if state in node.states:
                text += f" {names(node.id)} is {state}."
    if State.ON in node.states:
        text += f" {names(node.id)} is already turned on."
    return text


def _sight_text(names: ThorNames, graph: SceneGraph) -> str:
    seen = _listed(names, seen_from_here(graph))
    return f"You see {seen}." if seen else "There are no visible objects."


def _held_text(names: ThorNames, view: View) -> str:
    held = view.held()
    return f" I am holding {_listed(names, held)} now." if held else ""


def _failure_text(names: ThorNames, view: View, action: Action, failure: Failure) -> str:
    """The text of a failure; the environment gives numbers too."""
    template = _FAILURES.get(failure.reason)
    if failure.reason is Reason.NOT_SWITCHABLE:
        template = _SWITCHED.get(action.verb)
    elif failure.reason in _UNEXPLAINED:
        template = _FAILED.get(action.verb)
    held = view.held()
    if failure.reason is Reason.NOT_HELD:
        template = _FAILURES[Reason.HANDS_FULL] if held else "You are not holding any object."
    thing = action.target if failure.thing is None else failure.thing
    if template is None or thing is None:
        return failure_text(names, view, action, failure, names)
    return template.format(thing=names(thing), held=_listed(names, held))
