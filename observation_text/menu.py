"""The menu: every action that the perceived state allows, with its text.

It is `skills.dynamics.legal_actions` on the perceived graph. For a view in sections it is assembled
from the offers of each section, without joining them to a graph (`menu_rules`).
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable
from itertools import chain, compress
from operator import is_not
from typing import NamedTuple

from ..scene_graph.graph import Incoming, SceneGraph
from ..scene_graph.node import POSTURES, Kind, Node, Relation
from ..skills.actions import Action, Verb, look, wait
from ..skills.embodiment import Embodiment
from ..skills.reach import reach
from .menu_rules import KEEPING, Allowed, MenuRules, kept_by, legal, subject
from .sections import Section, SectionedView
from .view import View
from .wording import Offer, Wording

#: A category and a number.
_Name = tuple[str, int]
#: Actions with their texts.
Offers = list[Offer]


class ShortPut(NamedTuple):
    """A put at one place in one way, whose text omits the place in the present state.

    said: the text, by the thing to put.
    """

    place: int
    relation: Relation
    said: Callable[[int], str]


# Module constants: a look-up in the enumeration would double the time of the loops below.
_INSIDE, _CLOSE, _HOLDS, _ROOM = Relation.INSIDE, Relation.CLOSE, Relation.HOLDS, Kind.ROOM
_WITHOUT_THING = (look(), wait())


class Menu:
    """The menu of one agent in one episode.

    Rooms come first, then things within reach, then other things seen, each by name; last come
    actions without a thing. Each thing has its own actions first, then the puts there.

    verbs: of the adapter.
    """

    def __init__(
        self,
        body: Embodiment,
        verbs: frozenset[Verb],
        wording: Wording,
    ) -> None:
        self._body = body
        self.verbs = verbs
        self._wording = wording
        self._numbers = wording.numbers
        self._rules = MenuRules.of(body, verbs)
        self._near_offers: dict[tuple[int, ...], dict[int, _Near]] = {}
        self._plain_offers: dict[tuple[_Name, int], Offers] = {}
        self._likes: dict[int, tuple[Node, int]] = {}
        self._likes_in_hand: dict[int, tuple[Node, int]] = {}
        self._puts: dict[tuple[object, ...], Offers] = {}
        self._near_from: dict[tuple[int, ...], _FromNear] = {}
        self._rooms_from: dict[int, _FromAfar] = {}
        self._here_from: dict[int, _FromAfar] = {}
        alone = [action for action in _WITHOUT_THING if action.verb in verbs]
        self._without_thing = [(wording.word(action), action) for action in alone]

    def offers(self, view: View, short: ShortPut | None = None) -> Offers:
        """The actions that a view allows, with their texts. short: the puts with a short text."""
        offers = None
        # An agent that approaches by itself acts from afar; sections offer that only within reach.
        if isinstance(view, SectionedView) and not self._body.approaches:
            offers = self._from_sections(view, short)
        if offers is None:
            word = self._wording.word
            offers = [(word(action), action) for action in self._from_graph(view.graph)]
            if short is not None:
                offers = [_shortened(offer, short) for offer in offers]
        offers += self._without_thing
        return offers

    def _from_graph(self, graph: SceneGraph) -> list[Action]:
        """The offers by the rules themselves, on the joined graph."""
        me = graph.agent().id
        near = reach(graph, me, approaches=self._body.approaches)
        numbers, nodes = self._numbers, graph.by_id

        def rank(action: Action) -> tuple[int, str, int, bool]:
            thing = subject(action)
            if thing is None:
                return (3, "", 0, False)
            area = 0 if nodes[thing].kind is _ROOM else 1 if thing in near else 2
            return (area, *numbers[thing], action.place is not None)

        return sorted(legal(graph, self._body, self.verbs), key=rank)

    def _from_sections(self, view: SectionedView, short: ShortPut | None) -> Offers | None:
        """The offers from sections; None if the rules may need more than sections contain."""
        where = _whereabouts(view)
        if where is None:
            return None
        room, places, held = where
        rooms, here, *close = view.sections
        offers = self._far(rooms, room, self._rooms_from).offers.copy()
        far = self._far(here, room, self._here_from)
        if not close:
            offers += far.offers
            return offers
        near = self._stand(close[-1], places)
        order = near.order
        if held:
            likes = tuple([self._like_in_hand(close[0].nodes[thing]) for thing in held])
            order = self._with(order, close[0].handled)
            offers += self._beside_held(order, near.section, close[0], held, likes, short)
        else:
            if near.offers is None:
                near.offers = self._beside_nothing(near)
            offers += near.offers
        offers += far.offers_beside(order)
        return offers

    def _stand(self, section: Section, places: tuple[int, ...]) -> _FromNear:
        """The cached offers of a section's things. places: where the agent stands."""
        stand = self._near_from.get(places)
        if stand is None or stand.section is not section:
            order = sorted(section.handled, key=self._numbers.__getitem__)
            stand = self._near_from[places] = _FromNear(section, order)
        return stand

    def _with(self, order: list[int], things: Iterable[int]) -> list[int]:
        """An ordered list of things with further ones, by name."""
        order = order.copy()
        for thing in things:
            if thing not in order:
                insort(order, thing, key=self._numbers.__getitem__)
        return order

    def _beside_nothing(self, near: _FromNear) -> Offers:
        """The offers of the things within reach to empty hands."""
        section = near.section
        nodes, incoming = section.nodes, section.incoming
        known = self._near_offers.setdefault((), {})
        offers: Offers = []
        for thing in near.order:
            node, kept, plain, _ = known.get(thing, _UNKNOWN)
            if node is not nodes[thing] or kept is not incoming.get(thing):
                known[thing] = offered = self._near(thing, section, ())
                _, _, plain, _ = offered
            offers += plain
        return offers

    def _beside_held(
        self,
        order: list[int],
        section: Section,
        hand: Section,
        held: tuple[int, ...],
        likes: tuple[int, ...],
        short: ShortPut | None,
    ) -> Offers:
        """The offers of the things within reach and in hand. likes: of held things, in hand."""
        nodes, incoming = section.nodes, section.incoming
        known = self._near_offers.setdefault(likes, {})
        offers: Offers = []
        for thing in order:
            if thing in held:
                plain, puts = self._held(thing, hand, held, likes)
            else:
                node, kept, plain, puts = known.get(thing, _UNKNOWN)
                if node is not nodes[thing] or kept is not incoming.get(thing):
                    known[thing] = offered = self._near(thing, section, likes)
                    _, _, plain, puts = offered
            offers += plain
            if puts:
                said = self._placed(thing, puts, held)
                if short is not None and short.place == thing:
                    said = [_shortened(offer, short) for offer in said]
                offers += said
        return offers

    def _near(self, thing: int, section: Section, likes: tuple[int, ...]) -> _Near:
        """The offers of a thing within reach but not in hand. likes: of held things, in hand."""
        node, incoming = section.nodes[thing], section.incoming.get(thing)
        kept = None
        if incoming is not None and not KEEPING.isdisjoint(node.affordances):
            kept = kept_by(section, thing)
        plain, puts = self._rules.near(self._like(node), None, likes, kept)
        return node, incoming, self._plain(thing, plain), puts

    def _held(
        self, thing: int, section: Section, held: tuple[int, ...], likes: tuple[int, ...]
    ) -> tuple[Offers, tuple[Allowed, ...]]:
        """The actions on a thing in hand, and the puts there."""
        kept = kept_by(section, thing) if thing in section.incoming else None
        at = held.index(thing)
        plain, puts = self._rules.near(self._like(section.nodes[thing]), at, likes, kept)
        return self._plain(thing, plain), puts

    def _far(self, section: Section, room: int, known: dict[int, _FromAfar]) -> _FromAfar:
        """The offers of a section's things from a distance. known: by the agent's room."""
        offers = known.get(room)
        if offers is not None and offers.section is section:
            return offers
        if offers is not None and self._is_as_before(section, room, offers):
            offers.section = section
            return offers
        order = sorted(section.nodes, key=self._numbers.__getitem__)
        of_thing = {thing: self._distant(section.nodes[thing], room) for thing in order}
        offers = known[room] = _FromAfar(section, of_thing)
        return offers

    def _is_as_before(self, section: Section, room: int, before: _FromAfar) -> bool:
        """Whether the things of a section offer the same from a distance as before."""
        nodes, known = section.nodes, before.section.nodes
        if nodes.keys() != known.keys():
            return False
        of_thing = before.of_thing
        for thing in compress(nodes, map(is_not, nodes.values(), map(known.get, nodes))):
            if self._distant(nodes[thing], room) is not of_thing[thing]:
                return False
        return True

    def _distant(self, node: Node, room: int) -> Offers:
        plain, _ = self._rules.far(self._like(node), node.id == room)
        return self._plain(node.id, plain)

    def _plain(self, thing: int, rules: tuple[Allowed, ...]) -> Offers:
        """The actions on a thing."""
        key = (self._numbers[thing], id(rules))  # `MenuRules` keeps the rules alive
        offers = self._plain_offers.get(key)
        if offers is None:
            verbs = [rule.verb for rule in rules]
            offers = self._plain_offers[key] = self._wording.acts(verbs, thing)
        return offers

    def _placed(self, place: int, rules: tuple[Allowed, ...], held: tuple[int, ...]) -> Offers:
        """The puts at a place."""
        numbers = self._numbers
        key = (numbers[place], *map(numbers.__getitem__, held), id(rules))  # kept alive likewise
        offers = self._puts.get(key)
        if offers is None:
            offers = self._puts[key] = []
            for rule in rules:
                assert rule.held is not None
                thing = held[rule.held]
                offers.append(self._wording.put(rule.verb, thing, rule.relation, place))
        return offers

    def _like(self, node: Node) -> int:
        """The number of a node's likeness."""
        known = self._likes.get(node.id)
        if known is None or known[0] is not node:
            known = self._likes[node.id] = (node, self._rules.number(node))
        return known[1]

    def _like_in_hand(self, node: Node) -> int:
        """The number of the likeness of a node in hand."""
        known = self._likes_in_hand.get(node.id)
        if known is None or known[0] is not node:
            known = self._likes_in_hand[node.id] = (node, self._rules.number_in_hand(node))
        return known[1]


