"""Step the world of one episode by hand: no planner, no model.

python examples/step_a_world.py
"""

from __future__ import annotations

import peephole
from peephole.skills import actions


def main() -> None:
    with peephole.make("houses", task="switch/house-3-1") as world:
        percept = world.reset()
        print(world.instruction)
        print(percept.text)
        print("Possible now:", ", ".join(world.menu()[:3]), "…")

        percept = world.step("go to bathroom 1")  # in the words of the dialect
        print(percept.text)

        ids = {name: node for node, name in percept.names.items()}
        percept = world.step(actions.turn_on(ids["towel rack 1"]))  # or as a typed action
        print("It fails:", percept.outcome.failure.reason)

        score = world.score()
        print(f"Success: {score.success}, progress: {score.progress:.0%}, steps: {score.steps}")


if __name__ == "__main__":
    main()
