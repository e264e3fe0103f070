"""The tree of agents of an episode, read from the notes about its growth.

A note "tree" has the nodes that changed; the newest data of a node count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...episodes.events import Decided, RecordedEvent, Started
from ...planners.contract import Note

#: Name of the notes.
TREE = "tree"
#: Mark of each state of an agent.
_MARKS = {"success": "✓", "failure": "✗", "left out": "–"}
_RUNNING, _LEFT_OUT = "running", "left out"
_FIELDS = frozenset({"id", "parent", "kind", "goal", "state", "decisions"})

_Node = Mapping[str, Any]


@dataclass(frozen=True)
class TreeLine:
    """An agent as a line."""

    agent: int
    """Its id."""
    depth: int
    """From 0, the root's."""
    goal: str
    """Its goal."""
    flow: str
    """How its goal was divided, "" where it was not."""
    state: str
    """Its final state, also where others caused it; "left out" where it never began."""
    decisions: int
    """Its own, without those below."""

    @property
    def mark(self) -> str:
        return _MARKS.get(self.state, "…")

    @property
    def figures(self) -> str:
        """How its goal was divided, and its number of decisions."""
        if self.state == _LEFT_OUT:
            return _LEFT_OUT
        count = f"{self.decisions} decision{'s' if self.decisions != 1 else ''}"
        return ", ".join([*([self.flow] if self.flow else []), count])


def tree_lines(events: Iterable[RecordedEvent]) -> list[TreeLine]:
    """The final tree as lines from the top; none where there was no tree."""
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


@dataclass(frozen=True)
class GrownLine:
    """A line of the final tree with its history.

    history: first step, state, mark and figures of each version.
    """

    line: TreeLine
    history: tuple[tuple[int, str, str, str], ...]


def grown_lines(events: Sequence[RecordedEvent]) -> list[GrownLine]:
    """The tree as lines from the top, each with its history by steps."""
    histories: dict[int, list[tuple[int, str, str, str]]] = {}
    notes: list[RecordedEvent] = []
    lines: list[TreeLine] = []
    for event in events:
        if isinstance(event, Started):
            notes, lines = [], []
            histories.clear()
        elif _is_tree_note(event):
            notes.append(event)
            lines = tree_lines(notes)
            for line in lines:
                _add_state(histories.setdefault(line.agent, []), event.step, line)
    return [GrownLine(line, tuple(histories[line.agent])) for line in lines]


def _is_tree_note(event: RecordedEvent) -> bool:
    if not isinstance(event, Decided) or not isinstance(event.decision, Note):
        return False
    return event.decision.name == TREE


def _add_state(history: list[tuple[int, str, str, str]], step: int, line: TreeLine) -> None:
    now = line.state, line.mark, line.figures
    if history and history[-1][1:] == now:
        return
    if history and history[-1][0] == step:
        history.pop()
    history.append((step, *now))


def tree_nodes(note: Note) -> Iterator[_Node]:
    """The nodes of a note; those of another form, as other planners may note, are left out."""
    nodes = note.data.get("nodes", ()) if note.name == TREE else ()
    for node in nodes if isinstance(nodes, Sequence) else ():
        if isinstance(node, Mapping) and node.keys() >= _FIELDS and isinstance(node["id"], int):
            yield node


def _lines(
    agent: _Node, depth: int, children: Mapping[int | None, Sequence[_Node]]
) -> Iterator[TreeLine]:
    name, goal = agent["id"], str(agent["goal"])
    flow = next(iter(children.get(agent["id"], ())), None)
    if flow is None:
        yield TreeLine(name, depth, goal, "", agent["state"], agent["decisions"])
        return
    yield TreeLine(name, depth, goal, str(flow["kind"]), flow["state"], agent["decisions"])
    for child in children.get(flow["id"], ()):
        if child["state"] == _RUNNING and flow["state"] != _RUNNING:
            child = {**child, "state": _LEFT_OUT}
        yield from _lines(child, depth + 1, children)
