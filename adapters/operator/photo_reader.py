"""A vision model that reads a person's photo, so that the person has less to type.

It asks as the detector of planners does: the model describes the photo, then turns the description
into rows. What it says is a proposal; the person judges it. Its tokens are none of a planner's.
"""

from __future__ import annotations

import base64
import threading
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ...models.config import ModelConfig
from ...models.connection import ModelConnection
from ...models.contract import AUGMENTATION, NoAnswer
from ...models.events import ModelEvent, ModelReplied
from ...models.serving import checked, label, open_endpoint
from ...observation_text.detected_rows import RELATION_WORDS, STATE_WORDS, Rows, spoken
from ...observation_text.dialects.lookplangraph import node_names
from .answers import photo_name
from .proposals import Proposal, proposal
from .questions import LONGEST_REPLY, Look, PhotoReading

if TYPE_CHECKING:
    from jinja2 import Environment

#: Tokens of one reply; a full shelf takes many words.
_REPLY_TOKENS = 4096
#: The person waits beside the page: one reply takes so long at most, and all tries together.
_TIMEOUT_S, _PATIENCE_S, _ATTEMPTS = 60.0, 20.0, 2


class PhotoReader(Protocol):
    """Reads photos. It raises nothing: what went wrong is `PhotoReading.problem`."""

    def read(self, photo: bytes, question: Look) -> PhotoReading:
        """What a JPEG photo shows of the places of a question. Threads may call it."""
        ...

    def close(self) -> None:
        """Let go of the model."""


class ModelPhotoReader:
    """Reads photos by a vision model, which is connected with the first photo."""

    def __init__(self, model: str) -> None:
        """model: as in --model vision=NAME."""
        self._config = ModelConfig(
            model, timeout_s=_TIMEOUT_S, patience_s=_PATIENCE_S, attempts=_ATTEMPTS
        )
        self._lock = threading.Lock()  # one photo after the other
        self._stack = ExitStack()
        self._connection: ModelConnection | None = None

    def read(self, photo: bytes, question: Look) -> PhotoReading:
        """See `PhotoReader.read`."""
        events: list[ModelEvent] = []
        found, problem = Proposal((), ()), ""
        try:
            with self._lock:
                found = proposal(question, self._rows(photo, question, events))
        except NoAnswer as error:
            problem = f"it gave no usable answer: {error}"
        except Exception as error:  # of the model, its server or a plugin; the person goes on
            problem = str(error) or type(error).__name__
        replied = [event for event in events if isinstance(event, ModelReplied)]
        return PhotoReading(
            model=label(self._config),
            photo=photo_name(photo),
            replies=tuple(event.reply[:LONGEST_REPLY] for event in replied),
            tokens=sum(event.usage.tokens for event in replied),
            sightings=found.sightings,
            left_out=found.left_out,
            problem=problem,
        )

    def close(self) -> None:
        """See `PhotoReader.close`."""
        self._stack.close()
        self._connection = None

    def _rows(self, photo: bytes, question: Look, events: list[ModelEvent]) -> Rows:
        """The rows on a photo. Raises NoAnswer and PeepholeError."""
        if self._connection is None:
            self._config = checked(self._config)
            endpoint = self._stack.enter_context(open_endpoint(self._config))
            connection = ModelConnection(self._config, endpoint)
            self._connection = self._stack.enter_context(connection)
        model = self._connection.for_episode("detector", events.append)
        names = {
            "places": [place.label for place in question.places],
            "things": [known.label for known in question.known],
        }
        listed = {kind: list(map(_code, labels)) for kind, labels in names.items()}
        url = f"data:image/jpeg;base64,{base64.b64encode(photo).decode()}"
        described = model.complete(
            _asked(
                [
                    {"type": "text", "text": _rendered("describe_photo", **names)},
                    {"type": "image_url", "image_url": {"url": url}},
                ]
            ),
            purpose=AUGMENTATION,
            max_tokens=_REPLY_TOKENS,
            about=lambda: {
                "kind": "look",
                "places": listed["places"],
                "listed": listed["things"],
            },
        )
        return model.answer(
            _asked(
                _rendered(
                    "photo_rows",
                    **names,
                    relations=list(RELATION_WORDS.values()),
                    states=list(STATE_WORDS),
                    description=described,
                )
            ),
            Rows,
            purpose=AUGMENTATION,
            max_tokens=_REPLY_TOKENS,
            about=lambda: {"kind": "rows", "description": described},
        )


def _asked(content: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": content}]


def _code(name: str) -> str:
    """A label as the stand-in reads names: "wicker_basket-1"."""
    category, number = spoken(name)
    stem = node_names.stem(category)
    return stem if number is None else f"{stem}-{number}"


def _rendered(name: str, **values: object) -> str:
    return _templates().get_template(f"{name}.jinja").render(values).strip()


@cache
def _templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "prompts"),
        undefined=StrictUndefined,
        autoescape=False,
    )
