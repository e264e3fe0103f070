"""The planner `belief`: finds and moves the things of an acceptable goal by search in a belief.

After Tang et al., Tru-POMDP (2025), without the language model: the acceptable goals are granted,
and the prior of `explore` says where unseen things may be. A particle is a goal and the places of
its unseen things. Of an ambiguous goal each particle has one alternative; confirmed placements show
which are right. Everything else is as in `explore`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field

from ...scene_graph.goals import Related, named_placements
from ...scene_graph.node import Relation
from ...scene_graph.rules import Ends
from ...skills.actions import Action, Verb, go_to
from ...skills.embodiment import Embodiment
from ..contract import (
    HOMES,
    Brief,
    Decisions,
    Done,
    GiveUp,
    Grant,
    Note,
    OnlyWith,
    Percept,
    Planner,
    Preparation,
)
from ..kits.belief.decide import Searches, SearchOptions, Solver, make_ready
from ..kits.belief.search.kitchen import NULL, OPEN, PICK, KitchenRewards
from ..kits.belief.search.protocol import Limits
from ..kits.belief.search.streams import Stream, branch
from ..kits.belief.tracker import BeliefTracker, belief_note, likely_places
from ..kits.belief.world import KitchenWorld, Move, sorted_targets
from ..kits.household import prior
from ..kits.household.explorer import ANYTHING, Explorer
from ..kits.household.plan_following import MAX_TRIES
from ..kits.household.search_targets import SearchTarget
from .hypotheses import Acceptable, HypothesisPrior

#: New particles are drawn when less than this share of them is left.
FEW = 0.5
NOTHING_BELIEVED = (
    "No hypothesis is left, or the goal places nothing that the search could bring: "
    "I look for what is missing as the planner explore does."
)


_DESPOT = OnlyWith("solver", "despot")


class Options(BaseModel):
    """Options of `belief`."""

    solver: Solver = Field(
        Solver.DESPOT,
        description="search algorithm; one_hypothesis is UCT on the likeliest hypothesis alone",
    )
    hypotheses: int | None = Field(
        None,
        ge=1,
        description="number of hypotheses drawn from the prior; none: 200, and 1000 for a body "
        "that open fronts block",
    )
    scenarios: Annotated[int | None, _DESPOT] = Field(
        None,
        ge=1,
        description="number of random futures that DESPOT follows; none: 30, and 150 for a body "
        "that open fronts block",
    )
    depth: int = Field(20, ge=1, description="greatest depth of the search tree, in steps")
    rollout: int = Field(10, ge=0, description="length of a rollout, in steps")
    discount: float = Field(
        0.95, gt=0, le=1, description="factor by which each step further away reduces a reward"
    )
    regularisation: Annotated[float, _DESPOT] = Field(
        0.01,
        ge=0,
        description="penalty of DESPOT for each node of a policy; placing a thing is worth a "
        "reward of 200",
    )
    exploration: Annotated[float, OnlyWith("solver", "pomcp", "one_hypothesis")] = Field(
        200.0,
        ge=0,
        description="exploration constant of UCB1, for pomcp and one_hypothesis; same scale as "
        "rewards",
    )
    simulations: int | None = Field(
        None,
        ge=1,
        description="most simulations for one decision; none: 3 for despot (30 if the goal is "
        "ambiguous, 20 for a body that open fronts block), 2000 for the others",
    )
    seconds: float = Field(0.5, gt=0, description="most seconds for one decision")
    threads: int = Field(1, ge=1, description="number of search trees that grow in parallel")
    temperature: float = Field(
        10.0,
        gt=0,
        description="extra cost of a goal, in units of travel cost, that divides its weight by e",
    )
    manipulation: float | None = Field(
        None,
        ge=0,
        description="cost of one action in the search, besides the travel; none: 5, and 10 for a "
        "body that open fronts block, since it closes what it has opened",
    )

    def drawn(self, body: Embodiment) -> int:
        """The number of hypotheses to draw."""
        return self.hypotheses or (1000 if body.blocked_by_fronts else 200)

    def limits(self, body: Embodiment, *, ambiguous: bool = False) -> Limits:
        """The limits of the search for one decision. ambiguous: whether the goal is."""
        usual = 2000
        if self.solver is Solver.DESPOT:
            usual = 30 if ambiguous else 20 if body.blocked_by_fronts else 3
        return Limits(self.simulations or usual, self.seconds)

    def search(self, body: Embodiment) -> SearchOptions:
        """The options of the search.

        Where looks are dear, they are weighed finely: an area among many is in few scenarios.
        """
        dear = body.blocked_by_fronts
        cost = self.manipulation
        if cost is None:
            cost = 10.0 if dear else 5.0
        return SearchOptions(
            solver=self.solver,
            scenarios=self.scenarios or (150 if dear else 30),
            depth=self.depth,
            rollout=self.rollout,
            discount=self.discount,
            regularisation=self.regularisation,
            exploration=self.exploration,
            threads=self.threads,
            rewards=KitchenRewards(manipulation=cost),
        )


def prepare(preparation: Preparation) -> Mapping[str, Any]:
    """Compile the search before the first episode."""
    options = preparation.options
    make_ready(options.solver if isinstance(options, Options) else Solver.DESPOT)
    return {}


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Find missing things by a search of the belief, and bring them to their goals."""
    make_ready(brief.options_of(Options).solver)
    yield from BeliefExplorer(brief, percept).run()


