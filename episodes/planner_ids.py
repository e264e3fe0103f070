"""Node ids for the agent, numbered by first sight, as names are.

The gaps, order and form of a simulator's own ids would reveal what was never perceived. So these
ids stay in the world and in its recording, and are translated on their way to and from the agent.
The graph of a view is translated only when someone reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from ..observation_text.names import Names
from ..observation_text.view import View
from ..planners.contract import Brief, Thing
from ..scene_graph.goals import with_ids
from ..scene_graph.graph import Outgoing, SceneGraph
from ..scene_graph.node import Edge, Node
from ..skills.actions import Action
from ..skills.outcomes import Failure, Outcome

#: Below all ids of simulators: stands for ids that were never issued.
_MADE_UP = -(1 << 40)


class PlannerIds:
    """Translates between the world's ids and those of the agent, which count from 1.

    Every node with a name has an id. The agent gets this id as the native id, too.
    """

    def __init__(self, names: Names) -> None:
        """names: those of the episode. Nodes that are added to them get the next ids."""
        self._names = names
        self._named = names.numbers
        self._read = 0  # so many of the names
        self._issued: list[int] = []  # the world's id of each id from 1
        self._known: dict[int, int] = {}
        self._made_up: list[int] = []
        self._nodes: dict[int, tuple[Node, Node]] = {}
        self._outgoing: dict[int, tuple[Outgoing, Outgoing]] = {}
        self._offered: dict[Action, Action] = {}

    def issue(self, world_ids: Iterable[int]) -> None:
        """Give ids, in this order, to nodes that may have no name, such as those of a goal."""
        self._update()
        for world_id in world_ids:
            if world_id not in self._known:
                self._issued.append(world_id)
                self._known[world_id] = len(self._issued)

    # --- from the world ------------------------------------------------------------------------

    def view(self, view: View) -> View:
        """A view; its graph is made when it is first read."""
        return PlannerView(view, self)

    def graph(self, graph: SceneGraph) -> SceneGraph:
        """A graph of nodes that all have ids."""
        known = self._ids()
        return SceneGraph.from_tables(
            {known[i]: self._node(node) for i, node in graph.by_id.items()},
            {known[i]: self._pairs(i, pairs) for i, pairs in graph.outgoing_of.items()},
            {
                known[target]: {(relation, known[source]): None for relation, source in incoming}
                for target, incoming in graph.incoming_of.items()
            },
            tuple([known[i] for i in graph.room_ids]),
            tuple([known[i] for i in graph.agent_ids]),
        )

    def places(self, covered: Mapping[int, bool]) -> dict[int, bool]:
        """The places that a view covers."""
        known = self._ids()
        return {known[place]: completely for place, completely in covered.items()}

    def names(self, names: Mapping[int, str]) -> Mapping[int, str]:
        """Names by id, a mapping that grows with the one given."""
        return _NamesById(names, self)

    def offered(self, menu: list[tuple[str, Action]]) -> list[tuple[str, Action]]:
        """The menu with the agent's ids."""
        return [(text, self._offered.get(action) or self._offer(action)) for text, action in menu]

    def _offer(self, action: Action) -> Action:
        """An action with the agent's ids. It is cached, since ids never change."""
        known = self._ids()
        found = self._offered[action] = Action(  # `replace` takes three times as long
            action.verb,
            None if action.target is None else known[action.target],
            action.relation,
            None if action.place is None else known[action.place],
            action.pose,
            action.seconds,
        )
        return found

    def things(self, world_ids: Iterable[int]) -> tuple[int, ...]:
        """The ids of nodes that all have one, sorted."""
        known = self._ids()
        return tuple(sorted(known[world_id] for world_id in world_ids))

    def outcome(self, outcome: Outcome) -> Outcome:
        """The outcome of an action."""
        if outcome.failure is None and all(a.failure is None for a in outcome.attempts):
            return outcome
        attempts = tuple(replace(a, failure=self._failure(a.failure)) for a in outcome.attempts)
        return replace(outcome, failure=self._failure(outcome.failure), attempts=attempts)

    def brief(self, brief: Brief) -> Brief:
        """The brief with the agent's ids."""
        known = self._ids()

        def things(given: Iterable[Thing]) -> tuple[Thing, ...]:
            return tuple(sorted(map(self._thing, given), key=lambda thing: thing.id))

        goal, mentioned = brief.goal, brief.goal_things
        return replace(
            brief,
            agent=known[brief.agent],
            rooms=things(brief.rooms),
            goal=None if goal is None else with_ids(goal, known.__getitem__),
            goal_things=None
            if mentioned is None
            else {thing.id: thing for thing in things(mentioned.values())},
            fixtures=None if brief.fixtures is None else things(brief.fixtures),
            inventory=None if brief.inventory is None else things(brief.inventory),
            map=None if brief.map is None else self._map(brief.map),
        )

    def _map(self, graph: SceneGraph) -> SceneGraph:
        """A map with the agent's ids, and in their order: that of the world may reveal places."""
        known = self._ids()
        nodes = sorted(map(self._node, graph.nodes()), key=lambda node: node.id)
        edges = sorted(Edge(known[a], relation, known[b]) for a, relation, b in graph.edges())
        return SceneGraph(nodes, edges)

    # --- to the world, and single ids ----------------------------------------------------------

    def action(self, action: Action) -> Action:
        """An action with the world's ids; an id that was never issued becomes one of no world."""
        if not action.things:
            return action
        place = None if action.place is None else self.world_id(action.place)
        target = None if action.target is None else self.world_id(action.target)
        return replace(action, target=target, place=place)

    def understood(self, action: Action) -> Action:
        """An action of the world, with the ids of the agent that acts; the inverse of `action`."""
        target = None if action.target is None else self.planner_id(action.target)
        place = None if action.place is None else self.planner_id(action.place)
        return replace(action, target=target, place=place)

    def world_id(self, planner_id: int) -> int:
        """The world's id of a node."""
        found = self.find(planner_id)
        if found is not None:
            return found
        if planner_id not in self._made_up:
            self._made_up.append(planner_id)
        return _MADE_UP + self._made_up.index(planner_id)

    def find(self, planner_id: int) -> int | None:
        """The world's id of a node; None for an id that was never issued."""
        self._update()
        return self._issued[planner_id - 1] if 0 < planner_id <= len(self._issued) else None

    def planner_id(self, world_id: int) -> int | None:
        """The agent's id of a node; None where it has none."""
        known = self._ids()
        made_up = world_id - _MADE_UP
        if world_id not in known and 0 <= made_up < len(self._made_up):
            return self._made_up[made_up]
        return known.get(world_id)

    def _ids(self) -> Mapping[int, int]:
        self._update()
        return self._known

    def _update(self) -> None:
        """Take in the names that were added."""
        if self._read < len(self._named):
            for world_id in islice(self._named, self._read, None):
                expected_as = self._names.expected_as(world_id)
                if expected_as is not None:  # seen under a name of the inventory
                    known = self._known[world_id] = self._known[expected_as]
                    self._issued[known - 1] = world_id
                elif world_id not in self._known:
                    self._issued.append(world_id)
                    self._known[world_id] = len(self._issued)
            self._read = len(self._named)

    def _node(self, node: Node) -> Node:
        """A node with the agent's id, cached while nothing in it changes."""
        made = self._nodes.get(node.id)
        if made is None or made[0] is not node:
            new = self._known[node.id]
            made = self._nodes[node.id] = node, replace(node, id=new, native_id=new)
        return made[1]

    def _pairs(self, node_id: int, pairs: Outgoing) -> Outgoing:
        """The relations that start at a node, cached while they stay the same."""
        made = self._outgoing.get(node_id)
        if made is None or made[0] is not pairs:
            known = self._known
            ours = tuple([(relation, known[target]) for relation, target in pairs])
            made = self._outgoing[node_id] = pairs, ours
        return made[1]

    def _thing(self, thing: Thing) -> Thing:
        room = None if thing.room is None else self._known[thing.room]
        return replace(thing, id=self._known[thing.id], room=room)

    def _failure(self, failure: Failure | None) -> Failure | None:
        if failure is None or failure.thing is None:
            return failure
        return replace(failure, thing=self.planner_id(failure.thing))


