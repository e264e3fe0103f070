"""The dialect `alfworld`: the wording of ALFWorld's text games.

After Shridhar et al., ALFWorld (https://arxiv.org/abs/2010.03768), and the published grammar of its
games. Types are one lower-case word with a number, "soapbar 2". Arriving at or opening a receptacle
lists its contents. Every failure is "Nothing happens.". In other worlds than the games, heating,
cooling and cleaning are the simulator's household actions, and things with a switch are listed
among the receptacles, because the games describe a lamp as a thing on a desk.

A game (`View.said`) speaks for itself: its texts and its commands are passed on as they are.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence

from ....scene_graph.goal_text import plural
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Kind, Node, Relation, State
from ....skills.actions import ARM_ONLY_VERBS, GAME_ONLY_VERBS, Action, Verb
from ....skills.dynamics import PUTS_BY_AFFORDANCE
from ....skills.outcomes import Failure, Outcome, Reason
from ....skills.reach import reach
from ...dialect import NOT_ALLOWED, Dialect, DialectState, Refusal, with_detail
from ...menu import Menu, Offers
from ...names import Names
from ...view import HANDLED_KINDS, View, is_free_standing
from ..reactree.words import failure_text
from . import grammar
from .grammar import joined

NOTHING = "Nothing happens."
#: A fixture with one of these affordances is listed.
_LISTED_AFFORDANCES = frozenset({Affordance.SURFACE, Affordance.CONTAINER, Affordance.SWITCHABLE})


class AlfWorld(Dialect):
    """The dialect; its state is a `grammar.ParseContext`.

    The menu offers going to listed things, handling the one where the agent is, taking things
    there, and putting held things there.
    """

    name = "alfworld"
    words_things_alike = True

    def instruction(self, text: str, categories: Iterable[str]) -> str:
        """As in the games, whose tasks say "desklamp" too."""
        spaced = {form for kind in categories if " " in kind for form in (kind, plural(kind))}
        if not spaced:
            return text
        longest_first = map(re.escape, sorted(spaced, key=len, reverse=True))
        said = re.compile(rf"\b(?:{'|'.join(longest_first)})\b", re.IGNORECASE)
        return said.sub(lambda found: joined(found[0]).lower(), text)

    def supports(self, actions: frozenset[Verb]) -> bool:
        """It has words for households and for games."""
        return not actions & ARM_ONLY_VERBS

    def forms(self, verbs: frozenset[Verb]) -> tuple[str, ...]:
        """List the form of each kind of action; those of the games where they are played."""
        if not verbs & GAME_ONLY_VERBS:
            return super().forms(verbs)
        return tuple(text for verb, text in grammar.GAME_FORMS if verb in verbs)

    def start(self, names: Names, view: View) -> tuple[str, DialectState]:
        graph = view.graph
        if view.said is not None:
            return view.said.text, _game_context(graph).to_state()
        rooms = [room.id for room in graph.nodes(Kind.ROOM)]
        house = f" In the house there is {_enumeration(names, _by_name(names, rooms))}."
        text = f"{_middle_text(names, graph)}{house if len(rooms) > 1 else ''}"
        return f"{text} {_surroundings_text(names, graph)}", _parse_context(graph, None).to_state()

    def overview(self, names: Names, view: View) -> str:
        return f"{_middle_text(names, view.graph)} {_surroundings_text(names, view.graph)}"

    def after(
        self, names: Names, view: View, action: Action, outcome: Outcome, state: DialectState
    ) -> tuple[str, DialectState]:
        before = grammar.ParseContext.of(state)
        if view.said is not None:
            failure = outcome.failure
            text = with_detail(NOTHING, failure, NOT_ALLOWED) if failure else view.said.text
            return text, _game_context(view.graph).to_state()
        if outcome.failure is not None:
            text = with_detail(NOTHING, outcome.failure, NOT_ALLOWED)
            return text, _parse_context(view.graph, before.at).to_state()
        at = action.target if action.verb is Verb.GO_TO else before.at
        text = _success_text(names, view, action, before)
        return text, _parse_context(view.graph, at).to_state()

    def word(self, names: Names, action: Action) -> str:
        return grammar.word(names, action)

    def parse(
        self, text: str, names: Names, perceived: Container[int], state: DialectState
    ) -> Action:
        now = grammar.ParseContext.of(state)
        try:
            return grammar.parse(text, names, perceived, now)
        except Refusal:
            if now.game:
                raise Refusal(NOTHING) from None
            raise

    def menu(self, names: Names, view: View, menu: Menu, state: DialectState) -> Offers:
        if view.said is not None:
            return list(view.said.offers)
        now = grammar.ParseContext.of(state)
        listed = frozenset(_listed_things(view.graph))
        near = reach(view.graph, view.agent().id)
        return [
            (_offer_text(names, view.graph, action, now) or text, action)
            for text, action in menu.offers(view)
            if action.verb is not Verb.GO_TO or _is_destination(view.graph, action, listed)
            if action.verb is not Verb.LOOK or action.target is None or action.target in near
        ]

    def other_forms(self, names: Names, view: View, menu: Menu, state: DialectState) -> Offers:
        return [] if view.said is not None else super().other_forms(names, view, menu, state)

    def reason(
        self, names: Names, view: View, action: Action, failure: Failure, state: DialectState
    ) -> str:
        """Games say that nothing happens, and no more; in other worlds a refusal says why."""
        if view.said is not None:
            return NOTHING
        if failure.reason is Reason.NOT_HELD and failure.thing is not None:
            return f"You do not hold the {grammar.name(names, failure.thing)}."
        return failure_text(names, view, action, failure, lambda i: grammar.name(names, i))

    def kind(self, category: str) -> str:
        return joined(category)


DIALECT = AlfWorld()

# --- the menu ------------------------------------------------------------------------------------


def _parse_context(graph: SceneGraph, at: int | None) -> grammar.ParseContext:
    """The context of the texts after the present view. at: the place last visited."""
    me = graph.agent().id
    node = None if at is None else graph.get(at)
    relation = None
    if node is not None:
        relations = [relation for can, relation in PUTS_BY_AFFORDANCE if can in node.affordances]
        relation = relations[-1] if relations else None
    places: dict[int, int] = {}
    for thing in graph.nodes(Kind.OBJECT):
        kept = [place for _, place in graph.places(thing.id) if graph[place].kind in HANDLED_KINDS]
        if kept:
            places[thing.id] = at if at is not None and at in kept else kept[0]
    return grammar.ParseContext(at, relation, tuple(graph.held(me)), places)


def _game_context(graph: SceneGraph) -> grammar.ParseContext:
    """The context of the texts of a game: what lies where, and how things are put."""
    places: dict[int, int] = {}
    puts: dict[int, Relation] = {}
    for node in graph.nodes():
        if node.kind is Kind.FIXTURE:
            puts[node.id] = put_in(node)
        elif node.kind is Kind.OBJECT:
            places.update((node.id, place) for _, place in graph.places(node.id)[:1])
    held = tuple(graph.held(graph.agent().id))
    return grammar.ParseContext(None, None, held, places, puts)


def put_in(place: Node) -> Relation:
    """How games put things at a receptacle: into what opens, else onto it."""
    return Relation.INSIDE if Affordance.OPENABLE in place.affordances else Relation.ON


def _is_destination(graph: SceneGraph, action: Action, listed: frozenset[int]) -> bool:
    """Whether one goes to a thing by its own name: listed things and other rooms."""
    target = action.target
    assert target is not None  # required by go_to
    return target in listed or (graph[target].kind is Kind.ROOM and target != _room(graph))


def _offer_text(
    names: Names, graph: SceneGraph, action: Action, now: grammar.ParseContext
) -> str | None:
    """The games' text of an action here, if it depends on what the agent holds or stands at."""
    thing = action.target
    if thing is None:
        return None
    if action.verb is Verb.PICK_UP and thing in now.places:
        return grammar.take(names, thing, now.places[thing])
    if action.verb is Verb.SLICE:
        knife = next((t for t in now.held if Affordance.CUTS in _affordances_of(graph, t)), None)
        return None if knife is None else grammar.cut(names, thing, knife)
    if action.verb is Verb.PUT and (action.place, action.relation) == (now.at, now.relation):
        return grammar.put_short(names, action)
    return None


