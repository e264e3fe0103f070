"""Films of the block world: MP4 files, written by the ffmpeg of the package imageio-ffmpeg."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import numpy as np

from ...errors import BadInput, Missing
from .pictures import Camera
from .world import MujocoWorld

WIDTH, HEIGHT = 640, 480
#: Pictures a simulated second.
RATE = 25
#: Of imageio-ffmpeg's scale from 0 to 10.
_QUALITY = 7


class Film:
    """An MP4 of all that worlds do from `show` on until `close`, one world after the other.

    closed: whether it is finished, after which nothing can be shown.
    """

    def __init__(self, path: Path) -> None:
        """Raises BadInput for a path that cannot be written, and Missing without imageio-ffmpeg."""
        try:
            import imageio_ffmpeg
        except ImportError as error:
            raise Missing(
                "The package imageio-ffmpeg is not installed; pip install 'peephole[video]' "
                "installs it."
            ) from error
        if path.suffix != ".mp4":
            raise BadInput(f"{path} is no name of a film; let it end in .mp4.")
        try:
            path.touch()
        except OSError as error:
            raise BadInput(f"{path} cannot be written: {error.strerror}.") from None
        self.closed = False
        self._path = path
        self._pictures = 0
        self._world: MujocoWorld | None = None
        self._camera: Camera | None = None
        self._due = 0.0
        self._writer: Generator[None, np.ndarray | None, None] = imageio_ffmpeg.write_frames(
            str(path), (WIDTH, HEIGHT), fps=RATE, macro_block_size=1, quality=_QUALITY
        )
        self._writer.send(None)

    def show(self, world: MujocoWorld) -> None:
        """Go on with this world, from now on. Raises Missing without a renderer."""
        self._leave()
        self._camera = Camera(world.model, "front", WIDTH, HEIGHT)
        self._world = world
        self._due = float(world.data.time)
        world.on_step = self._stepped
        self._stepped()

    def _stepped(self) -> None:
        assert self._world is not None
        assert self._camera is not None
        data = self._world.data
        while data.time >= self._due:
            self._writer.send(self._camera.picture(data))
            self._due += 1 / RATE
            self._pictures += 1

    def _leave(self) -> None:
        if self._world is not None and self._camera is not None:
            self._world.on_step = None
            self._camera.close()
        self._world = self._camera = None

    def close(self) -> None:
        """Finish the file; one without pictures is removed. May be called more than once."""
        if self.closed:
            return
        self.closed = True
        self._leave()
        self._writer.close()
        if not self._pictures:
            self._path.unlink(missing_ok=True)

    def __enter__(self) -> Film:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
