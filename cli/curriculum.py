"""`peephole train --curriculum`: play lessons and train stages, one command after the other.

Commands whose file exists are skipped, and an interrupted command continues.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from ..data_files import found_file
from ..errors import PeepholeError
from ..planners.options import written
from ..training.curriculum import CurriculumPart, Lesson, Stage, TrainingOptions, read_curriculum
from ..training.settings import Precision
from .output import make_folder

_FOLDER = Path(__file__).parents[1] / "training"


@dataclass(frozen=True)
class Place:
    """Where a curriculum is played, and how. data: the folder that paths in the file start from."""

    data: Path
    out: Path
    workers: int
    precision: Precision

    def lesson(self, name: str, lesson: Lesson) -> Path:
        """The file that a lesson's run is exported to."""
        return self.out / f"{name}.{'jsonl' if lesson.export.to == 'chat' else 'json'}"

    def adapter(self, stage: str) -> Path:
        """The file of a stage's adapter."""
        return self.out / f"{stage}.gguf"


def play_curriculum(
    file: Path, out: Path, workers: int, precision: Precision, *, dry_run: bool
) -> None:
    """Run the commands that are left of a curriculum. dry_run: only print them.

    Raises BadInput for a broken file or a folder that cannot be written, PeepholeError where a
    command fails.
    """
    file = found_file(file, _FOLDER, "curriculum")
    parts, environment = read_curriculum(file)
    place = Place(file.resolve().parent, out, workers, precision)
    if not dry_run:
        make_folder(out)
    left = [part for part in parts if not _is_done(part, place)]
    print(f"{len(parts) - len(left)} of {len(parts)} lessons and stages are done.", flush=True)
    lessons = {name: place.lesson(name, each) for name, each in parts if isinstance(each, Lesson)}
    for part in left:
        what = "lesson" if isinstance(part.content, Lesson) else "stage"
        print(f"\n=== {what} {part.name} ===", flush=True)
        for command in _commands(part, place, lessons):
            print(f"peephole {shlex.join(command)}", flush=True)
            if not dry_run:
                _do(command, environment, part.name)
    if not dry_run:
        last = place.adapter(parts[-1].name)
        print(f"\nAll stages are trained; use the last one with: --model trained:{last}")


def _is_done(part: CurriculumPart, place: Place) -> bool:
    name, content = part
    if isinstance(content, Lesson):
        return place.lesson(name, content).exists()
    return place.adapter(name).exists()


def _commands(
    part: CurriculumPart, place: Place, lessons: Mapping[str, Path]
) -> Iterator[list[str]]:
    """The arguments of the `peephole` commands that make a lesson or a stage."""
    name, content = part
    if isinstance(content, Lesson):
        yield _run(name, content, place)
        given = content.export.model_dump(exclude_defaults=True)
        out = place.lesson(name, content)
        options = _options({"to": content.export.to, **given, "out": out})
        yield ["export", str(place.out / name), *options]
    else:
        yield _train(name, content, place, lessons)


def _run(name: str, lesson: Lesson, place: Place) -> list[str]:
    folder = place.out / name
    where = _options({"workers": place.workers, "out": folder})
    if (folder / "run.json").exists():
        return ["run", "--resume", *where]
    models = dict(lesson.models)
    if lesson.played_by:
        models["planner"] = f"trained:{place.adapter(lesson.played_by)}"
    options = {
        "suite": lesson.suite,
        "planner": lesson.planner,
        "data": place.data / lesson.data if lesson.data else "",
        "tasks": lesson.tasks,
        "dialect": lesson.dialect,
    }
    settings = [f"--set={key}={written(value)}" for key, value in lesson.options.items()]
    asked = [f"--model={role}={model}" for role, model in models.items()]
    return ["run", *_options(options), *settings, *asked, *where]


def _train(name: str, stage: Stage, place: Place, lessons: Mapping[str, Path]) -> list[str]:
    options = {field: getattr(stage, field) for field in TrainingOptions.model_fields}
    options["base"] = place.data / stage.base if stage.base else ""
    options["start"] = place.adapter(stage.start) if stage.start else ""
    options |= {"precision": place.precision.value, "out": place.adapter(name)}
    return ["train", *(str(lessons[each]) for each in stage.lessons), *_options(options)]


def _options(values: Mapping[str, Any]) -> list[str]:
    """The arguments of options by their names in Python. Options without a value are left out."""
    given = {name: value for name, value in values.items() if value not in (None, "")}
    pairs = ((f"--{name.replace('_', '-')}", str(value)) for name, value in given.items())
    return list(chain.from_iterable(pairs))


def _do(command: Sequence[str], environment: Mapping[str, str], name: str) -> None:
    """Run a command in a child process. Raises PeepholeError where it fails."""
    process = subprocess.Popen(
        [sys.executable, "-m", "peephole", *command], env={**os.environ, **environment}
    )
    try:
        code = process.wait()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    if code:
        raise PeepholeError(
            f"{name} is not made: its command ended with exit code {code}, for the reason above; "
            f"fix that and repeat the command to continue."
        )
