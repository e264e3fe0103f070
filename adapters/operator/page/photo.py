"""Photos: checked to be images, and kept small and without the notes of a camera."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....errors import Missing
from ....installed import Lack
from ....models.images import file_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The most bytes of a photo as it comes.
MOST_BYTES = 12 * 1024 * 1024
#: The most pixels of a photo as it comes: those of a telephone's camera without its largest mode.
_MOST_PIXELS = 64_000_000
#: The longest side of a kept photo, in pixels.
LONGEST_SIDE = 1600
_FORMATS = ("JPEG", "PNG", "WEBP")


def check_pillow() -> None:
    """Raise Missing if no photo can be read."""
    try:
        import PIL  # noqa: F401
    except ImportError:
        raise Missing(Lack("Photos need pillow", "vision")) from None


@dataclass(frozen=True)
class Photo:
    """A photo as a JPEG file of at most `LONGEST_SIDE` pixels, upright, without metadata.

    A camera notes place and time in its files; they are left out.
    """

    content: bytes
    width: int
    height: int

    @property
    def name(self) -> str:
        """The name of its file: a hash of the content."""
        return file_name(self.content, "jpg")

    @classmethod
    def read(cls, content: bytes) -> Photo:
        """A photo from the bytes of a file. Raises ValueError with a sentence, and Missing."""
        check_pillow()
        from PIL import Image, ImageOps

        if len(content) > MOST_BYTES:
            raise ValueError(
                f"This photo is larger than {MOST_BYTES >> 20} MB; take a smaller one."
            )
        try:
            with Image.open(io.BytesIO(content), formats=_FORMATS) as image:
                if image.width * image.height > _MOST_PIXELS:
                    raise _TooManyPixels
                image.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))  # JPEG: decodes only what is kept
                upright = ImageOps.exif_transpose(image).convert("RGB")
        except (_TooManyPixels, Image.DecompressionBombError):
            raise ValueError("This photo has too many pixels; take a smaller one.") from None
        except Exception:  # a broken file raises many types of errors in pillow
            raise ValueError(
                "This file is no photo that can be read; take a JPEG, PNG or WebP photo."
            ) from None
        upright.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
        kept = io.BytesIO()
        upright.save(kept, "JPEG", quality=88)
        return cls(kept.getvalue(), *upright.size)

    def rgb(self) -> NDArray[np.uint8]:
        """The pixels: RGB, shape (height, width, 3)."""
        import numpy as np
        from PIL import Image

        with Image.open(io.BytesIO(self.content)) as image:
            return np.asarray(image.convert("RGB"), np.uint8)


class _TooManyPixels(Exception):
    """An image that would fill the memory."""