# --- lists ---------------------------------------------------------------------------------------


def _by_name(names: Names, things: Iterable[int]) -> list[int]:
    return sorted(things, key=names.number)


def _room(graph: SceneGraph) -> int | None:
    return graph.room_of(graph.agent().id)


def _affordances_of(graph: SceneGraph, thing: int) -> frozenset[Affordance]:
    node = graph.get(thing)
    return frozenset() if node is None else node.affordances


def _listed_things(graph: SceneGraph) -> list[int]:
    """The things of a look around: the room's furniture and free-standing objects."""
    room = _room(graph)
    below = [] if room is None else graph.below(room)
    return [thing for thing in below if _is_listed(graph, graph[thing])]


def _is_listed(graph: SceneGraph, node: Node) -> bool:
    if node.kind is Kind.FIXTURE:
        return not _LISTED_AFFORDANCES.isdisjoint(node.affordances)
    return node.kind is Kind.OBJECT and is_free_standing(graph, node.id)


def _middle_text(names: Names, graph: SceneGraph) -> str:
    """Where the agent is; the games have one room, which has no name."""
    room = _room(graph)
    if room is None or len(graph.room_ids) == 1:
        return "You are in the middle of a room."
    return f"You are in the middle of the {grammar.name(names, room)}."


def _surroundings_text(names: Names, graph: SceneGraph) -> str:
    things = list(reversed(_by_name(names, _listed_things(graph))))
    return f"Looking quickly around you, you see {_enumeration(names, things)}."


