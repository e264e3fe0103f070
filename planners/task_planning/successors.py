"""The moves worth trying in a state of a problem."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...scene_graph.goals import Related
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import POSTURES, Affordance, Relation
from ...skills.actions import Action, Verb
from ...skills.dynamics import check
from .goal_alternatives import things_of
from .heuristic import Heuristic, RemainingActions
from .relevance import RelevantProblem


class Successors:
    """Lists moves without losing the shortest plan.

    A move that serves no need is left out. One that has to be done anyway, can be done here and
    now and stands in the way of nothing is the only one. Of things alike one stands for all.
    """

    def __init__(self, problem: RelevantProblem, assessment: Heuristic) -> None:
        self._problem = problem
        self._me = problem.me
        self._assessment = assessment
        self._wanted_places = {place for puts in problem.wanted.values() for _, place in puts}
        self._final = self._find_final()
        self._rest_doors = problem.rest_doors
        self._carefree = not (problem.deeds or problem.body.capacity)
        self._marks = {thing: self._mark(thing) for thing in problem.movable}
        self._crowding = {
            thing
            for place in self._wanted_places
            if problem.start[place].category in problem.body.capacity
            for thing in problem.start.contents(place)
        }
        self._stopped = {
            action.target for action in problem.changes if action.verb in (Verb.OPEN, Verb.PLUG_OUT)
        }
        self._resting = {place for _, place in problem.rests}
        for _, place in problem.rests:
            self._resting.update(assessment.spot(problem.start, place).inside)
        named = (thing for literal in problem.literals for thing in things_of(literal))
        needed = {base for thing in named if thing in problem.start for base in self._stands(thing)}
        rest_stands = {base for _, place in problem.rests for base in self._stands(place)}
        # One more place to put things down than the stands of the goal: that is enough of them.
        self._rest_stands = rest_stands - needed or rest_stands

    def of(self, graph: SceneGraph, needs: RemainingActions, moving: bool) -> list[Action]:
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
            *self._changes(needs, free=free),
            *(self._picks(graph, needs) if free else ()),
        ]
        if not moving or problem.events:
            candidates += self._go_tos(graph, needs, held, free=free)
        if not POSTURES.isdisjoint(graph[self._me].states):
            candidates.append(Action(Verb.STAND_UP))
        candidates += problem.deeds
        return [a for a in dict.fromkeys(candidates) if self._possible(graph, a)]

    def _sure(
        self, graph: SceneGraph, needs: RemainingActions, held: Iterable[int]
    ) -> Iterator[Action]:
        """Moves that are done as soon as they can be."""
        for thing in held:
            if not graph.contents(thing):
                for relation, place in self._problem.wanted.get(thing, ()):
                    if (thing, relation, place) in self._final:
                        yield Action(Verb.PUT, thing, relation, place)
        for verb, thing in sorted(needs.changes):
            # What is shut or runs may be in the way later, of what else has to be done with it.
            if verb is Verb.CLOSE and (
                needs.open_ended or thing in needs.through or thing in self._resting
            ):
                continue
            if verb is Verb.TURN_ON and thing in self._stopped:
                continue
            yield Action(verb, thing)

    def _puts(
        self, needs: RemainingActions, held: Iterable[int], *, free: bool
    ) -> Iterator[Action]:
        for thing in held:
            for relation, place in self._problem.wanted.get(thing, ()):
                yield Action(Verb.PUT, thing, relation, place)
            if free and self._carefree and needs.puts.get(thing) is not None:
                continue  # to take it to its place and come back takes no more
            for relation, place in self._problem.rests:
                yield Action(Verb.PUT, thing, relation, place)

    def _changes(self, needs: RemainingActions, *, free: bool) -> Iterator[Action]:
        for action in self._problem.changes:
            if action.verb is Verb.CLOSE and action.target in needs.through:
                continue  # to close and to open it again makes nothing possible
            wanted = (action.verb, action.target) in needs.changes
            if wanted or needs.open_ended or (not free and action.target in self._rest_doors):
                yield action

    def _picks(self, graph: SceneGraph, needs: RemainingActions) -> Iterator[Action]:
        useful = self._useful(graph, needs)
        tried = set()
        for thing in self._problem.movable:
            if thing in useful:
                mark = (self._marks[thing], graph.outgoing(thing))
                action = Action(Verb.PICK_UP, thing)
                if mark not in tried and self._possible(graph, action):
                    tried.add(mark)
                    yield action

    def _useful(self, graph: SceneGraph, needs: RemainingActions) -> set[int]:
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
        self, graph: SceneGraph, needs: RemainingActions, held: list[int], *, free: bool
    ) -> Iterator[Action]:
        close = graph.targets(self._me, Relation.CLOSE)
        stands = set(needs.stands)
        if not free or any(needs.puts.get(thing) is None for thing in held):
            stands |= self._rest_stands
        for bases, action in self._problem.go_tos:
            if bases and bases.issubset(close):
                continue
            if needs.open_ended or bases & stands:
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
            if place == literals[0].target or place not in problem.movable
        }

    def _mark(self, thing: int) -> object:
        """What tells a movable thing from others: of those alike, any one may go first."""
        problem = self._problem
        literals = [each for each in problem.literals if thing in things_of(each)]
        plain = all(isinstance(each, Related) and each.source == thing for each in literals)
        if not plain or problem.deeds or problem.start.contents(thing):
            return thing
        if thing in self._wanted_places:
            return thing
        return (
            frozenset((x.relation, x.target) for x in literals if isinstance(x, Related)),
            frozenset(problem.wanted.get(thing, ())),
            Affordance.CUTS in problem.start[thing].affordances,
        )

    def _stands(self, thing: int) -> frozenset[int]:
        return self._assessment.spot(self._problem.start, thing).stands
