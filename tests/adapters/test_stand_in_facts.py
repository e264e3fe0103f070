"""What plays in place of an engine is told among an adapter's facts, and nothing else is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from peephole.adapters.ai2thor import engine
from peephole.adapters.ai2thor.adapter import ThorAdapter
from peephole.adapters.contract import STAND_IN, Adapter
from peephole.adapters.isaacgym import stand_in
from peephole.adapters.isaacgym.blocks import ASSETS_VARIABLE, PYTHON_VARIABLE, IsaacGymAdapter
from peephole.adapters.isaacgym.stand_in.panda_urdf import write_assets
from peephole.adapters.libero import interpreter
from peephole.adapters.libero.adapter import LiberoAdapter
from peephole.adapters.omnigibson.adapter import OmniGibsonAdapter
from peephole.adapters.process.isolated import IsolatedAdapter
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.adapters.virtualhome.unity.adapter import UnityAdapter


def stand_in_of(adapter: Adapter) -> str:
    try:
        return str(adapter.facts().get(STAND_IN, ""))
    finally:
        adapter.close()


def test_the_stand_in_of_the_unity_executable(at_stand_in: str) -> None:
    assert stand_in_of(UnityAdapter()) == "a stand-in of VirtualHome's Unity executable"


def test_the_stand_in_of_ai2thors_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ai2thor")
    monkeypatch.setenv(engine.EXECUTABLE_VARIABLE, "stand_in")
    if ThorAdapter.missing() is None:
        assert stand_in_of(ThorAdapter()) == "a stand-in of AI2-THOR's engine"
    build = tmp_path / "thor-Linux64"
    build.write_text("#!/bin/sh\n")
    build.chmod(0o755)
    monkeypatch.setenv(engine.EXECUTABLE_VARIABLE, str(build))
    assert stand_in_of(ThorAdapter()) == ""


def test_the_stand_in_of_isaacgym(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mujoco")
    monkeypatch.setenv("PYTHONPATH", str(Path(stand_in.__file__).parent))
    monkeypatch.setenv(PYTHON_VARIABLE, sys.executable)
    monkeypatch.setenv(ASSETS_VARIABLE, str(write_assets(tmp_path)))
    assert stand_in_of(IsaacGymAdapter()) == "a stand-in of IsaacGym on MuJoCo"


def test_the_symbolic_backend_of_omnigibson_also_in_a_process_of_its_own() -> None:
    told = "the symbolic backend in place of OmniGibson"
    assert stand_in_of(OmniGibsonAdapter()) == told
    assert stand_in_of(IsolatedAdapter("omnigibson", OmniGibsonAdapter.spec)) == told


def test_the_stand_in_of_liberos_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(interpreter.VARIABLE, interpreter.STAND_IN)
    assert stand_in_of(LiberoAdapter()) == "a stand-in of LIBERO's engine"


def test_what_is_itself_says_nothing() -> None:
    assert stand_in_of(SymbolicAdapter()) == ""
