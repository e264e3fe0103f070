"""A lower bound on the actions that a problem still takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..scene_graph.goals import Happened, HasState, Not, Related, satisfied
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import OPPOSITE, Affordance, Kind, Relation, State
from ..skills.actions import Verb
from ..skills.dynamics import bases, reaches
from .appraisal import VERB_FOR, shut_around
from .problem import Problem


class _Needs:
    """What a state still lacks. Each entry stands for one action that every plan contains."""

    def __init__(self) -> None:
        self.picks: set[int] = set()
        self.puts: dict[int, int | None] = {}  # thing to place; None where there is a choice
        self.changes: set[tuple[Verb, int]] = set()
        self.visits: set[int] = set()  # what must be reached
        self.anything = False  # at least one action, of a kind not counted above


class Estimate:
    """Counts the picks, puts, state changes and walks that no plan can do without.

    It never overestimates: every entry is an action of its own. Walks are counted by stand: one
    arrival at each stand where something is to be done, and as many as the hands require where
    more things have to leave it or to come to it than can be held at once.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._me = problem.me
        self._hands = max(problem.body.hands, 1)
        self._class_of = _classes(problem.start)
        self._wanted_states = {
            (each.thing, each.state) for each in problem.literals if isinstance(each, HasState)
        }
        related = [each for each in problem.literals if isinstance(each, Related)]
        self._placed = {x.source for x in related if x.relation is not Relation.INSIDE}
        count = Counter(each.source for each in related)
        self._once = {source for source, times in count.items() if times == 1}

    def __call__(self, graph: SceneGraph, done: frozenset[Happened]) -> int:
        """At least how many actions are missing; 0 exactly where all literals hold."""
        needs = _Needs()
        for literal in self._problem.literals:
            if isinstance(literal, Happened):
                needs.anything = needs.anything or literal not in done
            elif not satisfied(literal, graph):
                self._read(graph, literal, needs)
        total = len(needs.picks) + len(needs.puts) + len(needs.changes)
        total += self._lacks_tool(graph, needs) + self._walks(graph, needs)
        return max(total, 1) if needs.anything else total

    def _read(self, graph: SceneGraph, literal: object, needs: _Needs) -> None:
        match literal:
            case HasState(int(thing), state):
                self._change(graph, VERB_FOR[state][0], thing, needs)
            case Not(HasState(int(thing), state)):
                self._change(graph, VERB_FOR[OPPOSITE[state]][0], thing, needs)
            case Related(source, relation, int(target)) if source == self._me:
                if relation is Relation.HOLDS:
                    self._pick(graph, target, needs)
                elif relation is Relation.CLOSE:
                    needs.visits.add(target)
                needs.anything = True
            case Related(int(source), relation, int(target)):
                self._place(graph, source, relation, target, needs)
            case Not(Related(source, Relation.HOLDS, int(target))) if source == self._me:
                needs.puts.setdefault(target, None)
            case Not(Related(int(source), _, _)):
                if source != self._me:
                    needs.visits.add(source)
                    self._open(graph, shut_around(graph, source), needs)
                needs.anything = True

    def _place(
        self, graph: SceneGraph, thing: int, relation: Relation, place: int, needs: _Needs
    ) -> None:
        source = thing
        self._open(graph, shut_around(graph, place), needs)
        if relation is Relation.INSIDE:
            if State.CLOSED in graph[place].states:
                self._open(graph, [place], needs)
            if thing in self._placed:
                needs.anything = True  # where it has to be put otherwise may lie inside
                return
            thing = self._outermost(graph, thing)
        if thing not in graph.held(self._me):
            self._pick(graph, thing, needs)
        needs.puts[thing] = None
        if relation is not Relation.INSIDE or Affordance.CONTAINER in graph[place].affordances:
            needs.visits.add(place)
            if source in self._once:  # otherwise another carrier may bring it there
                needs.puts[thing] = place

    def _pick(self, graph: SceneGraph, thing: int, needs: _Needs) -> None:
        needs.picks.add(thing)
        needs.visits.add(thing)
        self._open(graph, shut_around(graph, thing), needs)

    def _change(self, graph: SceneGraph, verb: Verb, thing: int, needs: _Needs) -> None:
        needs.changes.add((verb, thing))
        needs.visits.add(thing)
        self._open(graph, shut_around(graph, thing), needs)
        states = graph[thing].states
        if verb is Verb.TURN_ON and State.PLUGGED_OUT in states:
            needs.changes.add((Verb.PLUG_IN, thing))
        if verb in (Verb.OPEN, Verb.PLUG_OUT) and State.ON in states:
            needs.changes.add((Verb.TURN_OFF, thing))

    def _open(self, graph: SceneGraph, containers: Iterable[int], needs: _Needs) -> None:
        for container in containers:
            needs.changes.add((Verb.OPEN, container))
            needs.visits.add(container)
            if State.ON in graph[container].states:
                needs.changes.add((Verb.TURN_OFF, container))
                if (container, State.ON) in self._wanted_states:
                    needs.changes.add((Verb.TURN_ON, container))
            if (container, State.CLOSED) in self._wanted_states:
                needs.changes.add((Verb.CLOSE, container))

    def _lacks_tool(self, graph: SceneGraph, needs: _Needs) -> bool:
        if not self._problem.body.needs_tool:
            return False
        if not any(verb is Verb.SLICE for verb, _ in needs.changes):
            return False
        near = [*graph.held(self._me), *needs.picks]
        near += [thing for carrier in needs.picks for thing in graph.below(carrier)]
        return not any(Affordance.CUTS in graph[thing].affordances for thing in near)

    def _walks(self, graph: SceneGraph, needs: _Needs) -> int:
        here = {
            self._class_of[base]
            for base in graph.targets(self._me, Relation.CLOSE)
            if base in self._class_of
        }
        leaving: Counter[int] = Counter()
        arriving: Counter[int] = Counter()
        carried: Counter[int] = Counter()
        visited = set()
        for thing in needs.visits:
            stand = self._stand(graph, thing)
            if stand is not None and not reaches(graph, self._me, thing):
                visited.add(stand)
        for thing, place in needs.puts.items():
            if place is None or self._carrier(graph, place) or self._carrier(graph, thing, 1):
                continue
            there = self._stand(graph, place)
            if there is None:
                continue
            if thing not in needs.picks:
                carried[there] += 1
                continue
            stand = self._stand(graph, thing)
            if stand is not None and stand != there:
                leaving[stand] += 1
                arriving[there] += 1
        walks = 0
        for stand in {*visited, *leaving, *arriving, *carried}:
            if stand in here:
                out = leaving[stand] - self._hands
                into = arriving[stand]
                least = 1 if stand in visited else 0
            else:
                out = leaving[stand]
                into = arriving[stand] + carried[stand]
                least = 1
            walks += max(-(-out // self._hands), -(-into // self._hands), least)
        return walks

    def _stand(self, graph: SceneGraph, thing: int) -> int | None:
        """The class of stands where a thing is reached; None for what is in hand."""
        for base in bases(graph, thing):
            if base in self._class_of and not graph.has_edge(self._me, Relation.HOLDS, base):
                return self._class_of[base]
        return None

    def _carrier(self, graph: SceneGraph, thing: int, skip: int = 0) -> bool:
        """Whether a thing is carried by one that can itself be moved (skip 1: but itself)."""
        chain = [thing, *graph.above(thing)][skip:]
        return any(Affordance.GRASPABLE in graph[node_id].affordances for node_id in chain)

    def _outermost(self, graph: SceneGraph, thing: int) -> int:
        """The outermost graspable thing that carries this one, or itself."""
        found = thing
        for place in graph.above(thing):
            if Affordance.GRASPABLE in graph[place].affordances:
                found = place
        return found


def _classes(graph: SceneGraph) -> dict[int, int]:
    """Of each base the class of those stood at together, named by its least member.

    Something kept at two bases is reached by one walk that arrives at both.
    """
    parent: dict[int, int] = {}

    def root(base: int) -> int:
        while parent.setdefault(base, base) != base:
            base = parent[base]
        return base

    for node in graph.nodes():
        if node.kind in (Kind.ROOM, Kind.SCENE, Kind.AGENT):
            continue
        found = [root(base) for base in bases(graph, node.id)]
        for other in found[1:]:
            first, second = sorted((root(found[0]), root(other)))
            parent[second] = first
    return {base: root(base) for base in parent}
