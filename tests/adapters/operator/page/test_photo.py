"""Photos: what is none is refused in one sentence, and a kept one tells nothing but its pixels."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from peephole.adapters.operator.page.photo import LONGEST_SIDE, MOST_BYTES, Photo

from .conftest import Served

NO_PHOTO = "This file is no photo that can be read; take a JPEG, PNG or WebP photo."


def file_of(image: Image.Image, kind: str = "JPEG", **settings: object) -> bytes:
    content = io.BytesIO()
    image.save(content, kind, **settings)
    return content.getvalue()


def halves(width: int = 64, height: int = 48) -> Image.Image:
    """Red on the left, blue on the right."""
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[:, : width // 2, 0] = 255
    pixels[:, width // 2 :, 2] = 255
    return Image.fromarray(pixels)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_photo_becomes_pixels(kind: str) -> None:
    photo = Photo.read(file_of(halves(), kind))
    rgb = photo.rgb()
    assert (rgb.shape, rgb.dtype) == ((48, 64, 3), np.uint8)
    assert rgb[24, 8, 0] > 200 > 60 > rgb[24, 56, 0]
    assert Photo.read(file_of(halves(), kind)).name == photo.name


def test_a_large_photo_is_made_smaller() -> None:
    photo = Photo.read(file_of(halves(2400, 1800)))
    assert (photo.width, photo.height) == (LONGEST_SIDE, LONGEST_SIDE * 3 // 4)
    assert len(photo.content) < 200_000


def test_a_kept_photo_is_upright_and_does_not_say_where_it_was_taken() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    exif.get_ifd(0x8825)[1] = "N"
    photo = Photo.read(file_of(halves(), exif=exif))
    assert (photo.width, photo.height) == (48, 64)
    with Image.open(io.BytesIO(photo.content)) as image:
        assert not image.getexif()
        assert "exif" not in image.info


def bomb(side: int) -> bytes:
    """A PNG file of a few hundred bytes that says it has so many pixels on each side."""

    def chunk(name: bytes, data: bytes) -> bytes:
        check = zlib.crc32(name + data)
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(bytes(9999))), chunk(b"IEND", b""))
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", NO_PHOTO),
        (b"%PDF-1.7 not a photo", NO_PHOTO),
        (b"<svg onload='alert(1)'/>", NO_PHOTO),
        (file_of(halves())[:400], NO_PHOTO),
        (file_of(halves(), "PNG")[:80], NO_PHOTO),
        (file_of(halves(), "GIF"), NO_PHOTO),
        (bomb(60_000), "This photo has too many pixels; take a smaller one."),
        (bomb(9_000), "This photo has too many pixels; take a smaller one."),
        (bytes(MOST_BYTES + 1), "This photo is larger than 12 MB; take a smaller one."),
    ],
    ids=["empty", "pdf", "svg", "cut jpeg", "cut png", "gif", "bomb", "small bomb", "large"],
)
def test_what_is_no_photo_is_refused_in_one_sentence(content: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=r"^This") as caught:
        Photo.read(content)
    assert str(caught.value) == words


def test_the_server_takes_a_photo_for_the_open_question_only(served: Served) -> None:
    served.open()
    content = file_of(halves())
    status, _, data = served.request("POST", "/photo?number=1", content)
    assert status == 409
    assert data["problem"] == "This question was answered before; this photo was not used."
    status, _, data = served.request("POST", "/photo?number=1", b"no photo")
    assert (status, data["problem"]) == (422, NO_PHOTO)
