"""A fake robot in a small kitchen, and a mapping for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from peephole.adapters.rosbridge.adapter import RosbridgeAdapter
from peephole.adapters.rosbridge.settings import VARIABLE
from peephole.scene_graph.goals import And, HasState, Related
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.scene_graph.task import Task

KITCHEN, ROBOT, FRIDGE, TABLE, LAMP, APPLE = range(1, 7)
EXAMPLE = Path(__file__).parents[3] / "examples" / "fake_robot.yaml"

#: Changes the data of a mapping.
Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def kitchen() -> SceneGraph:
    """A kitchen with a closed fridge that holds an apple, a table and a lamp."""

    def fixture(i: int, name: str, states: set[State], *can: Affordance) -> Node:
        return Node(i, name, Kind.FIXTURE, name, frozenset(states), frozenset(can))

    return SceneGraph(
        [
            Node(KITCHEN, "kitchen", Kind.ROOM, "kitchen"),
            Node(ROBOT, "robot", Kind.AGENT, "robot"),
            fixture(FRIDGE, "fridge", {State.CLOSED}, Affordance.OPENABLE, Affordance.CONTAINER),
            fixture(TABLE, "table", set(), Affordance.SURFACE),
            fixture(LAMP, "lamp", {State.OFF}, Affordance.SWITCHABLE),
            Node(
                *(APPLE, "apple", Kind.OBJECT, "apple_1", frozenset()),
                frozenset({Affordance.GRASPABLE}),
            ),
        ],
        [
            *(Edge(i, Relation.INSIDE, KITCHEN) for i in (ROBOT, FRIDGE, TABLE, LAMP)),
            Edge(APPLE, Relation.INSIDE, FRIDGE),
            Edge(ROBOT, Relation.CLOSE, TABLE),
        ],
    )


@pytest.fixture
def apple_to_table(kitchen: SceneGraph, tmp_path: Path) -> Task:
    path = tmp_path / "kitchen.json"
    write_graph(kitchen, path)
    goal = And((Related(APPLE, Relation.ON, TABLE), HasState(FRIDGE, State.CLOSED)))
    return Task("apple", "Put {6} on {4} and leave {3} closed.", goal, f"json:{path}")


@pytest.fixture
def mapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Writes the example's mapping, with changes, and chooses it."""

    def write(url: str = "ws://127.0.0.1:1", change: Change | None = None) -> Path:
        data: dict[str, Any] = yaml.safe_load(EXAMPLE.read_text())
        data |= {"bridge": url, "connect_s": 3.0, "cancel_s": 0.4}
        data["limits"]["forbidden"] = []
        data["watchdog"]["silence_s"] = 2.0
        data["perception"]["within_s"] = 2.0
        for skill in data["skills"].values():
            skill["deadline_s"] = 5.0
        if change is not None:
            change(data)
        path = tmp_path / "robot.yaml"
        path.write_text(yaml.safe_dump(data))
        monkeypatch.setenv(VARIABLE, str(path))
        return path

    return write


@pytest.fixture
def fake(kitchen: SceneGraph) -> Iterator[Callable[..., Any]]:
    """Starts stand-ins of the server, whose orders meet listed faults."""
    pytest.importorskip("roslibpy")
    from peephole.adapters.rosbridge.stand_in.fake_robot import FakeRobot
    from peephole.adapters.rosbridge.stand_in.faults import Faults
    from peephole.adapters.rosbridge.stand_in.server import StandIn, Times

    with ExitStack() as stack:

        def start(*faults: Any, ros: int = 1, late_s: float = 0.3) -> StandIn:
            listed = {i: fault for i, fault in enumerate(faults) if fault is not None}
            times = Times(0.03, 0.02, late_s)
            stand_in = StandIn(FakeRobot(kitchen), Faults(listed=listed), times, ros)
            return stack.enter_context(stand_in)

        yield start


@pytest.fixture
def drive(
    fake: Callable[..., Any], mapped: Callable[..., Path], apple_to_table: Task
) -> Iterator[Callable[..., tuple[RosbridgeAdapter, Any]]]:
    """An adapter at the start of the task, with its robot."""
    with ExitStack() as stack:

        def start(
            *faults: Any, ros: int = 1, change: Change | None = None, late_s: float = 0.3
        ) -> tuple[RosbridgeAdapter, Any]:
            server = fake(*faults, ros=ros, late_s=late_s)

            def with_version(data: dict[str, Any]) -> None:
                data["ros"] = ros
                if change is not None:
                    change(data)

            mapped(server.url, with_version)
            adapter = RosbridgeAdapter()
            stack.callback(adapter.close)
            adapter.reset(apple_to_table, 0)
            return adapter, server

        yield start
