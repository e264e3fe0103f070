"""Control flow against a short reference of the paper's Algorithm 2, over random trees."""

from __future__ import annotations

import random
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import pytest

from peephole.planners.contract import Think
from peephole.planners.kits.agent_tree import ControlFlow, Status, execute_flow, majority

TREES = 10_000


@dataclass(frozen=True)
class Tree:
    """An agent that comes to something by itself, or that expands."""

    name: str
    succeeds: bool = True
    flow: ControlFlow | None = None
    children: tuple[Tree, ...] = ()


def reference(tree: Tree, log: list[str]) -> bool:
    """Whether a tree succeeds; the names of the agents that were carried out."""
    log.append(tree.name)
    if tree.flow is None:
        return tree.succeeds
    results = []
    for child in tree.children:
        result = reference(child, log)
        if tree.flow == "sequence" and not result:
            return False
        if tree.flow == "fallback" and result:
            return True
        results.append(result)
    if tree.flow == "sequence":
        return True
    if tree.flow == "fallback":
        return False
    return results.count(True) > results.count(False)


def carried_out(tree: Tree) -> Generator[Any, Any, Status]:
    yield Think(tree.name)
    if tree.flow is None:
        return Status.SUCCESS if tree.succeeds else Status.FAILURE
    return (yield from execute_flow(tree.flow, tree.children, carried_out))


def random_tree(chance: random.Random, name: str = "0", depth: int = 0) -> Tree:
    if depth == 4 or chance.random() < 0.4:
        return Tree(name, chance.random() < 0.6)
    count = chance.randint(1, 4)
    children = tuple(random_tree(chance, f"{name}.{i}", depth + 1) for i in range(count))
    return Tree(name, flow=chance.choice(list(ControlFlow)), children=children)


def test_random_trees_come_to_what_the_reference_says() -> None:
    chance = random.Random(16)
    seen = set()
    for _ in range(TREES):
        tree = random_tree(chance)
        expected_log: list[str] = []
        expected = reference(tree, expected_log)
        log, status = [], None
        execution = carried_out(tree)
        try:
            while True:
                log.append(next(execution).text)
        except StopIteration as end:
            status = end.value
        assert status is (Status.SUCCESS if expected else Status.FAILURE)
        assert log == expected_log
        seen.add((tree.flow, expected))
    assert len(seen) == 8


@pytest.mark.parametrize(
    ("successes", "failures", "status"),
    [(1, 0, "success"), (2, 1, "success"), (1, 1, "failure"), (2, 2, "failure"), (0, 1, "failure")],
)
def test_a_tie_is_no_majority(successes: int, failures: int, status: str) -> None:
    assert majority([Status.SUCCESS] * successes + [Status.FAILURE] * failures) == status
