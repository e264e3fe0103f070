"""What a model of `llm_pop` is told of the rounds so far, and the three questions for small models.

After LLM-POP, section 4.2 and appendices A.4 and A.6, in our own words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ...observation_text.dialects.blocks.dialect import vector_of
from .records import RecordedRound, write_input

#: Asked in turn: the first after every observation, then the second or the third by its answer.
QUESTIONS = {
    1: "Is what is known now enough to solve the task? If it is not, what is missing?",
    2: "What should the robot do to find out what is missing?",
    3: "What should the robot do to solve the task?",
}


class QuestionForm(StrEnum):
    """Which of the questions are asked."""

    NONE = "none"
    COT = "cot"
    VANILLA = "vanilla"


@dataclass
class Round:
    """One reply and what came of it.

    done: the actions carried out, each with what was observed after it. left: those that were not,
    because one before them failed.
    """

    explain: str
    done: list[tuple[str, str]] = field(default_factory=list)
    left: tuple[str, ...] = ()


def question(task: str, number: int) -> str:
    """The instruction of a record: the task and one of the three questions."""
    return f"Environment: a Franka Panda arm before blocks.\nTask: {task}\n{QUESTIONS[number]}"


def told(current: str, rounds: Sequence[Round]) -> str:
    """The input of a record: what is observed now and the rounds so far, as numbers.

    current: the newest observation in the dialect `blocks`.
    """
    return write_input(vector_of(current), [_recorded(past) for past in rounds])


def _recorded(past: Round) -> RecordedRound:
    actions = tuple(action for action, _ in past.done)
    return RecordedRound(past.explain, actions, tuple(tuple(vector_of(t)) for _, t in past.done))
