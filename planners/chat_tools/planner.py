"""The planner `chat_tools`: the plain loop of a language model with tool calls.

It is what most people write first: a short system prompt, the task, and tools; each observation is
the result of a call. It has no examples, no memory and no menu in the prompt, so it is the baseline
of planners that have them, and of agent programs that play through the same tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from pydantic import BaseModel, Field

from ...models.contract import Message
from ...models.tools import Tool, ToolCall, ToolReply, result_message
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
from ..kits import tools as kit
from ..kits.prompting.conversation import ask_within_context, giving_up, prompt
from ..kits.prompting.templates import Templates

_PROMPTS = Templates(__file__)
#: The tools of a model; the task is in its prompt.
_TOOLS = ("act", "look", "menu", "done", "give_up")
#: Characters quoted of a name.
_QUOTED = 40
#: Replies in a row without a call, after which the planner gives up.
_SILENT = 3
#: Calls of one reply that are carried out.
_MOST_CALLS = 16
_NO_CALL = "Call one of the tools."
_TOO_MANY = f"Not done: only the first {_MOST_CALLS} calls of a reply are carried out."
#: Tools that a model may say as an action.
_ENDS = {"done": "done", "give up": "give_up", "give_up": "give_up"}


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
    names = [name for name in _TOOLS if options.menu or name != "menu"]
    offered: dict[str, kit.Tool] = {tool.name: tool for tool in kit.TOOLS if tool.name in names}
    tools = [Tool(name, tool.description, tool.schema) for name, tool in offered.items()]
    pinned = prompt(_PROMPTS.render("system"), kit.task_text(brief, percept, "replies"))
    turns: list[list[Message]] = []
    silent = 0

    def ask() -> ToolReply:
        messages = [*pinned, *chain.from_iterable(turns)]
        return brief.model.call_tools(messages, tools, about=lambda: {"kind": "tools"})

    while True:
        reply = yield from ask_within_context(turns, ask)
        turn: list[Message] = [reply.message]
        if reply.calls:
            calls = _Calls(offered, reply, percept)
            turn += yield from calls.results()
            percept = calls.percept
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

    def __init__(self, tools: Mapping[str, kit.Tool], reply: ToolReply, percept: Percept) -> None:
        """tools: those that the model may call, by name."""
        self._tools = tools
        self._reply = reply
        self.percept = percept
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
            name, said = self._read(call)
        except ValueError as error:
            data = {"refused": "tool call", "call": f"{call.name}({call.arguments})"}
            yield from self._aside("tool_call", str(error), data)
            return f"Not done: {error}."
        thought = self._reply.text or ("" if name == "act" else said)
        match name:
            case "act":
                decision: Decision = Act(said, thought, continued=self._decided)
            case "done":
                decision = Done(thought)
            case "give_up":
                decision = GiveUp(thought)
            case _:
                look = name == "look"
                text = self.percept.overview() if look else kit.menu_text(self.percept)
                yield from self._aside(name, text, {})
                return text
        self._decided = True
        self.percept = yield decision
        return kit.answer_text(self.percept)

    def _read(self, call: ToolCall) -> tuple[str, str]:
        """The tool of a call, and its argument. Raises ValueError with a clause."""
        tool = self._tools.get(call.name)
        if tool is None:
            *first, last = self._tools
            raise ValueError(
                f"there is no tool {call.name[:_QUOTED]!r}; there are {', '.join(first)} and {last}"
            )
        said = call.data().get(tool.argument, "") if tool.argument else ""
        if not isinstance(said, str) or not (said.strip() or tool.optional or not tool.argument):
            raise ValueError(f'{tool.name} needs a text under "{tool.argument}"')
        said = said.strip()
        if len(said) > kit.MOST_CHARACTERS:
            raise ValueError(f"an argument has {kit.MOST_CHARACTERS} characters at most")
        is_end = tool.name == "act" and said.lower() in _ENDS
        return (_ENDS[said.lower()], "") if is_end else (tool.name, said)

    def _aside(self, name: str, text: str, data: dict[str, str]) -> SubPlan[None]:
        """Record what reaches no simulator: a decision if it is the first of the reply."""
        if self._decided:
            yield Note(name, text, data)
        else:
            self._decided = True
            yield Internal(name, text, data)


PLANNER = Planner(
    name="chat_tools",
    summary="a language model with tool calls in a plain loop (baseline)",
    plan=plan,
    dialects=(*HOMES, "alfworld", "lookplangraph", "llm_state", "tru_pomdp", "compact", "blocks"),
    models=("planner",),
    options=Options,
)
