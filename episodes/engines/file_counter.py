"""A number in a file, which processes of several machines share."""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..recording import unwritable


class FileCounter:
    """A `Counter` that any process which reaches its file has part in.

    It is opened anew in every process that it is sent to.
    """

    def __init__(self, path: Path, value: float) -> None:
        """Raises BadInput, or RecordingFailed, where the file cannot be written."""
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(struct.pack("<d", value))
        except OSError as error:
            raise unwritable(path, error) from None

    @property
    def value(self) -> float:
        return float(struct.unpack("<d", self._path.read_bytes())[0])

    @value.setter
    def value(self, value: float) -> None:
        with self._path.open("r+b") as file:
            file.write(struct.pack("<d", value))

    @contextmanager
    def get_lock(self) -> Iterator[None]:
        """Keep other processes from changing the number."""
        fd = os.open(self._path, os.O_RDWR)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)
