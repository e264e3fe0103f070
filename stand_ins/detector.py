"""A stand-in for a vision model, for checking mechanisms without one.

It gets the bytes of images as a vision model does. It reads drawn pictures by the codes on their
tiles (`observation_text.tile_codes`), and sees nothing in other images. Its descriptions have
errors at the rates that a user sets.

For an image with N things, in groups of the same category at the same place:

- miscounted: probability that a group of two or more lacks some: one to all but one, uniformly;
- missed: probability that any other thing is left out;
- invented: probability, for each of the N, of a thing that is not there.

So a thing is reported with the probability s = (1 - missed) * (1 - miscounted / 2) in a group of
two or more, and s = 1 - missed alone. `benchmarks/detector.py` derives the expected F1 from that.
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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from ..data_files import lines_of
from ..errors import Missing
from ..installed import Lack
from ..models.served_model import ModelEndpoint, ServedModel, ServeOptions
from ..observation_text.dialects.lookplangraph import node_names
from ..observation_text.tile_codes import TileCode, located_codes
from ..scene_graph.node import Kind, Relation, State
from .rates import read_rates
from .server import ChatReply, ChatRequest, ErrorResponse, serving

NAME = "scripted_detector"
#: Categories of invented things; no suite has them.
_INVENTED = ("telescope", "gramophone", "sundial", "anvil", "accordion", "trombone", "globe")


@dataclass(frozen=True)
class ErrorRates:
    """Probabilities of errors; see the module."""

    missed: float = 0.0
    invented: float = 0.0
    miscounted: float = 0.0


def parse_rates(text: str) -> ErrorRates:
    """The rates of "missed=0.1,invented=0.05". Raises BadInput."""
    known = [field.name for field in fields(ErrorRates)]
    return ErrorRates(**read_rates(text, known, "The rate", "error of the detector"))


def with_errors(
    things: Sequence[TileCode], place: TileCode, rates: ErrorRates, chance: random.Random
) -> list[TileCode]:
    """The reported things: without those left out, with those invented on the place."""
    left_out: set[int] = set()
    groups: dict[object, list[TileCode]] = {}
    for thing in things:
        groups.setdefault((thing.category, thing.relation, thing.parent), []).append(thing)
    for group in groups.values():
        if len(group) > 1 and chance.random() < rates.miscounted:
            fewer = chance.randint(1, len(group) - 1)
            left_out.update(thing.index for thing in chance.sample(group, fewer))
    reported = [t for t in things if chance.random() >= rates.missed and t.index not in left_out]
    return reported + list(_invented(things, place, rates, chance))


def _invented(
    things: Sequence[TileCode], place: TileCode, rates: ErrorRates, chance: random.Random
) -> Iterator[TileCode]:
    index = max((thing.index for thing in things), default=place.index)
    for _ in things:
        if chance.random() < rates.invented:
            index += 1
            category = chance.choice(_INVENTED)
            yield TileCode(index, place.index, Relation.ON, things[0].kind, frozenset(), category)


_WORDS = {
    Relation.ON: "on top of",
    Relation.INSIDE: "inside",
    Relation.UNDER: "under",
    Relation.ATTACHED: "attached to",
}
_ROWS = ("ontop_of", "inside_of", "under", "attached_to")
_RELATIONS = dict(zip(_WORDS.values(), _ROWS, strict=True))
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
    """The replies of the stand-in. Threads may ask at the same time.

    Errors are drawn from a seed, the question with its image, and how often that was asked before.
    So a second look may have other errors, as with a real camera.
    """

    def __init__(self, rates: ErrorRates, seed: int = 0) -> None:
        self._rates = rates
        self._seed = seed
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def reply(self, request: ChatRequest) -> ChatReply:
        """The reply to a request. Raises ErrorResponse."""
        about = request.aside.get("about", {})
        match about.get("kind"):
            case "look" if request.images:
                question = request.messages[-1]["content"]
                places = about.get("places") or [about["place"]]
                listed = list(dict.fromkeys(about["listed"]))
                return ChatReply(self._described(question, places, listed, request.images[-1]))
            case "rows":
                return ChatReply(json.dumps({"rows": parsed(about["description"])}))
        raise ErrorResponse(
            400,
            "it only describes the pictures that Peephole draws; use it with --model "
            "vision=scripted_detector.",
        )

    def _described(
        self, question: str, places: Sequence[str], listed: Sequence[str], url: str
    ) -> str:
        """A description of the first of the places that is in the image."""
        image = pixels(url)
        located = located_codes(image)
        if not located:
            return NOTHING
        codes = [code for code, _ in located]
        boxes = {code.index: _box(edges, image.shape) for code, edges in located}
        found = ((name, _tile_of(codes, name)) for name in places)
        called, place = next(((n, tile) for n, tile in found if tile is not None), ("", None))
        if place is None:
            return f"{' and '.join(places)} is not in the image."
        things = with_errors(_things(codes, place), place, self._rates, self._chance(question, url))
        return _sentences(things, codes, place, called, listed, boxes)

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
        raise ErrorResponse(400, "The image is not a data URL.")
    try:
        with Image.open(io.BytesIO(base64.b64decode(encoded, validate=True))) as image:
            return np.asarray(image.convert("RGB"))
    except (binascii.Error, OSError, ValueError, SyntaxError) as error:
        raise ErrorResponse(400, f"The image cannot be decoded ({error}).") from None


def parsed(description: str) -> list[dict[str, str]]:
    """The rows of a description in the stand-in's own words."""
    rows = []
    for line in lines_of(description):
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
    """The movable things on and in a place, with the things that they hold."""
    inside = {place.index}
    found = []
    for code in sorted(codes, key=lambda code: code.index):  # a tile comes after its parent
        if code.parent in inside:
            inside.add(code.index)
            if code.kind is Kind.OBJECT:
                found.append(code)
    return found


