"""The planner `belief`: searches in belief for the things of some acceptable goal, and moves them.

After Tang et al., Tru-POMDP (2025), without the language model: what is acceptable is granted, and
where unseen things may be is told by the prior that `explore` searches by. A particle is a goal and
the places of its unseen things; each decision is a search by DESPOT.
"""

from __future__ import annotations

from collections.abc import Generator

from pydantic import BaseModel, Field

from ...skills.actions import Action, Verb
from ..belief_kit.decide import SearchOptions, Solver, choose
from ..belief_kit.notes import belief_note, search_note, told_belief
from ..belief_kit.tracker import BeliefTracker
from ..belief_kit.world import KitchenWorld, Move
from ..contract import Act, Brief, Decision, Decisions, Done, GiveUp, Grant, Percept, Planner
from ..exploration import prior
from ..pomdp.models.kitchen import NULL
from ..pomdp.protocol import Limits
from ..pomdp.streams import Stream, branch
from .candidates import Candidates, placements_of


class Options(BaseModel):
    """Options of `belief`."""

    solver: Solver = Field(Solver.DESPOT, description="the search")
    hypotheses: int = Field(200, ge=1, description="particles of the belief")
    scenarios: int = Field(30, ge=1, description="futures that DESPOT follows")
    depth: int = Field(20, ge=1, description="of the tree")
    rollout: int = Field(10, ge=0, description="steps of the rollout policy")
    discount: float = Field(0.95, gt=0, le=1, description="of a reward one step later")
    regularisation: float = Field(0.01, ge=0, description="what every node of a policy costs")
    exploration: float = Field(200.0, ge=0, description="of UCB1, on the scale of rewards")
    temperature: float = Field(10.0, gt=0, description="of the weights of goals, in costs")
    simulations: int | None = Field(3, ge=1, description="most a decision")
    seconds: float | None = Field(None, gt=0, description="most a decision")
    threads: int = Field(1, ge=1, description="trees that grow side by side")


def plan(brief: Brief, percept: Percept) -> Decisions:
    options = brief.options_of(Options)
    placements = placements_of(brief)
    if placements is None:
        yield GiveUp("The goal is no rearrangement.")
        return
    targets = {p.target for each in placements for p in each}
    world = KitchenWorld(brief, percept, [t for t in targets if isinstance(t, int)])
    candidates = Candidates(
        world,
        placements,
        prior.load(counted=not prior.Prior.sources & brief.sources),
        options.temperature,
    )
    rng = Stream(branch(branch(0, brief.seed & (2**63 - 1)), 1))
    tracker = BeliefTracker(world, candidates.drawn(options.hypotheses, rng), brief.seed)
    search = SearchOptions(
        solver=options.solver,
        scenarios=options.scenarios,
        depth=options.depth,
        rollout=options.rollout,
        discount=options.discount,
        regularisation=options.regularisation,
        exploration=options.exploration,
        threads=options.threads,
    )
    decision = 0
    while True:
        if tracker.empty:
            yield GiveUp("no hypothesis")
            return
        seed = branch(brief.seed & (2**63 - 1), decision)
        decision += 1
        choice = choose(
            tracker, search, seed & (2**62 - 1), Limits(options.simulations, options.seconds)
        )
        yield search_note(choice)
        before = told_belief(tracker)
        action = world.action(choice.action) or Action(Verb.WAIT)
        percept = yield Act(action)
        observed = tracker.observe(percept, choice.action)
        drawn = candidates.drawn(options.hypotheses, rng)
        tracker.replenish(drawn, share=1.0)
        yield belief_note(before, tracker, observed.survived, replenished=True)


PLANNER = Planner(
    name="belief",
    summary="knows what is acceptable, and searches in belief for where its things are",
    plan=plan,
    grants=frozenset({Grant.GOAL}),
    dialects=("tru_pomdp", "reactree", "reactree_plain", "reactree_thor", "alfworld"),
    options=Options,
    missing=prior.missing,
)
