"""Tools of an agent: what it may call, and the answers in words.

An agent outside Peephole plays by these tools, over MCP or a shell; a model by tool calls. An
answer tells what a planner of ours is told, and nothing more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..contract import Brief, Percept
from .prompting.templates import Templates
from .turns import domain_values

ToolName = Literal["task", "look", "menu", "act", "status", "done", "give_up"]

_PROMPTS = Templates(__file__)
#: Most characters of an action or a reason.
MOST_CHARACTERS = 1000


@dataclass(frozen=True)
class Tool:
    """A tool of an agent. argument: the name and the meaning of its only argument, "" for none."""

    name: ToolName
    description: str
    argument: str = ""
    meaning: str = ""
    optional: bool = False

    @property
    def only_tells(self) -> bool:
        """Whether it changes nothing in the world or the episode."""
        return self.name not in ("act", "done", "give_up")

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        if not self.argument:
            return {"type": "object", "properties": {}, "additionalProperties": False}
        argument = {"type": "string", "description": self.meaning, "maxLength": MOST_CHARACTERS}
        return {
            "type": "object",
            "properties": {self.argument: argument},
            "required": [] if self.optional else [self.argument],
            "additionalProperties": False,
        }


TOOLS = (
    Tool("task", "Read the task, the rules of your body, and the forms of actions. Call it first."),
    Tool("look", "Describe the place where you are. It takes no action."),
    Tool("menu", "List the actions that are possible now. It takes no action."),
    Tool(
        "act",
        "Do one action and get what you observe after it. The episode counts actions.",
        "action",
        'One action, worded as in the menu or the forms, such as "open fridge 1".',
    ),
    Tool("status", "Tell how many actions you have used and whether the episode goes on."),
    Tool(
        "done",
        "Say that the task is fulfilled. Call it only when you have brought about what it asks.",
        "reason",
        "Why you think so, in a sentence.",
        optional=True,
    ),
    Tool(
        "give_up",
        "End the episode without success. Call it when you see no way on.",
        "reason",
        "Why, in a sentence.",
        optional=True,
    ),
)
#: What is told once all actions are used, in suites that ask for a last word.
LAST_WORD = "All your actions are used: call done or give_up."
#: How an episode ended, as the agent is told. Nobody tells it a score.
_ENDINGS = {
    "goal_reached": "the task is fulfilled",
    "done": "you said that the task is fulfilled",
    "gave_up": "you gave up",
    "steps": "all your actions are used",
    "decisions": "all your calls of act are used",
    "planning_time": "your time is used",
    "infeasible": "too many actions in a row could not be done",
    "stopped": "a protective stop ended it",
    "voided": "the simulator failed",
    "": "it was interrupted",
}


def argument_of(name: str, arguments: Mapping[str, Any] | None) -> str:
    """The argument of a call, as a model gave it; "" for none.

    Raises ValueError with a sentence for the model: for an unknown tool, and for a missing or wrong
    argument. Arguments that a tool does not have are ignored.
    """
    tool = tool_named(name)
    if not tool.argument:
        return ""
    given = (arguments or {}).get(tool.argument)
    if given is None and tool.optional:
        return ""
    if not isinstance(given, str):
        lack = "is missing" if given is None else "is no text"
        raise ValueError(f'The argument "{tool.argument}" of {name} {lack}: {tool.meaning}')
    return given


def tool_named(name: str) -> Tool:
    """The tool of a name. Raises ValueError with a sentence for the model."""
    for tool in TOOLS:
        if tool.name == name:
            return tool
    known = ", ".join(tool.name for tool in TOOLS)
    raise ValueError(f"There is no tool {name[:40]!r}; there are {known}.")


def over_text(ended: str) -> str:
    """A sentence on how an episode ended. ended: as `EpisodeResult.ended`, "" if interrupted."""
    return f"The episode is over: {_ENDINGS.get(ended, ended.replace('_', ' '))}."


def task_text(brief: Brief, percept: Percept, counted: str = "calls of act") -> str:
    """The task, the rules, the forms of actions and the present place, for the tool `task`.

    counted: what counts as a decision, in the plural.
    """
    arm = percept.view.arm
    return _PROMPTS.render(
        "tool_task",
        instruction=brief.instruction,
        numbers=0 if arm is None else len(arm.pose),
        table="",
        decisions=brief.budgets.decisions,
        counted=counted,
        forms=brief.forms,
        seen=percept.overview(),
        **domain_values(brief),
    )


def menu_text(percept: Percept) -> str:
    """The actions that are possible now, one a line."""
    return "\n".join(text for text, _ in percept.menu()) or "No action is possible now."


def status_text(brief: Brief, percept: Percept) -> str:
    """How the episode stands, without a score."""
    return f"You have used {percept.step} of {brief.budgets.steps} actions. The episode goes on."


def answer_text(percept: Percept) -> str:
    """What an agent is told after an action or a word that it is done."""
    text = percept.text if percept.feedback is None else percept.feedback
    if percept.ended == "steps":
        text = f"{text} {LAST_WORD}"
    return text
