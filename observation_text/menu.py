"""The menu: every action that what an agent perceives allows, worded.

It is what `skills.dynamics.legal_actions` lists on the perceived graph. Of a view in sections it is
put together from what each section offers, without joining them to a graph: of one thing the rules
ask only what it is, where it is, what it keeps and what is in hand, so what holds for one thing
holds for its like.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ..scene_graph.graph import Incoming, SceneGraph
from ..scene_graph.node import PLACEMENTS, POSTURES, Affordance, Edge, Kind, Node, Relation, State
from ..skills.actions import Action, Verb, look, wait
from ..skills.dynamics import candidates, check, reach
from ..skills.embodiment import Embodiment
from .sections import Section, SectionedView
from .view import View

#: A category and a number.
_Name = tuple[str, int]
#: Actions with their texts.
Offers = list[tuple[str, Action]]

# Looking a member up in its class takes as long as the rest of an iteration of the loops below.
_ROOM, _AGENT, _OBJECT = Kind.ROOM, Kind.AGENT, Kind.OBJECT
_ON, _INSIDE, _CLOSE, _HOLDS = Relation.ON, Relation.INSIDE, Relation.CLOSE, Relation.HOLDS
_EATABLE = Affordance.EATABLE
#: Of a thing with one of these the rules may ask what it keeps.
_KEEPING = frozenset(
    {Affordance.SURFACE, Affordance.CONTAINER, Affordance.SITTABLE, Affordance.LIEABLE}
)
_WITHOUT_THING = (look(), wait())


class Menu:
    """The menu of one agent in one episode.

    Rooms come first, then what is within reach, then what else is seen, each by name; of a thing
    what is done with it and what can be put there; at the end what needs no thing.

    verbs: of the adapter.
    """

    def __init__(
        self,
        body: Embodiment,
        verbs: frozenset[Verb],
        numbers: Mapping[int, tuple[str, int]],
        word: Callable[[Action], str],
    ) -> None:
        """numbers: `Names.numbers`. word: says an action in any state."""
        self._body = body
        self.verbs = verbs
        self._numbers = numbers
        self._word = word
        self._rules = _Rules.of(body, verbs)
        self._near_offers: dict[int, dict[int, tuple[Node, Incoming | None, Offers]]] = {}
        self._plain_offers: dict[tuple[_Name, int], Offers] = {}
        self._hands: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        self._far_offers: dict[int, tuple[Node, bool, Offers]] = {}
        self._likes: dict[int, tuple[Node, int]] = {}
        self._texts: dict[tuple[_Name, int, int], tuple[str, Action]] = {}
        self._seen: dict[Section, _Seen] = {}
        alone = [action for action in _WITHOUT_THING if action.verb in verbs]
        self._without_thing = [(word(action), action) for action in alone]

    def offers(self, view: View) -> Offers:
        """The actions that a view allows, with their texts."""
        offers = self._from_sections(view) if isinstance(view, SectionedView) else None
        if offers is None:
            offers = [(self._word(action), action) for action in self._from_graph(view.graph)]
        offers += self._without_thing
        return offers

    def _from_graph(self, graph: SceneGraph) -> list[Action]:
        """By the rules themselves, on the joined graph."""
        me = graph.agent().id
        near = reach(graph, me)
        numbers, nodes = self._numbers, graph.by_id

        def rank(action: Action) -> tuple[int, str, int, bool]:
            thing = _subject(action)
            if thing is None:
                return (3, "", 0, False)
            area = 0 if nodes[thing].kind is _ROOM else 1 if thing in near else 2
            return (area, *numbers[thing], action.place is not None)

        return sorted(_legal(graph, self._body, self.verbs), key=rank)

    def _from_sections(self, view: SectionedView) -> Offers | None:
        """The same; None where the rules may ask for more than sections tell."""
        hand = self._hand(view)
        if hand is None:
            return None
        rooms, here, *close = view.sections
        near = {thing: section for section in close for thing in section.handled}
        offers = self._far(rooms, hand.room).offers.copy()
        known = self._near_offers.setdefault(hand.number, {})
        for thing in sorted(near, key=self._numbers.__getitem__):
            section = near[thing]
            node = section.nodes[thing]
            kept = None
            if not _KEEPING.isdisjoint(node.affordances):
                kept = section.incoming.get(thing)
            found = known.get(thing)
            if found is None or found[0] is not node or found[1] is not kept:
                found = known[thing] = (node, kept, self._near(thing, section, hand))
            offers += found[2]
        for thing, distant in self._far(here, hand.room).of_thing.items():
            if thing not in near:
                offers += distant
        return offers

    def _hand(self, view: SectionedView) -> _Hand | None:
        """What the agent holds, where all is as `_Rules` takes it to be; else None.

        It stands, wears nothing, is turned to nothing, is alone, and holds nothing that keeps a
        thing; what it is close to is in its room; nothing here is kept twice or shut away.
        """
        rooms, here, *close = view.sections
        things: list[int] = []
        room = None
        for relation, thing in view.relations_of_agent:
            if relation is _HOLDS:
                things.append(thing)
            elif relation is _INSIDE and room is None and thing in rooms.nodes:
                room = thing
            elif relation is not _CLOSE or thing not in here.nodes:
                return None
        if room is None or view.is_burdened or not POSTURES.isdisjoint(view.agent().states):
            return None
        for section in view.sections:
            if section.crossing_placement or section.shuts_away:
                return None
        if not things:
            return _Hand(room, 0, (), ())
        held = close[0].nodes
        if held.keys() != set(things):
            return None
        likes = tuple([self._like(held[thing]) for thing in things])
        number = self._hands.setdefault((tuple(things), likes), len(self._hands) + 1)
        return _Hand(room, number, tuple(things), likes)

    def _near(self, thing: int, section: Section, hand: _Hand) -> Offers:
        """What a thing within reach, or in hand, offers."""
        like = self._like(section.nodes[thing])
        kept = _kept(section, thing) if thing in section.incoming else None
        at = hand.things.index(thing) if thing in hand.things else None
        plain, puts = self._rules.near(like, at, hand.likes, kept)
        offers = self._plain(thing, plain)
        return offers + self._said(thing, puts, hand.things) if puts else offers

    def _far(self, section: Section, room: int) -> _Seen:
        """What the things of a section offer from a distance."""
        found = self._seen.get(section)
        if found is None or found.room != room:
            if len(self._seen) >= _MAX_SECTIONS:
                self._seen.clear()
            nodes, known = section.nodes, self._far_offers
            of_thing = {}
            for thing in sorted(nodes, key=self._numbers.__getitem__):
                node, own_room = nodes[thing], thing == room
                distant = known.get(thing)
                if distant is None or distant[0] is not node or distant[1] is not own_room:
                    plain, _ = self._rules.far(self._like(node), own_room)
                    distant = known[thing] = (node, own_room, self._plain(thing, plain))
                of_thing[thing] = distant[2]
            together = [offer for each in of_thing.values() for offer in each]
            found = self._seen[section] = _Seen(room, of_thing, together)
        return found

    def _plain(self, thing: int, offers: tuple[_Offer, ...]) -> Offers:
        key = (self._numbers[thing], id(offers))  # which the rules keep
        found = self._plain_offers.get(key)
        if found is None:
            found = self._plain_offers[key] = self._said(thing, offers)
        return found

    def _like(self, node: Node) -> int:
        """The number of the likeness of a node."""
        known = self._likes.get(node.id)
        if known is None or known[0] is not node:
            known = self._likes[node.id] = (node, self._rules.number(node))
        return known[1]

    def _said(self, thing: int, offers: tuple[_Offer, ...], held: tuple[int, ...] = ()) -> Offers:
        said = []
        name = self._numbers[thing]
        for offer in offers:
            carried = -1 if offer.held is None else held[offer.held]
            key = (name, offer.number, carried)
            found = self._texts.get(key)
            if found is None:
                action = Action(offer.verb, thing)
                if offer.held is not None:
                    action = Action(offer.verb, carried, offer.relation, thing)
                found = self._texts[key] = (self._word(action), action)
            said.append(found)
        return said


#: So many sections are kept, of which an episode seldom has more.
_MAX_SECTIONS = 1000


class _Seen(NamedTuple):
    """The offers of a section's things from a distance, in a room."""

    room: int
    of_thing: dict[int, Offers]
    offers: Offers