class SimulatorIds(PlannerIds):
    """The world's own ids, for an agent that is granted the true state."""

    def view(self, view: View) -> View:
        return view

    def names(self, names: Mapping[int, str]) -> Mapping[int, str]:
        return names

    def offered(self, menu: list[tuple[str, Action]]) -> list[tuple[str, Action]]:
        return menu

    def things(self, world_ids: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted(world_ids))

    def outcome(self, outcome: Outcome) -> Outcome:
        return outcome

    def brief(self, brief: Brief) -> Brief:
        return brief

    def action(self, action: Action) -> Action:
        return action

    def understood(self, action: Action) -> Action:
        return action


class PlannerView(View):
    """A view with the agent's ids."""

    __slots__ = ("_ids", "_theirs")

    def __init__(self, theirs: View, ids: PlannerIds) -> None:
        self._graph = None
        self._covered = None
        self.arm, self.said = theirs.arm, None  # a game's words come as texts and menus
        self._notes = None
        self._theirs, self._ids = theirs, ids

    @property
    def graph(self) -> SceneGraph:
        if self._graph is None:
            self._graph = self._ids.graph(self._theirs.graph)
        return self._graph

    @property
    def covered(self) -> Mapping[int, bool]:
        if self._covered is None:
            self._covered = self._ids.places(self._theirs.covered)
        return self._covered

    def agent(self) -> Node:
        agent = self._ids.planner_id(self._theirs.agent().id)
        assert agent is not None, "the agent perceives itself"
        return self.graph[agent]


class _NamesById(Mapping[int, str]):
    """Names by the agent's ids."""

    def __init__(self, theirs: Mapping[int, str], ids: PlannerIds) -> None:
        self._theirs, self._ids = theirs, ids

    def __getitem__(self, planner_id: int) -> str:
        world_id = self._ids.find(planner_id)
        if world_id is None:
            raise KeyError(planner_id)
        return self._theirs[world_id]

    def __iter__(self) -> Iterator[int]:
        for world_id in self._theirs:
            planner_id = self._ids.planner_id(world_id)
            assert planner_id is not None, "what has a name has an id"
            yield planner_id

    def __len__(self) -> int:
        return len(self._theirs)
