"""The pictures and films of a report page, in folders beside it."""

from __future__ import annotations

import shutil
from pathlib import Path


class Pictures:
    """Collects pictures and films of episodes and copies them to folders beside the page."""

    def __init__(self, page: Path) -> None:
        self._folder = page.with_name(f"{page.stem}_images")
        self._films_folder = page.with_name(f"{page.stem}_films")
        self._files: dict[str, Path] = {}
        self._films: dict[str, Path] = {}

    def source(self, run: Path, name: str) -> str:
        """The address of a run's picture for the page; "" where its file is missing."""
        file = run / "images" / name
        if name not in self._files and not file.is_file():
            return ""
        self._files.setdefault(name, file)
        return f"{self._folder.name}/{name}"

    def film_source(self, film: Path, key: str) -> str:
        """The address of a film for the page, "" where there is none. key: of its episode."""
        if not film.is_file():
            return ""
        name = f"{key.replace('/', '-')}.mp4"
        self._films[name] = film
        return f"{self._films_folder.name}/{name}"

    def copy(self) -> None:
        """Copy the files beside the page. Raises OSError."""
        if self._files:
            self._folder.mkdir(parents=True, exist_ok=True)
        for name, file in self._files.items():
            if not (self._folder / name).exists():  # equal names have equal content
                shutil.copyfile(file, self._folder / name)
        if self._films:
            self._films_folder.mkdir(parents=True, exist_ok=True)
        for name, file in self._films.items():
            shutil.copyfile(file, self._films_folder / name)
