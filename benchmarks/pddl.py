"""Fast Downward on the problems of scene graphs: time, validity of plans, and what slicing saves.

    .venv/bin/python benchmarks/pddl.py [--tasks N] [--only ID …] [--json]

Each of the 187 tasks of the suite behavior becomes a PDDL problem of its true graph, with the
cheapest alternative of its goal. It is solved as a whole and cut to what matters, and each plan is
carried out in the built-in world (`skills/dynamics`). Printed are the seconds from question to
answer (the solver process is running already, see `planners/kits/pddl/solving.py`), the share
solved within 5 s, failed actions, goals that did not hold then, and the tasks whose plans differ
in cost. Then a house of 200 objects is replanned 20 times, as after something was found.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import inf

from peephole.adapters.omnigibson import activities, scenes
from peephole.adapters.omnigibson.adapter import OmniGibsonAdapter
from peephole.observation_text.names import Names
from peephole.planners.kits.household.goal_alternatives import GoalAlternatives, Literal
from peephole.planners.kits.household.literal_costs import LiteralCosts
from peephole.planners.kits.map.names import NodeNames
from peephole.planners.kits.pddl.domain import actions_of
from peephole.planners.kits.pddl.problem import Problem, facts_of, relevant_part, things_of
from peephole.planners.kits.pddl.solving import FastDownward, Unsolved, solver
from peephole.scene_graph.goal_evaluation import bind, satisfied
from peephole.scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    Exists,
    ForAll,
    Goal,
    HasState,
    Not,
    Or,
    Related,
)
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Kind, Node, Relation, State
from peephole.scene_graph.s_expressions import Expression
from peephole.scene_graph.task import Task
from peephole.skills.dynamics import step
from peephole.suites.behavior.suites import load

BODY = OmniGibsonAdapter.spec.embodiment
ALTERNATIVES = 40
LIMIT_S = 5.0
DEADLINE_S = 20.0
ROOMS, FURNITURE, OBJECTS, REPLANS = 10, 60, 200, 20

_RELATIONS = {Relation.ON: "ontop", Relation.INSIDE: "inside"}
_STATES = {State.CLOSED: "closed", State.ON: "on-state"}


def condition(literal: Literal, name: Callable[[int], str]) -> Expression:
    """A ground literal in the words of the domain."""
    match literal:
        case Not(part):
            return ["not", condition(part, name)]
        case HasState(int(thing), State.OPEN):
            return ["not", ["closed", name(thing)]]
        case HasState(int(thing), State.OFF):
            return ["not", ["on-state", name(thing)]]
        case HasState(int(thing), state):
            return [_STATES[state], name(thing)]
        case Related(int(thing), relation, int(place)):
            return [_RELATIONS[relation], name(thing), name(place)]
    raise ValueError(f"no literal of the domain: {literal}")


def spelled_out(goal: Goal, graph: SceneGraph, name: Callable[[int], str]) -> Expression:
    """Any goal over states and relations, its quantifiers written out over the nodes there are."""
    match goal:
        case And(parts) | Or(parts):
            word = "and" if isinstance(goal, And) else "or"
            return [word, *(spelled_out(part, graph, name) for part in parts)]
        case Not(part):
            return ["not", spelled_out(part, graph, name)]
        case ForAll(variable, domain, body) | Exists(variable, domain, body):
            word = "and" if isinstance(goal, ForAll) else "or"
            return [word, *members(variable, domain, body, graph, name)]
        case AtLeast(count, variable, domain, body):
            some = combinations(members(variable, domain, body, graph, name), count)
            return ["or", *(["and", *chosen] for chosen in some)]
    assert isinstance(goal, HasState | Related), "the goals of this suite ask for nothing else"
    return condition(goal, name)


def members(
    variable: str, domain: Domain, body: Goal, graph: SceneGraph, name: Callable[[int], str]
) -> list[Expression]:
    nodes = [node.id for node in graph.nodes() if domain.admits(node)]
    return [spelled_out(bind(body, variable, node), graph, name) for node in nodes]


def problem_of(graph: SceneGraph, goal: Sequence[Expression], names: NodeNames) -> Problem:
    """The problem of a whole graph."""
    agent = graph.agent().id
    return Problem(
        tuple(map(names.name, graph.room_ids)),
        tuple(map(names.name, things_of(graph, agent))),
        tuple(facts_of(graph, names.name, agent)),
        ["and", *goal],
    )


def names_of(graph: SceneGraph) -> NodeNames:
    names = Names(graph.nodes())
    return NodeNames({node.id: names(node.id) for node in graph.nodes()})


class Answer:
    """What came of one problem. cost: None without a plan. failed: actions that failed."""

    def __init__(self, engine: FastDownward, problem: Problem) -> None:
        began = time.perf_counter()
        try:
            self.steps = engine.solve(BODY, problem).steps
        except Unsolved as unsolved:
            self.steps, self.why = (), str(unsolved)
            self.cost: int | None = None
        else:
            self.cost = len(self.steps)
        self.seconds = time.perf_counter() - began

    def failures(self, graph: SceneGraph, names: NodeNames) -> tuple[int, SceneGraph]:
        """How many actions of the plan fail in the built-in world, and how it is afterwards."""
        agent = graph.agent().id
        after = graph.copy()
        actions = actions_of(self.steps, names.id, graph, BODY, agent)
        return sum(step(after, action, BODY, agent) is not None for action in actions), after


def goal_of(task: Task, graph: SceneGraph, names: NodeNames) -> list[Expression]:
    """The cheapest alternative of a task's goal; where none is found, all of it spelled out."""
    costs = LiteralCosts(graph, OmniGibsonAdapter.spec.actions, graph.agent().id, ())
    found = GoalAlternatives(graph, costs.cost, ALTERNATIVES).alternatives(task.goal)
    if not found:
        return [spelled_out(task.goal, graph, names.name)]
    goals = [_directly(goal, graph) for goal in found]
    chosen = next(filter(_possible, goals), goals[0])
    return [condition(literal, names.name) for literal in chosen]


