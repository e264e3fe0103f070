"""The moves worth trying in a state of a problem."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..scene_graph.goals import Related
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import POSTURES, Affordance, Relation
from ..skills.actions import Action, Verb
from ..skills.dynamics import check
from .literals import things_of
from .needs import Assessment, Needs
from .problem import Problem


class Moves:
    """Lists moves without losing the shortest plan.

    A move that serves no need is left out. One that has to be done anyway, can be done here and
    now and stands in the way of nothing is the only one. Of things alike one stands for all.
    """

    def __init__(self, problem: Problem, assessment: Assessment) -> None:
        self._problem = problem
        self._me = problem.me
        self._assessment = assessment
        self._wanted_places = {place for puts in problem.wanted.values() for _, place in puts}
        self._final = self._find_final()
        self._marks = {thing: self._mark(thing) for thing in problem.movable}
        self._crowding = {
            thing
            for place in self._wanted_places
            if problem.start[place].category in problem.body.capacity
            for thing in problem.start.contents(place)
        }
        rest_stands = {self._stand(place) for _, place in problem.rests}
        # One more place to put things down than the stands of the goal: that is enough of them.
        self._rest_stands = rest_stands - self._stands_needed() or rest_stands

    def of(self, graph: SceneGraph, needs: Needs, moving: bool) -> list[Action]:
        """The moves worth trying.

        moving: whether the last action was a go_to; a second one would make it void.
        """
        problem = self._problem
        held = graph.held(self._me)
        free = len(held) < problem.body.hands
        for action in () if problem.events else self._sure(graph, needs, held):
            if self._possible(graph, action):
                return [action]
        candidates = [
            *self._puts(needs, held, free=free),
            *self._changes(needs),
            *(self._picks(graph, needs) if free else ()),
        ]
        if not moving or problem.events:
            candidates += self._go_tos(graph, needs, held, free=free)
        if not POSTURES.isdisjoint(graph[self._me].states):
            candidates.append(Action(Verb.STAND_UP))
        candidates += problem.deeds
        return [a for a in dict.fromkeys(candidates) if self._possible(graph, a)]

    def _sure(self, graph: SceneGraph, needs: Needs, held: Iterable[int]) -> Iterator[Action]:
        """Moves that are done as soon as they can be."""
        for thing in held:
            if not graph.contents(thing):
                for relation, place in self._problem.wanted.get(thing, ()):
                    if (thing, relation, place) in self._final:
                        yield Action(Verb.PUT, thing, relation, place)
        for verb, thing in sorted(needs.changes):
            if verb is Verb.CLOSE and (needs.open_ended or thing in needs.through):
                continue
            if verb is Verb.TURN_ON and not needs.changes.isdisjoint(
                {(Verb.OPEN, thing), (Verb.PLUG_OUT, thing)}
            ):
                continue
            yield Action(verb, thing)

    def _puts(self, needs: Needs, held: Iterable[int], *, free: bool) -> Iterator[Action]:
        for thing in held:
            for relation, place in self._problem.wanted.get(thing, ()):
                yield Action(Verb.PUT, thing, relation, place)
            if free and thing in needs.puts and needs.puts[thing] is not None:
                continue  # it would free a hand that is not needed
            for relation, place in self._problem.rests:
                yield Action(Verb.PUT, thing, relation, place)

    def _changes(self, needs: Needs) -> Iterator[Action]:
        for action in self._problem.changes:
            if action.verb is Verb.CLOSE and action.target in needs.through:
                continue
            if needs.open_ended or (action.verb, action.target) in needs.changes:
                yield action

    def _picks(self, graph: SceneGraph, needs: Needs) -> Iterator[Action]:
        useful = self._useful(graph, needs)
        tried = set()
        for thing in self._problem.movable:
            if thing in useful:
                mark = (self._marks[thing], graph.outgoing(thing))
                action = Action(Verb.PICK_UP, thing)
                if mark not in tried and self._possible(graph, action):
                    tried.add(mark)
                    yield action

    def _useful(self, graph: SceneGraph, needs: Needs) -> set[int]:
        """What is worth picking up: what has to be moved, its carriers, the places for it."""
        if needs.open_ended:
            return {
                thing
                for thing in self._problem.movable
                if graph.contents(thing)
                or not any((thing, *pair) in self._final for pair in graph.outgoing(thing))
            }
        useful = self._crowding | needs.picks
        for thing in (*needs.picks, *(p for p in needs.puts.values() if p is not None)):
            useful.add(thing)
            useful.update(graph.above(thing))
        return useful

    def _go_tos(
        self, graph: SceneGraph, needs: Needs, held: list[int], *, free: bool
    ) -> Iterator[Action]:
        close = graph.targets(self._me, Relation.CLOSE)
        stands: set[int | None] = set(needs.stands)
        if not free or any(needs.puts.get(thing) is None for thing in held):
            stands |= self._rest_stands
        for bases, action in self._problem.go_tos:
            if bases and bases.issubset(close):
                continue
            there = {self._assessment.stand_of.get(base) for base in bases}
            if needs.open_ended or there & stands:
                yield action

    def _possible(self, graph: SceneGraph, action: Action) -> bool:
        return (
            self._problem.allows(action)
            and check(graph, action, self._problem.body, self._me) is None
        )

    # --- once a problem --------------------------------------------------------------------------

    def _find_final(self) -> set[tuple[int, Relation, int]]:
        """Puts after which a thing is where it belongs, and nothing is gained by waiting."""
        problem = self._problem
        if problem.events or any(a.verb is Verb.SLICE for a in problem.changes):
            return set()
        placements: dict[int, list[Related]] = {}
        for literal in problem.literals:
            if isinstance(literal, Related) and isinstance(literal.source, int):
                placements.setdefault(literal.source, []).append(literal)
        return {
            (thing, relation, place)
            for thing, literals in placements.items()
            if len(literals) == 1 and thing != self._me and thing not in self._wanted_places
            for relation, place in problem.wanted.get(thing, ())
        }

    def _mark(self, thing: int) -> object:
        """What tells a movable thing from others: of those alike, any one may go first."""
        problem = self._problem
        literals = [each for each in problem.literals if thing in things_of(each)]
        plain = all(isinstance(each, Related) and each.source == thing for each in literals)
        if not plain or problem.start.contents(thing) or thing in self._wanted_places:
            return thing
        return (
            frozenset((x.relation, x.target) for x in literals if isinstance(x, Related)),
            frozenset(problem.wanted.get(thing, ())),
            Affordance.CUTS in problem.start[thing].affordances,
        )

    def _stands_needed(self) -> set[int | None]:
        named = (thing for literal in self._problem.literals for thing in things_of(literal))
        return {self._stand(thing) for thing in named if thing in self._problem.start}

    def _stand(self, thing: int) -> int | None:
        return self._assessment.spot(self._problem.start, thing).stand
