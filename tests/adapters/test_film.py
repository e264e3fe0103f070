"""Films: MP4 files from frames of any source."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from peephole.adapters.film import Film
from peephole.adapters.isaacgym.blocks import IsaacGymAdapter
from peephole.errors import BadInput

imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")


def frame(shade: int, height: int = 48, width: int = 64) -> np.ndarray:
    return np.full((height, width, 3), shade, np.uint8)


def test_a_film_shows_its_frames_at_its_rate(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    with Film(path, 4) as film:
        for shade in (0, 120, 240):
            film.add(frame(shade))
    assert imageio_ffmpeg.count_frames_and_secs(str(path)) == (3, 0.75)
    frames = imageio_ffmpeg.read_frames(str(path))
    assert next(frames)["size"] == (64, 48)
    shades = [np.frombuffer(shown, np.uint8).mean() for shown in frames]
    assert shades == pytest.approx([0, 120, 240], abs=6)


def test_of_odd_sides_the_last_row_and_column_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    with Film(path, 2) as film:
        film.add(frame(9, 49, 65))
    assert next(imageio_ffmpeg.read_frames(str(path)))["size"] == (64, 48)


def test_frames_of_another_shape_are_no_part_of_it(tmp_path: Path) -> None:
    with Film(tmp_path / "a.mp4", 2) as film:
        film.add(frame(9))
        with pytest.raises(ValueError, match="in a film of shape"):
            film.add(frame(9, 24))


def test_a_film_without_frames_leaves_things_as_they_were(tmp_path: Path) -> None:
    new, old = tmp_path / "new.mp4", tmp_path / "old.mp4"
    old.write_bytes(b"another film")
    for path in (new, old):
        film = Film(path, 2)
        film.close()
        film.close()
        assert film.closed
    assert not new.exists()
    assert old.read_bytes() == b"another film"


@pytest.mark.parametrize(
    ("path", "told"),
    [("a.txt", "ends in .mp4"), ("nowhere/a.mp4", "cannot be written \\(No such file")],
)
def test_a_path_that_cannot_be_written_is_refused(tmp_path: Path, path: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        Film(tmp_path / path, 2)


def test_a_disk_that_fills_up_is_reported_in_one_sentence(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full")
    (tmp_path / "a.mp4").symlink_to(full)
    noise = np.random.default_rng(1)
    film = Film(tmp_path / "a.mp4", 2)

    def go_on() -> None:
        for _ in range(500):
            film.add(noise.integers(0, 256, (480, 640, 3), np.uint8))

    with pytest.raises(BadInput, match="cannot be written") as told:
        go_on()
    assert len(str(told.value).splitlines()) == 1
    assert film.closed


def test_an_adapter_without_images_makes_no_films(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="isaacgym has no images"):
        IsaacGymAdapter().film(tmp_path / "a.mp4")
