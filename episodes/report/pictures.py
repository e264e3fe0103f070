"""The pictures that a report page shows, in a folder beside it."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .trajectory import Trajectory


@dataclass(frozen=True)
class Pictures:
    """Which pictures there are, by name the files they are copied from. folder: of the copies."""

    folder: Path
    files: Mapping[str, Path]

    def source(self, name: str) -> str:
        """The address of a picture for the page; "" where its file is gone."""
        return f"{self.folder.name}/{name}" if name in self.files else ""

    def copy(self) -> None:
        """Copy the files beside the page. Raises OSError."""
        if self.files:
            self.folder.mkdir(parents=True, exist_ok=True)
        for name, file in self.files.items():
            if not (self.folder / name).exists():  # a name tells the content
                shutil.copyfile(file, self.folder / name)


def pictures_of(page: Path, ways: Iterable[tuple[Path, Trajectory]]) -> Pictures:
    """The pictures of trajectories, each with the folder of its run."""
    files = {name: run / "images" / name for run, way in ways for name in way.pictures}
    there = {name: file for name, file in files.items() if file.is_file()}
    return Pictures(page.with_name(f"{page.stem}_images"), there)
