"""The dialect `reactree`: the wording of ReAcTree's observations and actions, as in VirtualHome.

`reactree_thor` is its variant for AI2-THOR, where a camera says what is seen.

After Choi et al., ReAcTree (2025), appendix B.2 and its published environment. A room shows the
kinds of furniture that the environment lists (`furniture`); what can be put into or onto is told by
affordances, not by classes. Full stops are where the paper has them. `docs/wording.md` has every
sentence, and where this one differs and why.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from functools import lru_cache

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import POSTURES, Affordance, Kind, Node, Relation, State
from ....skills.actions import Action, Verb
from ....skills.dynamics import (
    VERBS_BY_AFFORDANCE,
)
from ....skills.outcomes import Outcome
from ...dialect import Dialect, DialectState
from ...menu import Menu, Offers
from ...names import Names
from ...view import HANDLED_KINDS, View
from . import grammar
from .class_names import PUBLISHED, published
from .furniture import is_listed
from .thor import ReAcTreeThor
from .words import failure_text, receptacle_of, state_after_walk, with_short_puts

#: The verbs of the paper, and others that are offered in the same way.
_PAPER_VERBS = frozenset(
    {Verb.GO_TO, Verb.PUT, *(verb for _, verbs in VERBS_BY_AFFORDANCE for verb in verbs)},
)
# Looking a member up in its class takes as long as some of the rest of a step's text.
_GO_TO, _OPEN, _LOOK, _ROOM = Verb.GO_TO, Verb.OPEN, Verb.LOOK, Kind.ROOM
_OPENABLE, _GRASPABLE = Affordance.OPENABLE, Affordance.GRASPABLE
_DOOR_STATES = (State.OPEN, State.CLOSED)


class ReAcTree(Dialect):
    """The dialect; its state is the last receptacle walked to.

    {"receptacle": id, "relation": "on"|"inside"}, or {} before the first.

    The menu offers what the perceived state allows; the paper's allows what affordances suggest,
    for every visible thing, in reach or not. Putting at the last receptacle is worded without it.
    """

    name = "reactree"

    def start(self, names: Names, view: View) -> tuple[str, DialectState]:
        graph = view.graph
        rooms = [node.id for node in graph.nodes(Kind.ROOM)]
        count = "is 1 room" if len(rooms) == 1 else f"are {len(rooms)} rooms"
        text = f"You are in the house, and there {count}: {_listed(names, rooms)}."
        me = graph.agent().id
        room = graph.room_of(me)
        if room is not None:
            text += f" You are in the middle of a {_numbered(names, room)}."
        text += _posture_text(names, graph, me)
        return (
            f"{text} {_surroundings_text(names, view, room)}{_hands_and_clothes_text(names, view)}",
            {},
        )

    def after(
        self, names: Names, view: View, action: Action, outcome: Outcome, state: DialectState
    ) -> tuple[str, DialectState]:
        if outcome.failure is not None:
            text = failure_text(names, view, action, outcome.failure)
        else:
            text = _success_text(names, view, action)
            if action.verb is _GO_TO:
                state = state_after_walk(view, action.target, state)
        if action.verb is _OPEN:
            text += f" You see {_listed(names, view.within_reach())}"
        return text + _hands_and_clothes_text(names, view), state

    def word(self, names: Names, action: Action) -> str:
        return grammar.word(names, action)

    def parse(
        self, text: str, names: Names, perceived: Container[int], state: DialectState
    ) -> Action:
        return grammar.parse(text, names, perceived, receptacle_of(state))

    def menu(self, names: Names, view: View, menu: Menu, state: DialectState) -> Offers:
        return with_short_puts(menu.offers(view), view, names, state)


DIALECT = ReAcTree()
THOR_DIALECT = ReAcTreeThor(DIALECT)

# --- names and lists ---------------------------------------------------------------------------


def _numbered(names: Names, node_id: int) -> str:
    category, number = names.number(node_id)
    return f"{published(category)} ({number})"


def _listed(names: Names, node_ids: Iterable[int]) -> str:
    """'apple (1), bench (1, 2)': by name in plain string order, numbers ascending."""
    return _enumeration(names, tuple(node_ids))


@lru_cache(maxsize=1000)  # much is seen again
def _enumeration(names: Names, node_ids: tuple[int, ...]) -> str:
    groups: list[str] = []
    previous = None
    numbers, displayed = names.numbers, PUBLISHED.get
    found = [numbers[node_id] for node_id in node_ids]
    for category, number in sorted([(displayed(name, name), number) for name, number in found]):
        if category == previous:
            groups[-1] += f", {number}"
        else:
            groups.append(f"{category} ({number}")
            previous = category
    return "), ".join(groups) + ")" if groups else "nothing"


def _surroundings_text(names: Names, view: View, room: int | None) -> str:
    """The furniture of a room, as one sees it at a glance."""
    items = [] if room is None else view.visible_from_afar(room)
    return _around_text(names, [thing for thing in items if is_listed(view.graph[thing])])


def _around_text(names: Names, items: Iterable[int]) -> str:
    return f"Looking quickly around the room, you see {_listed(names, items)}."


def _hands_and_clothes_text(names: Names, view: View) -> str:
    """What the agent holds and wears."""
    held, worn = view.held(), view.worn()
    text = f" You hold {_listed(names, held)}." if held else ""
    return f"{text} You wear {_listed(names, worn)}." if worn else text


def _posture_text(names: Names, graph: SceneGraph, me: int) -> str:
    how = next(iter(graph[me].states & POSTURES), None)
    if how is None:
        return ""
    seats = graph.targets(me, Relation.ON)
    return f" You are {how} on the {_numbered(names, seats[0])}." if seats else f" You are {how}."


def _door_text(names: Names, node: Node) -> str:
    if _OPENABLE in node.affordances:
        for state in _DOOR_STATES:
            if state in node.states:
                return f" The {_numbered(names, node.id)} is {state}."
    return ""


# --- feedback ----------------------------------------------------------------------------------


def _success_text(names: Names, view: View, action: Action) -> str:
    """The text of a success; what the agent holds, and sees on opening, is not in it yet."""
    verb, target = action.verb, action.target
    if target is None and verb is not _LOOK:
        return f"You {grammar.word(names, action)}."
    if target is None:
        graph, me = view.graph, view.agent().id
        room = graph.room_of(me)
        items = [] if room is None else view.visible_from_afar(room)
        text = _around_text(names, items) + _posture_text(names, graph, me)
        close = view.within_reach()
        return f"{text} You are close to {_listed(names, close)}." if close else text
    if verb is _GO_TO:
        return _arrival_text(names, view, target)
    if verb is _LOOK:
        return _look_text(names, view, target)
    category = published(names.number(target)[0])
    if action.place is None:
        return f"You {grammar.PHRASES[verb]} {category}."
    place = published(names.number(action.place)[0])
    if action.relation is None:
        return f"You {grammar.PHRASES[verb]} {category} {grammar.INTO} {place}."
    return f"You put down {category} {grammar.PREPOSITIONS[action.relation]} {place}"


def _arrival_text(names: Names, view: View, target: int) -> str:
    node = view.get(target)
    if node is not None and node.kind is _ROOM:
        return (
            f"You move to the {_numbered(names, target)}. {_surroundings_text(names, view, target)}"
        )
    door = "" if node is None else _door_text(names, node)
    close = _listed(names, view.within_reach())
    return f"You arrive at the {_numbered(names, target)}.{door} You see {close}"


def _look_text(names: Names, view: View, target: int) -> str:
    node = view.graph.get(target)
    text = f"You look at the {_numbered(names, target)}."
    if node is not None:
        text += _door_text(names, node)
    if node is None or target not in view.covered:
        return text
    if node.kind is Kind.ROOM:
        kept = view.visible_from_afar(target)
    else:
        on_body = set(view.graph.below(view.graph.agent().id))
        below = (t for t in view.graph.below(target) if t not in on_body)
        kept = [t for t in below if view.graph[t].kind in HANDLED_KINDS]
    return f"{text} You see {_listed(names, kept)}"
