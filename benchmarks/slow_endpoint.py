"""An OpenAI-compatible endpoint that takes its time: HTTP on 127.0.0.1, no model.

    python benchmarks/slow_endpoint.py --latency 1

It answers what a request's JSON schema allows, the choice settled by a digest of the messages,
after `--latency` seconds, however many requests there are. With `--per-second N` it refuses what
comes beyond N requests in a second by status 429 and `Retry-After`. GET /count says how many
requests it has answered and refused, when the first came, and how many it had at the same time at
most.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
import time
from typing import Any

#: Characters of a token, about.
_A_TOKEN = 4


class Endpoint:
    """The replies, and what was counted."""

    def __init__(self, latency_s: float, per_second: int) -> None:
        self._latency_s = latency_s
        self._per_second = per_second
        self._second, self._in_second = 0, 0
        self._now = 0
        self.counted: dict[str, float] = {"answered": 0, "refused": 0, "first": 0.0, "most": 0}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until it ends."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                fields = head.lower().split(b"\r\n")
                lengths = (f for f in fields if f.startswith(b"content-length:"))
                length = int(next(lengths, b":0").partition(b":")[2])
                content = await reader.readexactly(length)
                if fields[0].startswith(b"get"):
                    _write(writer, "200 OK", self.counted)
                else:
                    await self._answer(writer, json.loads(content))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter, body: dict[str, Any]) -> None:
        counted = self.counted
        counted["first"] = counted["first"] or time.time()
        if self._is_too_much():
            counted["refused"] += 1
            error = {"message": "Rate limit reached.", "code": "rate_limit_exceeded"}
            _write(writer, "429 Too Many Requests", {"error": error}, "Retry-After: 1\r\n")
            return
        self._now += 1
        counted["most"] = max(counted["most"], self._now)
        await asyncio.sleep(self._latency_s)
        self._now -= 1
        counted["answered"] += 1
        _write(writer, "200 OK", completion(body))

    def _is_too_much(self) -> bool:
        if not self._per_second:
            return False
        second = int(time.time())
        self._in_second = self._in_second + 1 if second == self._second else 1
        self._second = second
        return self._in_second > self._per_second


def _write(writer: asyncio.StreamWriter, status: str, data: dict[str, Any], more: str = "") -> None:
    content = json.dumps(data).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{more}"
    writer.write(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content)


def completion(body: dict[str, Any]) -> dict[str, Any]:
    """A chat completion that satisfies the request's schema."""
    said = json.dumps(body["messages"], sort_keys=True)
    digest = int.from_bytes(hashlib.blake2b(said.encode(), digest_size=4).digest())
    form = body.get("response_format")
    text = "All right."
    if form is not None:
        text = json.dumps(_instance(form["json_schema"]["schema"], digest))
    read, written = len(said) // _A_TOKEN, len(text) // _A_TOKEN + 1
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
        },
    }


def _instance(schema: dict[str, Any], digest: int) -> Any:
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][digest % len(schema["enum"])]
    if "anyOf" in schema:
        return _instance(schema["anyOf"][digest % len(schema["anyOf"])], digest)
    match schema.get("type"):
        case "object":
            return {name: _instance(part, digest) for name, part in schema["properties"].items()}
        case "array":
            return [_instance(schema["items"], digest)]
        case "integer" | "number":
            return 1
        case "boolean":
            return True
        case _:
            return "I look around."


async def _serve(endpoint: Endpoint) -> None:
    server = await asyncio.start_server(endpoint.serve, "127.0.0.1", 0, limit=2**24, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)  # until its parent goes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--latency", type=float, default=1.0, help="seconds until a reply")
    parser.add_argument("--per-second", type=int, default=0, help="requests; 0 for any number")
    options = parser.parse_args()
    asyncio.run(_serve(Endpoint(options.latency, options.per_second)))


if __name__ == "__main__":
    main()
