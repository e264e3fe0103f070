"""The scenes of games: `alfworld:PATH` of a game file, and `alfworld:drawn/N` of a drawn game."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from ...scene_graph.graph import SceneGraph
from .drawing import drawn
from .game import TextGame
from .game_file import GameFile, read_game
from .world import GameWorld

LOADER = "alfworld"
_DRAWN = re.compile(r"drawn/(\d{1,9})(/put)?")


def game_file(reference: str) -> GameFile:
    """The game of a scene. Raises BadInput."""
    found = _DRAWN.fullmatch(reference)
    if found is not None:
        return drawn(int(found[1]), "put" if found[2] else "move")
    return read_game(Path(reference))


@lru_cache(maxsize=8)
def new_game(reference: str) -> TextGame:
    """A game in our interpreter; its files are read once. Raises BadInput."""
    return TextGame(game_file(reference))


def load(reference: str) -> SceneGraph:
    """The loader "alfworld": the graph of a game at its start. Raises BadInput."""
    game = TextGame(game_file(reference))
    return GameWorld(game.names, game.facts()).graph()
