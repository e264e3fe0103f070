"""A person's photo: checked when it comes, and read as the agent's camera image."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from ...errors import BadInput, Missing
from ...installed import Lack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The most pixels of a photo, and the longer side of the image that it becomes.
_MOST_PIXELS, _LONGEST_SIDE = 60_000_000, 1024


def rgb_of(photo: bytes) -> NDArray[np.uint8]:
    """The photo as RGB, shape (height, width, 3), no side longer than 1024 pixels.

    Raises BadInput for what is no PNG or JPEG, and Missing without Pillow.
    """
    import numpy as np

    try:
        from PIL import Image, ImageOps
    except ImportError:
        raise Missing(Lack("photos need Pillow", "vision")) from None
    try:
        with Image.open(io.BytesIO(photo), formats=("PNG", "JPEG")) as image:
            if image.width * image.height > _MOST_PIXELS:
                raise BadInput("The photo has too many pixels; take a smaller one.")
            upright = ImageOps.exif_transpose(image)
            upright.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
            return np.asarray(upright.convert("RGB"), np.uint8)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise BadInput("The photo is no PNG or JPEG image; take another one.") from None
