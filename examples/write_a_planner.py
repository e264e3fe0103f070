"""Write a planner that asks no model, and play it on two tasks.

python examples/write_a_planner.py

The command line plays it too:

peephole run --suite houses:lived_in --planner examples/write_a_planner.py --tasks 2
"""

from __future__ import annotations

import re

import peephole
from peephole.planners.contract import Act, Brief, Decisions, Percept, Planner


def switch(brief: Brief, percept: Percept) -> Decisions:
    """Look for what is to be switched, room by room."""
    found = re.search(r"Switch (.+) off and (.+) on", brief.instruction)
    left = {found[1]: "turn off", found[2]: "turn on"} if found else {}
    for room in brief.rooms:
        percept = yield Act(f"go to {room.name}")
        for name in [name for name in left if name in percept.names.values()]:
            yield Act(f"go to {name}")
            yield Act(f"{left.pop(name)} {name}")


PLANNER = Planner("switch", "finds switches", switch)


def main() -> None:
    run = peephole.run(PLANNER, "houses", tasks=["switch/house-3-1", "switch/house-9-1"])
    for result in run.results:
        print(f"{result.task}: {'success' if result.success else 'failure'}, {result.steps} steps")
    print(f"Read them with: peephole show {run.folder}")


if __name__ == "__main__":
    main()
