"""The format of the planner `llm_plus_p`: a problem file in PDDL for a told scene graph.

The system message has the domain's predicates and an example; the first message of the user has the
instruction and the scene graph as JSON. What follows are files that could not be used and why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ....skills.embodiment import Embodiment
from ..graph_plans.problem_file import problem_file
from ..graph_plans.told_graph import read_graph
from ..household.requirements import Table
from ..transcript import Choice

_Messages = Sequence[Mapping[str, str]]
_WRITES = "You turn the tasks of a household robot into planning problems."
_INSTRUCTION = "Instruction: "
#: Of who imagines how it is in the end: how to get there is not asked for.
_BODY = Embodiment(hands=2)


def recognises(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """Whether the system message asks for problem files."""
    return messages[0]["role"] == "system" and messages[0]["content"].startswith(_WRITES)


def read(messages: _Messages, schema: Mapping[str, Any]) -> Callable[[Table], Choice]:
    """Who writes the file."""
    return partial(_write, messages[1]["content"])


def write(choice: Choice) -> str:
    """The reply's text."""
    return choice.action


def _write(asked: str, table: Table) -> Choice:
    instruction = asked.partition(_INSTRUCTION)[2].partition("\n")[0].strip()
    return Choice("", problem_file(read_graph(asked, table), instruction, table, _BODY))
