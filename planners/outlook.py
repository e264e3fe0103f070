"""Where missing things may be, and which place is worth looking at next."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import exp

from ..scene_graph.node import Affordance, Node, State
from ..skills.actions import Verb
from ..skills.dynamics import reaches
from ..skills.embodiment import Embodiment
from .belief import Belief
from .prior import Prior
from .wants import Want

#: A room not yet seen counts as so many places, and entering it leads to so many steps.
PLACES_OF_A_ROOM = 10
STEPS_IN_A_ROOM = 2.5
#: How much less likely anything is to be kept by a thing that is no surface and no container.
UNLIKELY_KEEPER = 0.05

_KEEPS = {Affordance.SURFACE, Affordance.CONTAINER, Affordance.OPENABLE}


@dataclass(frozen=True)
class Prospect:
    """A place to look at: a room to enter, a container to open, or what one base shows.

    chance: the expected share of the missing things found there. steps: what looking takes.
    likeliest: the want that speaks most for it, with its own probability.
    """

    place: Node
    room: Node | None
    chance: float
    steps: float
    likeliest: Want
    probability: float

    @property
    def worth(self) -> float:
        return self.chance / self.steps


class Outlook:
    """Probabilities of places for missing things, by the prior and what was already looked at."""

    def __init__(self, prior: Prior, belief: Belief, body: Embodiment, agent: int) -> None:
        self._prior = prior
        self._belief = belief
        self._body = body
        self._me = agent

    def prospects(self, wants: Sequence[Want], but: Collection[int]) -> list[Prospect]:
        """Every place left to look at but those in `but`, the one most worth it first."""
        belief = self._belief
        rooms = [room for room in belief.unseen_rooms() if room.id not in but]
        places = [place for place in belief.unseen_places() if place.id not in but]
        chances = {want: self._chances(want, rooms, places) for want in wants}
        found = []
        for room in rooms:
            found.append(self._prospect(room, room, [room], STEPS_IN_A_ROOM, chances))
        bases: dict[int, list[Node]] = {}
        for place in places:
            base = belief.base(place.id)
            if base is None:
                continue
            if self._shut(place):
                if belief.graph.closed_around(place.id) is None:
                    shown = [place, *self._shown(base, but)]
                    steps = self._steps_to_open(place)
                    found.append(self._prospect(place, self._room(place), shown, steps, chances))
            else:
                bases.setdefault(base, []).append(place)
        for base, shown in bases.items():
            node = belief.graph[base]
            found.append(self._prospect(node, self._room(node), shown, 1.0, chances))
        return sorted(found, key=lambda each: (-each.worth, each.place.id))

    def _prospect(
        self,
        place: Node,
        room: Node | None,
        shown: Sequence[Node],
        steps: float,
        chances: dict[Want, dict[int, float]],
    ) -> Prospect:
        each = {
            want: sum(by_place.get(node.id, 0.0) for node in shown)
            for want, by_place in chances.items()
        }
        likeliest = max(each, key=lambda want: each[want])
        chance = sum(each.values()) / len(each)
        return Prospect(place, room, chance, steps, likeliest, each[likeliest])

    def _chances(
        self, want: Want, rooms: Sequence[Node], places: Sequence[Node]
    ) -> dict[int, float]:
        """The probability of each place for one want; they add up to 1."""
        weights = {}
        for room in rooms:
            weights[room.id] = PLACES_OF_A_ROOM * self._likelihood(want, None, room)
        for place in places:
            keeps = 1.0 if place.affordances & _KEEPS else UNLIKELY_KEEPER
            weights[place.id] = keeps * self._likelihood(want, place, self._room(place))
        total = sum(weights.values())
        return {place: weight / total for place, weight in weights.items()}

    def _likelihood(self, want: Want, place: Node | None, room: Node | None) -> float:
        """How many times more likely than anywhere; the best of several categories."""
        at = place.category if place is not None else None
        within = room.category if room is not None else None
        scores = [self._prior.score(each, at, within) for each in sorted(want.categories)]
        return exp(max(scores, default=0.0))

    def _shown(self, base: int, but: Collection[int]) -> list[Node]:
        return [node for node in self._belief.shows(base) if node.id not in but]

    def _shut(self, place: Node) -> bool:
        return State.CLOSED in place.states or (
            self._belief.graph.closed_around(place.id) is not None
        )

    def _steps_to_open(self, place: Node) -> float:
        graph = self._belief.graph
        steps = 1.0 if reaches(graph, self._me, place.id) else 2.0
        full = len(graph.held(self._me)) >= self._body.hands
        if full and Verb.OPEN in self._body.needs_free_hand:
            steps += 1.0
        return steps + (State.ON in place.states)

    def _room(self, place: Node) -> Node | None:
        room = self._belief.graph.room_of(place.id)
        return None if room is None else self._belief.graph[room]


