"""The dialect `compact`: short observations that keep the books, for small language models.

Names are words with a number ("fridge1"), one token shorter than "fridge 1". Actions are those of
`reactree` with such names. An observation tells what is new. It also lists what small models
forget: places not looked at yet, held things, and what was put where. All of it was perceived or
done. docs/reference/dialects.md has the sentences.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from functools import lru_cache

from ....scene_graph.node import POSTURES, Affordance, Kind, Node, Relation, State
from ....skills.actions import Action, Verb
from ....skills.outcomes import Failure, Outcome
from ...dialect import Dialect, DialectState
from ...menu import Menu, Offers, ShortPut
from ...names import Named, Names
from ...view import View
from ..reactree import grammar
from ..reactree.grammar import named, published
from ..reactree.words import (
    RECEPTACLES,
    failure_text,
    is_listed,
    receptacle_of,
    short_put,
    state_after_walk,
)
from .books import PREPOSITIONS, Books

#: The text of an empty list.
NOTHING = "nothing"
#: The number of unseen places named after each look; on entering a room all are named.
NAMED = 3
_SPACED = re.compile(r"(?<=\S) (?=\d+(?!\w))")
_JOINED = re.compile(r"(?<=[^\d\s])(?=\d+(?!\S))")
_STATES = (State.CLOSED, State.OPEN, State.ON)
#: Counts as words, as in instructions: a small model compares tokens.
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


class Compact(Dialect):
    """The dialect. Its state: the last receptacle visited, and the books.

    Furniture that can keep things is a receptacle wherever it stands, unlike in `reactree`, where a
    table on a mat is none. So "put down apple1" works at any place that an observation names.
    """

    name = "compact"
    words_things_alike = True
    lists_whole_menu = True  # `--model trained` learnt it

    def start(self, names: Names, view: View) -> tuple[str, DialectState]:
        books = Books.of({}).seen(view)
        rooms = [node.id for node in view.graph.nodes(Kind.ROOM)]
        parts = [f"Rooms: {_listed(names, rooms)}.", *_room_entered(names, view, books, first=True)]
        return " ".join([*parts, *_body(names, view)]), books.to_data()

    def overview(self, names: Names, view: View) -> str:
        books = Books.of({}).seen(view)
        return " ".join([*_room_entered(names, view, books, first=True), *_body(names, view)])

    def after(
        self, names: Names, view: View, action: Action, outcome: Outcome, state: DialectState
    ) -> tuple[str, DialectState]:
        before = Books.of(state)
        books = before.seen(view)
        if outcome.failure is not None:
            parts = [failure_text(names, view, action, outcome.failure, lambda i: _name(names, i))]
        else:
            books = books.done(action)
            if action.verb is Verb.GO_TO:
                state = _stands_at(view, action.target, state)
            parts = _success(names, view, action, before, books)
        # A carried thing goes where the last of its kind went, and a list repeated in each room
        # need not be remembered for long.
        lists_put = bool(view.held()) or books.put != before.put or _enters_room(view, action)
        put = _put(names, books) if lists_put else []
        return " ".join([*parts, *put, *_body(names, view)]), {**state, **books.to_data()}

    def word(self, names: Names, action: Action) -> str:
        return _joined(grammar.word(names, action))

    def parse(
        self, text: str, names: Names, perceived: Container[int], state: DialectState
    ) -> Action:
        return grammar.parse(_JOINED.sub(" ", text), names, perceived, receptacle_of(state))

    def menu(self, names: Names, view: View, menu: Menu, state: DialectState) -> Offers:
        short = short_put(names, state)
        return menu.offers(view, None if short is None else _shortly(short))

    def sayable(
        self,
        names: Names,
        view: View,
        menu: Menu,
        state: DialectState,
        remembered: Iterable[int],
    ) -> Offers:
        """The menu alone: the schemas that the adapter of `--model trained` learnt."""
        return self.menu(names, view, menu, state)

    def reason(
        self, names: Names, view: View, action: Action, failure: Failure, state: DialectState
    ) -> str:
        return failure_text(names, view, action, failure, lambda i: _name(names, i))

    def kind(self, category: str) -> str:
        return published(category)

    def called(self, thing: Named) -> str:
        return f"{self.kind(thing.category)}{thing.number}"


@lru_cache(maxsize=1000)  # used by every menu
def _shortly(short: ShortPut) -> ShortPut:
    """The short put at the last receptacle, with the names of this dialect."""
    return short._replace(said=lambda thing: _joined(short.said(thing)))


def _enters_room(view: View, action: Action) -> bool:
    """Whether an action is to walk into a room."""
    node = None if action.target is None else view.get(action.target)
    return action.verb is Verb.GO_TO and node is not None and node.kind is Kind.ROOM


def _success(names: Names, view: View, action: Action, before: Books, books: Books) -> list[str]:
    """The sentences after a successful action."""
    verb, target = action.verb, action.target
    node = None if target is None else view.get(target)
    if _enters_room(view, action):
        return _room_entered(names, view, books, first=target not in before.places)
    if verb is Verb.LOOK and target is None:
        return _room_entered(names, view, books, first=True)
    if verb is Verb.LOOK and node is not None and Affordance.GRASPABLE in node.affordances:
        return [_kept(names, view, node)]
    if target is not None and verb in (Verb.GO_TO, Verb.OPEN, Verb.LOOK):
        shown = _shown(names, view, target)
        hidden = node is not None and State.CLOSED in node.states
        return [shown] if hidden else [shown, *_left(names, view, books, NAMED)]
    return ["Done.", *(_sliced(names, view) if verb is Verb.SLICE else ())]


def _sliced(names: Names, view: View) -> list[str]:
    """The sliced things within reach: pieces have the name of the whole."""
    pieces = [i for i in view.within_reach() if State.SLICED in view.graph[i].states]
    return [f"Sliced: {_listed(names, pieces)}."] if pieces else []


def _put(names: Names, books: Books) -> list[str]:
    """What was put where so far, counted by kind, as in instructions.

    "Put: two mug (mug1, mug3), one fork (fork1) on table1; one plate (plate2) in sink1."
    """
    places: dict[str, dict[str, list[str]]] = {}
    for thing, relation, place in books.put:
        kinds = places.setdefault(f"{PREPOSITIONS[relation]} {_name(names, place)}", {})
        kind = published(names.number(thing)[0])
        kinds.setdefault(kind, []).append(_name(names, thing))
    items = [
        f"{', '.join(_counted(kind, things) for kind, things in kinds.items())} {where}"
        for where, kinds in places.items()
    ]
    return [f"Put: {'; '.join(items)}."] if items else []


def _counted(kind: str, things: Sequence[str]) -> str:
    count = len(things)
    said = _COUNTS[count] if count < len(_COUNTS) else str(count)
    return f"{said} {kind} ({', '.join(things)})"


def _stands_at(view: View, target: int | None, state: DialectState) -> DialectState:
    """The state after walking to a thing, which becomes the receptacle if it can keep things."""
    node = None if target is None else view.get(target)
    if node is None or Affordance.GRASPABLE in node.affordances:
        return state_after_walk(view, target, state)
    for affordance, relation in RECEPTACLES:
        if affordance in node.affordances:
            return {**state, "receptacle": node.id, "relation": relation}
    return state


def _room_entered(names: Names, view: View, books: Books, *, first: bool) -> list[str]:
    """The present room: its things, at the first visit, and where was not looked yet."""
    graph = view.graph
    me = graph.agent().id
    room = graph.room_of(me)
    if room is None:
        return []
    sentences = [f"In {_name(names, room)}."]
    if first:
        places = books.places[room]
        afar = [i for i in view.visible_from_afar(room) if is_listed(graph[i]) and i not in places]
        looked = [i for i in places if i in books.looked]
        if afar or looked:
            sentences.append(f"Here: {_listed(names, [*afar, *looked])}.")
    left = _left(names, view, books)
    not_seen = _listed(names, books.rooms_not_seen(view))
    if not_seen != NOTHING and left != [f"Rooms left: {not_seen}."]:
        left.append(f"Rooms not seen: {not_seen}.")
    return sentences + left


def _left(names: Names, view: View, books: Books, most: int | None = None) -> list[str]:
    """Where was not looked yet: in this room, else in others."""
    room = view.graph.room_of(view.agent().id)
    places = [] if room is None else books.not_looked_at(room)
    if places:
        shown = places if most is None else places[:most]
        more = f" +{len(places) - len(shown)}" if len(places) > len(shown) else ""
        return [f"Not looked at: {', '.join(_name(names, i) for i in shown)}{more}."]
    rooms = books.rooms_left(view)
    return [f"Rooms left: {_listed(names, rooms)}."] if rooms else ["All looked at."]


def _shown(names: Names, view: View, place: int) -> str:
    """A thing where the agent stands, and the visible objects there."""
    graph, node = view.graph, view.get(place)
    me = graph.agent().id
    known = {*graph.below(me), *view.held(), place}
    things = [i for i in view.within_reach() if i not in known and graph[i].kind is Kind.OBJECT]
    states = [str(state) for state in _STATES if node is not None and state in node.states]
    is_door = node is not None and Affordance.OPENABLE in node.affordances
    shown = [state for state in states if is_door or state == str(State.ON)]
    head = f"At {_name(names, place)}{''.join(f', {state}' for state in shown)}"
    if things or (node is not None and State.CLOSED not in node.states):
        return f"{head}: {_listed(names, things)}."
    return f"{head}."


def _kept(names: Names, view: View, thing: Node) -> str:
    """The contents of a portable thing; things beside it are listed with their place."""
    if thing.id not in view.covered:
        return f"At {_name(names, thing.id)}."
    return f"At {_name(names, thing.id)}: {_listed(names, view.graph.contents(thing.id))}."


def _body(names: Names, view: View) -> list[str]:
    """Held and worn things, and the posture."""
    graph = view.graph
    me = graph.agent().id
    held, worn = view.held(), view.worn()
    sentences = [f"Held: {_listed(names, held)}."] if held else []
    if worn:
        sentences.append(f"Worn: {_listed(names, worn)}.")
    for posture in sorted(graph[me].states & POSTURES):
        seats = graph.targets(me, Relation.ON)
        sentences.append(f"You are {posture}{f' on {_name(names, seats[0])}' if seats else ''}.")
    return sentences


def _listed(names: Names, node_ids: Iterable[int]) -> str:
    """ "apple1, apple2, bench1": by name and number."""
    return (
        ", ".join(
            f"{published(category)}{number}"
            for category, number in sorted(names.number(i) for i in node_ids)
        )
        or NOTHING
    )


def _name(names: Names, node_id: int) -> str:
    return _joined(named(names, node_id))


def _joined(text: str) -> str:
    """A text with the names of this dialect."""
    return _SPACED.sub("", text)


DIALECT = Compact()
