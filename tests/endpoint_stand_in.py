"""A stand-in for an OpenAI-compatible endpoint: real HTTP on 127.0.0.1, no model.

It answers what a request's JSON schema allows, the choice settled by a digest of the messages, so
that the same conversation always gets the same answer. Faults come one after the other from
`faults`, or at random with `--rates`. All requests are kept in `requests`.

    python tests/endpoint_stand_in.py [--rates 500=0.05,free_text=0.1] [--log FILE] [--by-message]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

Body = dict[str, Any]

#: Status, message, error code and headers of the faults that are HTTP errors.
ERRORS: dict[str, tuple[int, str, str | None, dict[str, str]]] = {
    "429": (429, "Rate limit reached.", "rate_limit_exceeded", {"Retry-After": "0.05"}),
    "a_second": (429, "Rate limit reached.", None, {"Retry-After": "1"}),
    "busy": (503, "Come back later.", None, {}),
    "an_hour": (429, "Rate limit reached.", None, {"Retry-After": "3600"}),
    "no_pause": (429, "Rate limit reached.", None, {"Retry-After": "0"}),
    "quota": (429, "You exceeded your current quota.", "insufficient_quota", {}),
    "unpaid": (402, "Payment required.", None, {}),
    "500": (500, "The server had an error.", None, {"Retry-After": "0.01"}),
    "401": (401, "Incorrect API key provided.", "invalid_api_key", {}),
    "403": (403, "This key may not use this model.", None, {}),
    "404": (404, "The model does not exist.", "model_not_found", {}),
    "schema_500": (500, "Internal error.", None, {"Retry-After": "0.01"}),
    "no_schema": (400, "Unknown parameter: 'response_format'.", None, {}),
    "no_temperature": (400, "Unsupported value: 'temperature' must be 1.", None, {}),
    "no_top_p": (400, "Unsupported parameter: 'top_p'.", None, {}),
    "no_stop": (400, "Unsupported parameter: 'stop'.", None, {}),
    "no_seed": (400, "Extra inputs are not permitted: 'seed'.", None, {}),
    "no_effort": (400, "Unsupported parameter: 'reasoning_effort'.", None, {}),
    "no_max_tokens": (400, "Use 'max_completion_tokens' instead of 'max_tokens'.", None, {}),
    "context": (
        400,
        "This model's maximum context length is 10 tokens.",
        "context_length_exceeded",
        {},
    ),
    "bad": (400, "Something else is wrong.", None, {}),
    "filtered": (
        400,
        "The response was filtered due to the prompt triggering the content management policy.",
        "content_filter",
        {},
    ),
    "flagged": (403, "This model requires moderation, and your input was flagged.", None, {}),
    "surrogate_error": (500, "Half a \ud83d pair.", None, {"Retry-After": "0.01"}),
}
_MOON = "fly to the moon 1"
#: Faults of a reply with status 200: its text, or how it is made.
TEXTS: dict[str, Callable[[str], str]] = {
    "invalid_json": lambda good: good[:-1] + ",",
    "truncated": lambda good: good[: len(good) // 2],
    "free_text": lambda good: "I would rather have a look around first.",
    "empty": lambda good: "",
    "withheld": lambda good: "",
    "all_thought": lambda good: "",
    "wrong_enum": lambda good: json.dumps({"thought": "", "action": _MOON, "choice": _MOON}),
    "fenced": lambda good: f"```json\n{good}\n```",
}
#: Bodies with status 200 that are no completion.
IN_REPLIES: dict[str, Body] = {
    "no_completion": {"hello": "world"},
    "error_in_200": {"error": {"message": "The model is overloaded.", "code": 502}},
    "error_in_choice": {"choices": [{"error": {"message": "Provider lost.", "code": 502}}]},
    "context_in_200": {"error": {"message": "This model's maximum context length is 10 tokens."}},
}
#: Why replies end, where not by "stop".
REASONS = {"truncated": "length", "all_thought": "length", "withheld": "content_filter"}


class EndpointStandIn:
    """A running stand-in; `url` is its OPENAI_BASE_URL.

    requests: bodies of all requests. headers: theirs. times: when they came, in
    monotonic seconds. only_responses: it has the Responses API and no chat completions. faults:
    names of faults for the next requests, each used up by one; 'ok' for none. always: the fault of
    a request where there are none of those. pick: chooses among the options of a schema. text:
    makes the whole reply in its place, or the message as data.
    """

    def __init__(
        self, rates: dict[str, float] | None = None, log: str = "", by_message: bool = False
    ) -> None:
        """rates: of random faults. by_message: settle these by the messages of a request, so that
        the same one always meets the same. log: a file for the messages of every request.
        """
        self.requests: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.faults: deque[str] = deque()
        self.always: Callable[[Body], str | None] = lambda body: None
        self.pick: Callable[[Body, list[str]], str] = _by_digest
        self.text: Callable[[Body], Any] | None = None
        self.slow_s = 1.0
        self.only_responses = False
        self._rates = rates or {}
        self._dice = random.Random(0)
        self._by_message = by_message
        self._log = log
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> EndpointStandIn:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def receive(self, body: Body, headers: dict[str, str]) -> str:
        """Note a request; the fault for it, or 'ok'."""
        with self._lock:
            self.requests.append(body)
            self.headers.append(headers)
            self.times.append(time.monotonic())
            if self._log:
                with Path(self._log).open("a") as file:
                    file.write(json.dumps(_said(body)) + "\n")
            if self.faults:
                return self.faults.popleft()
            dice = random.Random(json.dumps(_said(body))) if self._by_message else self._dice
            roll = dice.random()
        for fault, rate in self._rates.items():
            if roll < rate:
                return fault
            roll -= rate
        return self.always(body) or "ok"


def _said(body: Body) -> Any:
    """The messages of a request, or the texts to embed."""
    return body.get("messages", body.get("input"))


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that is killed in mid-request is no news."""


