"""A scripted agent program: an MCP client of the standard library alone.

    python scripted_agent.py HABIT [WORDS …]

It finds its server in the environment, as agent programs do in their configuration.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

URL, TOKEN = os.environ["PEEPHOLE_MCP_URL"], os.environ["PEEPHOLE_MCP_TOKEN"]


_ABOUT = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "scripted", "version": "1"},
}


class Client:
    """A session over streamable HTTP (https://modelcontextprotocol.io, transports)."""

    def __init__(self) -> None:
        self._number = 0
        self._session: dict[str, str] = {}
        self._ask("initialize", _ABOUT)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, name: str, **arguments: Any) -> str:
        """The text of a tool's answer."""
        answer = self._ask("tools/call", {"name": name, "arguments": arguments})
        return str(answer["content"][0]["text"])

    def _ask(self, method: str, params: Any) -> Any:
        self._number += 1
        said = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        answer = self._send(said)
        return answer["result"]

    def _send(self, data: Any) -> Any:
        headers = {
            "Authorization": f"Bearer {TOKEN}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **self._session,
        }
        request = urllib.request.Request(URL, json.dumps(data).encode(), headers)
        with urllib.request.urlopen(request) as reply:
            if session := reply.headers.get("Mcp-Session-Id"):
                self._session = {"Mcp-Session-Id": session}
            text = reply.read().decode()
        lines = [line[5:] for line in text.splitlines() if line.startswith("data:") and line[5:]]
        return json.loads(lines[-1] if lines else text or "null")


def main(habit: str, words: list[str]) -> int | str:
    match habit:
        case "done":
            print(Client().call("done"))
        case "acts":
            client = Client()
            print(client.call("task")[:40])
            for action in words:
                print(client.call("act", action=action))
            print(client.call("done", reason="All is done."))
        case "crashes":
            client = Client()
            client.call("act", action=words[0])
            return f"Traceback: no model at https://x/?key={os.environ['MY_API_KEY']}"
        case "leaves":
            print(sys.stdin.read())
        case "silent":
            time.sleep(60)
        case "stays":
            print(Client().call("done"), flush=True)
            time.sleep(60)
        case "forks":
            command = [sys.executable, "-c", f"import time; time.sleep(60); {words[0]!r}"]
            subprocess.Popen(command, start_new_session=True)
            print(Client().call("done"))
        case "floods":
            print("x" * 200_000)
            print(Client().call("done"))
        case "looks":
            client = Client()
            for word in words:
                there = sorted(path.name for path in Path(word).glob("*"))
                print(word, there)
            print(client.call("done"))
        case "bridge":
            lines = [
                {"method": "initialize", "id": 1, "params": _ABOUT},
                {"method": "notifications/initialized"},
                {"method": "tools/call", "id": 2, "params": {"name": "done", "arguments": {}}},
            ]
            text = "".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines)
            bridge = subprocess.run(words[0].split(), input=text, capture_output=True, text=True)
            print(json.loads(bridge.stdout.splitlines()[-1])["result"]["content"][0]["text"])
        case "surroundings":
            print(sorted(path.name for path in Path.cwd().iterdir()))
            print(json.dumps(json.loads(Path(words[0]).read_text())))
            print(words[1])
            print(Client().call("done"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
