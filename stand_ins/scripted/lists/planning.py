"""Plans on lists: what to do next, and after that, as far as one can foresee what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..dialects.llm_state import ListedScene
from ..household.memory import Memory
from ..household.policy import choices
from ..household.situation import Situation
from ..transcript import DONE, GIVE_UP, Choice
from .foresight import is_foreseeable, scene_after
from .house import ListedHouse
from .log import Logged, call_of, target
from .offers import offers
from .remedies import remedy


def plan(
    house: ListedHouse, scene: ListedScene, log: Sequence[Logged], length: int
) -> tuple[list[str], str]:
    """The calls of a plan, and why its first is made; none where nothing is left to be done."""
    calls: list[str] = []
    thought = ""
    ahead = list(log)
    while len(calls) < length:
        memory = house.memory(scene, ahead)
        choice = _next(house, scene, memory)
        call = call_of(choice.action, house.words)
        if call is None:  # it is done, or there is no way on
            break
        thought = thought or choice.thought
        calls.append(call)
        if not is_foreseeable(memory, choice.action):
            break
        scene = scene_after(scene, choice.action)
        ahead.append(Logged(choice.action, True))
    return calls, thought or "As far as I can tell everything is done."


def remedial_plan(house: ListedHouse, scene: ListedScene, log: Sequence[Logged]) -> list[str]:
    """The calls of `remedies.remedy`."""
    return [call_of(action, house.words) or "" for action in remedy(house, scene, log)]


def _next(house: ListedHouse, scene: ListedScene, memory: Memory) -> Choice:
    """The next action, or the end."""
    situation = Situation(memory, offers(house, scene, memory), house.instruction)
    for choice in choices(situation, house.requirements):
        if choice.action in (DONE, GIVE_UP) or situation.possible(choice.action):
            return choice
        name = target(choice.action)
        approach = f"go to {name}"
        if not memory.in_reach(name) and situation.possible(approach):
            return replace(choice, action=approach)
    return Choice("I see no way on.", GIVE_UP)
