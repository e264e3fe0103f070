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
from ..scene_graph.node import Kind, Node, Relation, State
from ..skills.actions import Action, Verb, look, sleep, stand_up, wait, wake_up
from ..skills.embodiment import Embodiment
from ..skills.reach import reach
from .menu_rules import KEEPING, Allowed, MenuRules, kept_by, legal, make_room, subject
from .sections import Section, SectionedView
from .view import View
from .whereabouts import Whereabouts, under_agent, whereabouts
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
_ON, _FACING = Relation.ON, Relation.FACING
_WITHOUT_THING = (look(), wait())
#: Of an agent that sits or lies.
_RISING = (stand_up(), sleep(), wake_up())
#: So many lists of offers are kept for one section or one situation.
_MOST_KEPT = 500
#: So many puts are kept in an episode, and so many actions on things between episodes.
_MOST_PUTS, _MOST_WORDED = 10_000, 100_000


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
        self._near_offers: dict[tuple[State | None, tuple[int, ...]], dict[int, _Near]] = {}
        alike = wording.dialect.words_things_alike
        self._plain_offers = self._rules.worded_offers(wording.dialect) if alike else {}
        self._likes: dict[int, tuple[Node, int]] = {}
        self._likes_in_hand: dict[int, tuple[Node, int]] = {}
        self._puts: dict[tuple[object, ...], Offers] = {}
        self._special_offers: dict[tuple[object, ...], _Special] = {}
        self._stands: dict[tuple[int, ...], _Stand] = {}
        self._rooms_from: dict[_From, _FromAfar] = {}
        self._here_from: dict[_From, _FromAfar] = {}
        self._without_thing, self._rising = (
            [(wording.word(action), action) for action in alone if action.verb in verbs]
            for alone in (_WITHOUT_THING, _RISING)
        )

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
        at = whereabouts(view)
        if at is None:
            return None
        rooms, here = view.sections[:2]
        near = self._within_reach(view, at)
        if near is None:
            return None
        offers = self._far(rooms, at, self._rooms_from).beside(_NO_THINGS, at.faced).copy()
        if short is not None and at.held:
            offers += self._reached(near, view, at, short)
        else:
            if near.offers is None:
                near.offers = self._reached(near, view, at, None)
            offers += near.offers
        offers += self._far(here, at, self._here_from).beside(near.order, at.faced)
        if at.posture is not None:
            offers += self._rising
        return offers

    def _within_reach(self, view: SectionedView, at: Whereabouts) -> _Reach | None:
        """What is within reach, by name, with the offers if they are known already.

        None where the seat of the agent is not among it.
        """
        close = view.sections[2:]
        around = close[-1] if at.places else None
        hand = close[0] if at.hand else None
        base = self._stand(around, at.places)
        faced = base.faced(at.faced, hand)
        key = (at.room, at.held, faced, at.posture, at.rests_on)
        near = base.reaches.get(key)
        if near is not None and near.hand is hand:
            return near
        order, special = base.order, frozenset[int]()
        if hand is not None:
            order = self._with(order, hand.handled)
            special = frozenset(hand.handled).difference(at.held)
        if at.rests_on:
            special |= under_agent(at.rests_on, around)
            if not special <= frozenset(order):
                return None
        make_room(base.reaches, _MOST_KEPT)
        near = base.reaches[key] = _Reach(hand, around, order, special)
        return near

    def _stand(self, section: Section | None, places: tuple[int, ...]) -> _Stand:
        """The cached offers of a section's things. places: where the agent stands."""
        stand = self._stands.get(places)
        if stand is None or stand.section is not section:
            things = () if section is None else section.handled
            order = sorted(things, key=self._numbers.__getitem__)
            stand = self._stands[places] = _Stand(section, order)
        return stand

    def _with(self, order: list[int], things: Iterable[int]) -> list[int]:
        """An ordered list of things with further ones, by name."""
        order = order.copy()
        for thing in things:
            if thing not in order:
                insort(order, thing, key=self._numbers.__getitem__)
        return order

    def _reached(
        self, near: _Reach, view: SectionedView, at: Whereabouts, short: ShortPut | None
    ) -> Offers:
        """The offers of the things within reach and in hand."""
        hand, around, held = near.hand, near.around, at.held
        likes: tuple[int, ...] = ()
        if held:
            assert hand is not None
            likes = tuple([self._like_in_hand(hand.nodes[thing]) for thing in held])
        known = self._near_offers.get((at.posture, likes))
        if known is None:
            make_room(self._near_offers, _MOST_KEPT)
            known = self._near_offers[at.posture, likes] = {}
        special = self._special(view, near, at) if near.special else {}
        offers: Offers = []
        for thing in near.order:
            if thing in special:
                plain, said = special[thing]
            else:
                if thing in held:
                    assert hand is not None
                    plain, puts = self._held(thing, hand, at, likes)
                else:
                    assert around is not None
                    node, kept, plain, puts = known.get(thing, _UNKNOWN)
                    if node is not around.nodes[thing] or kept is not around.incoming.get(thing):
                        known[thing] = self._near(thing, around, at.posture, likes)
                        node, kept, plain, puts = known[thing]
                    if thing in at.faced:
                        _, _, plain, puts = self._near(thing, around, at.posture, likes, faced=True)
                said = self._placed(thing, puts, held) if puts else []
            offers += plain
            if short is not None and short.place == thing:
                said = [_shortened(offer, short) for offer in said]
            offers += said
        return offers

    def _special(
        self, view: SectionedView, near: _Reach, at: Whereabouts
    ) -> dict[int, tuple[Offers, Offers]]:
        """The actions on special things, and the puts there, by the rules on the joined graph.

        Things with the agent offer the same wherever it stands.
        """
        things = near.special
        faced = tuple([thing for thing in at.faced if thing in things])
        key = (at.room, at.held, at.posture, faced, at.rests_on, things)
        known = self._special_offers.get(key)
        around = near.around if at.rests_on else None
        if known is not None and known[0] is near.hand and known[1] is around:
            return known[2]
        offers = self._by_the_rules(view.graph, things)
        make_room(self._special_offers, _MOST_KEPT)
        self._special_offers[key] = near.hand, around, offers
        return offers

    def _by_the_rules(
        self, graph: SceneGraph, things: frozenset[int]
    ) -> dict[int, tuple[Offers, Offers]]:
        offers: dict[int, tuple[Offers, Offers]] = {thing: ([], []) for thing in things}
        wording = self._wording
        for action in legal(graph, self._body, self.verbs, things):
            target = action.target
            assert target is not None, "only actions on things are asked for"
            if action.place is None:
                offers[target][0].extend(wording.acts([action.verb], target))
            else:
                put = wording.put(action.verb, target, action.relation, action.place)
                offers[action.place][1].append(put)
        return offers

    def _near(
        self,
        thing: int,
        section: Section,
        posture: State | None,
        likes: tuple[int, ...],
        *,
        faced: bool = False,
    ) -> _Near:
        """The offers of a thing within reach but not in hand. likes: of held things, in hand."""
        node, incoming = section.nodes[thing], section.incoming.get(thing)
        kept = None
        if incoming is not None and not KEEPING.isdisjoint(node.affordances):
            kept = kept_by(section, thing)
        plain, puts = self._rules.near(self._like(node), None, likes, kept, posture, faced=faced)
        return node, incoming, self._plain(thing, plain), puts

    def _held(
        self, thing: int, section: Section, at: Whereabouts, likes: tuple[int, ...]
    ) -> tuple[Offers, tuple[Allowed, ...]]:
        """The actions on a thing in hand, and the puts there."""
        kept = kept_by(section, thing) if thing in section.incoming else None
        like, index = self._like(section.nodes[thing]), at.held.index(thing)
        faced = thing in at.faced
        plain, puts = self._rules.near(like, index, likes, kept, at.posture, faced=faced)
        return self._plain(thing, plain), puts

    def _far(self, section: Section, at: Whereabouts, known: dict[_From, _FromAfar]) -> _FromAfar:
        """The offers of a section's things from a distance. known: by where the agent is."""
        key = (at.room, at.posture)
        offers = known.get(key)
        if offers is not None and offers.section is section:
            return offers
        if offers is not None and self._is_as_before(section, key, offers):
            offers.section = section
            return offers
        order = sorted(section.nodes, key=self._numbers.__getitem__)
        of_thing = {thing: self._distant(section.nodes[thing], key) for thing in order}
        offers = known[key] = _FromAfar(
            section,
            of_thing,
            lambda node: self._distant(node, key, faced=True),
        )
        return offers

    def _is_as_before(self, section: Section, key: _From, before: _FromAfar) -> bool:
        """Whether the things of a section offer the same from a distance as before."""
        nodes, known = section.nodes, before.section.nodes
        if nodes.keys() != known.keys():
            return False
        of_thing = before.of_thing
        for thing in compress(nodes, map(is_not, nodes.values(), map(known.get, nodes))):
            if self._distant(nodes[thing], key) is not of_thing[thing]:
                return False
        return True

    def _distant(self, node: Node, key: _From, *, faced: bool = False) -> Offers:
        room, posture = key
        plain, _ = self._rules.far(self._like(node), node.id == room, posture, faced=faced)
        return self._plain(node.id, plain)

    def _plain(self, thing: int, rules: tuple[Allowed, ...]) -> Offers:
        """The actions on a thing."""
        key = (self._numbers[thing], thing, id(rules))  # `MenuRules` keeps the rules alive
        offers = self._plain_offers.get(key)
        if offers is None:
            verbs = [rule.verb for rule in rules]
            make_room(self._plain_offers, _MOST_WORDED)
            offers = self._plain_offers[key] = self._wording.acts(verbs, thing)
        return offers

    def _placed(self, place: int, rules: tuple[Allowed, ...], held: tuple[int, ...]) -> Offers:
        """The puts at a place."""
        numbers = self._numbers
        key = (numbers[place], *map(numbers.__getitem__, held), id(rules))  # kept alive likewise
        offers = self._puts.get(key)
        if offers is None:
            make_room(self._puts, _MOST_PUTS)
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


