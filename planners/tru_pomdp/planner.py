"""The planner `tru_pomdp`: a language model proposes what may be, a search in belief decides.

After Tang et al., Tru-POMDP (2025), section 4. The model is asked for hypotheses as a tree: goals,
objects with destinations, then where each unseen object is (`asking`). They are the particles of a
belief that Bayes' rule updates; the model is asked again only where too little of the belief agrees
with what is seen, or goals were reached in vain. Each action is found by DESPOT, whose rollouts
follow a policy that the model wrote once for the run (`policy`). The paper's ablations are options.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from ...models.contract import NoAnswer
from ...skills.actions import Action, Verb
from ..contract import (
    Act,
    Brief,
    Decision,
    Decisions,
    GiveUp,
    Internal,
    Note,
    Percept,
    Planner,
    Preparation,
)
from ..kits.belief.decide import SearchOptions, Solver
from ..kits.belief.hypothesis import Hypothesis
from ..kits.belief.notes import belief_note, told_belief
from ..kits.belief.ready import make_ready
from ..kits.belief.repeating import Searches
from ..kits.belief.search.models.kitchen import NULL, OPEN, PICK, PLACE, RolloutPolicy
from ..kits.belief.search.protocol import Limits
from ..kits.belief.search.streams import branch
from ..kits.belief.tracker import BeliefTracker
from ..kits.belief.world import KitchenWorld, Move
from ..kits.hypotheses.asking import Hypotheses, action_request, ask_flat, ask_tree
from ..kits.hypotheses.situation import Asking, Situation, Targets, situation_of
from .policy import PURPOSE, RandomPolicy, WrittenPolicy, ask_policy


class Options(Asking):
    """Options of `tru_pomdp`. The last five are the paper's ablations."""

    threshold: float = Field(
        0.7,
        ge=0,
        le=1,
        description="the model is asked again where less than 1 minus this of the belief survives",
    )
    failed_goals: int = Field(
        2, ge=1, description="goals reached in vain after which the model is asked again"
    )
    scenarios: int = Field(30, ge=1, description="scenarios of the search")
    depth: int = Field(20, ge=1, description="steps that the search looks ahead")
    rollout_depth: int = Field(10, ge=0, description="steps of a rollout")
    discount: float = Field(0.95, gt=0, le=1, description="weight of a reward one step later")
    simulations: int | None = Field(
        10, ge=1, description="simulations a decision; none: as many as `seconds` allow"
    )
    seconds: float | None = Field(
        None, gt=0, description="seconds a decision; none: not limited by time"
    )
    flat_particles: int = Field(
        9, ge=1, description="hypotheses that the one question of hypotheses=flat asks for"
    )
    belief: Literal["particles", "likeliest"] = Field(
        "particles", description="all hypotheses, or the likeliest alone (w/o Belief)"
    )
    update: Literal["hybrid", "new"] = Field(
        "hybrid", description="Bayes' rule first, or a new belief at every step (w/o HBU)"
    )
    hypotheses: Literal["tree", "flat"] = Field(
        "tree", description="asked level by level, or in one question (w/o TOH)"
    )
    rollout: Literal["written", "builtin", "random"] = Field(
        "written",
        description="by a policy that the model writes, by ours, or random legal actions (w/o LRP)",
    )
    action: Literal["search", "model"] = Field(
        "search", description="found by the search, or chosen by the model (w/o BTS)"
    )


#: The key under which `prepare` gives the model's policy, and why there is none.
_POLICY, _REASON = "policy", "reason"
#: The most particles that a model is told.
_TOLD_PARTICLES = 30


