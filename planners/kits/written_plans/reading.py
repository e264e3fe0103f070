"""Options of planners that have whole plans written, and the skills that a reply means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from ....models.contract import Unusable
from ...contract import Grant, Preparation
from ..memory import episodic
from ..memory.embedders import DEFAULT, embedder
from ..memory.episodic import MemoryPath
from .skills import DONE, Skill, Skills

PURPOSE = "plan"
#: The planner whose episodes are examples of whole plans.
EXAMPLES_FROM = "zsp_examples"


class PlanOptions(BaseModel):
    """Options of planners that make whole plans."""

    plan_length: int = Field(
        100,
        ge=1,
        description="lines of a plan; further ones are left out, as are those beyond the steps "
        "that the task allows",
    )
    memory: MemoryPath | None = Field(
        None,
        description="a memory of `peephole memory build` from runs of zsp_examples that examples "
        "are taken from; none: two fixed examples",
    )
    seen_scenes: bool = Field(
        False, description="whether scenes of the memory may be played, as in ALFRED's valid_seen"
    )
    embedder: str = Field(
        DEFAULT,
        description="what compares lines with skills: wordllama, or a model of "
        "sentence-transformers, as the paper's",
    )
    map: bool = Field(
        False, description="tell where every object is at the start, which the paper's does not"
    )


def more_grants(options: BaseModel) -> frozenset[Grant]:
    """What such options have a planner granted besides."""
    assert isinstance(options, PlanOptions)
    return frozenset({Grant.MAP}) if options.map else frozenset()


def prepare(preparation: Preparation) -> Mapping[str, Any]:
    """Check that the memory fits and the embedder is there. Raises BadInput, Missing."""
    assert isinstance(preparation.options, PlanOptions)
    options = preparation.options
    if options.memory is not None:
        episodic.load_for(
            preparation,
            options.memory,
            planners=(EXAMPLES_FROM,),
            seen_scenes=options.seen_scenes,
        )
    embedder(options.embedder)
    return {}


def read_plan(lines: list[str], skills: Skills, most: int) -> list[Skill]:
    """The skills of a plan's lines up to its end."""
    found: list[Skill] = []
    for line in lines[:most]:
        skill = skills.meant_by(line)
        if skill == DONE:
            break
        found.append(skill)
    return found


def lines_of(reply: str) -> list[str]:
    """The lines of a plan, without a code fence. Raises Unusable where there is none."""
    lines = [line.strip() for line in reply.splitlines() if not line.strip().startswith("```")]
    found = [line for line in lines if any(map(str.isalpha, line)) and line.lower() != "plan:"]
    if not found:
        raise Unusable("There is no action in it; say one action a line.")
    return found
