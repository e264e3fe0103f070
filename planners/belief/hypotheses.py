"""Hypotheses drawn from the prior: an acceptable goal, and where its unseen things are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, fsum

from ..belief_kit.hypothesis import Hypothesis, Targets, sorted_targets
from ..belief_kit.world import KitchenWorld
from ..exploration.prior import Prior
from ..exploration.search_targets import PLACES_OF_A_ROOM
from ..pomdp.streams import Stream
from .acceptable import Acceptable

#: What an action costs, in the unit of ways.
ACTION = 5.0
#: Of the looks for each but the hardest thing of a goal, the part that counts: one finds several.
SHARED_LOOKS = 0.5

_Goal = Mapping[str, str]
#: How likely each unseen object is at each area.
_Places = Mapping[str, Mapping[str, float]]


class Hypotheses:
    """Where hypotheses come from.

    Each unseen thing is at an unseen area as likely as the prior says, independently of others;
    that is the belief over places, conditioned on all that was seen. All acceptable goals are good,
    so a goal's weight says how likely it is that one would want to reach it: less with its cost.
    """

    def __init__(
        self,
        world: KitchenWorld,
        acceptable: Acceptable,
        prior: Prior,
        temperature: float,
    ) -> None:
        """temperature: how much dearer a goal is that has 1/e of another's weight."""
        self._world = world
        self._acceptable = acceptable
        self._prior = prior
        self._temperature = temperature

    def drawn(self, count: int, rng: Stream) -> list[Hypothesis]:
        """Draw hypotheses; none where no goal is left whose things can be anywhere."""
        goals = self._acceptable.goals()
        places = self._places(goals)
        lost = {name for name, at in places.items() if not at}
        goals = [goal for goal in goals if not lost & goal.keys()]
        if not goals:
            return []
        costs = self._costs(goals, places)
        least = min(costs)
        weights = [exp((least - cost) / self._temperature) for cost in costs]
        drawn = []
        for number in systematic(weights, count, rng.random()):
            goal = goals[number]
            unseen = {name: _one(places[name], rng.random()) for name in goal if name in places}
            drawn.append(Hypothesis(goal, unseen))
        return drawn

    def weights(self, goals: Sequence[_Goal]) -> dict[Targets, float]:
        """The weight of each goal, on any scale."""
        costs = self._costs(goals, self._places(goals))
        least = min(costs, default=0.0)
        return {
            sorted_targets(goal): exp((least - cost) / self._temperature)
            for goal, cost in zip(goals, costs, strict=True)
        }

    def _places(self, goals: Sequence[_Goal]) -> dict[str, dict[str, float]]:
        world = self._world
        names = dict.fromkeys(name for goal in goals for name in goal)
        seen = {*world.located, world.held}
        return {name: self._places_of(name) for name in names if name not in seen}

    def _places_of(self, name: str) -> dict[str, float]:
        category = self._acceptable.categories[name]
        weights = {}
        for area in self._world.areas.values():
            if not area.is_open and area.is_seen:
                likelihood = exp(self._prior.score(category, area.category, area.room))
                weights[area.name] = likelihood * (1 if area.category else PLACES_OF_A_ROOM)
        total = fsum(weights.values())
        return {area: weight / total for area, weight in weights.items()}

    def _costs(self, goals: Sequence[_Goal], places: _Places) -> list[float]:
        """What each goal is expected to cost: its actions, its ways, and looking for its things."""
        looks = {name: _expected_looks(at) for name, at in places.items()}
        ways: dict[tuple[str, str], float] = {}
        found = []
        for goal in goals:
            cost, of_goal = 0.0, [0.0]
            closed = {area for area in goal.values() if not self._world.areas[area].is_open}
            for name, area in goal.items():
                if (name, area) not in ways:
                    ways[name, area] = self._delivery(name, area, places)
                cost += ways[name, area]
                of_goal.append(looks.get(name, 0.0))
            hardest = max(of_goal)
            searched = hardest + SHARED_LOOKS * (sum(of_goal) - hardest)
            found.append(cost + ACTION * (searched + len(closed)))
        return found

    def _delivery(self, name: str, area: str, places: _Places) -> float:
        """What bringing an object to an area costs, once it is found."""
        world = self._world
        at = world.located.get(name)
        if at == area:
            return 0.0
        if name == world.held:
            return ACTION
        if at is not None:
            return 2 * ACTION + world.way(at, area)
        return 2 * ACTION + fsum(p * world.way(place, area) for place, p in places[name].items())


def systematic(weights: Sequence[float], count: int, offset: float) -> list[int]:
    """Draw each index its expected number of times, rounded up or down. offset: in [0, 1)."""
    total = fsum(weights)
    drawn, reached, at = [], 0.0, -1
    for number in range(count):
        while at < len(weights) - 1 and reached <= (number + offset) / count:
            at += 1
            reached += weights[at] / total
        drawn.append(at)
    return drawn


def _expected_looks(at: Mapping[str, float]) -> float:
    """How many areas are looked at until a thing is found, the likeliest first."""
    return fsum(n * p for n, p in enumerate(sorted(at.values(), reverse=True), start=1))


def _one(at: Mapping[str, float], number: float) -> str:
    """An area drawn by its probability. number: in [0, 1)."""
    reached = 0.0
    for area, p in at.items():
        reached += p
        if reached > number:
            return area
    return list(at)[-1]
