"""The option `augmentation` of planners: which detector finds things, and what it needs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from ...contract import Brief, Grant
from .detection import Detector
from .from_model import from_model
from .from_view import from_view
from .image_sources import ImageFolder, camera

#: The role of the model that looks at images.
VISION = "vision"


class Augmentation(StrEnum):
    """NONE: nothing is augmented. VIEW: by the true view. VISION: by a vision model on images."""

    NONE = "none"
    VIEW = "view"
    VISION = "vision"


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise ValueError(f"there is no folder {path}")
    return path.resolve()


#: A folder of images by place, as an option.
ImagesPath = Annotated[Path, AfterValidator(_folder)]


def detector(
    augmentation: Augmentation, brief: Brief, images: Path | None = None
) -> Detector | None:
    """The detector of an episode, None for NONE. images: a folder in place of the camera."""
    match augmentation:
        case Augmentation.NONE:
            return None
        case Augmentation.VIEW:
            return from_view()
    source = camera if images is None else ImageFolder(images)
    return from_model(brief.models[VISION], source)


def grants(augmentation: Augmentation, images: Path | None = None) -> frozenset[Grant]:
    """What a planner with this option is granted besides."""
    looks = augmentation is Augmentation.VISION and images is None
    return frozenset({Grant.IMAGES}) if looks else frozenset()


def models(augmentation: Augmentation) -> tuple[str, ...]:
    """The roles that a planner with this option asks besides."""
    return (VISION,) if augmentation is Augmentation.VISION else ()
