"""The planner `inner_monologue`: one action at a time, with feedback in words, over a window.

After Huang et al., Inner Monologue (2022), as the baseline InnerMonologue-W of Chen et al.,
LLM-State (2023), section V-A1. The wording is Peephole's own.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field

from ...models.contract import Unusable
from ...observation_text.dialects.llm_state.dialect import DIALECT, failure_in, observed
from ...observation_text.dialects.llm_state.grammar import PAPER_VERBS, paper_calls
from ..contract import Act, Brief, Decisions, Done, Percept, Planner
from ..kits.prompting.body import body_values
from ..kits.prompting.conversation import Conversation, giving_up
from ..kits.prompting.templates import Templates

_PROMPTS = Templates(__file__)
DONE = "done"
_THOUGHT = re.compile(r"^Robot thought:[ \t]*(.*)$", re.MULTILINE)
_ACTION = re.compile(r"^Robot action:[ \t]*(\S.*)$", re.MULTILINE)
_QUOTED = 80  # characters quoted of a reply


class Options(BaseModel):
    """Options of `inner_monologue`."""

    window: int = Field(
        20,
        ge=1,
        description="number of latest exchanges in the prompt, besides the task and the first "
        "observation",
    )
    actions: Literal["paper", "all"] = Field(
        "paper",
        description="actions in the dialect llm_state: the paper's nine, or all of the simulator",
    )


class _Turn(NamedTuple):
    thought: str
    action: str


@giving_up
def plan(brief: Brief, percept: Percept) -> Decisions:
    """Ask for an action, and report its outcome, until the model says that it is done."""
    options = brief.options_of(Options)
    task = f"Task: {brief.instruction}\nScene:\n{percept.text}"
    has_nine = brief.dialect == DIALECT.name and options.actions == "paper"
    forms = paper_calls(brief.actions) if has_nine else brief.forms
    system = _PROMPTS.render(
        brief.dialect,
        forms=", ".join(forms),
        **body_values(brief, PAPER_VERBS if has_nine else None),
        done=DONE,
    )
    talk = Conversation(system, task)
    calls = [form.partition("(")[0] for form in forms] if has_nine else None
    question = partial(
        brief.model.read, parse=_read, about=lambda: {"kind": "monologue", "functions": calls}
    )
    while True:
        turn = yield from talk.ask(question)
        is_done = turn.action.lower() in (DONE, f"{DONE}()")
        percept = yield Done(turn.thought) if is_done else Act(turn.action, turn.thought)
        said = f"Robot thought: {turn.thought}\nRobot action: {turn.action}"
        talk.add(said, _feedback(brief, percept))
        del talk.turns[: -options.window]


def _read(reply: str) -> _Turn:
    """The thought, where there is one, and the action, at most one."""
    action = _ACTION.search(reply)
    if action is None:
        raise Unusable(
            "The reply needs a line that begins with 'Robot action:' and has one action; "
            f"'{reply.strip()[:_QUOTED]}' has none."
        )
    thought = _THOUGHT.search(reply[: action.start()])
    return _Turn("" if thought is None else thought[1].strip(), action[1].strip(" \t`."))


def _feedback(brief: Brief, percept: Percept) -> str:
    """Whether the action succeeded, and the scene."""
    if percept.feedback is not None:
        return percept.feedback
    succeeded = percept.outcome is not None and percept.outcome.success
    if percept.refused is not None:
        return f"Success: {succeeded}\n{percept.refused}"
    if brief.dialect != DIALECT.name:
        return f"Success: {succeeded}\nScene:\n{percept.text}"
    why = "" if succeeded else failure_in(percept.text).partition(": ")[2]
    parts = [f"Success: {succeeded}", *([why] if why else []), "Scene:", observed(percept.text)]
    return "\n".join(parts)


PLANNER = Planner(
    name="inner_monologue",
    summary="a language model that acts step by step with feedback in words (Inner Monologue)",
    plan=plan,
    dialects=("llm_state", "reactree_plain", "reactree"),
    models=("planner",),
    options=Options,
)
