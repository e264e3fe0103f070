"""Worlds that differ in one hidden thing, played through a door: the agent gets the same bytes.

`differences` plays pairs of `benchmarks/world_pairs.py` through any door. A door is a function that
opens an episode of a task, and gives what can be said in it.
"""

from __future__ import annotations

import importlib
import os
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple, Protocol
from unittest import mock

from peephole.adapters.contract import Adapter
from peephole.scene_graph.task import Task

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


class Sent(NamedTuple):
    """What an agent got from a door.

    everything: all of it, as text. menu: the actions on offer. over: whether the episode is.
    """

    everything: str
    menu: Sequence[str]
    over: bool


class Opened(Protocol):
    """An episode behind a door."""

    def begin(self) -> Sent:
        """Begin it."""
        ...

    def say(self, text: str) -> Sent:
        """Try an action."""
        ...


#: Opens an episode of a task, in a dialect, with at most so many steps. The agent ends it.
Door = Callable[[Adapter, Task, str, int], AbstractContextManager[Opened]]


@contextmanager
def the_benchmark() -> Iterator[ModuleType]:
    """`benchmarks/world_pairs.py` as a module; the settings that it makes end with this."""
    before = dict(os.environ)
    with mock.patch("sys.path", [str(BENCHMARKS), *__import__("sys").path]):
        yield importlib.import_module("world_pairs")
    os.environ.clear()
    os.environ.update(before)


def differences(door: Door, adapter: str, pairs: int, folder: Path) -> list[str]:
    """The first difference of each pair that has one, for pairs of an adapter's worlds."""
    with the_benchmark() as world_pairs, ExitStack() as running:
        made = dict(world_pairs.makers(adapter, folder, running))[adapter]
        through = playing(door, world_pairs)
        came = [each for *_, each in world_pairs.campaign(made, adapter, pairs, 1, through)]
    assert len(came) > 0.8 * pairs  # some draws give no pair
    assert sum(each.compared for each in came) >= 2 * pairs
    return [each.difference for each in came if each.difference]


def playing(door: Door, world_pairs: Any) -> Callable[..., list[Any]]:
    """Plays a world through a door up to the moment at which the difference shows."""

    def play(
        maker: Any,
        world: Any,
        hidden: frozenset[int],
        felt: frozenset[int],
        dialect: str,
        grants: Any,
        said: Any,
    ) -> list[Any]:
        adapter, reset = maker.adapter, maker.adapter.reset

        def prepared(task: Task, seed: int) -> None:
            reset(task, seed)
            world.prepare(adapter)

        moments = [world_pairs.Moment("", False)]
        action: str | None = None
        with (
            mock.patch.object(adapter, "reset", prepared),
            door(adapter, world.task, dialect, world_pairs.STEPS + 1) as opened,
        ):
            sent = opened.begin()
            words = sorted({node.category for node in adapter.graph().nodes()})
            for _ in range(world_pairs.STEPS):
                shows = not hidden.isdisjoint(adapter.view().graph.by_id)
                moments.append(world_pairs.Moment(sent.everything, shows, action))
                if shows or sent.over:
                    break
                action = drawn(sent, words, said, world_pairs)
                if action is None:
                    break
                sent = opened.say(action)
                if felt and "p" in action:  # picked or placed, and felt
                    break
        return moments

    return play


def drawn(sent: Sent, words: list[str], said: Any, world_pairs: Any) -> str | None:
    """The next text: of what the other world was told, or drawn as for planners."""
    if not isinstance(said, random.Random):
        text: str | None = next(said, None)
        return text
    offers = SimpleNamespace(menu=lambda: [(text, text) for text in sent.menu])
    action = world_pairs.draw(offers, words, said)
    return action if isinstance(action, str) else f"go to {said.choice(words)} 3"
