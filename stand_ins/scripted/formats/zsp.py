"""The format of the planners of whole plans: a plan, line by line or at once, as free text.

The system message has the rules of the body and says whether a line or the plan is asked for. The
message of the user has the house, the task, and the lines of the plan so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..household.requirements import Table
from ..transcript import Choice, Sampled
from ..whole_plans.told_house import read_house
from ..whole_plans.writing import plan_lines

_PLANS = "You make plans for a household robot before it does anything."
_ONE_LINE = "Answer with the next line of the plan"
_ONE_HAND, _HAND_TO_OPEN = "can hold one thing at a time", "Opening takes an empty hand."

_Messages = Sequence[Mapping[str, str]]


def recognises(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """Whether the system message asks for a plan."""
    return messages[0]["role"] == "system" and messages[0]["content"].startswith(_PLANS)


def read(messages: _Messages, schema: Mapping[str, Any]) -> Sampled:
    """Who writes the plan, or a line of it."""
    rules, asked = messages[0]["content"], messages[1]["content"]

    def write_plan(table: Table, seed: int | None) -> Choice:
        hands = 1 if _ONE_HAND in rules else 2
        lines = plan_lines(asked, table, seed, hands, _HAND_TO_OPEN in rules)
        if _ONE_LINE in rules:
            _, before = read_house(asked)
            return Choice("", lines[min(len(before), len(lines) - 1)])
        return Choice("", "\n".join(lines))

    return Sampled(write_plan)


def write(choice: Choice) -> str:
    """The reply's text."""
    return choice.action
