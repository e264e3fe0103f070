"""The planner `llm_mcts`: tree search on a language model's single hypothesis, guided by the model.

After Zhao et al. (2023), as the baseline of Tang et al., Tru-POMDP (2025), section 5.2. The model
gives the likeliest goal and the places of its unseen objects. Monte-Carlo tree search takes them
for the truth and finds the action. At every new node it samples several answers of the model, and
tries those actions first. Where the hypothesis proves wrong, the model gives another one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from ..models.contract import NoAnswer
from ..skills.actions import Action, Verb
from .contract import Act, Brief, Decisions, Internal, Note, Percept, Planner
from .kits.belief.decide import SearchChoice
from .kits.belief.moving import MoveMaker
from .kits.belief.search.kitchen import NULL, Arrangement, Kitchen, random_legal
from .kits.belief.search.protocol import BranchStep, Random, SearchResult
from .kits.belief.search.streams import Stream, branch
from .kits.belief.tracker import BeliefTracker, belief_note, likely_places
from .kits.belief.world import NOWHERE, Hypothesis, KitchenWorld, Move
from .kits.hypotheses.asking import action_request, ask_flat
from .kits.hypotheses.situation import Asking, Situation, Wanted, situation_of
from .kits.prompting.body import is_mobile
from .kits.prompting.conversation import giving_up


class Options(Asking):
    """Options of `llm_mcts`."""

    simulations: int = Field(100, ge=1, description="simulations for one decision")
    depth: int = Field(20, ge=1, description="length of a simulation, in steps")
    exploration: float = Field(
        200.0, ge=0, description="exploration constant of PUCT; same scale as rewards"
    )
    untried: Literal["mean", "zero"] = Field(
        "mean",
        description="return that an untried action is supposed to have: the mean of the tried ones "
        "there (mean), or 0, which tries every action where returns are below 0",
    )
    discount: float = Field(
        0.95, gt=0, le=1, description="factor by which each step further away reduces a reward"
    )
    samples: int = Field(
        5, ge=1, description="number of answers that the model samples at a new node"
    )
    sampling_temperature: float = Field(
        0.7, ge=0, description="sampling temperature of those answers"
    )
    uniform: float = Field(
        0.5,
        ge=0,
        le=1,
        description="share of a uniform distribution in the action probabilities; the rest are "
        "the model's",
    )


@giving_up
def plan(brief: Brief, percept: Percept) -> Decisions:
    """Ask for a hypothesis, search and act until the task is done."""
    episode = _Episode(brief, percept)
    yield from episode.suppose()
    while True:
        yield from episode.step()


class _Episode:
    """The hypothesis and the actions so far."""

    def __init__(self, brief: Brief, percept: Percept) -> None:
        self._brief = brief
        self._percept = percept
        self._options = brief.options_of(Options)
        self._world = KitchenWorld(brief, percept)
        self._mover = MoveMaker(brief, self._world)
        self._tracker = BeliefTracker(self._world, seed=brief.seed)
        self._failed: list[Wanted] = []
        self._history: list[str] = []

    def suppose(self) -> Decisions:
        """Ask for the likeliest hypothesis. Raises NoAnswer."""
        now = situation_of(self._brief, self._world, self._percept, self._failed, self._history)
        answer = ask_flat(self._brief.model, now, self._options, 1)
        yield Internal(
            "hypothesise", "the likeliest", {"targets": dict(answer.hypotheses[0].targets)}
        )
        for sentence in answer.repairs:
            yield Note("repair", sentence, {"corrected": {"answer": sentence}})
        self._tracker.replenish(answer.hypotheses, share=1.0)
        if self._tracker.empty:
            raise NoAnswer("The model's hypothesis does not agree with what was seen.")

    def step(self) -> Decisions:
        """Search, act, and drop the hypothesis where it proves wrong."""
        if self._percept.ended is not None:
            self._percept = yield Act(Action(Verb.WAIT))  # ends the episode: no step is left
            return
        before = likely_places(self._tracker)
        choice = self._choice()
        yield choice.note()
        said = choice.action.with_object(self._world.held)
        self._percept = yield from self._mover.make(choice.action)
        self._history.append(said)
        supposed = [goal for _, goal in self._tracker.goals()]
        survived = self._tracker.observe(self._percept, choice.action).survived
        for goal in supposed:
            if all(self._world.located.get(thing) == area for thing, area in goal.items()):
                self._failed.append(goal)
                survived *= self._tracker.refute(goal)
        wrong = self._tracker.empty and self._percept.ended is None
        if wrong:
            yield from self.suppose()
        yield belief_note(before, self._tracker, survived, replenished=wrong)

    def _choice(self) -> SearchChoice:
        options, tracker = self._options, self._tracker
        rows = tracker.rows()
        kitchen = self._world.kitchen(
            rows, tracker.goal_rows(), discount=options.discount, offered="all"
        )
        guide = _Guide(self._brief, self._world, kitchen, rows, self._percept, self._history)
        search = GuidedSearch(
            kitchen=kitchen,
            actions=guide.actions,
            prior=guide.prior,
            exploration=options.exploration,
            untried=options.untried,
            depth=options.depth,
            rng=Stream(branch(self._brief.seed & (2**62 - 1), len(self._history))),
        )
        result = search.search(tracker.states().most_likely(), options.simulations)
        return SearchChoice(
            action=self._world.move_of(kitchen, rows, result.action),
            branch=tuple(
                (str(self._world.move_of(kitchen, rows, each.action)), "") for each in result.branch
            ),
            result=result,
        )


@dataclass(frozen=True)
class _Guide:
    """The model's choices in imagined states. rows: the kitchen's objects. history: the moves."""

    brief: Brief
    """The brief of the episode."""
    world: KitchenWorld
    """The kitchen as areas and objects."""
    kitchen: Kitchen
    """The kitchen that is searched."""
    rows: Sequence[str]
    """The names of the kitchen's objects, by number."""
    percept: Percept
    """The newest percept."""
    history: Sequence[str]
    """The moves so far."""

    def actions(self, state: Arrangement) -> list[int]:
        """The possible actions in a state, the null action last."""
        null = self.kitchen.number(NULL)
        feasible = self.kitchen.feasible(state)
        return [a for a in feasible if a == null or self._move(a).verb != NULL]

    def prior(self, state: Arrangement, actions: Sequence[int]) -> list[float]:
        """The shares of the model's answers, mixed with a uniform distribution. Raises NoAnswer."""
        options = self.brief.options_of(Options)
        names = {str(self._move(action)): action for action in actions}
        request = action_request(
            self._imagined(state),
            [self._hypothesis(state)],
            list(names),
            options.sampling_temperature,
        )
        answers = self.brief.model.samples(request, options.samples)
        chosen = Counter(names[a.action] for a in answers if not isinstance(a, NoAnswer))
        if not chosen:
            raise next(answer for answer in answers if isinstance(answer, NoAnswer))
        share = (1 - options.uniform) / chosen.total()
        return [options.uniform / len(actions) + share * chosen[action] for action in actions]

    def _move(self, action: int) -> Move:
        return self.world.move_of(self.kitchen, self.rows, action)

    def _hypothesis(self, state: Arrangement) -> Hypothesis:
        """The goal of a state, and the places of the things that no open area shows."""
        areas = [*self.world.areas, NOWHERE]
        goal = self.kitchen.goals[state.goal]
        targets = {self.rows[thing]: areas[area] for thing, area in goal.items()}
        places = {
            self.rows[thing]: areas[area]
            for thing, area in enumerate(state.places)
            if area < len(areas) and not state.opened >> area & 1
        }
        return Hypothesis(targets, places)

    def _imagined(self, state: Arrangement) -> Situation:
        """An imagined state as a situation that is seen."""
        names = list(self.world.areas)
        opened = [name for number, name in enumerate(names) if state.opened >> number & 1]
        objects = {t: a for t, a in self.world.located.items() if t not in self.rows}
        for thing, area in enumerate(state.places):
            if area < len(names) and names[area] in opened:
                objects[self.rows[thing]] = names[area]
        held = self.kitchen.held(state)
        return Situation(
            instruction=self.brief.instruction,
            closed=tuple(name for name in names if name not in opened),
            opened=tuple(opened),
            objects=objects,
            held=self.rows[held] if held >= 0 else None,
            placed=frozenset(self.world.name(thing) for thing in self.percept.confirmed),
            history=tuple(self.history),
            walks=is_mobile(self.brief.embodiment, self.brief.actions),
        )


