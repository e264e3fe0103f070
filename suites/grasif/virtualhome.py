"""The part of `grasif` from RobotHow's programs (package virtualhome-eval).

By the rule of LookPlanGraph's appendix H: programs with only thirteen kinds of actions, without the
activities that the appendix lists as irrelevant to manipulation. Of these, the suite has the
programs that move, hold, open, close or switch something.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ...adapters.virtualhome.package import programs_path
from ...adapters.virtualhome.scenes import load, load_final
from ...scene_graph.goal_text import describe
from ...scene_graph.task import Task
from .goals import goal_between

_ALLOWED = """
    FIND, WALK, GRAB, SWITCHON, TURNTO, PUTBACK, LOOKAT, OPEN, CLOSE, PUTOBJBACK, SWITCHOFF, PUTIN,
    RUN
"""
#: Appendix H: the actions that a program may have.
ALLOWED = frozenset(name.strip() for name in _ALLOWED.split(","))
_EXCLUDED = """
    Open door, Lock door, Look out window, Movie, Clean, Write school paper, Dust, Play games,
    Get dressed, Playing video game, Shave, Print out papers, Watch fly, Walk through,
    Admire art, Gaze out window, Look at painting, Check appearance in mirror,
    Shut front door, Look at mirror, Write an email, Browse internet, Watch TV, Take shower,
    Work, Drink, Wash teeth, Wash dishes by hand, Pet cat, Brush teeth,
    Keep an eye on stove as something is cooking, Open front door, Close door, Pick up phone
"""
#: Appendix H: the activities that are left out. It prints 34 names.
EXCLUDED = frozenset(name.strip().lower() for name in _EXCLUDED.split(","))
_UNCHANGED = """
    1007_2 141_1 155_2 296_1 360_2 496_1 627_1 656_1 692_2 725_1 739_2 751_2 89_1 992_1
"""
#: Further programs that are left out, since they change no place or state.
UNCHANGED = frozenset(_UNCHANGED.split())


class AnnotatedProgram(NamedTuple):
    """A program: its number in the package, its activity, and its actions."""

    number: str
    activity: str
    actions: frozenset[str]


def programs() -> Iterator[AnnotatedProgram]:
    """All programs of the package, by number. Raises Missing."""
    for path in sorted(programs_path().glob("file*.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()
        actions = re.findall(r"^\[(\w+)\]", "\n".join(lines), re.MULTILINE)
        number = path.stem.removeprefix("file")
        yield AnnotatedProgram(number, lines[0].strip(), frozenset(map(str.upper, actions)))


def selected(skipped: Counter[str]) -> list[AnnotatedProgram]:
    """The selected programs. Counts in `skipped` the programs that are left out, by reason.

    Much faster than making the tasks. Raises Missing.
    """
    found = []
    for program in programs():
        if not program.actions <= ALLOWED:
            skipped["the program takes actions that GraSIF does not allow"] += 1
        elif program.activity.lower() in EXCLUDED:
            skipped["the activity is one that GraSIF leaves out"] += 1
        elif program.number in UNCHANGED:
            skipped["nothing is elsewhere or in another state after the program"] += 1
        else:
            found.append(program)
    return found


def task_of(program: AnnotatedProgram) -> Task:
    """The task of a program."""
    goal = goal_between(load(program.number), load_final(program.number))
    assert goal is not None, f"{program.number} belongs to UNCHANGED"
    wanted = describe(goal, lambda thing: f"{{{thing}}}")
    activity = program.activity[0].upper() + program.activity[1:].lower()
    return Task(
        id=f"virtualhome/{program.number}",
        instruction=f"{activity}: see to it that {wanted}.",
        goal=goal,
        scene=f"virtualhome-eval:{program.number}",
        labels={"category": "virtualhome", "activity": program.activity},
    )
