"""Options of the planner `reactree`."""

from __future__ import annotations

from pydantic import BaseModel, Field

from ..kits.agent_tree import ControlFlows
from ..kits.memory.episodic import MemoryPath
from ..kits.prompting.menus import MenuForm


class Options(BaseModel):
    """Options of `reactree`."""

    control_flow: ControlFlows = Field(
        ControlFlows.AUTO,
        description="control flow types on offer: all, sequence and fallback (seq_fallback), or "
        "sequence (seq); auto: all, but no parallel in the dialect reactree_thor",
    )
    working_memory: bool = Field(
        False, description="let agents recall where they last saw things (ReAcTree+WM)"
    )
    memory: MemoryPath | None = Field(
        None,
        description="memory from `peephole memory build` that provides the examples; none: one "
        "fixed example",
    )
    seen_scenes: bool = Field(
        False,
        description="allow tasks in scenes of the memory, to build a memory on a training suite "
        "or for ALFRED's valid_seen",
    )
    max_depth: int = Field(
        6, ge=1, description="most agents from the root to a leaf; the paper's trees have up to 4"
    )
    max_subgoals: int = Field(10, ge=1, description="most subgoals of one expansion")
    thought_length: int = Field(
        300, ge=0, description="most characters of a thought; the rest is cut"
    )
    menu: MenuForm = Field(
        MenuForm.AUTO,
        description="the actions on offer in the prompt: none, grouped, or one by one (full); "
        "auto: none if the server enforces schemas, else grouped",
    )
