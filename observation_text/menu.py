"""The menu: every action that what an agent perceives allows, worded.

It is what `skills.dynamics.legal_actions` lists on the perceived graph. Of a view in sections it is
put together from what each section offers, without joining them to a graph (`menu_rules`).
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
from ..skills.dynamics import reach
from ..skills.embodiment import Embodiment
from .menu_rules import KEEPING, Allowed, MenuRules, kept_by, legal, subject
from .sections import Section, SectionedView
from .view import View
from .wording import Offer, Wording

#: A category and a number.
_Name = tuple[str, int]
#: Actions with their texts.
Offers = list[Offer]


class ShortPut(NamedTuple):
    """Putting at one place in one way, which is said without the place in the present state.

    said: the text, by the thing that is put there.
    """

    place: int
    relation: Relation
    said: Callable[[int], str]


# Looking a member up in its class takes as long as the rest of an iteration of the loops below.
_INSIDE, _CLOSE, _HOLDS, _ROOM = Relation.INSIDE, Relation.CLOSE, Relation.HOLDS, Kind.ROOM
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
        """The actions that a view allows, with their texts. short: which puts are said shortly."""
        offers = None
        # Who approaches by itself does from afar what sections tell of within reach only.
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
        """By the rules themselves, on the joined graph."""
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
        """The same; None where the rules may ask for more than sections tell."""
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
        """What is known of the things of a section. places: those that the agent stands at."""
        found = self._near_from.get(places)
        if found is None or found.section is not section:
            order = sorted(section.handled, key=self._numbers.__getitem__)
            found = self._near_from[places] = _FromNear(section, order)
        return found

    def _with(self, order: list[int], things: Iterable[int]) -> list[int]:
        """An order of things with more of them, by name."""
        order = order.copy()
        for thing in things:
            if thing not in order:
                insort(order, thing, key=self._numbers.__getitem__)
        return order

    def _beside_nothing(self, near: _FromNear) -> Offers:
        """What the things within reach offer to empty hands."""
        section = near.section
        nodes, incoming = section.nodes, section.incoming
        known = self._near_offers.setdefault((), {})
        offers: Offers = []
        for thing in near.order:
            node, kept, plain, _ = known.get(thing, _UNKNOWN)
            if node is not nodes[thing] or kept is not incoming.get(thing):
                known[thing] = found = self._near(thing, section, ())
                _, _, plain, _ = found
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
        """What the things within reach and in hand offer. likes: in hand, of what is held."""
        nodes, incoming = section.nodes, section.incoming
        known = self._near_offers.setdefault(likes, {})
        offers: Offers = []
        for thing in order:
            if thing in held:
                plain, puts = self._held(thing, hand, held, likes)
            else:
                node, kept, plain, puts = known.get(thing, _UNKNOWN)
                if node is not nodes[thing] or kept is not incoming.get(thing):
                    known[thing] = found = self._near(thing, section, likes)
                    _, _, plain, puts = found
            offers += plain
            if puts:
                said = self._placed(thing, puts, held)
                if short is not None and short.place == thing:
                    said = [_shortened(offer, short) for offer in said]
                offers += said
        return offers

    def _near(self, thing: int, section: Section, likes: tuple[int, ...]) -> _Near:
        """What a thing within reach offers that is not in hand. likes: in hand, of what is."""
        node, incoming = section.nodes[thing], section.incoming.get(thing)
        kept = None
        if incoming is not None and not KEEPING.isdisjoint(node.affordances):
            kept = kept_by(section, thing)
        plain, puts = self._rules.near(self._like(node), None, likes, kept)
        return node, incoming, self._plain(thing, plain), puts

    def _held(
        self, thing: int, section: Section, held: tuple[int, ...], likes: tuple[int, ...]
    ) -> tuple[Offers, tuple[Allowed, ...]]:
        """What is done with a thing in hand, and what can be put there."""
        kept = kept_by(section, thing) if thing in section.incoming else None
        at = held.index(thing)
        plain, puts = self._rules.near(self._like(section.nodes[thing]), at, likes, kept)
        return self._plain(thing, plain), puts

    def _far(self, section: Section, room: int, known: dict[int, _FromAfar]) -> _FromAfar:
        """What the things of a section offer from a distance. known: by the room one stands in."""
        found = known.get(room)
        if found is not None and found.section is section:
            return found
        if found is not None and self._is_as_before(section, room, found):
            found.section = section
            return found
        order = sorted(section.nodes, key=self._numbers.__getitem__)
        of_thing = {thing: self._distant(section.nodes[thing], room) for thing in order}
        found = known[room] = _FromAfar(section, of_thing)
        return found

    def _is_as_before(self, section: Section, room: int, before: _FromAfar) -> bool:
        """Whether things offer the same from a distance as those of another section did."""
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
        """What is done with a thing."""
        key = (self._numbers[thing], id(rules))  # which `MenuRules` keeps
        found = self._plain_offers.get(key)
        if found is None:
            verbs = [rule.verb for rule in rules]
            found = self._plain_offers[key] = self._wording.acts(verbs, thing)
        return found

    def _placed(self, place: int, rules: tuple[Allowed, ...], held: tuple[int, ...]) -> Offers:
        """What can be put at a place."""
        numbers = self._numbers
        key = (numbers[place], *map(numbers.__getitem__, held), id(rules))  # as `MenuRules` keeps
        found = self._puts.get(key)
        if found is None:
            found = self._puts[key] = []
            for rule in rules:
                assert rule.held is not None
                thing = held[rule.held]
                found.append(self._wording.put(rule.verb, thing, rule.relation, place))
        return found

    def _like(self, node: Node) -> int:
        """The number of the likeness of a node."""
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


#: The room that an agent is in, the places that it stands at, and what it holds.
_Whereabouts = tuple[int, tuple[int, ...], tuple[int, ...]]
#: What a thing that is not in hand offers within reach: as which node, with what ends at it, what
#: is done with it, and what can be put there.
_Near = tuple[Node | None, Incoming | None, Offers, tuple[Allowed, ...]]
_UNKNOWN: _Near = (None, None, [], ())


class _FromNear:
    """The things of a section within reach, by name, and what they offer to empty hands."""

    __slots__ = ("offers", "order", "section")

    def __init__(self, section: Section, order: list[int]) -> None:
        self.section, self.order = section, order
        self.offers: Offers | None = None


class _FromAfar:
    """The offers of a section's things from a distance, in a room."""

    __slots__ = ("_beside", "_last", "of_thing", "offers", "section")

    def __init__(self, section: Section, of_thing: dict[int, Offers]) -> None:
        """of_thing: by name."""
        self.section, self.of_thing = section, of_thing
        self.offers = list(chain.from_iterable(of_thing.values()))
        self._beside: dict[frozenset[int], Offers] = {}
        self._last: tuple[list[int], Offers] = ([], self.offers)

    def offers_beside(self, near: list[int]) -> Offers:
        """The offers of the things that are not near, a list that does not change."""
        if near is self._last[0]:
            return self._last[1]
        left_out = frozenset(self.of_thing.keys() & near)
        found = self._beside.get(left_out)
        if found is None:
            distant = [of for thing, of in self.of_thing.items() if thing not in left_out]
            found = self._beside[left_out] = list(chain.from_iterable(distant))
        self._last = near, found
        return found


def _shortened(offer: Offer, short: ShortPut) -> Offer:
    """An offer as it is said now."""
    action = offer[1]
    if action.place != short.place or action.relation != short.relation or action.target is None:
        return offer
    return short.said(action.target), action


def _whereabouts(view: SectionedView) -> _Whereabouts | None:
    """Where the agent is and what it holds, where all is as `MenuRules` takes it to be.

    It stands, wears nothing, is turned to nothing, is alone, and holds nothing that keeps a thing;
    what it is close to is in its room; nothing here is kept twice or shut away.
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