#: The room and the posture of the agent.
_From = tuple[int, State | None]
#: The offers of a thing within reach but not in hand: its node, its incoming relations, its
#: actions, and the rules of puts there.
_Near = tuple[Node | None, Incoming | None, Offers, tuple[Allowed, ...]]
_UNKNOWN: _Near = (None, None, [], ())
_NO_THINGS: list[int] = []
#: The sections of things with the agent and, where it matters, of the places; by thing, the actions
#: on it and the puts there.
_Special = tuple[Section | None, Section | None, dict[int, tuple[Offers, Offers]]]


class _Stand:
    """The things within reach from some places, by name, and their offers in each situation."""

    __slots__ = ("_things", "order", "reaches", "section")

    def __init__(self, section: Section | None, order: list[int]) -> None:
        self.section, self.order = section, order
        self.reaches: dict[tuple[object, ...], _Reach] = {}
        self._things = frozenset(order)

    def faced(self, things: tuple[int, ...], hand: Section | None) -> tuple[int, ...]:
        """Those of the faced things that are within reach or in hand."""
        if self._things.isdisjoint(things) and (
            hand is None or hand.nodes.keys().isdisjoint(things)
        ):
            return ()
        return things


class _Reach:
    """All that is within reach, by name: of the places and on the agent.

    special: what the rules are asked of on the joined graph: what is in a held thing, on the body,
    or under the agent. offers: None while they are not made.
    """

    __slots__ = ("around", "hand", "offers", "order", "special")

    def __init__(
        self,
        hand: Section | None,
        around: Section | None,
        order: list[int],
        special: frozenset[int],
    ) -> None:
        self.hand, self.around = hand, around
        self.order, self.special = order, special
        self.offers: Offers | None = None


