"""The formats of planners' prompts, and of the replies that they want: a module for each planner.

A format for another planner is another module with `recognises`, `read` and `write`, added to
FORMATS. One whose planner asks for something else than the next action in a house decides itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ..guesses import Guessed
from ..household.requirements import Table
from ..transcript import Choice, Sampled, Transcript
from . import (
    act,
    block_tasks,
    graph_planners,
    inner_monologue,
    kitchen_tasks,
    llm_plus_p,
    llm_pop,
    llm_state,
    lookplangraph,
    progprompt,
    react,
    reactree,
    reflexion,
    tree_planner,
    tru_pomdp,
    zsp,
)

#: Messages with their text alone: {"role": …, "content": …}.
Messages = Sequence[Mapping[str, str]]


class PlannerFormat(Protocol):
    """What a module of this package has. schema: of the reply; empty where none was sent."""

    def recognises(self, messages: Messages, schema: Mapping[str, Any]) -> bool:
        """Whether these are the messages of its planner."""

    def read(
        self, messages: Messages, schema: Mapping[str, Any]
    ) -> Transcript | Choice | Sampled | Guessed | Callable[[Table], Choice]:
        """The transcript of the messages, what is chosen already, or what chooses by the table."""

    def write(self, choice: Choice) -> str:
        """The reply's text."""


FORMATS: tuple[PlannerFormat, ...] = (
    reflexion,
    act,
    react,
    reactree,
    block_tasks,
    llm_pop,
    llm_plus_p,
    llm_state,
    lookplangraph,
    inner_monologue,
    progprompt,
    zsp,
    tree_planner,
    kitchen_tasks,
    tru_pomdp,
    graph_planners,
)


def format_of(messages: Messages, schema: Mapping[str, Any]) -> PlannerFormat | None:
    """The format of the planner that wrote these messages; None where none recognises them."""
    return next((each for each in FORMATS if each.recognises(messages, schema)), None)
