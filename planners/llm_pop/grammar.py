"""The forms of replies to the planner `llm_pop`, read strictly.

After LLM-POP, appendices A.1, A.2 and A.6. Every `read_…` raises `model.Unusable`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from ...data_files import lines_of
from ...models.contract import Unusable

EXPLAIN, EXECUTE, ACTION, DONE = "EXPLAIN", "EXECUTE", "ACTION", "DONE"
SUCCESS, FAIL = "SUCCESS", "FAIL"
#: The evaluator's lines after FAIL.
ANALYSIS = ("MISSING", "NEW", "FAILED")
NO_OUTPUT = "<nooutput>"
_NOTHING = frozenset({"none", "nothing", "no", ""})
_VERDICT = re.compile(rf"({SUCCESS}|{FAIL})\b[.:]?\s*(.*)")
_ACTION_LINE = re.compile(rf"{ACTION}\s+(.+)")
_ANALYSIS_LINE = re.compile(rf"({'|'.join(ANALYSIS)}):")
#: A placeholder of the examples in the prompts.
_PLACEHOLDER = re.compile(r"<[^<>]+ [^<>]+>")
#: Stop texts, by the template of the prompt: beginnings that only prompts have.
STOP = {
    "evaluator": (f"\n{EXPLAIN}\n", "\n== Round ", "\n[Task]\n", "\n[Your part]\n"),
    "planner": ("\nObservation after action ", "\n== Round ", "\n[Task]\n", "\n[Your part]\n"),
    "questions": ("\nEnvironment: a Franka", "\nCurrent:\n[", "\nPast:\nRound "),
}
#: In an analysis in words: that something is missing, and that nothing is.
_MISSING = re.compile(r"\b(missing|unknown|not (yet )?known)\b", re.IGNORECASE)
_NONE_MISSING = re.compile(
    r"\b(no|nothing)\b[^.;:]*\b(missing|unknown)\b|\bmissing\b[^.;]*[:,]? (none|nothing)\b",
    re.IGNORECASE,
)


class ActionPlan(NamedTuple):
    """An explanation and the actions, none if the task is done. ignored: text after it."""

    explain: str
    actions: tuple[str, ...]
    ignored: str = ""


class Evaluation(NamedTuple):
    """Whether the task is fulfilled, and the analysis.

    enough: nothing is missing. ignored: text after the form.
    """

    success: bool
    text: str
    enough: bool = True
    ignored: str = ""


def read_plan(reply: str, *, may_end: bool) -> ActionPlan:
    """EXPLAIN, words, EXECUTE, lines of ACTION. may_end: a single ACTION DONE is allowed.

    What follows the first lines of ACTION is ignored.
    """
    lines = _lines(reply)
    if not lines or not re.match(rf"{EXPLAIN}\b", lines[0]):
        raise Unusable(f"The reply has to begin with a line {EXPLAIN}.")
    if EXECUTE not in lines:
        raise Unusable(f"The reply has no line {EXECUTE} of its own after the explanation.")
    at = lines.index(EXECUTE)
    first = lines[0].removeprefix(EXPLAIN).lstrip(": ")
    explain = " ".join(filter(None, [first, *lines[1:at]]))
    if not explain:
        raise Unusable(f"There is no explanation between {EXPLAIN} and {EXECUTE}.")
    after = lines[at + 1 :]
    matches = takewhile(bool, map(_ACTION_LINE.fullmatch, after))
    actions = tuple(match[1] for match in matches if match)
    if not actions and after:
        raise Unusable(
            f"Every line after {EXECUTE} has to be {ACTION} and one action; "
            f"'{after[0][:80]}' is not."
        )
    if not actions:
        raise Unusable(f"There is no line {ACTION} after {EXECUTE}.")
    _refuse_placeholders(explain, *actions)
    ignored = "\n".join(after[len(actions) :])
    if actions == (DONE,) and may_end:
        return ActionPlan(explain, (), ignored)
    if DONE in actions:
        raise Unusable(
            f"{ACTION} {DONE} has to be the only action."
            if may_end
            else f"There is no action {DONE}; write one of the action options."
        )
    return ActionPlan(explain, actions, ignored)


def read_evaluation(reply: str) -> Evaluation:
    """SUCCESS and why, or FAIL and the analysis, in three lines or in one.

    The paper's evaluator answers in one line (appendix A.1), which may follow on the first line.
    Text after it is ignored.
    """
    lines = _lines(reply)
    match = _VERDICT.fullmatch(lines[0]) if lines else None
    if match is None:
        raise Unusable(f"The first line has to be {SUCCESS} or {FAIL} and nothing else.")
    verdict, rest = match.groups()
    said = [rest, *lines[1:]] if rest else lines[1:]
    size = 1 if verdict == SUCCESS or not any(map(_ANALYSIS_LINE.match, said)) else len(ANALYSIS)
    form, ignored = said[:size], "\n".join(said[size:])
    named = [_ANALYSIS_LINE.match(line) for line in form]
    _refuse_placeholders(
        *(line[match.end() :] if match else line for line, match in zip(form, named, strict=True))
    )
    if verdict == SUCCESS:
        return Evaluation(True, "".join(form), ignored=ignored)
    if size == 1 and form:
        missing = _MISSING.search(form[0]) and not _NONE_MISSING.search(form[0])
        return Evaluation(False, form[0], not missing, ignored)
    if tuple(match[1] for match in named if match) != ANALYSIS:
        raise Unusable(
            f"After {FAIL} there have to be exactly three lines, which begin with "
            f"{', '.join(f'{name}:' for name in ANALYSIS)} in this order, or one line of words."
        )
    enough = form[0].partition(":")[2].strip().rstrip(".").lower() in _NOTHING
    return Evaluation(False, "\n".join(form), enough, ignored)


def _lines(reply: str) -> list[str]:
    """The lines of a reply that are not blank."""
    return [line.strip() for line in lines_of(reply) if line.strip()]


def _refuse_placeholders(*parts: str) -> None:
    """Raise Unusable where a part is copied from the examples in the prompt."""
    for part in parts:
        if _PLACEHOLDER.fullmatch(part.strip()):
            raise Unusable(f"'{part.strip()}' stands for words of your own; write those.")


def read_answer(reply: str, *, acts: bool, may_end: bool = False) -> ActionPlan:
    """EXPLAIN: words, ACTION: a list or <nooutput>.

    acts: actions are required. may_end: unless nothing is left to do. Text after it is ignored.
    """
    lines = _lines(reply)
    if (
        len(lines) < 2
        or not lines[0].startswith(f"{EXPLAIN}:")
        or not lines[1].startswith(f"{ACTION}:")
    ):
        raise Unusable(f"The reply has to be two lines, which begin with {EXPLAIN}: and {ACTION}:.")
    explain, ignored = lines[0].removeprefix(f"{EXPLAIN}:").strip(), "\n".join(lines[2:])
    listed = lines[1].removeprefix(f"{ACTION}:").strip().removesuffix(".")
    if not acts:
        if listed != NO_OUTPUT:
            raise Unusable(f"To this question the second line is {ACTION}: {NO_OUTPUT}.")
        if not re.match(r"(yes|no)\b", explain, re.IGNORECASE):
            raise Unusable("The explanation has to begin with Yes or No.")
        return ActionPlan(explain, (), ignored)
    if may_end and listed == NO_OUTPUT:
        return ActionPlan(explain, (), ignored)
    if not (listed.startswith("[") and listed.endswith("]")):
        raise Unusable("The actions have to stand in square brackets.")
    actions = split_calls(listed[1:-1])
    if not actions:
        raise Unusable("There has to be at least one action in the square brackets.")
    return ActionPlan(explain, tuple(actions), ignored)


def write_answer(explain: str, actions: Sequence[str] | None) -> str:
    """The reply that `read_answer` reads back. actions: None where there are none to do."""
    listed = NO_OUTPUT if actions is None else f"[{', '.join(actions)}]"
    return f"{EXPLAIN}: {explain}\n{ACTION}: {listed}"


def split_calls(text: str) -> list[str]:
    """The parts of a text between commas that stand in no brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]
