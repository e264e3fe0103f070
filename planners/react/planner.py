"""The planner `react`: thoughts and actions by turns, from one growing conversation.

After Yao et al., ReAct (2023), as the baseline of Choi et al., ReAcTree (2025), section 3 and
appendix E.2: a system prompt with in-context examples, the task, then observation, thought and
action turn by turn. One question a turn gives thought and action together, the action chosen from
the dialect's menu. The wording is Peephole's own.

The conversation only grows, so that a server can keep what it has read: each turn adds the model's
answer and the next observation. The menu of the moment is the last line of the newest observation
and is left out once that is answered, so a server reads again only the last turn and the menu:
with 154 actions on offer SmolLM2 keeps half of 2000 tokens from turn to turn. Were every menu
kept, each turn would add some 900 tokens. Where the conversation no longer fits the model, the
older half of it after the task is left out, in a block.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ...skills.actions import Verb
from ..contract import Act, Brief, Decision, Decisions, Done, GiveUp, Note, Percept, Planner, Think
from ..model import ContextFull, Message, Model, NoAnswer

if TYPE_CHECKING:
    from jinja2 import Template
    from pydantic import BaseModel

DIALECTS = ("reactree", "alfworld")
DONE = "done"
GIVE_UP = "give up"
#: Characters of a thought.
THOUGHT = 300
#: Before the actions on offer, and between them.
MENU = "Possible actions: "
BETWEEN = "; "


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Ask the model for a thought and an action each turn, until it says that it is done."""
    model = brief.model
    assert model is not None, "react asks a model"
    talk = _Conversation(_system(brief), f"Task: {brief.instruction}\n{percept.text}")
    while True:
        menu = [text for text, _ in percept.options()]
        try:
            turn = talk.ask(model, [*menu, DONE, GIVE_UP])
        except ContextFull as full:
            dropped = talk.shorten()
            if not dropped:
                yield GiveUp(str(full))
                return
            yield Note("memory", f"the oldest {dropped} turns are left out of the prompt")
            continue
        except NoAnswer as error:
            yield GiveUp(str(error))
            return
        if turn.thought:
            yield Think(turn.thought)
        decision = _decision(turn.action, turn.thought)
        percept = yield decision
        talk.add(turn, percept.text)


def _decision(action: str, thought: str) -> Decision:
    if action == DONE:
        return Done(thought)
    if action == GIVE_UP:
        return GiveUp(thought)
    return Act(action)


class _Conversation:
    """The messages so far, without menus; the first two are never dropped."""

    def __init__(self, system: str, task: str) -> None:
        self._messages: list[Message] = [
            {"role": "system", "content": system},
            {"role": "user", "content": task},
        ]

    def ask(self, model: Model, options: Sequence[str]) -> Any:
        """The model's next turn: `thought` and `action`, one of the options."""
        *before, last = self._messages
        menu = f"{last['content']}\n{MENU}{BETWEEN.join(options)}"
        return model.answer([*before, {**last, "content": menu}], _turn(tuple(options)))

    def add(self, turn: Any, observation: str) -> None:
        said = {"thought": turn.thought, "action": turn.action}
        self._messages += [
            {"role": "assistant", "content": json.dumps(said, ensure_ascii=False)},
            {"role": "user", "content": observation},
        ]

    def shorten(self) -> int:
        """Leave out the older half of the turns after the task; how many there were."""
        turns = (len(self._messages) - 2) // 2
        dropped = (turns + 1) // 2
        # The first message of what stays is an assistant's, as the task's own is the user's.
        del self._messages[2 : 2 + 2 * dropped]
        return dropped


def _turn(options: tuple[str, ...]) -> type[BaseModel]:
    """The shape of a turn with these actions on offer; a longer thought is cut, not refused."""
    from pydantic import BeforeValidator, Field, create_model

    text: Any = Annotated[str, BeforeValidator(_cut), Field(max_length=THOUGHT)]
    action: Any = Literal[options]
    return create_model("Turn", thought=(text, ...), action=(action, ...))


def _cut(thought: object) -> object:
    return thought[:THOUGHT] if isinstance(thought, str) else thought


def _system(brief: Brief) -> str:
    """The system prompt: the rules of this body, and examples in the episode's dialect."""
    body = brief.embodiment
    return _template(brief.dialect).render(
        done=DONE,
        give_up=GIVE_UP,
        hands=body.hands,
        free_hand_to_open=Verb.OPEN in body.needs_free_hand,
    )


@cache
def _template(dialect: str) -> Template:
    from jinja2 import Template

    path = Path(__file__).parent / "prompts" / f"{dialect}.jinja"
    template: Template = Template(path.read_text().strip())
    return template


PLANNER = Planner(
    name="react",
    summary="a language model that thinks and acts by turns (ReAct)",
    plan=plan,
    dialects=DIALECTS,
    models=("planner",),
)
