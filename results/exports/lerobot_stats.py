"""Statistics of a LeRobot dataset: minimum, maximum, mean and deviation by feature."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass
class _Sums:
    """Sums over the rows of one feature. shape: of the statistics. frames: or images."""

    count: int
    """Rows so far."""
    low: NDArray[np.float64]
    """Minimum."""
    high: NDArray[np.float64]
    """Maximum."""
    total: NDArray[np.float64]
    """Sum."""
    squares: NDArray[np.float64]
    """Sum of squares."""
    shape: tuple[int, ...]
    """Shape of the statistics."""
    frames: int
    """Frames or images so far."""

    def with_(self, more: _Sums) -> _Sums:
        """The sums over the rows of both."""
        import numpy as np

        return _Sums(
            self.count + more.count,
            np.minimum(self.low, more.low),
            np.maximum(self.high, more.high),
            self.total + more.total,
            self.squares + more.squares,
            self.shape,
            self.frames + more.frames,
        )


@dataclass
class Statistics:
    """Statistics over the frames of a dataset; of images by channel, in [0, 1]."""

    _sums: dict[str, _Sums] = field(default_factory=dict)

    def add(self, frames: Sequence[Mapping[str, Any]], names: Iterable[str]) -> None:
        """Add frames, by named features, which are numbers or lists of numbers."""
        import numpy as np

        for name in names:
            rows = np.array([frame[name] for frame in frames], float).reshape(len(frames), -1)
            self._add(name, rows, (rows.shape[1],), len(frames))

    def add_image(self, name: str, image: NDArray[np.uint8]) -> None:
        """Add an image, shape (height, width, 3)."""
        self._add(name, image.reshape(-1, 3) / 255, (3, 1, 1), 1)

    def include(self, more: Statistics) -> None:
        """Add all that other statistics are made of."""
        for name, sums in more._sums.items():
            known = self._sums.get(name)
            self._sums[name] = sums if known is None else known.with_(sums)

    def _add(
        self, name: str, rows: NDArray[np.float64], shape: tuple[int, ...], count: int
    ) -> None:
        low, high = rows.min(axis=0), rows.max(axis=0)
        total, squares = rows.sum(axis=0), (rows**2).sum(axis=0)
        sums = _Sums(len(rows), low, high, total, squares, shape, count)
        self.include(Statistics({name: sums}))

    def data(self) -> dict[str, dict[str, Any]]:
        """All statistics as JSON data, by feature. count: of frames or images."""
        import numpy as np

        found = {}
        for name, sums in self._sums.items():
            mean = sums.total / sums.count
            spread = np.sqrt(np.maximum(0.0, sums.squares / sums.count - mean**2))
            figures = {"min": sums.low, "max": sums.high, "mean": mean, "std": spread}
            listed = {key: value.reshape(sums.shape).tolist() for key, value in figures.items()}
            found[name] = {**listed, "count": [sums.frames]}
        return found

    def columns(self) -> dict[str, Any]:
        """All statistics as columns of the table of episodes, such as "stats/index/mean"."""
        return {
            f"stats/{name}/{figure}": value
            for name, figures in self.data().items()
            for figure, value in figures.items()
        }
