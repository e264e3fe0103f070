"""The wording of the dialect `reactree` where a camera says what is seen: AI2-THOR's.

After Choi et al., ReAcTree (2025), appendix B.2, table 9, and its published environment: types as
the simulator writes them with their numbers in brackets, "go to SoapBar (2)"; after every action
what is seen from here. Lists run backwards through the alphabet, as in the paper. Names are those
of the episode, so that none changes when slices appear. Beside the receptacles the first text
lists what has a switch, for nothing else tells of a lamp before one is near it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from itertools import groupby
from weakref import WeakKeyDictionary

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Kind, Node, State
from ....skills.actions import Action, Verb
from ....skills.dynamics import around
from ....skills.outcomes import Outcome
from ...dialect import Dialect, DialectState, Refusal
from ...menu import Menu, Offers
from ...names import Names
from ...view import View
from . import grammar
from .words import failure_text, receptacle_of, state_after_walk, with_short_puts

#: The affordances of which a fixture has one to be listed as furniture.
FURNITURE_AFFORDANCES = frozenset({Affordance.SURFACE, Affordance.CONTAINER, Affordance.SWITCHABLE})

#: Words that types write in capitals.
_ABBREVIATED = frozenset({"cd", "tv"})

_NAME = re.compile(r"([^\s()]+) \((\d+)\)")
_NUMBER_WITHOUT_BRACKETS = re.compile(r"(?:^|\s)\d+(?=\s|$)")


class ThorNames(Names):
    """The names of an episode as AI2-THOR writes types: "SoapBar (2)" of "soap bar 2".

    It shares the names that it is made from, those that are appended later included.
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
        """The category that a type stands for, whatever its letter case; else what was given."""
        wanted = name.lower()
        return next((c for c in self.categories() if joined(c).lower() == wanted), wanted)


def joined(category: str) -> str:
    """ "SoapBar" of "soap bar", "TVStand" of "tv stand"."""
    return "".join(
        word.upper() if word in _ABBREVIATED else word[:1].upper() + word[1:]
        for word in category.split(" ")
    )


_THOR_NAMES: WeakKeyDictionary[Names, ThorNames] = WeakKeyDictionary()


def thor_names(names: Names) -> ThorNames:
    """Get the names of an episode in this wording, made once."""
    found = _THOR_NAMES.get(names)
    if found is None:
        found = _THOR_NAMES[names] = ThorNames(names)
    return found


class ReAcTreeThor(Dialect):
    """The dialect of AI2-THOR. base: the dialect that makes the menu and has the same state."""

    name = "reactree_thor"

    def __init__(self, base: Dialect) -> None:
        self._base = base

    def start(self, names: Names, view: View) -> tuple[str, DialectState]:
        graph, thor = view.graph, thor_names(names)
        room = graph.room_of(graph.agent().id)
        where = "room" if room is None else graph[room].category
        items = () if room is None else [t for t in graph.below(room) if _is_furniture(graph[t])]
        text = f"You are in the house, and you arrive at the {where}, "
        return f"{text}{_surroundings_text(thor, items)}", {}

    def after(
        self, names: Names, view: View, action: Action, outcome: Outcome, state: DialectState
    ) -> tuple[str, DialectState]:
        thor = thor_names(names)
        if outcome.failure is not None:
            text = failure_text(thor, view, action, outcome.failure)
        else:
            text = _success_text(thor, view, action)
            if action.verb is Verb.GO_TO:
                state = state_after_walk(view, action.target, state)
        held = view.held()
        return f"{text} I am holding {_listed(thor, held)} now." if held else text, state

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

    def menu(self, names: Names, view: View, menu: Menu, state: DialectState) -> Offers:
        return with_short_puts(menu.offers(view), view, thor_names(names), state)


def _in_brackets(refusal: str) -> str:
    return refusal.replace("', without brackets", "'").replace("NAME NUMBER", "NAME (NUMBER)")


