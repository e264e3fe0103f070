"""LIBERO's own engine, where it is installed, and the form of its answers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole.adapters.libero import interpreter
from peephole.adapters.process.supervisor import Supervisor
from peephole.episodes import recording
from peephole.episodes.recording import without_times
from peephole.errors import Missing
from peephole.scene_graph.node import Kind, Relation, State

#: The user's setting, before the tests of this folder choose the stand-in.
_SETTING = os.environ.get(interpreter.VARIABLE, "")
_IS_THERE = _SETTING != interpreter.STAND_IN and interpreter.missing() is None

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not _IS_THERE, reason="LIBERO is not installed; make libero"),
]


@pytest.fixture(autouse=True)
def at_engine(at_stand_in: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The settings name LIBERO itself."""
    if _SETTING:
        monkeypatch.setenv(interpreter.VARIABLE, _SETTING)
    else:
        monkeypatch.delenv(interpreter.VARIABLE)


@pytest.fixture
def both(at_engine: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Supervisor]]:
    """The processes of the engine and of the stand-in."""
    real = Supervisor("libero", interpreter.command())
    monkeypatch.setenv(interpreter.VARIABLE, interpreter.STAND_IN)
    processes = [real, Supervisor("stand_in", interpreter.command())]
    for process in processes:
        process.start()
    yield processes
    for process in processes:
        process.stop()


#: Calls in the order in which they are made. The names of things differ where they must.
_BEGIN = {"suite": "libero_goal", "task": 1, "start": 0, "seed": 0}
_CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("catalogue", {"suite": "libero_goal"}),
    ("begin", _BEGIN),
    ("state", {}),
    ("view", {}),
    ("image", {"camera": "agentview", "width": 64, "height": 64}),
    ("snapshot", {}),
)
_TRY = {"verb": "pick_up", "target": "akita_black_bowl_1", "place": None, "relation": None}


#: Fields that some things have and others have not, and those whose keys are names.
_PERHAPS, _BY_NAME = {"joint", "parent", "held", "failure"}, {"seen", "measured"}


def form(value: Any, key: str = "") -> Any:
    """The keys of a value with the forms of their values, and of a list the form of its first."""
    if key in _PERHAPS | _BY_NAME:
        return "perhaps" if key in _PERHAPS else type(value).__name__
    if isinstance(value, dict):
        return {name: form(each, name) for name, each in sorted(value.items())}
    if isinstance(value, list):
        return [form(each) for each in value[:1]]
    return "number" if type(value) in (int, float) else type(value).__name__


def test_the_stand_in_answers_in_the_form_of_the_engine(both: list[Supervisor]) -> None:
    for name, arguments in (*_CALLS, ("attempt", {**_TRY, "variation": 0})):
        real, ours = (form(each.call(name, arguments, 120.0)) for each in both)
        assert ours == real, name
    for process in both:
        kept = process.call("snapshot", {}, 60.0)
        state = process.call("state", {}, 60.0)
        process.call("begin", _BEGIN, 60.0)
        process.call("restore", kept, 60.0)
        assert process.call("state", {}, 60.0) == state


def test_expert_plays_a_task_twice_with_the_same_states(tmp_path: Path) -> None:
    for name in ("first", "again"):
        (result,) = peephole.run("expert", "libero:goal", tasks="8/0", out=tmp_path / name).results
        assert result.success
        assert result.steps == 2
    first, again = (read_events(tmp_path / name) for name in ("first", "again"))
    assert first == again


@pytest.mark.parametrize("part", ["assets", "bddl_files"])
def test_files_that_are_missing_are_one_sentence_with_the_command(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    peephole.make("libero:goal", task="0/0").close()  # so that the catalogue is read
    (tmp_path / "config.yaml").write_text(f"{part}: {tmp_path / 'nothing'}\n")
    monkeypatch.setenv("LIBERO_CONFIG_PATH", str(tmp_path))
    with (
        pytest.raises(
            Missing, match=r"^LIBERO lacks the file .*; install it again with: "
        ) as error,
        peephole.make("libero:goal", task="0/0") as environment,
    ):
        environment.reset()
    assert interpreter.command()[0] in str(error.value)
    assert str(error.value).endswith("libero.txt")


def test_expert_plays_a_task_of_ours(tmp_path: Path) -> None:
    (result,) = peephole.run("expert", "libero:household", tasks="0/0", out=tmp_path).results
    assert result.success
    assert result.steps >= 6


def read_events(run: Path) -> list[Any]:
    (file,) = run.rglob("*.jsonl")
    return without_times(recording.read_events(file))


def test_hidden_things_are_those_in_shut_drawers_alone(tmp_path: Path) -> None:
    """In task 4 of libero_spatial a bowl lies in an open drawer."""
    task = peephole.make("libero:spatial", task="4/0")
    with task as environment:
        view, truth = environment.reset().view, environment.truth
        assert truth is not None
        objects = [node.id for node in truth.nodes(Kind.OBJECT)]
        assert len([*view.graph.nodes(Kind.OBJECT)]) == len(objects)
        (drawer,) = (n for n in truth.nodes(Kind.FIXTURE) if State.OPEN in n.states)
        assert truth.sources(drawer.id, Relation.INSIDE)
