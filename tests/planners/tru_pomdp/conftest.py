"""Episodes in a kitchen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ..kitchen_play import play_kitchen


@pytest.fixture(scope="session")
def play() -> Callable[..., Any]:
    """Plays a kitchen task, see `kitchen_play`."""
    return play_kitchen
