"""The voice of the planner `llm_pop` and its variants: plans, evaluations, and three questions.

The system message tells which of them is asked for; the user's message has the task, the history
and the newest observation. What is decided is decided by `blocks_mind`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....observation_text.dialects.blocks.dialect import vector_of
from ....planners.llm_pop.grammar import (
    ACTION,
    DONE,
    EXECUTE,
    EXPLAIN,
    FAIL,
    NO_OUTPUT,
    SUCCESS,
    split_calls,
)
from ....planners.llm_pop.history import QUESTIONS
from ..blocks_mind import BlockKnowledge, BlockReading, believe, learned, seen, think
from ..transcript import Choice

_Messages = Sequence[Mapping[str, str]]
_TASK, _HISTORY, _NOW = "[Task]\n", "[History]", "[Current observation]\n"
#: Between the lines of what is said.
_NEXT = "\n"


def knows(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """By the environment that its system message describes."""
    return messages[0]["role"] == "system" and "[Environment]\nA Franka" in messages[0]["content"]


def hear(messages: _Messages, schema: Mapping[str, Any]) -> Choice:
    rules = messages[0]["content"]
    asked = messages[1]["content"] if len(messages) > 1 else ""
    turned = 3 if "roll, pitch, yaw" in rules else 4
    for number, question in QUESTIONS.items():
        if question in asked:
            return _answer(number, asked, turned)
    task = asked.partition(_TASK)[2].partition("\n")[0]
    beliefs = believe(*_told(asked, turned))
    plan = think(task, beliefs)
    if f"{SUCCESS} when" in rules:
        if plan.done:
            return Choice(plan.why, SUCCESS)
        analysis = (
            f"MISSING: {plan.missing or 'none'}",
            f"NEW: {learned(beliefs)}",
            f"FAILED: {beliefs.failed or 'none'}",
        )
        return Choice(_NEXT.join(analysis), FAIL)
    return Choice(plan.why, _NEXT.join(plan.actions) if plan.actions else DONE)


def say(choice: Choice) -> str:
    if choice.action in (SUCCESS, FAIL):
        return f"{choice.action}\n{choice.thought}"
    if choice.action == NO_OUTPUT or choice.action.startswith("["):
        return f"{EXPLAIN}: {choice.thought}\n{ACTION}: {choice.action}"
    actions = _NEXT.join(f"{ACTION} {action}" for action in choice.action.split(_NEXT))
    return f"{EXPLAIN}\n{choice.thought}\n{EXECUTE}\n{actions}"


def _answer(number: int, asked: str, turned: int) -> Choice:
    """The answer to one of the three questions."""
    task = re.search(r"^Task: (.*)$", asked, re.MULTILINE)
    beliefs = _remembered(asked, turned)
    plan = think(task.group(1) if task else "", beliefs)
    if number == 1:
        if plan.missing:
            return Choice(f"No. One does not know {plan.missing} yet.", NO_OUTPUT)
        return Choice(f"Yes. {plan.why}", NO_OUTPUT)
    return Choice(plan.why, f"[{', '.join(plan.actions or ('reset()',))}]")


def _told(asked: str, turned: int) -> tuple[BlockReading, list[tuple[str, BlockReading]]]:
    """What was observed first, and every action with what was observed after it."""
    history, _, rest = asked.partition(_HISTORY)[2].partition(_NOW)
    now = seen(vector_of(rest.partition("\n\n")[0]), turned)
    done = list(_actions(history, turned))
    return (_before(done) if done else now), done


def _actions(history: str, turned: int) -> Iterator[tuple[str, BlockReading]]:
    pattern = r"^Action \d+: (.*)\nObservation after action \d+:\n((?:(?!Action |== |Not ).*\n)*)"
    for action, told in re.findall(pattern, history, re.MULTILINE):
        yield action, seen(vector_of(told), turned)


def _before(done: Sequence[tuple[str, BlockReading]]) -> BlockReading:
    """The beginning as the first actions leave it: what was lifted lay on the table."""
    first = done[0][1]
    held = first.held
    if held is None:
        return first
    x, y, z = first.blocks[held]
    empty = {**first.blocks, held: (x, y, z - 0.15)}
    return BlockReading(empty, first.hand, 0.0, 0.04, first.turned)


def _remembered(asked: str, turned: int) -> BlockKnowledge:
    """The beliefs of an input with numbers: what is observed now, and the rounds before."""
    numbers = re.search(r"^Current:\n\[(.*)\]$", asked, re.MULTILINE)
    now = seen(_numbers(numbers.group(1) if numbers else ""), turned)
    done: list[tuple[str, BlockReading]] = []
    for line in re.findall(r"^Round \d+: .* \[(.*\)|)\] \[(\[.*\]|)\]$", asked, re.MULTILINE):
        observed = [_numbers(part.strip("[]")) for part in split_calls(line[1])]
        done += zip(split_calls(line[0]), (seen(o, turned) for o in observed), strict=False)
    beliefs = believe(_before(done) if done else now, done)
    beliefs.now = now
    return beliefs


def _numbers(text: str) -> list[float]:
    return [float(number) for number in text.split(",") if number.strip()]
