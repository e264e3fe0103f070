"""The actions worth offering: those of a menu that make sense for their thing.

A menu has every possible action: one can touch a towel rack, and write on a candle that has a
switch. In prompts only what a thing is good for is offered. What is left out stays possible: its
forms are named, and it is done when it is said.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from .... import plugins
from ....models.contract import Judge
from ....observation_text.dialect import Dialect
from ....observation_text.names import Named
from ....observation_text.view import View
from ....scene_graph.node import Affordance, Kind, Node, Relation, State
from ....skills.actions import Action, Verb
from ...contract import HOMES, Brief, Percept
from .menus import MenuForm, menu_text

#: Dialects whose first observation names all rooms.
_NAMES_ROOMS = frozenset({*HOMES, "alfworld"})
#: Walks to so many rooms are listed one by one.
_FEW_ROOMS = 10
_KEEPS = frozenset({Affordance.SURFACE, Affordance.CONTAINER})
_WASHABLE = frozenset({Affordance.RECIPIENT, Affordance.WEARABLE, Affordance.DRINKABLE})
_WATCHED = frozenset({Affordance.WATCHABLE, Affordance.PERSON})
#: Things with keys. In RobotHow all that has a switch can be typed on.
_KEYED = frozenset({"keyboard", "computer", "laptop", "cell phone", "phone", "wall phone"})


#: So many impossible actions are refused in one question.
_PATIENCE = 2
#: Why an action that is possible is refused.
EXHAUSTED = "You have done this here often enough; do something else."


class Offered(NamedTuple):
    """The possible actions as a prompt and a schema have them."""

    listed: list[tuple[str, Action]]
    """Those worth listing, with their texts."""
    sayable: list[str]
    """The texts of all possible actions, in every form."""
    called: dict[int, str]
    """The names of their things in the texts."""
    rooms: frozenset[str] = frozenset()
    """The walks to rooms that the first observation names, where there are many."""


def offered(brief: Brief, percept: Percept, exhausted: Collection[Action] = frozenset()) -> Offered:
    """The possible actions of a percept; none after the last step.

    exhausted: those that are not offered again.
    """
    dialect = dialect_of(brief)
    if percept.ended is not None and not dialect.lists_whole_menu:
        return Offered([], [], {})

    def left(offers: Iterable[tuple[str, Action]]) -> list[tuple[str, Action]]:
        return [o for o in offers if o[1].verb in brief.actions and o[1] not in exhausted]

    listed = left(percept.menu())
    sayable = [text for text, _ in left(percept.sayable())] or [text for text, _ in listed]
    called = _called(dialect, percept, listed)
    if dialect.lists_whole_menu:
        return Offered(listed, sayable, called)
    view = percept.view
    near = frozenset(view.within_reach() if view.graph.agent_ids else ())
    sensible = [offer for offer in listed if _makes_sense(offer[1], view, near)]
    rooms = {t for t, a in sensible if a.verb is Verb.GO_TO and _is_room(view, a.target)}
    many = brief.dialect in _NAMES_ROOMS and len(rooms) > _FEW_ROOMS
    return Offered(_inside_first(sensible), sayable, called, frozenset(rooms if many else ()))


def listing(form: MenuForm, now: Offered, more: Sequence[str]) -> str:
    """The menu for the end of a prompt. more: further choices, of which the last two are ends."""
    if not now.sayable:
        return f'No action is left: say "{more[-2]}" or "{more[-1]}".'
    if form is not MenuForm.GROUPED or not now.rooms:
        return menu_text(form, now.listed, more, now.called)
    rest = [offer for offer in now.listed if offer[0] not in now.rooms]
    walk = f"{min(now.rooms)} (or to another room that the first observation names)"
    return menu_text(form, rest, (walk, *more), now.called)


def judge(
    brief: Brief, percept: Percept, exhausted: Collection[Action] = frozenset()
) -> Judge | None:
    """Accepts every text of a possible action, and refuses others with the world's reason.

    exhausted: actions that are refused although they are possible. After some impossible actions
    the next one is accepted: it is done, and fails in the world.
    """
    read = percept.read
    if read is None or percept.ended is not None:
        return None
    impossible = 0

    def judged(text: str) -> str | None:
        nonlocal impossible
        action, objection = read(text)
        if action is not None and action.verb not in brief.actions:
            return f"There is no such action here; the actions are: {'; '.join(brief.forms)}."
        if objection is None:
            return EXHAUSTED if action in exhausted else None
        impossible += action is not None
        return objection if action is None or impossible <= _PATIENCE else None

    return judged


def dialect_of(brief: Brief) -> Dialect:
    """The dialect of an episode."""
    dialect = plugins.load("dialect", brief.dialect)
    assert isinstance(dialect, Dialect), f"the dialect {brief.dialect} is none"
    return dialect


def _called(
    dialect: Dialect, percept: Percept, offers: Sequence[tuple[str, Action]]
) -> dict[int, str]:
    """The names in actions of all things of a menu."""
    things = {thing for _, action in offers for thing in action.things}
    parts = {i: percept.names[i].rpartition(" ") for i in things if i in percept.names}
    return {i: dialect.called(Named(kind, int(n))) for i, (kind, _, n) in parts.items()}


def _inside_first(offers: list[tuple[str, Action]]) -> list[tuple[str, Action]]:
    """The puts at each place with those inside it first; all else stays where it is."""
    ordered: list[tuple[str, Action]] = []
    for offer in offers:
        at, action = len(ordered), offer[1]
        if action.relation is Relation.INSIDE:
            while at and _is_put_beside(ordered[at - 1][1], action):
                at -= 1
        ordered.insert(at, offer)
    return ordered


def _is_put_beside(other: Action, action: Action) -> bool:
    """Whether an action puts something at the same place in another way."""
    return other.place == action.place and other.relation not in (None, action.relation)


def _makes_sense(action: Action, view: View, near: frozenset[int]) -> bool:
    """Whether a possible action does what its thing is good for."""
    node = None if action.target is None else view.get(action.target)
    if node is None:
        return True
    if action.verb is Verb.PUT:
        place = None if action.place is None else view.get(action.place)
        return place is None or action.relation is Relation.INSIDE or not _is_shut(place)
    sense = _SENSE.get(action.verb)
    return sense is None or sense(node, node.id in near)


def _is_room(view: View, thing: int | None) -> bool:
    node = None if thing is None else view.get(thing)
    return node is not None and node.kind is Kind.ROOM


def _is_shut(place: Node) -> bool:
    """Whether a place is a closed container. Then a put on it would be on its top."""
    return Affordance.CONTAINER in place.affordances and State.CLOSED in place.states


def _is_elsewhere(node: Node, near: bool) -> bool:
    return not near or node.kind is not Kind.OBJECT


def _shows_more(node: Node, near: bool) -> bool:
    """Whether a look at it shows what it keeps."""
    return near and not _KEEPS.isdisjoint(node.affordances) and State.CLOSED not in node.states


def _needs_washing(node: Node, near: bool) -> bool:
    if State.CLEAN in node.states or State.DIRTY in node.states:
        return State.DIRTY in node.states
    return node.kind is Kind.OBJECT and not _WASHABLE.isdisjoint(node.affordances)


def _needs_wiping(node: Node, near: bool) -> bool:
    dirty = State.DIRTY in node.states
    return dirty or (node.kind is Kind.FIXTURE and Affordance.SURFACE in node.affordances)


def _is_watched(node: Node, near: bool) -> bool:
    return not _WATCHED.isdisjoint(node.affordances)


def _is_pushed(node: Node, near: bool) -> bool:
    seat = Affordance.SITTABLE in node.affordances
    return Affordance.MOVABLE in node.affordances and (seat or node.kind is Kind.FIXTURE)


#: Whether an action makes sense, by verb; the others always do. Called with the thing, and with
#: whether it is within reach.
_SENSE: dict[Verb, Callable[[Node, bool], bool]] = {
    Verb.GO_TO: _is_elsewhere,
    Verb.LOOK: _shows_more,
    **dict.fromkeys((Verb.WASH, Verb.RINSE, Verb.SCRUB), _needs_washing),
    Verb.WIPE: _needs_wiping,
    Verb.TURN_TO: _is_watched,
    **dict.fromkeys((Verb.PUSH, Verb.PULL, Verb.MOVE), _is_pushed),
    Verb.EAT: lambda node, near: Affordance.EATABLE in node.affordances,
    Verb.DRINK: lambda node, near: Affordance.SURFACE not in node.affordances,  # a plate
    Verb.TYPE: lambda node, near: node.category in _KEYED,
    Verb.TOUCH: lambda node, near: False,
}
