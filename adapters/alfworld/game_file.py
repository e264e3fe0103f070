"""Game files: `game.tw-pddl`, one JSON object with a domain, a problem and a grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...data_files import json_data, read_text
from ...errors import BadInput

#: The name of a game's file in its folder.
GAME_FILE = "game.tw-pddl"
_TASK = re.compile(r"Your task is to: (.*?)\.?(?=\\n|\"|$)")
_KEYS = ("pddl_domain", "grammar", "pddl_problem")


@dataclass(frozen=True)
class GameFile:
    """What a game consists of."""

    where: str
    """Its path or name, for messages."""
    domain: str
    """Its actions, in PDDL."""
    grammar: str
    """Its words."""
    problem: str
    """Where it begins and what its goal is, in PDDL."""
    walkthrough: tuple[str, ...] = ()
    """Commands that win it, where the file has them."""
    solvable: bool | None = None
    """Whether ALFWorld's generator found a way to win it; None where nobody has tried."""

    @classmethod
    def of(cls, data: Any, where: str) -> GameFile:
        """A game from its JSON data. Raises BadInput."""
        if not isinstance(data, dict) or not all(isinstance(data.get(key), str) for key in _KEYS):
            raise BadInput(
                f"{where} is no game file of ALFWorld: it needs the texts {', '.join(_KEYS)}; "
                f"make it with alfworld-generate of ALFWorld 0.3 or later."
            )
        domain, grammar, problem = (data[key] for key in _KEYS)
        walkthrough = data.get("walkthrough") or ()
        if not isinstance(walkthrough, list | tuple):
            walkthrough = ()
        solvable = data.get("solvable")
        return cls(
            where,
            domain,
            grammar,
            problem,
            tuple(each for each in walkthrough if isinstance(each, str)),
            solvable if isinstance(solvable, bool) else None,
        )

    def to_data(self) -> dict[str, Any]:
        """The game as the JSON data of its file."""
        return {
            "pddl_domain": self.domain,
            "grammar": self.grammar,
            "pddl_problem": self.problem,
            "solvable": self.solvable,
            "walkthrough": list(self.walkthrough) or None,
        }

    @property
    def task(self) -> str:
        """The task as the game says it, without "Your task is to" and full stop."""
        found = _TASK.search(self.grammar)
        return found[1] if found else ""

    @contextmanager
    def mistakes(self) -> Iterator[None]:
        """Raise BadInput about this file for what is wrong in a part of it."""
        try:
            yield
        except BadInput as error:
            raise BadInput(
                f"{self.where} cannot be played: {error}; use a file of alfworld-generate, or play "
                f"it in the real engine: --adapter alfworld."
            ) from None


def read_game(path: Path) -> GameFile:
    """Read a game file. Raises BadInput."""
    try:
        data = json_data(read_text(path))
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); give a game file.") from None
    except ValueError as error:
        raise BadInput(f"{path} is no game file: {error}; give a {GAME_FILE}.") from None
    return GameFile.of(data, str(path))