def _directly(goal: Sequence[Literal], graph: SceneGraph) -> list[Literal]:
    """The goal as problems tell places: of a thing in another one the thing is not said as well.

    What already holds of things that cannot be moved is left out.
    """
    places = {(g.source, g.target) for g in goal if isinstance(g, Related)}
    on = {g.source: g.target for g in goal if isinstance(g, Related) and g.relation is Relation.ON}
    said: dict[Literal, None] = {}
    for literal in goal:
        match literal:
            case Related(int(thing), _, int()) if Affordance.GRASPABLE not in graph[
                thing
            ].affordances and satisfied(literal, graph):
                continue
            case Related(thing, Relation.INSIDE, place):
                keepers = [k for other, k in places if other == thing and (k, place) in places]
                if thing in on:
                    keepers.append(on[thing])
                if keepers:
                    said[Related(keepers[0], Relation.INSIDE, place)] = None
                    continue
        said[literal] = None
    return [*said]


def _possible(goal: Sequence[Literal]) -> bool:
    """Whether the goal wants no thing in two places, nor on or in itself."""
    keeper: dict[object, object] = {}
    for literal in goal:
        match literal:
            case Related(thing, _, place) if keeper.setdefault(thing, place) != place:
                return False
    for thing in keeper:
        at: object = thing
        for _ in keeper:
            at = keeper.get(at)
            if at == thing:
                return False
    return True


def big_house() -> SceneGraph:
    """A house of so many rooms, pieces of furniture and objects; every third piece has a door."""
    graph = SceneGraph()

    def add(category: str, kind: Kind, can: set[Affordance], *states: State) -> int:
        node_id = len(graph) + 1
        graph.add_node(Node(node_id, category, kind, node_id, frozenset(states), frozenset(can)))
        return node_id

    rooms = [add("room", Kind.ROOM, set()) for _ in range(ROOMS)]
    graph.add_edge(add("agent", Kind.AGENT, set()), Relation.INSIDE, rooms[0])
    places: list[tuple[int, Relation]] = []
    for number in range(FURNITURE):
        if number % 3:
            place = add("table", Kind.FIXTURE, {Affordance.SURFACE})
        else:
            can = {Affordance.CONTAINER, Affordance.OPENABLE}
            place = add("cabinet", Kind.FIXTURE, can, State.CLOSED)
        graph.add_edge(place, Relation.INSIDE, rooms[number % ROOMS])
        places.append((place, Relation.ON if number % 3 else Relation.INSIDE))
    for number in range(OBJECTS):
        thing = add("cup", Kind.OBJECT, {Affordance.GRASPABLE})
        place, relation = places[number % FURNITURE]
        graph.add_edge(thing, relation, place)
    return graph


