"""What a careful person would do with an arm before blocks, from what was read so far.

It understands the sentences of block tasks by their words, believes what the observations tell
(a lifted block's weight, a block that did not rise), and looks for nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, permutations

from ....scene_graph.goals import And, Goal, Lies, Or, Related, satisfied
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Relation, Vector
from ....skills.actions import Verb
from ...blocks_ways import DOWN, Way, free_spot, ways_of

#: As in `skills.arm.block_graph`, whose graphs are imagined here.
_ARM, _TABLE, _FIRST = 2, 3, 4
#: A block that is lifted rises by more than this; one in the gripper is so near to it, in m.
_RISEN, _NEAR = 0.05, 0.03
_CORNER, _LINE, _APART = 0.10, 0.02, 0.05
#: How far from where it was placed a block may lie without one thinking about it, in m.
_PRECISE = 0.004
_LOW, _HIGH = (0.25, -0.35), (0.65, 0.35)
_LETTERS = "ABCDEFGHIJ"


@dataclass(frozen=True)
class Seen:
    """One observation as numbers. blocks: by id, in m."""

    blocks: dict[int, Vector]
    hand: Vector
    pull: float
    opening: float
    turned: tuple[float, ...]

    @property
    def held(self) -> int | None:
        if not 0.02 < self.opening < 0.03:
            return None
        near = [b for b, at in self.blocks.items() if _distance(at, self.hand) < _NEAR]
        return near[0] if near else None


def seen(numbers: Sequence[float], turned: int = 4) -> Seen:
    """The observation of the numbers in the order of the dialect's `vector_of`.

    turned: how many numbers tell the orientation of the end effector.
    """
    count = (len(numbers) - 8 - turned) // 7
    blocks = {_FIRST + i: _triple(numbers[7 * i : 7 * i + 3]) for i in range(count)}
    hand = numbers[7 * count :]
    return Seen(blocks, _triple(hand[:3]), -hand[5 + turned], hand[-1], tuple(hand[3 : 3 + turned]))


@dataclass
class Beliefs:
    """What the history tells. weights: in N. movable: of the blocks that were tried.

    offset: by how much, along x, y and z, blocks are beside where the gripper places them, in m.
    """

    now: Seen
    weights: dict[int, float] = field(default_factory=dict)
    movable: dict[int, bool] = field(default_factory=dict)
    held_s: float = 0.0
    failed: str = ""
    offset: Vector = (0.0, 0.0, 0.0)


def believe(first: Seen, history: Sequence[tuple[str, Seen]]) -> Beliefs:
    """What actions and the observations after them come to, the oldest first."""
    beliefs = Beliefs(first)
    for action, after in history:
        before, beliefs.now = beliefs.now, after
        beliefs.failed = ""
        name, _, inside = action.strip().removesuffix(")").partition("(")
        block = _named(inside) if name == "pick" else None
        if name == "wait":
            beliefs.held_s += float(inside) if inside else 1.0
            continue
        beliefs.held_s = 0.0
        if block in after.blocks and block is not None and before.held is None:
            risen = after.blocks[block][2] - before.blocks[block][2] > _RISEN
            beliefs.movable[block] = risen
            if risen:
                beliefs.weights[block] = after.pull
            else:
                beliefs.failed = f"{action}: {name_of(block)} did not rise"
        elif name == "place" and before.held is not None:
            _look_where(beliefs, action, inside, after.blocks[before.held], after.held is None)
    return beliefs


def _look_where(beliefs: Beliefs, action: str, inside: str, at: Vector, let_go: bool) -> None:
    """Learn from a place where the block came to lie."""
    if not let_go:
        hand = beliefs.now.hand
        beliefs.offset = (at[0] - hand[0], at[1] - hand[1], at[2] - hand[2])
        beliefs.failed = f"{action}: the block is still in the gripper; place it higher"
        return
    x, y = (float(number) for number in inside.split(",")[:2])
    dx, dy = at[0] - x, at[1] - y
    if max(abs(dx), abs(dy)) > _PRECISE:
        beliefs.offset = (dx, dy, beliefs.offset[2])
        beliefs.failed = (
            f"{action}: the block lies {1000 * dx:.0f} mm along x and {1000 * dy:.0f} mm along y "
            f"beside that; place it by as much to the other side"
        )


@dataclass(frozen=True)
class Plan:
    """What to do next and why. missing: what has to be found out first. done: nothing is left."""

    why: str
    actions: tuple[str, ...]
    missing: str = ""
    done: bool = False


def think(task: str, beliefs: Beliefs) -> Plan:
    """The next actions for a task: measurements where something is missing, else the solution."""
    blocks = sorted(beliefs.now.blocks)
    _deduce(task, beliefs, blocks)
    unknown = _unknown(task, beliefs, blocks)
    numbers = 3 + len(beliefs.now.turned)
    if unknown:
        what = "whether it can be moved" if "<fix>" in task else "the weight"
        names = " and ".join(map(name_of, unknown))
        missing = f"{what} of {names}"
        return Plan(
            f"I lift {names} to learn {missing}.", _measure(beliefs, unknown, numbers), missing
        )
    wanted = _goal(task.lower(), beliefs, blocks)
    if wanted is None:
        return Plan("I do not understand the task.", ("reset()",))
    goal, hold_s = wanted
    stuck = {b for b, movable in beliefs.movable.items() if not movable and "<fix>" in task}
    graph = _graph(beliefs.now.blocks, beliefs.now.held)
    if satisfied(goal, graph) and beliefs.held_s >= hold_s:
        return Plan(f"{_known(beliefs)}Everything is as it should be.", (), done=True)
    return Plan(
        f"{_known(beliefs)}Now I do what is asked.", _solve(goal, hold_s, beliefs, numbers, stuck)
    )


def _deduce(task: str, beliefs: Beliefs, blocks: list[int]) -> None:
    """Of two blocks, where some are fixed, exactly one is."""
    if "<fix>" in task and len(blocks) == 2 and len(beliefs.movable) == 1:
        (known, movable) = next(iter(beliefs.movable.items()))
        beliefs.movable[next(b for b in blocks if b != known)] = not movable


def _unknown(task: str, beliefs: Beliefs, blocks: list[int]) -> list[int]:
    """The blocks that have to be lifted yet."""
    found = []
    for block in blocks:
        stuck = "<fix>" in task and beliefs.movable.get(block) is False
        weigh = "<mass>" in task and not stuck and block not in beliefs.weights
        if weigh or ("<fix>" in task and block not in beliefs.movable):
            found.append(block)
    return found


def _measure(beliefs: Beliefs, unknown: list[int], numbers: int) -> tuple[str, ...]:
    """Lift one after the other and put each back to where it lies."""
    now = beliefs.now
    actions = []
    if now.held is not None:
        spot = free_spot(_graph(now.blocks, now.held), now.held, {})
        if spot is not None:
            actions.append(_place(spot, numbers, beliefs.offset))
    for block in unknown:
        if block != now.held:
            actions += [
                f"pick({name_of(block)})",
                _place(now.blocks[block], numbers, beliefs.offset),
            ]
    return tuple(actions)


def _solve(
    goal: Goal, hold_s: float, beliefs: Beliefs, numbers: int, stuck: set[int]
) -> tuple[str, ...]:
    """The actions of the way with the fewest, each imagined to do what it should.

    stuck: the blocks that cannot be moved.
    """
    plans = []
    for atoms in ways_of(goal):
        way = Way.of(atoms)
        if way is None:
            continue
        way.hold_s = hold_s
        actions = _imagine(way, beliefs, numbers)
        if actions and not any(_named(a[5:-1]) in stuck for a in actions if a.startswith("pick")):
            plans.append(actions)
    return min(plans, key=len, default=("reset()",))


def _imagine(way: Way, beliefs: Beliefs, numbers: int) -> tuple[str, ...]:
    at, held, held_s = dict(beliefs.now.blocks), beliefs.now.held, beliefs.held_s
    actions: list[str] = []
    while len(actions) < 12:
        action = way.next(_graph(at, held), DOWN[numbers], held_s)
        if action is None:
            return tuple(actions)
        if action.verb is Verb.PICK_UP and action.target is not None:
            held = action.target
            actions.append(f"pick({name_of(held)})")
        elif action.verb is Verb.PLACE and action.pose is not None and held is not None:
            at_spot = _triple(action.pose[:3])
            at[held], held = at_spot, None
            actions.append(_place(at_spot, numbers, beliefs.offset))
        else:
            held_s += action.seconds or 0.0
            actions.append(f"wait({action.seconds or 1.0:g})")
    return ()


# --- understanding the task ----------------------------------------------------------------------


def _goal(task: str, beliefs: Beliefs, blocks: list[int]) -> tuple[Goal, float] | None:
    """What a task asks for as it is believed, and for how many seconds to hold it."""
    heavy_last = sorted(blocks, key=lambda b: beliefs.weights.get(b, 0.0))
    free = [b for b in heavy_last if beliefs.movable.get(b, True)]
    fixed = [b for b in blocks if b not in free]
    seconds = re.search(r"for (\d+) seconds", task)
    hold_s = float(seconds.group(1)) if seconds else 0.0
    if "sort" in task:
        left = [Lies("left_of", pair, _APART, 1.0) for pair in pairwise(heavy_last)]
        return And((*_on_table(blocks), *left)), 0.0
    if "straight line" in task:
        a, b, c = blocks
        middle = (Lies("off_middle", o, 0.0, _LINE) for o in ((a, b, c), (b, a, c), (a, c, b)))
        return And((*_on_table(blocks), Or(tuple(middle)))), 0.0
    if "on the fixed" in task:
        return _stack([fixed[0], free[0]]), 0.0
    if "exactly" in task:
        pairs = permutations(blocks, 2)
        exact = [And((_stack((b, a)), Lies("beside", (a, b), 0.0, 0.005))) for a, b in pairs]
        return Or(tuple(exact)), 0.0
    if "stack" in task:
        if "weight" in task or "lighter" in task:
            return _stack(heavy_last[::-1]), 0.0
        return Or(tuple(_stack(order) for order in permutations(blocks))), 0.0
    one = _one(task, free)
    if "corner" in task:
        return And(tuple(_corner(b) for b in (blocks if "both" in task else [one]))), 0.0
    if "pick up" in task:
        return Related(_ARM, Relation.HOLDS, one), hold_s
    return None


def _one(task: str, lightest_first: list[int]) -> int:
    if "medium" in task:
        return lightest_first[len(lightest_first) // 2]
    return lightest_first[-1] if "heav" in task else lightest_first[0]


def _stack(order: Sequence[int]) -> And:
    return And(tuple(Related(upper, Relation.ON, lower) for lower, upper in pairwise(order)))


def _on_table(blocks: Sequence[int]) -> list[Related]:
    return [Related(block, Relation.ON, _TABLE) for block in blocks]


def _corner(block: int) -> And:
    near = (
        Or(
            (
                Lies(axis, (block,), low, low + _CORNER),
                Lies(axis, (block,), high - _CORNER, high),
            )
        )
        for axis, low, high in zip("xy", _LOW, _HIGH, strict=True)
    )
    return And((*_on_table([block]), *near))


# --- words and numbers ---------------------------------------------------------------------------


def _known(beliefs: Beliefs) -> str:
    weights = [f"{name_of(b)} pulls with {w:.2f} N" for b, w in sorted(beliefs.weights.items())]
    moves = [
        f"{name_of(b)} {'can' if movable else 'cannot'} be moved"
        for b, movable in sorted(beliefs.movable.items())
    ]
    return f"{', '.join([*weights, *moves])}. " if weights or moves else ""


def learned(beliefs: Beliefs) -> str:
    """What the history tells, in a sentence."""
    return _known(beliefs).strip() or "nothing"


def name_of(block: int) -> str:
    return f"cube{_LETTERS[block - _FIRST]}"


def _named(text: str) -> int | None:
    found = re.fullmatch(r"cube([A-J])", text.strip())
    return None if found is None else _FIRST + _LETTERS.index(found.group(1))


def _place(spot: Vector, numbers: int, offset: Vector = (0.0, 0.0, 0.0)) -> str:
    """The place after which a block lies at a spot."""
    x, y, z = spot
    pose = (x - offset[0], y - offset[1], z - offset[2], *DOWN[numbers])
    return f"place({', '.join(f'{round(number, 4):g}' for number in pose)})"


def _triple(numbers: Sequence[float]) -> Vector:
    x, y, z = numbers
    return x, y, z


def _distance(one: Vector, other: Vector) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def _graph(blocks: dict[int, Vector], held: int | None) -> SceneGraph:
    """The blocks as they are imagined, on a table that is as large as the tasks have it."""
    import numpy as np

    from ....skills.arm import kinematics
    from ....skills.arm.block_graph import block_graph
    from ....skills.arm.setting import SIMULATED
    from ....skills.arm.world import BlockPose

    poses = {block: BlockPose(np.array(at), np.eye(3)) for block, at in blocks.items()}
    return block_graph(poses, held, kinematics.forward(kinematics.HOME), SIMULATED)
