"""Problems of small houses, and Fast Downward."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from peephole.observation_text.names import Names
from peephole.planners.kits.map.names import NodeNames
from peephole.planners.kits.pddl.problem import Problem, facts_of, things_of
from peephole.planners.kits.pddl.solving import FastDownward, solver
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.s_expressions import Expression

ProblemOf = Callable[..., Problem]


@pytest.fixture(scope="session")
def names_of() -> Callable[[SceneGraph], NodeNames]:
    """The names of the nodes of a graph."""

    def names(graph: SceneGraph) -> NodeNames:
        name = Names(list(graph.nodes()))
        return NodeNames({node.id: name(node.id) for node in graph.nodes()})

    return names


@pytest.fixture(scope="session")
def problem_of(names_of: Callable[[SceneGraph], NodeNames]) -> ProblemOf:
    """The problem of a graph with a goal."""

    def problem(graph: SceneGraph, *goals: Expression) -> Problem:
        names, agent = names_of(graph), graph.agent().id
        return Problem(
            tuple(map(names.name, graph.room_ids)),
            tuple(map(names.name, things_of(graph, agent))),
            tuple(facts_of(graph, names.name, agent)),
            ["and", *goals],
        )

    return problem


@pytest.fixture(scope="session")
def engine() -> Iterator[FastDownward]:
    """Fast Downward without a cache."""
    with solver() as engine:
        yield engine
