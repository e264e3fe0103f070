"""The planner `react`: thoughts and actions by turns, from one growing conversation.

After Yao et al., ReAct (2023), as the baseline of Choi et al., ReAcTree (2025), section 3 and
appendix E.2: a system prompt with in-context examples, the task, then observation, thought and
action turn by turn. One question a turn gives thought and action together, the action chosen from
the dialect's menu. The wording is Peephole's own.

The menu of the moment is the last line of the newest observation and is left out once that is
answered, so a server reads again only the last turn and the menu: with 154 actions on offer
SmolLM2 keeps half of 2000 tokens from turn to turn. Were every menu kept, each turn would add some
900 tokens.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, create_model

from ...skills.actions import Verb
from ..contract import Act, Brief, Decision, Decisions, Done, GiveUp, Percept, Planner
from ..llm.conversation import Conversation
from ..llm.templates import Templates
from ..model import NoAnswer

DONE, GIVE_UP = "done", "give up"
_PROMPTS = Templates(__file__)


class Options(BaseModel):
    """Options of `react`."""

    thought_length: int = Field(
        300, ge=0, description="characters of a thought; a longer one is cut"
    )


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Ask the model for a thought and an action each turn, until it says that it is done."""
    length = brief.options_of(Options).thought_length
    talk = Conversation(_system(brief), f"Task: {brief.instruction}\n{percept.text}")
    while True:
        menu = (*(text for text, _ in percept.options()), DONE, GIVE_UP)
        question = partial(brief.model.answer, shape=_turn(menu, length))
        try:
            turn: Any = yield from talk.ask(question, f"Possible actions: {'; '.join(menu)}")
        except NoAnswer as error:
            yield GiveUp(str(error))
            return
        percept = yield _decision(turn.action, turn.thought)
        told = percept.text if percept.feedback is None else percept.feedback
        talk.add(json.dumps(turn.model_dump(), ensure_ascii=False), told)


def _decision(action: str, thought: str) -> Decision:
    if action == DONE:
        return Done(thought)
    return GiveUp(thought) if action == GIVE_UP else Act(action, thought)


def _turn(menu: tuple[str, ...], length: int) -> Any:
    """The shape of a turn with these actions on offer; a longer thought is cut, not refused."""

    def cut(thought: object) -> object:
        return thought[:length] if isinstance(thought, str) else thought

    text: Any = Annotated[str, BeforeValidator(cut), Field(max_length=length)]
    action: Any = Literal[menu]
    return create_model("Turn", thought=(text, ...), action=(action, ...))


def _system(brief: Brief) -> str:
    """The system prompt: the rules of this body, and examples in the episode's dialect."""
    body = brief.embodiment
    return _PROMPTS.render(
        brief.dialect,
        done=DONE,
        give_up=GIVE_UP,
        hands=body.hands,
        free_hand_to_open=Verb.OPEN in body.needs_free_hand,
    )


PLANNER = Planner(
    name="react",
    summary="a language model that thinks and acts by turns (ReAct)",
    plan=plan,
    dialects=("reactree", "reactree_thor", "alfworld"),
    models=("planner",),
    options=Options,
)
