"""Images as files: ours are read, and files that would fill the memory are refused."""

import struct
import zlib

import numpy as np
import pytest

from peephole.models.images import file_name, is_file_name, png_bytes, rgb_of_png


def test_what_is_written_is_read():
    image = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
    assert (rgb_of_png(png_bytes(image)) == image).all()
    assert is_file_name(file_name(png_bytes(image)))
    assert not is_file_name(f"../{file_name(b'')}")


@pytest.mark.parametrize(
    ("width", "height", "reason"), [(10**5, 10**5, "too many"), (2, 2, "damaged")]
)
def test_an_image_larger_than_it_says_or_may_be_is_refused(width, height, reason):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + b"0000"

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"\0" * 50_000_000)
    content = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows)
    with pytest.raises(ValueError, match=reason):
        rgb_of_png(content)
