"""Where missing things may be, and which place is worth looking at next."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import exp

from ...scene_graph.node import Affordance, Node, State
from ...skills.actions import Verb
from ...skills.dynamics import reaches
from ...skills.embodiment import Embodiment
from .missing_objects import MissingObject
from .observed_graph import ObservedGraph
from .prior import Prior

#: A room not yet seen counts as so many places, and entering it leads to so many steps.
PLACES_OF_A_ROOM = 10
STEPS_IN_A_ROOM = 2.5
#: How much less likely anything is to be kept by a thing that is no surface and no container.
UNLIKELY_KEEPER = 0.05

_KEEPS = {Affordance.SURFACE, Affordance.CONTAINER, Affordance.OPENABLE}


@dataclass(frozen=True)
class SearchTarget:
    """A place to look at: a room to enter, a container to open, or what one base shows.

    chances: the probability that each missing thing is found there. steps: what looking takes.
    """

    place: Node
    room: Node | None
    chances: Mapping[MissingObject, float]
    steps: float

    @property
    def worth(self) -> float:
        """The things expected to be found per step."""
        return sum(self.chances.values()) / self.steps

    @property
    def likeliest(self) -> MissingObject:
        """The missing thing that speaks most for this place."""
        return max(self.chances, key=lambda want: self.chances[want])


class SearchTargets:
    """Probabilities of places for missing things, by the prior and what was already looked at."""

    def __init__(self, prior: Prior, belief: ObservedGraph, body: Embodiment, agent: int) -> None:
        self._prior = prior
        self._belief = belief
        self._body = body
        self._me = agent

    def prospects(self, wants: Sequence[MissingObject], but: Collection[int]) -> list[SearchTarget]:
        """Every place left to look at but those in `but`, the one most worth it first."""
        belief = self._belief
        rooms = [room for room in belief.unseen_rooms() if room.id not in but]
        places = [place for place in belief.unseen_places() if place.id not in but]
        chances = {want: self._chances(want, rooms, places) for want in wants}
        found = [self._prospect(room, [room], STEPS_IN_A_ROOM, chances) for room in rooms]
        groups: dict[int, list[Node]] = {}  # by the door to open, else by the base to go to
        for place in places:
            key = self._door(place)
            if key is None:
                key = belief.base(place.id)
            if key is not None and key not in but:
                groups.setdefault(key, []).append(place)
        for key, shown in groups.items():
            node = belief.graph[key]
            steps = 1.0
            if State.CLOSED in node.states:
                base = belief.base(key)
                shown = [*shown, *groups.get(base, [])] if base not in (None, key) else shown
                steps = self._steps_to_open(node)
            found.append(self._prospect(node, shown, steps, chances))
        return sorted(found, key=lambda each: (-each.worth, each.place.id))

    def _prospect(
        self,
        place: Node,
        shown: Sequence[Node],
        steps: float,
        chances: Mapping[MissingObject, Mapping[int, float]],
    ) -> SearchTarget:
        of_place = {
            want: sum(by_place.get(node.id, 0.0) for node in shown)
            for want, by_place in chances.items()
        }
        return SearchTarget(place, self._room(place), of_place, steps)

    def _chances(
        self, want: MissingObject, rooms: Sequence[Node], places: Sequence[Node]
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

    def _likelihood(self, want: MissingObject, place: Node | None, room: Node | None) -> float:
        """How many times more likely than anywhere; the best of several categories."""
        at = place.category if place is not None else None
        within = room.category if room is not None else None
        scores = [self._prior.score(each, at, within) for each in sorted(want.categories)]
        return exp(max(scores, default=0.0))

    def _door(self, place: Node) -> int | None:
        """The closed container that hides a place's contents, as far as is known."""
        around = self._belief.graph.closed_around(place.id)
        if around is None and State.CLOSED in place.states:
            return place.id
        return around

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
