"""A curriculum: a YAML file with the lessons and the training stages of a small model.

A lesson is a run whose episodes are exported. A stage is a training on the exports of lessons. A
stage may start from the adapter of another stage, and a lesson may be played by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from ..data_files import checked, read_checked
from ..errors import BadInput, unknown_name

_Setting = bool | int | float | str


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Export(_Strict):
    """The options of `peephole export` for a lesson."""

    to: Literal["chat", "instructions"] = "chat"
    """The format."""
    episodes: Literal["", "all", "successful"] = ""
    """Which episodes to write; by default the format's own choice."""
    recent_turns: int | None = Field(default=None, ge=1)
    """Turns that a conversation of react keeps."""
    first_replies: int | None = Field(default=None, ge=1)
    """Replies to write of an episode; by default all."""


class Lesson(_Strict):
    """A run and its export. Its defaults are the file's `lesson` and the lesson's kind."""

    kind: str = ""
    """The name of an entry of `kinds`."""
    suite: str = ""
    """The name of a suite."""
    tasks: str = Field(default="", coerce_numbers_to_str=True)
    """The tasks, in the form of `--tasks`."""
    data: str = ""
    """The suite's data, relative to the curriculum's folder."""
    planner: str = ""
    """The name of a planner."""
    dialect: str = ""
    """The name of a dialect."""
    options: dict[str, _Setting] = Field(default_factory=dict)
    """The planner's options."""
    models: dict[str, str] = Field(default_factory=dict)
    """Models by role."""
    played_by: str = ""
    """The stage whose model takes the planner's role."""
    export: Export = Field(default_factory=Export)
    """How the run is exported."""


class TrainingOptions(_Strict):
    """Options of `peephole train`, with the defaults of that command."""

    epochs: int | None = Field(default=None, ge=1)
    """Number of passes over the data."""
    batch: int | None = Field(default=None, ge=1)
    """Conversations per step."""
    longest: int | None = Field(default=None, ge=16)
    """Conversations of more tokens are left out."""
    commonplace: float | None = Field(default=None, ge=0, le=1)
    """Share to keep of routine conversations, which teach nothing rare."""
    learning_rate: float | None = Field(default=None, gt=0)
    """Highest learning rate of the schedule."""
    rank: int | None = Field(default=None, ge=1)
    """Rank of the adapter."""
    held_out: int | None = Field(default=None, ge=2)
    """One task in N is held out."""
    seed: int | None = Field(default=None, ge=0)
    """Seed of the order and of the first weights."""
    base: str = ""
    """A GGUF file, relative to the curriculum's folder; SmolLM2-135M by default."""


class Stage(TrainingOptions):
    """A training on lessons. Its defaults are the file's `training`."""

    lessons: list[str] = Field(min_length=1)
    """The names of its lessons, in the order of their data."""
    start: str = ""
    """The stage that it starts from; by default a new adapter."""


class Curriculum(_Strict):
    """A file of lessons and stages."""

    environment: dict[str, str] = Field(default_factory=dict)
    """Environment variables of Peephole for its commands, such as PEEPHOLE_AI2THOR_EXECUTABLE."""
    lesson: dict[str, Any] = Field(default_factory=dict)
    """Defaults of every lesson."""
    kinds: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Defaults of the lessons of a kind, by kind."""
    training: TrainingOptions = Field(default_factory=TrainingOptions)
    """Defaults of every stage."""
    lessons: dict[str, dict[str, Any]]
    """The lessons by name; a lesson's files have its name."""
    stages: dict[str, Stage] = Field(min_length=1)
    """The stages by name; a stage's adapter has its name."""


class CurriculumPart(NamedTuple):
    """A lesson or a stage with its defaults filled in."""

    name: str
    content: Lesson | Stage


def read_curriculum(path: Path) -> tuple[list[CurriculumPart], dict[str, str]]:
    """The lessons and stages of a file, in the order of their dependencies, and the environment.

    Raises BadInput.
    """
    curriculum = read_checked(path, Curriculum, "curriculum")
    try:
        _check_names(curriculum)
        lessons = {name: _whole(curriculum, name) for name in curriculum.lessons}
        order = dict.fromkeys(
            part for stage in curriculum.stages for part in _needed(curriculum, lessons, stage, ())
        )
    except BadInput as error:
        raise BadInput(f"The curriculum {path}: {error}") from None
    unused = next((name for name in lessons if name not in order), None)
    if unused is not None:
        raise BadInput(f"The curriculum {path}: no stage uses the lesson {unused}; take it out.")
    trainings = curriculum.training.model_dump(exclude_none=True)
    stages = {
        name: Stage.model_validate({**trainings, **stage.model_dump(exclude_unset=True)})
        for name, stage in curriculum.stages.items()
    }
    return [CurriculumPart(name, lessons.get(name) or stages[name]) for name in order], dict(
        curriculum.environment
    )


def _check_names(curriculum: Curriculum) -> None:
    for name in (*curriculum.lessons, *curriculum.stages):
        if not name or Path(name).name != name or name.startswith("."):
            raise BadInput(f"'{name}' cannot be the name of a file; rename it.")
    both = next((name for name in curriculum.lessons if name in curriculum.stages), None)
    if both is not None:
        raise BadInput(f"a lesson and a stage have the name {both}; rename one.")
    for variable in curriculum.environment:
        if not variable.startswith("PEEPHOLE_"):
            raise BadInput(f"{variable} is not a variable of Peephole; take it out.")


def _whole(curriculum: Curriculum, name: str) -> Lesson:
    """A lesson with the defaults of its kind and of all lessons."""
    own = curriculum.lessons[name]
    kind = own.get("kind", "")
    if kind and kind not in curriculum.kinds:
        raise unknown_name("kind", str(kind), curriculum.kinds)
    merged: dict[str, Any] = {}
    for each in (curriculum.lesson, curriculum.kinds.get(kind, {}), own):
        for key, value in each.items():
            is_table = isinstance(value, dict) and isinstance(merged.get(key), dict)
            merged[key] = {**merged[key], **value} if is_table else value
    lesson = checked(merged, Lesson, f"the lesson {name}")
    for field in ("suite", "planner"):
        if not getattr(lesson, field):
            raise BadInput(f"the lesson {name} has no {field}; add one.")
    if lesson.export.to != "chat" and (lesson.export.recent_turns or lesson.export.first_replies):
        raise BadInput(
            f"the lesson {name} exports instructions, but recent_turns and first_replies are "
            f"options of chat; take them out."
        )
    return lesson


def _needed(
    curriculum: Curriculum, lessons: dict[str, Lesson], stage: str, within: tuple[str, ...]
) -> Iterator[str]:
    """The lessons and stages that a stage needs, in the order of dependencies; itself last."""
    if stage not in curriculum.stages:
        raise unknown_name("stage", stage, curriculum.stages)
    if stage in within:
        raise BadInput(f"the stage {stage} needs itself; let it start from another.")
    within = (*within, stage)
    start = curriculum.stages[stage].start
    if start:
        yield from _needed(curriculum, lessons, start, within)
    for name in curriculum.stages[stage].lessons:
        if name not in lessons:
            raise unknown_name("lesson", name, lessons)
        if lessons[name].played_by:
            yield from _needed(curriculum, lessons, lessons[name].played_by, within)
        yield name
    yield stage
