"""Rounds as the models of `llm_pop` read them, the questions for small models, and their records.

The input of an instruction record has present and past observations as numbers, in text.

After LLM-POP, appendix A.4 and A.6:

    Current:
    [0.487, -0.012, …]
    Past:
    Round 1: [explanation] [action, action] [[0.487, …], [0.487, …]]

"[] [] []" means no round.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ...observation_text.dialects.blocks.dialect import vector_of
from .grammar import split_calls

Numbers = tuple[float, ...]

_CURRENT, _PAST, _NO_ROUND = "Current:", "Past:", "[] [] []"
_LIST = r"\[[^\[\]]*\]"
_ROUND = re.compile(rf"Round (\d+): \[(.*)\] \[([^\[\]]*)\] \[((?:{_LIST}(?:, {_LIST})*)?)\]")


@dataclass(frozen=True)
class RecordedRound:
    """An explanation, the actions done, and the numbers observed after each of them."""

    explain: str
    actions: tuple[str, ...] = ()
    observations: tuple[Numbers, ...] = ()


def write_input(current: Sequence[float], rounds: Sequence[RecordedRound]) -> str:
    """The input that `read_input` reads back."""
    lines = [_CURRENT, _list(current), _PAST]
    for number, past in enumerate(rounds, start=1):
        seen = ", ".join(map(_list, past.observations))
        lines.append(f"Round {number}: [{past.explain}] [{', '.join(past.actions)}] [{seen}]")
    return "\n".join(lines if rounds else [*lines, _NO_ROUND])


def read_input(text: str) -> tuple[Numbers, tuple[RecordedRound, ...]]:
    """The present observation and the rounds before. Raises ValueError for another form."""
    lines = text.split("\n")
    if len(lines) < 4 or (lines[0], lines[2]) != (_CURRENT, _PAST):
        raise ValueError("it does not consist of Current: and Past:")
    rounds = [] if lines[3:] == [_NO_ROUND] else lines[3:]
    return _numbers(lines[1]), tuple(_round(line, i) for i, line in enumerate(rounds, start=1))


def _round(line: str, number: int) -> RecordedRound:
    match = _ROUND.fullmatch(line)
    if match is None or match[1] != str(number):
        raise ValueError(f"'{line[:60]}' is not round {number}")
    actions = tuple(split_calls(match[3]))
    observations = tuple(map(_numbers, re.findall(_LIST, match[4])))
    if len(actions) != len(observations):
        raise ValueError(f"round {number} has not one observation for each action")
    return RecordedRound(match[2], actions, observations)


def _list(numbers: Sequence[float]) -> str:
    return f"[{', '.join(f'{number:g}' for number in numbers)}]"


def _numbers(text: str) -> Numbers:
    """The numbers of a list. Raises ValueError."""
    if not re.fullmatch(_LIST, text):
        raise ValueError(f"'{text[:60]}' is no list of numbers")
    numbers = tuple(float(number) for number in text[1:-1].split(","))
    if not all(map(math.isfinite, numbers)):
        raise ValueError("a number is not finite")
    return numbers


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
    recorded = [
        RecordedRound(
            past.explain,
            tuple(action for action, _ in past.done),
            tuple(tuple(vector_of(seen)) for _, seen in past.done),
        )
        for past in rounds
    ]
    return write_input(vector_of(current), recorded)
