"""The planner `tru_pomdp`: a language model proposes hypotheses, a search of the belief decides.

After Tang et al., Tru-POMDP (2025), section 4. Hypotheses are the particles of a belief, which
Bayes' rule updates. DESPOT finds each action; its rollouts follow a policy that the model writes
once a run (`policy`). Options give the paper's ablations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ...errors import PeepholeError
from ...models.contract import NoAnswer
from ..contract import (
    Brief,
    Decisions,
    Internal,
    Note,
    OnlyWith,
    Percept,
    Planner,
    Preparation,
    SubPlan,
)
from ..kits.belief.decide import Searches, SearchOptions, Solver, make_ready
from ..kits.belief.moving import MoveMaker
from ..kits.belief.search.kitchen import NULL, OPEN, PICK, PLACE, RolloutPolicy
from ..kits.belief.search.protocol import Limits
from ..kits.belief.search.streams import branch
from ..kits.belief.tracker import BeliefTracker, belief_note, likely_places
from ..kits.belief.world import Hypothesis, KitchenWorld, Move
from ..kits.hypotheses.asking import Hypotheses, action_request, ask_flat, ask_tree
from ..kits.hypotheses.situation import Situation, TreeAsking, Wanted, situation_of
from ..kits.prompting.body import is_mobile
from ..kits.prompting.conversation import giving_up
from .policy import PURPOSE, RandomPolicy, WrittenPolicy, ask_policy

_HYBRID, _SEARCH = OnlyWith("update", "hybrid"), OnlyWith("action", "search")


class Options(TreeAsking):
    """Options of `tru_pomdp`; the last five give the paper's ablations."""

    threshold: Annotated[float, _HYBRID] = Field(
        0.7,
        ge=0,
        le=1,
        description="ask the model again if the share of the belief that survives is below 1 "
        "minus this value",
    )
    survival: Annotated[Literal["since_asked", "step"], _HYBRID] = Field(
        "since_asked",
        description="what survives: of the belief since the model was asked last (since_asked, as "
        "in the paper), or of the belief before the last observation (step)",
    )
    failed_goals: Annotated[int, _HYBRID] = Field(
        2,
        ge=1,
        description="number of goals reached without success after which the model is asked again",
    )
    scenarios: Annotated[int, _SEARCH] = Field(
        30, ge=1, description="number of scenarios of the search (DESPOT)"
    )
    depth: Annotated[int, _SEARCH] = Field(
        20, ge=1, description="greatest depth of the search, in steps"
    )
    rollout_depth: Annotated[int, _SEARCH] = Field(
        10, ge=0, description="length of a rollout, in steps"
    )
    discount: Annotated[float, _SEARCH] = Field(
        0.95, gt=0, le=1, description="factor by which each step further away reduces a reward"
    )
    regularisation: Annotated[float, _SEARCH] = Field(
        0.01, ge=0, description="penalty of the search for each node of a policy"
    )
    simulations: Annotated[int | None, _SEARCH] = Field(
        10, ge=1, description="most simulations for one decision; none: no limit but `seconds`"
    )
    seconds: Annotated[float | None, _SEARCH] = Field(
        None, gt=0, description="most seconds for one decision; none: no limit"
    )
    flat_particles: Annotated[int, OnlyWith("hypotheses", "flat")] = Field(
        9, ge=1, description="number of hypotheses in one answer, with hypotheses=flat"
    )
    belief: Literal["particles", "likeliest"] = Field(
        "particles",
        description="what the belief holds: all hypotheses (particles), or the likeliest alone "
        "(ablation w/o Belief)",
    )
    update: Literal["hybrid", "new"] = Field(
        "hybrid",
        description="belief update: Bayes' rule, and the model only where it fails (hybrid), or "
        "a new belief at every step (ablation w/o HBU)",
    )
    hypotheses: Literal["tree", "flat"] = Field(
        "tree",
        description="how the model is asked for hypotheses: level by level (tree), or in one "
        "question (flat: ablation w/o TOH)",
    )
    rollout: Annotated[Literal["written", "builtin", "random"], _SEARCH] = Field(
        "written",
        description="policy of rollouts: one that the model writes (written), Peephole's own "
        "(builtin), or random legal actions (ablation w/o LRP)",
    )
    action: Literal["search", "model"] = Field(
        "search", description="what chooses actions: the search, or the model (ablation w/o BTS)"
    )

    @model_validator(mode="after")
    def _bounded(self) -> Options:
        if self.simulations is None and self.seconds is None:
            raise ValueError("a search without simulations needs seconds")
        return self


