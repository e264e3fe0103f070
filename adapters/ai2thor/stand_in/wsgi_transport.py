"""The WSGI transport: metadata is posted, the answer to the post is the next action.

As ai2thor/wsgi_server.py of ai2thor 5.0.0 speaks it. There are no patches here.
"""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlencode

from .engine import EngineReply, StandInEngine

_BOUNDARY = "peephole-frame"


def serve(engine: StandInEngine, host: str, port: int, token: str) -> None:
    """Post to the Controller until its answer is empty or it is gone."""
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
        metadata = engine.full(sequence) if reply.patch else reply.metadata
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
