"""Agents that search and act as `explore` does, and write their decisions as `reactree` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...scene_graph.goal_evaluation import satisfied
from ...scene_graph.goals import Goal, Related
from ...scene_graph.node import Affordance, Kind, Node, Relation, State
from ...skills.actions import Action, go_to
from ..contract import Brief, Decisions, Internal, Note, Percept, SubPlan
from ..kits.agent_tree import (
    DONE,
    FAILURE,
    AgentNode,
    AgentTree,
    ControlFlow,
    Status,
    end_note,
    execute_flow,
    growth_note,
    line_of,
    task_of,
)
from ..kits.agent_tree import Kind as DecisionKind
from ..kits.household.explorer import Explorer
from ..kits.household.missing_objects import MissingObject, MissingObjects
from ..kits.household.observed_graph import ObservedGraph
from ..kits.household.plan_following import MAX_TRIES, walk_into_sight
from ..kits.household.search_targets import SearchTarget
from ..kits.memory.working import WorkingMemory
from ..kits.turns import DONE as REACT_DONE
from ..kits.turns import recall_action, reply_of
from .goal_conditions import Placing, Things

_RECEPTACLE = {Affordance.SURFACE, Affordance.CONTAINER, Affordance.OPENABLE}
_ANYTHING = MissingObject(frozenset())
#: The most characters of a thought, as in the default of `react`.
_LONGEST_THOUGHT = 300


class NodeExpansion(NamedTuple):
    """The expansion of a node."""

    control_flow: ControlFlow
    parts: list[SubgoalWork]


#: The work of an agent; it returns its status, or how its node is expanded.
Work = SubPlan[Status | NodeExpansion]


@dataclass(frozen=True)
class SubgoalWork:
    """A goal in words, and how an agent works on it."""

    words: str
    work: Callable[[], Work]


class SeedAgents(Explorer):
    """The agents of one episode, and their shared knowledge.

    chosen: the chosen thing or place for each description. used: things that are placed or out of
    reach.
    """

    def __init__(
        self, brief: Brief, percept: Percept, memory: WorkingMemory | None, *, as_one: bool = False
    ) -> None:
        """memory: their shared working memory, None for none. as_one: they keep one conversation,
        as `react` does, and no tree is noted.
        """
        super().__init__(brief, percept)
        self.conversation = [f"Task: {brief.instruction}", percept.text] if as_one else None
        self._thoughts: list[str] = []  # since the last turn of the conversation
        self.chosen: dict[Things, int] = {}
        self.used: set[int] = set()
        self.memory = memory
        self.tree = AgentTree(brief.instruction)
        self._node = self.tree.root

    def execute(self, job: tuple[AgentNode, SubgoalWork]) -> SubPlan[Status]:
        """Carry out an agent node, as `reactree` does (Algorithm 1)."""
        node, subgoal = job
        self._node = node
        node.lines.append(task_of(node, self._percept.overview()))
        if self.memory is not None:
            self.memory.update(self._percept)
        outcome = yield from subgoal.work()
        if isinstance(outcome, Status):
            self._say("act", DONE if outcome is Status.SUCCESS else FAILURE)
            node.state = outcome
            yield from self._note(end_note(node))
            return outcome
        how, words = outcome.control_flow, [part.words for part in outcome.parts]
        content = {"control_flow": str(how), "subgoals": words}
        self._say("expand", content)
        if self.conversation is None:
            self._percept = yield Internal("expand", f"{how}: {'; '.join(words)}", content)
        flow = self.tree.expand(node, how, words)
        yield from self._note(growth_note(node, flow))
        jobs = list(zip(flow.children, outcome.parts, strict=True))
        flow.state = status = yield from execute_flow(how, jobs, self.execute)
        yield from self._note(end_note(flow))
        return status

    # --- what an agent does ----------------------------------------------------------------------

    def think(self, thought: str) -> None:
        """Write a thought; it is no decision of its own."""
        self._say("think", thought)

    def recall(self, things: Things) -> Decisions:
        """Recall where these things were last seen."""
        assert self.memory is not None
        name = self.memory.kind(self._category(things))
        if self.conversation is not None and name not in self.memory.recallable():
            return  # `react` recalls only what it has seen
        answer = self.memory.recall(name)
        self.think(f"{self.name(things).capitalize()} may have been seen before.")
        self._say("recall", name)
        self._percept = yield Internal("recall", name, {"answer": answer})
        self._hear(answer)

    def achieve(self, goal: Goal) -> SubPlan[bool]:
        """Act until a goal holds, and look for the things it needs; whether it holds."""
        self._goal, self._objects = goal, MissingObjects(goal, self._things, self._brief.agent)
        actions: list[Action] = []
        while not satisfied(goal, self._observed.graph, self._events):
            missing = self._objects.missing(self._observed)
            if not missing and not self._is_valid(actions):
                plan = self._find_plan()
                if plan.actions is None and self._capacity.make_room(
                    self._observed.graph, self._failed
                ):
                    continue
                actions = list(plan.actions or ())
            if missing or not actions:  # something never seen may give a plan
                targets = self._targets.ranked(missing or [_ANYTHING], self._uninspectable)
                if not targets:
                    return False
                yield from self._inspect(targets)
                continue
            first = walk_into_sight(
                actions[0], self._percept.view, self._observed.graph, self._brief.agent
            )
            if first is None or self._failed[first] >= MAX_TRIES:
                first = actions.pop(0)
            yield from self._act(first)
        return True

    def take(self, things: Things, room: Node | None) -> SubPlan[Status]:
        """Look for a thing, in one room or everywhere, and pick it up."""
        sought = self._objects = _Sought(self, things)
        while True:
            thing = self.located(things)
            if thing is not None and room in (None, self._room_of(thing)):
                self.chosen[things] = thing
                self.think(f"Here is {self.name(things)}: I pick up {self._name(thing)}.")
                if (yield from self.achieve(Related(self._brief.agent, Relation.HOLDS, thing))):
                    return Status.SUCCESS
                self.used.add(thing)
                self._objects = sought
                continue
            if room is not None and self._room_of(self._brief.agent) != room:
                walk = go_to(room.id)
                thought = f"I have to be in the {room.category} to look for {self.name(things)}."
                if not (yield from self._act(walk, thought)) and self._failed[walk] >= MAX_TRIES:
                    return Status.FAILURE
                continue
            targets = [t for t in self._places(things) if room in (None, t.room)]
            if not targets:
                where = "" if room is None else f" in the {room.category}"
                self.think(f"I have looked everywhere{where} and did not find {self.name(things)}.")
                return Status.FAILURE
            yield from self._inspect(targets)

    # --- what they know --------------------------------------------------------------------------

    def located(self, things: Things) -> int | None:
        """The chosen thing, or else one that was seen and is still available."""
        chosen = self.chosen.get(things)
        if chosen is not None and chosen not in self.used:
            return chosen if self._observed.located(chosen) else None
        graph = self._observed.graph
        mine = set(graph.held(self._brief.agent))
        here = self._room_of(self._brief.agent)
        available = [
            node.id
            for node in graph.nodes()
            if things.domain.admits(node)
            and node.id not in self.used
            and (not things.sliced or State.SLICED in node.states)
            and self._observed.located(node.id)
        ]
        return min(
            available,
            key=lambda thing: (thing not in mine, self._room_of(thing) != here, thing),
            default=None,
        )

    def rooms(self, things: Things) -> list[Node]:
        """The rooms with places left to look at, the likeliest first."""
        likely: dict[int, float] = {}
        nodes: dict[int, Node] = {}
        for target in self._places(things):
            if target.room is not None:
                nodes[target.room.id] = target.room
                more = sum(target.probabilities.values())
                likely[target.room.id] = likely.get(target.room.id, 0.0) + more
        thing = self.located(things)
        known = None if thing is None else self._room_of(thing)
        if known is not None:
            nodes[known.id], likely[known.id] = known, 1.0
        return [nodes[room] for room in sorted(nodes, key=lambda room: (-likely[room], room))]

    def name(self, things: Things) -> str:
        """ "the milk" """
        certain = [self._things[thing].name for thing in things.ids if thing in self._things]
        return f"the {(certain or [self._category(things)])[0]}"

    def node_name(self, node_id: int) -> str:
        """ "kitchen 1" """
        return self._name(node_id)

    def choose_place(self, placing: Placing, thing: int) -> None:
        """Choose the place where a thing was put for later things too."""
        graph = self._observed.graph
        for place in graph.above(thing):
            if placing.place.domain.admits(graph[place]):
                self.chosen[placing.place] = place
                return

    def missing(self, things: Things, observed: ObservedGraph) -> list[MissingObject]:
        """The thing that is still missing, in a list; empty where none is."""
        if self.located(things) is not None:
            return []
        for thing in things.ids:
            return [MissingObject(frozenset({self._category(things)}), thing)]
        return [MissingObject(things.categories)]

    def _places(self, things: Things) -> list[SearchTarget]:
        """The places left to look at, the best first; movable ones where no other is left."""
        sought = MissingObject(things.categories or frozenset({self._category(things)}))
        targets = [
            target
            for target in self._targets.ranked([sought], self._uninspectable)
            if target.place.kind is Kind.ROOM or target.place.affordances & _RECEPTACLE
        ]
        return [t for t in targets if t.place.kind is not Kind.OBJECT] or targets

    def _room_of(self, thing: int) -> Node | None:
        room = self._observed.graph.room_of(thing)
        return None if room is None else self._observed.graph[room]

    def _category(self, things: Things) -> str:
        for thing in things.ids:
            known = self._things.get(thing)
            return self._observed.graph[thing].category if known is None else known.category
        seen = {node.category for node in self._observed.graph.nodes()}
        return min(things.categories & seen or things.categories)

    # --- the text of nodes -----------------------------------------------------------------------

    def _say(self, kind: DecisionKind, content: Any) -> None:
        """Add a decision to the text of the node, and to the conversation."""
        self._node.decisions += 1
        self._node.lines.append(line_of(kind, content))
        if kind == "think":
            self._thoughts.append(content)
        elif kind == "recall":
            self._turn(recall_action(content))
        elif kind == "act" and content not in (DONE, FAILURE):
            self._turn(content)

    def _turn(self, action: str) -> None:
        """Add a turn to the conversation, with the thoughts since the last one."""
        if self.conversation is not None:
            thoughts = self._thoughts
            while len(thoughts) > 1 and len(" ".join(thoughts)) > _LONGEST_THOUGHT:
                thoughts = thoughts[1:]
            self.conversation.append(reply_of(" ".join(thoughts), action))
        self._thoughts = []

    def _hear(self, answer: str) -> None:
        """Add the answer to a decision."""
        self._node.lines.append(answer)
        if self.conversation is not None:
            self.conversation.append(answer)

    def _note(self, note: Note) -> SubPlan[None]:
        if self.conversation is None:
            yield from self._tell(note)

    def example(self) -> Note:
        """The note on the whole conversation, an example for `react`."""
        assert self.conversation is not None
        self._turn(REACT_DONE)
        text = "\n".join(self.conversation)
        return Note("plan", "an example for react", {"example": text})

    def _act(self, action: Action, thought: str = "") -> SubPlan[bool]:
        """Do one action and write it; walk to its room first where that is another."""
        offered = {value: text for text, value in self._percept.menu()}
        room = None if action.target is None else self._room_of(action.target)
        if action not in offered and room not in (None, self._room_of(self._brief.agent)):
            assert room is not None
            if not (yield from self._act(go_to(room.id), thought)):
                return False
            thought = ""
            offered = {value: text for text, value in self._percept.menu()}
        if thought:
            self.think(thought)
        words = [action.verb.replace("_", " "), *map(self._name, action.things)]
        self._say("act", offered.get(action) or " ".join(words))
        success = yield from super()._act(action, thought)
        self._hear(self._percept.text)
        if self.memory is not None:
            self.memory.update(self._percept)
        return success

    def _thought(self, targets: Sequence[SearchTarget]) -> str:
        """ "The milk may be inside fridge 1 in the kitchen." """
        thought = f"The {targets[0].likeliest} may be {self._where(targets[0])}"
        return f"{thought.removesuffix(', where I have not been yet')}."

    def _belief_note(self, targets: Sequence[SearchTarget]) -> Note | None:
        return None

    def _found_note(self, missing: Sequence[MissingObject]) -> Note | None:
        return None


class _Sought(MissingObjects):
    """Things that an agent looks for, in place of a goal."""

    def __init__(self, agents: SeedAgents, things: Things) -> None:
        self._agents = agents
        self._sought = things

    def missing(self, observed: ObservedGraph) -> list[MissingObject]:
        return self._agents.missing(self._sought, observed)