#: Keys of the result of `prepare`: the model's policy, and why there is none.
_POLICY, _REASON = "policy", "reason"
#: The most particles in a prompt.
_SHOWN_PARTICLES = 30


def prepare(preparation: Preparation) -> Mapping[str, Any]:
    """Ask once a run for the rollout policy, and compile the search with it."""
    options = preparation.options
    assert isinstance(options, Options)
    if options.action == "model":
        return {}
    if options.rollout == "written":
        walks = is_mobile(preparation.embodiment, preparation.actions)
        model, seed = preparation.models["planner"], preparation.seed
        source, reason = ask_policy(model, seed, walks=walks)
        try:
            make_ready(Solver.DESPOT, WrittenPolicy(source) if source else None)
        except PeepholeError:
            raise
        except Exception as error:  # of the compiler, on a program that passed all checks
            source, reason = None, f"it cannot be compiled ({type(error).__name__})"
            make_ready(Solver.DESPOT, None)
        return {_POLICY: source, _REASON: reason}
    make_ready(Solver.DESPOT, _policy(options, {}))
    return {}


@giving_up
def plan(brief: Brief, percept: Percept) -> Decisions:
    """Believe, decide and act until the task is done."""
    episode = _Episode(brief, percept)
    yield from episode.tell_policy()
    yield from episode.ask()
    while True:
        yield from episode.step()


