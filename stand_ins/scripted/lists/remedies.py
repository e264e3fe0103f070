"""What to do where all seems done and is not.

Where nothing but success and failure is told, one may believe a lamp to be on that has no power.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ..dialects.llm_state import ListedScene
from ..dialects.reactree import category
from ..household.memory import Memory
from .house import ListedHouse
from .log import Logged, target
from .offers import is_offered

#: What to try before an action that failed without a reason.
_BEFORE = {
    "turn on": ("close", "plug in", "turn off"),
    "turn off": ("turn on",),
    "open": ("turn off", "close"),
    "close": ("open",),
}
_WAIT = ("wait",)


def remedy(house: ListedHouse, scene: ListedScene, log: Sequence[Logged]) -> tuple[str, ...]:
    """The actions that were tried the least; waiting, where there are no others."""
    tried = Counter(each.action for each in log)
    memory = house.memory(scene, log)
    found = [*_for_failures(house, log), *_for_what_was_missed(scene, memory, log), _WAIT]
    possible = [actions for actions in found if all(is_offered(house, each) for each in actions)]
    return min(possible, key=lambda actions: tried[actions[len(actions) > 1]], default=())


def _for_failures(house: ListedHouse, log: Sequence[Logged]) -> Iterator[tuple[str, ...]]:
    """What may help where an action failed that the task asks for, and never succeeded later."""
    last = {each.action: each.succeeded for each in log}
    for action, succeeded in last.items():
        name = target(action)
        phrase = action.removesuffix(f" {name}")
        if not succeeded and house.wants_in_state(category(name)):
            for before in _BEFORE.get(phrase, ()):
                yield (f"go to {name}", f"{before} {name}", action)


def _for_what_was_missed(
    scene: ListedScene, memory: Memory, log: Sequence[Logged]
) -> Iterator[tuple[str, ...]]:
    """Where nobody has looked yet, however unlikely."""
    done = {each.action for each in log}
    for name in (*scene.rooms, *memory.furniture):
        if f"go to {name}" not in done and name not in memory.inspected:
            yield (f"go to {name}",)
    for name in scene.things:
        if "Container List" in scene.listed(name) and f"open {name}" not in done:
            yield (f"go to {name}", f"open {name}")