# --- what the rules allow for things of a kind ---------------------------------------------------


class _Offer(NamedTuple):
    """An action on a thing, or one that puts something there.

    held: which of the held things is put, if one is. number: of the verb with the relation.
    """

    verb: Verb
    held: int | None
    relation: Relation | None
    number: int


#: What is done with a thing, one object for equal ones; and what can be put there.
_Answer = tuple[tuple[_Offer, ...], tuple[_Offer, ...]]
#: What the rules ask about a thing itself.
_Likeness = tuple[str, Kind, frozenset[State], frozenset[Affordance]]


class _Kept(NamedTuple):
    """What the rules ask about what a thing keeps: how much, how much on it, and whether food."""

    things: int
    on: int
    food: bool


class _Hand(NamedTuple):
    """The room that an agent stands in, and what it holds, with the numbers of their likenesses.

    number: of things and likes together, in the episode.
    """

    room: int
    number: int
    things: tuple[int, ...]
    likes: tuple[int, ...]


class _Rules:
    """What `skills.dynamics` allows, asked once for all things that are alike.

    Each answer is got from a graph of one room with an agent, what it holds, and such a thing.
    """

    def __init__(self, body: Embodiment, verbs: frozenset[Verb]) -> None:
        self._body = body
        self._verbs = verbs
        self._numbers: dict[_Likeness, int] = {}
        self._likenesses: list[_Likeness] = []
        self._kinds: dict[tuple[Verb, Relation | None], int] = {}
        self._answers: dict[tuple[object, ...], _Answer] = {}
        self._alike: dict[tuple[_Offer, ...], tuple[_Offer, ...]] = {}

    @classmethod
    def of(cls, body: Embodiment, verbs: frozenset[Verb]) -> _Rules:
        """Those of a body, kept from episode to episode."""
        found = _KNOWN_RULES.get((id(body), verbs))
        if found is None:
            if len(_KNOWN_RULES) >= _MAX_KNOWN:
                _KNOWN_RULES.clear()
            found = _KNOWN_RULES[id(body), verbs] = cls(body, verbs)  # which keeps the body alive
        return found

    def number(self, node: Node) -> int:
        """The number of a node's likeness."""
        likeness = (node.category, node.kind, node.states, node.affordances)
        found = self._numbers.get(likeness)
        if found is None:
            found = self._numbers[likeness] = len(self._likenesses)
            self._likenesses.append(likeness)
        return found

    def far(self, like: int, own_room: bool) -> _Answer:
        """For what is seen out of reach, or a room. own_room: it is the room one stands in."""
        key = (like, own_room)
        found = self._answers.get(key)
        if found is None:
            graph, target = _room_with_agent(), 0
            if not own_room:
                target = 2
                graph.add_node(_node(target, self._likenesses[like]))
                if graph[target].kind is not _ROOM:
                    graph.add_edge(target, _INSIDE, 0)
            found = self._answers[key] = self._asked(graph, target)
        return found

    def near(self, like: int, at: int | None, held: tuple[int, ...], kept: _Kept | None) -> _Answer:
        """For a thing within reach. at: which of the held things it is, if it is one."""
        key = (like, at, held, kept)
        found = self._answers.get(key)
        if found is None:
            graph = _room_with_agent()
            for node_id, number in enumerate(held, start=2):
                graph.add_node(_node(node_id, self._likenesses[number]))
                graph.add_edge(1, _HOLDS, node_id)
            target = 2 + len(held) if at is None else 2 + at
            if at is None:
                graph.add_node(_node(target, self._likenesses[like]))
                graph.add_edge(target, _INSIDE, 0)
                graph.add_edge(1, _CLOSE, target)
            if kept is not None:
                _fill(graph, target, kept)
            found = self._answers[key] = self._asked(graph, target)
        return found

    def _asked(self, graph: SceneGraph, thing: int) -> _Answer:
        plain: list[_Offer] = []
        puts: list[_Offer] = []
        for action in _legal(graph, self._body, self._verbs):
            if _subject(action) == thing:
                held = None if action.place is None else (action.target or 0) - 2
                kind = (action.verb, action.relation)
                number = self._kinds.setdefault(kind, len(self._kinds))
                offers = plain if held is None else puts
                offers.append(_Offer(action.verb, held, action.relation, number))
        said = tuple(plain)
        return self._alike.setdefault(said, said), tuple(puts)