def _enumeration(names: Names, things: Sequence[int]) -> str:
    """ "a pot 2, a pan 1, and a apple 1", or "nothing": the games say "a" before vowels too."""
    items = [f"a {name}" for name in _name_all(names, things)]
    if len(items) < 2:
        return items[0] if items else "nothing"
    return f"{', '.join(items[:-1])}, and {items[-1]}"


def _name_all(names: Names, things: Iterable[int]) -> list[str]:
    return [grammar.name(names, thing) for thing in things]


# --- feedback ------------------------------------------------------------------------------------


def _success_text(names: Names, view: View, action: Action, before: grammar.ParseContext) -> str:
    graph, verb, target = view.graph, action.verb, action.target
    if target is None:
        looks = verb is Verb.LOOK
        return _look_text(names, view, before) if looks else f"You {grammar.word(names, action)}."
    name = grammar.name(names, target)
    if verb is Verb.GO_TO:
        room = graph.get(target)
        if room is not None and room.kind is Kind.ROOM:
            return f"You arrive at the {name}. {_surroundings_text(names, graph)}"
        told = _contents_text(names, view, target) + _switch_text(names, graph, target)
        return f"You arrive at {name}.{told}"
    if verb is Verb.OPEN:
        return f"You open the {name}.{_contents_text(names, view, target)}"
    if verb is Verb.PICK_UP:
        place = before.places.get(target)
        source = "" if place is None else f" from the {grammar.name(names, place)}"
        return f"You pick up the {name}{source}."
    if verb is Verb.PUT and action.place is not None:
        how = "under" if action.relation is Relation.UNDER else grammar.PUT_PREPOSITION
        return f"You put the {name} {how} the {grammar.name(names, action.place)}."
    if verb is Verb.SLICE:
        knife = next((t for t in before.held if Affordance.CUTS in _affordances_of(graph, t)), None)
        tool = "" if knife is None else f" with the {grammar.name(names, knife)}"
        kept = "" if before.at is None else _contents_text(names, view, before.at)
        return f"You sliced the {name}{tool}.{kept}"
    if verb is Verb.LOOK:
        kept = _contents_text(names, view, target)
        return kept.strip() or _state_of(names, graph, target)
    if verb in grammar.FEEDBACK_PHRASES:
        return f"You {grammar.FEEDBACK_PHRASES[verb]} the {name}."
    return f"You {grammar.word(names, action)}."


def _look_text(names: Names, view: View, before: grammar.ParseContext) -> str:
    at = before.at
    if at is None or at not in view.graph:
        return f"{_middle_text(names, view.graph)} {_surroundings_text(names, view.graph)}"
    free = [t for t in _listed_things(view.graph) if view.graph[t].kind is Kind.OBJECT]
    beside = _enumeration(names, _by_name(names, free))
    return f"You are facing the {grammar.name(names, at)}. Next to it, you see {beside}."


def _switch_text(names: Names, graph: SceneGraph, thing: int) -> str:
    """Whether a thing with a switch is on or off."""
    node = graph.get(thing)
    states = frozenset() if node is None else node.states
    shown = next((state for state in (State.ON, State.OFF) if state in states), None)
    return "" if shown is None else f" The {grammar.name(names, thing)} is {shown}."


def _contents_text(names: Names, view: View, place: int) -> str:
    """The contents of a receptacle, as far as it was looked into; "" for other things."""
    node = view.graph.get(place)
    if node is None or node.affordances.isdisjoint((Affordance.SURFACE, Affordance.CONTAINER)):
        return ""
    name = grammar.name(names, place)
    if State.CLOSED in node.states and Affordance.OPENABLE in node.affordances:
        return f" The {name} is closed."
    things = [t for t in view.graph.contents(place) if view.graph[t].kind in HANDLED_KINDS]
    if not things and not view.covered.get(place):
        return ""
    listed = f"you see {_enumeration(names, _by_name(names, things))}."
    if State.OPEN in node.states and Affordance.OPENABLE in node.affordances:
        return f" The {name} is open. In it, {listed}"
    return f" On the {name}, {listed}"


def _state_of(names: Names, graph: SceneGraph, thing: int) -> str:
    """The text of examining a thing."""
    node, name = graph.get(thing), grammar.name(names, thing)
    states = frozenset() if node is None else node.states
    words: list[str] = [state for state in grammar.EXAMINED_STATES if state in states]
    if words == [State.COLD, State.CLEAN]:
        words[0] = "cool"  # the games' word beside another
    shown = " and ".join(words)
    if State.SLICED in states:
        shown = f"{shown} sliced".strip()
    if shown:
        return f"This is a {shown} {name}."
    for state in (State.ON, State.OFF):
        if state in states:
            return f"This {name} is {state}."
    return f"There's nothing special about {name}."
