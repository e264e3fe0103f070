"""What a model is told of the arm, its table and its actions, as the planner `llm_pop` tells it."""

from __future__ import annotations

from functools import cache

from ...adapters.blocks.scenes import load
from ...observation_text.dialects.blocks.dialect import tables_text
from ...planners import llm_pop
from ...planners.kits.prompting.templates import Templates

_PROMPTS = Templates(str(llm_pop.__file__))


@cache
def robot_text() -> str:
    """The environment and the action options."""
    return _told("scene")


@cache
def questions_text(*, alone: bool = False) -> str:
    """The whole system prompt of the three questions. alone: of the last one asked alone."""
    return _told("questions_scene", may_end=alone)


def _told(template: str, **values: object) -> str:
    table = tables_text(load("n=2")).strip()
    return _PROMPTS.render(template, numbers=7, table=table, **values)
