"""The dialect `lookplangraph`: functions called on nodes, with feedback as in a text game.

After Onishchenko et al., LookPlanGraph (2025), section VI-A and appendix F, where ReAct acts on the
scene graph. Entering a room lists its furniture, going to a piece of furniture its contents, and
other actions what was done. Names are those of the graph, `wicker_basket-1`. The sentences are
Peephole's own. Unlike in the games that the paper follows, a failure comes with its reason, as from
a simulator of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import POSTURES, Affordance, Kind, Node, Relation, State
from ....skills.actions import Action, Verb
from ....skills.outcomes import Failure, Outcome
from ...dialect import Dialect, DialectState, failure_template, kinds_of_action, with_detail
from ...menu import Menu, Offers
from ...names import Named, Names
from ...view import HANDLED_KINDS, View
from . import grammar, node_names
from .node_names import NodeName, states_of

#: The key of the held things in the dialect's state.
_HELD = "held"
#: The words before the contents of a place, by relation.
KEPT = {
    Relation.ON: "On",
    Relation.INSIDE: "Inside",
    Relation.UNDER: "Under",
    Relation.ATTACHED: "Attached to",
}


class LookPlanGraph(Dialect):
    """The dialect; its state is what is held, {"held": [ids]}."""

    name = "lookplangraph"
    words_things_alike = True

    def start(self, names: Names, view: View) -> tuple[str, DialectState]:
        graph = view.graph
        rooms = _named(names, (room.id for room in graph.nodes(Kind.ROOM)))
        text = f"The house has these places: {rooms}. {_here_text(names, view)}"
        return text + _body_text(names, view), _state(view)

    def after(
        self, names: Names, view: View, action: Action, outcome: Outcome, state: DialectState
    ) -> tuple[str, DialectState]:
        if outcome.failure is not None:
            hidden = next((t for t in action.things if view.get(t) is None), None)
            text = failure_text(partial(grammar.name, names), hidden, action, outcome.failure)
        else:
            text = _success_text(names, view, action)
        return text, _state(view)

    def word(self, names: Names, action: Action) -> str:
        return grammar.word(names, action)

    def forms(self, verbs: frozenset[Verb]) -> tuple[str, ...]:
        """The calls; for puts, the call for the only held thing."""
        forms = (form for form in super().forms(verbs - {Verb.PUT}))
        puts = [
            f"{grammar.PUTS[action.relation]}(place-1)"
            for action in kinds_of_action(verbs & {Verb.PUT})
            if action.relation is not None
        ]
        return (*forms, *puts)

    def parse(
        self, text: str, names: Names, perceived: Container[int], state: DialectState
    ) -> Action:
        return grammar.parse(text, names, perceived, state.get(_HELD, ()))

    def menu(self, names: Names, view: View, menu: Menu, state: DialectState) -> Offers:
        held = state.get(_HELD, ())
        return [
            (grammar.put_held(names, action) if _puts_only(action, held) else text, action)
            for text, action in menu.offers(view)
        ]

    def kind(self, category: str) -> str:
        return node_names.stem(category)

    def called(self, thing: Named) -> str:
        return str(NodeName(node_names.stem(thing.category), thing.number))


DIALECT = LookPlanGraph()


def _puts_only(action: Action, held: Sequence[int]) -> bool:
    """Whether an action puts the only held thing."""
    return action.verb is Verb.PUT and len(held) == 1 and action.target == held[0]


def _state(view: View) -> DialectState:
    return {_HELD: view.held()}


# --- what is done --------------------------------------------------------------------------------


def _success_text(names: Names, view: View, action: Action) -> str:
    verb, target = action.verb, action.target
    if target is None:
        if verb is Verb.LOOK:
            return _here_text(names, view) + _body_text(names, view)
        return f"You did {grammar.word(names, action)}."
    name = grammar.name(names, target)
    if verb is Verb.GO_TO:
        node = view.get(target)
        if node is not None and node.kind is Kind.ROOM:
            return _here_text(names, view)
        return f"You go to {name}.{_contents_text(names, view, target)}"
    if verb is Verb.OPEN:
        return f"You open {name}.{_contents_text(names, view, target, door=False)}"
    if verb is Verb.LOOK:
        return f"You look at {name}.{_contents_text(names, view, target)}"
    if action.place is not None:
        place = grammar.name(names, action.place)
        how = "into" if action.relation is None else KEPT[action.relation].lower()
        return f"You {'pour' if action.relation is None else 'put'} {name} {how} {place}."
    return f"You {_VERB_WORDS.get(verb, str(verb).replace('_', ' '))} {name}."


_VERB_WORDS = {
    Verb.PUT_ON: "wear",
    Verb.SIT: "sit down on",
    Verb.LIE_DOWN: "lie down on",
    Verb.TYPE: "type on",
}


def failure_text(
    name: Callable[[int], str], hidden: int | None, action: Action, failure: Failure
) -> str:
    """The text of a failure. name: of a node. hidden: the thing out of sight, if any."""
    template = failure_template("lookplangraph", failure)
    assert template is not None, "every reason has a text"
    if "{" not in template:
        # Some of them are about things that may not be named.
        return with_detail(template, failure)

    def named(node_id: int | None) -> str:
        return "it" if node_id is None else name(node_id)

    thing = failure.thing if failure.thing is not None else action.target
    text = template.format(
        thing=named(thing),
        place=named(action.target if action.place is None else action.place),
        hidden=named(action.target if hidden is None else hidden),
        call=grammar.function_of(action),
    )
    return with_detail(text[0].upper() + text[1:] if thing is None else text, failure)


# --- what is seen --------------------------------------------------------------------------------


def _here_text(names: Names, view: View) -> str:
    """The room with its furniture and free-standing things."""
    graph = view.graph
    room = graph.room_of(graph.agent().id)
    if room is None:
        return "You are nowhere in particular."
    around = [thing for thing in view.visible_from_afar(room) if graph[thing].kind in HANDLED_KINDS]
    seen = _with_states(names, graph, around)
    return f"You are in {grammar.name(names, room)}. Looking around, you see {seen}."


def _body_text(names: Names, view: View) -> str:
    """The posture, and held and worn things."""
    me = view.agent()
    text = "".join(f" You are {state}." for state in sorted(me.states & POSTURES))
    for verb, things in (("hold", view.held()), ("wear", view.worn())):
        if things:
            text += f" You {verb} {_named(names, things)}."
    return text


def _contents_text(names: Names, view: View, place: int, *, door: bool = True) -> str:
    """The states of a thing and its contents at any depth, as far as it was looked into."""
    node = view.get(place)
    if node is None:
        return ""
    states = [state for state in states_of(node) if door or state != State.OPEN]
    text = f" {grammar.name(names, place)} is {' and '.join(states)}." if states else ""
    return text + "".join(_kept_sentences(names, view, node))


def _kept_sentences(names: Names, view: View, place: Node) -> Iterator[str]:
    """The sentences about the contents of a place, then about the contents of these."""
    graph = view.graph
    following: list[int] = []
    said = False
    for relation, word in KEPT.items():
        things = [t for t in graph.sources(place.id, relation) if graph[t].kind in HANDLED_KINDS]
        if things:
            said = True
            seen = _with_states(names, graph, things)
            yield f" {word} {grammar.name(names, place.id)}, you see {seen}."
            following += things
    if not said and view.covered.get(place.id) and _keeps_things(place):
        where = "Inside" if Affordance.CONTAINER in place.affordances else "On"
        yield f" {where} {grammar.name(names, place.id)}, you see nothing."
    for thing in dict.fromkeys(following):
        if graph.contents(thing):
            yield from _kept_sentences(names, view, graph[thing])


def _keeps_things(node: Node) -> bool:
    return not node.affordances.isdisjoint({Affordance.SURFACE, Affordance.CONTAINER})


def _with_states(names: Names, graph: SceneGraph, things: Iterable[int]) -> str:
    """ "cup-1 (dirty), plate-1", or "nothing"."""
    items = []
    for thing in sorted(set(things), key=names.number):
        states = states_of(graph[thing])
        items.append(grammar.name(names, thing) + (f" ({', '.join(states)})" if states else ""))
    return ", ".join(items) or "nothing"


def _named(names: Names, things: Iterable[int]) -> str:
    return ", ".join(grammar.name(names, t) for t in sorted(things, key=names.number)) or "nothing"
