"""The process of the stand-in: the calls of LIBERO's engine, by the protocol of `serving`."""

from __future__ import annotations

import base64
import json
import os
import sys
import time
import zlib
from collections.abc import Callable
from struct import pack
from typing import Any

from ...process import serving
from .table import StandInFailure, Table
from .tasks import BOWL, CABINET, CHEESE, PLATE, STARTS, STOVE, TABLE, TASKS

FAULT = "PEEPHOLE_LIBERO_STAND_IN_FAULT"
_ABOUT = "a table of boxes by plain rules, without physics"
#: What a picture shows from above, with colours; later ones cover earlier ones.
_COLOURS = {
    TABLE: (196, 164, 132),
    CABINET: (120, 80, 50),
    STOVE: (60, 60, 70),
    PLATE: (230, 230, 230),
    BOWL: (20, 20, 20),
    CHEESE: (240, 210, 90),
}
#: Half of what a picture shows across and up, in m.
_SHOWN = 0.6


class Engine:
    """The calls, with one task at a time."""

    def __init__(self) -> None:
        self._table: Table | None = None
        self._tries = 0
        kind, _, number = os.environ.get(FAULT, "").partition(":")
        self._fault, self._faulty = kind, int(number or 0)

    def calls(self) -> dict[str, Callable[..., Any]]:
        return {
            "begin": self.begin,
            "catalogue": self.catalogue,
            "state": self.state,
            "view": self.view,
            "attempt": self.attempt,
            "image": self.image,
            "snapshot": self.snapshot,
            "restore": self.restore,
        }

    def begin(self, suite: str, task: int, start: int, seed: int) -> dict[str, Any]:
        """Begin a task. Raises BAD_INPUT for one that does not exist."""
        self._suite(suite)
        if not 0 <= task < len(TASKS):
            raise _bad(f"{suite} has the tasks 0 to {len(TASKS) - 1}, not {task}.")
        if not 0 <= start < STARTS:
            raise _bad(f"Task {task} of {suite} has the starts 0 to {STARTS - 1}, not {start}.")
        self._table = Table.begun(TASKS[task], start)
        return {
            "instruction": TASKS[task].instruction,
            "goal": [list(part) for part in TASKS[task].goal],
            "state": self._table.state(),
            "cpu_s": 0.0,
        }

    def catalogue(self, suite: str) -> dict[str, Any]:
        self._suite(suite)
        tasks = [
            {
                "index": index,
                "name": task.name,
                "instruction": task.instruction,
                "goal": [list(part) for part in task.goal],
                "starts": STARTS,
                "fixtures": [CABINET, STOVE, TABLE],
                "objects": [BOWL, PLATE, CHEESE],
            }
            for index, task in enumerate(TASKS)
        ]
        return {"tasks": tasks}

    def state(self) -> dict[str, Any]:
        return self._begun().state()

    def view(self, enough: int = 1) -> dict[str, Any]:
        return {"seen": self._begun().seen(), "camera": ["agentview"]}

    def attempt(
        self,
        verb: str,
        target: str,
        place: str | None = None,
        relation: str | None = None,
        variation: int = 0,
    ) -> dict[str, Any]:
        """One try."""
        table = self._begun()
        self._tries += 1
        if self._tries == self._faulty:
            self._fail()
        failure, measured = None, {}
        try:
            measured = table.attempt(verb, target, place, variation)
        except StandInFailure as error:
            failure = error.data
        return {
            "failure": failure,
            "measured": measured,
            "sim_s": 4.0,
            "cpu_s": 0.0,
            "state": table.state(),
        }

    def image(self, camera: str, width: int, height: int) -> dict[str, Any]:
        """The table from above, as a PNG of boxes."""
        table = self._begun()
        seen = table.seen()
        boxes_of = {thing["name"]: thing["box"] for thing in table.state()["things"]}
        boxes = [(boxes_of[name], colour) for name, colour in _COLOURS.items() if name in seen]
        rows = bytearray()
        for row in range(height):
            y = _SHOWN * (2 * (row + 0.5) / height - 1)
            rows.append(0)
            for column in range(width):
                x = _SHOWN * (2 * (column + 0.5) / width - 1)
                colour = (255, 255, 255)
                for (low, high), inside in boxes:
                    if low[0] <= x <= high[0] and low[1] <= y <= high[1]:
                        colour = inside
                rows.extend(colour)
        head = pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        png = b"".join(
            pack(">I", len(data)) + name + data + pack(">I", zlib.crc32(name + data))
            for name, data in ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
        )
        return {"png": base64.b64encode(b"\x89PNG\r\n\x1a\n" + png).decode()}

    def snapshot(self) -> dict[str, Any]:
        table = self._begun()
        return {"data": base64.b64encode(json.dumps(table.kept()).encode()).decode()}

    def restore(self, data: str) -> dict[str, Any]:
        table = self._begun()
        table.recall(json.loads(base64.b64decode(data)))
        return table.state()

    def _suite(self, suite: str) -> None:
        if not suite.startswith("libero_"):
            raise _bad(f"LIBERO has no suite '{suite}'; its suites begin with libero_.")

    def _begun(self) -> Table:
        if self._table is None:
            raise _bad("No task was begun.")
        return self._table

    def _fail(self) -> None:
        """Do as the fault says."""
        if self._fault == "dies":
            os._exit(9)
        if self._fault == "hangs":
            time.sleep(3600)
        if self._fault == "garbles":
            os.write(_ANSWERS, b"\x00\x00\x00\x05nonse")


def facts() -> dict[str, Any]:
    """What it is, for the recording."""
    return {"about": _ABOUT, "python": sys.version.split()[0]}


def _bad(message: str) -> serving.CallError:
    return serving.CallError(serving.BAD_INPUT, message)


if __name__ == "__main__":
    CHANNEL = serving.Channel()
    _ANSWERS = CHANNEL.answers.fileno()
    serving.serve(CHANNEL, Engine().calls(), facts)
