"""The pictures of an episode: their names in its events, and their files.

A picture is a camera image that a planner looked at (`ImageTaken`), or a file of the user's that a
model was shown. With `--images` it is also the camera image after a step.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BadInput
from ..models.images import is_file_name, rgb_of_png

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


from ..episodes.events import ImageTaken, RecordedEvent, Stepped
from ..episodes.recording import image_file
from ..models.events import ModelReplied

_URL = "images/"


class PicturesReader:
    """Lists each picture once between two steps."""

    def __init__(self) -> None:
        self._listed: set[str] = set()

    def new_in(self, event: RecordedEvent) -> list[str]:
        """The names of the event's pictures that are new since the last step."""
        if isinstance(event, Stepped):
            self._listed.clear()
        names = [name for name in dict.fromkeys(_names(event)) if name not in self._listed]
        self._listed.update(names)
        return names


def picture_name(name: str) -> str:
    """The name, if it is one of a file in `images/` of the run, else ""."""
    return name if is_file_name(name) else ""


def _names(event: RecordedEvent) -> Iterator[str]:
    """The files in `images/` of the run that an event names."""
    match event:
        case ImageTaken() | Stepped():
            named = [event.image]
        case ModelReplied() if event.request is not None:
            contents = [message["content"] for message in event.request.messages]
            parts = [
                part for content in contents if not isinstance(content, str) for part in content
            ]
            named = [_named(part) for part in parts]
        case _:
            named = []
    yield from filter(None, map(picture_name, named))


def _named(part: Any) -> str:
    """The file that a part of a message stands for, "" for other parts."""
    if not isinstance(part, dict) or not isinstance(part.get("image_url"), dict):
        return ""
    url = part["image_url"].get("url")
    return url.removeprefix(_URL) if isinstance(url, str) else ""


def image_of(run: Path, name: str) -> NDArray[np.uint8]:
    """A recorded image, shape (height, width, 3). Raises BadInput where its file is damaged."""
    path = image_file(run, name)
    try:
        return rgb_of_png(path.read_bytes())
    except ValueError as error:
        raise BadInput(f"The image {path} cannot be read ({error}); restore the file.") from None


def copy_images(run: Path, out: Path, names: Iterable[str]) -> None:
    """Copy images of a run into `images/` of a folder, each once."""
    for name in dict.fromkeys(names):
        file, copy = image_file(run, name), out / "images" / name
        if not copy.exists():
            copy.parent.mkdir(exist_ok=True)
            shutil.copyfile(file, copy)
