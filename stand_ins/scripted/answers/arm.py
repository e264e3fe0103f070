"""Answers to `llm_pop` and to the generators of tasks about blocks."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any

from ....observation_text.dialects.blocks.instruction_goals import BlockFacts
from ....observation_text.dialects.blocks.instructions import (
    DESCRIPTIONS,
    FORMS,
    BlockInstruction,
    parse_instruction,
)
from ....scene_graph.node import Vector
from ....skills.arm.blocks.block_graph import FIRST_BLOCK
from ..asked import Asked, WrittenChoice, as_json
from ..blocks import ArmPlan, BlockKnowledge, knowledge_of, next_actions, observation_of, triple
from ..home.memory import DONE, Choice

#: The separators of the actions of a choice, and of the lines of an analysis.
_SEPARATOR = "\n"
_SUCCESS, _FAIL, _NO_OUTPUT = "SUCCESS", "FAIL", "<nooutput>"
_PLEASE = "Please: "
_HOLDS = (2.0, 5.0)


def _knowledge(asked: Asked) -> BlockKnowledge:
    """The knowledge from observations."""
    about = asked.about
    angles = about["numbers"] - 3
    done = [(action, observation_of(seen, angles)) for action, seen in about["done"]]
    return knowledge_of(observation_of(about["first"], angles), done)


def evaluation(asked: Asked) -> WrittenChoice:
    """Whether the task is fulfilled, else what is missing, new and failed."""
    knowledge = _knowledge(asked)
    plan = next_actions(asked.about["task"], knowledge)
    if plan.done:
        return WrittenChoice(Choice(plan.why, _SUCCESS), _write)
    analysis = (
        f"MISSING: {plan.missing or 'none'}",
        f"NEW: {knowledge.facts() or 'nothing'}",
        f"FAILED: {knowledge.failed or 'none'}",
    )
    return WrittenChoice(Choice(_SEPARATOR.join(analysis), _FAIL), _write)


def actions(asked: Asked) -> WrittenChoice:
    """An explanation and actions."""
    plan = next_actions(asked.about["task"], _knowledge(asked))
    return WrittenChoice(Choice(plan.why, _SEPARATOR.join(plan.actions) or DONE), _write)


def question(asked: Asked) -> WrittenChoice:
    """The answer to one of the three questions. judged: whether the last round only judged."""
    plan = next_actions(asked.about["task"], _knowledge(asked))
    if asked.about["number"] == 1:
        return WrittenChoice(Choice(_judgement(plan), _NO_OUTPUT), _write)
    if plan.done and not asked.about["judged"]:
        return WrittenChoice(Choice(plan.why, _NO_OUTPUT), _write)
    return WrittenChoice(Choice(plan.why, f"[{', '.join(plan.actions or ('reset()',))}]"), _write)


def _judgement(plan: ArmPlan) -> str:
    return f"No. One does not know {plan.missing} yet." if plan.missing else f"Yes. {plan.why}"


def _write(choice: Choice) -> str:
    if choice.action in (_SUCCESS, _FAIL):
        return f"{choice.action}\n{choice.thought}"
    if choice.action == _NO_OUTPUT or choice.action.startswith("["):
        return f"EXPLAIN: {choice.thought}\nACTION: {choice.action}"
    said = ["DONE"] if choice.action == DONE else choice.action.split(_SEPARATOR)
    lines = [f"ACTION {action}" for action in said]
    return _SEPARATOR.join(["EXPLAIN", choice.thought, "EXECUTE", *lines])


# --- tasks ---------------------------------------------------------------------------------------


def tasks(asked: Asked) -> WrittenChoice:
    """New tasks of the grammar, every second one in other words."""
    chance = random.Random(asked.seed)
    of_form: dict[str, list[tuple[str, BlockInstruction]]] = {form: [] for form in FORMS}
    for tags, wish in _sentences(chance.choice(_HOLDS)):
        of_form[wish.form].append((tags, wish))
    found = []
    forms = chance.sample(list(of_form), len(of_form))
    for i in range(asked.about["number"]):
        tags, wish = chance.choice(of_form[forms[i % len(forms)]])
        text = chance.choice(wish.texts())
        words = f"{_PLEASE}{text}" if i % 2 else text
        found.append({"task": f"{tags} {words}".lstrip(), "means": text})
    return as_json({"tasks": found})


def meanings(asked: Asked) -> WrittenChoice:
    """The meaning of tasks: the sentence of the grammar in them."""
    texts = [task.rpartition(">")[2].strip() for task in asked.about["tasks"]]
    return as_json({"means": [text.removeprefix(_PLEASE) for text in texts]})


def _sentences(hold_s: float) -> Iterator[tuple[str, BlockInstruction]]:
    """Sentences with their tags, by the rules of the prompt."""
    for three, mass, fix in product((False, True), repeat=3):
        blocks = 3 if three else 2
        tags = f"{'<three>' * three}{'<mass>' * mass}{'<fix>' * fix}"
        names = [
            name
            for name, which in DESCRIPTIONS.items()
            if blocks in which.block_counts
            and (mass or not which.needs_weights)
            and which.needs_movability == fix
        ]
        for name, form in FORMS.items():
            if blocks not in form.block_counts or (form.needs_weights and (fix or not mass)):
                continue
            for named in permutations(names, form.slots):
                x, y = (*named, "", "")[:2]
                yield tags, BlockInstruction(name, x, y, hold_s if form.takes_seconds else 0.0)


# --- imagined solutions, in which every action works exactly --------------------------------------

#: Start places of blocks, in m, and their random offset.
_PLACES, _BESIDE = ((0.38, -0.15), (0.42, 0.14), (0.52, 0.0)), 0.03
_HOME = (0.307, 0.0, 0.487)
_DOWN, _FLAT = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
_OPEN, _CLOSED, _LIFT, _MIDDLE = 0.04, 0.025, 0.15, 0.025
_NEWTONS = (2.94, 4.91, 3.92)
#: Most rounds of a solution, and most draws of weights until the task has a goal.
_ROUNDS, _TRIES = 6, 50


@dataclass
class _World:
    """An imagined scene: positions and weights of the blocks by id, in m and N."""

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
        """Do an action of `next_actions`."""
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


def solution(asked: Asked) -> WrittenChoice:
    """An imagined solution, from blocks at random places."""
    task = asked.about["task"].replace(_PLEASE, "")
    return as_json(imagined(task, random.Random(asked.seed), in_turn=asked.about["in_turn"]))


def imagined(task: str, chance: random.Random, *, in_turn: bool) -> dict[str, Any]:
    """A solution from a random start. in_turn: with the question of what is missing."""
    world = _world(task, chance)
    start = world.observed()
    rounds: list[dict[str, Any]] = []
    done: list[tuple[str, list[float]]] = []
    for _ in range(_ROUNDS):
        history = [(action, observation_of(numbers)) for action, numbers in done]
        plan = next_actions(task, knowledge_of(observation_of(start), history))
        if in_turn:
            rounds.append(_round(1, _judgement(plan)))
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
    return {"question": number, "explain": explain, "actions": [*actions], "observations": [*seen]}
