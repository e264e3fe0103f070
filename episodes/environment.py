"""The world of one episode: reset, step, score. It knows no planner.

environment = peephole.make("robothow", task="put_groceries_in_fridge/1004_2")
percept = environment.reset()
while percept.ended is None:
    percept = environment.step(environment.menu()[0])
print(environment.score())
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from operator import index
from typing import TYPE_CHECKING, NamedTuple, SupportsIndex

from ..adapters.contract import Adapter, Capability
from ..errors import BadInput
from ..observation_text.dialect import Dialect, Refusal
from ..observation_text.names import Names
from ..observation_text.observer import Observer, Reading
from ..planners.contract import Brief, Decision, Grant, Percept
from ..scene_graph.goal_evaluation import Subgoal
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import State
from ..scene_graph.rules import Budgets, Ends, RefusedText, Rules
from ..scene_graph.task import Task
from ..skills.actions import Action
from ..skills.actions import check as check_arguments
from ..skills.executor import RetryPolicy
from ..skills.outcomes import Failure, Outcome, Reason
from .approval.approver import Approver
from .approval.gate import Gate
from .augmentation import AugmentationScore, score
from .briefing import Briefing, ReaderNames, worded_instruction
from .events import Started, Stepped, TrialStarted
from .faults import Faults, without_traces
from .journal import Journal, Observed
from .planner_ids import PlannerIds, SimulatorIds
from .referee import Referee, Tally
from .world import World

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The feedback of a goal check.
GOAL_REACHED, GOAL_NOT_REACHED = "The task is done.", "The task is not done yet."


@dataclass(frozen=True)
class Score:
    """How an episode stands; `EpisodeResult` explains the figures."""

    success: bool | None
    """Whether the goal holds; None where nobody can tell."""
    progress: float | None
    """Share of the goal's literals that hold, in [0, 1]; None where nobody can tell."""
    subgoals: tuple[Subgoal, ...]
    """The parts of the goal."""
    reward: float
    """Sum over all steps."""
    steps: int
    """Actions so far."""
    trials: int
    """Times that the task was begun."""
    retries: int
    """Attempts after the first of each action."""
    duration_s: float
    """Seconds in the simulator."""
    failures: dict[str, int]
    """Failed actions by reason."""
    informed: bool | None
    """Whether success was no luck; None where the task does not ask."""
    changed_nodes: int | None
    """Nodes that the goal asks to change; None without a true state."""
    correct_nodes: int | None
    """Those of them that are right now."""
    infeasible: int | None
    """Infeasible actions of this trial, where one of them fails the episode; else None."""


class Standing(NamedTuple):
    """The part of `Score` that takes no time, for callers that ask after each step."""

    success: bool | None
    progress: float | None
    reward: float


