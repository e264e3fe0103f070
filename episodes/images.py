"""Images of a run, each in a file by the hash of its content."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from ..planners.llm.images import png_bytes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ImageFolder:
    """The folder `images` of a run; an image that comes again is kept once."""

    def __init__(self, run: Path) -> None:
        self._folder = run / "images"

    def save(self, rgb: NDArray[np.uint8]) -> str:
        """Keep an image, shape (height, width, 3); the name of its file."""
        content = png_bytes(rgb)
        name = f"{hashlib.blake2b(content, digest_size=16).hexdigest()}.png"
        path = self._folder / name
        if not path.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            draft = path.with_suffix(".new")
            draft.write_bytes(content)
            draft.replace(path)
        return name
