"""What SayPlan and SayPlan Lite share: commands of the search, and plans that are verified."""

from __future__ import annotations

from pydantic import BaseModel, Field

from ....models.contract import Unusable
from ...contract import Decisions, Internal, Note
from .collapsed_graph import CollapsedGraph
from .verification import PlanProblem
from .whole_plan import told


class MapSearchOptions(BaseModel):
    """Options of `sayplan` and `sayplan_lite`; the papers give no value of either."""

    commands: int = Field(
        80, ge=1, description="commands of the search (expand_node, contract_node) at most"
    )
    rounds: int = Field(
        5, ge=1, description="plans that are verified at most; where none is possible, it gives up"
    )


def search_command(
    collapsed: CollapsedGraph, command: str, node_name: str, reasoning: str
) -> tuple[Internal, str]:
    """Expand or contract a room: the decision, and how the model is told what came of it."""
    said = f"{command}({node_name})"
    data = {"command": command, "node": node_name, "reasoning": reasoning}
    try:
        does = collapsed.expand if command == "expand_node" else collapsed.contract
        came = does(node_name)
    except Unusable as error:
        came = str(error)
        data |= {"problem": came, "refused": error.kind or "search command"}
    name = "expand" if command == "expand_node" else "contract"
    return Internal(name, said, data), f"{said}: {came}"


def found_plan(written: list[str], reasoning: str) -> Decisions:
    """Tell of a plan that is possible, which was a decision."""
    yield Internal("plan", told(written), {"reasoning": reasoning})
    yield Note("plan", told(written), {"lines": written})


def refused_plan(written: list[str], problem: PlanProblem) -> Internal:
    """A plan that is not possible, which was a decision, too."""
    reason = None if problem.reason is None else str(problem.reason)
    data = {"plan": written, "step": problem.step, "reason": reason, "refused": "plan"}
    return Internal("verify", problem.sentence, data)
