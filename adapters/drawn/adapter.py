"""Adapters of worlds without a camera, whose images are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...skills.actions import Action, Verb
from ..contract import Adapter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Verbs after which an agent looks at its target.
_LOOKS = frozenset({Verb.GO_TO, Verb.OPEN, Verb.LOOK, Verb.TURN_TO})


class DrawnAdapter(Adapter):
    """An adapter whose image is a drawing of its view; see `picture`.

    It calls `_turn_to` at the start of `attempt`, and with None at the end of `reset`.
    """

    _looked_at: int | None = None

    @classmethod
    def check_images(cls) -> None:
        from .picture import check

        check()

    def image(self) -> NDArray[np.uint8] | None:
        """The picture of the present view. Raises Missing without pillow."""
        from .picture import draw

        return draw(self.view(), self._looked_at)

    def _turn_to(self, action: Action | None) -> None:
        """Note what the agent turns to."""
        if action is None:
            self._looked_at = None
        elif action.verb in _LOOKS:
            self._looked_at = action.target

    def _capture(self) -> None:
        """Add the picture to the film, if there is one; parts below its edge are cut off."""
        if self._film is not None and not self._film.closed:
            from .layout import PICTURE_HEIGHT

            frame = self.image()
            if frame is not None:
                self._film.add(frame[:PICTURE_HEIGHT])
