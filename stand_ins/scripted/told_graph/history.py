"""What was done and noticed before, as the prompts of `lookplangraph` tell it.

Between two prompts nothing is kept but the newest reasons, so what matters later is noted in these,
as a person would: relevant nodes of a place that one leaves, again before the note is not told.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..dialects.lookplangraph import GraphScene, NodeWords, ToldNode, room_of

_ACTION = re.compile(r"^(?:action: )?(\w+)\((.*?)\)(?: \(failed: (.*)\))?$", re.MULTILINE)
_NOTED = re.compile(r"Noted in (\S+): ([^.\n]+)\.")
_NOTE = re.compile(r"(\S+)(?: (inside|on|under) (\S+))?")
_PHRASES = {"turn_on": "turn on", "turn_off": "turn off", "open": "open", "close": "close"}


@dataclass(frozen=True)
class EarlierCall:
    """A function call of before, with names in words. failure: why it was not done, or ""."""

    function: str
    arguments: tuple[str, ...]
    failure: str = ""

    @property
    def actions(self) -> tuple[str, ...]:
        """What it did, in the words of `reactree`."""
        if self.function == "rearrange":
            thing, relation, place = self.arguments
            return f"pick up {thing}", f"put down {thing} {_PREPOSITIONS[relation]} {place}"
        if self.function == "pick_up":
            return (f"pick up {self.arguments[0]}",)
        if self.function in _PHRASES:
            return (f"{_PHRASES[self.function]} {self.arguments[0]}",)
        return (f"go to {self.arguments[0]}",)


_PREPOSITIONS = {"inside": "in", "ontop": "on", "under": "under"}
#: The relation of a preposition, as answers have it.
RELATIONS = {preposition: relation for relation, preposition in _PREPOSITIONS.items()}


def calls_in(text: str, words: NodeWords) -> list[EarlierCall]:
    """The calls of the previous actions."""
    found = []
    for function, said, failure in _ACTION.findall(text):
        parts = [part.strip() for part in said.split(",")]
        named = [parts[0], *parts[2:]] if function == "rearrange" else parts
        names = [words.words(name) if re.fullmatch(r"\w+-\d+", name) else name for name in named]
        if function == "rearrange" and len(parts) == 3 and parts[1] in _PREPOSITIONS:
            found.append(EarlierCall(function, (names[0], parts[1], names[1]), failure))
        elif function != "rearrange":
            found.append(EarlierCall(function, (names[0],), failure))
    return found


def noted_in(text: str, words: NodeWords) -> Iterator[ToldNode]:
    """The nodes that reasons noted, the newest note of each last."""
    for room, listed in _NOTED.findall(text):
        for item in listed.split("; "):
            found = _NOTE.fullmatch(item)
            if found is not None:
                places = ((found[2], words.words(found[3])),) if found[2] else ()
                yield ToldNode(
                    words.words(found[1]),
                    not places,
                    places,
                    words.words(room),
                    is_remembered=bool(places),
                )


def fading(text: str, words: NodeWords) -> set[str]:
    """The names of nodes whose newest note is in the oldest reason that is told."""
    reasons = [reason for reason in _ACTION.sub("\0", text).split("\0")[:-1] if reason.strip()]
    if not reasons:
        return set()
    newer = {node.name for reason in reasons[1:] for node in noted_in(reason, words)}
    return {node.name for node in noted_in(reasons[0], words)} - newer


def note_again(
    scene: GraphScene, fading: Collection[str], words: NodeWords, noted: Mapping[str, ToldNode]
) -> str:
    """The notes on nodes of other rooms that still hold and that the next prompt may not tell."""
    rooms: dict[str, list[str]] = {}
    for name in sorted(fading):
        node = scene.nodes.get(name)
        if node is None or node != noted[name] or node.room is None or node.room == scene.here:
            continue
        where = "".join(f" {how} {words.original(place)}" for how, place in node.places)
        rooms.setdefault(node.room, []).append(f"{words.original(name)}{where}")
    return "".join(f" Noted in {words.original(r)}: {'; '.join(n)}." for r, n in rooms.items())


def note(
    scene: GraphScene,
    nodes: Iterable[ToldNode],
    words: NodeWords,
    noted: Mapping[str, ToldNode],
) -> str:
    """A note on nodes of the present room that are not `noted` as they are now."""
    told = []
    for node in nodes:
        if _is_noted(node, noted.get(node.name), scene.here):
            continue
        if room_of(scene, node.name) == scene.here and (node.is_asset or node.is_remembered):
            places = [pair for pair in node.places if pair[0] in ("inside", "on", "under")][:1]
            where = "".join(f" {how} {words.original(place)}" for how, place in places)
            told.append(f"{words.original(node.name)}{'' if node.is_asset else where}")
    if not told or scene.here is None:
        return ""
    return f" Noted in {words.original(scene.here)}: {'; '.join(told)}."


def _is_noted(node: ToldNode, before: ToldNode | None, here: str | None) -> bool:
    """Whether the last note on a node says what would be noted now."""
    if before is None or before.room != here:
        return False
    places = tuple(pair for pair in node.places if pair[0] in ("inside", "on", "under"))[:1]
    return before.places == (() if node.is_asset else places)
