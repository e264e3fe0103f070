"""Acceptable goals as areas for objects, in the world observed so far.

They contain the placements of a goal: relations on or inside an area, by `and`, `or` and
quantifiers. Where a quantifier needs more things of a kind than were seen, the rest is supposed.
The other conditions are left to the planner of the whole goal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, product

from ...scene_graph.goals import And, AtLeast, Domain, Exists, ForAll, Goal, Or, Related, Term
from ...scene_graph.node import Kind, Relation
from ..kits.belief.world import KitchenWorld, joined

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
        self._fixed = None if _has_quantifier(goal) else self._grounded()
        known = (world.brief.goal_things or {}).values()
        self.categories = {world.name(thing.id): thing.category for thing in known}

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
