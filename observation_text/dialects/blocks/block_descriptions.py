"""Descriptions of blocks in instructions, and the facts that decide which block is meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ....skills.arm.block_graph import FIRST_BLOCK


@dataclass(frozen=True)
class BlockFacts:
    """The facts of a scene, true or assumed. by_weight: the ids, the lightest first."""

    by_weight: tuple[int, ...]
    fixed: frozenset[int] = frozenset()

    @property
    def blocks(self) -> tuple[int, ...]:
        """The ids of all blocks, ascending."""
        return tuple(sorted(self.by_weight))

    @property
    def movable(self) -> tuple[int, ...]:
        """The blocks that are not fixed, the lightest first."""
        return tuple(block for block in self.by_weight if block not in self.fixed)


@dataclass(frozen=True)
class BlockDescription:
    """A phrase for one of the blocks.

    find: the block that it describes, or None. needs_weights, needs_movability: whether weights or
    movability must be known to find it. block_counts: the numbers of blocks in a scene that it
    suits.
    """

    find: Callable[[BlockFacts], int | None]
    needs_weights: bool = False
    needs_movability: bool = False
    block_counts: tuple[int, ...] = (2, 3)


def _named(block: int) -> Callable[[BlockFacts], int | None]:
    return lambda facts: block if block in facts.blocks else None


def _only(blocks: Iterable[int]) -> int | None:
    ids = tuple(blocks)
    return ids[0] if len(ids) == 1 else None


#: The descriptions by phrase.
DESCRIPTIONS: Mapping[str, BlockDescription] = {
    "the lighter block": BlockDescription(
        lambda f: f.by_weight[0], needs_weights=True, block_counts=(2,)
    ),
    "the heavier block": BlockDescription(
        lambda f: f.by_weight[-1], needs_weights=True, block_counts=(2,)
    ),
    "the lightest block": BlockDescription(
        lambda f: f.by_weight[0], needs_weights=True, block_counts=(3,)
    ),
    "the heaviest block": BlockDescription(
        lambda f: f.by_weight[-1], needs_weights=True, block_counts=(3,)
    ),
    "the block of medium weight": BlockDescription(
        lambda f: f.by_weight[1], needs_weights=True, block_counts=(3,)
    ),
    "the movable block": BlockDescription(
        lambda f: _only(f.movable), needs_movability=True, block_counts=(2,)
    ),
    "the fixed block": BlockDescription(
        lambda f: _only(f.fixed), needs_movability=True, block_counts=(2,)
    ),
    "the only movable block": BlockDescription(
        lambda f: _only(f.movable), needs_movability=True, block_counts=(3,)
    ),
    "the only fixed block": BlockDescription(
        lambda f: _only(f.fixed), needs_movability=True, block_counts=(3,)
    ),
    "the lightest of the movable blocks": BlockDescription(
        lambda f: f.movable[0] if len(f.movable) > 1 else None, True, True, (3,)
    ),
    "the heaviest of the movable blocks": BlockDescription(
        lambda f: f.movable[-1] if len(f.movable) > 1 else None, True, True, (3,)
    ),
    "cubeA": BlockDescription(_named(FIRST_BLOCK)),
    "cubeB": BlockDescription(_named(FIRST_BLOCK + 1)),
    "cubeC": BlockDescription(_named(FIRST_BLOCK + 2), block_counts=(3,)),
}
