"""Options of planners with written plans, and how a reply is read as skills."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field

from ....models.contract import Unusable
from ....models.embedding import DEFAULT, embedder, missing
from ...contract import HOMES, Brief, Decisions, Grant, OnlyWith, Percept, Planner, Preparation
from ..memory import episodic
from ..memory.episodic import MemoryPath

PURPOSE = "plan"
#: The planner whose episodes are examples of whole plans.
EXAMPLES_FROM = "zsp_examples"


class PlanOptions(BaseModel):
    """Options of planners that make whole plans."""

    plan_length: int = Field(
        100,
        ge=1,
        description="the most lines of a plan; also limited by the steps of the task",
    )
    memory: MemoryPath | None = Field(
        None,
        description="a memory of examples, made by `peephole memory build` from runs of "
        "zsp_examples; none: two fixed examples",
    )
    seen_scenes: Annotated[bool, OnlyWith("memory")] = Field(
        False, description="allow scenes of the memory in this run, as in ALFRED's valid_seen"
    )
    embedder: str = Field(
        DEFAULT,
        description="the embedder that compares lines with skills: wordllama, or a model of "
        "sentence-transformers as in the paper",
    )
    map: bool = Field(
        False, description="give the place of every object at the start; not in the paper"
    )


def plan_writer(
    name: str,
    summary: str,
    plan: Callable[[Brief, Percept], Decisions],
    options: type[PlanOptions],
) -> Planner:
    """A planner of whole plans, with all that such planners have in common."""
    return Planner(
        name=name,
        summary=summary,
        plan=plan,
        grants=frozenset({Grant.FIXTURES, Grant.INVENTORY}),
        dialects=HOMES,
        models=("planner",),
        options=options,
        prepare=_prepare,
        more_grants=_more_grants,
        missing=missing,
    )


def _more_grants(options: BaseModel) -> frozenset[Grant]:
    """The additional grants of a planner with such options."""
    assert isinstance(options, PlanOptions)
    return frozenset({Grant.MAP}) if options.map else frozenset()


def _prepare(preparation: Preparation) -> Mapping[str, Any]:
    """Check that the memory fits and the embedder is installed. Raises BadInput, Missing."""
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


def lines_of(reply: str) -> list[str]:
    """The lines of a plan, without a code fence. Raises Unusable for an empty plan."""
    lines = [line.strip() for line in reply.split("\n") if not line.strip().startswith("```")]
    kept = [line for line in lines if any(map(str.isalpha, line)) and line.lower() != "plan:"]
    if not kept:
        raise Unusable("There is no action in it; say one action a line.")
    return kept
