"""Imagined solutions of block tasks, in which every action works exactly."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...observation_text.dialects.blocks.instruction_goals import BlockFacts
from ...observation_text.dialects.blocks.instructions import parse_instruction
from ...skills.arm.block_graph import FIRST_BLOCK
from .blocks import BlockKnowledge, knowledge_of, next_actions, observation_of, triple

#: Start places of blocks, in m, and their random offset.
_PLACES, _BESIDE = ((0.38, -0.15), (0.42, 0.14), (0.52, 0.0)), 0.03
_HOME = (0.307, 0.0, 0.487)
_DOWN, _FLAT = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
_OPEN, _CLOSED, _LIFT, _MIDDLE = 0.04, 0.025, 0.15, 0.025
_NEWTONS = (2.94, 4.91, 3.92)
#: Most rounds of a solution, and most draws of weights until the task has a goal.
_ROUNDS, _TRIES = 6, 50

Vector = tuple[float, float, float]


@dataclass
class _World:
    """The state of an imagined scene."""

    blocks: dict[int, Vector]
    """Positions of the blocks by id, in m."""
    pulls: dict[int, float]
    """Weights of the blocks, in N."""
    fixed: frozenset[int]
    """The fixed blocks."""
    hand: Vector = _HOME
    """Position of the hand, in m."""
    held: int | None = None
    """The held block."""

    def do(self, action: str) -> None:
        """Do an action of `policy`."""
        name, _, arguments = action.removesuffix(")").partition("(")
        if name == "pick":
            block = FIRST_BLOCK + ord(arguments[-1]) - ord("A")
            x, y, z = self.blocks[block]
            self.hand = (x, y, z + _LIFT)
            if block not in self.fixed:
                self.held, self.blocks[block] = block, self.hand
        elif name == "place":
            self.hand = triple([float(number) for number in arguments.split(",")[:3]])
            if self.held is not None:
                self.blocks[self.held], self.held = self.hand, None
        elif name == "reset":
            self.hand = _HOME

    def observed(self) -> list[float]:
        """The numbers of an observation in the order of the dialect `blocks`."""
        numbers = [number for at in self.blocks.values() for number in (*at, *_FLAT)]
        pull = 0.0 if self.held is None else self.pulls[self.held]
        finger = _OPEN if self.held is None else _CLOSED
        numbers += [*self.hand, *_DOWN, 0.0, 0.0, 0.0 - pull, finger, finger]
        return [round(number, 3) for number in numbers]


def imagined(task: str, chance: random.Random, *, in_turn: bool) -> dict[str, Any]:
    """A solution from a random start. in_turn: with the question of what is missing."""
    world = _world(task, chance)
    start = world.observed()
    rounds: list[dict[str, Any]] = []
    done: list[tuple[str, list[float]]] = []
    for _ in range(_ROUNDS):
        plan = next_actions(task, _knowledge(start, done))
        if in_turn:
            unknown = f"No. One does not know {plan.missing} yet."
            rounds.append(_round(1, unknown if plan.missing else f"Yes. {plan.why}"))
        actions = plan.actions or ("reset()",)
        carried_out = _carry_out(world, actions)
        done += carried_out
        seen = [numbers for _, numbers in carried_out] if plan.missing else []
        rounds.append(_round(2 if plan.missing else 3, plan.why, actions, seen))
        if not plan.missing:
            break
    if not in_turn:
        for each in rounds:
            del each["question"]
    return {"start": start, "rounds": rounds}


def _world(task: str, chance: random.Random) -> _World:
    places = _PLACES[: 3 if "<three>" in task else 2]
    blocks: dict[int, Vector] = {}
    for block, (x, y) in enumerate(places, start=FIRST_BLOCK):
        dx, dy = chance.uniform(-_BESIDE, _BESIDE), chance.uniform(-_BESIDE, _BESIDE)
        blocks[block] = (round(x + dx, 3), round(y + dy, 3), _MIDDLE)
    wish = parse_instruction(task)
    for _ in range(_TRIES):
        weights = chance.sample(_NEWTONS, len(blocks))
        pulls = dict(zip(blocks, weights, strict=True))
        count = chance.randrange(1, len(blocks)) if "<fix>" in task else 0
        fixed = frozenset(chance.sample(list(blocks), count))
        facts = BlockFacts(tuple(sorted(blocks, key=pulls.__getitem__)), fixed)
        if wish is None or wish.goal(facts) is not None:
            break
    return _World(blocks, pulls, fixed)


def _knowledge(start: Sequence[float], done: Sequence[tuple[str, list[float]]]) -> BlockKnowledge:
    history = [(action, observation_of(numbers)) for action, numbers in done]
    return knowledge_of(observation_of(start), history)


def _carry_out(world: _World, actions: Sequence[str]) -> list[tuple[str, list[float]]]:
    """The actions up to the first failure, with the observation after each."""
    done = []
    for action in actions:
        before = dict(world.blocks)
        world.do(action)
        done.append((action, world.observed()))
        if action.startswith("pick") and world.blocks == before:
            break
    return done


def _round(
    number: int, explain: str, actions: Sequence[str] = (), seen: Sequence[list[float]] = ()
) -> dict[str, Any]:
    return {
        "question": number,
        "explain": explain,
        "actions": list(actions),
        "observations": list(seen),
    }
