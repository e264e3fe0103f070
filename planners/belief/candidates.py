"""What is acceptable, and how likely each unseen thing is at each area."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, fsum

from ...errors import BadInput
from ...scene_graph.goals import Related
from ...scene_graph.placement_goals import Placements, alternatives
from ..belief_kit.hypothesis import Hypothesis
from ..belief_kit.world import KitchenWorld
from ..contract import Brief
from ..exploration.prior import Prior
from ..exploration.search_targets import PLACES_OF_A_ROOM
from ..pomdp.streams import Stream

#: The most acceptable goals that are searched for.
MAX_GOALS = 5000
#: What an action costs, in the unit of ways.
ACTION = 5.0


def placements_of(brief: Brief) -> list[Placements] | None:
    """The acceptable goals as placements; None for a goal of another kind."""
    assert brief.goal is not None, "belief is granted the goal"
    found = alternatives(brief.goal, MAX_GOALS)
    if found is None or not found:
        return None
    for each in found:
        places = {placement.source: placement.target for placement in each}
        if len(places) < len(each):
            return None
    return found


class Candidates:
    """The acceptable goals of an episode, and the prior over the places of what they need."""

    def __init__(
        self,
        world: KitchenWorld,
        placements: Sequence[Sequence[Related]],
        prior: Prior,
        temperature: float,
    ) -> None:
        """temperature: how much dearer a goal may be and still have 1/e of another's weight."""
        self._world = world
        self._prior = prior
        self._temperature = temperature
        self.goals: list[dict[str, str]] = []
        for each in placements:
            world.relate(each)
            goal = {world.name(_id(p.source)): world.name(_id(p.target)) for p in each}
            if goal not in self.goals:
                self.goals.append(goal)
        things = world.brief.goal_things or {}
        self._categories = {world.name(thing.id): thing.category for thing in things.values()}

    def places(self) -> dict[str, dict[str, float]]:
        """How likely each unseen object of some goal is at each unseen area."""
        world = self._world
        names = {name for goal in self.goals for name in goal}
        hidden = sorted(names - set(world.located) - {world.held or ""})
        return {name: self._places_of(name) for name in hidden}

    def _places_of(self, name: str) -> dict[str, float]:
        category = self._categories.get(name, name.replace("_", " "))
        weights = {}
        for area in self._world.areas.values():
            if not area.is_open and area.is_seen:
                likelihood = exp(self._prior.score(category, area.category, area.room))
                weights[area.name] = likelihood * (PLACES_OF_A_ROOM if not area.category else 1)
        total = fsum(weights.values())
        return {area: weight / total for area, weight in weights.items()}

    def costs(self, places: Mapping[str, Mapping[str, float]]) -> list[float]:
        """What each goal is expected to cost: its actions, its ways, and the search."""
        search = {name: _expected_looks(at) for name, at in places.items()}
        way = self._world.way
        world = self._world
        found = []
        for goal in self.goals:
            cost, looks, closed = 0.0, [0.0], set()
            for name, target in goal.items():
                at = world.located.get(name)
                if at == target:
                    continue
                if name == world.held:
                    cost += ACTION
                else:
                    cost += 2 * ACTION
                    if at is not None:
                        cost += way(at, target)
                    else:
                        looks.append(search[name])
                        cost += fsum(p * way(a, target) for a, p in places[name].items())
                if not world.areas[target].is_open:
                    closed.add(target)
            # One look may find several things, so it is not the sum.
            cost += ACTION * (max(looks) + 0.5 * (sum(looks) - max(looks)) + len(closed))
            found.append(cost)
        return found

    def drawn(self, count: int, rng: Stream) -> list[Hypothesis]:
        """Draw hypotheses: a goal, the cheap ones more often, and a place for each unseen object."""
        places = self.places()
        if any(not at for at in places.values()):
            lost = {name for name, at in places.items() if not at}
            goals = [goal for goal in self.goals if not lost & goal.keys()]
        else:
            goals = self.goals
        if not goals:
            return []
        costs = dict(zip(map(_key, self.goals), self.costs(places), strict=True))
        least = min(costs[_key(goal)] for goal in goals)
        weights = [exp((least - costs[_key(goal)]) / self._temperature) for goal in goals]
        drawn = []
        for number in _systematic(weights, count, rng.random()):
            goal = goals[number]
            where = {name: _drawn(places[name], rng.random()) for name in goal if name in places}
            drawn.append(Hypothesis(goal, where))
        return drawn


def _key(goal: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(goal.items())


def _id(term: object) -> int:
    if not isinstance(term, int):
        raise BadInput(f"An acceptable goal names its things; '{term}' is a variable.")
    return term


def _expected_looks(at: Mapping[str, float]) -> float:
    """How many areas are looked at until a thing is found, the likeliest first."""
    ordered = sorted(at.values(), reverse=True)
    return fsum(number * p for number, p in enumerate(ordered, start=1))


def _drawn(at: Mapping[str, float], number: float) -> str:
    reached = 0.0
    for area, p in at.items():
        reached += p
        if reached > number:
            return area
    return next(reversed(list(at)))


def _systematic(weights: Sequence[float], count: int, offset: float) -> list[int]:
    """Each index its expected number of times, rounded up or down."""
    total = fsum(weights)
    drawn, reached, at = [], 0.0, -1
    for number in range(count):
        while at < len(weights) - 1 and reached <= (number + offset) / count:
            at += 1
            reached += weights[at] / total
        drawn.append(at)
    return drawn
