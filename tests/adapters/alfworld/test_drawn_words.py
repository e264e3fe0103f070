"""The words of drawn games, beside the grammar of the package alfworld."""

import random
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from peephole.adapters.alfworld.drawing import drawn
from peephole.adapters.alfworld.game import TextGame

_HANDLING = ("take", "move", "open", "heat", "cool", "clean", "slice", "use", "examine")
#: What the commands below have to bring up, so that it is compared.
_SAID = (
    "This is a normal",
    "This is a cold",
    "This is a hot",
    "and clean",
    "sliced",
    "You turn on",
)


def grammar_of_alfworld(task: str) -> str:
    spec = find_spec("alfworld")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("the package alfworld of environments/no-deps.txt is not installed")
    path = Path(spec.submodule_search_locations[0]) / "data" / "alfred.twl2"
    return path.read_text(encoding="utf-8").replace("UNKNOWN GOAL", task)


def test_drawn_games_say_what_alfworlds_grammar_says() -> None:
    said = []
    for number in (1, 3, 7):
        file, dice = drawn(number), random.Random(number)
        ours, theirs = (
            TextGame(file),
            TextGame(replace(file, grammar=grammar_of_alfworld(file.task))),
        )
        told = ours.reset()
        assert told == theirs.reset()
        for _ in range(4000):
            handling = [text for text in told.commands if text.startswith(_HANDLING)]
            command = dice.choice(handling if handling and dice.random() < 0.7 else told.commands)
            if command == "help":
                continue  # a text of our own
            told = ours.step(command)
            assert told == theirs.step(command), command
            said.append(told.feedback)
    for words in _SAID:
        assert any(words in text for text in said), words
