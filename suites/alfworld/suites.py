"""The suites `alfworld`: game files of the user's, or games drawn here where there are none.

A folder is searched for game files as ALFWorld does it: a game is a folder with `game.tw-pddl`. A
task's id is the path of that folder. Games with movable receptacles or slices, and those that
ALFWorld's generator could not solve, are left out, as there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ...adapters.alfworld.drawing import drawn, kind_of
from ...adapters.alfworld.game_file import GAME_FILE, GameFile, read_game
from ...adapters.alfworld.pddl import read_domain, read_problem
from ...adapters.alfworld.scenes import LOADER
from ...data_files import json_data, read_text
from ...errors import BadInput
from ...scene_graph.rules import Budgets, RefusedText, Rules
from ...scene_graph.task import Task
from ..contract import Family, LazyTasks, Suite, suite_name
from .goals import goal_of

#: ALFWorld's games end after 50 commands; one that is none counts as well.
BUDGETS = Budgets(steps=50, decisions=100)
RULES = Rules(refused=RefusedText.STEP)
#: The number of games that are drawn.
DRAWN = 60
_SPLITS = {
    "": "ALFWorld's games: all of a folder of yours, or 60 drawn here",
    "train": "ALFWorld's games for training",
    "valid_seen": "ALFWorld's games in rooms that are known from training",
    "valid_unseen": "ALFWorld's games in rooms that are new",
}
_TRAJECTORY = "traj_data.json"
_UNSOLVABLE = re.compile(rb'"solvable": *false')
_UNSOLVED = "that ALFWorld's generator could not solve"
#: Parts of the names of folders whose games ALFWorld leaves out.
_LEFT_OUT = {"movable": "movable receptacles", "Sliced": "slices"}


def _suite(variant: str, tasks: Sequence[Task], **more: Any) -> Suite:
    return Suite(
        name=suite_name("alfworld", variant),
        summary=_SPLITS[variant],
        tasks=tasks,
        adapter="symbolic_alfworld",
        rules=RULES,
        budgets=BUDGETS,
        sources=frozenset({"alfred"}),
        **more,
    )


@cache
def load(variant: str = "") -> Suite:
    """Make the suite of drawn games. Raises BadInput for a split, which is of the user's files."""
    if variant:
        raise BadInput(
            f"The suite alfworld:{variant} plays ALFWorld's own files; give their folder, such as "
            f"--data $ALFWORLD_DATA/json_2.1.1, or play drawn games: --suite alfworld."
        )
    return _suite("", LazyTasks(DRAWN, map(_drawn_task, range(DRAWN))))


def _drawn_task(number: int) -> Task:
    return _task(drawn(number), f"{LOADER}:drawn/{number}", f"{kind_of(number)}/{number}")


def of_data(variant: str, data: Path) -> Suite:
    """Make a suite of the user's files: a folder, or one game file. Raises BadInput."""
    files = _files(data, variant)
    skipped: Counter[str] = Counter()
    kept = []
    for file in files:
        reason = _why_not(file)
        if reason is None:
            kept.append(file)
        else:
            skipped[reason] += 1
    if not kept:
        reasons = "; ".join(f"{count} {reason}" for reason, count in skipped.items())
        raise BadInput(f"No game of {data} can be played ({reasons}); give other files.")
    root = data if data.is_dir() else data.parent.parent
    return _suite(variant, LazyTasks(len(kept), _tasks(kept, root)), skipped=dict(skipped))


def _files(data: Path, variant: str) -> list[Path]:
    """The game files of a path, of the split if one is wanted."""
    if data.is_file():
        return [data]
    if not data.is_dir():
        raise BadInput(f"--data {data} is neither a folder nor a file; give ALFWorld's game files.")
    found = {
        name: [file for file in sorted(data.rglob(name)) if _is_of(file, variant)]
        for name in (GAME_FILE, _TRAJECTORY)
    }
    if found[GAME_FILE]:
        return found[GAME_FILE]
    where = f"{data} has no {GAME_FILE}" + (f" of {variant}" if variant else "")
    if found[_TRAJECTORY]:
        raise BadInput(
            f"{where}, but {_TRAJECTORY}; make the games with ALFWorld's alfworld-generate, or "
            f"download them with alfworld-download."
        )
    raise BadInput(f"{where}; give a folder of ALFWorld's game files.")


def _is_of(file: Path, split: str) -> bool:
    """Whether a file is of a split: a folder around it has its name. All are of the split ""."""
    return not split or split in file.resolve().parts


def _why_not(file: Path) -> str | None:
    """Why a game is left out, or None."""
    for part, what in _LEFT_OUT.items():
        if any(part in folder for folder in file.parts[-3:-1]):
            return f"with {what}, which ALFWorld leaves out"
    try:
        return _UNSOLVED if _UNSOLVABLE.search(file.read_bytes()) else None
    except OSError:
        return None  # reading the game says what is wrong


def _tasks(files: Sequence[Path], root: Path) -> Iterator[Task]:
    for file in files:
        name = file.parent.relative_to(root).as_posix() if file.parent != root else file.parent.name
        yield _task(read_game(file), f"{LOADER}:{file.resolve()}", name)


def _task(game: GameFile, scene: str, name: str) -> Task:
    with game.mistakes():
        problem = read_problem(game.problem, read_domain(game.domain))
        goal = goal_of(problem)
    return Task(
        id=name,
        instruction=game.task or "win the game",
        goal=goal,
        scene=scene,
        labels={"category": _kind(game, name), "scene": scene},
    )


def _kind(game: GameFile, name: str) -> str:
    """The kind of a game's task, from its trajectory or the name of its folder."""
    file = Path(game.where).with_name(_TRAJECTORY)
    try:
        kind = json_data(read_text(file)).get("task_type")
    except (OSError, ValueError, AttributeError):
        kind = None
    return kind if isinstance(kind, str) and kind else name.partition("-")[0].partition("/")[0]


FAMILY = Family(name="alfworld", variants=_SPLITS, make=load, of_data=of_data)
