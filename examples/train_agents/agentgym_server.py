"""A server of household episodes for AgentGym: create, reset, step, observation, close.

python examples/train_agents/agentgym_server.py --suite houses --port 8080

AgentGym's trainers and evaluators speak to an environment server over HTTP. This one listens on
this machine alone. `HouseholdEnvClient` below is the class that AgentGym wants; it needs the
package agentenv. The server needs the package gymnasium.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

from peephole.interfaces.gymnasium import TextEnv
from peephole.suites.registry import load_suite

try:
    from agentenv.controller import BaseEnvClient, BaseTask, StepOutput
except ImportError:
    BaseEnvClient = BaseTask = object  # type: ignore[assignment, misc]
    from types import SimpleNamespace as StepOutput  # type: ignore[assignment]

#: The first two messages of every conversation.
TASK_PROMPT = (
    "You act in a household. You are given a task, what you see, and your possible actions. Answer "
    'each time in this form:\nThought: your reason\nAction: one of the actions\nSay "Action: give '
    'up" where you see no way on.'
)


class Episodes:
    """The environments of a server, by number."""

    def __init__(self, suite: str, **more: Any) -> None:
        """more: arguments of `TextEnv`."""
        self._suite = load_suite(suite)
        self._more = {"reward": "success", **more}
        self._numbers = itertools.count()
        self._open: dict[int, tuple[TextEnv, threading.Lock]] = {}
        self._last: dict[int, dict[str, Any]] = {}

    def create(self) -> dict[str, Any]:
        number = next(self._numbers)
        self._open[number] = TextEnv(self._suite, **self._more), threading.Lock()
        return {"id": number}

    def reset(self, id: int, data_idx: int = 0) -> dict[str, Any]:  # noqa: A002
        env, turn = self._open[id]
        with turn:
            task = self._suite.tasks[data_idx % len(self._suite.tasks)]
            text, info = env.reset(seed=data_idx, options={"task": task.id})
            return self._answer(id, text, info, 0.0, over=False)

    def step(self, id: int, action: str) -> dict[str, Any]:  # noqa: A002
        env, turn = self._open[id]
        with turn:
            text, reward, terminated, truncated, info = env.step(action)
            return self._answer(id, text, info, reward, over=terminated or truncated)

    def observation(self, id: int) -> dict[str, Any]:  # noqa: A002
        return self._last[id]

    def close(self, id: int) -> dict[str, Any]:  # noqa: A002
        env, turn = self._open.pop(id)
        with turn:
            env.close()
        return {"closed": True}

    def _answer(
        self, number: int, text: str, info: dict[str, Any], reward: float, *, over: bool
    ) -> dict[str, Any]:
        answer = {"observation": text, "available_actions": info["menu"]}
        self._last[number] = {**answer, "reward": reward, "done": over}
        return self._last[number]


def server_of(episodes: Episodes, port: int) -> ThreadingHTTPServer:
    """A server on this machine's loopback address. port: 0 for any that is free."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply({"id": int(parse_qs(urlsplit(self.path).query)["id"][0])})

        def do_POST(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            self._reply(json.loads(self.rfile.read(size) or b"{}"))

        def _reply(self, arguments: dict[str, Any]) -> None:
            name = urlsplit(self.path).path.strip("/")
            try:
                if name not in ("create", "reset", "step", "observation", "close"):
                    raise ValueError(f"There is no '{name}' here.")
                answer, code = getattr(episodes, name)(**arguments), 200
            except Exception as error:  # a client may send anything
                answer, code = {"error": str(error)}, 400
            body = json.dumps(answer).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


class HouseholdEnvClient(BaseEnvClient):
    """The client of one environment, as AgentGym calls it."""

    conversation_start = (
        {"from": "human", "loss": None, "value": TASK_PROMPT},
        {"from": "gpt", "loss": False, "value": "Thought: I am ready."},
    )

    def __init__(self, env_server_base: str, data_len: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.base, self.data_len = env_server_base, data_len
        self.env_id = self._post("create", {})["id"]

    def __len__(self) -> int:
        return self.data_len

    def reset(self, idx: int = 0) -> dict[str, Any]:
        self.info = self._post("reset", {"id": self.env_id, "data_idx": idx})
        return self.info

    def observe(self) -> str:
        actions = "; ".join(self.info["available_actions"])
        return f"{self.info['observation']}\nPossible actions: {actions}"

    def step(self, action: str) -> StepOutput:
        found = re.findall(r"Action:\s*(.+)", action)
        said = (found[-1] if found else action).removesuffix("</s>").strip()
        self.info = self._post("step", {"id": self.env_id, "action": said})
        reward, over = self.info["reward"], self.info["done"]
        return StepOutput(state=self.observe(), reward=reward, done=over)

    def close(self) -> dict[str, Any]:
        return self._post("close", {"id": self.env_id})

    def _post(self, path: str, data: dict[str, Any]) -> dict[str, Any]:
        request = Request(f"{self.base}/{path}", json.dumps(data).encode(), method="POST")
        with urlopen(request) as answer:
            got: dict[str, Any] = json.load(answer)
        return got


class HouseholdTask(BaseTask):
    """The task that AgentGym's evaluator takes."""

    env_client_cls = HouseholdEnvClient
    env_name = "Household"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--suite", default="houses")
    parser.add_argument("--port", type=int, default=8080)
    arguments = parser.parse_args()
    server = server_of(Episodes(arguments.suite), arguments.port)
    print(f"Serving {arguments.suite} at http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