def _by_digest(body: Body, options: list[str]) -> str:
    text = json.dumps(body["messages"], sort_keys=True)
    return options[int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]) % len(options)]


def _answer(stand_in: EndpointStandIn, body: Body) -> Any:
    if stand_in.text is not None:
        return stand_in.text(body)
    form = body.get("response_format")
    if form is not None:
        return json.dumps(_instance(stand_in, body, form["json_schema"]["schema"]))
    _, found, schema = str(body["messages"][-1]["content"]).rpartition("this JSON schema: ")
    return json.dumps(_instance(stand_in, body, json.loads(schema))) if found else "All right."


def _instance(stand_in: EndpointStandIn, body: Body, schema: Body) -> Any:
    """Something that satisfies a schema."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return stand_in.pick(body, schema["enum"])
    match schema.get("type"):
        case "object":
            parts = schema["properties"].items()
            return {name: _instance(stand_in, body, part) for name, part in parts}
        case "array":
            return [_instance(stand_in, body, schema["items"])]
        case "integer" | "number":
            return 1
        case "boolean":
            return True
        case _:
            return "I see."


def _completion(body: Body, text: Any, finish_reason: str) -> Body:
    read = sum(len(str(message["content"])) for message in body["messages"]) // 4
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": f"{body['model']}-2026",
        "system_fingerprint": "fp_1",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant"}
                | (text if isinstance(text, dict) else {"content": text}),
                "finish_reason": finish_reason,
            }
        ],
        "usage": {
            "prompt_tokens": read,
            "completion_tokens": len(str(text)) // 4 + 1,
            "total_tokens": read + len(str(text)) // 4 + 1,
        },
    }


def _as_chat(body: Body) -> Body:
    """A request to the Responses API as one for a chat completion."""
    chat = {"model": body["model"], "messages": body["input"]}
    if "text" in body:
        chat["response_format"] = {"json_schema": body["text"]["format"]}
    return chat


def _response(completion: Body) -> Body:
    """A chat completion as the Responses API has it, with a thought before it."""
    (choice,) = completion["choices"]
    reason = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(
        choice["finish_reason"]
    )
    usage = completion.get("usage")
    said = {"type": "output_text", "text": choice["message"]["content"]}
    return {
        "id": "resp_1",
        "object": "response",
        "status": "completed" if reason is None else "incomplete",
        "incomplete_details": None if reason is None else {"reason": reason},
        "model": completion["model"],
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Milk is cold."}]},
            {"type": "message", "role": "assistant", "content": [said]},
        ],
        "usage": usage
        and {
            "input_tokens": usage["prompt_tokens"],
            "input_tokens_details": {"cached_tokens": usage["prompt_tokens"] // 2},
            "output_tokens": usage["completion_tokens"],
        },
    }


def _embeddings(body: Body) -> Body:
    """A vector of three numbers for every text: its length, its vowels and its spaces."""
    vectors = [[len(t), sum(t.count(v) for v in "aeiou"), t.count(" ")] for t in body["input"]]
    return {
        "object": "list",
        "model": body["model"],
        "data": [
            {"object": "embedding", "index": i, "embedding": vector}
            for i, vector in enumerate(vectors)
        ],
        "usage": {"prompt_tokens": len(vectors), "total_tokens": len(vectors)},
    }


def _handler(stand_in: EndpointStandIn) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_GET(self) -> None:
            if self.path == "/v1/models":
                self._send(
                    200, {"object": "list", "data": [{"id": "stand-in-large", "object": "model"}]}
                )
            else:
                self._send(404, {"error": {"message": "no such page"}})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            fault = stand_in.receive(
                body, {name.lower(): value for name, value in self.headers.items()}
            )
            responses = self.path == "/v1/responses"
            if fault == "ok" and responses != stand_in.only_responses and "embed" not in self.path:
                fault = "404"
            if fault in ERRORS:
                status, message, code, headers = ERRORS[fault]
                self._send(status, {"error": {"message": message, "code": code}}, headers)
            elif fault == "key_told":
                told = f"The header 'Authorization: {self.headers['Authorization']}' is no good."
                self._send(403, {"error": {"message": told}})
            elif fault == "drop":
                self.close_connection = True
            elif fault in IN_REPLIES:
                self._send(200, IN_REPLIES[fault])
            elif fault == "drip":
                self._drip()
            else:
                if fault == "slow":
                    time.sleep(stand_in.slow_s)
                if self.path == "/v1/embeddings":
                    self._send(200, _embeddings(body))
                    return
                body = _as_chat(body) if responses else body
                good = _answer(stand_in, body)
                text: Any = TEXTS[fault](good) if fault in TEXTS else good
                reason = REASONS.get(fault, "stop")
                if fault == "parts":
                    thought = {"type": "thinking", "thinking": "Milk is cold."}
                    text = [thought, {"type": "text", "text": text}]
                completion = _completion(body, text, reason)
                if fault == "no_usage":
                    del completion["usage"]
                self._send(200, _response(completion) if responses else completion)

        def _drip(self) -> None:
            """A blank every tenth of a second, as servers send that keep a connection open."""
            self.send_response(200)
            self.send_header("Content-Length", "20")
            self.end_headers()
            for _ in range(20):
                self.wfile.write(b" ")
                time.sleep(0.1)

        def _send(self, status: int, data: Body, headers: dict[str, str] | None = None) -> None:
            content = json.dumps(data).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    return Handler


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rates", default="", help="faults and their rates: 500=0.05,empty=0.1")
    parser.add_argument("--log", default="", help="file for the messages of every request")
    parser.add_argument("--by-message", action="store_true", help="the same request, the same fate")
    options = parser.parse_args()
    pairs = (pair.split("=") for pair in options.rates.split(",") if pair)
    rates = {fault: float(rate) for fault, rate in pairs}
    with EndpointStandIn(rates, options.log, options.by_message) as stand_in:
        print(stand_in.url, flush=True)
        sys.stdin.read()  # until whoever started it goes


if __name__ == "__main__":
    main()
