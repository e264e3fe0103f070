"""Options of the planner `reactree`."""

from __future__ import annotations

from pydantic import BaseModel, Field

from ..kits.agent_tree.nodes import ControlFlows
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
        False, description="whether agents may recall where things were seen last (ReAcTree+WM)"
    )
    memory: MemoryPath | None = Field(
        None,
        description="a memory of `peephole memory build` that examples are taken from; none: one "
        "fixed example",
    )
    seen_scenes: bool = Field(
        False,
        description="whether scenes of the memory may be played: to build one up on a training "
        "suite, or in ALFRED's valid_seen",
    )
    max_depth: int = Field(
        6, ge=1, description="agents from the root to a leaf; the paper's trees have up to 4"
    )
    max_subgoals: int = Field(10, ge=1, description="subgoals of one expansion")
    thought_length: int = Field(
        300, ge=0, description="characters of a thought; a longer one is cut"
    )
    menu: MenuForm = Field(
        MenuForm.AUTO,
        description="how possible actions are told: not (none), in groups (grouped), one by "
        "one (full); auto: none where the server holds replies to schemas, else grouped",
    )
