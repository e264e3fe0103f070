"""One running evolving graph: VirtualHome's own simulator behind two calls, `do` and `graph`.

The simulator is driven through its public API alone, one script line at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Node
from .graph_import import Edges, assemble, make_node
from .ontology import kind_of
from .package import simulator


class Simulation:
    """The simulator on one graph, with its first character as the agent.

    Its state is changed in place: copying it, the simulator's default, takes four times as long
    after some hundred steps.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        """data: a graph as VirtualHome writes it. Raises Missing."""
        self._modules = simulator()
        environment = self._modules.environment
        self._relation = environment.Relation
        self._script_graph = environment.EnvironmentGraph(data)
        self._state = environment.EnvironmentState(self._script_graph, {}, instance_selection=True)
        self._kinds: dict[int, Kind] = {}
        for native in self._state.get_nodes():
            properties = {p.name for p in native.properties}
            kind = kind_of(native.class_name, native.category or "", properties)
            if kind is not None:
                self._kinds[native.id] = kind
        self._agents = sorted(i for i, kind in self._kinds.items() if kind is Kind.AGENT)
        self._filled = {to for _, to in self._pairs(self._kinds, self._relation.INSIDE)}
        self._nodes: dict[int, tuple[object, Node]] = {}  # theirs, and ours made of it
        self._graph: SceneGraph | None = None  # as read since the last change

    def do(self, command: str, *things: int) -> str | None:
        """Execute one script line, such as `do("PUTIN", 1000, 289)`.

        None when it succeeded, else the simulator's own words. The class names of the line are
        looked up, since the simulator takes any name with any id.
        """
        self._graph = None
        self._modules.common.TimeMeasurement.reset_all()  # they pile up otherwise
        executor = self._modules.execution.ScriptExecutor(self._script_graph, {}, char_index=0)
        words = [f"[{command}]"]
        words += [f"<{self._state.get_node(i).class_name}> ({i})" for i in things]
        try:
            script = self._modules.scripts.Script(
                [self._modules.scripts.parse_script_line(" ".join(words), 0)]
            )
            done, self._state = executor.execute_one_step(script, self._state, in_place=True)
        except (
            self._modules.common.Error,
            AssertionError,
            AttributeError,
            KeyError,
            TypeError,
        ) as error:  # its executors fail in these ways on lines that they do not expect
            return f"{type(error).__name__}: {error}"
        return None if done else executor.info.get_error_string() or "refused without a word"

    def graph(self) -> SceneGraph:
        """The state now, read afresh after every change. Not to be changed by the caller.

        Only what the scene graph keeps is read, in 0.4 ms; importing the simulator's full dump
        takes ten times as long.
        """
        if self._graph is None:
            nodes = {}
            for native in self._state.get_nodes():
                kind = self._kinds.get(native.id)
                if kind is not None:
                    nodes[native.id] = self._node(native, kind)
            relation = self._relation
            edges = Edges(
                on=self._pairs(nodes, relation.ON),
                inside=self._pairs(nodes, relation.INSIDE),
                holds=self._pairs(self._agents, relation.HOLDS_RH)
                + self._pairs(self._agents, relation.HOLDS_LH),
                close=self._pairs(self._agents, relation.CLOSE),
            )
            self._graph = assemble(nodes, edges)
        return self._graph

    def stand_up(self) -> None:
        """Have the agent stand, if it sits or lies: it could not walk, and has no such action."""
        states = {s.name for i in self._agents[:1] for s in self._state.get_node(i).states}
        if not states.isdisjoint({"SITTING", "LYING"}):
            self.do("STANDUP")

    def correct_rooms(self, things: Iterable[int]) -> None:
        """Set the rooms of things that were moved: the simulator leaves them in their old ones.

        A walk to such a thing would otherwise lead into the room where it was before.
        """
        graph = self.graph()
        inside = self._relation.INSIDE
        for thing in things:
            room = graph.room_of(thing)
            if room is None:
                continue
            node = self._state.get_node(thing)
            for place in list(self._state.get_nodes_from(node, inside)):
                if self._kinds.get(place.id) is Kind.ROOM and place.id != room:
                    self._state.delete_edge(node, inside, place)
            self._state.add_edge(node, inside, self._state.get_node(room))
            self._graph = None

    def _node(self, native: Any, kind: Kind) -> Node:
        """Our node for one of theirs. Executors change copies of nodes, so that the same object
        stands for the same states.
        """
        known = self._nodes.get(native.id)
        if known is not None and known[0] is native:
            return known[1]
        node = make_node(
            native.id,
            native.class_name,
            kind,
            {p.name for p in native.properties},
            {s.name for s in native.states},
            holds_things=native.id in self._filled,
        )
        self._nodes[native.id] = (native, node)
        return node

    def _pairs(self, sources: Iterable[int], relation: Any) -> list[tuple[int, int]]:
        find = self._state.get_node_ids_from
        return [(source, target) for source in sources for target in find(source, relation)]
