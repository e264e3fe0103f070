"""The planner `zsp_examples`: whole plans made by rule, for memories of examples.

The examples of `zsp` and `tree_planner` are trajectories of a rule-based planner that sees
everything (Choi et al., ReAcTree, 2025, appendix C). Here `expert` acts, and a note has its plan in
the form of those planners' prompts: the house, the task, and the skills.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..skills.actions import Action, Verb, go_to
from .contract import HOMES, Act, Brief, Decisions, Done, Grant, Note, Percept, Planner
from .kits.household.shortest_plans import follow_shortest_plans
from .kits.written_plans.house import described
from .kits.written_plans.prompting import as_example
from .kits.written_plans.reading import EXAMPLES_FROM
from .kits.written_plans.skills import Skills


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Act as `expert` does, and note the plan at the end."""
    skills, house = Skills(brief), described(brief, percept)
    done: list[Action] = []
    decisions = follow_shortest_plans(brief, percept)
    decision = next(decisions)
    while True:
        if isinstance(decision, Done):
            example = as_example(house, brief.instruction, list(_lines(done, skills)))
            yield Note("plan", "an example for memories", {"example": example})
        percept = yield decision
        succeeded = percept.outcome is not None and percept.outcome.success
        if isinstance(decision, Act) and isinstance(decision.action, Action) and succeeded:
            done.append(decision.action)
        try:
            decision = decisions.send(percept)
        except StopIteration:
            return


def _lines(actions: list[Action], skills: Skills) -> Iterator[str]:
    """The lines of a plan; a skill puts things down at the last place it went to."""
    at: int | None = None
    for action in actions:
        skill = skills.of(action)
        if skill is None:
            continue
        if action.verb is Verb.PUT and skill.into is None and action.place not in (at, None):
            there = skills.of(go_to(action.place))
            if there is not None:
                yield there.text
            at = action.place
        if action.verb is Verb.GO_TO:
            at = action.target
        yield skill.text


PLANNER = Planner(
    name=EXAMPLES_FROM,
    summary="knows the true state and notes its plans: examples for zsp and tree_planner",
    plan=plan,
    grants=frozenset({Grant.TRUTH, Grant.GOAL, Grant.FIXTURES, Grant.INVENTORY}),
    dialects=HOMES,
)
