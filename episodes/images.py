"""Images of a run, each in a file by the hash of its content."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..planners.llm.images import png_bytes
from .recording import unwritable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ImageFolder:
    """The folder `images` of a run; an image that comes again is kept once."""

    def __init__(self, run: Path) -> None:
        self._folder = run / "images"

    def save(self, rgb: NDArray[np.uint8]) -> str:
        """Keep an image, shape (height, width, 3); the name of its file.

        Raises RecordingFailed or BadInput where it cannot be written.
        """
        content = png_bytes(rgb)
        name = f"{hashlib.blake2b(content, digest_size=16).hexdigest()}.png"
        path = self._folder / name
        if path.exists():
            return name
        draft = path.with_suffix(f".{os.getpid()}")  # other processes may keep the same image
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(content)
            draft.replace(path)
        except OSError as error:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
            raise unwritable(path, error) from None
        return name
