"""The voice of the planner `llm_pop` and its variants: plans, evaluations, and three questions.

The system message tells which of them is asked for; the user's message has the task, the history
and the newest observation. What is decided is decided by `blocks_mind`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....observation_text.dialects.blocks.dialect import vector_of
from ..blocks_policy import BlockKnowledge, BlockReading, believe, learned, seen, think
from ..transcript import Choice

_Messages = Sequence[Mapping[str, str]]
_TASK, _HISTORY, _NOW = "[Task]\n", "[History]", "[Current observation]\n"
#: Between the lines of what is said.
_NEXT = "\n"
#: Words of the replies that the planner reads.
_EXPLAIN, _EXECUTE, _ACTION, _DONE = "EXPLAIN", "EXECUTE", "ACTION", "DONE"
_SUCCESS, _FAIL, _NO_OUTPUT = "SUCCESS", "FAIL", "<nooutput>"
#: The three questions by their words.
_QUESTIONS = {
    1: "Is what is known now enough to solve the task?",
    2: "What should the robot do to find out what is missing?",
    3: "What should the robot do to solve the task?",
}


def knows(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """By the environment that its system message describes."""
    return messages[0]["role"] == "system" and "[Environment]\nA Franka" in messages[0]["content"]


def hear(messages: _Messages, schema: Mapping[str, Any]) -> Choice:
    rules = messages[0]["content"]
    asked = messages[1]["content"] if len(messages) > 1 else ""
    turned = 3 if "roll, pitch, yaw" in rules else 4
    for number, question in _QUESTIONS.items():
        if question in asked:
            return _answer(number, asked, turned)
    task = asked.partition(_TASK)[2].partition("\n")[0]
    beliefs = believe(*_told(asked, turned))
    plan = think(task, beliefs)
    if f"{_SUCCESS} when" in rules:
        if plan.done:
            return Choice(plan.why, _SUCCESS)
        analysis = (
            f"MISSING: {plan.missing or 'none'}",
            f"NEW: {learned(beliefs)}",
            f"FAILED: {beliefs.failed or 'none'}",
        )
        return Choice(_NEXT.join(analysis), _FAIL)
    return Choice(plan.why, _NEXT.join(plan.actions) if plan.actions else _DONE)


def say(choice: Choice) -> str:
    if choice.action in (_SUCCESS, _FAIL):
        return f"{choice.action}\n{choice.thought}"
    if choice.action == _NO_OUTPUT or choice.action.startswith("["):
        return f"{_EXPLAIN}: {choice.thought}\n{_ACTION}: {choice.action}"
    actions = _NEXT.join(f"{_ACTION} {action}" for action in choice.action.split(_NEXT))
    return f"{_EXPLAIN}\n{choice.thought}\n{_EXECUTE}\n{actions}"


def _answer(number: int, asked: str, turned: int) -> Choice:
    """The answer to one of the three questions."""
    task = re.search(r"^Task: (.*)$", asked, re.MULTILINE)
    beliefs = _remembered(asked, turned)
    plan = think(task.group(1) if task else "", beliefs)
    if number == 1:
        if plan.missing:
            return Choice(f"No. One does not know {plan.missing} yet.", _NO_OUTPUT)
        return Choice(f"Yes. {plan.why}", _NO_OUTPUT)
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
        observed = [_numbers(part.strip("[]")) for part in _split_calls(line[1])]
        done += zip(_split_calls(line[0]), (seen(o, turned) for o in observed), strict=False)
    beliefs = believe(_before(done) if done else now, done)
    beliefs.now = now
    return beliefs


def _numbers(text: str) -> list[float]:
    return [float(number) for number in text.split(",") if number.strip()]


def _split_calls(text: str) -> list[str]:
    """The parts of a text between commas that stand in no brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]
