"""The server of ALFWorld's engine, run by the interpreter that has it.

Run as a file, with textworld, fast-downward-textworld and alfworld, and only the file `serving` of
Peephole, whose protocol it speaks. A game is played as ALFWorld's own environment plays it: by
textworld's PddlEnv, with the names of alfworld's Demangler.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any


class Engine:
    """One game at a time."""

    def __init__(self) -> None:
        """Raises ImportError."""
        import textworld
        from alfworld.agents.utils.misc import Demangler
        from textworld.envs.pddl import PddlEnv

        self._demangler = Demangler
        infos = textworld.EnvInfos(feedback=True, admissible_commands=True)
        self._env = PddlEnv(infos)

    def begin(self, game: dict[str, Any], where: str) -> dict[str, Any]:
        """Begin a game from the data of its file. Raises ValueError for one that cannot be read."""
        try:
            self._env.load(game)
            infos = self._env._entity_infos
            demangler = self._demangler(game_infos=infos)
            for info in infos.values():
                info.name = demangler.demangle_alfred_name(info.id)
            state = self._env.reset()
        except BaseException as error:  # its translator exits
            if isinstance(error, (KeyboardInterrupt, MemoryError)):
                raise
            reason = " ".join(str(error).split())[:300] or type(error).__name__
            raise ValueError(f"{where} cannot be played in ALFWorld's engine: {reason}.") from None
        names = [[each, *demangler.obj_names[each].values()] for each in infos]
        return {"names": names, "told": self._told(state)}

    def step(self, command: str) -> dict[str, Any]:
        """Play a command."""
        state, _, _ = self._env.step(command)
        return self._told(state)

    def _told(self, state: Any) -> dict[str, Any]:
        facts = [
            [fact.name, *(variable.name for variable in fact.arguments)]
            for fact in state["_facts"]
            if not fact.name.startswith(("not_", "new-axiom@"))
        ]
        return {
            "feedback": state["feedback"],
            "commands": state["admissible_commands"],
            "won": bool(state["won"]),
            "facts": facts,
        }


def versions() -> dict[str, Any]:
    """The versions of the packages."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in ("textworld", "fast-downward-textworld", "alfworld"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def main() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    kept = [folder for folder in sys.path if os.path.abspath(folder or ".") != here]
    sys.path[:] = [os.path.join(os.path.dirname(here), "process"), *kept]
    serving = importlib.import_module("serving")
    sys.path[:] = kept
    channel = serving.Channel()
    try:
        engine = Engine()
    except ImportError as error:
        serving.serve_missing(channel, f"{sys.executable} lacks a part of ALFWorld: {error}")
        return
    calls = {"begin": engine.begin, "step": engine.step}
    serving.serve(channel, calls, versions, {ValueError: serving.BAD_INPUT})


if __name__ == "__main__":
    main()
