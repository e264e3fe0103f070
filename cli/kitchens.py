"""Commands on kitchen tasks: `peephole kitchens generate` and `peephole kitchens export`."""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..data_files import json_text
from ..errors import PeepholeError, unknown_name
from .model_options import opened, recorded, writing_model
from .options import Data, Json, ModelOptions, with_groups
from .output import json_alone, make_folder, print_json

if TYPE_CHECKING:
    from ..adapters.kitchens.layouts import Layout
    from ..models.config import ModelConfig
    from ..suites.kitchens.drawn_suites import Level


@dataclasses.dataclass(frozen=True)
class KitchensOptions:
    """What is generated, and where to. The descriptions are the help's."""

    out: Annotated[Path, typer.Option(metavar="DIR")]
    """Folder for the files."""
    tasks: Annotated[int, typer.Option(metavar="N", min=1)] = 1
    """Number of tasks for each level in each kitchen."""
    kitchen: Annotated[str, typer.Option(metavar="NAME")] = ""
    """Kitchen, such as one_wall. By default all five."""
    level: Annotated[str, typer.Option(metavar="NAME")] = ""
    """Level: easy, medium or hard. By default all."""
    seed: Annotated[int, typer.Option(metavar="K", min=0)] = 0
    """Random seed of the contexts and of the model."""
    as_json: Json = False


@with_groups
def generate(what: KitchensOptions, asks: ModelOptions) -> None:
    """Generate kitchen tasks with a language model, in the file format of Tru-POMDP.

    The replies of the model are kept beside each task. To continue after an interruption, repeat
    the command with the same options.
    """
    from ..suites.kitchens.generate import QUESTIONS

    layouts, levels = _layouts(what.kitchen), _levels(what.level)
    config = writing_model(asks, "Generating tasks")
    wanted = [
        (layout, level, number)
        for number in range(1, what.tasks + 1)
        for layout in layouts
        for level in levels
    ]
    make_folder(what.out)
    left = sum(not _path(what.out, *each).exists() for each in wanted)
    print(
        f"peephole: tasks to generate: {left} (kitchens: {len(layouts)}, levels: {len(levels)}, "
        f"tasks for each: {what.tasks}); questions to {config.name}: {left * QUESTIONS} or more",
        file=sys.stderr,
    )
    with json_alone(what.as_json):
        made, failed = _generate_all(wanted, what, config)
    if what.as_json:
        print_json({"made": made, "failed": failed})
    else:
        print(f"{len(made)} tasks are in {what.out}; play them with --data {what.out}.")
        for name, reason in failed.items():
            print(f"{name} was not generated: {reason}")
    if not made:
        raise PeepholeError("No task could be generated; try another model.")


def export(
    suite: Annotated[str, typer.Argument(help="Suite kitchens, or a level such as kitchens:hard.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the files.")],
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Write the tasks of a suite as files in the format of Tru-POMDP."""
    from ..suites.kitchens.files import write_task
    from ..suites.registry import load_suite

    make_folder(out)
    written = []
    tasks = load_suite(suite, data).tasks
    for task in tasks:
        path = out / f"{task.id}.json"
        write_task(task, path)
        written.append(str(path))
    ambiguous = sum(task.candidates is not None for task in tasks)
    if ambiguous:
        print(
            f"peephole: {ambiguous} tasks are ambiguous; their files have only the intended goals, "
            f"because a planner may fulfil any goal of a file.",
            file=sys.stderr,
        )
    if as_json:
        print_json({"written": written})
    else:
        print(f"{len(written)} tasks are in {out}.")


def _layouts(name: str) -> tuple[Layout, ...]:
    from ..adapters.kitchens.layouts import layout_of, layouts

    return (layout_of(name),) if name else layouts()


def _levels(name: str) -> tuple[Level, ...]:
    from ..suites.kitchens.drawn_suites import LEVELS

    found = tuple(level for level in LEVELS if name in ("", level.name))
    if not found:
        raise unknown_name("level", name, [level.name for level in LEVELS])
    return found


def _path(out: Path, layout: Layout, level: Level, number: int) -> Path:
    """The file of a task."""
    return out / level.name / f"{Path(layout.name).stem}-{number}.json"


def _generate_all(
    wanted: list[tuple[Layout, Level, int]], what: KitchensOptions, config: ModelConfig
) -> tuple[list[str], dict[str, str]]:
    """Generate the tasks. Returns the files, and why others are missing."""
    from ..models.contract import NoAnswer
    from ..models.serving import checked

    made: list[str] = []
    failed: dict[str, str] = {}
    with opened(checked(config), what.seed) as connection:
        for layout, level, number in wanted:
            path = _path(what.out, layout, level, number)
            try:
                if not path.exists():
                    _generate_one(connection, layout, level, path, what.seed + number)
                made.append(str(path))
            except NoAnswer as error:
                failed[str(path)] = str(error)
    return made, failed


def _generate_one(connection: Any, layout: Layout, level: Level, path: Path, seed: int) -> None:
    from ..adapters.random_draws import RandomDraws
    from ..suites.kitchens.generate import generate as generate_task

    with recorded(connection, path.with_suffix(".model.jsonl"), seed) as model:
        drawn = hashlib.sha256(f"{layout.name} {level.name} {seed}".encode()).digest()
        chance = RandomDraws(int.from_bytes(drawn[:8]))
        document = generate_task(model, layout, level, chance)
    path.write_text(f"{json_text(document, indent=2)}\n", encoding="utf-8")
