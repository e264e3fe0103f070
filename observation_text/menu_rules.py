"""The actions that the rules allow for a thing, computed once for all things that are alike.

The rules depend only on what a thing is, where it is, what it keeps, and what is in hand. So what
holds for one thing holds for all alike.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from typing import NamedTuple, TypeVar

from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import PLACEMENTS, Affordance, Edge, Kind, Node, Relation, State
from ..skills.actions import Action, Verb
from ..skills.dynamics import candidates, check
from ..skills.embodiment import Embodiment
from .sections import Section
from .wording import ActionWords, Offer

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")
# Module constants: a look-up in the enumeration would double the time of the loops below.
_ROOM, _AGENT, _OBJECT = Kind.ROOM, Kind.AGENT, Kind.OBJECT
_ON, _INSIDE, _CLOSE, _HOLDS = Relation.ON, Relation.INSIDE, Relation.CLOSE, Relation.HOLDS
_FACING = Relation.FACING
_EATABLE = Affordance.EATABLE
#: For things with one of these affordances, the rules may depend on the contents.
KEEPING = frozenset(
    {Affordance.SURFACE, Affordance.CONTAINER, Affordance.SITTABLE, Affordance.LIEABLE}
)
#: The affordances of a held thing that matter for actions on other things, besides its category.
_ASKED_IN_HAND = frozenset({Affordance.CUTS, Affordance.POURABLE})


class Allowed(NamedTuple):
    """An action on a thing, or a put there.

    held: which of the held things is put, if any.
    """

    verb: Verb
    held: int | None = None
    relation: Relation | None = None


#: The actions on a thing, and the puts there; equal ones share one object.
_Answer = tuple[tuple[Allowed, ...], tuple[Allowed, ...]]
#: The properties of a thing that the rules depend on.
_Likeness = tuple[str, Kind, frozenset[State], frozenset[Affordance]]


#: The contents that the rules depend on: how many, how many on it, and whether food is among them.
Kept = tuple[int, int, bool]


#: Actions on things with their texts: by the name and the id of the thing and the answer's own id.
WordedOffers = dict[tuple[tuple[str, int], int, int], list[Offer]]
#: So many answers are kept.
_MOST_ANSWERS = 100_000


def make_room(kept: dict[KeyT, ValueT], most: int) -> None:
    """Empty a cache that is full. most: so many entries it may have."""
    if len(kept) >= most:
        kept.clear()


class MenuRules:
    """The actions that `skills.dynamics` allows, computed once for all things that are alike.

    Each answer is computed on a graph of one room with an agent, its held things, and such a thing.
    """

    def __init__(self, body: Embodiment, verbs: frozenset[Verb]) -> None:
        self._body = body
        self._verbs = verbs
        self._categories = body.categories()
        self._put_categories = frozenset().union(*body.accepts.values())
        self._numbers: dict[_Likeness, int] = {}
        self._numbering = threading.Lock()  # episodes in several threads share the rules
        self._likenesses: list[_Likeness] = []
        self._answers: dict[tuple[object, ...], _Answer] = {}
        self._alike: dict[tuple[Allowed, ...], tuple[Allowed, ...]] = {}
        self._worded: dict[ActionWords, WordedOffers] = {}

    @classmethod
    def of(cls, body: Embodiment, verbs: frozenset[Verb]) -> MenuRules:
        """The rules of a body, kept between episodes."""
        rules = _KNOWN_RULES.get((id(body), verbs))
        if rules is None:
            make_room(_KNOWN_RULES, _MAX_KNOWN)
            rules = _KNOWN_RULES[id(body), verbs] = cls(body, verbs)  # keeps the body alive
        return rules

    def worded_offers(self, dialect: ActionWords) -> WordedOffers:
        """The actions on things that were worded in a dialect, kept between episodes.

        Those that the rules allow depend on nothing but the names and ids of the things.
        """
        if dialect not in self._worded:
            make_room(self._worded, _MAX_KNOWN)
        return self._worded.setdefault(dialect, {})

    def number(self, node: Node) -> int:
        """The number of a node's likeness."""
        category = node.category if node.category in self._categories else _ANY_CATEGORY
        return self._number((category, node.kind, node.states, node.affordances))

    def number_in_hand(self, node: Node) -> int:
        """The number of the likeness of a node in hand, for actions on other things."""
        category = node.category if node.category in self._put_categories else _ANY_CATEGORY
        can = node.affordances & _ASKED_IN_HAND
        return self._number((category, _OBJECT, frozenset(), can))

    def _number(self, likeness: _Likeness) -> int:
        number = self._numbers.get(likeness)
        if number is None:
            with self._numbering:
                number = self._numbers.get(likeness)
                if number is None:
                    number = len(self._likenesses)
                    self._likenesses.append(likeness)
                    self._numbers[likeness] = number
        return number

    def far(
        self, like: int, own_room: bool, posture: State | None = None, *, faced: bool = False
    ) -> _Answer:
        """The answer for a room or a thing out of reach.

        own_room: it is the agent's room. posture: of the agent, None if it stands. faced: the agent
        faces it.
        """
        key = (like, own_room, posture, faced)
        answer = self._answers.get(key)
        if answer is None:
            graph, target = _room_with_agent(posture), 0
            if not own_room:
                target = 2
                graph.add_node(_node(target, self._likenesses[like]))
                if graph[target].kind is not _ROOM:
                    graph.add_edge(target, _INSIDE, 0)
            if faced:
                graph.add_edge(1, _FACING, target)
            make_room(self._answers, _MOST_ANSWERS)
            answer = self._answers[key] = self._asked(graph, target)
        return answer

    def near(
        self,
        like: int,
        at: int | None,
        held: tuple[int, ...],
        kept: Kept | None,
        posture: State | None = None,
        *,
        faced: bool = False,
    ) -> _Answer:
        """The answer for a thing within reach.

        held: likenesses in hand. at: its index in hand, or None. posture, faced: as in `far`.
        """
        key = (like, at, held, kept, posture, faced)
        answer = self._answers.get(key)
        if answer is None:
            graph = _room_with_agent(posture)
            target = 2 + len(held) if at is None else 2 + at
            for node_id, number in enumerate(held, start=2):
                number = like if node_id == target else number
                graph.add_node(_node(node_id, self._likenesses[number]))
                graph.add_edge(1, _HOLDS, node_id)
            if at is None:
                graph.add_node(_node(target, self._likenesses[like]))
                graph.add_edge(target, _INSIDE, 0)
                graph.add_edge(1, _CLOSE, target)
            if faced:
                graph.add_edge(1, _FACING, target)
            if kept is not None:
                _fill(graph, target, kept)
            make_room(self._answers, _MOST_ANSWERS)
            answer = self._answers[key] = self._asked(graph, target)
        return answer

    def _asked(self, graph: SceneGraph, thing: int) -> _Answer:
        plain: list[Allowed] = []
        puts: list[Allowed] = []
        for action in legal(graph, self._body, self._verbs, (thing,)):
            held = None if action.place is None else (action.target or 0) - 2
            allowed = plain if held is None else puts
            allowed.append(Allowed(action.verb, held, action.relation))
        of_thing, at_place = tuple(plain), tuple(puts)
        alike = self._alike.setdefault
        return alike(of_thing, of_thing), alike(at_place, at_place)


