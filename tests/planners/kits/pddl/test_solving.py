"""Fast Downward in its process: deadlines, the cache, and what is left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from peephole.data_files import cache_folder
from peephole.errors import Missing
from peephole.planners.kits.pddl import solving
from peephole.planners.kits.pddl.problem import Problem
from peephole.planners.kits.pddl.solving import FastDownward, Unsolved, solver
from peephole.skills.actions import Verb
from peephole.skills.embodiment import Embodiment

BODY = Embodiment(hands=1)
PROBLEM = Problem(
    ("kitchen-1",),
    ("table-1", "desk-1", "apple-1"),
    (
        ("robot-in", "kitchen-1"),
        ("hand-empty",),
        ("surface", "table-1"),
        ("object-room", "table-1", "kitchen-1"),
        ("surface", "desk-1"),
        ("object-room", "desk-1", "kitchen-1"),
        ("graspable", "apple-1"),
        ("ontop", "apple-1", "table-1"),
    ),
    ["ontop", "apple-1", "desk-1"],
)
PLAN = ["(pick_up apple-1 table-1)", "(put_on apple-1 desk-1)"]


def endless() -> Problem:
    """A problem that nobody solves in a second: an exchange of many things over a few hooks."""
    things = tuple(f"thing-{i}" for i in range(60))
    hooks = tuple(f"hook-{i}" for i in range(60))
    facts = [("robot-in", "kitchen-1"), ("hand-empty",)]
    facts += [("surface", hook) for hook in hooks]
    facts += [("object-room", hook, "kitchen-1") for hook in hooks]
    for thing, hook in zip(things, hooks, strict=True):
        facts += [("graspable", thing), ("ontop", thing, hook)]
    goal = ["and", *(["not", ["ontop", a, b]] for a, b in permutations(things[:12], 2))]
    alone = ["imply", ["ontop", "?x", "?y"], ["not", ["inside", "?z", "?y"]]]
    quantified = ["forall", ["?x", "?y", "?z", "-", "thing"], alone]
    return Problem(("kitchen-1",), (*things, *hooks), tuple(facts), [*goal, quantified])


def test_a_problem_is_solved(engine: FastDownward) -> None:
    solved = engine.solve(BODY, PROBLEM)
    assert [str(step) for step in solved.steps] == PLAN
    assert solved.seconds > 0
    assert not solved.cached


def test_a_goal_that_holds_has_an_empty_plan(engine: FastDownward) -> None:
    assert engine.solve(BODY, replace(PROBLEM, goal=["hand-empty"])).steps == ()


def test_a_goal_that_cannot_be_reached_is_reported(engine: FastDownward) -> None:
    with pytest.raises(Unsolved, match="no plan reaches the goal"):
        engine.solve(BODY, replace(PROBLEM, goal=["ontop", "table-1", "desk-1"]))


def test_a_goal_with_many_alternatives_is_solved(engine: FastDownward) -> None:
    things = tuple(f"thing-{i}" for i in range(8))
    desks = tuple(f"desk-{i}" for i in range(8))
    facts = [*PROBLEM.facts[:2]]
    for thing, desk in zip(things, desks, strict=True):
        facts += [("surface", desk), ("object-room", desk, "kitchen-1")]
        facts += [("graspable", thing), ("ontop", thing, "table-1")]
    facts += PROBLEM.facts[2:4]
    goal = ["and", *(["or", *(["ontop", a, b] for b in desks)] for a in things)]
    problem = Problem(("kitchen-1",), ("table-1", *things, *desks), tuple(facts), goal)
    assert len(engine.solve(BODY, problem).steps) == 2 * len(things)


def test_a_problem_that_the_engine_refuses_is_reported_and_the_next_one_solved(
    engine: FastDownward,
) -> None:
    with pytest.raises(Unsolved, match="Fast Downward failed"):
        engine.solve(BODY, replace(PROBLEM, goal=["glows", "desk-1"]))
    assert len(engine.solve(BODY, PROBLEM).steps) == 2


def test_a_deadline_ends_the_search_and_the_next_problem_is_solved() -> None:
    with solver() as engine:
        engine.solve(BODY, PROBLEM)  # the start of the process is not the search's time
    began = time.monotonic()
    with solver(deadline_s=1.0) as engine, pytest.raises(Unsolved, match="no plan within 1 s"):
        engine.solve(BODY, endless())
    assert time.monotonic() - began < 20
    with solver() as engine:
        assert len(engine.solve(BODY, PROBLEM).steps) == 2


def test_plans_are_kept_by_their_problems(tmp_path: Path) -> None:
    with solver(tmp_path) as engine:
        first = engine.solve(BODY, PROBLEM)
        again = engine.solve(BODY, PROBLEM)
        other = engine.solve(BODY, replace(PROBLEM, goal=["hand-empty"]))
    assert (first.cached, again.cached, other.cached) == (False, True, False)
    assert again.steps == first.steps
    other_body = Embodiment(hands=1, needs_free_hand=frozenset({Verb.OPEN}))
    with solver(tmp_path) as engine:
        assert engine.solve(Embodiment(hands=1), PROBLEM).cached
        assert not engine.solve(other_body, PROBLEM).cached


def test_what_runs_only_while_closed_is_closed_first() -> None:
    facts = (
        ("robot-in", "hall"),
        ("hand-empty",),
        *((word, "oven") for word in ("openable", "container", "switchable")),
        ("object-room", "oven", "hall"),
    )
    problem = Problem(("hall",), ("oven",), facts, ["on-state", "oven"])
    careful = Embodiment(hands=1, closed_to_run=frozenset({"oven"}))
    with solver() as engine:
        assert [step.action for step in engine.solve(BODY, problem).steps] == ["turn_on"]
        steps = engine.solve(careful, problem).steps
    assert [step.action for step in steps] == ["close", "turn_on"]


def test_that_there_is_no_plan_is_kept_as_well(tmp_path: Path) -> None:
    impossible = replace(PROBLEM, goal=["ontop", "table-1", "desk-1"])
    with solver(tmp_path) as engine:
        for _ in range(2):
            with pytest.raises(Unsolved, match="no plan reaches"):
                engine.solve(BODY, impossible)
    (file,) = tmp_path.rglob("*.json")
    assert json.loads(file.read_text()) == {"steps": None}


_DAMAGES = (
    "",
    "{",
    "[]",
    '{"steps": [[1]]}',
    '{"steps": 3}',
    '{"steps": "pick"}',
    '{"steps": {"pick_up": 1}}',
    '{"steps": [[]]}',
    '{"steps": ["pick_up"]}',
    "[" * 100_000,
)


@pytest.mark.parametrize("damage", _DAMAGES)
def test_a_damaged_entry_is_solved_anew(tmp_path: Path, damage: str) -> None:
    with solver(tmp_path) as engine:
        engine.solve(BODY, PROBLEM)
        (file,) = tmp_path.rglob("*.json")
        file.write_text(damage)
        assert not engine.solve(BODY, PROBLEM).cached
        assert engine.solve(BODY, PROBLEM).cached


def test_a_draft_that_cannot_take_its_place_is_removed(tmp_path: Path) -> None:
    with solver(tmp_path) as engine:
        engine.solve(BODY, PROBLEM)
        (file,) = tmp_path.rglob("*.json")
        file.unlink()
        file.mkdir()
        assert len(engine.solve(BODY, PROBLEM).steps) == 2
    assert [*file.parent.iterdir()] == [file]


def test_a_search_has_ended_when_its_time_is_up(tmp_path: Path, monkeypatch) -> None:
    from peephole.planners.kits.pddl import solver_process

    search = tmp_path / "search"
    search.write_text("#!/bin/sh\necho $$ > pid\nexec sleep 60\n")
    search.chmod(0o755)
    (tmp_path / "task.sas").write_text("")
    monkeypatch.chdir(tmp_path)
    engine = object.__new__(solver_process.TranslatorAndSearch)
    monkeypatch.setattr(engine, "_search", search, raising=False)
    with pytest.raises(BaseException) as late:  # noqa: PT011
        engine._searched("astar()", 0.5)
    assert not isinstance(late.value, Exception)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_folder_that_cannot_be_written_is_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with solver(tmp_path / "file" / "plans") as engine:
        assert len(engine.solve(BODY, PROBLEM).steps) == 2


def test_nothing_is_left_when_the_process_that_began_it_is_killed(tmp_path: Path) -> None:
    program = (
        "import os, signal\n"
        "from peephole.planners.kits.pddl.solving import solver\n"
        f"from {__name__.rpartition('.')[2]} import BODY, PROBLEM\n"
        "with solver() as engine:\n"
        "    print(len(engine.solve(BODY, PROBLEM).steps), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = {
        **os.environ,
        "TMPDIR": str(tmp_path),
        "PYTHONPATH": str(Path(__file__).parent),
    }
    ran = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert ran.stdout == "2\n", ran.stderr
    end = time.monotonic() + 20
    while any(tmp_path.iterdir()) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(tmp_path.iterdir())


def test_nothing_is_printed(engine: FastDownward, capfd: pytest.CaptureFixture[str]) -> None:
    engine.solve(BODY, PROBLEM)
    assert capfd.readouterr() == ("", "")


def test_the_folder_of_plans_follows_the_users_cache(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder("plans") == tmp_path / "peephole" / "plans"


def test_a_missing_package_is_reported_with_the_command_that_installs_it(monkeypatch) -> None:
    monkeypatch.setattr(solving.importlib.util, "find_spec", lambda name: None)
    with (
        pytest.raises(Missing, match=r"pip install 'unified-planning<.* 'up-fast"),
        solver(),
    ):
        pass
