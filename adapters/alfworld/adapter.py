"""The adapters of ALFWorld's games: `alfworld`, their engine, and `symbolic_alfworld`, our own."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, Protocol

from ...observation_text.view import View, Visibility
from ...scene_graph.graph import SceneGraph
from ...scene_graph.task import Task
from ...skills.actions import Action
from ...skills.embodiment import Embodiment
from ...skills.outcomes import Failure, RawResult, Reason
from ...version import __version__
from ..contract import AdapterSpec, Capability
from ..drawn import DrawnAdapter
from . import engine
from .game import Told
from .pddl import Fact
from .scenes import LOADER, game_file, new_game
from .world import VERBS, GameWorld


class Game(Protocol):
    """A game that is being played, in either engine."""

    def step(self, command: str, /) -> Told: ...

    def facts(self) -> frozenset[Fact]: ...


class GameAdapter(DrawnAdapter):
    """A game: what it says is what the agent is told, and its commands are its actions."""

    _game: Game
    _world: GameWorld | None = None
    _told: Told

    def reset(self, task: Task, seed: int) -> None:
        _, reference = self.scene_of(task)
        self._game, self._told, self._world = self._begun(reference)
        self._turn_to(None)
        self._capture()

    def attempt(self, action: Action, variation: int) -> RawResult:
        world = self._playing()
        command = world.command(action, self._told.commands)
        failure = None
        if command is None:
            failure = Failure(Reason.UNSUITABLE, action.target)
        else:
            self._told = self._game.step(command)
            world.update(self._game.facts())
        self._turn_to(action)
        self._capture()
        return RawResult(failure)

    def graph(self) -> SceneGraph:
        return self._playing().graph()

    def view(self) -> View:
        return self._playing().view(self._told)

    @property
    def told(self) -> Told:
        """What the game told last, with all of its admissible commands."""
        self._playing()
        return self._told

    def close(self) -> None:
        self._world = None

    @abstractmethod
    def _begun(self, reference: str) -> tuple[Game, Told, GameWorld]:
        """A game at its start. reference: of its file, as in `Task.scene`."""

    def _playing(self) -> GameWorld:
        assert self._world is not None, "reset comes first"
        return self._world


_SPEC = AdapterSpec(
    name="alfworld",
    summary="ALFWorld's games in their own engine, TextWorld",
    actions=VERBS,
    embodiment=Embodiment(hands=1),
    visibility=Visibility.CAMERA,
    capabilities=frozenset(
        {Capability.GRAPH, Capability.IMAGES, Capability.SEED, Capability.REPLAYABLE}
    ),
    loaders=(LOADER,),
    tested_on="textworld 1.7.0, fast-downward-textworld 20.6.4, alfworld 0.4.2",
    dialects=("alfworld",),
    bounded=True,
)


class SymbolicAlfworldAdapter(GameAdapter):
    """The games in our own interpreter: the same words and commands, and no package needed."""

    spec = replace(
        _SPEC,
        name="symbolic_alfworld",
        summary="ALFWorld's games in an interpreter of ours: the same words, many times faster",
        capabilities=_SPEC.capabilities | {Capability.THREADS},
        tested_on="itself",
    )

    def _begun(self, reference: str) -> tuple[Game, Told, GameWorld]:
        game = new_game(reference).fresh()
        told = game.reset()
        return game, told, GameWorld(game.names, game.facts())

    def facts(self) -> dict[str, Any]:
        return {"peephole": __version__}


class AlfworldAdapter(GameAdapter):
    """The games in ALFWorld's own engine, in a process of its own."""

    spec = _SPEC
    _engine: engine.Engine | None = None

    @classmethod
    def missing(cls) -> str | None:
        return engine.missing()

    def _begun(self, reference: str) -> tuple[Game, Told, GameWorld]:
        if self._engine is None:
            self._engine = engine.Engine()
        told = self._engine.begin(game_file(reference))
        return self._engine, told, GameWorld(self._engine.names, self._engine.facts())

    def close(self) -> None:
        super().close()
        if self._engine is not None:
            self._engine.close()

    def facts(self) -> dict[str, Any]:
        return {} if self._engine is None else self._engine.versions
