"""The planner `reactree_seeds`: agent trees made by rule, for a first memory.

ReAcTree's memory begins with a few trees that people wrote (Choi et al., 2025, section 5.1). Here a
rule makes them from the symbolic goal. It does not know where things are: it searches as `explore`
does, so failed searches and observations are real.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from pydantic import BaseModel, Field

from ...scene_graph.goals import And, EventOccurred, Exists, Goal, HasState, Related
from ...scene_graph.node import Relation, State
from ..contract import HOMES, Brief, Decisions, Done, GiveUp, Grant, Percept, Planner
from ..kits.agent_tree import ControlFlow, ControlFlows, Status
from ..kits.household import prior
from ..kits.memory.working import WorkingMemory
from .agents import NodeExpansion, SeedAgents, SubgoalWork, Work
from .goal_conditions import GoalConditions, Placing, Switching, Things, Unreadable, conditions_of

_TREATMENTS = {"heated": "heat", "cooled": "cool", "cleaned": "clean"}
_SWITCHED = {
    State.ON: "turn on {}",
    State.OFF: "turn off {}",
    State.OPEN: "open {}",
    State.CLOSED: "close {}",
    State.PLUGGED_IN: "plug in {}",
    State.PLUGGED_OUT: "unplug {}",
}
_PREPOSITIONS = {Relation.ON: "on", Relation.INSIDE: "in"}


class Options(BaseModel):
    """Options of `reactree_seeds`."""

    control_flow: ControlFlows = Field(
        ControlFlows.AUTO,
        description="control flow types to use: all, sequence and fallback (seq_fallback), or "
        "sequence (seq); auto: all, but no parallel in the dialects of AI2-THOR",
    )
    working_memory: bool = Field(False, description="let agents recall where they last saw things")
    examples_for: Literal["reactree", "react"] = Field(
        "reactree",
        description="the planner that the examples are for: trees of agents, or the same work as "
        "one conversation (react)",
    )


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Make a tree of the goal by rule, and carry it out."""
    assert brief.goal is not None, "reactree_seeds is granted the goal"
    options = brief.options_of(Options)
    try:
        conditions = conditions_of(brief.goal)
    except Unreadable as error:
        yield GiveUp(f"There is no rule for this goal: {error}.")
        return
    memory = WorkingMemory(brief.dialect) if options.working_memory else None
    as_one = options.examples_for == "react"
    agents = SeedAgents(brief, percept, memory, as_one=as_one)
    rule = _Rule(agents, brief.agent, options.control_flow.types(brief.dialect))
    root = SubgoalWork(brief.instruction, partial(rule.whole, conditions))
    if (yield from agents.execute((agents.tree.root, root))) is Status.SUCCESS:
        if as_one:
            yield agents.example()
        yield Done("All parts are done.")
    else:
        yield GiveUp("Not all parts could be done.")