def replans(engine: FastDownward) -> Iterator[tuple[float, bool]]:
    """Seconds of replanning for three things of the big house, and whether the plan is valid."""
    graph = big_house()
    names = names_of(graph)
    cups = [node.id for node in graph.nodes() if node.category == "cup"]
    tables = [node.id for node in graph.nodes() if node.category == "table"]
    for number in range(REPLANS):
        goal = [
            Related(cups[(7 * number + 61 * i) % OBJECTS], Relation.ON, tables[(number + i) % 40])
            for i in range(3)
        ]
        began = time.perf_counter()
        wanted = [condition(literal, names.name) for literal in goal]
        answer = Answer(engine, relevant_part(problem_of(graph, wanted, names)))
        seconds = time.perf_counter() - began
        failed, after = answer.failures(graph, names)
        yield seconds, not failed and all(satisfied(literal, after) for literal in goal)


def measure(tasks: int | None, only: Sequence[str] | None) -> dict[str, object]:
    whole_s, sliced_s, kept = [], [], []
    failed, unreached, unsolved, dearer, cheaper = [], [], [], [], []
    with solver(deadline_s=DEADLINE_S) as engine:
        house = big_house()
        Answer(engine, relevant_part(problem_of(house, (), names_of(house))))  # until it is ready
        for task in load().tasks[:tasks]:
            if only is not None and task.id not in only:
                continue
            graph = scenes.scene_of(activities.read(task.id))
            names = names_of(graph)
            problem = problem_of(graph, goal_of(task, graph, names), names)
            part = relevant_part(problem)
            whole, sliced = Answer(engine, problem), Answer(engine, part)
            for answer, seconds in ((whole, whole_s), (sliced, sliced_s)):
                seconds.append(inf if answer.cost is None else answer.seconds)
            kept.append(len(part.things) / len(problem.things))
            line = f"{task.id}: {whole.cost} in {whole.seconds:.2f} s, sliced {sliced.cost} in"
            print(f"{len(kept)}/187 {line} {sliced.seconds:.2f} s", file=sys.stderr, flush=True)
            for answer in (whole, sliced):
                if answer.cost is None:
                    unsolved.append(f"{task.id}: {answer.why}")
                    continue
                failures, after = answer.failures(graph, names)
                if failures:
                    failed.append(task.id)
                elif not satisfied(task.goal, after):
                    unreached.append(task.id)
            if whole.cost is not None and sliced.cost is not None:
                if sliced.cost > whole.cost:
                    dearer.append(f"{task.id}: {sliced.cost} instead of {whole.cost}")
                elif sliced.cost < whole.cost:
                    cheaper.append(f"{task.id}: {sliced.cost} instead of {whole.cost}")
        again = [*replans(engine)]
    return {
        "tasks": len(whole_s),
        "whole: solved within 5 s": sum(s <= LIMIT_S for s in whole_s),
        "whole: seconds, median": round(statistics.median(whole_s), 2),
        "whole: seconds, longest": round(max(whole_s), 2),
        "sliced: solved within 5 s": sum(s <= LIMIT_S for s in sliced_s),
        "sliced: seconds, median": round(statistics.median(sliced_s), 2),
        "sliced: seconds, longest": round(max(sliced_s), 2),
        "sliced: share of things kept, median": round(statistics.median(kept), 2),
        "not solved": unsolved,
        "plans with a failed action": failed,
        "plans after which the goal does not hold": unreached,
        "dearer plans with slicing": dearer,
        "cheaper plans with slicing": cheaper,
        "replans at 200 objects: seconds, median": round(statistics.median(s for s, _ in again), 2),
        "replans at 200 objects: seconds, longest": round(max(s for s, _ in again), 2),
        "replans at 200 objects: valid": sum(valid for _, valid in again),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tasks", type=int, help="only so many tasks")
    parser.add_argument("--only", nargs="+", metavar="ID", help="only these tasks")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.tasks, options.only)
    if options.json:
        print(json.dumps(found))
        return
    for what, value in found.items():
        if isinstance(value, list):
            print(f"{what}: {len(value)}", *value, sep="\n  ")
        else:
            print(f"{what}: {value}")


if __name__ == "__main__":
    main()