#: By the body, which cannot be hashed, and the verbs.
_KNOWN_RULES: dict[tuple[int, frozenset[Verb]], _Rules] = {}
_MAX_KNOWN = 64

_A_ROOM: _Likeness = ("room", _ROOM, frozenset(), frozenset())
_AN_AGENT: _Likeness = ("character", _AGENT, frozenset(), frozenset())
_A_THING: _Likeness = ("thing", _OBJECT, frozenset(), frozenset())
_FOOD: _Likeness = ("food", _OBJECT, frozenset(), frozenset({_EATABLE}))


def _room_with_agent() -> SceneGraph:
    return SceneGraph([_node(0, _A_ROOM), _node(1, _AN_AGENT)], [Edge(1, _INSIDE, 0)])


def _fill(graph: SceneGraph, place: int, kept: _Kept) -> None:
    first = len(graph)
    for number in range(kept.things):
        food = kept.food and not number
        graph.add_node(_node(first + number, _FOOD if food else _A_THING))
        graph.add_edge(first + number, _ON if number < kept.on else _INSIDE, place)


def _node(number: int, likeness: _Likeness) -> Node:
    category, kind, states, affordances = likeness
    return Node(number, category, kind, number, states, affordances)


def _legal(graph: SceneGraph, body: Embodiment, verbs: frozenset[Verb]) -> Iterator[Action]:
    """The actions of the verbs whose preconditions hold, with a thing or by a body at rest."""
    me = graph.agent().id
    for action in candidates(graph, me):
        if action.verb in verbs and check(graph, action, body, me) is None:
            yield action


def _subject(action: Action) -> int | None:
    """The thing that offers an action: where something is put, that place."""
    return action.target if action.place is None else action.place


def _kept(section: Section, thing: int) -> _Kept:
    """What a thing of a section keeps."""
    pairs = [pair for pair in section.incoming[thing] if pair[0] in PLACEMENTS]
    on = [source for relation, source in pairs if relation is _ON]
    food = any(_EATABLE in section.nodes[source].affordances for source in on)
    return _Kept(len({source for _, source in pairs}), len(on), food)
