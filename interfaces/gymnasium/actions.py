"""How an agent says its actions: as texts, or as numbers of the menu."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ...episodes.batch.seat import Move, Seat
from ...errors import BadInput
from . import words


class ActionForm:
    """Texts, or numbers below `menu_size`. space: that of the actions."""

    def __init__(self, *, indexed: bool, menu_size: int) -> None:
        """indexed: whether actions are numbers. Raises BadInput for a menu_size below 1."""
        if isinstance(menu_size, bool) or not isinstance(menu_size, int) or menu_size < 1:
            raise BadInput(f"menu_size is a whole number from 1, such as 512, not {menu_size!r}.")
        self._size = menu_size if indexed else None
        self.space: gymnasium.Space[Any] = (
            gymnasium.spaces.Discrete(menu_size) if indexed else words.Words(words.ACTION)
        )

    @property
    def is_indexed(self) -> bool:
        """Whether actions are numbers."""
        return self._size is not None

    def move(self, action: Any, menu: Sequence[str]) -> Move:
        """What the agent does by an action. menu: the texts on offer.

        Raises BadInput for what is neither a text nor a number of the space.
        """
        text = self._text(action, menu)
        if text is None:
            reason = f"There is no action {action} now; choose a number from 0 to {len(menu) - 1}."
            return lambda seat: seat.refuse(str(action), reason)
        match text.strip().lower():
            case words.DONE:
                return lambda seat: seat.done()
            case words.GIVE_UP:
                return _give_up
        return lambda seat: seat.step(text)

    def _text(self, action: Any, menu: Sequence[str]) -> str | None:
        """The text of an action; None for a number that is not on offer."""
        if self._size is not None:
            if not self.space.contains(action):
                raise BadInput(_no_number(action, self._size))
            return menu[action] if action < len(menu) else None
        if not isinstance(action, str):
            raise BadInput(
                f"An action is a text such as '{next(iter(menu), words.DONE)}', not {action!r}; "
                f"make the environment with indexed=True for numbers."
            )
        return action

    def mask(self, menu: Sequence[str]) -> NDArray[np.int8]:
        """Which numbers are on offer, shape (menu_size,).

        Raises BadInput for texts, and for a menu that has more actions.
        """
        if self._size is None:
            raise BadInput("Actions are texts here; make the environment with indexed=True.")
        if len(menu) > self._size:
            raise BadInput(
                f"The menu has {len(menu)} actions, and the action space {self._size}; make the "
                f"environment with menu_size={len(menu)} or more."
            )
        mask = np.zeros(self._size, np.int8)
        mask[: len(menu)] = 1
        return mask


def _no_number(action: Any, size: int) -> str:
    """The sentence on an action that is no number of the space."""
    advice = "; make the environment with indexed=False for texts" * isinstance(action, str)
    return f"An action is a whole number from 0 to {size - 1}, not {action!r}{advice}."


def _give_up(seat: Seat) -> None:
    seat.ended = "gave_up"
