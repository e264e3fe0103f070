"""Options of the planner `reactree`."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, Field

from ..kits.memory.episodic import MemoryPath
from ..kits.prompting.menus import MenuForm
from .nodes import ControlFlow


class ControlFlows(StrEnum):
    """The settings of the paper's ablation (section 5.4), and the one that a dialect calls for.

    AUTO: ALL, but for ALFRED's dialect SEQ_FALLBACK, as the paper's prompts have it.
    """

    AUTO = "auto"
    ALL = "all"
    SEQ_FALLBACK = "seq_fallback"
    SEQ = "seq"

    def types(self, dialect: str) -> tuple[ControlFlow, ...]:
        """The control flow types on offer."""
        sequence, fallback, parallel = ControlFlow
        if self is ControlFlows.SEQ:
            return (sequence,)
        if self is ControlFlows.SEQ_FALLBACK or (self is ControlFlows.AUTO and dialect == _ALFRED):
            return (sequence, fallback)
        return (sequence, fallback, parallel)


_ALFRED = "reactree_thor"


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
