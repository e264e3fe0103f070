"""Which tasks about blocks need exploration: by hand, and against a search through all plans."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.adapters.blocks.scenes import load
from peephole.observation_text.dialects.blocks.instruction_goals import BlockFacts
from peephole.observation_text.dialects.blocks.instructions import (
    BlockInstruction,
    parse_instruction,
)
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import Event
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Vector
from peephole.skills.arm.blocks.rearrangement import ideal_graph
from peephole.suites.blocks.drawing import sentences
from peephole.suites.blocks.exploration import needs_exploration, shared_plan, worlds

A, B, C = 4, 5, 6
TWO = load("at=0.45,0.15,0|0.45,-0.15,0")
THREE = load("n=3;at=0.45,0.2,0|0.45,0,0|0.45,-0.2,0")


def needs(instruction: str, facts: BlockFacts) -> bool:
    wish = parse_instruction(instruction)
    assert wish is not None
    tags = frozenset(tag for tag in ("mass", "fix") if f"<{tag}>" in instruction)
    return needs_exploration(wish, facts, tags, TWO if len(facts.blocks) == 2 else THREE)


@pytest.mark.parametrize(
    ("instruction", "facts", "needed"),
    [
        ("<mass> Pick up the heavier block.", BlockFacts((A, B)), True),
        ("<mass> Stack the lighter block on the heavier one.", BlockFacts((A, B)), True),
        # These can be done with any weights.
        ("<mass> Stack one block onto the other.", BlockFacts((A, B)), False),
        ("<mass> Pick up cubeA.", BlockFacts((A, B)), False),
        # Both blocks at corners do for either; the other block has to stay away for it to matter.
        (
            "<mass> Pick up the heavier block and put it at a corner of the table.",
            BlockFacts((A, B)),
            False,
        ),
        (
            "<mass> Move the heavier block, and no other block, to a corner of the table.",
            BlockFacts((A, B)),
            True,
        ),
        # As far from each other as asked for, whichever is which.
        (
            "<mass> Put the lighter block on the table at least 40 cm from cubeB.",
            BlockFacts((A, B)),
            False,
        ),
        # A plan that picks a block that may be fixed is none.
        ("<fix> Stack one block onto the other.", BlockFacts((A, B), frozenset({A})), True),
        (
            "<fix> Find the movable block and put it on the fixed block.",
            BlockFacts((A, B), frozenset({B})),
            True,
        ),
        (
            "<fix> Put the movable block on the table at most 15 cm from the fixed block.",
            BlockFacts((A, B), frozenset({B})),
            True,
        ),
        (
            "<three><mass> Order the blocks on the table so that they get heavier from left to "
            "right.",
            BlockFacts((A, B, C)),
            True,
        ),
        ("<three><mass> Stack the three blocks.", BlockFacts((A, B, C)), False),
        (
            "<three><mass><fix> Pick up the lightest of the movable blocks.",
            BlockFacts((A, B, C), frozenset({C})),
            True,
        ),
    ],
)
def test_what_needs_exploration(instruction: str, facts: BlockFacts, needed: bool) -> None:
    assert needs(instruction, facts) == needed


def test_worlds_are_what_the_tags_allow() -> None:
    assert list(worlds((A, B), frozenset())) == [BlockFacts((A, B))]
    assert set(worlds((A, B), {"mass"})) == {BlockFacts((A, B)), BlockFacts((B, A))}
    fixed = {facts.fixed for facts in worlds((A, B, C), {"fix"})}
    some = ({A}, {B}, {C}, {A, B}, {A, C}, {B, C})
    assert fixed == {frozenset(), *map(frozenset, some), frozenset({A, B, C})}  # nobody says more
    assert len(list(worlds((A, B, C), {"mass", "fix"}))) == 48


# --- against all plans over some spots of the table ----------------------------------------------

SPOTS: tuple[Vector, ...] = (
    (0.45, 0.15, 0.025),  # where they begin
    (0.45, -0.15, 0.025),
    (0.60, 0.30, 0.025),  # corners
    (0.60, -0.30, 0.025),
    (0.45, 0.0, 0.025),
    (0.45, 0.24, 0.025),
)
#: Where each block is: a spot, the other block (as its id), or the hand; how long it is held.
State = tuple[tuple[Vector | int | str, ...], bool]
BLOCKS = (A, B)


def moves(state: State, fixed: frozenset[int]) -> Iterator[State]:
    """What may come of an action that succeeds, in a world where these blocks are fixed."""
    at, _ = state
    if "hand" in at:
        i = at.index("hand")
        other = at[1 - i]
        yield at, True  # wait
        places = [spot for spot in SPOTS if spot != other]
        for place in (*places, BLOCKS[1 - i]):
            yield (at[0], place) if i else (place, at[1]), False
        return
    for i, block in enumerate(BLOCKS):
        if block not in fixed and at[1 - i] != block:
            yield (at[0], "hand") if i else ("hand", at[1]), False


@cache
def reached(fixed: frozenset[int]) -> tuple[State, ...]:
    """All that plans come to whose actions succeed while these blocks are fixed."""
    start: State = ((SPOTS[0], SPOTS[1]), False)
    found, waiting = {start}, deque([start])
    while waiting:
        for after in moves(waiting.popleft(), fixed):
            if after not in found:
                found.add(after)
                waiting.append(after)
    return tuple(found)


@cache
def drawn(state: State) -> SceneGraph:
    at, _ = state
    where: dict[int, Vector] = {}
    held = None
    for block, place in zip(BLOCKS, at, strict=True):
        if isinstance(place, tuple):
            where[block] = place
        elif place == "hand":
            held, where[block] = block, (0.45, 0.0, 0.4)
    for block, place in zip(BLOCKS, at, strict=True):
        if isinstance(place, int):
            x, y, z = where[place]
            where[block] = (x, y, z + 0.05)
    return ideal_graph(where, held)


def fulfilled(wish: BlockInstruction, facts: BlockFacts, state: State) -> bool:
    goal = wish.goal(facts)
    at, waited = state
    events = [Event("held", (BLOCKS[at.index("hand")],), 1, 60.0)] if waited else []
    return goal is not None and satisfied(goal, drawn(state), events)


def blind_plan(wish: BlockInstruction, among: tuple[BlockFacts, ...]) -> bool:
    """Whether a plan over the spots fulfils all of these worlds."""
    fixed = frozenset().union(*(facts.fixed for facts in among))
    return any(all(fulfilled(wish, f, state) for f in among) for state in reached(fixed))


OF_TWO = [(tags, wish) for tags, wish in sentences() if "three" not in tags]


@given(st.sampled_from(OF_TWO), st.data())
def test_what_is_said_to_need_exploration_no_plan_does_in_both_worlds(drawn_task, data) -> None:
    tags, wish = drawn_task
    possible = [f for f in worlds(BLOCKS, frozenset(tags)) if wish.goal(f) is not None]
    own = data.draw(st.sampled_from(possible))
    if not blind_plan(wish, (own,)):
        return
    if needs_exploration(wish, own, frozenset(tags), TWO):
        assert any(not blind_plan(wish, (own, other)) for other in possible)
    elif shared_plan(wish, possible, TWO) is not None and wish.form != "stack_exactly":
        assert blind_plan(wish, tuple(possible))
