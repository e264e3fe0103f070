"""Instruction pairs that a language model imagines, as in LLM-POP (section 4.2, A.4).

The model gets a task, invents an initial state, and writes the questions, answers and observations
of a whole solution, after real examples. An answer with errors of form is asked for again with the
error; of one that stays wrong, the rounds before the error are kept.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from ...errors import BadInput
from ...models.contract import Model, NoAnswer, Unusable
from ...observation_text.dialect import Refusal
from ...observation_text.dialects.blocks import grammar
from ...observation_text.names import Names
from ...planners.kits.prompting.templates import Templates
from ...planners.llm_pop.grammar import read_answer
from ...planners.llm_pop.records import QUESTIONS, Numbers
from ...scene_graph.fields import Field
from ...skills.arm.blocks.block_graph import FIRST_BLOCK
from ..json_questions import ask
from .generate import robot_text
from .solutions import ENOUGH, FIND_OUT, SOLVE, AnsweredRound, PairForm, Solution, answer_text

#: Real solutions in a prompt.
EXAMPLES = 2
#: Initial states differ if some block is at least this far from its other place, in m.
_ELSEWHERE = 0.01
#: Bounds of positions in m, of the length of a quaternion, and of a finger in m.
_FAR, _QUATERNION, _OPEN = 2.0, (0.9, 1.1), (-0.001, 0.041)
#: How far open fingers are that hold a block, and how near its centre is to the hand, in m.
_HOLDING, _HELD_WITHIN = (0.02, 0.03), 0.03
_POSE = 7
_TEMPLATES = Templates(__file__)


@dataclass
class ImaginedPairs:
    """The result of `imagine`.

    left_out: number of rounds after an error. missing: why a solution is incomplete or lacking, by
    task and number of the initial state.
    """

    solutions: list[Solution] = field(default_factory=list)
    left_out: int = 0
    missing: dict[str, str] = field(default_factory=dict)

    @property
    def doubtful(self) -> int:
        """The number of observations whose fingers hold a block that is elsewhere."""
        seen = [o for s in self.solutions for r in s.rounds for o in r.observations]
        return sum(map(_holds_nothing_near, seen))


def imagine(
    model: Model,
    tasks: Sequence[str],
    form: PairForm,
    examples: Sequence[Solution],
    starts: int,
    seed: int = 0,
) -> ImaginedPairs:
    """Let a model imagine solutions of tasks, each from `starts` initial states."""
    found = ImaginedPairs()
    questions = QUESTIONS if form is PairForm.COT else {}
    system = _TEMPLATES.render("pairs_system", robot=robot_text(), questions=questions)
    chance = random.Random(f"imagined pairs {seed}")
    for task in tasks:
        shown = _shown(task, examples, chance)
        known = [solution.start for solution in shown]
        for number in range(1, starts + 1):
            reading = _Reading(task, form, known)
            user = _TEMPLATES.render(
                "pairs",
                task=task,
                size=size_of(task),
                examples=[(solution.task, _as_json(solution, form)) for solution in shown],
                other=[_short(start) for start in known[len(shown) :]],
            )
            try:
                ask(model, system, user, reading.read, number, partial(_about, task, form))
            except NoAnswer as error:
                found.missing[f"{task} ({number})"] = reading.problem or str(error)
            found.left_out += reading.rounds - len(reading.best.rounds)
            if reading.best.rounds:
                found.solutions.append(reading.best)
                known.append(reading.best.start)
    return found


def _about(task: str, form: PairForm) -> dict[str, object]:
    """The content of a prompt for a solution, as data for stand-ins."""
    return {"kind": "arm_solution", "task": task, "in_turn": form is PairForm.COT}


def size_of(task: str) -> int:
    """The length of an observation: poses of blocks and hand, force, two fingers."""
    blocks = 3 if "<three>" in task else 2
    return _POSE * blocks + _POSE + 3 + 2


def _shown(task: str, examples: Sequence[Solution], chance: random.Random) -> list[Solution]:
    """Some examples in random order, those of other tasks with as many blocks first."""
    drawn = chance.sample(list(examples), len(examples))
    drawn.sort(key=lambda each: (len(each.start) != size_of(task), each.task == task))
    return drawn[:EXAMPLES]


# --- reading -------------------------------------------------------------------------------------


class _Reading:
    """A reader of answers on one initial state, until one is right.

    best: the solution with the most rounds before an error. rounds: the number of rounds of that
    answer. problem: the error of the newest answer.
    """

    def __init__(self, task: str, form: PairForm, known: Iterable[Numbers]) -> None:
        self.best = Solution(task, (), ())
        self.rounds = 0
        self.problem = ""
        self._task, self._form, self._known = task, form, list(known)

    def read(self, answer: Field) -> None:
        """Keep a solution, or its rounds before the first error. Raises BadInput."""
        try:
            self._read(answer)
        except BadInput as error:
            self.problem = str(error)
            raise

    def _read(self, answer: Field) -> None:
        entries = answer.entries(("start", "rounds"), None)
        size = size_of(self._task)
        start = observation(entries["start"], size)
        if any(_same_places(start, known) for known in self._known):
            raise entries["start"].wrong("expected blocks at other places than those shown")
        items = entries["rounds"].items()
        if not items:
            raise entries["rounds"].wrong("expected at least one round")
        rounds: list[AnsweredRound] = []
        for item in items:
            last = item is items[-1]
            rounds.append(_round(item, self._form, rounds, size, last=last))
            if len(rounds) > len(self.best.rounds):
                self.best, self.rounds = Solution(self._task, start, tuple(rounds)), len(items)
        self.best, self.rounds = Solution(self._task, start, tuple(rounds)), len(items)


def _round(
    item: Field, form: PairForm, before: Sequence[AnsweredRound], size: int, *, last: bool
) -> AnsweredRound:
    """A round that may follow those before. Raises BadInput."""
    entries = item.entries(("explain",), None)
    asked = SOLVE if form is PairForm.VANILLA else _next_question(before)
    if form is PairForm.COT and item.entries(("question",), None)["question"].integer() != asked:
        raise entries["question"].wrong(f"expected question {asked} here")
    explain = " ".join(entries["explain"].text().split())
    if not explain.isprintable() or not any(map(str.isalpha, explain)):
        raise entries["explain"].wrong("expected words")
    if asked == ENOUGH:
        found = AnsweredRound(asked, explain)
    else:
        entries = item.entries(("actions", "observations"), None)
        actions = tuple(_action(each, size) for each in entries["actions"].items())
        seen = tuple(observation(each, size) for each in entries["observations"].items())
        if len(seen) > len(actions) or not (seen or last):
            raise entries["observations"].wrong("expected one for each action that was done")
        if not actions:
            raise entries["actions"].wrong("expected at least one action")
        found = AnsweredRound(asked, explain, actions, seen)
    try:
        read_answer(answer_text(found), acts=asked != ENOUGH)
    except Unusable as error:
        raise item.wrong(str(error).rstrip(".")) from None
    if last and asked != SOLVE:
        raise item.wrong(f"expected question {SOLVE}, which solves the task, as the last one")
    return found


def _next_question(before: Sequence[AnsweredRound]) -> int:
    """The next question: the first one, or after it one of the others, by its answer."""
    if not before or before[-1].question != ENOUGH:
        return ENOUGH
    return SOLVE if before[-1].explain.lower().startswith("yes") else FIND_OUT


def _action(field: Field, size: int) -> str:
    """An action in the dialect's wording. Raises BadInput."""
    names = Names()
    blocks = range(FIRST_BLOCK, FIRST_BLOCK + size // _POSE - 1)
    for number, block in enumerate(blocks, start=1):
        names.give(block, "cube", number)
    try:
        parsed = grammar.parse(field.text(), names, blocks, _POSE, None)
    except Refusal as refusal:
        raise field.wrong(str(refusal).rstrip(".")) from None
    return grammar.word(names, parsed)


def observation(field: Field, size: int) -> Numbers:
    """The numbers of an observation. Raises BadInput."""
    numbers = tuple(round(item.number(), 4) for item in field.items(size))
    for at in range(0, size - 5, _POSE):
        if max(map(abs, numbers[at : at + 3])) > _FAR:
            raise field.wrong(f"expected positions in m at numbers {at + 1} to {at + 3}")
        if not _QUATERNION[0] < math.hypot(*numbers[at + 3 : at + _POSE]) < _QUATERNION[1]:
            raise field.wrong(f"expected a unit quaternion at numbers {at + 4} to {at + _POSE}")
    if not all(_OPEN[0] <= finger <= _OPEN[1] for finger in numbers[-2:]):
        raise field.wrong("expected the two fingers last, from 0 to 0.04")
    return numbers


def _places(numbers: Numbers) -> list[Numbers]:
    """The positions of the blocks, then that of the hand."""
    return [numbers[at : at + 3] for at in range(0, len(numbers) - 5, _POSE)]


def _same_places(one: Numbers, other: Numbers) -> bool:
    return len(one) == len(other) and all(
        math.dist(a, b) < _ELSEWHERE for a, b in zip(_places(one), _places(other), strict=True)
    )


def _holds_nothing_near(numbers: Numbers) -> bool:
    *blocks, hand = _places(numbers)
    holding = all(_HOLDING[0] < finger < _HOLDING[1] for finger in numbers[-2:])
    return holding and all(math.dist(block, hand) > _HELD_WITHIN for block in blocks)


# --- telling -------------------------------------------------------------------------------------


def _as_json(solution: Solution, form: PairForm) -> str:
    """An example in the format of the answer, a round per line."""
    lines = [
        json.dumps(
            {
                **({"question": each.question} if form is PairForm.COT else {}),
                "explain": each.explain,
                "actions": each.actions,
                "observations": [_short(numbers) for numbers in each.observations],
            },
            ensure_ascii=False,
        )
        for each in solution.rounds
    ]
    rounds = ",\n".join(lines)
    return f'{{"start": {json.dumps(_short(solution.start))}, "rounds": [\n{rounds}\n]}}'


def _short(numbers: Numbers) -> list[float | int]:
    return [int(number) if number == int(number) else number for number in numbers]
