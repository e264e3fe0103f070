"""IsaacGym's stand-in, as the user's settings would name the real one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from peephole.adapters.isaacgym import stand_in
from peephole.adapters.isaacgym.blocks import ASSETS_VARIABLE, PYTHON_VARIABLE, IsaacGymAdapter
from peephole.adapters.isaacgym.stand_in.panda_urdf import write_assets
from peephole.adapters.isaacgym.world import IsaacGymDeadlines

#: The folder that the package isaacgym, the stand-in, is in.
STAND_IN = Path(stand_in.__file__).parent

Make = Callable[..., IsaacGymAdapter]


@pytest.fixture(scope="session")
def assets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An assets folder with the stand-in's arm."""
    return write_assets(tmp_path_factory.mktemp("assets"))


@pytest.fixture
def at_stand_in(assets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings name the stand-in, under this interpreter."""
    pytest.importorskip("mujoco")
    monkeypatch.setenv("PYTHONPATH", str(STAND_IN))
    monkeypatch.setenv(PYTHON_VARIABLE, sys.executable)
    monkeypatch.setenv(ASSETS_VARIABLE, str(assets))


@pytest.fixture
def make(at_stand_in: None) -> Iterator[Make]:
    """New adapters, whose processes end with the test."""
    made: list[IsaacGymAdapter] = []

    def new(deadlines: IsaacGymDeadlines | None = None) -> IsaacGymAdapter:
        made.append(IsaacGymAdapter(deadlines))
        return made[-1]

    yield new
    for adapter in made:
        adapter.close()