class Environment:
    """One episode of a task in a simulator or a real room.

    The agent knows nodes by ids of its own (`planner_ids`), unless it is granted the truth. trial:
    from 1. instruction: with the names that the agent knows.
    """

    def __init__(
        self,
        adapter: Adapter,
        task: Task,
        dialect: Dialect,
        *,
        rules: Rules | None = None,
        budgets: Budgets | None = None,
        grants: frozenset[Grant] = frozenset(),
        seed: int = 0,
        policy: RetryPolicy | None = None,
        journal: Journal | None = None,
        faults: Faults | None = None,
        approver: Approver | None = None,
    ) -> None:
        """rules, budgets: those of the task come first. grants: what the agent gets beyond views.
        policy: of retries. journal: records what happens, or compares it with a recording. faults:
        failures to inject, which the agent cannot tell from others. approver: allows or denies
        each action before it reaches the world.
        """
        self.task = task
        self.adapter = adapter
        self.dialect = dialect
        self.rules = task.rules or rules or Rules()
        limits = task.budgets or budgets or Budgets()
        self.budgets = limits.of_body(approaches=adapter.spec.embodiment.approaches)
        self.grants = grants
        self.seed = checked_seed(seed)
        self.trial = 0
        self.instruction = task.instruction
        self._policy = policy or RetryPolicy.within(adapter.spec.attempt_s)
        self._journal = journal or Journal()
        self._faults = faults
        self._gate = Gate(approver, self._journal)
        self._percept: Percept | None = None
        self._tally = Tally()
        self._counted_from = 0  # the steps before the agent took over

    # --- for the agent ---------------------------------------------------------------------

    def reset(self) -> Percept:
        """Begin the episode, or begin it again. Raises what `Adapter.reset` does."""
        self._percept = None
        self.trial = self._counted_from = 0
        self._journal.restart()
        self._tally = Tally()
        self._names = Names()
        self._reader_names = ReaderNames(self._names)
        kind = SimulatorIds if Grant.TRUTH in self.grants else PlannerIds
        self._ids = kind(self._names)
        self._world = World(self.adapter, self.task, self.seed, self._policy, self._faults)
        return self._begin()

    def new_trial(self) -> Percept:
        """Begin the task again from its start; steps and budgets go on.

        Raises BadInput where no trial is left.
        """
        self._begun()
        if self.trial >= self.rules.trials:
            raise BadInput(f"All {self.rules.trials} trials of the task are used.")
        self._tally.reward += self._referee.reward
        return self._begin()

    def step(self, action: Action | str, *, planned_at: int | None = None) -> Percept:
        """Try an action, or a text in the dialect.

        planned_at: the number of steps before the plan that it belongs to was made; None where it
        was chosen now.

        Raises BadInput before `reset`, after the end, and for an argument that is neither. Raises
        EpisodeVoided where the simulator is lost for good, and ConnectionLost where a real room is.
        """
        ended = self._begun().ended
        if ended is not None:
            raise BadInput(f"The episode has ended ({ended}); begin another with reset().")
        check_action(action)
        if isinstance(action, Action):
            return self._act(self._ids.action(action), None, planned_at)
        try:
            return self._act(self._observer.parse(action), action, planned_at)
        except Refusal as refusal:
            return self.refuse(action, str(refusal))

    def refuse(self, said: str, reason: str) -> Percept:
        """Tell the agent that what it said is no action, which costs what the rules say.

        reason: a sentence. `step` does so for what the dialect cannot parse.
        """
        is_free = self.rules.refused is RefusedText.FREE
        self._tally.refused(costs_step=not is_free)
        if is_free:
            self._journal.text_refused(said, reason)
            return self._sent(reason, refused=reason)
        self._journal.step = self.steps
        outcome = Outcome(Failure(Reason.UNKNOWN))
        recorded = self._journal.expect(Stepped)
        observed = Observed(reason, self._referee.value, self._moment, self._world.image)
        reward = self._referee.refused()
        self._journal.stepped(recorded, None, said, said, outcome, reward, observed)
        return self._sent(reason, outcome=outcome, refused=reason)

    def repeat(self, recorded: Stepped) -> Percept:
        """Do a step of another agent again by its recorded attempts, with its recorded outcome.

        What never reached the simulator then is refused again, as this agent may know it.
        """
        self._begun()
        if recorded.action is None:
            return self.refuse(recorded.said or "", recorded.observation)
        action = self._ids.action(self.understood(recorded.action))
        return self._act(action, None, None, recorded)

    def hand_over(self) -> Percept:
        """Begin for another agent in the present state: steps and observations start here."""
        self._begun()
        self._counted_from = self.steps
        return self._sent(self._with_confirmed(self._observer.first_sight()))

    def augmentation(self, decision: Decision) -> AugmentationScore | None:
        """The score of a note on what was found at a place, against the present view."""
        return score(decision, self._begun().view)

    def check_goal(self) -> Percept:
        """Tell the agent, which says that it is done, whether the goal holds."""
        ended = self._begun().ended
        reached = bool(self._referee.reached)
        feedback = GOAL_REACHED if reached else GOAL_NOT_REACHED
        self._journal.goal_checked(reached, feedback)
        ended = "goal_reached" if reached else ended
        return self._sent(feedback, feedback=feedback, ended=ended)

    @property
    def steps(self) -> int:
        """The actions so far."""
        return self._tally.steps

    @property
    def truth(self) -> SceneGraph | None:
        """The true state, for comparison alone; None where it cannot be read."""
        return self._moment.truth

    def understood(self, action: Action) -> Action:
        """An action of the world, with the ids that the agent knows; others are of nothing."""
        known = self._ids.understood(action)
        target = action.target if known.target is None else known.target
        place = action.place if known.place is None else known.place
        return replace(known, target=target, place=place)

    @property
    def begun(self) -> bool:
        """Whether `reset` has brought the world to the task's start."""
        return self._percept is not None

    @property
    def percept(self) -> Percept:
        """The last percept. Raises BadInput before `reset`."""
        return self._begun()

    @property
    def text(self) -> str:
        """The last observation."""
        return self._begun().text

    def menu(self) -> list[str]:
        """The actions on offer now, as texts in the dialect."""
        self._begun()
        return [text for text, _ in self._observer.menu()]

    def brief(self) -> Brief:
        """The first observation, before any step."""
        self._begun()
        spec = self.adapter.spec
        brief = Brief(
            instruction=self.instruction,
            agent=self._me,
            rooms=(),
            embodiment=spec.embodiment,
            actions=spec.actions,
            directions=spec.directions,
            budgets=replace(self.budgets, steps=self.budgets.steps - self._counted_from),
            dialect=self.dialect.name,
            seed=self.seed,
            rules=self.rules,
            forms=self.dialect.forms(spec.actions),
        )
        return self._ids.brief(self._briefing.completed(brief, self._name))

    def score(self) -> Score:
        """How the episode stands now."""
        self._begun()
        referee, tally = self._referee, self._tally
        success, progress, reward = self.standing()
        informed = referee.informed
        nodes = referee.changed_nodes
        return Score(
            success=success,
            progress=progress,
            subgoals=referee.subgoals,
            reward=reward,
            steps=self.steps,
            trials=self.trial,
            retries=tally.retries,
            duration_s=tally.duration_s,
            failures=dict(tally.failures),
            informed=None if informed is None else bool(success and informed),
            changed_nodes=None if nodes is None else nodes.changed,
            correct_nodes=None if nodes is None else nodes.correct,
            infeasible=tally.infeasible if self.rules.infeasible_fails else None,
        )

    def standing(self) -> Standing:
        """Success, progress and reward so far, as in `score`."""
        self._begun()
        referee, tally = self._referee, self._tally
        # A stopped arm has failed, whatever it did before.
        success = False if self._stopped or tally.fails(self.rules) else referee.reached
        return Standing(success, referee.value, tally.reward + referee.reward)

    def close(self) -> None:
        """Close the simulator."""
        self.adapter.close()
        self._percept = None

    def __enter__(self) -> Environment:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    # --- what happens ----------------------------------------------------------------------

    def _begin(self) -> Percept:
        """Begin a trial."""
        self.trial += 1
        kind: type[Started | TrialStarted] = Started if self.trial == 1 else TrialStarted
        recorded = self._journal.expect(kind)
        self._moment = moment = self._world.begin(recorded)
        self._me = moment.view.agent().id
        self._briefing = Briefing(self.task, moment, self.grants, self._names, self.seed)
        spec = self.adapter.spec
        self._observer = Observer(
            self._names, self.dialect, spec.actions, spec.embodiment, spec.directions
        )
        self._briefing.name_in_advance(self._observer)
        self._ids.issue(self._briefing.goal_ids())
        self._tally.new_trial()
        text = self._observer.start(moment.view)
        known = moment.view.graph if moment.truth is None else moment.truth
        self.instruction = worded_instruction(self.task, self._name, self.dialect, known)
        judge = self._world.judge if Capability.JUDGE in spec.capabilities else None
        self._referee = Referee(self.task, self.rules.rewards, self._name, judge)
        self._referee.start(moment.view, moment.truth, recorded)
        text = self._with_confirmed(text)
        observed = Observed(text, self._referee.value, moment, self._world.image)
        self._journal.began(recorded, self.task, self.instruction, self.trial, observed)
        return self._sent(text)

    def _act(
        self,
        action: Action,
        said: str | None,
        planned_at: int | None,
        repeated: Stepped | None = None,
    ) -> Percept:
        """Try an action and take in its outcome. repeated: that of another agent, done again."""
        planned_at = self.steps if planned_at is None else planned_at
        self._tally.steps += 1
        self._journal.step = self.steps
        wording = self._observer.word(action)
        reached = repeated is not None and bool(repeated.outcome.attempts)
        refused = None if reached else self._observer.admit(action)
        if refused is None and repeated is None:
            refused = self._gate.denied(action, wording, self.steps, self._observer, self._moment)
        elif refused is None and repeated is not None:
            refused = repeated.outcome.failure
        recorded = self._journal.expect(Stepped)
        done = repeated if reached else recorded
        outcome, moment = self._world.perform(action, refused, done)
        self._moment = moment
        reward = self._referee.after(
            action, outcome, moment.view, moment.truth, self.steps, planned_at, recorded
        )
        text, redacted = self._observer.after(moment.view, action, outcome)
        if self._faults is not None:
            redacted = without_traces(redacted)
        text = self._with_confirmed(text)
        self._tally.done(outcome, redacted)
        observed = Observed(text, self._referee.value, moment, self._world.image)
        self._journal.stepped(recorded, action, said, wording, outcome, reward, observed)
        return self._sent(text, outcome=redacted, action=action)

    @property
    def _confirmed(self) -> frozenset[int]:
        """The visible objects that lie where an acceptable goal wants them; none by default."""
        if not self.rules.confirms_placements:
            return frozenset()
        return frozenset(i for i in self._referee.rightly_placed if i in self._moment.view.graph)

    def _with_confirmed(self, text: str) -> str:
        sentence = self._observer.confirmed(self._confirmed)
        return f"{text} {sentence}" if sentence else text

    @property
    def _stopped(self) -> bool:
        """Whether a protective stop was tripped."""
        nodes = self._moment.truth or self._moment.view.graph
        return State.BROKEN in nodes[self._me].states

    def _ended(self) -> str | None:
        """Why the episode is over; None while it goes on."""
        if self._stopped:
            return "stopped"
        if self.steps and self.rules.ends is Ends.GOAL_REACHED and self._referee.reached:
            return "goal_reached"
        return self._tally.ends(self.rules, self.budgets)

    def _sent(
        self,
        text: str,
        *,
        outcome: Outcome | None = None,
        action: Action | None = None,
        refused: str | None = None,
        feedback: str | None = None,
        ended: str | None = None,
    ) -> Percept:
        """The percept that the agent gets."""
        self._percept = Percept(
            text=text,
            view=self._ids.view(self._observer.view),
            names=self._ids.names(self._observer.names),
            step=self.steps - self._counted_from,
            outcome=None if outcome is None else self._ids.outcome(outcome),
            action=None if action is None else self._ids.understood(action),
            refused=refused,
            feedback=feedback,
            confirmed=self._ids.things(self._confirmed),
            ended=ended or self._ended(),
            truth=self._moment.truth if Grant.TRUTH in self.grants else None,
            menu=menu_of(self._observer, self._ids),
            sayable=sayable_of(self._observer, self._ids),
            read=reading_of(self._observer, self._ids),
            overview=overview_of(self._observer),
            surroundings=surroundings_of(self._observer),
            image=self._camera() if Grant.IMAGES in self.grants else lambda: None,
        )
        return self._percept

    def _camera(self) -> Callable[[], NDArray[np.uint8] | None]:
        """The present image, taken once, when it is first asked for."""
        taken, camera = self._journal.image_taken, self._world.image
        return cache(lambda: taken(camera))

    def _begun(self) -> Percept:
        """The last percept. Raises BadInput if there is none."""
        if self._percept is None:
            raise BadInput("The episode has not begun; call reset() first.")
        return self._percept

    def _name(self, node_id: int) -> str:
        """The name of a node in the instruction, the brief and the subgoals."""
        return self._reader_names.of(node_id, self._me, self._moment.truth)


