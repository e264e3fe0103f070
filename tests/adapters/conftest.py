"""Real scenes, a small house in VirtualHome's own format, and processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.contract import Adapter
from peephole.adapters.virtualhome import package
from peephole.adapters.virtualhome.evolving_graph import EvolvingGraphAdapter
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.events import Ended, Stepped
from peephole.episodes.recording import EpisodeLog, read_episode, without_times
from peephole.episodes.resolve import load_dialect
from peephole.observation_text.dialects.reactree.grammar import published
from peephole.planners.registry import load_planner
from peephole.scene_graph.goals import And
from peephole.scene_graph.task import Task

Play = Callable[[str], EvolvingGraphAdapter]
Tell = Callable[..., list[dict[str, Any]]]

#: Starts the stand-in of the Unity executable, at a free port unless it is told one.
STAND_IN = (sys.executable, "-m", "peephole.adapters.virtualhome.unity.stand_in", "--port")


@contextmanager
def running(*options: str, port: int = 0) -> Iterator[str]:
    """The address of a stand-in of its own process, which ends with the body."""
    process = subprocess.Popen([*STAND_IN, str(port), *options], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        said = process.stdout.readline()
        assert said, "the stand-in did not start"
        yield said.split()[-1]
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


@pytest.fixture(scope="session")
def run_stand_in() -> Callable[..., Any]:
    """See `running`."""
    missing = package.missing()
    if missing is not None:
        pytest.skip(missing)
    return running


@pytest.fixture(scope="session")
def stand_in(run_stand_in: Callable[..., Any]) -> Iterator[str]:
    """The address of a stand-in without faults, shared by the tests of a process."""
    with run_stand_in() as url:
        yield url


@pytest.fixture
def at_stand_in(stand_in: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The settings name the shared stand-in."""
    monkeypatch.setenv("PEEPHOLE_UNITY_URL", stand_in)
    monkeypatch.delenv("PEEPHOLE_UNITY_COMMAND", raising=False)
    return stand_in


@pytest.fixture(scope="session")
def task() -> Callable[[str], Task]:
    """A task without a goal, in a scene."""
    return lambda scene: Task("any", "Do as you like.", And(()), scene)


@pytest.fixture(scope="session")
def tell() -> Tell:
    """Plays a task with the expert: what is recorded of it, but for times and single tries."""

    def tell(adapter: Adapter, task: Task, path: Path, **how: Any) -> list[dict[str, Any]]:
        planner = load_planner("expert")
        context = EpisodeContext(adapter, planner, load_dialect(planner.dialects[0]), **how)
        with EpisodeLog(path) as log:
            run_episode(context, task, log)
        events = read_episode(path)
        told = without_times(events)
        for event, data in zip(events, told, strict=True):
            if isinstance(event, Stepped):
                data["outcome"] = data["outcome"]["failure"]
            elif isinstance(event, Ended):
                for key in ("retries", "voided"):
                    del data["result"][key]
        return told

    return tell


@pytest.fixture(scope="session")
def play(task: Callable[[str], Task]) -> Play:
    """The evolving graph at the start of one of the package's programs."""
    missing = package.missing()
    if missing is not None:
        pytest.skip(missing)

    def start(program: str) -> EvolvingGraphAdapter:
        adapter = EvolvingGraphAdapter()
        adapter.reset(task(f"virtualhome-eval:{program}"), 0)
        return adapter

    return start