def prepare(preparation: Preparation) -> Mapping[str, Any]:
    """Ask once a run for the rollout policy, and compile the search with it."""
    options = preparation.options
    assert isinstance(options, Options)
    prepared: dict[str, Any] = {}
    if options.action == "model":
        return prepared
    if options.rollout == "written":
        written = ask_policy(preparation.models["planner"], preparation.seed)
        prepared = {_POLICY: written.source, _REASON: written.reason}
    make_ready(Solver.DESPOT, _policy(options, prepared))
    return prepared


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Believe, decide and act until the task is done."""
    episode = _Episode(brief, percept)
    yield from episode.tell_policy()
    try:
        yield from episode.ask()
        while True:
            yield from episode.step()
    except NoAnswer as error:
        yield GiveUp(str(error))


class _Episode:
    """What is believed and was done so far."""

    def __init__(self, brief: Brief, percept: Percept) -> None:
        self.options = brief.options_of(Options)
        self._brief = brief
        self._percept = percept
        self._world = KitchenWorld(brief, percept)
        self._tracker = BeliefTracker(self._world, seed=brief.seed)
        self._prepared = brief.prepared or {}
        self._searches = self._new_searches()
        self._failed: list[Targets] = []
        self._failed_since = 0  # since the model was asked
        self._history: list[str] = []
        self._decided = 0

    def tell_policy(self) -> Decisions:
        """Note which policy rollouts follow; that ours takes the model's place is a correction."""
        if self.options.action == "model":
            return
        if self.options.rollout != "written":
            yield Note("policy", f"rollouts follow the policy '{self.options.rollout}'")
        elif source := self._prepared.get(_POLICY):
            yield Note("policy", "rollouts follow the model's own policy", {"source": source})
        else:
            reason = str(self._prepared.get(_REASON) or "it was not asked for one")
            text = f"rollouts follow the built-in policy, not the model's: {reason}"
            yield Note("policy", text, {"corrected": {PURPOSE: reason}})

    def step(self) -> Decisions:
        """Decide, act, and update the belief by what is observed."""
        before = told_belief(self._tracker)
        move = yield from self._decide()
        action = self._world.action(move) or Action(Verb.WAIT)
        self._percept = yield Act(action)
        self._history.append(str(move))
        supposed = [goal for _, goal in self._tracker.goals()]
        survived = self._tracker.observe(self._percept, move).survived
        survived *= self._give_up_reached(supposed)
        due = self._is_due(survived)
        if due:
            yield from self.ask(share=self._share(survived))
        yield belief_note(before, self._tracker, survived, replenished=due)

    def _give_up_reached(self, supposed: Sequence[Targets]) -> float:
        """Give up those goals that hold, since the task is not done. The weight that is left.

        supposed: the goals before the observation, which may have ended some of these already.
        """
        left, located = 1.0, self._world.located
        for goal in supposed:
            if all(located.get(thing) == area for thing, area in goal.items()):
                self._failed.append(goal)
                self._failed_since += self._counts_as(goal)
                left *= self._tracker.refute(goal)
        return left if self._tracker.particles else 0.0

    def _counts_as(self, goal: Targets) -> int:
        """How many goals in vain this one counts as.

        One of as many objects as an answer may have, all of them placed right, was not wrong but a
        part: what else is wanted was not asked for yet, so it is time to ask.
        """
        placed = {self._world.name(thing) for thing in self._percept.confirmed}
        is_part = len(goal) >= self.options.combination and placed.issuperset(goal)
        return self.options.failed_goals if is_part else 1

    def _is_due(self, survived: float) -> bool:
        """Whether the model is to be asked again."""
        if self._percept.ended is not None:
            return False
        options = self.options
        return (
            options.update == "new"
            or self._tracker.empty
            or survived < 1.0 - options.threshold
            or self._failed_since >= options.failed_goals
        )

    def _share(self, survived: float) -> float:
        """The part of the belief that new hypotheses get: what did not survive.

        After goals that were reached in vain it is as much at least as where that alone is why the
        model is asked: the other old goals came from the same answer.
        """
        in_vain = self._failed_since >= self.options.failed_goals
        return max(1.0 - survived, self.options.threshold if in_vain else 0.0)

    # --- hypotheses ------------------------------------------------------------------------------

    def ask(self, share: float = 1.0) -> Decisions:
        """Ask for hypotheses and take them in. share: their part of the belief.

        Raises NoAnswer where none are left to believe in.
        """
        options, now = self.options, self._situation()
        try:
            if options.hypotheses == "flat":
                found = ask_flat(self._brief.model, now, options, options.flat_particles)
            else:
                found = ask_tree(self._brief.model, now, options)
        except NoAnswer as error:
            if self._tracker.empty:
                raise
            yield Internal("hypothesise", str(error), {"refused": "hypotheses"})
            return
        yield from _told(found)
        if options.update == "new" or self._tracker.empty:
            self._renew()
            share = 1.0
        hypotheses = found.found
        if options.belief == "likeliest":
            self._renew()
            hypotheses = (max(hypotheses, key=lambda each: each.weight),)
            share = 1.0
        admitted = self._tracker.replenish(hypotheses, share=share)
        self._failed_since = 0
        for reason, count in admitted.refused.items():
            yield Internal("hypothesise", f"{count} refused: {reason}", {"refused": "hypothesis"})
        if self._tracker.empty:
            raise NoAnswer("No hypothesis of the model agrees with what was seen.")

    def _renew(self) -> None:
        """Begin an empty belief."""
        refuted = self._tracker.refuted
        self._tracker = BeliefTracker(self._world, seed=self._brief.seed + self._decided)
        self._tracker.refuted |= refuted
        self._tracker.confirm({self._world.name(thing) for thing in self._percept.confirmed})

    def _situation(self) -> Situation:
        return situation_of(self._brief, self._world, self._percept, self._failed, self._history)

    # --- decisions -------------------------------------------------------------------------------

    def _decide(self) -> Generator[Decision, Percept, Move]:
        """The next move. Raises NoAnswer."""
        if self._percept.ended is not None:
            return Move(NULL)  # no step is left: any action ends the episode for that reason
        self._decided += 1
        if self.options.action == "model":
            return (yield from self._chosen_by_model())
        seed = branch(self._brief.seed, self._decided)
        choice, note = self._searches.choose(self._tracker, seed)
        yield note
        return choice.action

    def _chosen_by_model(self) -> Generator[Decision, Percept, Move]:
        """The move that the model chooses, which is told the particles."""
        moves = {str(move): move for move in self._possible()}
        request = action_request(
            self._situation(), _particles(self._tracker), sorted(moves), self.options.temperature
        )
        (answer,) = self._brief.model.many([request])
        if isinstance(answer, NoAnswer):
            raise answer
        yield Note("choice", answer.reasoning)
        return moves[answer.action]

    def _possible(self) -> list[Move]:
        """What can be done now: the paper's dynamic actions with all objects in view."""
        world = self._world
        moves = [Move(OPEN, area) for area in world.closed()]
        if world.held is None:
            moves += [Move(PICK, thing) for thing in world.located]
        else:
            moves += [Move(PLACE, name) for name, area in world.areas.items() if area.is_open]
        return [*moves, Move(NULL)]

    def _new_searches(self) -> Searches:
        options = self.options
        search = SearchOptions(
            scenarios=options.scenarios,
            depth=options.depth,
            rollout=options.rollout_depth,
            discount=options.discount,
            policy=_policy(options, self._prepared),
        )
        return Searches(self._brief, search, Limits(options.simulations, options.seconds))


