"""Plays episodes on engines that fail and compares them with undisturbed ones.

    .venv/bin/python benchmarks/ai2thor_faults.py --faults 200

The stand-in engine of AI2-THOR is made to fail in one way after the other, every few actions: it
does not start, ends in the middle of an action or after one, hangs, answers late, or finds no
position for what is put down. Generated tasks are played in turn until so many faults of each
kind have been injected. Every episode has to come out as without faults: the same decisions,
observations and result; what is refused is tried again, and all else costs nothing but time. Exits
with 1 at a difference.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
import time
from pathlib import Path

from campaign import Campaign, first_difference

from peephole.adapters.ai2thor import engine
from peephole.adapters.ai2thor.adapter import ThorAdapter

#: Seconds for a scene and an action: short, as what hangs is waited for so long each time.
WITHIN = {"start_s": 60.0, "scene_s": 15.0, "step_s": 2.0}
LATE_S = WITHIN["step_s"] + 0.5
#: Actions between two faults.
EVERY = 15
KINDS = ("crash", "die", "hang", "late", "nostart", "refuse")


def faults_of(kind: str, done: int, count: int, actions: int) -> str:
    """The option of the stand-in: so many faults from an action on."""
    if kind in ("nostart", "refuse"):
        return f"{kind}={done + count}"
    after = f":{LATE_S}" if kind == "late" else ""
    moments = (actions + EVERY * number for number in range(1, count + 1))
    return ",".join(f"{kind}@{moment}{after}" for moment in moments)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=200, help="of each kind")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--planner", default="expert")
    options = parser.parse_args()
    differences = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        campaign = Campaign("ithor", options.planner, folder, tries=False)
        os.environ[engine.EXECUTABLE_VARIABLE] = engine.STAND_IN
        sound = ThorAdapter()
        for kind in options.kinds.split(","):
            began = time.monotonic()
            log = folder / f"{kind}.log"
            log.touch()
            episodes = 0
            while (done := log.read_text().split().count(kind)) < options.faults:
                actions = log.read_text().split().count("action")
                some = 1 if kind in ("nostart", "refuse") else 4
                faults = faults_of(kind, done, some, actions)
                os.environ[engine.EXECUTABLE_VARIABLE] = shlex.join(
                    [engine.STAND_IN, "--faults", faults, "--log", str(log)]
                )
                faulty = ThorAdapter(**WITHIN)
                task = campaign.task(episodes)
                episodes += 1
                found = campaign.play(faulty, task, f"{kind}-{episodes}")
                faulty.close()
                os.environ[engine.EXECUTABLE_VARIABLE] = engine.STAND_IN
                expected = campaign.play(sound, task, f"{kind}-{episodes}-sound")
                if found != expected:
                    differences += 1
                    print(f"{task.id} came out differently after {faults}:")
                    print(first_difference(expected, found))
            took = time.monotonic() - began
            print(f"{done:5} {kind:8} in {episodes} episodes ({took:.0f} s)", flush=True)
        sound.close()
    print(f"{differences} episodes came out differently; {campaign.voided} starts repeated")
    return int(differences > 0)


if __name__ == "__main__":
    sys.exit(main())
