"""Options of `tru_pomdp`; the defaults are those of the paper's appendix A.5."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ..kits.hypotheses.situation import Asking


class Options(Asking):
    """Options of `tru_pomdp`. The last five are the paper's ablations."""

    threshold: float = Field(
        0.7,
        ge=0,
        le=1,
        description="the model is asked again where less than 1 minus this of the belief survives",
    )
    failed_goals: int = Field(
        2, ge=1, description="goals reached in vain after which the model is asked again"
    )
    scenarios: int = Field(30, ge=1, description="scenarios of the search")
    depth: int = Field(20, ge=1, description="steps that the search looks ahead")
    rollout_depth: int = Field(10, ge=0, description="steps of a rollout")
    discount: float = Field(0.95, gt=0, le=1, description="weight of a reward one step later")
    simulations: int | None = Field(
        10, ge=1, description="simulations a decision; none: as many as `seconds` allow"
    )
    seconds: float | None = Field(
        None, gt=0, description="seconds a decision; none: not limited by time"
    )
    flat_particles: int = Field(
        9, ge=1, description="hypotheses that the one question of hypotheses=flat asks for"
    )
    belief: Literal["particles", "likeliest"] = Field(
        "particles", description="all hypotheses, or the likeliest alone (w/o Belief)"
    )
    update: Literal["hybrid", "new"] = Field(
        "hybrid", description="Bayes' rule first, or a new belief at every step (w/o HBU)"
    )
    hypotheses: Literal["tree", "flat"] = Field(
        "tree", description="asked level by level, or in one question (w/o TOH)"
    )
    rollout: Literal["written", "builtin", "random"] = Field(
        "written",
        description="by a policy that the model writes, by ours, or random legal actions (w/o LRP)",
    )
    action: Literal["search", "model"] = Field(
        "search", description="found by the search, or chosen by the model (w/o BTS)"
    )
