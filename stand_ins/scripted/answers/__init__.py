"""Answers to the questions of planners and suites: a function for each kind of question."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..asked import Asked, WrittenChoice
from . import arm, graph_calls, kitchens, maps, steps, tree, whole_plans

ANSWERS: Mapping[str, Callable[[Asked], WrittenChoice]] = {
    "turn": steps.turn,
    "tools": steps.tool_calls,
    "monologue": steps.monologue,
    "reflection": steps.reflection,
    "program": steps.program,
    "assertion": steps.assertion,
    "attention": steps.attention,
    "estimator": steps.estimate,
    "policy": steps.listed_plan,
    "node": tree.node,
    "plan_line": whole_plans.line,
    "plan_lines": whole_plans.plan,
    "fork": whole_plans.fork,
    "map_plan": maps.written,
    "map_search": maps.search,
    "problem": maps.problem,
    "graph_call": graph_calls.call,
    "arm_evaluator": arm.evaluation,
    "arm_planner": arm.actions,
    "arm_questions": arm.question,
    "arm_tasks": arm.tasks,
    "arm_meanings": arm.meanings,
    "arm_solution": arm.solution,
    "kitchen_goals": kitchens.goals,
    "kitchen_places": kitchens.places,
    "kitchen_hypotheses": kitchens.hypotheses,
    "kitchen_action": kitchens.action,
    "kitchen_policy": kitchens.policy,
    "kitchen_task_intent": kitchens.task_objects,
    "kitchen_task_distractors": kitchens.task_others,
    "kitchen_task_goals": kitchens.task_goals,
}
