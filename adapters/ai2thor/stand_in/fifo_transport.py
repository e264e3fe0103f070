"""The FIFO transport: frames of a type, a length and a body, over two named pipes.

As ai2thor/fifo_server.py of ai2thor 5.0.0 speaks it. The order of opening matters: the server pipe
for writing, the first metadata, and only then the client pipe.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any, BinaryIO

import msgpack

from .engine import EngineReply, StandInEngine

_HEADER = struct.Struct("!BI")
_METADATA, _ACTION, _IMAGE, _PATCH, _END = 1, 2, 4, 11, 255


def serve(engine: StandInEngine, server_pipe: Path, client_pipe: Path) -> None:
    """Answer actions until the Controller closes its pipe."""
    with server_pipe.open("wb") as answers:
        _send(answers, engine.hello())
        with client_pipe.open("rb") as requests:
            while (action := _receive(requests)) is not None:
                reply = engine.handle(action)
                try:
                    _send(answers, reply)
                except BrokenPipeError:
                    return
                engine.faults.after()


def _send(pipe: BinaryIO, reply: EngineReply) -> None:
    pipe.write(_frame(_PATCH if reply.patch else _METADATA, msgpack.packb(reply.metadata)))
    if reply.image is not None:
        pipe.write(_frame(_IMAGE, reply.image))
    pipe.write(_frame(_END, b""))
    pipe.flush()


def _frame(kind: int, body: bytes) -> bytes:
    return _HEADER.pack(kind, len(body)) + body


def _receive(pipe: BinaryIO) -> dict[str, Any] | None:
    """The next action, or None at the end."""
    while True:
        header = pipe.read(_HEADER.size)
        if len(header) < _HEADER.size:
            return None
        kind, length = _HEADER.unpack(header)
        body = pipe.read(length)
        if kind == _ACTION:
            action: dict[str, Any] = json.loads(body)
            return action
