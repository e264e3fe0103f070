"""ALFWorld's engine and our interpreter, command by command on the same games.

    PEEPHOLE_ALFWORLD_PYTHON=… .venv/bin/python benchmarks/text_games.py              # 60 games
    PEEPHOLE_ALFWORLD_PYTHON=… .venv/bin/python benchmarks/text_games.py --games 4 --commands 20

The games are drawn: a third with the words of ALFWorld 0.4, a third with those before it, and a
third with the domain and grammar that ALFWorld 0.4.2 itself has. First a game is won by its
walkthrough, with other commands in between; then it is played on by drawn commands, most of them
admissible. Observation, admissible commands and end are compared after every command. The times are
medians of a command, by the clock, with the menu that both make each time; a game's first reading
is not counted.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from peephole.adapters.alfworld import engine
from peephole.adapters.alfworld.drawing import drawn
from peephole.adapters.alfworld.game import TextGame, Told
from peephole.adapters.alfworld.game_file import GameFile

#: Commands that are seldom admissible.
_OTHERS = (
    *("dance", "go to fridge 9", " look ", "open fridge 1", "use desklamp 1", "Look"),
    *("take apple 1 from fridge 1", "help", "", "examine cabinet 1"),
)
_HANDLING = ("take", "put", "move", "open", "close", "heat", "cool", "clean", "slice", "use")


@dataclass
class Comparison:
    """What was compared, and how long a command took."""

    compared: int = 0
    won: int = 0
    differences: list[str] = field(default_factory=list)
    theirs_s: list[float] = field(default_factory=list)
    ours_s: list[float] = field(default_factory=list)


def game(number: int) -> GameFile:
    """A drawn game in one of the three wordings, each of which has every kind of task."""
    wording = number // 6 % 3
    if wording < 2:
        return drawn(number, ("move", "put")[wording])
    file = drawn(number)
    spec = find_spec("alfworld")
    assert spec is not None, "alfworld of environments/no-deps.txt"
    assert spec.submodule_search_locations is not None
    data = Path(spec.submodule_search_locations[0]) / "data"
    grammar = (data / "alfred.twl2").read_text().replace("UNKNOWN GOAL", file.task)
    return replace(file, domain=(data / "alfred.pddl").read_text(), grammar=grammar)


def command(told: Told, dice: random.Random) -> str:
    """A drawn command."""
    chance, commands = dice.random(), told.commands
    if chance < 0.05:
        return dice.choice(_OTHERS)
    if chance < 0.35:
        return dice.choice([text for text in commands if not text.startswith("go to")])
    handling = [text for text in commands if text.startswith(_HANDLING)]
    return dice.choice(handling if chance < 0.6 and handling else commands)


def commands_of(file: GameFile, count: int, dice: random.Random) -> Iterator[str | None]:
    """The commands of a game; None for a drawn one. The walkthrough leaves some in between."""
    played = 0
    for each in file.walkthrough:
        if dice.random() < 0.3:
            yield dice.choice(("look", "inventory", "help", "dance"))
            played += 1
        yield each
        played += 1
    yield from [None] * (count - played)


def compare(numbers: range, commands: int, found: Comparison) -> Iterator[dict[str, Any]]:
    """Play games in both; yields what the engine said, for a record. Raises Missing."""
    process = engine.Engine()
    try:
        for number in numbers:
            file, dice = game(number), random.Random(number)
            told, ours = process.begin(file), TextGame(file)
            mine = ours.reset()
            yield {"game": number, "file": file.to_data()}
            yield _compared(file.where, None, told, mine, found)
            for due in commands_of(file, commands, dice):
                text = command(told, dice) if due is None else due
                began = time.perf_counter()
                told = process.step(text)
                halfway = time.perf_counter()
                mine = ours.step(text)
                found.ours_s.append(time.perf_counter() - halfway)
                found.theirs_s.append(halfway - began)
                yield _compared(file.where, text, told, mine, found)
                found.won += told.won and due is not None
    finally:
        process.close()


def _compared(
    where: str, text: str | None, theirs: Told, ours: Told, found: Comparison
) -> dict[str, Any]:
    found.compared += 1
    if theirs != ours:
        found.differences.append(f"{where}, after {text!r}: {theirs} and ours {ours}")
    return {"command": text, "feedback": theirs.feedback, "commands": theirs.commands} | (
        {"won": True} if theirs.won else {}
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    parser.add_argument("--commands", type=int, default=170)
    parser.add_argument("--record", type=Path, help="write what the engine said, as JSON lines")
    options = parser.parse_args()
    lacking = engine.missing()
    if lacking is not None:
        print(lacking, file=sys.stderr)
        return 3
    found, lines = Comparison(), []
    numbers = range(options.first, options.first + options.games)
    for line in compare(numbers, options.commands, found):
        lines.append(json.dumps(line))
    if options.record is not None:
        options.record.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for difference in found.differences[:5]:
        print(difference)
    theirs, ours = (1 / statistics.median(each) for each in (found.theirs_s, found.ours_s))
    print(
        f"{found.compared} texts in {options.games} games, {found.won} won: "
        f"{len(found.differences)} differences. A second has {theirs:,.1f} commands in ALFWorld's "
        f"engine and {ours:,.0f} here: {ours / theirs:,.0f} times as many."
    )
    return 1 if found.differences else 0


if __name__ == "__main__":
    sys.exit(main())
