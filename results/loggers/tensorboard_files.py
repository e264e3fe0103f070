"""TensorBoard: event files, written with tensorboardX. `--log tensorboard[=FOLDER]`."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...installed import Lack
from .contract import LoggedRun, RunLogger, Table

#: TensorBoard shows a film as an animated GIF: its width in pixels, its most frames, and the
#: seconds of a frame.
_WIDTH, _FRAMES, _FRAME_S = 480, 120, 0.25


class TensorboardLogger(RunLogger):
    """Writes event files. place: their folder; by default `tensorboard` in the run's folder."""

    _writer: Any = None

    @classmethod
    def missing(cls) -> str | None:
        if find_spec("tensorboardX") is None:
            return Lack("--log tensorboard needs tensorboardX", "tensorboard")
        return None

    def begin(self, run: LoggedRun) -> str:
        from tensorboardX import SummaryWriter

        folder = Path(self.place) / run.folder.name if self.place else run.folder / "tensorboard"
        # All episodes are written again when a run goes on; purge_step drops those before.
        # Files are named by the second: those of one second need a number.
        suffix = f".{len(list(folder.glob('events.*')))}"
        self._writer = SummaryWriter(str(folder), purge_step=0, filename_suffix=suffix)
        rows = [[name, value] for name, value in run.settings.items()]
        self._writer.add_text("settings", _markdown(Table(run.name, ("setting", "value"), rows)))
        return f"TensorBoard, {folder}"

    def episode(self, number: int, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            self._writer.add_scalar(name, value, number)

    def figures(self, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            self._writer.add_scalar(f"figures/{name}", value, 0)

    def table(self, table: Table) -> None:
        self._writer.add_text(table.name, _markdown(table))

    def picture(self, name: str, path: Path) -> None:
        self._add_image(f"plots/{name}", path.read_bytes())

    def film(self, name: str, path: Path) -> None:
        self._add_image(f"films/{name}", _gif(path))

    def _add_image(self, name: str, content: bytes) -> None:
        """Add a PNG or GIF as it is; `add_image` takes arrays, and no film without moviepy."""
        from tensorboardX.proto.summary_pb2 import Summary

        width, height = _size(content)
        image = Summary.Image(
            width=width, height=height, colorspace=3, encoded_image_string=content
        )
        summary = Summary(value=[Summary.Value(tag=name, image=image)])
        self._writer.file_writer.add_summary(summary, 0)

    def end(self, *, finished: bool) -> None:
        self._writer.close()


def _markdown(table: Table) -> str:
    """A table in Markdown, which TensorBoard draws."""
    lines = [table.columns, ["---"] * len(table.columns), *table.rows]
    texts = ([_escaped(cell) for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in texts)


def _escaped(cell: object) -> str:
    return "" if cell is None else " ".join(str(cell).split()).replace("|", r"\|")


def _size(content: bytes) -> tuple[int, int]:
    """Width and height in the head of a PNG or GIF."""
    if content.startswith(b"GIF"):
        return int.from_bytes(content[6:8], "little"), int.from_bytes(content[8:10], "little")
    return int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")


def _gif(film: Path) -> bytes:
    """An MP4 as an animated GIF, smaller and with fewer frames."""
    first, *others = _frames(film)
    content = io.BytesIO()
    first.save(
        content,
        "GIF",
        save_all=True,
        append_images=others,
        duration=round(_FRAME_S * 1000),
        loop=0,
    )
    return content.getvalue()


def _frames(film: Path) -> Iterator[Any]:
    """At most `_FRAMES` frames of a film, evenly, as pictures of Pillow."""
    from imageio_ffmpeg import count_frames_and_secs, read_frames
    from PIL import Image

    count, _ = count_frames_and_secs(str(film))
    every = max(1, -(-count // _FRAMES))
    frames = read_frames(str(film))
    size = next(frames)["size"]
    for number, frame in enumerate(frames):
        if number % every == 0:
            picture = Image.frombytes("RGB", size, frame)
            yield picture.resize((_WIDTH, round(size[1] * _WIDTH / size[0])))