class _Episode:
    """The belief and the actions so far."""

    def __init__(self, brief: Brief, percept: Percept) -> None:
        self.options = options = brief.options_of(Options)
        self._brief = brief
        self._percept = percept
        self._world = KitchenWorld(brief, percept)
        self._mover = MoveMaker(brief, self._world)
        self._tracker = BeliefTracker(self._world, seed=brief.seed)
        self._prepared = brief.prepared or {}
        search = SearchOptions(
            scenarios=options.scenarios,
            depth=options.depth,
            rollout=options.rollout_depth,
            discount=options.discount,
            regularisation=options.regularisation,
            policy=_policy(options, self._prepared),
        )
        limits = Limits(options.simulations, options.seconds)
        self._searches = Searches(brief, search, limits)
        self._failed: list[Wanted] = []
        self._failed_since = 0  # since the model was asked
        self._survived = 1.0  # likewise
        self._history: list[str] = []
        self._decided = 0

    def tell_policy(self) -> Decisions:
        """Note the policy of rollouts; the built-in one instead of the model's is a correction."""
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
        """Decide, act, and update the belief by the observation."""
        before = likely_places(self._tracker)
        move = yield from self._decide()
        said = move.with_object(self._world.held)
        self._percept = yield from self._mover.make(move)
        self._history.append(said)
        supposed = [goal for _, goal in self._tracker.goals()]
        survived = self._tracker.observe(self._percept, move).survived
        survived *= self._give_up_reached(supposed)
        self._survived *= survived
        left = self._survived if self.options.survival == "since_asked" else survived
        due = self._is_due(left)
        if due:
            yield from self.ask(share=self._share(left))
        yield belief_note(before, self._tracker, survived, replenished=due)

    def _give_up_reached(self, supposed: Sequence[Wanted]) -> float:
        """Drop the goals of before that hold, as the task is not done; the weight that is left."""
        left, located = 1.0, self._world.located
        for goal in supposed:
            if all(located.get(thing) == area for thing, area in goal.items()):
                self._failed.append(goal)
                self._failed_since += self._counts_as(goal)
                left *= self._tracker.refute(goal)
        return left if self._tracker.particles else 0.0

    def _counts_as(self, goal: Wanted) -> int:
        """The number of failed goals that this one counts as.

        A goal with as many objects as an answer may have, all placed right, was not wrong but
        incomplete. Then the model is asked at once for the other objects.
        """
        placed = {self._world.name(thing) for thing in self._percept.confirmed}
        is_part = len(goal) >= self.options.combination and placed.issuperset(goal)
        return self.options.failed_goals if is_part else 1

    def _is_due(self, survived: float) -> bool:
        """Whether to ask the model again."""
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
        """The share of the belief for new hypotheses: the share that did not survive.

        After goals reached without success it is at least `threshold`, since the other old goals
        came from the same answer.
        """
        in_vain = self._failed_since >= self.options.failed_goals
        return max(1.0 - survived, self.options.threshold if in_vain else 0.0)

    # --- hypotheses ------------------------------------------------------------------------------

    def ask(self, share: float = 1.0) -> Decisions:
        """Ask for hypotheses and add them to the belief. share: their share of it.

        Raises NoAnswer where the belief stays empty.
        """
        options, now = self.options, self._situation()
        try:
            if options.hypotheses == "flat":
                answer = ask_flat(self._brief.model, now, options, options.flat_particles)
            else:
                answer = ask_tree(self._brief.model, now, options)
        except NoAnswer as error:
            if self._tracker.empty:
                raise
            yield Internal("hypothesise", str(error), {"refused": "hypotheses"})
            return
        yield from _decisions(answer)
        if options.update == "new" or self._tracker.empty:
            self._renew()
            share = 1.0
        hypotheses = answer.hypotheses
        if options.belief == "likeliest":
            self._renew()
            hypotheses = (max(hypotheses, key=lambda each: each.weight),)
            share = 1.0
        admitted = self._tracker.replenish(hypotheses, share=share)
        self._failed_since = 0
        if admitted.particles:
            self._survived = 1.0
        for reason, count in admitted.refused.items():
            yield Internal("hypothesise", f"{count} refused: {reason}", {"refused": "hypothesis"})
        if self._tracker.empty:
            raise NoAnswer("No hypothesis of the model agrees with what was seen.")

    def _renew(self) -> None:
        """Start an empty belief."""
        refuted = self._tracker.refuted
        self._tracker = BeliefTracker(self._world, seed=self._brief.seed + self._decided)
        self._tracker.refuted |= refuted
        self._tracker.confirm({self._world.name(thing) for thing in self._percept.confirmed})

    def _situation(self) -> Situation:
        return situation_of(self._brief, self._world, self._percept, self._failed, self._history)

    # --- decisions -------------------------------------------------------------------------------

    def _decide(self) -> SubPlan[Move]:
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

    def _chosen_by_model(self) -> SubPlan[Move]:
        """The move that the model chooses, given the particles."""
        moves = {str(move): move for move in self._possible()}
        most = sorted(self._tracker.particles, key=lambda pair: -pair[1])[:_SHOWN_PARTICLES]
        particles = [
            Hypothesis(dict(each.targets), dict(each.places), weight) for each, weight in most
        ]
        request = action_request(
            self._situation(), particles, sorted(moves), self.options.temperature
        )
        (answer,) = self._brief.model.many([request])
        if isinstance(answer, NoAnswer):
            raise answer
        yield Note("choice", answer.reasoning)
        return moves[answer.action]

    def _possible(self) -> list[Move]:
        """The possible moves: the paper's dynamic actions on all objects in view."""
        world = self._world
        moves = [Move(OPEN, area) for area in world.closed()]
        if world.held is None:
            moves += [Move(PICK, thing) for thing in world.located]
        else:
            moves += [Move(PLACE, name) for name, area in world.areas.items() if area.is_open]
        return [*moves, Move(NULL)]


def _policy(options: Options, prepared: Mapping[str, Any]) -> RolloutPolicy | None:
    """The policy of rollouts; None for the built-in one."""
    if options.rollout == "random":
        return RandomPolicy()
    source = prepared.get(_POLICY) if options.rollout == "written" else None
    return WrittenPolicy(source) if source else None


def _decisions(answer: Hypotheses) -> Decisions:
    """A decision for each answer of the model, and a note for each repair."""
    goals = [{"weight": round(w, 3), "targets": dict(targets)} for targets, w in answer.goals]
    text = f"{len(answer.goals)} goals, {len(answer.hypotheses)} hypotheses"
    yield Internal("hypothesise", text, {"goals": goals})
    for thing, areas in answer.places.items():
        yield Internal("hypothesise", f"where {thing} is", {"areas": dict(areas)})
    for thing in answer.unanswered:
        yield Internal("hypothesise", f"no answer on where {thing} is", {"refused": "places"})
    for sentence in answer.repairs:
        yield Note("repair", sentence, {"corrected": {"answer": sentence}})


PLANNER = Planner(
    name="tru_pomdp",
    summary="a language model's tree of hypotheses as the belief of a search (Tru-POMDP)",
    plan=plan,
    dialects=("tru_pomdp",),
    models=("planner",),
    options=Options,
    prepare=prepare,
)
