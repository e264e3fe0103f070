"""The forms of replies to the planner `llm_pop`, read strictly.

After LLM-POP, appendices A.1, A.2 and A.6. Every `read_…` raises `model.Unusable`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..model import Unusable

EXPLAIN, EXECUTE, ACTION, DONE = "EXPLAIN", "EXECUTE", "ACTION", "DONE"
SUCCESS, FAIL = "SUCCESS", "FAIL"
#: The evaluator's lines after FAIL.
ANALYSIS = ("MISSING", "NEW", "FAILED")
NO_OUTPUT = "<nooutput>"
_NOTHING = frozenset({"none", "nothing", "no", ""})
_VERDICT = re.compile(rf"({SUCCESS}|{FAIL})\b[.:]?\s*(.*)")
#: In an analysis in words: that something is missing, and that nothing is.
_MISSING = re.compile(r"\b(missing|unknown|not (yet )?known)\b", re.IGNORECASE)
_NONE_MISSING = re.compile(
    r"\b(no|nothing)\b[^.;:]*\b(missing|unknown)\b|\bmissing\b[^.;]*[:,]? (none|nothing)\b",
    re.IGNORECASE,
)


class ActionPlan(NamedTuple):
    """An explanation and the actions to do; none: the task is done."""

    explain: str
    actions: tuple[str, ...]


class Evaluation(NamedTuple):
    """Whether the task is fulfilled, and the analysis. enough: nothing is missing."""

    success: bool
    text: str
    enough: bool = True


def read_plan(reply: str, *, may_end: bool) -> ActionPlan:
    """EXPLAIN, words, EXECUTE, lines of ACTION. may_end: a single ACTION DONE is allowed."""
    lines = [line.strip() for line in reply.strip().splitlines() if line.strip()]
    if not lines or not re.match(rf"{EXPLAIN}\b", lines[0]):
        raise Unusable(f"The reply has to begin with a line {EXPLAIN}.")
    if EXECUTE not in lines:
        raise Unusable(f"The reply has no line {EXECUTE} of its own after the explanation.")
    at = lines.index(EXECUTE)
    first = lines[0].removeprefix(EXPLAIN).lstrip(": ")
    explain = " ".join(filter(None, [first, *lines[1:at]]))
    if not explain:
        raise Unusable(f"There is no explanation between {EXPLAIN} and {EXECUTE}.")
    actions = []
    for line in lines[at + 1 :]:
        words = line.split(None, 1)
        if words[0] != ACTION or len(words) < 2:
            raise Unusable(
                f"Every line after {EXECUTE} has to be {ACTION} and one action; "
                f"'{line[:80]}' is not."
            )
        actions.append(words[1].strip())
    if not actions:
        raise Unusable(f"There is no line {ACTION} after {EXECUTE}.")
    if actions == [DONE] and may_end:
        return ActionPlan(explain, ())
    if DONE in actions:
        raise Unusable(
            f"{ACTION} {DONE} has to be the only action."
            if may_end
            else f"There is no action {DONE}; write one of the action options."
        )
    return ActionPlan(explain, tuple(actions))


def read_evaluation(reply: str) -> Evaluation:
    """SUCCESS or FAIL, then why, or the analysis: in three lines, or in one line of words.

    One line is what the paper's evaluator answers (appendix A.1); it may follow on the first line.
    """
    lines = [line.strip() for line in reply.strip().splitlines() if line.strip()]
    found = _VERDICT.fullmatch(lines[0]) if lines else None
    if found is None:
        raise Unusable(f"The first line has to be {SUCCESS} or {FAIL} and nothing else.")
    verdict, rest = found.groups()
    told = [rest, *lines[1:]] if rest else lines[1:]
    if verdict == SUCCESS:
        return Evaluation(True, " ".join(told))
    if len(told) == 1 and not told[0].startswith(tuple(f"{name}:" for name in ANALYSIS)):
        return Evaluation(False, told[0], not _names_missing(told[0]))
    analysis = {}
    for name, line in zip(ANALYSIS, told, strict=False):
        if not line.startswith(f"{name}:"):
            break
        analysis[name] = line.removeprefix(f"{name}:").strip()
    if len(analysis) < len(ANALYSIS) or len(told) != len(ANALYSIS):
        raise Unusable(
            f"After {FAIL} there have to be exactly three lines, which begin with "
            f"{', '.join(f'{name}:' for name in ANALYSIS)} in this order, or one line of words."
        )
    enough = analysis["MISSING"].rstrip(".").lower() in _NOTHING
    return Evaluation(False, "\n".join(told), enough)


def _names_missing(words: str) -> bool:
    """Whether an analysis in words says that something is not known yet."""
    return bool(_MISSING.search(words)) and not _NONE_MISSING.search(words)


def read_answer(reply: str, *, acts: bool) -> ActionPlan:
    """EXPLAIN: words, ACTION: a list or <nooutput>. acts: there have to be actions."""
    lines = [line.strip() for line in reply.strip().splitlines() if line.strip()]
    if (
        len(lines) != 2
        or not lines[0].startswith(f"{EXPLAIN}:")
        or not lines[1].startswith(f"{ACTION}:")
    ):
        raise Unusable(f"The reply has to be two lines, which begin with {EXPLAIN}: and {ACTION}:.")
    explain = lines[0].removeprefix(f"{EXPLAIN}:").strip()
    listed = lines[1].removeprefix(f"{ACTION}:").strip().removesuffix(".")
    if not acts:
        if listed != NO_OUTPUT:
            raise Unusable(f"To this question the second line is {ACTION}: {NO_OUTPUT}.")
        if not re.match(r"(yes|no)\b", explain, re.IGNORECASE):
            raise Unusable("The explanation has to begin with Yes or No.")
        return ActionPlan(explain, ())
    if not (listed.startswith("[") and listed.endswith("]")):
        raise Unusable("The actions have to stand in square brackets.")
    actions = split_calls(listed[1:-1])
    if not actions:
        raise Unusable("There has to be at least one action in the square brackets.")
    return ActionPlan(explain, tuple(actions))


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
