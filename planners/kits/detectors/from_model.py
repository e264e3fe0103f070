"""Detection by a vision model in two stages: it describes an image, then parses its description.

After Onishchenko et al., LookPlanGraph (2025), section IV-D and appendix G. A model that is asked
for a format together with an image tends to answer that it sees none. So a second question has the
description alone and asks for the format. Tokens of both count as augmentation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from ....models.contract import AUGMENTATION, Model, NoAnswer
from ....observation_text.dialects.lookplangraph import node_names
from ....scene_graph.node import Kind
from ...contract import Percept
from ..prompting.conversation import Content
from ..prompting.templates import Templates
from .detection import RELATION_WORDS, DetectedThing, Detection, covered_at, things_at
from .grounding import Grounding
from .image_sources import ImageSource, NoImage, camera
from .rows import STATE_WORDS, Rows, understood

_PROMPTS = Templates(__file__)
#: Tokens of one reply; a full shelf takes many words.
_REPLY_TOKENS = 4096
#: Reasons counted in `Detection.dropped`: no image, and no usable answer.
FAILURES = NO_IMAGE, NO_ANSWER = "no_image", "no_answer"


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
        called = _node_name(name)
        offered = [
            _node_name(names[thing])
            for thing in _movable(percept, names, place)
            if known is None or thing in known
        ]
        expected = [_node_name(names[thing]) for thing in priors if thing in names]
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
    things = []
    for thing in names:
        node = percept.view.get(thing)
        if thing != place and (node is None or node.kind is Kind.OBJECT):
            things.append(thing)
    return things


def _node_name(name: str) -> str:
    """The name of a node for a model: "wicker_basket-1" for "wicker basket 1"."""
    category, _, number = name.rpartition(" ")
    return f"{node_names.stem(category)}-{number}"
