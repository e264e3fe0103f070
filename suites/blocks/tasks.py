"""Tasks for an arm and blocks of unknown weight, after LLM-POP (Sun et al., 2023).

Each task has ten scenes, as in section 5.1. `observation_text.dialects.blocks.instructions` defines
the meaning of the sentences.

A goal is about the true state, which can be reached by luck. So a task that depends on weights or
movability also requires measurements (`Task.required_evidence`): whether each block can be moved;
and of each movable block a weight reading that is nearer to its own weight than to another's. They
must come before the arm lifts the block that fulfils the task, since that lift measures too late to
choose the block. An episode ends when the planner says so, since a block that is lifted for
weighing is not yet the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count, pairwise

from ...adapters.blocks.scenes import BlockScene, read
from ...adapters.blocks.scenes import load as load_scene
from ...observation_text.dialects.blocks.instruction_goals import BlockFacts
from ...observation_text.dialects.blocks.instructions import parse_instruction
from ...scene_graph.goal_evaluation import satisfied
from ...scene_graph.goals import And, EventOccurred, Goal, Not
from ...scene_graph.task import Task
from ..contract import LazyTasks, in_turns

SCENES = 10
GRAVITY = 9.81


@dataclass(frozen=True)
class BlockTaskKind:
    """A kind of task. suits: whether a scene is suitable for it."""

    name: str
    instruction: str
    required_evidence: Callable[[BlockScene], Goal] | None = None
    suits: Callable[[BlockFacts], bool] = lambda facts: True

    @property
    def reference(self) -> str:
        return settings_of(self.instruction)

    def goal(self, facts: BlockFacts) -> Goal | None:
        wish = parse_instruction(self.instruction)
        assert wish is not None, f"'{self.instruction}' is no known sentence"
        return wish.goal(facts)


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
def tasks_of(kinds: tuple[BlockTaskKind, ...], also: str = "") -> LazyTasks:
    """The tasks of some kinds, in turn. also: further settings of all scenes."""
    return in_turns([_tasks(kind, also, 100 * i) for i, kind in enumerate(kinds)], SCENES)


def _tasks(kind: BlockTaskKind, also: str, first: int) -> Iterator[Task]:
    """The tasks of a kind, in scenes with increasing seeds in which the goal does not hold yet."""
    numbers = count(1)
    for seed in count(first):
        reference = f"seed={seed};{kind.reference}{also}"
        scene = read(reference)
        facts = facts_of(scene)
        goal = kind.goal(facts) if kind.suits(facts) else None
        if goal is None or satisfied(goal, load_scene(reference)):
            continue
        yield Task(
            id=f"{kind.name}/{next(numbers)}",
            instruction=kind.instruction,
            goal=goal,
            scene=f"blocks:{reference}",
            labels={"category": kind.name},
            required_evidence=kind.required_evidence and kind.required_evidence(scene),
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


#: The tasks of Table 1.
PAPER = (
    BlockTaskKind("stack", "Stack one block onto another."),
    BlockTaskKind("corners", "Move the blocks to the corners of the table."),
    BlockTaskKind("heavier", "<mass> Pick up the heavier block.", all_weighed),
    BlockTaskKind("light_on_heavy", "<mass> Stack the lighter block on the heavier.", all_weighed),
    BlockTaskKind(
        "movable_to_corner",
        "<fix> Pick up the movable block and put it at the table corner.",
        all_tried,
    ),
    BlockTaskKind(
        "movable_on_fixed",
        "<fix> Find the movable block and put it on the fixed block.",
        all_tried,
    ),
)

#: The tasks of appendix A.5.
MORE = (
    BlockTaskKind("stack_three", "<three> Stack the three blocks."),
    BlockTaskKind(
        "line_up",
        "<three> Place the blocks on the table in a straight line at equal distances.",
    ),
    BlockTaskKind(
        "hold", "<mass> Pick up the heavier block and hold it for 10 seconds.", all_weighed
    ),
    BlockTaskKind("medium", "<three><mass> Pick up the block of medium weight.", all_weighed),
    BlockTaskKind(
        "sort",
        "<three><mass> Sort the blocks on the table by weight, the lightest at the left and the "
        "heaviest at the right.",
        all_weighed,
    ),
    BlockTaskKind(
        "stack_by_weight",
        "<three><mass> Stack the blocks in order of weight, the heaviest at the bottom.",
        all_weighed,
    ),
    BlockTaskKind(
        "lightest_movable",
        "<three><mass><fix> Pick up the lightest of the movable blocks.",
        tried_and_weighed,
        lambda facts: len(facts.movable) > 1,
    ),
)

#: A stack stands with an offset of 1 cm, so the task of section 5.5.1 asks for less.
OFFSET = (
    BlockTaskKind(
        "stack_exactly",
        "Stack one block exactly onto the other, with their middles at most 5 mm apart, seen from "
        "above.",
    ),
)
