"""An operator study that is killed (SIGKILL) at every question in turn, and continued each time.

    python benchmarks/operator_kills.py --tasks 15

A person by rules answers. Like a real room it stays as it is when the program dies, and it
remembers what it has done. Every question has three moments of death: before the answer, between
the answer and its way to the disk, and after that. A life of the program ends at its first moment
that was not lived through before. At the end the recordings are compared with those of a study
that nobody killed.

Prints how many questions were asked again after their answer was kept, how many kept answers are
missing, and how many episodes differ.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import peephole
from peephole.adapters.operator import settings
from peephole.adapters.operator.questions import Answer, Question
from peephole.adapters.operator.room_file import RoomFile
from peephole.adapters.operator.room_text import text_of
from peephole.adapters.operator.stand_in.person import RulePerson
from peephole.data_files import yaml_data
from peephole.episodes.recording import episode_files, read_events, without_times
from peephole.suites.room.templates import template_text

_PLANNER = "explore"


class MortalPerson(RulePerson):
    """A person by rules whose program dies at its first new moment.

    ledger: a file with a line for each moment of all lives.
    """

    def __init__(self, room: Path, memory: Path, ledger: Path, *, dies: bool) -> None:
        super().__init__(room, memory)
        self._ledger = ledger
        self._dies = dies
        lived = (json.loads(line) for line in _lines(ledger))
        self._lived = {(each["digest"], each["moment"]) for each in lived}

    def ask(self, question: Question) -> Answer:
        self._moment("asked", question)
        answer = super().ask(question)
        self._moment("answered", question)
        return answer

    def kept(self, question: Question) -> None:
        self._moment("kept", question)

    def _moment(self, moment: str, question: Question) -> None:
        line = {
            "moment": moment,
            "digest": question.digest,
            "kind": question.kind,
            "repeated": question.repeated,
        }
        with self._ledger.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        if self._dies and (question.digest, moment) not in self._lived:
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    arguments.add_argument("--tasks", type=int, default=15)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        report(Path(scratch), given.tasks)


def report(folder: Path, tasks: int) -> None:
    """Kill and continue a study until it ends, and print what was lost."""
    room = folder / "room.yaml"
    room.write_text(_room_text(tasks), encoding="utf-8")
    whole = folder / "whole"
    _live(room, folder / "whole", folder / "calm", dies=False)
    began = time.monotonic()
    lives = 0
    killed = folder / "killed"
    while True:
        lives += 1
        if _one_life(room, killed, folder / "mortal"):
            break
        if sys.stderr.isatty():
            print(f"\r{lives} lives", end="", file=sys.stderr)
    ledger = [json.loads(line) for line in _lines(folder / "mortal.ledger")]
    _print_losses(ledger, whole, killed)
    print(f"tasks {tasks}, lives {lives} in {time.monotonic() - began:.0f} s")


def _print_losses(ledger: list[dict[str, Any]], whole: Path, killed: Path) -> None:
    kept_in_files = {
        line["digest"]
        for path in killed.glob("adapter/*/*/answers.jsonl")
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines())
        if line["event"] == "answered"
    }
    asked: set[str] = set()
    safe: set[str] = set()
    twice = unwarned = 0
    for each in ledger:
        digest = each["digest"]
        if each["moment"] == "asked":
            twice += digest in safe
            unwarned += digest in asked and not each["repeated"]
            asked.add(digest)
        if each["moment"] == "kept":
            safe.add(digest)
    differing = sum(
        without_times(read_events(one)) != without_times(read_events(other))
        for one, other in zip(episode_files(whole), episode_files(killed), strict=True)
    )
    kinds = Counter(each["kind"] for each in ledger if each["moment"] == "kept")
    print(f"answers kept: {len(safe)}, by kind of question {dict(kinds)}")
    print(f"asked again after the answer was kept: {twice}")
    print(f"asked again after an interruption without saying so: {unwarned}")
    print(f"kept answers that are missing at the end: {len(safe - kept_in_files)}")
    print(f"episodes that differ from a study that nobody killed: {differing}")


def _room_text(tasks: int) -> str:
    """The flat of the protocol `heat_food`, with some tasks that bring things to places."""
    room = yaml_data(template_text("heat_food"))
    carried = [thing["name"] for thing in room["things"] if thing["at"] != "in fridge"]
    places = ["kitchen counter", "desk", "meeting table", "sofa"]
    pairs = [(thing, place) for place in places for thing in carried]
    assert tasks <= len(pairs), f"there are only {len(pairs)} tasks"
    room["ends"] = "planner_done"
    room["tasks"] = [
        {
            "name": f"task_{number}",
            "instruction": f"Bring the {thing} to the {place}.",
            "goal": [{"thing": thing, "at": f"on {place}"}],
        }
        for number, (thing, place) in enumerate(pairs[:tasks], start=1)
    ]
    return text_of(RoomFile.model_validate(room))


def _one_life(room: Path, out: Path, person: Path) -> bool:
    """Play or continue the study in a process of its own; returns whether it came to its end."""
    child = os.fork()
    if child == 0:
        try:
            _live(room, out, person, dies=True)
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return False
    assert status == 0, "a life ended with an error"
    return True


def _live(room: Path, out: Path, person: Path, *, dies: bool) -> None:
    desk = MortalPerson(
        room, person.with_suffix(".memory"), person.with_suffix(".ledger"), dies=dies
    )
    settings.open_desk = lambda: desk
    if (out / "run.json").exists():
        peephole.resume(out)
    else:
        peephole.run(_PLANNER, "room", data=room, adapter="operator", out=out)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


if __name__ == "__main__":
    main()
