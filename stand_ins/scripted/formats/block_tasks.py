"""The formats of what makes tasks about blocks and imagines their solutions, each a JSON object.

Tasks are drawn from the grammar of sentences, every other one in words that are none of its own;
what is asked back about those is the sentence in them. `blocks.imagination` solves tasks.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import Any

from ....observation_text.dialects.blocks.block_descriptions import DESCRIPTIONS
from ....observation_text.dialects.blocks.instructions import BlockInstruction
from ....observation_text.dialects.blocks.sentence_forms import FORMS
from ..blocks.imagination import imagined
from ..household.requirements import Table
from ..transcript import Choice, Sampled

_WRITES = "You write tasks for a robot arm before blocks."
_READS = "You say what instructions to a robot arm before blocks mean."
_IMAGINES = "You imagine how a robot arm before blocks solves a task."
_NUMBER = re.compile(r"Write (\d+) new tasks")
_LISTED = re.compile(r"^\d+\. (?:<\w+>)* ?(.*)$", re.MULTILINE)
_TASK = re.compile(r"^Task: (.*)\Z", re.MULTILINE)
_PLEASE = "Please: "
_HOLDS = (2.0, 5.0)

_Messages = Sequence[Mapping[str, str]]


def recognises(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """Whether the system message asks for one of the three."""
    return messages[0]["role"] == "system" and messages[0]["content"].startswith(
        (_WRITES, _READS, _IMAGINES)
    )


def read(messages: _Messages, schema: Mapping[str, Any]) -> Choice | Sampled:
    """The answer to the question; by chance which tasks are written and where blocks lie."""
    system, asked = messages[0]["content"], messages[1]["content"]
    if system.startswith(_READS):
        means = [text.removeprefix(_PLEASE) for text in _LISTED.findall(asked)]
        return Choice("", json.dumps({"means": means}))

    def choose(table: Table, seed: int | None) -> Choice:
        chance = random.Random(seed)
        if system.startswith(_WRITES):
            number = _NUMBER.search(asked)
            tasks = _tasks(chance, int(number[1]) if number else 1)
            return Choice("", json.dumps({"tasks": tasks}))
        task = _TASK.search(asked)
        in_turn = "Question 1:" in system
        known = task[1].replace(_PLEASE, "") if task else ""
        return Choice("", json.dumps(imagined(known, chance, in_turn=in_turn)))

    return Sampled(choose)


def write(choice: Choice) -> str:
    """The reply's text."""
    return choice.action


def _tasks(chance: random.Random, number: int) -> list[dict[str, str]]:
    of_form: dict[str, list[tuple[str, BlockInstruction]]] = {form: [] for form in FORMS}
    for tags, wish in _sentences(chance.choice(_HOLDS)):
        of_form[wish.form].append((tags, wish))
    found = []
    forms = chance.sample(list(of_form), len(of_form))
    for i in range(number):
        tags, wish = chance.choice(of_form[forms[i % len(forms)]])
        text = chance.choice(wish.texts())
        words = f"{_PLEASE}{text}" if i % 2 else text
        found.append({"task": f"{tags} {words}".lstrip(), "means": text})
    return found


def _sentences(hold_s: float) -> Iterator[tuple[str, BlockInstruction]]:
    """Sentences with their tags, as the rules in the prompt have them."""
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
