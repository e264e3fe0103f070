"""The dialect `tru_pomdp`: the whole known kitchen at first, and after an action what is new.

After Tru-POMDP (Tang et al., 2025), appendix A.1. Its observations list closed areas, open areas,
seen objects with their areas, arrangements already tried, and objects already in place. The paper
lists all of it at every step; here later observations are the outcome and its news, so that a
conversation does not repeat the kitchen. The sentences are Peephole's own, each observation is one
line, and names are in lower case.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from ....scene_graph.node import Affordance, Kind, Node, Relation, State
from ....skills.actions import Action, Verb
from ....skills.outcomes import Failure, Outcome
from ...dialect import Dialect, DialectState, failure_template, with_detail
from ...menu import Menu, Offers
from ...names import Named, Names
from ...view import View
from ..reactree.grammar import PREPOSITIONS
from . import grammar

#: The most arrangements listed; the last ones.
TOLD_ARRANGEMENTS = 5
_AREA_AFFORDANCES = frozenset({Affordance.SURFACE, Affordance.CONTAINER, Affordance.OPENABLE})


class TruPomdp(Dialect):
    """The dialect; its state lists what is held, inside, moved, tried and known.

    {"held": [ids], "inside": [ids], "moved": [[thing, place]], "tried": [arrangements], "closed":
    [ids], "opened": [ids], "seen": [[thing, place]]}. inside: places that things are put into. An
    arrangement is a list like `moved`. The last three: what was said of the kitchen.
    """

    name = "tru_pomdp"
    words_things_alike = True

    def start(self, names: Names, view: View) -> tuple[str, DialectState]:
        state = _state(view, [], [])
        return _situation(names, view), state

    def overview(self, names: Names, view: View) -> str:
        return _situation(names, view)

    def after(
        self, names: Names, view: View, action: Action, outcome: Outcome, state: DialectState
    ) -> tuple[str, DialectState]:
        moved, tried = dict(state.get("moved", ())), list(state.get("tried", ()))
        if outcome.failure is not None:
            came = _failure_text(names, outcome.failure)
        else:
            came = f"Done: {grammar.word(names, action)}."
            if action.verb is Verb.PICK_UP:
                moved.pop(action.target, None)
            if action.verb is Verb.PUT and action.place is not None:
                moved[action.target] = action.place
                arrangement = [list(pair) for pair in sorted(moved.items())]
                tried = [*(each for each in tried if each != arrangement), arrangement]
        after = _state(view, [list(pair) for pair in moved.items()], tried[-TOLD_ARRANGEMENTS:])
        news = _news(names, view, action, state, after)
        if action.verb is Verb.PUT and outcome.failure is None:
            news.append(_tried_text(names, after))
        return " ".join([came, *news]), after

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
        return _failure_text(names, failure)

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
    graph, held = view.graph, set(view.held())
    areas = [node for node in graph.nodes(Kind.FIXTURE) if _is_area(node)]
    things = [node.id for node in graph.nodes(Kind.OBJECT) if node.id not in held]
    return {
        "held": view.held(),
        "inside": inside,
        "moved": moved,
        "tried": tried,
        "closed": [node.id for node in areas if State.CLOSED in node.states],
        "opened": [node.id for node in areas if State.CLOSED not in node.states],
        "seen": [[thing, *(place for _, place in _at(view, thing))] for thing in things],
    }


def _failure_text(names: Names, failure: Failure) -> str:
    reason = failure_template("tru_pomdp", failure) or "it is not possible now"
    if "{" in reason and failure.thing is not None:
        reason = reason.format(thing=grammar.name(names, failure.thing))
    return with_detail(f"Not done: {reason}.", failure)


# --- the situation -------------------------------------------------------------------------------


def _situation(names: Names, view: View) -> str:
    now = _state(view, [], [])
    full = {place for _, *places in now["seen"] for place in places}
    empty = [a for a in now["opened"] if a not in full and view.covered.get(a, True)]
    parts = [
        f"Closed areas: {_listed(names, now['closed'])}.",
        f"Open areas: {_listed(names, now['opened'], empty)}.",
        f"Objects seen: {_objects_text(names, view, [thing for thing, *_ in now['seen']])}.",
        f"You hold {_listed(names, now['held'])}.",
    ]
    rooms = [room.id for room in view.graph.nodes(Kind.ROOM)]
    if len(rooms) > 1:
        parts.insert(0, f"Rooms: {_listed(names, rooms)}.")
    return " ".join(parts)


def _news(
    names: Names, view: View, action: Action, before: DialectState, now: DialectState
) -> list[str]:
    """What the observation before did not say; all of it where the areas are others."""
    if {*before["closed"], *before["opened"]} != {*now["closed"], *now["opened"]}:
        return [_situation(names, view)]
    known = [*before["seen"], [action.target, action.place]]
    new = [each for each in now["seen"] if each not in known]
    parts = []
    for area in [each for each in now["opened"] if each not in before["opened"]]:
        within = [thing for thing, *places in now["seen"] if area in places]
        new = [each for each in new if each[0] not in within]
        found = _listed(names, within)
        text = f"In {grammar.name(names, area)} you see: {found}"
        if within:
            parts.append(f"{text}.")
        elif view.covered.get(area, True):
            parts.append(f"{grammar.name(names, area)} is empty.")
        else:
            parts.append(f"{grammar.name(names, area)} is open. Not all of it can be seen.")
    if new:
        parts.append(f"New to you: {_objects_text(names, view, [thing for thing, *_ in new])}.")
    return [*parts, f"You hold {_listed(names, now['held'])}."]


def _tried_text(names: Names, state: DialectState) -> str:
    arrangements = "; ".join(
        f"{number}. {_arrangement_text(names, arrangement, state['inside'])}"
        for number, arrangement in enumerate(state["tried"], start=1)
    )
    return f"Arrangements tried: {arrangements}."


def _is_area(node: Node) -> bool:
    return not _AREA_AFFORDANCES.isdisjoint(node.affordances)


def _at(view: View, thing: int) -> list[tuple[Relation, int]]:
    """The place in view that an object is at, with the relation; none or one."""
    return [(how, place) for how, place in view.graph.places(thing) if place in view.graph][:1]


def _objects_text(names: Names, view: View, things: Iterable[int]) -> str:
    """Objects in view with their places."""
    items = []
    for thing in sorted(things, key=names.number):
        where = "".join(
            f" {PREPOSITIONS[how]} {grammar.name(names, place)}"
            for how, place in _at(view, thing)
            if how in PREPOSITIONS
        )
        items.append(f"{grammar.name(names, thing)}{where}")
    return ", ".join(items) or "none"


def _arrangement_text(
    names: Names, arrangement: Iterable[Sequence[int]], inside: Container[int]
) -> str:
    return ", ".join(
        f"{grammar.name(names, thing)} {'in' if place in inside else 'on'} "
        f"{grammar.name(names, place)}"
        for thing, place in arrangement
    )


def _listed(names: Names, things: Iterable[int], empty: Container[int] = ()) -> str:
    ordered = sorted(things, key=names.number)
    said = (f"{grammar.name(names, i)}{' (empty)' if i in empty else ''}" for i in ordered)
    return ", ".join(said) or "nothing"