# --- lists ---------------------------------------------------------------------------------------


def _listed(names: Names, node_ids: Iterable[int]) -> str:
    """ "Shelf (1, 2), Apple (1)": names backwards, numbers ascending."""
    numbers = sorted(map(names.number, node_ids))
    groups = [(name, [number for _, number in group]) for name, group in groupby(numbers, _first)]
    items = [f"{name} ({', '.join(map(str, found))})" for name, found in reversed(groups)]
    return ", ".join(items) or "nothing"


def _first(pair: tuple[str, int]) -> str:
    return pair[0]


def _surroundings_text(names: Names, node_ids: Iterable[int]) -> str:
    return f"Looking quickly around the room, you see {_listed(names, node_ids)}."


def _is_furniture(node: Node) -> bool:
    return node.kind is Kind.FIXTURE and not FURNITURE_AFFORDANCES.isdisjoint(node.affordances)


def _seen_from_here(graph: SceneGraph) -> list[int]:
    """What is seen from here: things, and the furniture that is at hand or keeps them."""
    me = graph.agent().id
    here = around(graph, me)
    for node in graph.nodes(Kind.OBJECT):
        here.add(node.id)
        here.update(graph.above(node.id))
    kinds = (Kind.FIXTURE, Kind.OBJECT)
    return [thing for thing in here if graph[thing].kind in kinds]


# --- feedback ------------------------------------------------------------------------------------


def _success_text(names: ThorNames, view: View, action: Action) -> str:
    """The text of a success; what the agent holds is not in it yet."""
    graph, verb, target = view.graph, action.verb, action.target
    if verb is Verb.GO_TO or verb is Verb.LOOK:
        return _arrival_text(names, view, action)
    if target is None:
        return f"You {grammar.word(names, action)}."
    text = f"You {grammar.word(names, action)}."
    if verb is Verb.PUT:
        text = "You put" + text.removeprefix(f"You {grammar.PHRASES[Verb.PUT]}")
    if verb is Verb.OPEN and target in view.covered and not graph.contents(target):
        return f"{text} The {names(target)} is empty."
    return f"{text} {_sight_text(names, graph)}"


def _arrival_text(names: ThorNames, view: View, action: Action) -> str:
    graph, target = view.graph, action.target
    if target is None:
        room = graph.room_of(graph.agent().id)
        items = () if room is None else [t for t in graph.below(room) if _is_furniture(graph[t])]
        return f"{_surroundings_text(names, items)} {_sight_text(names, graph)}"
    node = graph.get(target)
    if node is not None and node.kind is Kind.ROOM:
        items = [t for t in graph.below(target) if _is_furniture(graph[t])]
        around = _surroundings_text(names, items)
        return f"You arrive at the {node.category}, {around} {_sight_text(names, graph)}"
    looks = action.verb is Verb.LOOK
    text = f"You {'look' if looks else 'arrive'} at {names(target)}."
    if not looks:
        text += f" {_sight_text(names, graph)}"
    elif node is not None and target in view.covered:
        text += f" You see {_listed(names, graph.contents(target))}."
    return text if node is None else text + _states_text(names, node)


def _states_text(names: ThorNames, node: Node) -> str:
    """Whether a thing is open, closed or on."""
    text = ""
    if Affordance.OPENABLE in node.affordances:
        for state in (State.OPEN, State.CLOSED):
            if state in node.states:
                text += f" {names(node.id)} is {state}."
    if State.ON in node.states:
        text += f" {names(node.id)} is already turned on."
    return text


def _sight_text(names: ThorNames, graph: SceneGraph) -> str:
    seen = _seen_from_here(graph)
    sliced = [thing for thing in seen if State.SLICED in graph[thing].states]
    text = f"You see {_listed(names, seen)}."
    if not sliced:
        return text
    return f"{text} {_listed(names, sliced)} {'is' if len(sliced) == 1 else 'are'} sliced."
