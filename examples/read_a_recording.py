"""Read a recording: every line of an episode's file is a typed event.

python examples/read_a_recording.py
"""

from __future__ import annotations

import peephole
from peephole.episodes.events import Ended, Started, Stepped
from peephole.episodes.recording import episode_files, read_episode


def main() -> None:
    run = peephole.run("explore", "robothow", tasks=1)
    (file,) = episode_files(run.folder)
    for event in read_episode(file):
        if isinstance(event, Started):
            print(event.instruction)
        elif isinstance(event, Stepped):
            failure = event.outcome.failure
            print(f"{event.step}. {event.wording}: {failure.reason if failure else 'done'}")
            for node in event.world.nodes if event.world else ():  # what changed in the true graph
                print(f"   {node.category}: {', '.join(sorted(map(str, node.states)))}")
        elif isinstance(event, Ended):
            print(f"Ended: {event.result.ended}, success: {event.result.success}")


if __name__ == "__main__":
    main()
