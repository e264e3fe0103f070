"""The actions worth trying in a state of a planning problem."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ....scene_graph.goals import Related
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import POSTURES, Affordance, Relation
from ....skills.actions import Action, Verb
from ....skills.dynamics import check
from .goal_alternatives import things_of
from .heuristic import Heuristic, RemainingActions
from .relevance import RelevantProblem
from .walk_bounds import Bases


class Successors:
    """The actions worth trying in one problem's states; pruning keeps a shortest plan.

    Actions that serve nothing that remains are left out. An action is the only one if every plan
    contains it, it is possible now, and it hinders nothing. Of interchangeable things one is tried.
    """

    def __init__(self, problem: RelevantProblem, heuristic: Heuristic) -> None:
        self._problem = problem
        self._me = problem.agent
        self._heuristic = heuristic
        self._goal_places = {place for puts in problem.goal_puts.values() for _, place in puts}
        self._final_puts = self._find_final_puts()
        self._puts_cost_nothing = not (problem.agent_actions or problem.body.capacity)
        self._sorts = {thing: self._sort_of(thing) for thing in problem.movable}
        self._in_full_places = {
            thing
            for place in self._goal_places
            if problem.start[place].category in problem.body.capacity
            for thing in problem.start.contents(place)
        }
        self._must_be_off = {
            action.target
            for action in problem.state_actions
            if action.verb in (Verb.OPEN, Verb.PLUG_OUT)
        }
        self._temporary_places = {place for _, place in problem.temporary_puts}
        for _, place in problem.temporary_puts:
            self._temporary_places.update(heuristic.location(problem.start, place).inside)
        named = (thing for literal in problem.literals for thing in things_of(literal))
        goal_bases = {b for thing in named if thing in problem.start for b in self._bases(thing)}
        temporary = {base for _, place in problem.temporary_puts for base in self._bases(place)}
        # One base for temporary puts is enough beside the bases of the goal.
        self._temporary_bases = temporary - goal_bases or temporary

    def actions(
        self, graph: SceneGraph, remaining: RemainingActions, after_go_to: bool
    ) -> list[Action]:
        """List the actions worth trying in a state.

        after_go_to: whether the last action was a go_to, which a second one would make useless.
        """
        problem = self._problem
        held = graph.held(self._me)
        free = len(held) < problem.body.hands
        if not problem.event_sequences:
            for action in self._forced(graph, remaining, held):
                if self._is_possible(graph, action):
                    return [action]
        candidates = [
            *self._puts(remaining, held, free=free),
            *self._state_actions(remaining, free=free),
            *(self._picks(graph, remaining) if free else ()),
        ]
        if not after_go_to or problem.event_sequences:
            candidates += self._go_tos(graph, remaining, held, free=free)
        if not POSTURES.isdisjoint(graph[self._me].states):
            candidates.append(Action(Verb.STAND_UP))
        candidates += problem.agent_actions
        return [a for a in dict.fromkeys(candidates) if self._is_possible(graph, a)]

    def _forced(
        self, graph: SceneGraph, remaining: RemainingActions, held: Iterable[int]
    ) -> Iterator[Action]:
        """The actions that are best done as soon as possible."""
        for thing in held:
            if not graph.contents(thing):
                for relation, place in self._problem.goal_puts.get(thing, ()):
                    if (thing, relation, place) in self._final_puts:
                        yield Action(Verb.PUT, thing, relation, place)
        for verb, thing in sorted(remaining.state_changes):
            # A closed or running thing may hinder other actions on it.
            if verb is Verb.CLOSE and (
                remaining.open_ended or thing in remaining.passed or thing in self._temporary_places
            ):
                continue
            if verb is Verb.TURN_ON and thing in self._must_be_off:
                continue
            yield Action(verb, thing)

    def _puts(
        self, remaining: RemainingActions, held: Iterable[int], *, free: bool
    ) -> Iterator[Action]:
        for thing in held:
            for relation, place in self._problem.goal_puts.get(thing, ()):
                yield Action(Verb.PUT, thing, relation, place)
            if free and self._puts_cost_nothing and remaining.puts.get(thing) is not None:
                continue  # to take it to its place and come back takes no more
            for relation, place in self._problem.temporary_puts:
                yield Action(Verb.PUT, thing, relation, place)

    def _state_actions(self, remaining: RemainingActions, *, free: bool) -> Iterator[Action]:
        for action in self._problem.state_actions:
            if action.verb is Verb.CLOSE and action.target in remaining.passed:
                continue  # to close and to open it again makes nothing possible
            needed = (action.verb, action.target) in remaining.state_changes
            frees_hand = not free and action.target in self._problem.temporary_containers
            if needed or remaining.open_ended or frees_hand:
                yield action

    def _picks(self, graph: SceneGraph, remaining: RemainingActions) -> Iterator[Action]:
        useful = self._worth_picking_up(graph, remaining)
        tried = set()
        for thing in self._problem.movable:
            if thing in useful:
                sort = (self._sorts[thing], graph.outgoing(thing))
                action = Action(Verb.PICK_UP, thing)
                if sort not in tried and self._is_possible(graph, action):
                    tried.add(sort)
                    yield action

    def _worth_picking_up(self, graph: SceneGraph, remaining: RemainingActions) -> set[int]:
        """The things to move, their carriers, and their places."""
        if remaining.open_ended:
            return {
                thing
                for thing in self._problem.movable
                if graph.contents(thing)
                or not any((thing, *pair) in self._final_puts for pair in graph.outgoing(thing))
            }
        useful = self._in_full_places | remaining.picks
        for thing in (*remaining.picks, *(p for p in remaining.puts.values() if p is not None)):
            useful.add(thing)
            useful.update(graph.above(thing))
        return useful

    def _go_tos(
        self, graph: SceneGraph, remaining: RemainingActions, held: list[int], *, free: bool
    ) -> Iterator[Action]:
        close = graph.targets(self._me, Relation.CLOSE)
        useful = set(remaining.bases)
        if not free or any(remaining.puts.get(thing) is None for thing in held):
            useful |= self._temporary_bases
        for bases, action in self._problem.go_tos:
            if bases and bases.issubset(close):
                continue
            if remaining.open_ended or bases & useful:
                yield action

    def _is_possible(self, graph: SceneGraph, action: Action) -> bool:
        return (
            self._problem.allows(action)
            and check(graph, action, self._problem.body, self._me) is None
        )

    # --- once a problem --------------------------------------------------------------------------

    def _find_final_puts(self) -> set[tuple[int, Relation, int]]:
        """The puts that need no further move of the thing, so that waiting gains nothing."""
        problem = self._problem
        slicing = any(action.verb is Verb.SLICE for action in problem.state_actions)
        if problem.event_sequences or slicing:
            return set()
        related: dict[int, list[Related]] = {}
        for literal in problem.literals:
            if isinstance(literal, Related) and isinstance(literal.source, int):
                related.setdefault(literal.source, []).append(literal)
        return {
            (thing, relation, place)
            for thing, literals in related.items()
            if len(literals) == 1 and thing != self._me and thing not in self._goal_places
            for relation, place in problem.goal_puts.get(thing, ())
            if place == literals[0].target or place not in problem.movable
        }

    def _sort_of(self, thing: int) -> object:
        """A key of interchangeable things, any of which may be picked up first."""
        problem = self._problem
        literals = [each for each in problem.literals if thing in things_of(each)]
        plain = all(isinstance(each, Related) and each.source == thing for each in literals)
        if not plain or problem.agent_actions or problem.start.contents(thing):
            return thing
        if thing in self._goal_places:
            return thing
        return (
            frozenset((x.relation, x.target) for x in literals if isinstance(x, Related)),
            frozenset(problem.goal_puts.get(thing, ())),
            Affordance.CUTS in problem.start[thing].affordances,
        )

    def _bases(self, thing: int) -> Bases:
        return self._heuristic.location(self._problem.start, thing).bases
