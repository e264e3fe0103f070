"""The tasks of `blocks:generated`: tasks about blocks, drawn by rules, for training.

The rules are those of LLM-POP (Sun et al., 2023, section 4.2 and appendix A.3). There a model was
asked to keep them; here they are checked. A task is a sentence of `instructions` in one of its
wordings, with any of the tags <mass>, <fix> and <three>, and a scene. A drawn task is kept if

- it is feasible: the expert's rule has a plan that moves no fixed block, and the arm reaches
  every pose of the plan;
- it is not done at the start;
- it is known whether it needs exploration, as `exploration` defines it.

The kinds of sentences take turns. The label `actions` is the length of a plan with full knowledge.
docs/suites/blocks.md has the form of `--data FILE`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from ...adapters.blocks.scenes import read
from ...data_files import json_data, read_text
from ...errors import BadInput
from ...observation_text.dialects.blocks.instructions import FORMS
from ...scene_graph.fields import Field
from ...scene_graph.task import Task
from ..contract import LazyTasks
from .drawing import Sentence, in_a_scene, sentences
from .written import WrittenTask, read_written, written

TASKS, MOST = 60, 100_000
#: Scenes of generated tasks have seeds from here on; those of the other suites lie below.
FIRST_SCENE = 1_000_000
#: Seeds of tasks, each with so many scenes of its own; scenes have seeds up to 10^9.
SEEDS = 999
HOLDS = (2.0, 5.0, 10.0)
#: Settings that `--data` may add to scenes: those of sensing and grasping.
SENSOR_SETTINGS = ("pose_noise", "angle_noise", "force_noise", "grasp_offset")
#: The field of `--data` for instructions in free words.
INSTRUCTIONS = "instructions"
#: Sentences to draw for one turn of a kind.
_DRAWS = 8


def asked_for(file: Path) -> LazyTasks:
    """The tasks of the user's file: how many, the seed, settings of all scenes. Raises BadInput."""
    form = 'a JSON object such as {"tasks": 5000, "seed": 7}'
    try:
        asked: Any = json_data(read_text(file))
    except OSError as error:
        raise BadInput(f"{file} cannot be read ({error.strerror}); give another --data.") from None
    except ValueError:
        raise BadInput(f"{file} is not JSON; --data of blocks:generated is {form}.") from None
    known = {"tasks", "seed", "scene", INSTRUCTIONS, "model"}  # model: that wrote them
    if not isinstance(asked, dict) or not asked.keys() <= known:
        raise BadInput(f"{file} is not {form}.")
    instructions = _instructions(file, asked[INSTRUCTIONS]) if INSTRUCTIONS in asked else ()
    for name, low, high in (("tasks", 1, MOST), ("seed", 0, SEEDS - 1)):
        default = (len(instructions) or TASKS) if name == "tasks" else 0
        value = asked.setdefault(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise BadInput(f"{file}: '{name}' is {value!r}; expected {low} to {high}.")
    settings = _scene_settings(file, asked.get("scene", ""))
    if instructions:
        scenes = (1 + asked["seed"]) * FIRST_SCENE
        tasks = written(instructions, scenes, str(file))
        return LazyTasks(asked["tasks"], _with_settings(tasks, settings))
    return generated(asked["tasks"], asked["seed"], settings)


def _instructions(file: Path, value: Any) -> tuple[WrittenTask, ...]:
    """The instructions in free words. Raises BadInput."""
    field = Field(str(file), INSTRUCTIONS, value)
    found = []
    for item in field.items():
        entry = item.entries(("task", "means"))
        task, means = entry["task"].text(), entry["means"].text()
        try:
            found.append(read_written(task, means))
        except BadInput as error:
            raise BadInput(f"{file}, {item.path}: {error}") from None
    if not found:
        raise field.wrong("expected at least one instruction")
    return tuple(found)


def _scene_settings(file: Path, settings: Any) -> str:
    """Settings that may be added to any scene. Raises BadInput."""
    names = [part.partition("=")[0] for part in str(settings).split(";") if part]
    if not isinstance(settings, str) or not set(names) <= set(SENSOR_SETTINGS):
        raise BadInput(
            f"{file}: 'scene' is {settings!r}; expected settings among "
            f"{', '.join(SENSOR_SETTINGS)}, separated by semicolons."
        )
    read(settings)
    return settings


@cache
def generated(number: int, seed: int = 0, settings: str = "") -> LazyTasks:
    """The first tasks of a seed. A larger number only adds tasks at the end.

    settings: further settings of all scenes.
    """
    return LazyTasks(number, _with_settings(_drawn(seed), settings))


def _with_settings(tasks: Iterator[Task], settings: str) -> Iterator[Task]:
    """The same tasks in scenes with further settings."""
    also = f";{settings}" if settings else ""
    return (replace(task, scene=task.scene + also) for task in tasks)


def _drawn(seed: int) -> Iterator[Task]:
    """The tasks of a seed, without end."""
    chance = random.Random(f"generated blocks {seed}")
    scenes = count((1 + seed) * FIRST_SCENE)
    of_form: dict[str, list[Sentence]] = {form: [] for form in FORMS}
    for sentence in sentences():
        of_form[sentence[1].form].append(sentence)
    waiting: dict[str, list[Sentence]] = {}
    number = 1
    while True:
        for form in chance.sample(list(FORMS), len(FORMS)):
            for _ in range(_DRAWS):
                if not waiting.get(form):
                    waiting[form] = chance.sample(of_form[form], len(of_form[form]))
                tags, wish = waiting[form].pop()
                wish = replace(
                    wish, seconds=chance.choice(HOLDS) if FORMS[form].takes_seconds else 0.0
                )
                text = chance.choice(wish.texts())
                instruction = "".join(f"<{tag}>" for tag in tags) + " " * bool(tags) + text
                task = in_a_scene(number, instruction, tags, wish, scenes)
                if task is not None:
                    yield task
                    number += 1
                    break
