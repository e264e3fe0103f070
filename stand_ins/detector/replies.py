"""Replies of the stand-in: an image described, and its own description parsed into rows.

The two questions are those of `planners/kits/detectors/prompts`. The first is told by its image,
the second by the description at its end.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import json
import random
import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...observation_text.dialects.lookplangraph import node_names
from ...observation_text.tile_codes import TileCode, located_codes
from ...scene_graph.node import Kind, Relation, State
from ..chat_completions import ChatReply, ChatRequest, ErrorResponse
from .errors import ErrorRates, with_errors

_PLACE = re.compile(r"your camera shows of ([^\s.]+)\.")
_KNOWN = re.compile(r"use it for the thing: (.*)\.$", re.MULTILINE)
_EXPECTED = re.compile(r"^Earlier these were there: (.*?)\. They", re.MULTILINE)
_DESCRIPTION = "Description:\n"
_WORDS = {
    Relation.ON: "on top of",
    Relation.INSIDE: "inside",
    Relation.UNDER: "under",
    Relation.ATTACHED: "attached to",
}
_RELATIONS = {
    "on top of": "ontop_of",
    "inside": "inside_of",
    "under": "under",
    "attached to": "attached_to",
}
_STATES = {
    State.OPEN: "open",
    State.CLOSED: "closed",
    State.ON: "turned_on",
    State.OFF: "turned_off",
}
_SENTENCE = re.compile(
    rf"^(?P<name>\S+) is (?:(?P<how>{'|'.join(_RELATIONS)}) (?P<where>\S+?)|there)"
    r"(?:; it is (?P<states>[a-z_, ]+))?(?: \[(?P<box>[0-9., ]+)\])?\.$"
)
NOTHING = "I can make out nothing in this image."


class DetectorModel:
    """The stand-in as it answers requests; threads may ask at once.

    What it gets wrong is drawn from a seed, the question with its image, and how often that was
    asked before: a second look may see better, as with a camera that never shows the same twice.
    """

    def __init__(self, rates: ErrorRates, seed: int = 0) -> None:
        self._rates = rates
        self._seed = seed
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def reply(self, request: ChatRequest) -> ChatReply:
        """The reply to a request. Raises ErrorResponse."""
        text = request.messages[-1]["content"]
        if request.images:
            return ChatReply(self._described(text, request.images[-1]))
        head, found, description = text.rpartition(_DESCRIPTION)
        if not found or not head:
            raise ErrorResponse(
                400, "The stand-in 'scripted_detector' is no planner: it only looks at images."
            )
        return ChatReply(json.dumps({"rows": parsed(description)}))

    def _described(self, question: str, url: str) -> str:
        asked = _PLACE.search(question)
        if asked is None:
            raise ErrorResponse(400, "The stand-in does not know this question on an image.")
        image = pixels(url)
        located = located_codes(image)
        if not located:
            return NOTHING
        codes = [code for code, _ in located]
        boxes = {code.index: _box(edges, image.shape) for code, edges in located}
        place = _tile_of(codes, asked[1])
        if place is None:
            return f"{asked[1]} is not in the image."
        things = with_errors(_things(codes, place), place, self._rates, self._chance(question, url))
        return _sentences(things, codes, place, asked[1], _listed(question), boxes)

    def _chance(self, question: str, url: str) -> random.Random:
        digest = hashlib.sha256(f"{question}:{url}".encode()).hexdigest()
        with self._lock:
            before = self._asked[digest]
            self._asked[digest] += 1
        return random.Random(f"{self._seed}:{digest}:{before}")


def pixels(url: str) -> NDArray[np.uint8]:
    """The pixels of a data URL, shape (height, width, 3). Raises ErrorResponse."""
    from PIL import Image

    head, _, encoded = url.partition(",")
    if not head.startswith("data:image/") or not head.endswith(";base64"):
        raise ErrorResponse(400, "The image is no data URL.")
    try:
        with Image.open(io.BytesIO(base64.b64decode(encoded, validate=True))) as image:
            return np.asarray(image.convert("RGB"))
    except (binascii.Error, OSError, ValueError, SyntaxError) as error:
        raise ErrorResponse(400, f"The image cannot be decoded ({error}).") from None


def parsed(description: str) -> list[dict[str, str]]:
    """The rows of a description in the stand-in's own words."""
    rows = []
    for line in description.splitlines():
        found = _SENTENCE.match(line.strip())
        if found is not None:
            how = found["how"]
            rows.append(
                {
                    "name": found["name"],
                    "relation": _RELATIONS[how] if how else "",
                    "related_to": found["where"] or "",
                    "states": found["states"] or "",
                    "box": found["box"] or "",
                }
            )
    return rows


