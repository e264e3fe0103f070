"""MP4 files of an adapter's camera, written by the ffmpeg of imageio-ffmpeg."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BadInput, Missing
from ..installed import Lack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The quality on imageio-ffmpeg's scale from 0 to 10.
_QUALITY = 7


class Film:
    """An MP4 file written frame by frame; also a context manager that closes it.

    closed: whether it is finished, after which nothing can be added. dress: a function applied to
    every frame, such as captions; its results all have the same shape. speed: simulated seconds in
    a second of the film. A new file without frames is removed.
    """

    def __init__(self, path: Path, frame_rate: float) -> None:
        """frame_rate: frames per second.

        Raises BadInput for an unwritable path, and Missing without imageio-ffmpeg.
        """
        try:
            import imageio_ffmpeg
        except ImportError as error:
            raise Missing(Lack("The package imageio-ffmpeg is not installed", "video")) from error
        if path.suffix != ".mp4":
            raise BadInput(f"{path} is no film; give a path that ends in .mp4.")
        new = not path.exists()
        try:
            path.touch()
        except OSError as error:
            raise BadInput(
                f"{path} cannot be written ({error.strerror}); choose another path."
            ) from None
        self.closed = False
        self.speed = 1.0
        self.dress: Callable[[NDArray[np.uint8]], NDArray[np.uint8]] | None = None
        self._last: NDArray[np.uint8] | None = None
        self._ffmpeg: Any = imageio_ffmpeg
        self._path = path
        self._new = new
        self._frame_rate = frame_rate
        self._shape: tuple[int, ...] = ()
        self._writer: Generator[None, NDArray[np.uint8] | None, None] | None = None

    def add(self, frame: NDArray[np.uint8]) -> None:
        """Add a frame: RGB, shape (height, width, 3), the same for all frames.

        An odd last row or column is cut off, as MP4 players require. Raises BadInput if the file
        cannot be written any more.
        """
        self._last = frame
        self._write(frame if self.dress is None else self.dress(frame))

    def _write(self, frame: NDArray[np.uint8]) -> None:
        height, width = frame.shape[0] // 2 * 2, frame.shape[1] // 2 * 2
        if self._writer is None:
            self._shape = frame.shape
            self._writer = self._ffmpeg.write_frames(
                str(self._path),
                (width, height),
                fps=self._frame_rate,
                macro_block_size=1,
                quality=_QUALITY,
                ffmpeg_log_level="error",  # it warns of films with few frames
                # With the index first, browsers can play a film while it loads.
                output_params=["-preset", "veryfast", "-movflags", "+faststart"],
            )
            self._writer.send(None)
        if frame.shape != self._shape:
            raise ValueError(f"a frame of shape {frame.shape} in a film of shape {self._shape}")
        try:
            self._writer.send(frame[:height, :width].copy())
        except OSError:
            self.closed = True
            raise BadInput(
                f"{self._path} cannot be written: ffmpeg ended before the film did; "
                f"make room on its disk, or choose another path."
            ) from None

    def hold(self, seconds: float) -> None:
        """Repeat the last frame for some time, with the present `dress`; nothing before the first
        frame.
        """
        if self._last is None:
            return
        frame = self._last if self.dress is None else self.dress(self._last)
        for _ in range(round(seconds * self._frame_rate)):
            self._write(frame)

    def close(self) -> None:
        """Finish the file. May be called more than once."""
        if self.closed:
            return
        self.closed = True
        if self._writer is not None:
            self._writer.close()
        elif self._new:
            self._path.unlink(missing_ok=True)

    def __enter__(self) -> Film:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
