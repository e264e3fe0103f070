"""The format of the planner `llm_pop` and its variants: plans, evaluations, three questions.

The system message tells the environment; the user's message has the task, the history and the
newest observation, then which of them is asked for. `blocks.policy` decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....observation_text.dialects.blocks.dialect import vector_of
from ..blocks.knowledge import BlockKnowledge, BlockObservation, knowledge_of, observation_of
from ..blocks.policy import next_actions
from ..transcript import DONE, Choice

_Messages = Sequence[Mapping[str, str]]
_TASK, _HISTORY, _NOW = "[Task]\n", "[History]", "[Current observation]\n"
#: Between the actions of a choice, and the lines of an analysis.
_SEPARATOR = "\n"
#: Words of the replies that the planner reads.
_EXPLAIN, _EXECUTE, _ACTION, _DONE = "EXPLAIN", "EXECUTE", "ACTION", "DONE"
_SUCCESS, _FAIL, _NO_OUTPUT = "SUCCESS", "FAIL", "<nooutput>"
#: The three questions by their words.
_QUESTIONS = {
    1: "Is what is known now enough to solve the task?",
    2: "What should the robot do to find out what is missing?",
    3: "What should the robot do to solve the task?",
}

#: The last round is an answer to the first question.
_JUDGED = re.compile(r"^Round \d+: .* \[\] \[\]\Z", re.MULTILINE)


def recognises(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """Whether the first message describes the environment, or asks one of the questions alone."""
    first = messages[0]
    if first["role"] == "system":
        return "[Environment]\nA Franka" in first["content"]
    return first["content"].startswith("Environment: a Franka")


def read(messages: _Messages, schema: Mapping[str, Any]) -> Choice:
    """What is chosen on the messages."""
    scene = messages[0]["content"]
    # A bare question has no system message; what follows asks to mend a reply.
    asked = next((each["content"] for each in messages if each["role"] == "user"), "")
    angles = 3 if "roll, pitch, yaw" in scene else 4
    for number, question in _QUESTIONS.items():
        if question in asked:
            return _answer(number, asked, angles)
    task = asked.partition(_TASK)[2].partition("\n")[0]
    knowledge = knowledge_of(*_history(asked, angles))
    plan = next_actions(task, knowledge)
    if f"{_SUCCESS} when" in asked:
        if plan.done:
            return Choice(plan.why, _SUCCESS)
        analysis = (
            f"MISSING: {plan.missing or 'none'}",
            f"NEW: {knowledge.facts() or 'nothing'}",
            f"FAILED: {knowledge.failed or 'none'}",
        )
        return Choice(_SEPARATOR.join(analysis), _FAIL)
    return Choice(plan.why, _SEPARATOR.join(plan.actions) if plan.actions else _DONE)


def write(choice: Choice) -> str:
    """The reply's text."""
    if choice.action == DONE:
        return f"{_EXPLAIN}\n{choice.thought}\n{_EXECUTE}\n{_ACTION} {_DONE}"
    if choice.action in (_SUCCESS, _FAIL):
        return f"{choice.action}\n{choice.thought}"
    if choice.action == _NO_OUTPUT or choice.action.startswith("["):
        return f"{_EXPLAIN}: {choice.thought}\n{_ACTION}: {choice.action}"
    actions = _SEPARATOR.join(f"{_ACTION} {action}" for action in choice.action.split(_SEPARATOR))
    return f"{_EXPLAIN}\n{choice.thought}\n{_EXECUTE}\n{actions}"


def _answer(number: int, asked: str, angles: int) -> Choice:
    """The answer to one of the three questions."""
    task = re.search(r"^Task: (.*)$", asked, re.MULTILINE)
    knowledge = _knowledge_of_rounds(asked, angles)
    plan = next_actions(task.group(1) if task else "", knowledge)
    if number == 1:
        if plan.missing:
            return Choice(f"No. One does not know {plan.missing} yet.", _NO_OUTPUT)
        return Choice(f"Yes. {plan.why}", _NO_OUTPUT)
    if plan.done and not _JUDGED.search(asked):
        return Choice(plan.why, _NO_OUTPUT)
    return Choice(plan.why, f"[{', '.join(plan.actions or ('reset()',))}]")


def _history(
    asked: str, angles: int
) -> tuple[BlockObservation, list[tuple[str, BlockObservation]]]:
    """What was observed first, and every action with what was observed after it."""
    history, _, rest = asked.partition(_HISTORY)[2].partition(_NOW)
    now = observation_of(vector_of(rest.partition("\n\n")[0]), angles)
    done = list(_actions(history, angles))
    return (_before(done) if done else now), done


def _actions(history: str, angles: int) -> Iterator[tuple[str, BlockObservation]]:
    pattern = r"^Action \d+: (.*)\nObservation after action \d+:\n((?:(?!Action |== |Not ).*\n)*)"
    for action, told in re.findall(pattern, history, re.MULTILINE):
        yield action, observation_of(vector_of(told), angles)


def _before(done: Sequence[tuple[str, BlockObservation]]) -> BlockObservation:
    """The beginning as the first actions leave it: what was lifted lay on the table."""
    first = done[0][1]
    held = first.held
    if held is None:
        return first
    x, y, z = first.blocks[held]
    empty = {**first.blocks, held: (x, y, z - 0.15)}
    return BlockObservation(empty, first.hand, 0.0, 0.04, first.orientation)


def _knowledge_of_rounds(asked: str, angles: int) -> BlockKnowledge:
    """What an input in numbers tells: what is observed now, and the rounds before."""
    numbers = re.search(r"^Current:\n\[(.*)\]$", asked, re.MULTILINE)
    now = observation_of(_numbers(numbers.group(1) if numbers else ""), angles)
    done: list[tuple[str, BlockObservation]] = []
    for line in re.findall(r"^Round \d+: .* \[(.*\)|)\] \[(\[.*\]|)\]$", asked, re.MULTILINE):
        observed = [_numbers(part.strip("[]")) for part in _split_calls(line[1])]
        done += zip(
            _split_calls(line[0]), (observation_of(o, angles) for o in observed), strict=False
        )
    knowledge = knowledge_of(_before(done) if done else now, done)
    knowledge.now = now
    return knowledge


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
