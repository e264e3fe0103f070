"""Plays episodes through a failing simulator and compares them with undisturbed ones.

    .venv/bin/python benchmarks/simulator_faults.py --faults 200
    .venv/bin/python benchmarks/simulator_faults.py --adapter libero --suite libero:goal \\
        --share 0.08 --faults 100 --tasks 6

The simulator runs in a process of its own, behind `faulty_simulator.py`, which at random calls
dies, hangs, or answers with garbled, overlong, late or wrong frames. Tasks are played in turn until
so many faults have been injected. Every episode has to come out as in this process without any
faults: the same decisions, observations, tries, outcomes and result. Exits with 1 at a difference.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from unittest import mock

from campaign import Campaign, Story, first_difference

from peephole.adapters.contract import Adapter
from peephole.adapters.libero import interpreter
from peephole.adapters.libero.adapter import LiberoAdapter
from peephole.adapters.libero.connection import LiberoDeadlines
from peephole.adapters.process.isolated import Deadlines, IsolatedAdapter
from peephole.adapters.registry import connect

#: Short, so that a campaign does not wait long for what hangs; long enough for a busy machine.
DEADLINES = Deadlines(start_s=20.0, reset_s=5.0, attempt_s=1.5, read_s=1.5)
#: A first start of LIBERO takes 3 s of the processor, more where others use it.
LIBERO_DEADLINES = LiberoDeadlines(start_s=60.0, begin_s=30.0, attempt_s=30.0, read_s=15.0)


def adapters(name: str, campaign: list[str]) -> tuple[Adapter, Adapter]:
    """A sound adapter, and one whose server fails. campaign: folder, seed and share of the faults.

    LIBERO's adapter has a process of its own; others are put into one.
    """
    server = [sys.executable, str(Path(__file__).with_name("faulty_simulator.py")), *campaign]
    if name == "libero":
        late_s = LIBERO_DEADLINES.attempt_s + 0.5
        command = [*server, str(late_s), *interpreter.command()]
        faulty = LiberoAdapter(LIBERO_DEADLINES)
        with mock.patch.object(interpreter, "command", return_value=command):
            faulty.facts()  # starts the process
        return LiberoAdapter(), faulty
    sound = connect(name)
    module = "peephole.adapters.process.isolated_server"
    command = [*server, str(DEADLINES.reset_s + 0.5), sys.executable, "-m", module, name]
    return sound, IsolatedAdapter(name, sound.spec, DEADLINES, command)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--share", type=float, default=0.01, help="of calls that are spoilt")
    parser.add_argument("--suite", default="robothow")
    parser.add_argument("--tasks", type=int, default=0, help="only the first so many")
    parser.add_argument("--adapter", default="virtualhome")
    parser.add_argument("--planner", default="expert")
    parser.add_argument("--seed", type=int, default=0, help="of the moments and kinds of faults")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "faults").touch()
        (folder / "calls").touch()
        campaign = Campaign(options.suite, options.planner, folder, tries=True)
        sound, faulty = adapters(options.adapter, [scratch, str(options.seed), str(options.share)])
        began = time.monotonic()
        expected: dict[str, Story] = {}
        episodes = steps = 0
        while len(faults := (folder / "faults").read_text().splitlines()) < options.faults:
            task = campaign.task(episodes % options.tasks if options.tasks else episodes)
            if task.id not in expected:
                expected[task.id] = campaign.play(sound, task, f"sound-{episodes}")
            episodes += 1
            found = campaign.play(faulty, task, f"faulty-{episodes}")
            steps += sum(event["event"] == "stepped" for event in found)
            if found != expected[task.id]:
                print(f"{task.id} came out differently (episode {episodes} of the campaign):")
                print(first_difference(expected[task.id], found))
                sound.close()
                faulty.close()
                return 1
        sound.close()
        faulty.close()
        calls = (folder / "calls").stat().st_size
    kinds = Counter(line.split("\t")[-1] for line in faults)
    print(f"{len(faults)} faults in {calls} calls ({time.monotonic() - began:.0f} s):")
    for kind, count in kinds.most_common():
        print(f"{count:5} {kind}")
    print(
        f"{episodes} episodes with {steps} steps came out as without faults; "
        f"{campaign.voided} of their starts were voided and repeated"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
