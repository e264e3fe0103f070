"""Faults of the stand-in: engines crash, hang, and refuse without a reason."""

from __future__ import annotations

import os
import re
import sys
import time
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from ....errors import BadInput, unknown_name

EXIT_CODE = 134  # as after an abort


class EngineFault(StrEnum):
    NOSTART = "nostart"  # =N: the first N starts end before the pipe is opened
    REFUSE = "refuse"  # =N: the first N puts that would succeed find no valid position
    CRASH = "crash"  # @N: ends during action N
    DIE = "die"  # @N: ends after the answer to action N
    HANG = "hang"  # @N: no answer to action N
    LATE = "late"  # @N:S: the answer to action N comes S seconds late


_FORM = re.compile(r"(\w+)(?:=(\d+)|@(\d+)(?::([\d.]+))?)")
_COUNTED = (EngineFault.NOSTART, EngineFault.REFUSE)


@dataclass
class EngineFaults:
    """The faults of one stand-in.

    Actions are counted from 1 after the start, without the Controller's own (GetScenesInBuild,
    Reset, Initialize, ChangeResolution). log: a file that keeps the counts, so that a restarted
    engine continues them instead of dying at the same action forever. Each line is an event: start,
    action, or the name of a fault.
    """

    counted: dict[EngineFault, int] = field(default_factory=dict)
    at: dict[int, list[tuple[EngineFault, float]]] = field(default_factory=dict)
    log: Path | None = None

    def __post_init__(self) -> None:
        lines = []
        if self.log is not None and self.log.is_file():
            lines = self.log.read_text(encoding="utf-8").split()
        self._actions = lines.count("action")
        self.at = {n: some for n, some in self.at.items() if n > self._actions}
        for fault in self.counted:
            self.counted[fault] -= lines.count(fault)

    def start(self) -> None:
        """Count a start. Raises SystemExit if the engine shall not start."""
        self._write("start")
        if self.counted.get(EngineFault.NOSTART, 0) > 0:
            self._write(EngineFault.NOSTART)
            sys.exit(1)

    def before(self) -> None:
        """Call when an action came; may never return."""
        self._actions += 1
        self._write("action")
        for fault, seconds in self._now():
            if fault is EngineFault.DIE:
                continue
            self._write(fault)
            if fault is EngineFault.CRASH:
                os._exit(EXIT_CODE)
            while fault is EngineFault.HANG:
                time.sleep(1)
            time.sleep(seconds)

    def after(self) -> None:
        """Call when an action was answered; may never return."""
        if any(fault is EngineFault.DIE for fault, _ in self._now()):
            self._write(EngineFault.DIE)
            os._exit(EXIT_CODE)

    def pending_refusals(self) -> bool:
        return self.counted.get(EngineFault.REFUSE, 0) > 0

    def refuses(self) -> bool:
        """Whether a put that would succeed shall be refused."""
        if not self.pending_refusals():
            return False
        self.counted[EngineFault.REFUSE] -= 1
        self._write(EngineFault.REFUSE)
        return True

    def _now(self) -> list[tuple[EngineFault, float]]:
        return self.at.get(self._actions, [])

    def _write(self, line: str) -> None:
        if self.log is not None:
            with self.log.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")


def parse(text: str, log: Path | None = None) -> EngineFaults:
    """Read "refuse=3,crash@12,late@5:2.0". Raises BadInput."""
    counted: dict[EngineFault, int] = {}
    at: dict[int, list[tuple[EngineFault, float]]] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = _FORM.fullmatch(part)
        name = match.group(1) if match else part
        if name not in tuple(EngineFault):
            raise unknown_name("fault", name, EngineFault)
        fault = EngineFault(name)
        _, count, number, seconds = match.groups() if match else ("", None, None, None)
        right = count is not None if fault in _COUNTED else number is not None
        if not right or (seconds is not None) is not (fault is EngineFault.LATE):
            form = (
                "=N" if fault in _COUNTED else "@N:SECONDS" if fault is EngineFault.LATE else "@N"
            )
            raise BadInput(f"The fault '{part}' has to be written {fault}{form}.")
        if count is not None:
            counted[fault] = int(count)
        else:
            at.setdefault(int(number or 0), []).append((fault, float(seconds or 0)))
    return EngineFaults(counted, at, log)
