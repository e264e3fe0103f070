"""A planner that asks a model for five actions: what waits for an endpoint, and nothing else."""

from __future__ import annotations

from peephole.planners.contract import Act, Brief, Decisions, Done, Percept, Planner


def plan(brief: Brief, percept: Percept) -> Decisions:
    for _ in range(5):
        menu = dict(percept.menu())
        asked = [{"role": "user", "content": percept.text}]
        choice = brief.models["planner"].choose(asked, [*menu])
        percept = yield Act(menu[choice])
    yield Done()


PLANNER = Planner("choosing", "does what a model chooses", plan, models=("planner",))
