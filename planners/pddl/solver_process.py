"""The process that solves problems: Fast Downward through unified-planning, by JSON lines.

Each line of standard input is a question: a domain, a problem and a deadline. Each is answered by a
line of standard output. It works in a folder of its own, removed when standard input closes: that
is how it learns that the process that started it was killed.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any, TextIO

import unified_planning.environment
from unified_planning.engines import PlanGenerationResultStatus as Status
from unified_planning.engines import results
from unified_planning.io import PDDLReader
from unified_planning.model import FNode, Object, Problem, Variable
from unified_planning.shortcuts import (
    And,
    Equals,
    Exists,
    Forall,
    Implies,
    Not,
    OneshotPlanner,
    Or,
)

from ...scene_graph.s_expressions import Expression
from . import domain

_SOLVED = results.POSITIVE_OUTCOMES
_IMPOSSIBLE = (Status.UNSOLVABLE_PROVEN, Status.UNSOLVABLE_INCOMPLETELY)


def main() -> None:
    """Answer questions until standard input closes. The one argument is the folder."""
    answers = _own_standard_output()
    folder = sys.argv[1]
    os.chdir(folder)
    unified_planning.environment.get_environment().credits_stream = None
    try:
        _tell(answers, {"ready": True})
        for line in sys.stdin:
            _tell(answers, _answer(json.loads(line)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _own_standard_output() -> TextIO:
    """Standard output for answers alone: what libraries print goes nowhere."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return answers


def _tell(answers: TextIO, answer: Mapping[str, Any]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def _answer(question: Mapping[str, Any]) -> dict[str, Any]:
    """What comes of a question; "error" where the engine failed."""
    try:
        problem = _problem(question)
        with OneshotPlanner(name="fast-downward", params=question["engine"]) as engine:
            engine.skip_checks = True
            result = engine.solve(problem, timeout=question["deadline_s"])
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:500]}
    if result.status in _SOLVED:
        steps = [
            [step.action.name, *map(str, step.actual_parameters)] for step in result.plan.actions
        ]
        return {"steps": steps}
    if result.status in _IMPOSSIBLE:
        return {"steps": None}
    return {"error": result.status.name}


@cache
def _domain(text: str) -> Problem:
    """A domain as a problem without things; reading it takes as long as a small problem takes."""
    return PDDLReader().parse_problem_string(text)


def _problem(question: Mapping[str, Any]) -> Problem:
    problem = _domain(question["domain"]).clone()
    for names, type_ in ((question["rooms"], domain.ROOM), (question["things"], domain.THING)):
        problem.add_objects(Object(name, problem.user_type(type_)) for name in names)
    for predicate, *things in question["facts"]:
        fluent = problem.fluent(predicate)
        problem.set_initial_value(fluent(*map(problem.object, things)), True)
    problem.add_goal(_condition(question["goal"], problem, {}))
    return problem


def _condition(goal: Expression, problem: Problem, variables: Mapping[str, Variable]) -> FNode:
    """A goal as unified-planning has it."""

    def part(expression: Expression) -> FNode:
        return _condition(expression, problem, variables)

    def term(word: Expression) -> Any:
        assert isinstance(word, str)
        return variables[word] if word in variables else problem.object(word)

    match goal:
        case ["and", *parts]:
            return And([part(each) for each in parts])
        case ["or", *parts]:
            return Or([part(each) for each in parts])
        case ["not", inner]:
            return Not(part(inner))
        case ["imply", premise, consequence]:
            return Implies(part(premise), part(consequence))
        case ["=", one, other]:
            return Equals(term(one), term(other))
        case ["forall" | "exists" as word, [*names, "-", str(type_)], body]:
            bound = {str(n): Variable(str(n)[1:], problem.user_type(type_)) for n in names}
            inner = _condition(body, problem, {**variables, **bound})
            return (Forall if word == "forall" else Exists)(inner, *bound.values())
        case [str(predicate), *things]:
            return problem.fluent(predicate)(*map(term, things))
    raise ValueError(f"no goal: {goal}")


if __name__ == "__main__":
    main()
