"""What SayPlan and SayPlan Lite share: search commands, and verified plans."""

from __future__ import annotations

from pydantic import BaseModel, Field

from ....models.contract import Unusable
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Kind
from ...contract import Decisions, Internal, Note
from .names import NodeNames
from .plan_language import PlanProblem
from .whole_plan import plan_line


class CollapsedGraph:
    """A graph of which the model sees the rooms, itself, and the contents of expanded rooms.

    expanded: the expanded rooms, in the order of expansion.
    """

    def __init__(self, graph: SceneGraph, names: NodeNames) -> None:
        self.expanded: list[int] = []
        self._graph = graph
        self._names = names

    @property
    def shown(self) -> SceneGraph:
        """The graph that the model sees now."""
        graph, me = self._graph, self._graph.agent().id
        shown = dict.fromkeys(graph.room_ids)
        for room in self.expanded:
            shown.update(dict.fromkeys(graph.below(room)))
        shown.update(dict.fromkeys((me, *graph.below(me), *graph.held(me))))
        for thing in graph.held(me):
            shown.update(dict.fromkeys(graph.below(thing)))
        return graph.part(shown)

    def expanded_names(self) -> str:
        """The names of the expanded rooms."""
        return ", ".join(map(self._names.name, self.expanded)) or "none"

    def expand(self, name: str) -> str:
        """Expand a room. Returns the result as a sentence for the model. Raises Unusable."""
        room = self._room(name)
        called = self._names.name(room)
        if room in self.expanded:
            raise Unusable(f"{called} is expanded already.")
        self.expanded.append(room)
        number = sum(
            self._graph[thing].kind in (Kind.FIXTURE, Kind.OBJECT)
            for thing in self._graph.below(room)
        )
        nodes = "1 node" if number == 1 else f"{number} nodes"
        return f"{called} has {nodes}, shown now" if number else f"{called} is empty"

    def contract(self, name: str) -> str:
        """Contract a room. Returns the result as a sentence for the model. Raises Unusable."""
        room = self._room(name)
        called = self._names.name(room)
        if room not in self.expanded:
            raise Unusable(f"{called} is not expanded.")
        self.expanded.remove(room)
        return f"the nodes of {called} are hidden"

    def _room(self, name: str) -> int:
        node = self._names.id(name)
        if node not in self._graph or self._graph[node].kind is not Kind.ROOM:
            raise Unusable(f"{self._names.name(node)} is no room; only rooms are expanded.")
        return node


class MapSearchOptions(BaseModel):
    """Options of `sayplan` and `sayplan_lite`; the papers give no value of either."""

    commands: int = Field(
        80, ge=1, description="the most search commands (expand_node, contract_node)"
    )
    rounds: int = Field(
        5, ge=1, description="the most plans to verify; gives up if none is possible"
    )


def search_command(
    collapsed: CollapsedGraph, command: str, node_name: str, reasoning: str
) -> tuple[Internal, str]:
    """Expand or contract a room: the decision, and the result as a sentence for the model."""
    said = f"{command}({node_name})"
    data = {"command": command, "node": node_name, "reasoning": reasoning}
    try:
        does = collapsed.expand if command == "expand_node" else collapsed.contract
        came = does(node_name)
    except Unusable as error:
        came = str(error)
        data |= {"problem": came, "refused": error.kind or "search command"}
    name = "expand" if command == "expand_node" else "contract"
    return Internal(name, said, data), f"{said}: {came}"


def found_plan(written: list[str], reasoning: str) -> Decisions:
    """Record a possible plan, which counts as a decision."""
    yield Internal("plan", plan_line(written), {"reasoning": reasoning})
    yield Note("plan", plan_line(written), {"lines": written})


def refused_plan(written: list[str], problem: PlanProblem) -> Internal:
    """A decision for a plan that is not possible."""
    reason = None if problem.reason is None else str(problem.reason)
    data = {"plan": written, "step": problem.step, "reason": reason, "refused": "plan"}
    return Internal("verify", problem.sentence, data)