#: The rules by body (by id, since it cannot be hashed) and verbs.
_KNOWN_RULES: dict[tuple[int, frozenset[Verb]], MenuRules] = {}
_MAX_KNOWN = 64

#: The category of things whose category has no limits.
_ANY_CATEGORY = ""

_A_ROOM: _Likeness = ("room", _ROOM, frozenset(), frozenset())
_AN_AGENT: _Likeness = ("character", _AGENT, frozenset(), frozenset())
_A_THING: _Likeness = ("thing", _OBJECT, frozenset(), frozenset())
_FOOD: _Likeness = ("food", _OBJECT, frozenset(), frozenset({_EATABLE}))


def _room_with_agent(posture: State | None) -> SceneGraph:
    graph = SceneGraph([_node(0, _A_ROOM), _node(1, _AN_AGENT)], [Edge(1, _INSIDE, 0)])
    if posture is not None:
        graph.set_state(1, posture)
    return graph


def _fill(graph: SceneGraph, place: int, kept: Kept) -> None:
    first, (things, on, has_food) = len(graph), kept
    for number in range(things):
        food = has_food and not number
        graph.add_node(_node(first + number, _FOOD if food else _A_THING))
        graph.add_edge(first + number, _ON if number < on else _INSIDE, place)


def _node(number: int, likeness: _Likeness) -> Node:
    category, kind, states, affordances = likeness
    return Node(number, category, kind, number, states, affordances)


def legal(
    graph: SceneGraph,
    body: Embodiment,
    verbs: frozenset[Verb],
    things: Collection[int] | None = None,
) -> Iterator[Action]:
    """The legal actions of the verbs, on things or by a body that stands still.

    things: only the actions that they offer.
    """
    me = graph.agent().id
    for action in candidates(graph, me, approaches=body.approaches, of=things):
        if things is not None and subject(action) not in things:
            continue
        if action.verb in verbs and check(graph, action, body, me) is None:
            yield action


def subject(action: Action) -> int | None:
    """The thing that offers an action: for a put, the place."""
    return action.target if action.place is None else action.place


def kept_by(section: Section, thing: int) -> Kept:
    """The contents of a thing in a section."""
    things, on, food = set(), 0, False
    for relation, source in section.incoming[thing]:
        if relation is _ON:
            on += 1
            food = food or _EATABLE in section.nodes[source].affordances
        elif relation not in PLACEMENTS:
            continue
        things.add(source)
    return len(things), on, food
