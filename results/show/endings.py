"""How episodes end and come out, in words."""

from __future__ import annotations

#: Why episodes end, in words.
ENDINGS = {
    "goal_reached": "the goal was reached",
    "done": "the planner said that it was done",
    "gave_up": "the planner gave up",
    "no_answer": "the model gave no usable answer",
    "steps": "no steps were left",
    "decisions": "no decisions were left",
    "planning_time": "no planning time was left",
    "infeasible": "too many actions in a row failed",
    "planner_error": "the planner failed",
    "voided": "the simulator was lost",
    "stopped": "the arm's protective stop was tripped",
}

#: How an episode came out, by `EpisodeResult.success`.
VERDICTS = {True: "Success", False: "Failure", None: "Not scored"}
