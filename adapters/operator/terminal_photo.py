"""A photo in a terminal: the person types its path, and what it shows becomes the brackets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import PeepholeError
from .page.photo import MOST_BYTES, Photo
from .photo_reader import PhotoReader
from .proposals import merged
from .questions import Look, PhotoReading

_PROMPT = "Type the path of a photo, or Enter to go on: "


@dataclass(frozen=True)
class TerminalPhotos:
    """question: expects what was read. content: the last photo."""

    question: Look
    content: bytes | None = None
    readings: tuple[PhotoReading, ...] = ()


def read_photos(
    question: Look,
    reader: PhotoReader,
    read: Callable[[str], str],
    show: Callable[[str], None],
) -> TerminalPhotos:
    """Ask for photos until the person goes on. read: shows a prompt and returns a line."""
    photos = TerminalPhotos(question)
    while path := read(_PROMPT):
        try:
            photo = Photo.read(_content(Path(path.strip("'\"")).expanduser()))
        except (ValueError, PeepholeError) as error:
            show(str(error))
            continue
        show("Reading the photo. This may take a minute.")
        reading = reader.read(photo.content, question)
        show(reading.words)
        readings = (*photos.readings, reading)
        photos = replace(photos, content=photo.content, readings=readings)
        if not reading.problem:
            expected = merged(question.expected, reading.sightings)
            photos = replace(photos, question=question.model_copy(update={"expected": expected}))
    return photos


def _content(path: Path) -> bytes:
    """The bytes of a file, of which there are not too many. Raises ValueError."""
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}); type another path.") from None