PLANNER = Planner(
    name="llm_mcts",
    summary="tree search on a language model's one hypothesis, guided by the model (LLM-MCTS)",
    plan=plan,
    dialects=("tru_pomdp",),
    models=("planner",),
    options=Options,
)


# --- the search: PUCT on a known kitchen ----------------------------------------------------------

#: The probabilities of some actions in a state.
Prior = Callable[[Arrangement, Sequence[int]], Sequence[float]]


@dataclass
class _Tried:
    """An action at a node. value: its mean return. node: where it leads, once it was followed."""

    action: int
    """The number of the action."""
    probability: float
    """Its probability by the prior."""
    visits: int = 0
    """How often it was followed."""
    value: float = 0.0
    """Its mean return."""
    reward: float = 0.0
    """Its reward."""
    node: _Node | None = None
    """The node it leads to, None before it was followed."""


@dataclass
class _Node:
    """A state. tried: its actions, None before it is expanded. done: whether the task is done."""

    state: Arrangement
    done: bool = False
    visits: int = 0
    tried: list[_Tried] | None = None


@dataclass
class GuidedSearch:
    """A Monte-Carlo tree search of one known kitchen, guided by probabilities of actions (PUCT).

    It follows the action with the highest mean return plus a bonus for its probability. From a new
    node it rolls out random legal actions.
    """

    kitchen: Kitchen
    """The kitchen, taken for known."""
    actions: Callable[[Arrangement], Sequence[int]]
    """Gives the possible actions in a state."""
    prior: Prior
    """Gives the probabilities of actions in a state."""
    exploration: float
    """The weight of the bonus, on the scale of returns."""
    depth: int
    """The steps of a simulation, in the tree and in the rollout."""
    rng: Random
    """The source of random numbers."""
    untried: Literal["mean", "zero"] = "mean"
    """What an untried action is supposed to return: as tried ones there on average, or 0."""
    nodes: int = field(default=1, init=False)
    """The nodes of the tree."""
    steps: int = field(default=0, init=False)
    """The simulated steps so far."""

    def search(self, state: Arrangement, simulations: int) -> SearchResult:
        """The most visited action of the root after `simulations` simulations."""
        root = _Node(state)
        for _ in range(simulations):
            self._simulate(root, self.depth)
        tried = [each for each in root.tried or [] if each.visits]
        best = max(tried, key=lambda each: (each.visits, each.value))
        return SearchResult(
            action=best.action,
            value=best.value,
            upper_bound=None,
            values={each.action: each.value for each in tried},
            simulations=simulations,
            nodes=self.nodes,
            particles=self.nodes,
            steps=self.steps,
            seconds=0.0,
            ended="simulations",
            branch=tuple(_branch(root)),
        )

    def _simulate(self, node: _Node, depth: int) -> float:
        """Simulate from a node and update it; the return."""
        if node.done or depth == 0:
            return 0.0
        node.visits += 1
        if node.tried is None:
            actions = list(self.actions(node.state))
            probabilities = self.prior(node.state, actions)
            node.tried = [_Tried(a, p) for a, p in zip(actions, probabilities, strict=True)]
        supposed = _mean_return(node.tried) if self.untried == "mean" else 0.0
        chosen = max(node.tried, key=lambda each: self._score(node, each, supposed))
        if chosen.node is None:
            step = self._step(node.state, chosen.action)
            chosen.reward, chosen.node = step.reward, _Node(step.state, step.done)
            self.nodes += 1
            later = 0.0 if step.done else self._rollout(step.state, depth - 1)
        else:
            later = self._simulate(chosen.node, depth - 1)
        value = chosen.reward + self.kitchen.discount * later
        chosen.visits += 1
        chosen.value += (value - chosen.value) / chosen.visits
        return value

    def _score(self, node: _Node, tried: _Tried, supposed: float) -> float:
        """The score of an action. supposed: the return of an untried one."""
        bonus = tried.probability * math.sqrt(node.visits) / (1 + tried.visits)
        return (tried.value if tried.visits else supposed) + self.exploration * bonus

    def _rollout(self, state: Arrangement, depth: int) -> float:
        """The return of random legal actions."""
        total, weight = 0.0, 1.0
        for _ in range(depth):
            step = self._step(state, random_legal(self.kitchen, state, self.rng.random()))
            total += weight * step.reward
            if step.done:
                break
            state, weight = step.state, weight * self.kitchen.discount
        return total

    def _step(self, state: Arrangement, action: int) -> Any:
        self.steps += 1
        return self.kitchen.step(state, action)


def _mean_return(tried: Sequence[_Tried]) -> float:
    """The mean return of all simulations through a node; 0 before the first."""
    visits = sum(each.visits for each in tried)
    return sum(each.visits * each.value for each in tried) / visits if visits else 0.0


def _branch(node: _Node | None) -> Sequence[BranchStep]:
    """The most visited actions from a node."""
    steps = []
    while node is not None and node.tried and node.visits:
        best = max(node.tried, key=lambda each: (each.visits, each.value))
        steps.append(BranchStep(best.action, 1.0, best.value))
        node = best.node
    return steps
