"""The action tree: plans merged where they begin alike, and what became of its actions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ..kits.written_plans.skills import Skill


class ActionState(StrEnum):
    """What became of an action. INVALID: it was done, and all that could follow it has failed."""

    OPEN = "open"
    SUCCESS = "success"
    FAILURE = "failure"
    INVALID = "invalid"


@dataclass(eq=False)
class ActionNode:
    """An action after those above it. plans: how many plans have it. skill: None of the root.

    asked: how often it was asked what follows.
    """

    id: int
    skill: Skill | None
    parent: ActionNode | None
    plans: int = 0
    asked: int = 0
    state: ActionState = ActionState.OPEN
    children: dict[Skill, ActionNode] = field(default_factory=dict)

    def choices(self) -> list[ActionNode]:
        """What may follow and was not done yet, that of most plans first."""
        left = [child for child in self.children.values() if child.state is ActionState.OPEN]
        return sorted(left, key=lambda child: -child.plans)


class ActionTree:
    """Plans as a tree: those that begin with the same actions share them."""

    def __init__(self, instruction: str, plans: Iterable[Sequence[Skill]]) -> None:
        self._instruction = instruction
        self.root = ActionNode(0, None, None)
        self._count = 1
        self._told: dict[int, dict[str, Any]] = {}
        for plan in plans:
            self._add(plan)

    def __len__(self) -> int:
        """How many actions it has."""
        return self._count - 1

    def _add(self, plan: Sequence[Skill]) -> None:
        node = self.root
        node.plans += 1
        for skill in plan:
            child = node.children.get(skill)
            if child is None:
                child = node.children[skill] = ActionNode(self._count, skill, node)
                self._count += 1
            child.plans += 1
            node = child

    def cut(self, node: ActionNode) -> ActionNode | None:
        """Cut off an action that failed; the nearest one above it with another way on.

        None where no plan is left.
        """
        node.state, self.root.state = ActionState.FAILURE, ActionState.OPEN
        above = node.parent
        while above is not None and not above.choices():
            above.state = ActionState.INVALID
            above = above.parent
        return above

    def finish(self, node: ActionNode) -> None:
        """Take in that the end of a plan was reached."""
        node.state = self.root.state = ActionState.SUCCESS

    # --- as a note tells it --------------------------------------------------------------------

    def changes(self) -> Mapping[str, Any]:
        """The tree as data of a note "tree": what is new or changed since this was asked last.

        Actions in a row without a fork are one node, and every fork is one between its
        alternatives and the row that leads to it.
        """
        changed = []
        for node in self._segments(self.root, None):
            if self._told.get(node["id"]) != node:
                self._told[node["id"]] = node
                changed.append(node)
        return {"nodes": changed}

    def _segments(self, first: ActionNode, fork: int | None) -> Iterator[dict[str, Any]]:
        row = [first]
        while len(row[-1].children) == 1:
            row += row[-1].children.values()
        texts = [node.skill.text for node in row if node.skill is not None]
        told = {
            "goal": "; ".join(texts) or self._instruction,
            "state": _state(row),
            "decisions": sum(node.asked for node in row),
        }
        yield {"id": 2 * first.id, "parent": fork, "kind": "agent", **told}
        last = row[-1]
        if last.children:
            number = 2 * first.id + 1
            yield {"id": number, "parent": 2 * first.id, "kind": "fallback", **told}
            for child in last.children.values():
                yield from self._segments(child, number)


def _state(row: Sequence[ActionNode]) -> str:
    """What became of actions in a row; of the root alone, whether a plan was carried out."""
    states = {node.state for node in row if node.skill is not None or len(row) == 1}
    if ActionState.FAILURE in states or ActionState.INVALID in states:
        return "failure"
    return "success" if states == {ActionState.SUCCESS} else "running"