def _sentences(
    things: Sequence[TileCode],
    codes: Sequence[TileCode],
    place: TileCode,
    called: str,
    listed: Sequence[str],
    boxes: Mapping[int, str],
) -> str:
    """A sentence for each thing. If its container was missed, the sentence only says "there"."""
    names = {place.index: called, **_names(things, listed, called)}
    for code in codes:
        if code.kind is not Kind.OBJECT:  # furniture in the place
            names.setdefault(code.index, node_names.stem(code.category))
    lines = [f"This is {called}."]
    for thing in things:
        where = names.get(thing.parent)
        known = where is not None and thing.relation is not None
        text = f"{_WORDS[thing.relation]} {where}" if known and thing.relation else "there"
        states = ", ".join(word for state, word in _STATES.items() if state in thing.states)
        if states:
            text += f"; it is {states}"
        if thing in codes:
            text += f" [{boxes[thing.index]}]"
        lines.append(f"{names[thing.index]} is {text}.")
    return "\n".join(lines)


def _box(edges: Sequence[int], shape: Sequence[int]) -> str:
    """Left, upper, right and lower edge of a code in percent of the image."""
    left, upper, right, lower = edges
    across, down = 100 / shape[1], 100 / shape[0]
    return f"{left * across:.1f}, {upper * down:.1f}, {right * across:.1f}, {lower * down:.1f}"


def _names(things: Sequence[TileCode], listed: Sequence[str], called: str) -> Mapping[int, str]:
    """A name for each thing: a listed one, or the next number of its category."""
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


def check(argument: str) -> None:
    """Raise BadInput for a malformed argument, Missing without pillow."""
    parse_rates(argument)
    if find_spec("PIL") is None:
        raise Missing(Lack("The stand-in detector needs pillow", "vision"))


@contextmanager
def serve(options: ServeOptions) -> Iterator[ModelEndpoint]:
    """Answer requests from threads of this process until the context ends."""
    model = DetectorModel(parse_rates(options.argument), options.seed)
    with serving(NAME, model.reply) as url:
        yield ModelEndpoint(url, NAME, advises=True, reads_aside=True)


MODEL = ServedModel(
    NAME,
    "reads drawn pictures by their codes, with errors at given rates: "
    "--model vision=scripted_detector:missed=0.1,invented=0.05,miscounted=0.1",
    serve,
    check,
    stand_in=True,
)
