"""Hypotheses drawn from the prior: an acceptable goal and the places of its unseen things.

Acceptable goals are areas for objects, in the world observed so far. They contain the placements of
a goal: relations on or inside an area, by `and`, `or` and quantifiers. Where a quantifier needs
more things of a kind than were seen, the rest is supposed. The other conditions are left to the
planner of the whole goal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, islice, product
from math import exp, fsum

from ...scene_graph.goals import And, AtLeast, Domain, Exists, ForAll, Goal, Or, Related, Term
from ...scene_graph.node import Kind, Relation
from ..kits.belief.search.streams import Stream
from ..kits.belief.tracker import OTHER_GOAL
from ..kits.belief.world import Hypothesis, KitchenWorld, Targets, joined, sorted_targets
from ..kits.household.prior import Prior
from ..kits.household.search_targets import PLACES_OF_A_ROOM

#: The most alternatives to compare, and the most instances that a quantifier tries beyond those it
#: needs.
MAX_GOALS, SPARE_INSTANCES = 2000, 3

#: A thing by its node, or an unseen one by its category and a number.
Instance = int | tuple[str, int]
#: The area where each thing is wanted.
_Wanted = dict[Instance, int]
_Binding = Mapping[str, Instance]


class Acceptable:
    """The acceptable goals of an episode.

    categories: the category of each object that goals have named so far, by its name.
    """

    def __init__(self, goal: Goal, world: KitchenWorld) -> None:
        self._goal = goal
        self._world = world
        known = (world.brief.goal_things or {}).values()
        self.categories = {world.name(thing.id): thing.category for thing in known}
        self._fixed = None if _has_quantifier(goal) else self._grounded()

    @property
    def fixed(self) -> bool:
        """Whether the goals name all their things, so that they never change."""
        return self._fixed is not None

    def goals(self) -> list[dict[str, str]]:
        """The goals as areas by the names of objects; none where no placement is known yet."""
        return self._grounded() if self._fixed is None else self._fixed

    def _grounded(self) -> list[dict[str, str]]:
        world = self._world
        self._by_id = {area.id: area.name for area in world.areas.values()}
        goals = []
        for wanted in islice(self._alternatives(self._goal, {}), MAX_GOALS):
            if wanted:
                goals.append({self._name(thing): self._by_id[at] for thing, at in wanted.items()})
        return [dict(goal) for goal in dict.fromkeys(tuple(goal.items()) for goal in goals)]

    def _name(self, thing: Instance) -> str:
        if isinstance(thing, int):
            name = self._world.name(thing)
            if thing in self._world.observed.graph:  # it may be gone from where it was seen
                self.categories[name] = self._world.observed.graph[thing].category
            return name
        category, number = thing
        name = f"{joined(category)}?{number}"
        self.categories[name] = category
        return name

    def _alternatives(self, goal: Goal, binding: _Binding) -> Iterator[_Wanted]:
        match goal:
            case Related(source, relation, target):
                yield from self._placement(source, relation, target, binding)
            case And(parts):
                yield from self._joined([list(self._some(part, binding)) for part in parts])
            case Or(parts):
                for part in parts:
                    yield from self._alternatives(part, binding)
            case Exists(variable, domain, body):
                for thing in self._instances(domain, 1):
                    yield from self._alternatives(body, {**binding, variable: thing})
            case AtLeast(count, variable, domain, body):
                instances = self._instances(domain, count)[: count + SPARE_INSTANCES]
                for chosen in combinations(instances, count):
                    bodies = [{**binding, variable: thing} for thing in chosen]
                    yield from self._joined([list(self._some(body, each)) for each in bodies])
            case ForAll(variable, domain, body):
                bodies = [{**binding, variable: thing} for thing in self._instances(domain, 0)]
                yield from self._joined([list(self._some(body, each)) for each in bodies])
            case _:
                yield {}

    def _some(self, goal: Goal, binding: _Binding) -> Iterator[_Wanted]:
        return islice(self._alternatives(goal, binding), MAX_GOALS)

    def _joined(self, lists: Sequence[Sequence[_Wanted]]) -> Iterator[_Wanted]:
        """Combine one of each, without those that want a thing in two places at once."""
        for parts in product(*lists):
            wanted: _Wanted = {}
            if all(wanted.setdefault(t, at) == at for part in parts for t, at in part.items()):
                yield wanted

    def _placement(
        self, source: Term, relation: Relation, target: Term, binding: _Binding
    ) -> Iterator[_Wanted]:
        thing = source if isinstance(source, int) else binding[source]
        place = target if isinstance(target, int) else binding[target]
        if relation not in (Relation.ON, Relation.INSIDE) or not isinstance(place, int):
            yield {}
        elif place in self._by_id and thing != self._world.brief.agent:
            self._world.relate(thing, relation, place)
            yield {thing: place}
        else:  # it goes onto something that can be carried itself
            yield {}

    def _instances(self, domain: Domain, count: int) -> list[Instance]:
        """The things of a domain: seen ones first, then supposed ones where too few were seen."""
        if domain.ids is not None:
            return sorted(domain.ids)
        observed = self._world.observed
        nodes = [n for n in observed.graph.nodes() if domain.admits(n) and observed.located(n.id)]
        instances: list[Instance] = [node.id for node in nodes]
        if domain.categories and all(node.kind is Kind.OBJECT for node in nodes):
            category = min(domain.categories)
            instances += [(category, number) for number in range(1, count - len(nodes) + 1)]
        return instances


def _has_quantifier(goal: Goal) -> bool:
    match goal:
        case And(parts) | Or(parts):
            return any(map(_has_quantifier, parts))
        case ForAll() | Exists() | AtLeast():
            return True
    return False


#: The cost of an action, in units of travel cost.
ACTION = 5.0
#: Share of the looks that counts for all but the hardest thing: one look may find several.
SHARED_LOOKS = 0.5
#: Factor on the likelihood of other places for a thing that was wrong at one of its places: if the
#: thing is wanted at all, most of its places are right.
DENIED_ELSEWHERE = 0.1

_Goal = Mapping[str, str]
#: The probability of each unseen object at each area.
_Places = Mapping[str, Mapping[str, float]]


class HypothesisPrior:
    """The distribution from which hypotheses are drawn.

    Unseen things are at unseen areas with the prior's probability, independently of each other:
    the belief over places, given the observations. All acceptable goals are right, so the weight of
    a goal is lower the more it costs. For an ambiguous goal, the weight also says how well it
    agrees with the confirmed placements.

    confirmed, denied: objects with their areas, by whether they were right there.
    """

    def __init__(
        self, world: KitchenWorld, acceptable: Acceptable, prior: Prior, temperature: float
    ) -> None:
        """temperature: the extra cost that divides the weight of a goal by e."""
        self._world = world
        self._acceptable = acceptable
        self._prior = prior
        self._temperature = temperature
        self.confirmed: set[tuple[str, str]] = set()
        self.denied: set[tuple[str, str]] = set()

    def drawn(
        self, count: int, rng: Stream, refuted: Collection[Targets] = frozenset()
    ) -> list[Hypothesis]:
        """Draw hypotheses; none where no goal is left whose things have a possible place.

        refuted: goals that were reached without success.
        """
        goals: Sequence[_Goal] = [
            goal
            for goal in self._acceptable.goals()
            if self.denied.isdisjoint(goal.items()) and sorted_targets(goal) not in refuted
        ]
        places = self._places(goals)
        lost = {name for name, at in places.items() if not at}
        goals = [goal for goal in goals if not lost & goal.keys()]
        if not goals:
            return []
        weights = self._weights(goals, places)
        if self._world.brief.ambiguous:
            goals, weights = _best_by_things(goals, weights)
        drawn = []
        for number in systematic(weights, count, rng.random()):
            goal = goals[number]
            unseen = {name: _one(places[name], rng.random()) for name in goal if name in places}
            drawn.append(Hypothesis(goal, unseen))
        return drawn

    def weights(self, goals: Sequence[_Goal]) -> dict[Targets, float]:
        """The weight of each goal, on any scale."""
        weights = self._weights(goals, self._places(goals))
        return dict(zip(map(sorted_targets, goals), weights, strict=True))

    def confirm(self, confirmed: Collection[str]) -> None:
        """Record which seen objects lie where some acceptable goal wants them.

        An object at an area of no goal gives no information.
        """
        named = {pair for goal in self._acceptable.goals() for pair in goal.items()}
        for pair in named & self._world.located.items():
            (self.confirmed if pair[0] in confirmed else self.denied).add(pair)

    def _weights(self, goals: Sequence[_Goal], places: _Places) -> list[float]:
        costs = self._costs(goals, places)
        least = min(costs, default=0.0)
        return [
            exp((least - cost) / self._temperature) * self._agreement(goal)
            for goal, cost in zip(goals, costs, strict=True)
        ]

    def _agreement(self, goal: _Goal) -> float:
        """The likelihood of the confirmed and denied placements, given that this goal is right."""
        likelihood = OTHER_GOAL ** sum(goal.get(name) != area for name, area in self.confirmed)
        for name, area in self.denied:
            wanted = goal.get(name)
            if wanted is not None:
                likelihood *= 0.0 if wanted == area else DENIED_ELSEWHERE
        return likelihood

    def _places(self, goals: Sequence[_Goal]) -> dict[str, dict[str, float]]:
        world = self._world
        names = dict.fromkeys(name for goal in goals for name in goal)
        seen = {*world.located, world.held}
        return {name: self._places_of(name) for name in names if name not in seen}

    def _places_of(self, name: str) -> dict[str, float]:
        category = self._acceptable.categories[name]
        weights = {}
        for area in map(self._world.areas.__getitem__, self._world.unknown()):
            if area.is_seen:
                likelihood = exp(self._prior.score(category, area.category, area.room))
                weights[area.name] = likelihood * (1 if area.category else PLACES_OF_A_ROOM)
        total = fsum(weights.values())
        return {area: weight / total for area, weight in weights.items()}

    def _costs(self, goals: Sequence[_Goal], places: _Places) -> list[float]:
        """The expected cost of each goal: its actions, its travel, and the looks for its things."""
        # the expected number of looks until a thing is found, the likeliest area first
        looks = {
            name: fsum(n * p for n, p in enumerate(sorted(at.values(), reverse=True), start=1))
            for name, at in places.items()
        }
        ways: dict[tuple[str, str], float] = {}
        costs = []
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
            costs.append(cost + ACTION * (searched + len(closed)))
        return costs

    def _delivery(self, name: str, area: str, places: _Places) -> float:
        """The cost of bringing an object to an area, once it is found."""
        world = self._world
        at = world.located.get(name)
        if at == area:
            return 0.0
        if name == world.held:
            return ACTION
        if at is not None:
            return 2 * ACTION + world.way(at, area)
        return 2 * ACTION + fsum(p * world.way(place, area) for place, p in places[name].items())


def _best_by_things(
    goals: Sequence[_Goal], weights: Sequence[float]
) -> tuple[list[_Goal], list[float]]:
    """The likeliest of the goals for the same things, with the weights.

    The agent has to find out which things are meant, but may choose where to put them. If places
    were drawn too, particles that agree on a thing would disagree on what to do with it.
    """
    best: dict[frozenset[str], tuple[_Goal, float]] = {}
    for goal, weight in zip(goals, weights, strict=True):
        things = frozenset(goal)
        if things not in best or weight > best[things][1]:
            best[things] = goal, weight
    return [goal for goal, _ in best.values()], [weight for _, weight in best.values()]


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


def _one(at: Mapping[str, float], number: float) -> str:
    """An area drawn by its probability. number: in [0, 1)."""
    reached = 0.0
    for area, p in at.items():
        reached += p
        if reached > number:
            return area
    return list(at)[-1]
