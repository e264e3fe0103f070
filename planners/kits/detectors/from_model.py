"""Detection by a vision model in two stages: it describes an image, then parses its description.

After Onishchenko et al., LookPlanGraph (2025), section IV-D and appendix G. A model that is asked
for a format together with an image tends to answer that it sees none. So a second question has the
description alone and asks for the format. Tokens of both count as augmentation.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from ....errors import Missing
from ....installed import Lack
from ....models.contract import AUGMENTATION, Model, NoAnswer
from ....models.images import image_part
from ....observation_text.detected_rows import (
    RELATION_WORDS,
    STATE_WORDS,
    Rows,
    understood,
)
from ....scene_graph.node import Kind
from ...contract import Percept
from ..map.names import node_name
from ..prompting.conversation import Content
from ..prompting.templates import Templates
from .detection import DetectedThing, Detection, covered_at, things_at
from .grounding import Grounding

_PROMPTS = Templates(__file__)
#: The media types of image files, by their first bytes.
_KINDS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
_ENDINGS = (".png", ".jpg", ".jpeg")
#: Tokens of one reply; a full shelf takes many words.
_REPLY_TOKENS = 4096
#: Reasons counted in `Detection.dropped`: no image, and no usable answer.
FAILURES = NO_IMAGE, NO_ANSWER = "no_image", "no_answer"


class NoImage(Exception):
    """A place has no image; the text says why, in one sentence."""


#: Gives the image of a place as a part of a message. Raises NoImage.
ImageSource = Callable[[str, Percept], dict[str, Any]]


def camera(place: str, percept: Percept) -> dict[str, Any]:
    """The image of the agent's camera now."""
    image = percept.image()
    if image is None:
        raise NoImage(f"The camera gave no image of {place}; what is there is not known.")
    try:
        return image_part(image)
    except (ValueError, AttributeError, TypeError):
        raise NoImage(
            f"What the camera gave of {place} is no image; what is there is not known."
        ) from None


class ImageFolder:
    """A folder with one image per place: "kitchen table 1.png", "kitchen_table-1.jpg".

    Files are matched by the place's name, ignoring case and separators, or else by its category
    alone ("kitchen table.png").
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, place: str, percept: Percept) -> dict[str, Any]:
        """The image of a place. Raises NoImage."""
        files = {
            _plain(path.stem): path
            for path in sorted(self._folder.glob("*"))
            if path.suffix.lower() in _ENDINGS
        }
        path = files.get(_plain(place)) or files.get(_plain(place.rpartition(" ")[0]))
        if path is None:
            raise NoImage(f"There is no image of {place}; what is there is not known.")
        try:
            content = path.read_bytes()
        except OSError as error:
            raise NoImage(
                f"The image of {place} cannot be read ({error.strerror}); what is there is not "
                f"known."
            ) from None
        kind = next((kind for head, kind in _KINDS.items() if content.startswith(head)), None)
        if kind is None or not _decodes(content):
            raise NoImage(f"The image file of {place} is no image; what is there is not known.")
        url = f"data:{kind};base64,{base64.b64encode(content).decode()}"
        return {"type": "image_url", "image_url": {"url": url}}


class ModelDetector:
    """A detector by a vision model and an image of the place."""

    def __init__(self, model: Model, images: ImageSource = camera) -> None:
        """model: of the role "vision". images: where the image of a place comes from."""
        self._model = model
        self._images = images
        self._grounding = Grounding()

    def detect(
        self,
        place: int,
        percept: Percept,
        names: Mapping[int, str],
        priors: Collection[int] = (),
        known: Collection[int] | None = None,
    ) -> Detection:
        """See `Detector.detect`."""
        name = names.get(place) or percept.names.get(place, f"place {place}")
        called = node_name(name)
        offered = [
            node_name(names[thing])
            for thing in _movable(percept, names, place)
            if known is None or thing in known
        ]
        expected = [node_name(names[thing]) for thing in priors if thing in names]
        dropped: Counter[str] = Counter()
        try:
            image = self._images(name, percept)
            question = _PROMPTS.render("describe", place=called, names=offered, priors=expected)
            described = self._model.complete(
                _asked([{"type": "text", "text": question}, image]),
                purpose=AUGMENTATION,
                max_tokens=_REPLY_TOKENS,
                about=lambda: {"kind": "look", "place": called, "listed": [*expected, *offered]},
            )
            question = _PROMPTS.render(
                "parse",
                place=called,
                names=offered,
                relations=list(RELATION_WORDS.values()),
                states=list(STATE_WORDS),
                description=described,
            )
            rows = self._model.answer(
                _asked(question),
                Rows,
                purpose=AUGMENTATION,
                max_tokens=_REPLY_TOKENS,
                about=lambda: {"kind": "rows", "description": described},
            )
        except NoImage as reason:
            return self._nothing(place, name, NO_IMAGE, str(reason))
        except NoAnswer as reason:
            why = f"The vision model gave no usable answer on {name}: {reason}"
            return self._nothing(place, name, NO_ANSWER, why)
        said = list(understood(rows, dropped))
        things = self._grounding.ground(said, place, name, percept, names, dropped)
        return Detection(
            place,
            name,
            things,
            _covered(place, percept, things),
            "vision",
            dropped,
            described=described,
        )

    def _nothing(self, place: int, name: str, kind: str, why: str) -> Detection:
        return Detection(place, name, source="vision", dropped={kind: 1}, problem=why)


def _covered(place: int, percept: Percept, things: Sequence[DetectedThing]) -> frozenset[int]:
    """The places that the answer covers, without things that the model did not see."""
    seen = {thing.id for thing in things}
    unseen = {thing for thing in things_at(percept.view, place) if thing not in seen}
    return covered_at(percept.view, place) - (unseen - {place})


def _asked(content: Content) -> list[dict[str, object]]:
    return [{"role": "user", "content": content}]


def _movable(percept: Percept, names: Mapping[int, str], place: int) -> list[int]:
    """The named things that can lie at a place: no furniture, no room."""
    nodes = {thing: percept.view.get(thing) for thing in names if thing != place}
    return [thing for thing, node in nodes.items() if node is None or node.kind is Kind.OBJECT]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", name.lower()).strip()


def _decodes(content: bytes) -> bool:
    """Whether a file is a whole image. Raises Missing without pillow."""
    try:
        from PIL import Image
    except ImportError:
        raise Missing(Lack("Images of your own need pillow", "vision")) from None
    import io

    try:
        with Image.open(io.BytesIO(content)) as image:
            image.load()
    except Exception:  # a broken file raises many types of errors in pillow
        return False
    return True
