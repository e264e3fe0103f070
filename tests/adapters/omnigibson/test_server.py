"""OmniGibson in an interpreter of its own: the server file, over its protocol."""

from __future__ import annotations

import ast
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from peephole.adapters.omnigibson import omnigibson_backend, server, settings, simulator
from peephole.adapters.omnigibson.adapter import OmniGibsonAdapter
from peephole.adapters.omnigibson.omnigibson_backend import OmniGibsonBackend
from peephole.adapters.scenes import load_scene
from peephole.errors import Missing
from peephole.scene_graph.goals import And
from peephole.scene_graph.node import Relation
from peephole.scene_graph.task import Task
from peephole.skills import actions
from peephole.skills.executor import SimulatorDied

TASK = Task("any", "Do it.", And(()), "behavior:picking_up_trash")

#: Stands for omnigibson in the other process: the stand-in takes its place when it is imported.
PACKAGE = """
import pathlib, sys

import stand_in
from peephole.adapters.scenes import load_scene

graph = load_scene({scene!r})
scope = {{f"n{{n.id}}": str(n.native_id) for n in graph.nodes() if ".n." in str(n.native_id)}}
stand_in.install(stand_in.World(graph), sys.modules, pathlib.Path({data!r}), scope)
"""


@pytest.fixture
def adapter(
    stand_in: ModuleType, bddl: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OmniGibsonAdapter]:
    """In a process whose omnigibson is the stand-in."""
    data = tmp_path / "data" / "scenes" / "Rs_int" / "json"
    data.mkdir(parents=True)
    (data / "Rs_int_task_picking_up_trash_0_0_template.json").touch()
    package = tmp_path / "path" / "omnigibson"
    package.mkdir(parents=True)
    words = {"scene": TASK.scene, "data": str(tmp_path / "data")}
    (package / "__init__.py").write_text(PACKAGE.format(**words))
    folders = [str(package.parent), str(Path(__file__).parent)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(folders))
    monkeypatch.setenv(settings.VARIABLE, sys.executable)
    made = OmniGibsonAdapter()
    yield made
    made.close()


def test_an_activity_is_played_in_the_other_process(adapter: OmniGibsonAdapter) -> None:
    adapter.reset(TASK, 0)
    can, bin_ = (
        node.id
        for name in ("can__of__soda.n.01_1", "ashcan.n.01_1")
        for node in load_scene(TASK.scene).nodes()
        if node.native_id == name
    )
    for action in (
        actions.go_to(can),
        actions.pick_up(can),
        actions.go_to(bin_),
        actions.put(can, Relation.INSIDE, bin_),
    ):
        result = adapter.attempt(action, 0)
        assert result.success, (action, result)
    assert result.sim_time_s > 1
    assert adapter.graph().has_edge(can, Relation.INSIDE, bin_)
    picture = adapter.image()
    assert picture is not None
    assert picture.shape == (2, 2, 3)
    told = adapter.facts()
    assert told["omnigibson"] == "stand-in of 1.1.1"
    assert told["interpreter"].startswith("3.")


def test_a_simulator_that_dies_is_reported_and_started_again(adapter: OmniGibsonAdapter) -> None:
    adapter.reset(TASK, 0)
    room = next(iter(adapter.graph().room_ids))
    backend = adapter._backend
    assert isinstance(backend, OmniGibsonBackend)
    assert backend._process is not None
    assert backend._process._process is not None
    os.kill(backend._process._process.pid, signal.SIGKILL)
    with pytest.raises(SimulatorDied):
        adapter.attempt(actions.go_to(room), 0)
    adapter.reset(TASK, 0)
    assert len(adapter.graph()) > 10


def test_an_interpreter_that_cannot_import_it_says_what_it_lacks(
    stand_in: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here omnigibson is installed for its source, without what it needs."""
    monkeypatch.setenv(settings.VARIABLE, sys.executable)
    with pytest.raises(Missing, match="cannot import what omnigibson needs"):
        OmniGibsonAdapter().facts()


@pytest.mark.parametrize("module", [server, simulator])
def test_what_runs_there_is_python_3_8_and_imports_nothing_of_ours(module: ModuleType) -> None:
    assert module.__file__ is not None
    tree = ast.parse(Path(module.__file__).read_text(), feature_version=(3, 8))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert {name.name.partition(".")[0] for name in node.names} <= sys.stdlib_module_names
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert node.module in ("__future__", "typing", "collections.abc")


def test_the_calls_that_are_made_are_those_that_are_served() -> None:
    assert omnigibson_backend.__file__ is not None
    made = {
        node.args[0].value
        for node in ast.walk(ast.parse(Path(omnigibson_backend.__file__).read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "call"
        and node.args
        and isinstance(node.args[0], ast.Constant)
    }
    assert {"reset", "apply", "state", "image"} <= made
    assert made <= {*server._CALLS, "facts"}
