"""What things are called for the reader of an episode: in instruction, brief and subgoals."""

from __future__ import annotations

from ..observation_text.names import Names
from ..scene_graph.graph import SceneGraph


class ReaderNames:
    """Names of all things, those that nobody has seen too.

    What was never seen is numbered after all that was, for the reader of the subgoals only.
    """

    def __init__(self, names: Names) -> None:
        """names: those that whoever acts knows."""
        self._names = names
        self._unseen: dict[int, None] = {}

    def of(self, node_id: int, agent: int, truth: SceneGraph | None) -> str:
        """What a thing is called. agent: who is told it. truth: the world, None where unknown."""
        if node_id == agent:
            return "you"
        names = self._names
        if node_id in names.numbers:
            return names(node_id)
        node = None if truth is None else truth.get(node_id)
        if truth is None or node is None:
            return f"#{node_id}"
        self._unseen[node_id] = None
        alike = [
            i
            for i in self._unseen
            if i not in names.numbers and i in truth and truth[i].category == node.category
        ]
        return f"{node.category} {names.count(node.category) + 1 + alike.index(node_id)}"
