"""What the Unity path adds to a step, beside VirtualHome's own client.

    .venv/bin/python benchmarks/unity_overhead.py --steps 200

Both play the same script lines, in turn, each at a stand-in of its own. A step of the bare client
is `render_script` and `environment_graph`. A step of ours is an action through the executor, with
its check before, its postcondition in a fresh graph, and the view for the planner. Exits with 1
where the adapter with our client, as it is by default, takes 5 ms more in the median. Given the
shipped client instead, it parses and compares all that our client passes over.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from peephole.adapters.virtualhome.unity import process as unity_process
from peephole.adapters.virtualhome.unity.adapter import UnityAdapter
from peephole.adapters.virtualhome.unity.client import SCRIPT_OPTIONS
from peephole.scene_graph.goals import And
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, close, go_to, open_
from peephole.skills.executor import Executor

LIMIT_MS = 5.0
SCENE = "virtualhome-eval:1004_2"
FREEZER, OFFICE = 289, 319

#: A round of actions, and their lines.
ROUND: tuple[tuple[Action, str], ...] = (
    (go_to(FREEZER), "<char0> [walk] <freezer> (289)"),
    (open_(FREEZER), "<char0> [open] <freezer> (289)"),
    (close(FREEZER), "<char0> [close] <freezer> (289)"),
    (go_to(OFFICE), "<char0> [walk] <home_office> (319)"),
)


@contextmanager
def stand_in() -> Iterator[str]:
    """The address of a stand-in of its own process."""
    command = [sys.executable, "-m", "peephole.adapters.virtualhome.unity.stand_in", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait()


def shipped_client(url: str) -> Any:
    """`UnityCommunication` of the package virtualhome, which cannot be imported as a package."""
    spec = importlib.util.find_spec("virtualhome")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("The package virtualhome is not installed; get it by: make setup")
    sys.path.insert(0, str(Path(spec.submodule_search_locations[0], "simulation")))
    if "cv2" not in sys.modules and importlib.util.find_spec("cv2") is None:  # for pictures
        sys.modules["cv2"] = ModuleType("cv2")
    module = importlib.import_module("unity_simulator.comm_unity")
    return module.UnityCommunication(port=url.rsplit(":", 1)[1])


def measured(step: Callable[[], object]) -> float:
    began = time.perf_counter()
    step()
    return (time.perf_counter() - began) * 1e3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200)
    options = parser.parse_args()
    task = Task("any", "", And(()), SCENE)
    times: dict[str, list[float]] = {}
    with stand_in() as first, stand_in() as second, stand_in() as third:
        bare = shipped_client(first)
        UnityAdapter(bare).reset(task, 0)  # the same scene, by the client itself
        at = {"our client": second, "their client": third}
        executors = {}
        for name, url in at.items():
            os.environ[unity_process.URL_VARIABLE] = url
            adapter = UnityAdapter(None if name == "our client" else shipped_client(url))
            adapter.reset(task, 0)
            executors[name] = (adapter, Executor(adapter, lambda: None))

        def bare_step(line: str) -> None:
            success, _ = bare.render_script([line], **SCRIPT_OPTIONS)
            assert success, line
            bare.environment_graph()

        def step(name: str, action: Action) -> None:
            adapter, executor = executors[name]
            assert executor.execute(action).success
            adapter.view()

        for number in range(options.steps):
            action, line = ROUND[number % len(ROUND)]
            times.setdefault("bare", []).append(measured(partial(bare_step, line)))
            for name in executors:
                took = measured(partial(step, name, action))
                times.setdefault(name, []).append(took)
        for adapter, _ in executors.values():
            adapter.close()
    medians = {name: statistics.median(found) for name, found in times.items()}
    print(f"medians of {options.steps} steps, in ms")
    print(f"{medians['bare']:8.1f} the shipped client alone: render_script, environment_graph")
    for name in executors:
        more = medians[name] - medians["bare"]
        print(f"{medians[name]:8.1f} the adapter with {name} ({more:+.1f})")
    return int(medians["our client"] - medians["bare"] >= LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
