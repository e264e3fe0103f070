"""What SayPlan and SayPlan Lite share: search commands, and verified plans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pydantic import BaseModel, Field

from ....models.contract import Unusable
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Kind
from ....skills.actions import Action
from ...contract import Brief, Internal, Note, Percept, SubPlan
from .json_graph import json_graph
from .layout import layout_of
from .names import NodeNames
from .plan_language import PlanLanguage, PlanProblem, PutStyle, verify
from .whole_plan import TEXT, Schema, any_of, granted_map, one_of, plan_line

CommandName = Literal["expand_node", "contract_node", "verify_plan"]


def narrowed(end: dict[str, Schema]) -> Callable[[Schema], None]:
    """Narrows the schema of a command: one of the search, or verify_plan with the fields `end`."""

    def narrow(schema: Schema) -> None:
        schema |= any_of(
            {"command_name": one_of(("expand_node", "contract_node")), "node_name": TEXT},
            {"command_name": one_of(["verify_plan"]), **end},
        )
        del schema["properties"], schema["required"], schema["type"]

    return narrow


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


class MapSearch:
    """The granted map of an episode: what the model sees of it, and plans on it."""

    def __init__(self, brief: Brief, percept: Percept, placing: PutStyle = PutStyle.PUT) -> None:
        self.brief = brief
        self.options = brief.options_of(MapSearchOptions)
        self.names = NodeNames(percept.names)
        self.language = PlanLanguage(self.names, brief.actions, placing)
        self._map = granted_map(brief)
        self.collapsed = CollapsedGraph(self._map, self.names)

    def graph_text(self) -> str:
        """The shown graph as the model reads it."""
        return json_graph(self.collapsed.shown, self.names)

    def layout(self) -> str:
        """How the shown things lie to each other; "" where the adapter does not say."""
        return layout_of(self.collapsed.shown, self.brief, self.names)

    def about_expanded(self) -> dict[str, object]:
        """The expanded rooms, for the data of a question."""
        return {"expanded": [*map(self.names.name, self.collapsed.expanded)]}

    def carry_out(self, command: str, node_name: str, reasoning: str) -> tuple[Internal, str]:
        """Expand or contract a room: the decision, and the result as a sentence for the model."""
        said = f"{command}({node_name})"
        data = {"command": command, "node": node_name, "reasoning": reasoning}
        name = command.removesuffix("_node")
        try:
            came: str = getattr(self.collapsed, name)(node_name)
        except Unusable as error:
            came = str(error)
            data |= {"problem": came, "refused": error.kind or "search command"}
        return Internal(name, said, data), f"{said}: {came}"

    def verified(self, plan: list[str], reasoning: str) -> SubPlan[list[Action] | PlanProblem]:
        """The actions of a possible plan, or its first problem; either is a decision."""
        verdict = verify(plan, self.language, self._map, self.brief.embodiment)
        if isinstance(verdict, PlanProblem):
            reason = None if verdict.reason is None else str(verdict.reason)
            data = {"plan": plan, "step": verdict.step, "reason": reason, "refused": "plan"}
            yield Internal("verify", verdict.sentence, data)
        else:
            yield Internal("plan", plan_line(plan), {"reasoning": reasoning})
            yield Note("plan", plan_line(plan), {"lines": plan})
        return verdict
