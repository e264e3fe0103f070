"""The node ids of a block world, and the native ids of its blocks."""

from __future__ import annotations

#: The surroundings as a room, the arm, the table; then the blocks.
ROOM, ARM, TABLE, FIRST_BLOCK = 1, 2, 3, 4


def block_name(block: int) -> str:
    """The native id of a block, from its node id: cubeA, cubeB …"""
    return f"cube{chr(ord('A') + block - FIRST_BLOCK)}"
