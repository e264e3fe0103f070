"""Sentences that tasks about blocks can ask for, and scenes that suit them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, permutations, product

from ...adapters.blocks.scenes import BlockScene, read
from ...adapters.blocks.scenes import load as load_scene
from ...observation_text.dialects.blocks.instruction_goals import BlockFacts
from ...observation_text.dialects.blocks.instructions import DESCRIPTIONS, FORMS, BlockInstruction
from ...scene_graph.goals import Goal
from ...scene_graph.graph import SceneGraph
from ...scene_graph.task import Task
from ...skills.actions import Action
from ...skills.arm.blocks.rearrangement import GRIPPER_DOWN
from .exploration import needs_exploration, positions, shared_plan, worlds
from .tasks import all_tried, all_weighed, facts_of, settings_of, tried_and_weighed

Sentence = tuple[tuple[str, ...], BlockInstruction]

#: Scenes to try for a sentence.
SCENES = 4
_LIFT = 0.15


def sentences() -> Iterator[Sentence]:
    """All sentences with their tags in written order, but without seconds.

    With <fix> only movable blocks are described by weight, since a fixed one cannot be weighed. No
    block is named, since the task would depend on whether that block is movable.
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


def in_a_scene(
    number: int,
    instruction: str,
    tags: tuple[str, ...],
    wish: BlockInstruction,
    scenes: Iterator[int],
) -> Task | None:
    """A task of a sentence in the first of the next scenes that suits it, or None."""
    settings = settings_of(instruction)
    for seed in islice(scenes, SCENES):
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
    """Whether a task needs exploration exactly if its sentence or tags say so."""
    if wish.needs_weights or "fix" in tags:
        return needs_exploration(wish, facts, tags, start)
    return shared_plan(wish, worlds(facts.blocks, tags), start) is not None


def _required_evidence(wish: BlockInstruction, scene: BlockScene, some_fixed: bool) -> Goal | None:
    """The measurements that a task requires, or None."""
    if wish.needs_weights:
        return tried_and_weighed(scene) if some_fixed else all_weighed(scene)
    return all_tried(scene) if some_fixed else None


def _reached(plan: tuple[Action, ...], start: SceneGraph) -> bool:
    """Whether the arm reaches every place of a plan, and the point above it."""
    import numpy as np

    from ...skills.arm import kinematics, rotation
    from ...skills.arm.kinematics import TcpPose

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
