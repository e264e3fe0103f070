"""An MCP server on the standard streams that passes all on to one over HTTP.

    python -I -S bridge.py

For agent programs that start their servers and cannot send a token. It has the standard library
alone, and takes address and token from PEEPHOLE_MCP_URL and PEEPHOLE_MCP_TOKEN.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

_VERSION, _SESSION = "MCP-Protocol-Version", "Mcp-Session-Id"


def main() -> None:
    """Pass on each line of standard input, and print the answers, until the input ends."""
    url, token = os.environ["PEEPHOLE_MCP_URL"], os.environ["PEEPHOLE_MCP_TOKEN"]
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            for answer in _answers(urllib.request.Request(url, line, headers), headers):
                print(json.dumps(answer), flush=True)
        except (OSError, ValueError) as error:
            print(json.dumps(_failed(line, error)), flush=True)


def _answers(request: urllib.request.Request, headers: dict[str, str]) -> Iterator[Any]:
    """The messages in the reply to one message. Adds to the headers what the session needs."""
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as reply:
        if session := reply.headers.get(_SESSION):
            headers[_SESSION] = session
        text = reply.read().decode()
    events = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
    for part in events if events else [text]:
        if not part.strip():
            continue
        answer = json.loads(part)
        result = answer.get("result") if isinstance(answer, dict) else None
        if isinstance(result, dict) and isinstance(result.get("protocolVersion"), str):
            headers[_VERSION] = result["protocolVersion"]
        yield answer


def _failed(line: bytes, error: Exception) -> dict[str, Any]:
    """The answer to a message that could not be passed on."""
    try:
        number = json.loads(line).get("id")
    except (ValueError, AttributeError):
        number = None
    said = {"code": -32603, "message": f"The episode's server does not answer: {error}"}
    return {"jsonrpc": "2.0", "id": number, "error": said}


if __name__ == "__main__":
    main()
