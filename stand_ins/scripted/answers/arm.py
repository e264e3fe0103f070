"""Answers to `llm_pop` and to the generators of tasks about blocks."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import permutations, product

from ....observation_text.dialects.blocks.instructions import DESCRIPTIONS, FORMS, BlockInstruction
from ..asked import Answer, Asked, as_json
from ..blocks import BlockKnowledge, knowledge_of, next_actions, observation_of
from ..home.memory import DONE, Choice
from ..imagined_blocks import imagined

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


def evaluation(asked: Asked) -> Answer:
    """Whether the task is fulfilled, else what is missing, new and failed."""
    knowledge = _knowledge(asked)
    plan = next_actions(asked.about["task"], knowledge)
    if plan.done:
        return Answer(Choice(plan.why, _SUCCESS), _write)
    analysis = (
        f"MISSING: {plan.missing or 'none'}",
        f"NEW: {knowledge.facts() or 'nothing'}",
        f"FAILED: {knowledge.failed or 'none'}",
    )
    return Answer(Choice(_SEPARATOR.join(analysis), _FAIL), _write)


def actions(asked: Asked) -> Answer:
    """An explanation and actions."""
    plan = next_actions(asked.about["task"], _knowledge(asked))
    return Answer(Choice(plan.why, _SEPARATOR.join(plan.actions) or DONE), _write)


def question(asked: Asked) -> Answer:
    """The answer to one of the three questions. judged: whether the last round only judged."""
    plan = next_actions(asked.about["task"], _knowledge(asked))
    if asked.about["number"] == 1:
        why = f"No. One does not know {plan.missing} yet." if plan.missing else f"Yes. {plan.why}"
        return Answer(Choice(why, _NO_OUTPUT), _write)
    if plan.done and not asked.about["judged"]:
        return Answer(Choice(plan.why, _NO_OUTPUT), _write)
    return Answer(Choice(plan.why, f"[{', '.join(plan.actions or ('reset()',))}]"), _write)


def _write(choice: Choice) -> str:
    if choice.action in (_SUCCESS, _FAIL):
        return f"{choice.action}\n{choice.thought}"
    if choice.action == _NO_OUTPUT or choice.action.startswith("["):
        return f"EXPLAIN: {choice.thought}\nACTION: {choice.action}"
    said = ["DONE"] if choice.action == DONE else choice.action.split(_SEPARATOR)
    lines = [f"ACTION {action}" for action in said]
    return _SEPARATOR.join(["EXPLAIN", choice.thought, "EXECUTE", *lines])


# --- tasks and imagined solutions ----------------------------------------------------------------


def tasks(asked: Asked) -> Answer:
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


def meanings(asked: Asked) -> Answer:
    """The meaning of tasks: the sentence of the grammar in them."""
    texts = [task.rpartition(">")[2].strip() for task in asked.about["tasks"]]
    return as_json({"means": [text.removeprefix(_PLEASE) for text in texts]})


def solution(asked: Asked) -> Answer:
    """An imagined solution, from blocks at random places."""
    task = asked.about["task"].replace(_PLEASE, "")
    found = imagined(task, random.Random(asked.seed), in_turn=asked.about["in_turn"])
    return as_json(found)


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
