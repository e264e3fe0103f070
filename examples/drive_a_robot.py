"""Drive a robot through rosbridge: a fake one here, with its room file and its mapping.

python examples/drive_a_robot.py     (needs the extra `ros`)
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import peephole
from peephole.adapters.rosbridge.stand_in import fake_robot, server

FOLDER = Path(__file__).parent


def main() -> None:
    lab = FOLDER / "fake_lab.yaml"
    robot = fake_robot.FakeRobot.without_scene()
    times = server.Times(order_s=0.05, topics_s=0.05)
    with tempfile.TemporaryDirectory() as scratch, server.StandIn(robot, times=times) as bridge:
        mapping = Path(scratch) / "robot.yaml"
        text = (FOLDER / "fake_robot.yaml").read_text(encoding="utf-8")
        mapping.write_text(text.replace("ws://127.0.0.1:9090", bridge.url), encoding="utf-8")
        os.environ["PEEPHOLE_ROSBRIDGE"] = str(mapping)

        real = peephole.run("explore", "room", data=lab, adapter="rosbridge", tasks=2)
    simulated = peephole.run("explore", "room", data=lab, adapter="symbolic_one_hand", tasks=2)

    for name, run in (("robot", real), ("rules", simulated)):
        print(f"{name}: success {run.figures['gsr'].text(100, 0)} %")
    print(f"Compare them with: peephole compare {simulated.folder} {real.folder}")


if __name__ == "__main__":
    main()
