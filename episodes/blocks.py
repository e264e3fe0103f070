"""The suites `blocks` and `blocks_more`: tasks of an arm before blocks whose weight is not seen.

After Sun et al., LLM-POP (2023): `blocks` has the six tasks of its Table 1, `blocks_more` further
ones of its appendix A.5, worded by ourselves, `blocks_offset` the test of recovery from errors of
its section 5.5.1; ten scenes each, as in section 5.1. The tags before
an instruction tell what is not as usual there: <mass> the blocks weigh differently, <fix> some are
fixed to the table, <three> there are three.

A goal is about the true state. As it can be reached by luck, a task that depends on weights or on
what can be moved also says what must have been measured by then (`Task.informed`). An episode ends
when the planner says so: a block that is only lifted to be weighed is not yet the block picked up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count, pairwise, permutations
from pathlib import Path

from ..adapters.blocks.scenes import BlockScene, read
from ..adapters.blocks.scenes import load as load_scene
from ..errors import BadInput
from ..planners.contract import Budgets
from ..scene_graph.goals import And, Goal, Happened, Lies, Or, Related, satisfied
from ..scene_graph.node import Relation
from ..scene_graph.task import Task
from ..skills.arm.block_graph import ARM, TABLE
from ..skills.arm.setting import BLOCK
from .suite import Ends, Suite

SCENES = 10
#: A block is at a corner when its middle is so near to two edges of the table, in m.
CORNER = 0.10
#: How far the middle one of three blocks in a line may be off the middle of the others, in m.
STRAIGHT = 0.02
#: How far beside each other the middles of exactly stacked blocks may be, in m.
EXACT = 0.005
#: Seconds that a block is to be held.
HOLD_S = 10.0
_BUDGETS = Budgets(steps=40, decisions=120)


@dataclass(frozen=True)
class Blocks:
    """The blocks of a scene, by id, as only the suite knows them."""

    scene: BlockScene

    @property
    def all(self) -> tuple[int, ...]:
        return self.scene.ids

    @property
    def by_weight(self) -> list[int]:
        """The lightest first."""
        masses = dict(zip(self.all, self.scene.masses, strict=True))
        return sorted(self.all, key=masses.__getitem__)

    @property
    def movable(self) -> list[int]:
        return [b for i, b in enumerate(self.all) if i not in self.scene.welded]

    @property
    def fixed(self) -> list[int]:
        return [b for i, b in enumerate(self.all) if i in self.scene.welded]


@dataclass(frozen=True)
class Kind:
    """One kind of task. suits: whether a scene has what it takes."""

    name: str
    instruction: str
    goal: Callable[[Blocks], Goal]
    informed: Callable[[Blocks], Goal] | None = None
    suits: Callable[[Blocks], bool] = lambda blocks: True

    @property
    def reference(self) -> str:
        """The scene's settings but its seed, by the instruction's tags."""
        tags = [tag for tag in ("mass", "fix") if f"<{tag}>" in self.instruction]
        number = 3 if "<three>" in self.instruction else 2
        return f"n={number}" + (f";tags={','.join(tags)}" if tags else "")


def load(data: Path | None = None) -> Suite:
    """The suite `blocks`. Raises BadInput where `data` is given."""
    return _suite("blocks", "the six tasks of LLM-POP: weigh, try to move, stack", _PAPER, data)


def load_more(data: Path | None = None) -> Suite:
    """The suite `blocks_more`. Raises BadInput where `data` is given."""
    return _suite("blocks_more", "sort, line up and hold blocks; three of them", _MORE, data)


def load_offset(data: Path | None = None) -> Suite:
    """The suite `blocks_offset`. Raises BadInput where `data` is given.

    As in section 5.5.1, blocks are grasped 1 cm beside their middle, so that the first place comes
    out wrong and has to be corrected. A stack stands with 1 cm off, so the task asks for less.
    """
    summary = "stack exactly, with blocks that are grasped 1 cm beside their middle"
    return _suite("blocks_offset", summary, _OFFSET, data, ";grasp_offset=0.01")


def _suite(
    name: str, summary: str, kinds: Sequence[Kind], data: Path | None, also: str = ""
) -> Suite:
    if data is not None:
        raise BadInput(f"The suite {name} takes no --data: its scenes are generated.")
    of_kinds = [_tasks(kind, also, 100 * i) for i, kind in enumerate(kinds)]
    return Suite(
        name=name,
        summary=summary,
        # The kinds take turns, so that the first tasks are of every kind.
        tasks=tuple(task for turn in zip(*of_kinds, strict=True) for task in turn),
        adapter="mujoco",
        ends=Ends.PLANNER_DONE,
        budgets=_BUDGETS,
    )


@cache
def _tasks(kind: Kind, also: str, first: int) -> tuple[Task, ...]:
    """The tasks of a kind, in scenes of seeds from the first on where it is not done already."""
    tasks: list[Task] = []
    for seed in count(first):
        reference = f"seed={seed};{kind.reference}{also}"
        blocks = Blocks(read(reference))
        goal = kind.goal(blocks)
        if not kind.suits(blocks) or satisfied(goal, load_scene(reference)):
            continue
        tasks.append(
            Task(
                id=f"{kind.name}/{len(tasks) + 1}",
                instruction=kind.instruction,
                goal=goal,
                scene=f"blocks:{reference}",
                labels={"category": kind.name},
                informed=None if kind.informed is None else kind.informed(blocks),
            )
        )
        if len(tasks) == SCENES:
            break
    return tuple(tasks)


# --- goals ---------------------------------------------------------------------------------------


def _on(block: int, place: int) -> Related:
    return Related(block, Relation.ON, place)


def _held(block: int) -> Related:
    return Related(ARM, Relation.HOLDS, block)


def _stacked(order: Sequence[int]) -> And:
    """Blocks on each other, the lowest first."""
    return And(tuple(_on(upper, lower) for lower, upper in pairwise(order)))


def _any_stack(blocks: Blocks) -> Goal:
    return Or(tuple(_stacked(order) for order in permutations(blocks.all)))


def _exact_stack(blocks: Blocks) -> Goal:
    pairs = permutations(blocks.all, 2)
    return Or(tuple(And((_on(a, b), Lies("beside", (a, b), 0.0, EXACT))) for a, b in pairs))


def at_corner(block: int, scene: BlockScene) -> And:
    """That a block lies on the table at one of its corners."""
    low, high = scene.setting.table_low, scene.setting.table_high
    near = [
        Or(
            (
                Lies(axis, (block,), low[i], low[i] + CORNER),
                Lies(axis, (block,), high[i] - CORNER, high[i]),
            )
        )
        for i, axis in enumerate("xy")
    ]
    return And((_on(block, TABLE), *near))


def _in_line(blocks: Blocks) -> Goal:
    """Three blocks on the table, one half way between the others."""
    a, b, c = blocks.all
    orders = ((a, b, c), (b, a, c), (a, c, b))
    middle = Or(tuple(Lies("off_middle", order, 0.0, STRAIGHT) for order in orders))
    return And((*(_on(block, TABLE) for block in blocks.all), middle))


def _sorted(blocks: Blocks) -> Goal:
    """On the table, every block further left than all that are heavier, by at least a block."""
    light, medium, heavy = blocks.by_weight
    left = tuple(Lies("left_of", pair, BLOCK, 1.0) for pair in ((light, medium), (medium, heavy)))
    return And((*(_on(block, TABLE) for block in blocks.all), *left))


# --- what must have been measured ----------------------------------------------------------------


def _weighed(blocks: Sequence[int]) -> And:
    return And(tuple(Happened(("weighed",), (block,)) for block in blocks))


def _all_weighed(blocks: Blocks) -> Goal:
    return _weighed(blocks.all)


def _one_tried(blocks: Blocks) -> Goal:
    """Of two blocks exactly one is fixed, so that one trial tells of both."""
    return Or(tuple(Happened(("tried",), (block,)) for block in blocks.all))


def _tried_and_weighed(blocks: Blocks) -> Goal:
    tried = tuple(Happened(("tried",), (block,)) for block in blocks.all)
    return And((*tried, _weighed(blocks.movable)))


_PAPER = (
    Kind("stack", "Stack one block onto the other.", _any_stack),
    Kind(
        "corners",
        "Move both blocks to corners of the table.",
        lambda blocks: And(tuple(at_corner(b, blocks.scene) for b in blocks.all)),
    ),
    Kind(
        "heavier",
        "<mass> Pick up the heavier block.",
        lambda blocks: _held(blocks.by_weight[-1]),
        _all_weighed,
    ),
    Kind(
        "light_on_heavy",
        "<mass> Stack the lighter block on the heavier one.",
        lambda blocks: _stacked(blocks.by_weight[::-1]),
        _all_weighed,
    ),
    Kind(
        "movable_to_corner",
        "<fix> Pick up the movable block and put it at a corner of the table.",
        lambda blocks: at_corner(blocks.movable[0], blocks.scene),
        _one_tried,
    ),
    Kind(
        "movable_on_fixed",
        "<fix> Find the movable block and put it on the fixed block.",
        lambda blocks: _on(blocks.movable[0], blocks.fixed[0]),
        _one_tried,
    ),
)

_MORE = (
    Kind("stack_three", "<three> Stack the three blocks.", _any_stack),
    Kind(
        "line_up",
        "<three> Place the blocks on the table in a straight line at equal distances.",
        _in_line,
    ),
    Kind(
        "hold",
        f"<mass> Pick up the heavier block and hold it for {HOLD_S:g} seconds.",
        lambda blocks: And(
            (
                _held(blocks.by_weight[-1]),
                Happened(("held",), (blocks.by_weight[-1],), HOLD_S),
            )
        ),
        _all_weighed,
    ),
    Kind(
        "medium",
        "<three><mass> Pick up the block of medium weight.",
        lambda blocks: _held(blocks.by_weight[1]),
        _all_weighed,
    ),
    Kind(
        "sort",
        "<three><mass> Sort the blocks on the table by weight, the lightest at the left and the "
        "heaviest at the right.",
        _sorted,
        _all_weighed,
    ),
    Kind(
        "stack_by_weight",
        "<three><mass> Stack the blocks in order of weight, the heaviest at the bottom.",
        lambda blocks: _stacked(blocks.by_weight[::-1]),
        _all_weighed,
    ),
    Kind(
        "lightest_movable",
        "<three><mass><fix> Pick up the lightest of the movable blocks.",
        lambda blocks: _held(next(b for b in blocks.by_weight if b in blocks.movable)),
        _tried_and_weighed,
        lambda blocks: len(blocks.movable) > 1,
    ),
)

_OFFSET = (
    Kind(
        "stack_exactly",
        f"Stack one block exactly onto the other, with their middles at most {1000 * EXACT:g} mm "
        f"apart, seen from above.",
        _exact_stack,
    ),
)