def _tile_of(codes: Sequence[TileCode], name: str) -> TileCode | None:
    """The first tile of a place by the category in its name."""
    said = node_names.read(name)
    stem = node_names.stem(name) if said is None else said.stem
    return next((code for code in codes if node_names.stem(code.category) == stem), None)


def _things(codes: Sequence[TileCode], place: TileCode) -> list[TileCode]:
    """The movable things on and in a place, what they keep included."""
    inside = {place.index}
    found = []
    for code in sorted(codes, key=lambda code: code.index):  # a tile comes after its parent
        if code.parent in inside:
            inside.add(code.index)
            if code.kind is Kind.OBJECT:
                found.append(code)
    return found


def _listed(question: str) -> list[str]:
    """The names that a question offers, those that are expected at the place first."""
    names: list[str] = []
    for pattern in (_EXPECTED, _KNOWN):
        found = pattern.search(question)
        names += found[1].split(", ") if found else []
    return list(dict.fromkeys(names))


def _sentences(
    things: Sequence[TileCode],
    codes: Sequence[TileCode],
    place: TileCode,
    called: str,
    listed: Sequence[str],
    boxes: Mapping[int, str],
) -> str:
    """A sentence for each thing; where its container was missed, only that it is there."""
    names = {place.index: called, **_names(things, listed, called)}
    for code in codes:
        if code.kind is not Kind.OBJECT:  # furniture in the place
            names.setdefault(code.index, node_names.stem(code.category))
    lines = [f"This is {called}."]
    for thing in things:
        where = names.get(thing.parent)
        known = where is not None and thing.relation is not None
        told = f"{_WORDS[thing.relation]} {where}" if known and thing.relation else "there"
        states = ", ".join(word for state, word in _STATES.items() if state in thing.states)
        if states:
            told += f"; it is {states}"
        if thing in codes:
            told += f" [{boxes[thing.index]}]"
        lines.append(f"{names[thing.index]} is {told}.")
    return "\n".join(lines)


def _box(edges: Sequence[int], shape: Sequence[int]) -> str:
    """Left, upper, right and lower edge of a code in percent of the image."""
    left, upper, right, lower = edges
    across, down = 100 / shape[1], 100 / shape[0]
    return f"{left * across:.1f}, {upper * down:.1f}, {right * across:.1f}, {lower * down:.1f}"


def _names(things: Sequence[TileCode], listed: Sequence[str], called: str) -> Mapping[int, str]:
    """A name for each thing: one that is listed, or the next number of its category."""
    free: dict[str, list[str]] = {}
    for name in listed:
        said = node_names.read(name)
        if said is not None:
            free.setdefault(said.stem, []).append(name)
    counts: dict[str, int] = {}
    for said in map(node_names.read, (*listed, called)):
        if said is not None:
            counts[said.stem] = max(said.number, counts.get(said.stem, 0))
    found = {}
    for thing in things:
        stem = node_names.stem(thing.category)
        if free.get(stem):
            found[thing.index] = free[stem].pop(0)
        else:
            counts[stem] = counts.get(stem, 0) + 1
            found[thing.index] = f"{stem}-{counts[stem]}"
    return found