def _policy(options: Options, prepared: Mapping[str, Any]) -> RolloutPolicy | None:
    """The policy of rollouts; None for the built-in one."""
    if options.rollout == "random":
        return RandomPolicy()
    source = prepared.get(_POLICY) if options.rollout == "written" else None
    return WrittenPolicy(source) if source else None


def _particles(tracker: BeliefTracker) -> list[Hypothesis]:
    """The particles of the highest weights."""
    most = sorted(tracker.particles, key=lambda pair: -pair[1])[:_TOLD_PARTICLES]
    return [Hypothesis(dict(each.targets), dict(each.places), weight) for each, weight in most]


def _told(found: Hypotheses) -> Decisions:
    """Tell what was asked: a decision for each answer, a note, and each repair as a correction."""
    goals = [{"weight": round(w, 3), "targets": dict(targets)} for targets, w in found.goals]
    text = f"{len(found.goals)} goals, {len(found.found)} hypotheses"
    yield Internal("hypothesise", text, {"goals": goals})
    for thing, areas in found.places.items():
        yield Internal("hypothesise", f"where {thing} is", {"areas": dict(areas)})
    for thing in found.unanswered:
        yield Internal("hypothesise", f"no answer on where {thing} is", {"refused": "places"})
    for sentence in found.repairs:
        yield Note("repair", sentence, {"corrected": {"answer": sentence}})


PLANNER = Planner(
    name="tru_pomdp",
    summary="a language model's tree of hypotheses as a belief that is searched (Tru-POMDP)",
    plan=plan,
    dialects=("tru_pomdp",),
    models=("planner",),
    options=Options,
    prepare=prepare,
)
