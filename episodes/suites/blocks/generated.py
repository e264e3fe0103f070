"""The suite `blocks_generated`: tasks about blocks drawn by rules, to learn from.

After Sun et al., LLM-POP (2023), section 4.2 and appendix A.3, whose rules a model was asked to
keep; here they are checked. A task is a sentence of `sentence_forms` in one of its wordings,
with the tags <mass>, <fix> and <three> in any combination, and a scene. Of what is drawn
only that is taken

- which is feasible: the expert's rule has a plan for it that moves no fixed block, and the arm
  reaches every pose of it;
- which is not done at the start;
- of which it is known whether it needs exploration, as `blocks_exploration` defines it: it is
  proven, or one plan fulfils all worlds that look the same.

The kinds of sentences take turns, so that the first tasks are of many kinds. Labels: category (the
kind of sentence), tags, exploration ("needed" or "no"), and actions (how many the
plan has for one who knows it all, a measure of difficulty). The scenes are none of the other
suites'.

With `--data FILE`, a JSON object such as {"tasks": 5000, "seed": 7}, the suite has as many tasks as
that says, drawn with that seed. "scene" adds settings to all scenes, such as the noise of sensors:
{"scene": "pose_noise=0.002;force_noise=0.2"}. They change no task and no goal.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import count, islice, permutations, product
from pathlib import Path
from typing import Any

from ....adapters.blocks.scenes import BlockScene, read
from ....adapters.blocks.scenes import load as load_scene
from ....errors import BadInput
from ....observation_text.dialects.blocks.block_descriptions import DESCRIPTIONS, BlockFacts
from ....observation_text.dialects.blocks.instructions import BlockInstruction
from ....observation_text.dialects.blocks.sentence_forms import FORMS
from ....scene_graph.goals import Goal
from ....scene_graph.graph import SceneGraph
from ....scene_graph.rules import Ends, Rules
from ....scene_graph.task import Task
from ....skills.actions import Action
from ....skills.arm.rearrangement import GRIPPER_DOWN
from ..contract import LazyTasks, Suite
from .exploration import needs_exploration, positions, shared_plan, worlds
from .tasks import BUDGETS, all_tried, all_weighed, facts_of, settings_of, tried_and_weighed

Sentence = tuple[tuple[str, ...], BlockInstruction]

TASKS, MOST = 60, 100_000
#: Scenes of generated tasks have seeds from here on; those of the other suites lie below.
FIRST_SCENE = 1_000_000
HOLDS = (2.0, 5.0, 10.0)
#: Settings that `--data` may add to scenes: those that change what is sensed and grasped alone.
SENSOR_SETTINGS = ("pose_noise", "angle_noise", "force_noise", "grasp_offset")
#: Sentences that are drawn for one turn of a kind, and scenes that are tried for a sentence.
_DRAWS, _SCENES = 8, 4
_LIFT = 0.15


def load(data: Path | None = None) -> Suite:
    """The suite. data: a file with the number of tasks, the seed, and settings of all scenes.

    Raises BadInput.
    """
    number, seed, settings = (TASKS, 0, "") if data is None else _asked(data)
    return Suite(
        name="blocks_generated",
        summary="drawn by LLM-POP's rules to learn from, each task checked",
        tasks=generated(number, seed, settings),
        adapter="mujoco",
        rules=Rules(ends=Ends.PLANNER_DONE),
        budgets=BUDGETS,
    )


def _asked(file: Path) -> tuple[int, int, str]:
    form = 'a JSON object such as {"tasks": 5000, "seed": 7}'
    try:
        asked: Any = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise BadInput(f"{file} is no JSON; --data of blocks_generated is {form}.") from None
    if not isinstance(asked, dict) or not asked.keys() <= {"tasks", "seed", "scene"}:
        raise BadInput(f"{file} is not {form}.")
    for name, low, high in (("tasks", 1, MOST), ("seed", 0, 999)):
        value = asked.setdefault(name, TASKS if name == "tasks" else 0)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise BadInput(f"{file}: '{name}' is {value!r}; expected {low} to {high}.")
    return asked["tasks"], asked["seed"], _scene_settings(file, asked.get("scene", ""))


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
    """The first tasks of a seed; a larger number only adds more at the end.

    settings: of all scenes, besides their own.
    """
    drawn = _drawn(seed)
    also = f";{settings}" if settings else ""
    return LazyTasks(number, (replace(task, scene=task.scene + also) for task in drawn))


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
                task = _in_a_scene(number, instruction, tags, wish, scenes)
                if task is not None:
                    yield task
                    number += 1
                    break


def sentences() -> Iterator[Sentence]:
    """What can be asked for, but for seconds, with its tags in the order they are written in.

    Under <fix> only movable blocks are told by their weight, since a fixed one cannot be weighed,
    and none by its name, since whether just that one is movable makes the task another.
    """
    for three, mass, fix in product((False, True), repeat=3):
        blocks = 3 if three else 2
        tags = [tag for tag, on in (("three", three), ("mass", mass), ("fix", fix)) if on]
        names = [
            name
            for name, which in DESCRIPTIONS.items()
            if blocks in which.block_counts
            and (mass or not which.needs_weights)
            and (which.needs_movability if fix else not which.needs_movability)
        ]
        for form, what in FORMS.items():
            if blocks not in what.block_counts or (what.needs_weights and (fix or not mass)):
                continue
            for places in permutations(names, what.slots):
                x, y = (*places, "", "")[:2]
                yield tuple(tags), BlockInstruction(form, x, y)


def _in_a_scene(
    number: int,
    instruction: str,
    tags: tuple[str, ...],
    wish: BlockInstruction,
    scenes: Iterator[int],
) -> Task | None:
    """A task of a sentence, in the first of the next scenes that it suits; None: in none."""
    settings = settings_of(instruction)
    for seed in islice(scenes, _SCENES):
        reference = f"seed={seed};{settings}"
        blocks, start = read(reference), load_scene(reference)
        facts = facts_of(blocks)
        goal, plan = wish.goal(facts), shared_plan(wish, (facts,), start)
        if goal is None or not plan:
            continue
        if not _as_marked(wish, facts, frozenset(tags), start):
            return None
        if not _reached(plan, start):
            continue
        evidence = _required_evidence(wish, blocks, "fix" in tags)
        labels = {
            "category": wish.form,
            "tags": " ".join(tags),
            "exploration": "no" if evidence is None else "needed",
            "actions": str(len(plan)),
        }
        task_id, scene = f"{wish.form}/{number}", f"blocks:{reference}"
        return Task(task_id, instruction, goal, scene, labels, required_evidence=evidence)
    return None


def _as_marked(
    wish: BlockInstruction, facts: BlockFacts, tags: frozenset[str], start: SceneGraph
) -> bool:
    """Whether what a sentence asks one to find out has to be found out, and else nothing has."""
    if wish.needs_weights or "fix" in tags:
        return needs_exploration(wish, facts, tags, start)
    return shared_plan(wish, worlds(facts.blocks, tags), start) is not None


def _required_evidence(wish: BlockInstruction, scene: BlockScene, some_fixed: bool) -> Goal | None:
    """What must have been measured; None where nothing has to be."""
    if wish.needs_weights:
        return tried_and_weighed(scene) if some_fixed else all_weighed(scene)
    return all_tried(scene) if some_fixed else None


def _reached(plan: tuple[Action, ...], start: SceneGraph) -> bool:
    """Whether the arm reaches every place of a plan, and what is above it."""
    import numpy as np

    from ....skills.arm import kinematics, rotation
    from ....skills.arm.kinematics import TcpPose

    down, at = rotation.matrix(GRIPPER_DOWN[7]), positions(start)
    for action in plan:
        spot = at.get(action.target or 0) if action.pose is None else action.pose[:3]
        if spot is None:
            continue
        for height in (0.0, _LIFT):
            target = TcpPose(np.add(spot, (0.0, 0.0, height)), down)
            if kinematics.inverse(target, kinematics.HOME) is None:
                return False
    return True
