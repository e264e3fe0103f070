"""The planner `external`: an agent outside Peephole that plays over MCP or a shell."""

from __future__ import annotations

from pydantic import BaseModel, Field

from ..contract import HOMES, Brief, Decisions, Percept, Planner
from ..registry import EXTERNAL
from .seat import Seat, SeatLimits

#: The dialects that an agent may play in: each has words for all that it is told.
DIALECTS = (*HOMES, "blocks", "alfworld", "llm_state", "lookplangraph", "tru_pomdp", "compact")


class Options(BaseModel):
    """Options of `external`."""

    agent: str = Field(
        "", max_length=60, description="name of the agent, for the label of its results"
    )
    silence_s: float = Field(
        600.0, gt=0, description="seconds without a call after which the episode ends"
    )
    calls: int | None = Field(
        None,
        ge=1,
        description="most calls of all tools in an episode; none: ten for each decision",
    )


def planner_of(seat: Seat) -> Planner:
    """The planner whose decisions come from a seat."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        options = brief.options_of(Options)
        seat.limits = SeatLimits(options.silence_s, options.calls)
        return seat.plan(brief, percept)

    return Planner(
        name=EXTERNAL,
        summary="an agent outside Peephole, over MCP or a shell",
        plan=plan,
        dialects=DIALECTS,
        options=Options,
    )