class _FromAfar:
    """The offers of a section's things from a distance, in a room and a posture."""

    __slots__ = ("_beside", "_of_faced", "_orders", "of_thing", "section")

    def __init__(
        self,
        section: Section,
        of_thing: dict[int, Offers],
        of_faced: Callable[[Node], Offers],
    ) -> None:
        """of_thing: the offers by thing, sorted by name. of_faced: those of a thing that the agent
        faces.
        """
        self.section, self.of_thing, self._of_faced = section, of_thing, of_faced
        self._beside: dict[tuple[int, tuple[int, ...]], Offers] = {}
        self._orders: list[list[int]] = []  # keeps the lists alive whose ids are keys

    def beside(self, near: list[int], faced: tuple[int, ...]) -> Offers:
        """The offers of the things that are not near; the list must not be modified."""
        key = (id(near), faced)
        offers = self._beside.get(key)
        if offers is None:
            if len(self._orders) >= _MOST_KEPT:
                self._orders.clear()
                self._beside.clear()
            self._orders.append(near)
            left_out = self.of_thing.keys() & near
            of_thing = self.of_thing
            if not of_thing.keys().isdisjoint(faced):
                of_thing = of_thing.copy()
                for thing in of_thing.keys() & faced:
                    of_thing[thing] = self._of_faced(self.section.nodes[thing])
            distant = [of for thing, of in of_thing.items() if thing not in left_out]
            offers = self._beside[key] = list(chain.from_iterable(distant))
        return offers


def _shortened(offer: Offer, short: ShortPut) -> Offer:
    """An offer with its short text, if it has one."""
    action = offer[1]
    if action.place != short.place or action.relation != short.relation or action.target is None:
        return offer
    return short.said(action.target), action