@pytest.fixture
def unity_house() -> dict[str, Any]:
    """A kitchen and a bedroom as the Unity scenes spell them; character 1 stands in the kitchen."""

    def node(node_id: int, name: str, category: str, properties: str, states: str = "") -> Any:
        return {
            "id": node_id,
            "class_name": name,
            "category": category,
            "properties": properties.split(),
            "states": states.split(),
        }

    nodes = [
        node(1, "character", "Characters", ""),
        node(11, "kitchen", "Rooms", ""),
        node(12, "livingroom", "Rooms", ""),
        node(21, "kitchencounter", "Furniture", "SURFACES", "CLOSED"),
        node(22, "fridge", "Appliances", "CAN_OPEN CONTAINERS HAS_SWITCH", "CLOSED"),
        node(23, "dishwasher", "Appliances", "CAN_OPEN CONTAINERS HAS_SWITCH", "OPEN OFF"),
        node(24, "floor", "Floors", "SURFACES"),
        node(25, "rug", "Decor", "GRABBABLE SURFACES"),
        node(26, "kitchentable", "Furniture", "SURFACES"),
        node(27, "sofa", "Furniture", "SURFACES SITTABLE"),
        node(28, "tablelamp", "Lamps", "HAS_SWITCH", "ON"),
        node(29, "ceilinglamp", "Lamps", "", "ON"),
        node(31, "plate", "Props", "GRABBABLE SURFACES"),
        node(32, "cupcake", "Food", "GRABBABLE EATABLE CUTTABLE"),
        node(33, "cutleryknife", "Props", "GRABBABLE"),
        node(34, "waterglass", "Props", "GRABBABLE"),
        node(35, "cookingpot", "Props", "GRABBABLE CAN_OPEN", "CLOSED"),
        node(36, "hair", "Body", "GRABBABLE BODY_PART"),
    ]
    edges = [
        (1, "INSIDE", 11),
        (1, "CLOSE", 31),
        (1, "CLOSE", 24),
        (1, "CLOSE", 27),
        (1, "CLOSE", 34),
        (1, "HOLDS_LH", 34),
        (1, "ON", 27),
        (31, "CLOSE", 27),
        (22, "FACING", 26),
        (21, "INSIDE", 11),
        (22, "INSIDE", 11),
        (23, "INSIDE", 11),
        (24, "INSIDE", 11),
        (25, "INSIDE", 11),
        (26, "INSIDE", 11),
        (26, "ON", 25),
        (27, "INSIDE", 12),
        (28, "INSIDE", 12),
        (29, "INSIDE", 12),
        (31, "INSIDE", 12),
        (31, "ON", 26),
        (32, "INSIDE", 11),
        (32, "INSIDE", 22),
        (32, "ON", 31),
        (33, "ON", 24),
        (33, "INSIDE", 11),
        (34, "INSIDE", 12),
        (34, "ON", 26),
        (35, "INSIDE", 35),
        (35, "INSIDE", 22),
        (35, "INSIDE", 11),
        (36, "INSIDE", 35),
        (36, "INSIDE", 22),
    ]
    return {
        "nodes": nodes,
        "edges": [{"from_id": a, "relation_type": r, "to_id": b} for a, r, b in edges],
    }


@pytest.fixture(scope="session")
def python38() -> str:
    """A Python 3.8 that starts, such as simulators may need; skips where there is none."""
    folders = [*map(Path, os.get_exec_path()), *Path.home().glob(".pyenv/versions/3.8*/bin")]
    for folder in folders:
        program = folder / "python3.8"
        if program.exists():
            says = subprocess.run([program, "--version"], capture_output=True, text=True)
            if says.returncode == 0 and says.stdout.startswith("Python 3.8"):
                return str(program)
    pytest.skip("no python3.8 starts here; only the syntax of what it would run is checked")


@pytest.fixture(scope="session")
def mentioned_in() -> Callable[[str, Mapping[int, str], set[str]], set[int]]:
    """Finds the things that a text names as "category (1, 2)" or "category 1"."""

    def mentioned(text: str, names: Mapping[int, str], categories: set[str]) -> set[int]:
        things = {name: thing for thing, name in names.items()}
        found = set()
        for match in re.finditer(r" \(?(\d+(?:, \d+)*)\b(?! rooms?\b)", text):
            before = text[: match.start()]
            fitting = [category for category in categories if before.endswith(published(category))]
            assert fitting, f"a number without a name: {text!r}"
            for number in match.group(1).split(", "):
                thing = things.get(f"{max(fitting, key=len)} {number}")
                assert thing is not None, f"a name of nothing: {text!r}"
                found.add(thing)
        return found

    return mentioned


@pytest.fixture(scope="session")
def processes_of() -> Callable[[int], list[int]]:
    """Finds the living processes of a group; dead ones that nobody has reaped do not count."""

    def living(group: int) -> list[int]:
        listed = subprocess.run(
            ["ps", "-A", "-o", "pid=,pgid=,stat="], capture_output=True, text=True, check=True
        )
        rows = (line.split() for line in listed.stdout.splitlines())
        return [int(pid) for pid, of, state in rows if int(of) == group and state[0] != "Z"]

    return living
