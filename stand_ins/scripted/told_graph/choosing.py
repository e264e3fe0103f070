"""The next call: what a careful person would do next, several steps put into one function.

The policy of a house says steps such as going there, opening, picking up and putting down. They are
imagined one after another, and what they amount to is the call: `rearrange` for fetching and
putting down, `discover_objects` for going somewhere to see what is there.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ..dialects.lookplangraph import GraphScene, NodeWords, ToldNode, keepers, room_of, with_keepers
from ..dialects.reactree import category, parse_put
from ..household import commonsense
from ..household.memory import Memory
from ..household.policy import choices
from ..household.requirements import Requirement
from ..household.search import search_for
from ..household.situation import Situation
from ..transcript import DONE, GIVE_UP, Choice
from .history import RELATIONS, EarlierCall, note, note_again

#: So many steps are imagined for one call, and a room is gone to for a search.
_STEPS, _VISITS = 8, 3
#: What one is told to do first.
_ADVICE = re.compile(r"confirm it with (\w+\(\S+-\d+\)) first")
_DROP = "drop "
#: Furniture is good to lay something down on from this search value on.
_SURFACE = 1.0


@dataclass(frozen=True)
class Told:
    """What a prompt tells, and what it asks for.

    noted: nodes by name as they were last noted. fading: names of those whose note is in the oldest
    reason, which the next prompt may not tell.
    """

    instruction: str
    requirements: Sequence[Requirement]
    scene: GraphScene
    calls: Sequence[EarlierCall]
    words: NodeWords
    discovers: bool
    noted: Mapping[str, ToldNode] = field(default_factory=dict)
    fading: Collection[str] = ()

    @property
    def kinds(self) -> set[str]:
        """The categories that the instruction speaks of."""
        terms = [t for r in self.requirements for t in (r.thing, r.place)]
        return {kind for term in terms if term is not None for kind in term.categories}

    @property
    def sought(self) -> list[str]:
        """The categories of which everything is wanted and something was not found."""
        wanted = {
            kind
            for required in self.requirements
            if required.count is None and required.thing is not None
            for kind in required.thing.categories
        }
        return sorted(wanted.intersection(map(category, self.scene.missing)))


def next_call(told: Told, memory: Memory) -> Choice:
    """The next call, as text, with its reason."""
    advised = _ADVICE.search(told.calls[-1].failure) if told.calls else None
    if advised is not None:
        return Choice("I do what I was told to do first.", advised[1])
    thought, steps = _imagined(told, memory)
    call = _call(told, memory, steps)
    staying = {name: node for name, node in told.noted.items() if name not in told.fading}
    notes = note(told.scene, with_keepers(told.scene, told.kinds), told.words, staying)
    again = note_again(told.scene, told.fading, told.words, told.noted)
    return Choice(f"{thought}{notes}{again}", call)


def _imagined(told: Told, memory: Memory) -> tuple[str, list[str]]:
    """The steps of the policy up to one that something new may come of, and the first thought."""
    memory = copy.deepcopy(memory)
    thought, steps = "", []
    for _ in range(_STEPS):
        choice = _first(told, memory)
        thought = thought or choice.thought
        steps.append(choice.action)
        if not _imagine(memory, choice.action):
            break
    return thought, steps


def _first(told: Told, memory: Memory) -> Choice:
    situation = Situation(memory, None, told.instruction)
    for choice in choices(situation, told.requirements):
        if choice.action == DONE and told.sought:
            break
        if situation.possible(choice.action):
            return choice
    for choice in search_for(situation, told.sought):
        if situation.possible(choice.action):
            return choice
    return Choice("I see no way on.", GIVE_UP)


def _imagine(memory: Memory, step: str) -> bool:
    """Imagine a step; whether what follows can be imagined, too."""
    assert memory.reachable is not None
    verb, _, name = step.rpartition(" to ") if step.startswith("go to ") else step.partition(" ")
    if step.startswith("go to "):
        if name in memory.rooms:
            return False
        memory.reachable.add(name)
        memory.reachable.update(
            n for n, s in memory.things.items() if name in (s.place, s.stood_at)
        )
        return True
    if step.startswith("pick up "):
        name = step.removeprefix("pick up ")
        memory.held.append(name)
        memory.things.pop(name, None)
        return True
    if verb == "open":
        memory.set_state(name, "open")
        memory.seen_into.add(name)
        return True
    return False


# --- what the steps amount to --------------------------------------------------------------------


def _call(told: Told, memory: Memory, steps: Sequence[str]) -> str:
    thing, how, place = parse_put(steps[-1]) or (None, None, None)
    if thing is not None and how is not None and place is not None:
        return _confirmed(told, (thing, place)) or (
            f"rearrange({told.words.original(thing)}, {RELATIONS[how]}, "
            f"{told.words.original(place)})"
        )
    if steps[-1].startswith(_DROP):
        return _laid_down(told, memory, steps[-1].removeprefix(_DROP))
    if steps[0] == GIVE_UP:
        return _search_again(told, memory)
    meant = _meant(steps, memory)
    name = meant.removeprefix("go to ").removeprefix("open ")
    is_look = name != meant and name not in memory.rooms and name not in memory.inspected
    if is_look and told.discovers:
        return _confirmed(told, (name,)) or f"discover_objects({told.words.original(name)})"
    return _single(told, meant)


def _meant(steps: Sequence[str], memory: Memory) -> str:
    """The first step that is not only the way to the next."""
    for step, following in pairwise(steps):
        if not step.startswith("go to "):
            return step
        name = step.removeprefix("go to ")
        thing = following.partition(" ")[2].removeprefix("up ")
        sighting = memory.things.get(thing)
        at = () if sighting is None else (sighting.place, sighting.stood_at)
        if not following.endswith(f" {name}") and name not in at:
            return step
    return steps[-1]


def _single(told: Told, step: str) -> str:
    """The call of one step on one node."""
    for phrase, function in (
        ("go to ", "go_to"),
        ("pick up ", "pick_up"),
        ("open ", "open"),
        ("close ", "close"),
        ("turn on ", "turn_on"),
        ("turn off ", "turn_off"),
        ("plug in ", "turn_on"),  # which needs it
    ):
        name = step.removeprefix(phrase)
        if name != step:
            needs_look = function != "go_to"
            confirm = _confirmed(told, (name,)) if needs_look else None
            return confirm or f"{function}({told.words.original(name)})"
    return _done(told)


def _confirmed(told: Told, names: Sequence[str]) -> str | None:
    """The call that confirms one of some objects; None where none is only remembered."""
    if not told.discovers:
        return None
    for name in names:
        node = told.scene.nodes.get(name)
        if node is None or not node.is_remembered:
            continue
        above = keepers(told.scene, name)
        place = next((p for p in above if not _is_remembered(told.scene.nodes.get(p))), None)
        if place is None:
            place = node.room or told.scene.here
        function = "go_to" if place in told.scene.rooms else "discover_objects"
        return f"{function}({told.words.original(place or name)})"
    return None


def _is_remembered(node: ToldNode | None) -> bool:
    return node is not None and node.is_remembered


def _laid_down(told: Told, memory: Memory, thing: str) -> str:
    """Put a thing on furniture that nothing is to be taken away from, here if possible."""
    emptied = {
        kind
        for required in told.requirements
        if required.place is not None and (required.negated or required.relation == "away")
        for kind in required.place.categories
    }
    places = [
        name
        for name, node in told.scene.nodes.items()
        if node.is_asset and category(name) not in emptied and name not in memory.refusing
    ]
    places.sort(
        key=lambda name: (
            room_of(told.scene, name) != told.scene.here,
            commonsense.search_value("", category(name), "") < _SURFACE,
        )
    )
    if not places:
        return _search_again(told, memory)
    return f"rearrange({told.words.original(thing)}, ontop, {told.words.original(places[0])})"


def _search_again(told: Told, memory: Memory) -> str:
    """Go once more to a room whose furniture was not looked at in full, the least visited first."""
    visits = Counter(call.arguments[0] for call in told.calls if call.function == "go_to")
    left = [r for r in memory.rooms if visits[r] < _VISITS and r != memory.room]
    if told.discovers and len(memory.rooms) > 1 and left:
        room = min(left, key=lambda r: visits[r])
        return f"go_to({told.words.original(room)})"
    return _done(told)


def _done(told: Told) -> str:
    return f"done({told.words.original(told.scene.here or 'scene 1')})"
