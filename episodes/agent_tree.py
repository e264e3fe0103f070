"""The tree of agents of an episode, read off the notes that tell how it grew.

A note "tree" has the nodes that changed; of a node that is told of again the newest data counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..planners.contract import Note
from .events import Decided, RecordedEvent, Started

#: The name of the notes.
TREE = "tree"
#: How it is marked what came of an agent.
_MARKS = {"success": "✓", "failure": "✗", "left out": "–"}
_RUNNING, _LEFT_OUT = "running", "left out"
_FIELDS = frozenset({"id", "parent", "kind", "goal", "state", "decisions"})

_Node = Mapping[str, Any]


@dataclass(frozen=True)
class TreeLine:
    """An agent as a line. depth: from 0, the root's. decisions: its own, not those below.

    flow: how its goal was divided, empty where it was not. state: what came of it, also where
    others brought it about; "left out" where it never began.
    """

    depth: int
    goal: str
    flow: str
    state: str
    decisions: int

    @property
    def mark(self) -> str:
        return _MARKS.get(self.state, "…")

    @property
    def figures(self) -> str:
        """How its goal was divided, and the decisions that it took."""
        if self.state == _LEFT_OUT:
            return _LEFT_OUT
        count = f"{self.decisions} decision{'s' if self.decisions != 1 else ''}"
        return ", ".join([*([self.flow] if self.flow else []), count])


def tree_lines(events: Iterable[RecordedEvent]) -> list[TreeLine]:
    """The tree as lines from the top, as it was in the end; none where there was no tree."""
    nodes: dict[int, _Node] = {}
    for event in events:
        if isinstance(event, Started):
            nodes.clear()
        elif isinstance(event, Decided) and isinstance(event.decision, Note):
            nodes.update((node["id"], node) for node in tree_nodes(event.decision))
    children: dict[int | None, list[_Node]] = {}
    for _, node in sorted(nodes.items()):
        children.setdefault(node["parent"], []).append(node)
    return [line for root in children.get(None, []) for line in _lines(root, 0, children)]


def tree_nodes(note: Note) -> Iterator[_Node]:
    """The nodes of a note, without those of another form, which anybody's planner may note."""
    nodes = note.data.get("nodes", ()) if note.name == TREE else ()
    for node in nodes if isinstance(nodes, Sequence) else ():
        if isinstance(node, Mapping) and node.keys() >= _FIELDS and isinstance(node["id"], int):
            yield node


def _lines(
    agent: _Node, depth: int, children: Mapping[int | None, Sequence[_Node]]
) -> Iterator[TreeLine]:
    flow = next(iter(children.get(agent["id"], ())), None)
    if flow is None:
        yield TreeLine(depth, str(agent["goal"]), "", agent["state"], agent["decisions"])
        return
    yield TreeLine(depth, str(agent["goal"]), str(flow["kind"]), flow["state"], agent["decisions"])
    for child in children.get(flow["id"], ()):
        if child["state"] == _RUNNING and flow["state"] != _RUNNING:
            child = {**child, "state": _LEFT_OUT}
        yield from _lines(child, depth + 1, children)
