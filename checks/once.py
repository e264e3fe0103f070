"""What is asked of an engine once, and read by many checks.

Starting a scene takes a real engine minutes. So checks that need the same episode or the same
measurement share it:

    LIFTING = Once(_lift)  # _lift(bench) plays it and returns what it saw

    def weight_is_felt(bench: Bench) -> str:
        lifting = LIFTING.of(bench)
        ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from .assumption import CannotTell, Differs
from .bench import Bench

_T = TypeVar("_T")


class Once(Generic[_T]):
    """An episode or a measurement, played with the first check that reads it."""

    def __init__(self, play: Callable[[Bench], _T]) -> None:
        """play: may raise CannotTell, which then holds for all checks that read it."""
        self._play = play
        self._played: WeakKeyDictionary[Bench, tuple[_T | str, list[str]]] = WeakKeyDictionary()

    def of(self, bench: Bench) -> _T:
        """What the engine of a bench did. Raises CannotTell."""
        if bench not in self._played:
            before = len(bench.steps)
            try:
                saw: _T | str = self._play(bench)
            except (CannotTell, Differs) as untold:
                saw = str(untold)
            self._played[bench] = saw, bench.steps[before:]
        else:
            bench.steps += self._played[bench][1]
        result = self._played[bench][0]
        if isinstance(result, str):
            raise CannotTell(result)
        return result
