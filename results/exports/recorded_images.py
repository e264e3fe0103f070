"""Images of a run, copied into what is exported."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import BadInput
from ...models.images import rgb_of_png

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def image_file(run: Path, name: str) -> Path:
    """The file of a recorded image. Raises BadInput where it is gone."""
    path = run / "images" / name
    if not path.is_file():
        raise BadInput(f"The image {path} of the recording is gone; restore the file.")
    return path


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
        copy = out / "images" / name
        if not copy.exists():
            copy.parent.mkdir(exist_ok=True)
            shutil.copyfile(image_file(run, name), copy)