@dataclass(frozen=True)
class _Rule:
    """The rule that divides goals, and the work on undivided ones. flows: the permitted types."""

    agents: SeedAgents
    agent: int
    flows: tuple[ControlFlow, ...]

    def whole(self, conditions: GoalConditions) -> Work:
        """All conditions: things to place or hold first, then things to switch."""
        placed = [
            part for placing in conditions.placings for part in self._moves(placing, conditions)
        ]
        places = {placing.place for placing in conditions.placings}
        apart = all(placing.things not in places for placing in conditions.placings)
        parts = [part for things in conditions.held for part in self._to_hold(things, conditions)]
        parts += [self._switching(switching) for switching in conditions.switchings]
        if not parts:
            return (yield from self._joined(placed, apart=apart))
        if len(placed) > 1 and apart:
            first = conditions.placings[0]
            words = f"bring everything to {self.agents.name(first.place)}"
            placed = [SubgoalWork(words, partial(self._joined, placed, apart=True))]
        return (yield from self._joined([*placed, *parts], apart=False))

    def _joined(self, parts: list[SubgoalWork], *, apart: bool) -> Work:
        """Expand into parts, unless there is only one. apart: none depends on another."""
        if len(parts) == 1:
            return (yield from parts[0].work())
        listed = "; ".join(part.words for part in parts)
        if apart and ControlFlow.PARALLEL in self.flows:
            self.agents.think(
                f"These parts can each be done whatever comes of the others: {listed}."
            )
            return NodeExpansion(ControlFlow.PARALLEL, parts)
        self.agents.think(f"This takes several parts, one after the other: {listed}.")
        return NodeExpansion(ControlFlow.SEQUENCE, parts)

    def _moves(self, placing: Placing, conditions: GoalConditions) -> list[SubgoalWork]:
        """A subgoal for each thing that belongs at a place."""
        agents, parts = self.agents, []
        for number in range(placing.count):
            name = agents.name(placing.things)
            if placing.count > 1:
                name = name.replace("the ", "another " if number else "one ", 1)
            steps = [*self._to_hold(placing.things, conditions), self._putting(placing)]
            words = f"move {name} to {agents.name(placing.place)}"
            parts.append(SubgoalWork(words, partial(self._joined, steps, apart=False)))
        return parts

    def _to_hold(self, things: Things, conditions: GoalConditions) -> list[SubgoalWork]:
        """The subgoals of holding a thing, sliced or treated as needed."""
        name = self.agents.name(things)
        parts = [SubgoalWork(f"find and pick up {name}", partial(self._find, things))]
        if things.sliced:
            cut = Exists("thing", things.domain, HasState("thing", State.SLICED))
            slicing = partial(self._achieve, lambda: cut, f"I need a knife and {name}.")
            slice_name = f"a slice of {name}"
            parts = [
                SubgoalWork(f"find a knife and slice {name}", slicing),
                SubgoalWork(f"find and pick up {slice_name}", partial(self._find, things)),
            ]
        if things in conditions.treated:
            event = conditions.treated[things]
            words = f"{_TREATMENTS.get(event, event)} {name}"

            def done() -> Goal:
                return EventOccurred((event,), (self.agents.chosen[things],))

            parts.append(SubgoalWork(words, partial(self._achieve, done, f"Now I {words}.")))
        return parts

    # --- undivided subgoals ----------------------------------------------------------------------

    def _find(self, things: Things) -> Work:
        """Pick up a thing where it was seen, or look for it in one room after the other."""
        agents = self.agents
        if agents.memory is not None:
            yield from agents.recall(things)
            if agents.located(things) is not None:
                return (yield from agents.take(things, None))
        rooms = agents.rooms(things)
        if len(rooms) < 2 or ControlFlow.FALLBACK not in self.flows:
            return (yield from agents.take(things, None))
        name = agents.name(things)
        another = name.replace("the ", "another " if things in agents.chosen else "the ", 1)
        agents.think(f"I do not know where {another} is; I look in one room after the other.")
        words = f"find and pick up {name} in {{}}"
        return NodeExpansion(
            ControlFlow.FALLBACK,
            [
                SubgoalWork(
                    words.format(agents.node_name(room.id)), partial(agents.take, things, room)
                )
                for room in rooms
            ],
        )

    def _putting(self, placing: Placing) -> SubgoalWork:
        """Put down the held thing, at the place of earlier things if there is one."""
        agents = self.agents
        thing, place = agents.name(placing.things), agents.name(placing.place)
        how = _PREPOSITIONS.get(placing.literal.relation, "at")
        return SubgoalWork(
            f"find {place} and put {thing} {how} it", partial(self._put, placing, thing, place)
        )

    def _put(self, placing: Placing, thing: str, place: str) -> Work:
        agents = self.agents
        held = agents.chosen[placing.things]
        literal = replace(placing.literal, source=held)
        agents.think(f"I hold {thing}. Now I need {place}.")
        known = agents.chosen.get(placing.place)
        goal: Goal = Exists("place", placing.place.domain, replace(literal, target="place"))
        if known is not None:
            goal = replace(literal, target=known)
        if not (yield from agents.achieve(goal)):
            return Status.FAILURE
        agents.used.add(held)
        if known is None:
            agents.choose_place(placing, held)
        return Status.SUCCESS

    def _switching(self, switching: Switching) -> SubgoalWork:
        words = _SWITCHED[switching.state].format(self.agents.name(switching.things))

        def goal() -> Goal:
            chosen = self.agents.chosen.get(switching.things)
            if chosen is not None:
                return HasState(chosen, switching.state)
            state: Goal = HasState("thing", switching.state)
            if switching.near:
                state = And((state, Related(self.agent, Relation.CLOSE, "thing")))
            return Exists("thing", switching.things.domain, state)

        return SubgoalWork(words, partial(self._achieve, goal, f"Now I {words}."))

    def _achieve(self, goal: Callable[[], Goal], thought: str) -> Work:
        self.agents.think(thought)
        reached = yield from self.agents.achieve(goal())
        return Status.SUCCESS if reached else Status.FAILURE


PLANNER = Planner(
    name="reactree_seeds",
    summary="knows the goal and makes agent trees by rule: first examples for reactree",
    plan=plan,
    grants=frozenset({Grant.GOAL}),
    dialects=HOMES,
    options=Options,
    missing=prior.missing,
)
