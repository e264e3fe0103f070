"""Images of a run, each in a file by the hash of its content."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.images import file_name, png_bytes, rgb_of_png
from .recording import RecordingFailed, unwritable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class RecordedImages:
    """The folder `images` of a run; equal images are stored once."""

    def __init__(self, run: Path) -> None:
        self._folder = run / "images"

    def save(self, rgb: NDArray[np.uint8]) -> str:
        """Store an image, shape (height, width, 3); returns the name of its file.

        Raises RecordingFailed or BadInput where it cannot be written.
        """
        content = png_bytes(rgb)
        name = file_name(content)
        self.keep(name, content)
        return name

    def keep(self, name: str, content: bytes) -> None:
        """Store an image file under its name. Raises as `save` does."""
        path = self._folder / name
        if path.exists():
            return
        draft = path.with_suffix(f".{os.getpid()}")  # other processes may keep the same image
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(content)
            draft.replace(path)
        except OSError as error:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
            raise unwritable(path, error) from None

    def load(self, name: str) -> NDArray[np.uint8]:
        """A stored image. Raises RecordingFailed where its file is missing or damaged."""
        path = self._folder / name
        try:
            content = path.read_bytes()
            if file_name(content) != name:
                raise ValueError("its content does not match its name")
            return rgb_of_png(content)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise RecordingFailed(
                f"The image {path} of the recording cannot be read ({why}); restore the file, or "
                f"remove the episode's recording to play it again."
            ) from None
