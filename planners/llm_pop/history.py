"""The rounds so far as the models of `llm_pop` read them, and three questions for small models.

After LLM-POP, section 4.2 and appendices A.4 and A.6, in our own words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ...observation_text.dialects.blocks.dialect import vector_of
from .records import RecordedRound, write_input

#: Question 1 follows every observation; question 2 or 3 follows its answer.
QUESTIONS = {
    1: "Is what is known now enough to solve the task? If it is not, what is missing?",
    2: "What should the robot do to find out what is missing?",
    3: "What should the robot do to solve the task?",
}


class QuestionForm(StrEnum):
    """Which of the questions to ask."""

    NONE = "none"
    COT = "cot"
    VANILLA = "vanilla"


@dataclass
class Round:
    """One reply and its outcome.

    done: the actions carried out, each with the observation after it. left: the actions after the
    first that failed.
    """

    explain: str
    done: list[tuple[str, str]] = field(default_factory=list)
    left: tuple[str, ...] = ()


def question(task: str, number: int) -> str:
    """The instruction of a record: the task and one of the three questions."""
    return f"Environment: a Franka Panda arm before blocks.\nTask: {task}\n{QUESTIONS[number]}"


def record_input(current: str, rounds: Sequence[Round]) -> str:
    """The input of a record: the present observation and the rounds so far, as numbers.

    current: the newest observation in the dialect `blocks`.
    """
    return write_input(vector_of(current), [_recorded(past) for past in rounds])


def _recorded(past: Round) -> RecordedRound:
    actions = tuple(action for action, _ in past.done)
    return RecordedRound(past.explain, actions, tuple(tuple(vector_of(t)) for _, t in past.done))
