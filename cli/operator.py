"""Commands on room files: `peephole operator new` and `peephole operator check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import BadInput
from .options import Data, Json
from .output import print_json

if TYPE_CHECKING:
    from ..adapters.operator.room_file import RoomFile

RoomPath = Annotated[Path, typer.Argument(metavar="FILE", help="Room file.")]


def new(
    file: RoomPath,
    template: Annotated[
        str,
        typer.Option(metavar="NAME", help="Copy a protocol: office, heat_food or arm_table."),
    ] = "",
    suite: Annotated[str, typer.Option(metavar="S", help="Take the scene of a suite.")] = "",
    tasks: Annotated[
        str, typer.Option(metavar="N|IDS", help="Tasks of the suite, as in `peephole run`.")
    ] = "",
    data: Data = None,
) -> None:
    """Make a room file: by asking about the room, or from a protocol or a suite."""
    if file.exists():
        raise BadInput(f"{file} exists already; choose another name, or remove it.")
    if not file.parent.is_dir():
        raise BadInput(f"The folder {file.parent} does not exist; make it first.")
    from ..adapters.operator.room_text import text_of, write_room

    if template and suite:
        raise BadInput("--template and --suite exclude each other; choose one.")
    if tasks and not suite:
        raise BadInput("--tasks chooses tasks of a suite; add --suite.")
    if template:
        from ..suites.room.templates import template_text

        write_room(file, template_text(template))
    elif suite:
        write_room(file, text_of(_of_suite(suite, tasks, data)))
    else:
        from ..adapters.operator.asking import interview

        interview(file)
    _tell(file)


def check(file: RoomPath, as_json: Json = False) -> None:
    """Read a room file, and say what it has or what is wrong with it."""
    from ..adapters.operator.room_file import read_room
    from ..suites.room.suites import load

    suite = load("", file)
    room = read_room(file.absolute())
    if as_json:
        counts = {name: len(getattr(room, name)) for name in ("rooms", "furniture", "things")}
        tasks = [{"id": task.id, "by_rules": _by_rules(task.scene)} for task in suite.tasks]
        print_json({**counts, "tasks": tasks})
    else:
        _tell(file)


def _of_suite(suite: str, tasks: str, data: Path | None) -> RoomFile:
    from ..episodes.resolve import select_tasks
    from ..suites.registry import load_suite
    from ..suites.room.from_suite import room_of, with_criteria

    loaded = load_suite(suite, data)
    wanted = set(select_tasks(loaded, tasks or "1"))
    return with_criteria(room_of(loaded, [task for task in loaded.tasks if task.id in wanted]))


def _by_rules(scene: str) -> bool:
    from ..adapters.scenes import load_scene

    try:
        load_scene(scene)
    except BadInput:
        return False
    return True


def _tell(file: Path) -> None:
    """Say what a file has, and how to play it."""
    from ..adapters.operator.room_file import read_room
    from ..suites.room.suites import load

    room, suite = read_room(file.absolute()), load("", file)
    print(
        f"{file}: rooms {len(room.rooms)}, furniture {len(room.furniture)}, "
        f"things {len(room.things)}, tasks {len(room.tasks)}."
    )
    only = [task.id for task in suite.tasks if not _by_rules(task.scene)]
    if only:
        print(f"Only a person can judge, since they have no goal: {', '.join(only)}.")
    print(f"Play it: peephole run --suite room --data {file} --planner NAME")
    print("--adapter symbolic plays it by rules.")