# Planners get closures over what was perceived, not methods of an environment, whose adapter and
# task would be an attribute away.


def menu_of(observer: Observer, ids: PlannerIds) -> Callable[[], list[tuple[str, Action]]]:
    """Makes the menu of an agent, with its ids."""
    return lambda: ids.offered(observer.menu())


def sayable_of(observer: Observer, ids: PlannerIds) -> Callable[[], list[tuple[str, Action]]]:
    """Makes the possible actions of an agent in every form, with its ids."""
    return lambda: ids.offered(observer.sayable())


def reading_of(observer: Observer, ids: PlannerIds) -> Callable[[str], Reading]:
    """Reads texts as actions of an agent, with its ids."""

    def read(text: str) -> Reading:
        action, objection = observer.read(text)
        return Reading(None if action is None else ids.understood(action), objection)

    return read


def overview_of(observer: Observer) -> Callable[[], str]:
    """Describes the present place of an agent."""
    return lambda: observer.overview()


def surroundings_of(observer: Observer) -> Callable[[], str]:
    """Describes the present place of an agent that was told the rooms."""
    return lambda: observer.surroundings()


def checked_seed(seed: SupportsIndex) -> int:
    """A seed as a plain number. Raises BadInput for what is no whole number."""
    try:
        return index(seed)
    except TypeError:
        raise BadInput(f"A seed is a whole number, such as 0, not {seed!r}.") from None


def check_action(action: object) -> None:
    """Raise BadInput for what can be no step: neither a text nor a complete action."""
    if isinstance(action, Action):
        check_arguments(action)
    elif not isinstance(action, str):
        raise BadInput(f"A step takes an action or a text in the dialect, not {action!r}.")
