"""The planner `llm_mcts`: tree search on a language model's single hypothesis, guided by the model.

After Zhao et al. (2023), as the baseline of Tang et al., Tru-POMDP (2025), section 5.2: the model
is asked for the one likeliest goal and the places of its unseen objects. In that kitchen, taken for
the truth, Monte-Carlo tree search finds the action; at every new node the model is asked what it
would do, several times, and what it says is tried first. Where the hypothesis turns out wrong, the
model is asked for another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from ...models.contract import NoAnswer
from ...skills.actions import Action, Verb
from ..contract import Act, Brief, Decisions, GiveUp, Internal, Note, Percept, Planner
from ..kits.belief.decide import SearchChoice
from ..kits.belief.hypothesis import Hypothesis
from ..kits.belief.notes import belief_note, search_note, told_belief
from ..kits.belief.search.models.kitchen import NULL, Arrangement, Kitchen
from ..kits.belief.search.streams import Stream, branch
from ..kits.belief.tracker import BeliefTracker
from ..kits.belief.world import NOWHERE, KitchenWorld, Move
from ..kits.hypotheses.asking import action_request, ask_flat
from ..kits.hypotheses.situation import Asking, Situation, Targets, situation_of
from .search import GuidedSearch


class Options(Asking):
    """Options of `llm_mcts`."""

    simulations: int = Field(100, ge=1, description="simulations a decision")
    depth: int = Field(20, ge=1, description="steps of a simulation")
    exploration: float = Field(
        200.0, ge=0, description="weight of what was tried little, on the scale of rewards"
    )
    discount: float = Field(0.95, gt=0, le=1, description="weight of a reward one step later")
    samples: int = Field(5, ge=1, description="how often the model is asked at a new node")
    sampling_temperature: float = Field(0.7, ge=0, description="of those questions")
    uniform: float = Field(
        0.5, ge=0, le=1, description="part of the probabilities that all actions share alike"
    )


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Suppose, search and act until the task is done."""
    episode = _Episode(brief, percept)
    try:
        yield from episode.suppose()
        while True:
            yield from episode.step()
    except NoAnswer as error:
        yield GiveUp(str(error))


class _Episode:
    """What is supposed and was done so far."""

    def __init__(self, brief: Brief, percept: Percept) -> None:
        self._brief = brief
        self._percept = percept
        self._options = brief.options_of(Options)
        self._world = KitchenWorld(brief, percept)
        self._tracker = BeliefTracker(self._world, seed=brief.seed)
        self._failed: list[Targets] = []
        self._history: list[str] = []

    def suppose(self) -> Decisions:
        """Ask for the likeliest hypothesis. Raises NoAnswer."""
        now = situation_of(self._brief, self._world, self._percept, self._failed, self._history)
        found = ask_flat(self._brief.model, now, self._options, 1)
        yield Internal("hypothesise", "the likeliest", {"targets": dict(found.found[0].targets)})
        for sentence in found.repairs:
            yield Note("repair", sentence, {"corrected": {"answer": sentence}})
        self._tracker.replenish(found.found, share=1.0)
        if self._tracker.empty:
            raise NoAnswer("The model's hypothesis does not agree with what was seen.")

    def step(self) -> Decisions:
        """Search, act, and give up the hypothesis where it is wrong."""
        if self._percept.ended is not None:
            self._percept = yield Act(Action(Verb.WAIT))  # ends the episode: no step is left
            return
        before = told_belief(self._tracker)
        choice = self._choice()
        yield search_note(choice)
        self._percept = yield Act(self._world.action(choice.action) or Action(Verb.WAIT))
        self._history.append(str(choice.action))
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
        kitchen = tracker.kitchen(discount=options.discount, offered="all")
        rows = tracker.rows()
        guide = _Guide(self._brief, self._world, kitchen, rows, self._percept, self._history)
        search = GuidedSearch(
            kitchen=kitchen,
            actions=guide.actions,
            prior=guide.prior,
            exploration=options.exploration,
            depth=options.depth,
            rng=Stream(branch(self._brief.seed & (2**62 - 1), len(self._history))),
        )
        result = search.search(tracker.states().most_likely(), options.simulations)
        return SearchChoice(
            action=self._world.move_of(kitchen, rows, result.action),
            value=result.value,
            lower=result.value,
            upper=result.value,
            simulations=result.simulations,
            nodes=result.nodes,
            seconds=result.seconds,
            branch=tuple(
                (str(self._world.move_of(kitchen, rows, each.action)), "") for each in result.branch
            ),
            result=result,
        )


@dataclass(frozen=True)
class _Guide:
    """What the model would do in imagined states. rows: the objects of the kitchen's model."""

    brief: Brief
    world: KitchenWorld
    kitchen: Kitchen
    rows: Sequence[str]
    percept: Percept
    history: Sequence[str]

    def actions(self, state: Arrangement) -> list[int]:
        """What can be done in a state; doing nothing comes last."""
        null = self.kitchen.number(NULL)
        feasible = self.kitchen.actions([state])
        return [a for a in feasible if a == null or self._move(a).verb != NULL]

    def prior(self, state: Arrangement, actions: Sequence[int]) -> list[float]:
        """How often the model chooses each action, mixed with all alike. Raises NoAnswer."""
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
        """The goal, and where what no open area shows is."""
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
        """An imagined state as if it were seen."""
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
        )


PLANNER = Planner(
    name="llm_mcts",
    summary="tree search on a language model's one hypothesis, guided by the model (LLM-MCTS)",
    plan=plan,
    dialects=("tru_pomdp",),
    models=("planner",),
    options=Options,
)
