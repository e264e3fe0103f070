"""Sources of a place's image: the agent's camera, or a folder of the user's own."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ....errors import Missing
from ....installed import Lack
from ....models.images import image_part
from ...contract import Percept

#: The media types of image files, by their first bytes.
_KINDS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
_ENDINGS = (".png", ".jpg", ".jpeg")


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
