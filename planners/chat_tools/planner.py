"""The planner `chat_tools`: the plain loop of a language model with tool calls.

It is what most people write first: a short system prompt, the task, and tools; each observation is
the result of a call. It has no examples, no memory and no menu in the prompt, so it is the baseline
of planners that have them, and of agent programs that play through the same tools.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from pydantic import BaseModel, Field

from ...models.contract import Message
from ...models.tools import Tool, ToolCall, ToolReply, result_message
from ...skills.actions import Verb
from ..contract import (
    HOMES,
    Act,
    Brief,
    Decision,
    Decisions,
    Done,
    GiveUp,
    Internal,
    Note,
    Percept,
    Planner,
    SubPlan,
    Think,
)
from ..kits.prompting.body import closed_to_run, free_hand
from ..kits.prompting.conversation import ask_within_context, giving_up, prompt
from ..kits.prompting.offers import offered
from ..kits.prompting.templates import Templates

_PROMPTS = Templates(__file__)
ACT, LOOK, MENU, DONE, GIVE_UP = "act", "look", "menu", "done", "give_up"
#: The parameter of `act`.
_ACTION = "action"
_ACT = Tool(ACT, "Do one action.", {_ACTION: "The action, in one of the forms, with its names."})
_LOOK = Tool(LOOK, "Describe the present place again. This costs no action.")
_MENU = Tool(MENU, "List the actions that are possible now. This costs no action.")
_DONE = Tool(DONE, "Say that the task is fulfilled.")
_GIVE_UP = Tool(GIVE_UP, "Say that you see no way to fulfil the task. This ends it.")
#: Replies in a row without a call, after which the planner gives up.
_SILENT = 3
#: Calls of one reply that are carried out.
_MOST_CALLS = 16
_NO_CALL = "Call one of the tools."
_TOO_MANY = f"Not done: only the first {_MOST_CALLS} calls of a reply are carried out."
_NO_ACTION_LEFT = f"No action is left: call {DONE} or {GIVE_UP}."
#: Ends that a model may say as an action.
_ENDS = {"done": DONE, "give up": GIVE_UP, "give_up": GIVE_UP}


class Options(BaseModel):
    """Options of `chat_tools`."""

    window: int | None = Field(
        None,
        ge=1,
        description="number of latest replies in the prompt, with their results; none: as many as "
        "the model can read",
    )
    menu: bool = Field(True, description="offer the tool that lists the possible actions")


@giving_up
def plan(brief: Brief, percept: Percept) -> Decisions:
    """Ask for a reply with calls, and carry them out, until one of them ends the episode."""
    options = brief.options_of(Options)
    tools = [_ACT, _LOOK, *[_MENU] * options.menu, _DONE, _GIVE_UP]
    pinned = prompt(_system(brief), f"Task: {brief.instruction}\n{percept.text}")
    turns: list[list[Message]] = []
    silent = 0

    def ask() -> ToolReply:
        messages = [*pinned, *chain.from_iterable(turns)]
        return brief.model.call_tools(messages, tools, about=lambda: {"kind": "tools"})

    while True:
        reply = yield from ask_within_context(turns, ask)
        turn: list[Message] = [reply.message]
        if reply.calls:
            turn += yield from _Calls(brief, tools, reply, percept).results()
        else:
            silent += 1
            if silent == _SILENT:
                yield GiveUp(f"The model called no tool in {_SILENT} replies.")
            yield Think(reply.text)
            turn.append({"role": "user", "content": _NO_CALL})
        silent = 0 if reply.calls else silent
        turns.append(turn)
        del turns[: -(options.window or len(turns))]


class _Calls:
    """The calls of one reply. Together they are one decision."""

    def __init__(
        self, brief: Brief, tools: Sequence[Tool], reply: ToolReply, percept: Percept
    ) -> None:
        self._brief = brief
        self._names = [tool.name for tool in tools]
        self._reply = reply
        self._percept = percept
        self._decided = False

    def results(self) -> SubPlan[list[Message]]:
        """Carry them out; the messages with their results."""
        messages: list[Message] = []
        for number, call in enumerate(self._reply.calls):
            said = _TOO_MANY if number >= _MOST_CALLS else (yield from self._result(call))
            messages.append(result_message(call, said))
        return messages

    def _result(self, call: ToolCall) -> SubPlan[str]:
        try:
            name, action = self._read(call)
        except ValueError as error:
            data = {"refused": "tool call", "call": f"{call.name}({call.arguments})"}
            yield from self._aside("tool_call", str(error), data)
            return f"Not done: {error}."
        thought = self._reply.text
        match name:
            case "look" | "menu":
                text = self._percept.overview() if name == LOOK else self._menu()
                yield from self._aside(name, text, {})
                return text
            case "act":
                decision: Decision = Act(action, thought, continued=self._decided)
            case "done":
                decision = Done(thought)
            case _:
                decision = GiveUp(thought)
        self._decided = True
        self._percept = percept = yield decision
        text = percept.feedback or percept.text
        return f"{text} {_NO_ACTION_LEFT}" if percept.ended else text

    def _read(self, call: ToolCall) -> tuple[str, str]:
        """The tool of a call and the action of `act`. Raises ValueError with a clause."""
        if call.name not in self._names:
            raise ValueError(
                f"there is no tool {call.name[:40]!r}; there are {_listed(self._names)}"
            )
        if call.name != ACT:
            return call.name, ""
        action = call.data().get(_ACTION)
        if not isinstance(action, str) or not action.strip():
            raise ValueError(f'{ACT} needs the action as a text, under "{_ACTION}"')
        return _ENDS.get(action.strip().lower(), ACT), action.strip()

    def _menu(self) -> str:
        listed = offered(self._brief, self._percept).listed
        return "\n".join(text for text, _ in listed) or _NO_ACTION_LEFT

    def _aside(self, name: str, text: str, data: dict[str, str]) -> SubPlan[None]:
        """Record what reaches no simulator: a decision if it is the first of the reply."""
        if self._decided:
            yield Note(name, text, data)
        else:
            self._decided = True
            yield Internal(name, text, data)


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _system(brief: Brief) -> str:
    body = brief.embodiment
    return _PROMPTS.render(
        "system",
        forms="; ".join(brief.forms),
        hands=body.hands,
        free_hand=free_hand(body, brief.actions),
        closed_to_run=closed_to_run(body, brief.actions),
        approaches=body.approaches,
        opens=Verb.OPEN in brief.actions,
        steps=brief.budgets.steps,
    )


PLANNER = Planner(
    name="chat_tools",
    summary="a language model with tool calls in a plain loop (baseline)",
    plan=plan,
    dialects=(*HOMES, "alfworld", "lookplangraph", "llm_state", "tru_pomdp", "compact", "blocks"),
    models=("planner",),
    options=Options,
)