#: The agent's room, the places where it stands, and what it holds.
_Whereabouts = tuple[int, tuple[int, ...], tuple[int, ...]]
#: The offers of a thing within reach but not in hand: its node, its incoming relations, its
#: actions, and the rules of puts there.
_Near = tuple[Node | None, Incoming | None, Offers, tuple[Allowed, ...]]
_UNKNOWN: _Near = (None, None, [], ())


class _FromNear:
    """The things of a section within reach, by name, and their offers to empty hands."""

    __slots__ = ("offers", "order", "section")

    def __init__(self, section: Section, order: list[int]) -> None:
        self.section, self.order = section, order
        self.offers: Offers | None = None


class _FromAfar:
    """The offers of a section's things from a distance, in a room."""

    __slots__ = ("_beside", "_last", "of_thing", "offers", "section")

    def __init__(self, section: Section, of_thing: dict[int, Offers]) -> None:
        """of_thing: the offers by thing, sorted by name."""
        self.section, self.of_thing = section, of_thing
        self.offers = list(chain.from_iterable(of_thing.values()))
        self._beside: dict[frozenset[int], Offers] = {}
        self._last: tuple[list[int], Offers] = ([], self.offers)

    def offers_beside(self, near: list[int]) -> Offers:
        """The offers of the things that are not near; the list must not be modified."""
        if near is self._last[0]:
            return self._last[1]
        left_out = frozenset(self.of_thing.keys() & near)
        offers = self._beside.get(left_out)
        if offers is None:
            distant = [of for thing, of in self.of_thing.items() if thing not in left_out]
            offers = self._beside[left_out] = list(chain.from_iterable(distant))
        self._last = near, offers
        return offers


def _shortened(offer: Offer, short: ShortPut) -> Offer:
    """An offer with its short text, if it has one."""
    action = offer[1]
    if action.place != short.place or action.relation != short.relation or action.target is None:
        return offer
    return short.said(action.target), action


def _whereabouts(view: SectionedView) -> _Whereabouts | None:
    """Where the agent is and what it holds, if the assumptions of `MenuRules` hold; else None.

    They are: the agent stands, wears nothing, faces nothing, is alone, and holds nothing with
    contents. All that it is close to is in its room. Nothing here has two places or is enclosed.
    """
    sections = rooms, here, *close = view.sections
    things: list[int] = []
    places: list[int] = []
    room = None
    for relation, thing in view.relations_of_agent:
        if relation is _HOLDS:
            things.append(thing)
        elif relation is _INSIDE and room is None and thing in rooms.nodes:
            room = thing
        elif relation is _CLOSE and thing in here.nodes:
            places.append(thing)
        else:
            return None
    if room is None or view.is_burdened or not POSTURES.isdisjoint(view.agent().states):
        return None
    for section in sections:
        if section.crossing_placement or section.shuts_away:
            return None
    if things and close[0].nodes.keys() != set(things):
        return None
    return room, tuple(places), tuple(things)
