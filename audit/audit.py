"""Audits the tasks of a suite, each in its world: can the planner expert fulfil the goal?

Where it cannot, a search among the possible states (`final_states`) proves the goal impossible, or
finds a state in which it would hold. Then expert is asked for that state, and its plan is carried
out in a fresh world. A goal that is neither fulfilled nor proven impossible stays open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..adapters.contract import STAND_IN, Adapter
from ..episodes.environment import Environment
from ..episodes.resolve import dialect_for
from ..errors import PeepholeError
from ..planners.contract import Act, Decision, Done, GiveUp, Percept
from ..planners.expert import PLANNER as EXPERT
from ..planners.kits.household.plan_following import plan_text
from ..scene_graph.goal_evaluation import satisfied
from ..scene_graph.goal_text import describe
from ..scene_graph.goals import And, Goal, conjuncts, named_ids
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Kind
from ..scene_graph.task import Task
from ..skills.actions import Action
from ..skills.executor import EpisodeVoided, SimulatorDied
from ..suites.contract import Suite
from .final_states import FinalState, final_state
from .findings import Audit, AuditedTask, AuditVerdict, Proof
from .laws import laws_of
from .wording import Ambiguity, ambiguities, same_words

#: Most values that a search among states tries.
MAX_CHOICES = 20_000
#: Most facts listed for one proof.
_FACTS = 6


def audit(
    suite: Suite,
    tasks: Sequence[Task],
    adapter: Adapter,
    *,
    seed: int = 0,
    audited: Callable[[AuditedTask], None] | None = None,
) -> Audit:
    """Audit tasks of a suite in an adapter.

    audited: called with the findings on each task as they come.
    """
    alike = same_words(suite.tasks)
    found = []
    stand_in = ""
    for task in tasks:
        found.append(_TaskAudit(suite, task, adapter, seed, alike.get(task.id)).run())
        stand_in = stand_in or str(adapter.facts().get(STAND_IN) or "")
        if audited is not None:
            audited(found[-1])
    return Audit(suite.name, adapter.spec.name, stand_in, tuple(found))


@dataclass(frozen=True)
class _Played:
    """An episode of expert. actions: the successful ones. reason: why it gave up."""

    success: bool
    actions: tuple[Action, ...]
    reason: str = ""


class _TaskAudit:
    """The audit of one task. alike: the finding that another task has the same instruction."""

    def __init__(
        self, suite: Suite, task: Task, adapter: Adapter, seed: int, alike: Ambiguity | None
    ) -> None:
        self._suite = suite
        self._task = task
        self._adapter = adapter
        self._seed = seed
        self._alike = alike
        self._start = SceneGraph()

    def run(self) -> AuditedTask:
        """Whether the goal can be fulfilled, and whether the instruction is clear."""
        task = self._task
        blank = AuditedTask(
            task=task.id,
            scene=task.scene,
            instruction=task.instruction,
            goal="",
            verdict=AuditVerdict.OPEN,
            proof=Proof.NONE,
        )
        try:
            environment = self._environment(task)
            percept = environment.reset()
            assert percept.truth is not None, "the audit is granted the truth"
            self._start = percept.truth.copy()
            blank = replace(
                blank,
                instruction=_instruction(task, self._name),
                goal=describe(task.goal, self._name),
                ambiguous=self._ambiguous(),
            )
            return self._fulfilled(blank, environment, percept)
        except (EpisodeVoided, SimulatorDied, PeepholeError) as error:
            return replace(blank, facts=(f"the world could not be played: {error}",))

    def _fulfilled(
        self, blank: AuditedTask, environment: Environment, percept: Percept
    ) -> AuditedTask:
        task = self._task
        if satisfied(task.goal, self._start):
            facts = tuple(describe(part, self._name) for part in conjuncts(task.goal))
            return replace(blank, verdict=AuditVerdict.HOLDS, proof=Proof.STATE, facts=facts)
        played = _play(environment, percept)
        if played.success:
            steps = len(played.actions)
            return replace(blank, verdict=AuditVerdict.FULFILLABLE, proof=Proof.PLAYED, steps=steps)
        part, state = self._final_state()
        if state.impossible:
            proof = Proof.SEARCH if state.searched else Proof.ARGUMENT
            return replace(
                blank,
                verdict=AuditVerdict.IMPOSSIBLE,
                proof=proof,
                facts=self._impossible_facts(part, state),
                choices=state.choices,
            )
        if state.facts is not None:
            planned = self._planned(state.facts)
            if planned is not None:
                actions = tuple(plan_text([action], self._name) for action in planned)
                return replace(
                    blank,
                    verdict=AuditVerdict.FULFILLABLE,
                    proof=Proof.PLAN,
                    facts=(f"expert did not find it by itself: {played.reason}",),
                    plan=actions,
                    steps=len(planned),
                    choices=state.choices,
                )
        return replace(blank, facts=self._open_facts(played, state), choices=state.choices)

    def _final_state(self) -> tuple[Goal, FinalState]:
        """The search for a state in which the goal holds, and the impossible part of the goal."""
        goal = self._task.goal
        found = self._searched(goal)
        parts = list(conjuncts(goal))
        if not found.impossible or len(parts) == 1:
            return goal, found
        for part in list(parts):
            without = And(tuple(each for each in parts if each is not part))
            if len(parts) > 1 and (again := self._searched(without)).impossible:
                parts.remove(part)
                goal, found = without, again
        return (parts[0] if len(parts) == 1 else goal), found

    def _searched(self, goal: Goal) -> FinalState:
        laws = laws_of(self._adapter)
        return final_state(self._start, goal, laws, self._name, MAX_CHOICES)

    def _impossible_facts(self, part: Goal, state: FinalState) -> tuple[str, ...]:
        about = [] if part is self._task.goal else [f"of the goal: {describe(part, self._name)}"]
        reasons = list(state.reasons[:_FACTS])
        if len(state.reasons) > _FACTS:
            reasons.append(f"and {len(state.reasons) - _FACTS} more facts of this kind")
        return (*about, *state.rules, *reasons)

    def _open_facts(self, played: _Played, state: FinalState) -> tuple[str, ...]:
        if state.facts is None:
            searched = f"the search among states did not end after {state.choices} choices"
        else:
            wanted = describe(And(state.facts), self._name)
            searched = f"a state in which {wanted} may be possible, but no way to it was found"
        return (f"expert: {played.reason}", searched)

    def _planned(self, facts: tuple[Goal, ...]) -> tuple[Action, ...] | None:
        """A plan to a state, if expert finds one and the goal then holds in a fresh world."""
        environment = self._environment(replace(self._task, goal=And(facts), candidates=None))
        played = _play(environment, environment.reset())
        fresh = self._environment(self._task)
        fresh.reset()
        for number, action in enumerate(played.actions, start=1):
            ended = fresh.step(action).ended
            if fresh.score().success:
                return played.actions[:number]
            if ended is not None:
                break
        return None

    def _environment(self, task: Task) -> Environment:
        adapter, suite = self._adapter, self._suite
        return Environment(
            adapter,
            task,
            dialect_for(adapter.spec),
            rules=suite.rules,
            budgets=suite.budgets,
            grants=EXPERT.grants,
            seed=self._seed,
        )

    def _ambiguous(self) -> tuple[Ambiguity, ...]:
        alike = () if self._alike is None else (self._alike,)
        return (*alike, *ambiguities(self._task, self._start, self._name))

    def _name(self, thing: int) -> str:
        node = self._start.get(thing)
        if node is None:
            return f"#{thing}"
        return "you" if node.kind is Kind.AGENT else f"{node.category} #{thing}"


def _instruction(task: Task, name: Callable[[int], str]) -> str:
    text = task.instruction
    for thing in named_ids(task.goal):
        text = text.replace(f"{{{thing}}}", name(thing))
    return text


def _play(environment: Environment, percept: Percept) -> _Played:
    """Let expert play. percept: the first one of the episode."""
    decisions = EXPERT.plan(environment.brief(), percept)
    done: list[Action] = []
    decision: Decision = next(decisions)
    while not isinstance(decision, Done | GiveUp):
        if isinstance(decision, Act):
            percept = environment.step(decision.action)
            if percept.outcome is not None and percept.outcome.success:
                assert isinstance(decision.action, Action), "expert says no words"
                done.append(decision.action)
            if percept.ended is not None:
                break
        decision = decisions.send(percept)
    decisions.close()
    score = environment.score()
    reason = decision.reason if isinstance(decision, GiveUp) else f"it ended: {percept.ended}"
    if score.failures:
        refused = ", ".join(f"{kind} {times} times" for kind, times in score.failures.items())
        reason = f"{reason} The world refused: {refused}."
    return _Played(bool(score.success), tuple(done), reason)
