"""The transports of ai2thor 5.0.0: FIFO pipes (fifo_server.py) and WSGI posts (wsgi_server.py)."""

from __future__ import annotations

import http.client
import json
import struct
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlencode

import msgpack

from .engine import EngineReply, StandInEngine

#: A FIFO frame starts with a type and a length.
_HEADER = struct.Struct("!BI")
_METADATA, _ACTION, _IMAGE, _PATCH, _END = 1, 2, 4, 11, 255
_BOUNDARY = "peephole-frame"


def serve_fifo(engine: StandInEngine, server_pipe: Path, client_pipe: Path) -> None:
    """Answer actions over two named pipes until the Controller closes its pipe.

    The order of opening matters: the server pipe for writing, the first metadata, and only then the
    client pipe.
    """
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


def serve_wsgi(engine: StandInEngine, host: str, port: int, token: str) -> None:
    """Post metadata to the Controller until its answer is empty or it is gone.

    The answer to a post is the next action. There are no patches here.
    """
    connection = http.client.HTTPConnection(host, port)
    metadata, image = engine.hello().metadata, None
    while True:
        try:
            action = _post(connection, metadata, image, token)
        except (OSError, http.client.HTTPException):
            return
        if not action:
            return
        engine.faults.after()
        reply: EngineReply = engine.handle(action)
        sequence = int(action.get("sequenceId", 0))
        metadata = engine.payload(sequence) if reply.patch else reply.metadata
        image = reply.image


def _post(
    connection: http.client.HTTPConnection,
    metadata: dict[str, Any],
    image: bytes | None,
    token: str,
) -> dict[str, Any]:
    text = json.dumps(metadata)
    if image is None:
        body = urlencode({"metadata": text, "token": token}).encode()
        kind = "application/x-www-form-urlencoded"
    else:
        body = b"".join(
            [
                _part('name="metadata"', "text/plain; charset=utf-8", text.encode()),
                _part('name="token"', "text/plain; charset=utf-8", token.encode()),
                _part('name="image"; filename="image"', "application/octet-stream", image),
                f"\r\n--{_BOUNDARY}--\r\n".encode(),
            ]
        )
        kind = f"multipart/form-data; boundary={_BOUNDARY}"
    connection.request("POST", "/train", body, {"Content-Type": kind})
    answer = connection.getresponse().read()
    action: dict[str, Any] = json.loads(answer) if answer.strip() else {}
    return action


def _part(name: str, kind: str, body: bytes) -> bytes:
    # The Controller looks for these very letters, upper and lower case.
    head = f"\r\n--{_BOUNDARY}\r\nContent-disposition: form-data; {name}\r\nContent-Type: {kind}"
    return f"{head}\r\n\r\n".encode() + body
