"""Solutions of tasks about blocks as questions and answers, and their instruction pairs.

A pair is {"instruction", "input", "output"}, as `peephole export --to instructions` writes it: a
question of the planner `llm_pop`, the observations and rounds so far, and the answer. A solution
from one initial state gives several pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from ...errors import BadInput
from ...models.contract import Unusable
from ...planners.llm_pop.grammar import read_answer, write_answer
from ...planners.llm_pop.records import (
    QUESTIONS,
    Numbers,
    RecordedRound,
    question,
    read_input,
    write_input,
)

Pair = dict[str, str]
#: The questions: whether enough is known, how to find out, how to solve the task.
ENOUGH, FIND_OUT, SOLVE = QUESTIONS
_FIELDS = ("instruction", "input", "output")


class PairForm(StrEnum):
    """The forms of pairs: with the three questions in turn, or with the last one only."""

    COT = "cot"
    VANILLA = "vanilla"


@dataclass(frozen=True)
class AnsweredRound:
    """A question with its answer, and the observations after its actions."""

    question: int
    explain: str
    actions: tuple[str, ...] = ()
    observations: tuple[Numbers, ...] = ()


@dataclass(frozen=True)
class Solution:
    """A task, the first observation, and the rounds up to the one that solves the task."""

    task: str
    start: Numbers
    rounds: tuple[AnsweredRound, ...]

    def in_form(self, form: PairForm) -> Solution:
        """The solution in a form. The vanilla form keeps only rounds with actions."""
        if form is PairForm.COT:
            return self
        acting = [each for each in self.rounds if each.actions]
        return replace(self, rounds=tuple(replace(each, question=SOLVE) for each in acting))

    def pairs(self) -> Iterator[Pair]:
        """The pairs of its rounds, in order."""
        current, past = self.start, list[RecordedRound]()
        for this in self.rounds:
            yield {
                "instruction": question(self.task, this.question),
                "input": write_input(current, past),
                "output": answer_text(this),
            }
            done = this.actions[: len(this.observations)]
            past.append(RecordedRound(this.explain, done, this.observations))
            current = this.observations[-1] if this.observations else current


def conversation(pair: Pair, system: str) -> dict[str, Any]:
    """A pair as `llm_pop` asks it, in the form of `peephole export --to chat`.

    system: the planner's system prompt.
    """
    asked = f"{pair['instruction']}\n{pair['input']}"
    said = {"system": system, "user": asked, "assistant": pair["output"]}
    return {
        "messages": [{"role": role, "content": text} for role, text in said.items()],
        "suite": "blocks:generated",
        "task": _task_of(pair["instruction"]),
        "dialect": "blocks",
    }


def _task_of(instruction: str) -> str:
    """The task of a question, or ""."""
    lines = instruction.split("\n")
    return lines[1].removeprefix("Task: ") if len(lines) == 3 else ""


def answer_text(answered: AnsweredRound) -> str:
    """The output of a pair."""
    return write_answer(answered.explain, answered.actions or None)


def solutions(pairs: Sequence[Any], where: str) -> list[Solution]:
    """The solutions that pairs of a run or a file are from. Unreadable pairs are left out.

    where: the file or folder. Raises BadInput where nothing can be read.
    """
    found: list[Solution] = []
    problem = "it has no pair"
    readable = False
    for number, pair in enumerate(pairs, start=1):
        try:
            task, current, past, answered = _read_pair(pair)
            if not past:
                found.append(Solution(task, current, ()))
                readable = True
            if readable:
                found[-1] = _continued(found[-1], task, past, answered)
        except ValueError as error:
            problem = f"pair {number}: {error}"
            if readable:
                found.pop()
            readable = False
    if not found:
        raise BadInput(
            f"{where} has no pairs to show as examples ({problem}); expected a run of llm_pop or a "
            f"file of `peephole export --to instructions`."
        )
    return found


def _read_pair(pair: Any) -> tuple[str, Numbers, tuple[RecordedRound, ...], AnsweredRound]:
    """The task, the observation, the rounds before, the answer. Raises ValueError."""
    if not isinstance(pair, Mapping) or not all(isinstance(pair.get(f), str) for f in _FIELDS):
        raise ValueError(f"expected an object with {', '.join(_FIELDS)}")
    task = _task_of(pair["instruction"])
    asked = next((n for n in QUESTIONS if pair["instruction"] == question(task, n)), None)
    if asked is None:
        raise ValueError("its instruction is no question of llm_pop")
    try:
        answer = read_answer(pair["output"], acts=asked != ENOUGH, may_end=asked == SOLVE)
    except Unusable as error:
        raise ValueError(str(error)) from None
    current, past = read_input(pair["input"])
    return task, current, past, AnsweredRound(asked, answer.explain, answer.actions)


def _continued(
    solution: Solution, task: str, past: Sequence[RecordedRound], answered: AnsweredRound
) -> Solution:
    """A solution with one more round. Raises ValueError where the round does not follow."""
    if task != solution.task or len(past) != len(solution.rounds):
        raise ValueError("it does not go on from the pair before it")
    rounds = list(solution.rounds)
    if past:
        if past[-1].actions != rounds[-1].actions[: len(past[-1].actions)]:
            raise ValueError("it tells of other actions than were planned")
        rounds[-1] = replace(rounds[-1], observations=past[-1].observations)
    return replace(solution, rounds=(*rounds, answered))


def of_form(found: Iterable[Solution], form: PairForm, where: str) -> list[Solution]:
    """The solutions with the questions of a form. Raises BadInput where there are none."""
    fitting = [solution.in_form(form) for solution in found]
    first = {PairForm.COT: ENOUGH, PairForm.VANILLA: SOLVE}[form]
    fitting = [each for each in fitting if each.rounds and each.rounds[0].question == first]
    if not fitting:
        raise BadInput(
            f"{where} has no pairs with the three questions to show as examples; choose "
            f"--form {PairForm.VANILLA} or give a run of llm_pop with questions=cot."
        )
    return fitting
