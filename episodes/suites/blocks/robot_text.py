"""What a model is told of the arm, its table and its actions when it makes tasks or pairs."""

from __future__ import annotations

from functools import cache

from ....planners import llm_pop
from ....planners.llm.templates import Templates
from ....skills.arm.workspace import SIMULATED


@cache
def robot_text() -> str:
    """The environment and the action options, as the planner `llm_pop` tells them."""
    (x0, y0), (x1, y1) = SIMULATED.table_low, SIMULATED.table_high
    table = f"The top of the table reaches from x = {x0:g} to {x1:g} and from y = {y0:g} to {y1:g}."
    return Templates(str(llm_pop.__file__)).render("scene", numbers=7, table=table)
