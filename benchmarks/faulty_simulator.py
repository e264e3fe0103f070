"""A simulator server that fails: it passes frames on to a sound one and spoils some answers.

    python benchmarks/faulty_simulator.py FOLDER SEED SHARE LATE_S COMMAND...

It stands where COMMAND, a sound server, would. Calls are counted through the whole campaign, over
restarts, in FOLDER/calls, and FOLDER/faults tells what was done to which call. SHARE is the share
of calls to spoil, LATE_S how many seconds a late answer takes. What fails three times in a row is
given up, and rightly so: of MOST_WITHIN calls in a row at most two are spoilt.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

from peephole.adapters.process import serving

#: More than a start, or a restart with its replay, takes.
MOST_WITHIN = 16
#: A third of the faults each.
FAULTS = {
    "death": ("dies before the call", "dies after the call", "dies amid its answer"),
    "hang": ("hangs", "hangs amid its answer", "closes its output", "late"),
    "garbled frame": (
        *("garbled", "no object", "too long"),
        *("out of order", "from a stranger", "twice"),
    ),
}


def read_frame(stream: IO[bytes]) -> bytes:
    """The next frame with its header; empty at the end."""
    header = stream.read(4)
    return header + stream.read(serving.content_length(header)) if len(header) == 4 else b""


def write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def hang() -> None:
    while True:
        time.sleep(60)


def spoil(fault: str, answer: bytes, chance: random.Random, late_s: float) -> None:
    """Write what becomes of an answer."""
    half, message = answer[: len(answer) // 2], serving.unpack(answer[4:])
    match fault:
        case "dies after the call":
            die()
        case "dies amid its answer":
            write(half)
            die()
        case "hangs":
            hang()
        case "hangs amid its answer":
            write(half)
            hang()
        case "closes its output":
            os.close(sys.stdout.fileno())
            hang()
        case "garbled":
            write(answer[:4] + bytes(chance.randrange(256) for _ in answer[4:]))
        case "no object":
            write(b"\0\0\0\2[]")
        case "too long":
            write(b"\xff\xff\xff\xff" + answer)
        case "out of order":
            write(serving.pack({**message, "seq": message["seq"] - 1}))
        case "from a stranger":
            write(serving.pack({**message, "token": "guessed"}))
        case "twice":
            write(answer + answer)
        case "late":
            time.sleep(late_s)
            write(answer)


def main() -> None:
    folder, seed, share, late_s, *command = sys.argv[1:]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    spoilt = Path(folder, "faults")
    with Path(folder, "calls").open("ab", buffering=0) as calls:
        while request := read_frame(sys.stdin.buffer):
            calls.write(b".")
            chance = random.Random(f"{seed} {calls.tell()}")
            call = serving.unpack(request[4:])["call"]
            number = calls.tell()
            recent = [int(line.split("\t")[0]) for line in spoilt.read_text().splitlines()[-2:]]
            allowed = len(recent) < 2 or number - recent[0] > MOST_WITHIN
            spoils = allowed and chance.random() < float(share)
            group = chance.choice([*FAULTS]) if spoils else None
            fault = chance.choice(FAULTS[group]) if group is not None else None
            if call == "close":  # an end that goes wrong is an end
                fault = None
            if fault is not None:
                with spoilt.open("a") as faults:
                    faults.write(f"{number}\t{call}\t{group}: {fault}\n")
            if fault == "dies before the call":
                die()
            server.stdin.write(request)
            server.stdin.flush()
            answer = read_frame(server.stdout)
            if fault is None:
                write(answer)
            else:
                spoil(fault, answer, chance, float(late_s))


if __name__ == "__main__":
    main()
