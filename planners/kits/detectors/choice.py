"""The option `augmentation` of planners: which detector is used, and what it needs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator

from ...contract import Brief, Grant, Percept
from .detection import DetectedThing, Detection, Detector, covered_at, placement, things_at
from .from_model import ImageFolder, ModelDetector, camera

NOT_IN_SIGHT = "Nothing of it can be seen from here."


class ViewDetector:
    """A detector of all that the view shows at a place, and nothing that it hides."""

    def detect(
        self,
        place: int,
        percept: Percept,
        names: Mapping[int, str],
        priors: Collection[int] = (),
        known: Collection[int] | None = None,
    ) -> Detection:
        """See `Detector.detect`; `priors` and `known` have no effect."""
        view = percept.view
        name = names.get(place) or percept.names.get(place, f"place {place}")
        if place not in view.graph:
            return Detection(place, name, problem=f"{name}: {NOT_IN_SIGHT}")
        things = tuple(
            DetectedThing.of(
                view.graph[thing],
                names.get(thing) or percept.names[thing],
                *placement(view, thing, place),
            )
            for thing in things_at(view, place)
        )
        return Detection(place, name, things, covered_at(view, place))


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


def detector(options: Any, brief: Brief) -> Detector | None:
    """The detector of an episode, None for NONE.

    options: with `augmentation`, and `images` as a folder in place of the camera.
    """
    match options.augmentation:
        case Augmentation.NONE:
            return None
        case Augmentation.VIEW:
            return ViewDetector()
    source = camera if options.images is None else ImageFolder(options.images)
    return ModelDetector(brief.models[VISION], source)


def grants(options: Any) -> frozenset[Grant]:
    """The additional grants of a planner with these options."""
    looks = options.augmentation is Augmentation.VISION and options.images is None
    return frozenset({Grant.IMAGES}) if looks else frozenset()


def models(options: Any) -> tuple[str, ...]:
    """The additional model roles of a planner with these options."""
    return (VISION,) if options.augmentation is Augmentation.VISION else ()