class BeliefExplorer(Explorer):
    """One episode: an explorer that finds its next move by a search of its belief."""

    def __init__(self, brief: Brief, percept: Percept) -> None:
        super().__init__(brief, percept)
        options = brief.options_of(Options)
        self._options = options
        self._world = KitchenWorld(brief, percept, sorted(_targets(brief)), self._observed)
        self._acceptable = Acceptable(self._goal, self._world)
        known = prior.load(counted=not prior.Prior.sources & brief.sources)
        self._hypotheses = HypothesisPrior(
            self._world, self._acceptable, known, options.temperature
        )
        self._rng = Stream(branch(branch(0, brief.seed), 1))
        self._tracker = BeliefTracker(self._world, seed=brief.seed)
        self._searches = Searches(
            brief,
            options.search(brief.embodiment),
            options.limits(brief.embodiment, ambiguous=brief.ambiguous),
        )
        self._searched = 0
        self._drawn = 1  # number of particles when they were last drawn
        self._stuck: Counter[Move] = Counter()
        self._noted_empty = False
        self._reached: list[dict[str, str]] = []

    def run(self) -> Decisions:
        """Play the episode; for an ambiguous goal, move by move until a right alternative holds."""
        if not self._brief.ambiguous:
            yield from super().run()
            return
        self._hypotheses.confirm(self._confirmed())
        while True:
            steps, missing = self._percept.step, self._objects.missing(self._observed)
            targets = self._targets.ranked(missing or [ANYTHING], self._uninspectable)
            yield from self._inspect(targets)
            if self._reached and self._brief.rules.ends is not Ends.GOAL_REACHED:
                self._percept = yield Done("As far as I can tell, this may be what is meant.")
            if self._percept.step == steps and not targets:
                yield GiveUp("I have tried all that may be meant, as far as I could.")
                return

    def _inspect(self, targets: Sequence[SearchTarget]) -> Decisions:
        """Make the best move of the search; look as `explore` does if there is none."""
        yield from self._tell(self._replenished())
        move = Move(NULL)
        if not self._tracker.empty:
            self._searched += 1
            seed = branch(self._brief.seed, self._searched)
            choice, note = self._searches.choose(self._tracker, seed)
            yield from self._tell(note)
            move = choice.action
        actions = () if self._stuck[move] >= MAX_TRIES else self._actions_of(move)
        before = likely_places(self._tracker)
        if actions:
            yield from self._carry_out(move, actions)
        elif targets:
            yield from super()._inspect(targets)
            self._world.given_up |= self._uninspectable
        yield from self._tell(self._observe(move, before))

    # --- the belief ------------------------------------------------------------------------------

    def _replenished(self) -> Note | None:
        """Draw new particles if few are left; a note, once, if there are none to draw."""
        self._world.update(self._percept)
        if len(self._tracker.particles) < FEW * self._drawn or self._outdated():
            self._draw()
        if not self._tracker.empty or self._noted_empty:
            return None
        self._noted_empty = True
        return Note("plan", NOTHING_BELIEVED)

    def _outdated(self) -> bool:
        """Whether a goal of the belief has supposed things that seen things have replaced."""
        if self._acceptable.fixed:
            return False
        goals = {sorted_targets(goal) for goal in self._acceptable.goals()}
        return any(each.targets not in goals for each, _ in self._tracker.particles)

    def _draw(self) -> None:
        """Replace all particles by new ones from the prior, given the observations so far."""
        refuted = self._tracker.refuted
        count = self._options.drawn(self._brief.embodiment)
        drawn = self._hypotheses.drawn(count, self._rng, refuted)
        self._tracker = BeliefTracker(self._world, seed=self._brief.seed)
        self._tracker.refuted |= refuted
        self._tracker.replenish(drawn)
        self._drawn = max(1, len(self._tracker.particles))

    def _observe(self, move: Move, before: Mapping[str, Mapping[str, float]]) -> Note | None:
        """Update the belief and the weights of all goals after a move; None without a belief."""
        if self._tracker.empty:
            return None
        observed = self._tracker.observe(self._percept, move)
        if self._brief.ambiguous:
            self._hypotheses.confirm(self._confirmed())
        self._reached = self._tracker.reached()
        for goal in self._reached:
            self._tracker.refute(goal)
        self._tracker.prefer(self._hypotheses.weights([goal for _, goal in self._tracker.goals()]))
        few = len(self._tracker.particles) < FEW * self._drawn
        if few:
            self._draw()
        return belief_note(before, self._tracker, observed.survived, replenished=few)

    def _confirmed(self) -> set[str]:
        return {self._world.name(thing) for thing in self._percept.confirmed}

    def _belief_note(self, targets: Sequence[SearchTarget]) -> Note | None:
        """The note of `explore`, where there is no belief with a note of its own."""
        return super()._belief_note(targets) if self._tracker.empty else None

    # --- moves -----------------------------------------------------------------------------------

    def _carry_out(self, move: Move, actions: Sequence[Action]) -> Decisions:
        """Do the actions of a move, until one fails or a missing thing comes in sight."""
        missing = self._objects.missing(self._observed)
        thought = f"Of all that may be, it is best to {move} next."
        for number, action in enumerate(actions):
            if self._failed[action] >= MAX_TRIES:
                self._stuck[move] = MAX_TRIES
                break
            rest, searches = actions[number:], move.verb == OPEN
            yield from self._tidy(rest, self._goal_places(), searches=searches)
            went_well = yield from self._act(action, thought)
            thought = ""
            if not went_well:
                if (yield from self._clear_way(action)):
                    return
                self._stuck[move] += 1
                break
            if self._objects.missing(self._observed) != missing:
                return
        area = self._world.areas.get(move.what)
        if move.verb == OPEN and area is not None:
            yield from self._look_closer(area.id)
        if move.verb == OPEN and area is not None and area.id not in self._observed.inspected:
            self._stuck[move] += 1
            if self._stuck[move] >= MAX_TRIES:
                self._uninspectable.add(area.id)
                self._world.given_up.add(area.id)

    def _actions_of(self, move: Move) -> Sequence[Action]:
        """The actions of a move on the observed graph; none where it cannot be done."""
        world, brief = self._world, self._brief
        if brief.embodiment.approaches:
            action = world.action(move)
            return () if action is None else (action,)
        thing = world.id_of(move.what)
        if move.verb == NULL or thing is None or thing not in self._observed.graph:
            return ()
        if move.verb == OPEN:
            place = self._observed.graph[thing]
            return self._by_stand(self._actions_to(SearchTarget(place, None, {}, 1.0)), move.what)
        if move.verb == PICK:
            wanted = Related(brief.agent, Relation.HOLDS, thing)
            area = world.located.get(move.what, "")
        else:
            held, area = self._observed.graph.held(brief.agent)[0], move.what
            wanted = Related(held, world.relation(held, thing), thing)
        return self._by_stand(self._find_plan(wanted).actions or (), area)

    def _by_stand(self, actions: Sequence[Action], area: str) -> Sequence[Action]:
        """Actions at an area, with the stand of the search as the place to go to."""
        known = self._world.areas.get(area) if self._world.pays_walks else None
        walks = [number for number, each in enumerate(actions) if each.verb is Verb.GO_TO]
        if known is None or not walks or known.stand not in self._observed.graph:
            return actions
        walk = go_to(known.stand)
        if self._failed[walk]:
            return actions
        return [*actions[: walks[-1]], walk, *actions[walks[-1] + 1 :]]


def _targets(brief: Brief) -> frozenset[int]:
    """The fixtures that a goal names as targets."""
    assert brief.goal is not None
    assert brief.goal_things is not None
    targets = {placement.target for placement in named_placements(brief.goal)}
    return frozenset(thing for thing in brief.goal_things if thing in targets)


PLANNER = Planner(
    name="belief",
    summary="knows the acceptable goals, searches a belief over the places of things, then acts",
    plan=plan,
    grants=frozenset({Grant.GOAL}),
    dialects=(*HOMES, "alfworld", "tru_pomdp"),
    options=Options,
    prepare=prepare,
    missing=prior.missing,
)
