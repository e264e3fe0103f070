"""The space of texts, and what an agent gets at each moment as text and `info`."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import gymnasium
from gymnasium.vector.utils import create_shared_memory

from ...planners.contract import Percept
from ...scene_graph.rules import Ends, Rules

#: What an agent says beside the actions of the dialect.
DONE, GIVE_UP = "done", "give up"
#: The ends of an episode that a budget or a lost simulator makes: truncations.
CUT_OFF = ("steps", "decisions", "voided")
#: The longest observation and action, in characters.
OBSERVATION, ACTION = 2**14, 2**10


class Words(gymnasium.spaces.Text):
    """Texts of any characters. Samples are of ASCII, and say nothing."""

    def __init__(self, max_length: int) -> None:
        super().__init__(max_length, min_length=0, charset=string.printable)

    def contains(self, x: Any) -> bool:
        """Whether it is a text that is not too long."""
        return isinstance(x, str) and len(x) <= self.max_length

    def __repr__(self) -> str:
        return f"Words({self.max_length})"


@create_shared_memory.register(Words)
def _no_shared_memory(space: Words, n: int = 1, ctx: Any = None) -> Any:
    """Gymnasium reads texts from the memory that processes share before any is written there."""
    raise gymnasium.error.CustomSpaceError(
        'Texts go between processes without shared memory: vector_kwargs={"shared_memory": False}.'
    )


def with_task(instruction: str, text: str) -> str:
    """The first observation, with the task before it."""
    return f"Task: {instruction}\n\n{text}"


def choices(menu: Sequence[str], rules: Rules) -> list[str]:
    """The texts of a menu, and "done" where the agent is to say so."""
    return [*menu, DONE] if rules.ends is Ends.PLANNER_DONE else [*menu]


def info_of(instruction: str, percept: Percept, menu: list[str]) -> dict[str, Any]:
    """What an agent gets beside the text; new objects on every call.

    instruction: the task. menu: the actions on offer. step: the number of actions so far. refused:
    whether the last text was no action. failure: why the last action failed, or None.
    """
    failure = None if percept.outcome is None else percept.outcome.failure
    return {
        "instruction": instruction,
        "menu": list(menu),
        "step": percept.step,
        "refused": percept.refused is not None,
        "failure": None if failure is None else str(failure.reason),
    }
