"""The side of the shell door that an agent's commands are."""

from __future__ import annotations

import json
import socket

from ...data_files import json_data
from ...errors import PeepholeError
from .sessions import Session

#: The longest answer, in bytes.
_LONGEST = 1 << 22


def call(session: Session, tool: str, argument: str = "") -> tuple[str, bool]:
    """The answer of the episode to a call, and whether it was carried out.

    Raises PeepholeError where nobody holds the episode any more.
    """
    if session.over:
        return session.over, False
    asked = {"token": session.token, "tool": tool, "argument": argument}
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(session.socket)
            client.sendall(json.dumps(asked).encode() + b"\n")
            with client.makefile("rb") as answers:
                line = answers.readline(_LONGEST)
        answer = json_data(line)
        return str(answer["text"]), bool(answer["ok"])
    except (OSError, ValueError, TypeError, KeyError):
        raise PeepholeError(
            "Nobody holds the episode of this session any more: `peephole play` was ended."
        ) from None
