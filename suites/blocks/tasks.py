"""Tasks for an arm and blocks of unknown weight, after LLM-POP (Sun et al., 2023).

Each task has ten scenes, as in section 5.1. `observation_text.dialects.blocks.instructions` defines
the meaning of the sentences. A goal can be reached by luck, so a task that depends on weights or
movability also requires measurements ("Informed success" in docs/suites/blocks.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import count, pairwise
from pathlib import Path
from typing import NamedTuple

from ...adapters.blocks.scenes import BlockScene, read
from ...adapters.blocks.scenes import load as load_scene
from ...data_files import read_yaml
from ...observation_text.dialects.blocks.instruction_goals import BlockFacts
from ...observation_text.dialects.blocks.instructions import parse_instruction
from ...scene_graph.goal_evaluation import satisfied
from ...scene_graph.goals import And, EventOccurred, Goal, Not
from ...scene_graph.task import Task
from ..contract import LazyTasks, in_turns

SCENES = 10
GRAVITY = 9.81


class _Kind(NamedTuple):
    """A kind of task. least_movable: how many blocks of a scene must be movable."""

    name: str
    instruction: str
    evidence: str = ""
    least_movable: int = 0


def settings_of(instruction: str) -> str:
    """The settings of a scene without its seed, by an instruction's tags."""
    tags = [tag for tag in ("mass", "fix") if f"<{tag}>" in instruction]
    number = 3 if "<three>" in instruction else 2
    return f"n={number}" + (f";tags={','.join(tags)}" if tags else "")


def facts_of(scene: BlockScene) -> BlockFacts:
    """The hidden facts on the blocks of a scene."""
    masses = dict(zip(scene.ids, scene.masses, strict=True))
    fixed = frozenset(block for i, block in enumerate(scene.ids) if i in scene.welded)
    return BlockFacts(tuple(sorted(scene.ids, key=masses.__getitem__)), fixed)


@cache
def tasks_of(group: str, also: str = "") -> LazyTasks:
    """The tasks of a group of kinds, in turn. also: further settings of all scenes."""
    kinds = read_yaml(Path(__file__).with_name("tasks.yaml"))[group]
    tasks = [_tasks(_Kind(**kind), also, 100 * i) for i, kind in enumerate(kinds)]
    return in_turns(tasks, SCENES)


def _tasks(kind: _Kind, also: str, first: int) -> Iterator[Task]:
    """The tasks of a kind, in scenes with increasing seeds in which the goal does not hold yet."""
    wish = parse_instruction(kind.instruction)
    assert wish is not None, f"'{kind.instruction}' is no known sentence"
    numbers = count(1)
    for seed in count(first):
        reference = f"seed={seed};{settings_of(kind.instruction)}{also}"
        scene = read(reference)
        facts = facts_of(scene)
        goal = wish.goal(facts) if len(facts.movable) >= kind.least_movable else None
        if goal is None or satisfied(goal, load_scene(reference)):
            continue
        yield Task(
            id=f"{kind.name}/{next(numbers)}",
            instruction=kind.instruction,
            goal=goal,
            scene=f"blocks:{reference}",
            labels={"category": kind.name},
            required_evidence=_EVIDENCE[kind.evidence](scene) if kind.evidence else None,
        )


# --- what must have been measured ----------------------------------------------------------------


def weighed(scene: BlockScene, blocks: Iterable[int]) -> And:
    """The event that blocks were weighed, each reading nearest to the block's own weight."""
    masses = dict(zip(scene.ids, scene.masses, strict=True))
    order = sorted(blocks, key=masses.__getitem__)
    between = [GRAVITY * (masses[a] + masses[b]) / 2 for a, b in pairwise(order)]
    parts: list[Goal] = []
    for block, low, high in zip(order, [None, *between], [*between, None], strict=True):
        parts.append(EventOccurred(("weighed",), (block,), low))
        if high is not None:
            parts.append(Not(EventOccurred(("weighed",), (block,), high)))
    return And(tuple(parts))


def all_weighed(scene: BlockScene) -> Goal:
    """The event that every block was weighed."""
    return weighed(scene, scene.ids)


def all_tried(scene: BlockScene) -> Goal:
    """The event that every block was tried for movability.

    Each block needs a trial of its own, since any number of blocks may be fixed.
    """
    return And(tuple(EventOccurred(("tried",), (block,)) for block in scene.ids))


def tried_and_weighed(scene: BlockScene) -> Goal:
    """The event that every block was tried and every movable block was weighed."""
    return And((all_tried(scene), weighed(scene, facts_of(scene).movable)))


_EVIDENCE = {"weighed": all_weighed, "tried": all_tried, "both": tried_and_weighed}
