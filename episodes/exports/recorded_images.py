"""Images of a run, copied into what is exported."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from ...errors import BadInput


def image_file(run: Path, name: str) -> Path:
    """The file of a recorded image. Raises BadInput where it is gone."""
    path = run / "images" / name
    if not path.is_file():
        raise BadInput(f"The image {path} of the recording is gone; restore the file.")
    return path


def copy_images(run: Path, out: Path, names: Iterable[str]) -> None:
    """Copy images of a run into `images/` of a folder, each once."""
    for name in dict.fromkeys(names):
        copy = out / "images" / name
        if not copy.exists():
            copy.parent.mkdir(exist_ok=True)
            shutil.copyfile(image_file(run, name), copy)
