"""The dialect `tru_pomdp`: every observation describes the whole known kitchen.

After Tru-POMDP (Tang et al., 2025), appendix A.1. Its observations list closed areas, open areas,
seen objects with their areas, arrangements already tried, and objects already in place. The
sentences are Peephole's own, each observation is one line, and names are in lower case. The outcome
of the last action comes first.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from ....scene_graph.node import Affordance, Kind, Node, State
from ....skills.actions import Action, Verb
from ....skills.outcomes import Failure, Outcome
from ...dialect import Dialect, DialectState, failure_texts, with_detail
from ...menu import Menu, Offers
from ...names import Named, Names
from ...view import View
from ..reactree.grammar import PREPOSITIONS
from . import grammar

#: The most arrangements listed; the last ones.
TOLD_ARRANGEMENTS = 5
_AREA_AFFORDANCES = frozenset({Affordance.SURFACE, Affordance.CONTAINER, Affordance.OPENABLE})


class TruPomdp(Dialect):
    """The dialect; its state lists what is held, inside, moved and tried.

    {"held": [ids], "inside": [ids], "moved": [[thing, place]], "tried": [arrangements]}. inside:
    places that things are put into. An arrangement is a list like `moved`.
    """

    name = "tru_pomdp"
    words_things_alike = True

    def start(self, names: Names, view: View) -> tuple[str, DialectState]:
        state = _state(view, [], [])
        return _situation(names, view, state), state

    def after(
        self, names: Names, view: View, action: Action, outcome: Outcome, state: DialectState
    ) -> tuple[str, DialectState]:
        moved, tried = dict(state.get("moved", ())), list(state.get("tried", ()))
        if outcome.failure is not None:
            came = _failure_text(outcome.failure)
        else:
            came = f"Done: {grammar.word(names, action)}."
            if action.verb is Verb.PICK_UP:
                moved.pop(action.target, None)
            if action.verb is Verb.PUT and action.place is not None:
                moved[action.target] = action.place
                arrangement = [list(pair) for pair in sorted(moved.items())]
                tried = [*(each for each in tried if each != arrangement), arrangement]
        after = _state(view, [list(pair) for pair in moved.items()], tried[-TOLD_ARRANGEMENTS:])
        return f"{came} {_situation(names, view, after)}", after

    def word(self, names: Names, action: Action) -> str:
        return grammar.word(names, action)

    def forms(self, verbs: frozenset[Verb]) -> tuple[str, ...]:
        """The forms; for puts, the short one for the held thing."""
        puts = (f"{grammar.PLACE} area",) if Verb.PUT in verbs else ()
        return (*super().forms(verbs - {Verb.PUT}), *puts)

    def parse(
        self, text: str, names: Names, perceived: Container[int], state: DialectState
    ) -> Action:
        return grammar.parse(text, names, perceived, grammar.KitchenParseContext.of(state))

    def menu(self, names: Names, view: View, menu: Menu, state: DialectState) -> Offers:
        now = grammar.KitchenParseContext.of(state)

        def put_text(action: Action) -> str | None:
            place = action.place
            if action.verb is not Verb.PUT or place is None or now.held[:1] != (action.target,):
                return None
            is_usual = action.relation is now.relation(place)
            return grammar.place_held(names, place) if is_usual else None

        return [(put_text(action) or text, action) for text, action in menu.offers(view)]

    def reason(
        self, names: Names, view: View, action: Action, failure: Failure, state: DialectState
    ) -> str:
        return _failure_text(failure)

    def kind(self, category: str) -> str:
        return grammar.joined(category)

    def called(self, thing: Named) -> str:
        return grammar.called(thing.category, thing.number)

    def confirmed(self, names: Names, things: Sequence[int]) -> str:
        return f"Objects already in target areas: {_listed(names, things)}." if things else ""


DIALECT = TruPomdp()


def _state(view: View, moved: list[list[int]], tried: list[list[list[int]]]) -> DialectState:
    inside = [
        node.id
        for node in view.graph.nodes(Kind.FIXTURE)
        if Affordance.CONTAINER in node.affordances
    ]
    return {"held": view.held(), "inside": inside, "moved": moved, "tried": tried}


def _failure_text(failure: Failure) -> str:
    reason = failure_texts("tru_pomdp").get(failure.reason, "it is not possible now")
    return with_detail(f"Not done: {reason}.", failure)


# --- the situation -------------------------------------------------------------------------------


def _situation(names: Names, view: View, state: DialectState) -> str:
    areas = [node for node in view.graph.nodes(Kind.FIXTURE) if _is_area(node)]
    closed = [node.id for node in areas if State.CLOSED in node.states]
    opened = [node.id for node in areas if State.CLOSED not in node.states]
    parts = [
        f"Closed areas: {_listed(names, closed)}.",
        f"Open areas: {_listed(names, opened)}.",
        f"Objects seen: {_objects_text(names, view)}.",
        f"You hold {_listed(names, view.held())}.",
    ]
    rooms = [room.id for room in view.graph.nodes(Kind.ROOM)]
    if len(rooms) > 1:
        parts.insert(0, f"Rooms: {_listed(names, rooms)}.")
    if state["tried"]:
        arrangements = "; ".join(
            f"{number}. {_arrangement_text(names, arrangement)}"
            for number, arrangement in enumerate(state["tried"], start=1)
        )
        parts.append(f"Arrangements tried: {arrangements}.")
    return " ".join(parts)


def _is_area(node: Node) -> bool:
    return not _AREA_AFFORDANCES.isdisjoint(node.affordances)


def _objects_text(names: Names, view: View) -> str:
    """The objects in view with their places, without held ones."""
    graph, held = view.graph, set(view.held())
    things = [node.id for node in graph.nodes(Kind.OBJECT) if node.id not in held]
    items = []
    for thing in sorted(things, key=names.number):
        places = [(how, place) for how, place in graph.places(thing) if place in graph]
        near = places[0] if places else None
        where = ""
        if near is not None and near[0] in PREPOSITIONS:
            where = f" {PREPOSITIONS[near[0]]} {grammar.name(names, near[1])}"
        items.append(f"{grammar.name(names, thing)}{where}")
    return ", ".join(items) or "none"


def _arrangement_text(names: Names, arrangement: Iterable[Sequence[int]]) -> str:
    return ", ".join(
        f"{grammar.name(names, thing)} in {grammar.name(names, place)}"
        for thing, place in arrangement
    )


def _listed(names: Names, things: Iterable[int]) -> str:
    return ", ".join(grammar.name(names, i) for i in sorted(things, key=names.number)) or "nothing"
