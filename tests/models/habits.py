"""The habits of endpoints: how each answers, and what has to come of it.

docs/reference/endpoints.md has a row for each, with the same name and the same reaction.
"""

from __future__ import annotations

import base64
import gzip
import json
import time
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from peephole.models.episode_model import EpisodeModel
from peephole.models.events import ModelEvent, ModelReplied
from peephole.models.failures import (
    NoCredit,
    RequestRefused,
    UnknownModel,
    Unreachable,
    WrongKey,
)

from .conftest import ASK, PLACES
from .habit_server import CHOICE, STOPPED, Asked, Serve, completion

KEY = "sk-live-0123456789/+abc"
SYSTEM = [{"role": "system", "content": "You are a robot."}, *ASK]


class Known(NamedTuple):
    """What a test can look at after the question."""

    model: EpisodeModel
    events: list[ModelEvent]
    requests: list[dict[str, Any]]
    pauses: list[float]

    @property
    def replies(self) -> list[ModelReplied]:
        return [event for event in self.events if isinstance(event, ModelReplied)]


Ask = Callable[[EpisodeModel], Any]


def choose(model: EpisodeModel) -> Any:
    return model.choose(ASK, PLACES)


def choose_with_all(model: EpisodeModel) -> Any:
    return model.choose(SYSTEM, PLACES, temperature=0.5, top_p=0.9, stop=["\n\n"])


@dataclass(frozen=True)
class Habit:
    """A habit of endpoints and what has to come of it."""

    name: str
    reaction: str
    serve: Serve
    says: str = ""
    """A pattern in the error, in the first problem, or in the note of a change."""
    error: type[Exception] = Unreachable
    requests: int | None = None
    """How many requests there are; None for the number of the reaction."""
    ask: Ask = choose
    check: Callable[[Known], bool] = lambda known: True
    config: dict[str, Any] = field(default_factory=dict)
    key: str = KEY


# --- how they answer -----------------------------------------------------------------------------


def once(serve: Serve) -> Serve:
    """The habit at the first request; the others are answered."""
    return lambda asked: serve(asked) if asked.count == 1 else asked.says()


def always_error(status: int, message: str = "Something is wrong.", **more: Any) -> Serve:
    return lambda asked: asked.error(status, message, **more)


def with_headers(status: int, **headers: str) -> Serve:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda asked: asked.error(status, "Come back later.", named)


def refuses(*fields: str, status: int = 400, message: str) -> Serve:
    """Refuses the fields of a request as long as one of them is there."""
    return lambda asked: (
        asked.error(status, message) if asked.body.keys() & set(fields) else asked.says()
    )


def refuses_system(status: int, message: str) -> Serve:
    return lambda asked: asked.error(status, message) if "system" in asked.roles else asked.says()


def takes(characters: int, status: int, message: str = "", **more: Any) -> Serve:
    """Takes conversations up to a length."""

    def serve(asked: Asked) -> None:
        if asked.characters <= characters:
            asked.says()
        elif message:
            asked.error(status, message, **more)
        else:
            asked.body_of(b"", status)

    return serve


def grows(model: EpisodeModel) -> Any:
    """A conversation that fits, then one that does not."""
    model.choose(ASK, PLACES)
    return model.choose([*ASK, *ASK, {"role": "user", "content": "milk " * 200}], PLACES)


def twice(model: EpisodeModel) -> Any:
    choose(model)
    return choose(model)


def embeds(model: EpisodeModel) -> Any:
    return "fridge" if model.embed(["milk", "cup"]).shape == (2, 2) else None


def completes(model: EpisodeModel) -> Any:
    return model.complete(ASK, stop=["\n"])


def vectors(count: int) -> dict[str, Any]:
    return {"data": [{"index": i, "embedding": [1.0, i]} for i in range(count)]}


def few_vectors(asked: Asked) -> None:
    asked.data(vectors(1 if asked.count == 1 else 2))


def redirects(to: str, status: int = 307) -> Serve:
    """Sends the path without a slash at its end to another."""

    def serve(asked: Asked) -> None:
        if asked.path.endswith("/") and asked.body:
            asked.says()
        else:
            asked.body_of(b"", status, {"Location": to.format(path=asked.path)})

    return serve


def echoes(spelled: Callable[[str], str], status: int = 400) -> Serve:
    return lambda asked: asked.error(status, f"No: ?key={spelled(asked.key)} is a key, not a lamp")


def only_responses(asked: Asked) -> None:
    if not asked.path.endswith("/responses"):
        asked.error(404, "Use v1/responses.")
        return
    said = {"type": "message", "content": [{"type": "output_text", "text": CHOICE}]}
    asked.data({"object": "response", "status": "completed", "model": "m", "output": [said]})


def no_model(asked: Asked) -> None:
    if asked.body:
        asked.error(404, "The model does not exist.")
    else:
        asked.data({"object": "list", "data": [{"id": "stand-in-large", "object": "model"}]})


def bomb(asked: Asked) -> None:
    asked.body_of(_BOMB, headers={"Content-Encoding": "gzip"})


_BOMB = gzip.compress(b" " * 64_000_000, 1)
_GOOD = json.dumps(completion({"content": CHOICE})).encode()
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
_CHUNKED = _HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
_TIMED = {"timeout_s": 0.25, "patience_s": 0.0}


def cut_short(asked: Asked) -> None:
    asked.raw(_HEAD + b"Content-Length: 100000\r\n\r\n" + _GOOD[:40])


def chunk_cut(asked: Asked) -> None:
    asked.raw(_CHUNKED + b"28\r\n" + _GOOD[:40] + b"\r\n")


def drop(asked: Asked) -> None:
    asked.handler.close_connection = True


def endless(asked: Asked) -> None:
    asked.drips(_CHUNKED, b"100000\r\n" + b" " * 0x100000 + b"\r\n", 0)


def endless_error(asked: Asked) -> None:
    asked.drips(b"HTTP/1.0 500 Oh\r\n\r\n", b"Oh no! " * 99_999, 0)


def html_error(asked: Asked) -> None:
    asked.body_of(b"<html><h1>502 Bad Gateway</h1>" * 99, 502, {"Content-Type": "text/html"})


def silent(asked: Asked) -> None:
    STOPPED.wait(1)
    asked.handler.close_connection = True


def stream(asked: Asked) -> None:
    part = {"choices": [{"index": 0, "delta": {"content": CHOICE}}]}
    asked.body_of(f"data: {json.dumps(part)}\n\ndata: [DONE]\n\n".encode())


def in_a_text(asked: Asked) -> None:
    asked.says('{"choice": "fridge", "why": "I closed my </think> tag"}')


def of_model(**fields: Any) -> Serve:
    return lambda asked: asked.message(**fields)


def says(text: Any, reason: str = "stop", **more: Any) -> Serve:
    return lambda asked: asked.says(text, reason, **more)


def sends(content: bytes, **headers: str) -> Serve:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda asked: asked.body_of(content, headers=named)


def data(body: Any) -> Serve:
    return lambda asked: asked.data(body)


def tokens(known: Known) -> tuple[int, int]:
    usage = known.replies[0].usage
    return usage.tokens_in, usage.tokens_out


def waited(seconds: float) -> Callable[[Known], bool]:
    return lambda known: abs(known.pauses[0] - seconds) < 1.5 and len(known.pauses) == 1


def hides_key(known: Known) -> bool:
    told = str(known.events) + str(known.model.trouble)
    return KEY not in told and urllib.parse.quote(KEY, safe="") not in told


def quick_pauses(known: Known) -> bool:
    return known.pauses[:4] == [0] * 4 and known.pauses[4] > 1


READ, AGAIN, ANSWERED = "read", "asked again", "answered"
CHANGED, SHORTENED, ENDS = "changed", "shortened", "ends the run"
_CALL = {"function": {"name": "answer", "arguments": CHOICE}}
_LIMITS = "on tokens per min (TPM): Limit {}, Used 900, Requested {}. Try again in 2s."
_AWAY = "http://other.example{path}/"

HABITS = [
    # --- busy servers
    Habit("429", AGAIN, once(always_error(429)), check=waited(0.5)),
    Habit("529", AGAIN, once(always_error(529, "Overloaded")), check=waited(0.5)),
    Habit("408", AGAIN, once(always_error(408))),
    Habit("retry-after", AGAIN, once(with_headers(429, retry_after="7")), check=waited(7)),
    Habit("retry-after-ms", AGAIN, once(with_headers(429, retry_after_ms="4000")), check=waited(4)),
    Habit(
        "retry-after-date",
        AGAIN,
        once(lambda a: a.error(503, "Wait.", {"Retry-After": _in_a_minute()})),
        check=waited(60),
    ),
    Habit(
        "retry-after-zero",
        ENDS,
        with_headers(429, retry_after="0"),
        "status 429 .*, 1[0-9] times",
        requests=-1,
        check=quick_pauses,
    ),
    Habit(
        "retry-after-nonsense",
        AGAIN,
        lambda a: (
            a.says()
            if a.count == 4
            else with_headers(
                429, retry_after=("nan", "-5", "Fri, 31 Dec 99999 23:59:59 GMT")[a.count - 1]
            )(a)
        ),
        requests=4,
    ),
    Habit("an-hour", ENDS, with_headers(429, retry_after="3600"), "wants a pause of 3600 s"),
    Habit("for-ever", ENDS, with_headers(429, retry_after="1e308"), "pause of more than a day"),
    Habit("do-not-retry", ENDS, with_headers(429, x_should_retry="false"), "status 429.*later"),
    Habit("outage", ENDS, always_error(503), "status 503 .*--model-patience", requests=-1),
    # --- connections
    Habit("dropped", AGAIN, once(drop)),
    Habit("cut-short", AGAIN, once(cut_short)),
    Habit("chunk-cut", AGAIN, once(chunk_cut)),
    Habit("late-headers", ENDS, lambda a: a.drips(_HEAD, b"X-A: b\r\n"), "0.25 s", config=_TIMED),
    Habit(
        "late-body",
        ENDS,
        lambda a: a.drips(_HEAD + b"Content-Length: 900\r\n\r\n", b" "),
        "did not answer within 0.25 s",
        config=_TIMED,
    ),
    Habit("silent", ENDS, silent, "did not answer within 0.25 s", config=_TIMED),
    Habit("endless-events", ENDS, lambda a: a.drips(_HEAD + b"\r\n", b": ping\n\n"), config=_TIMED),
    Habit("endless-body", ENDS, endless, "more than 8 MiB in one reply"),
    Habit("endless-error", ENDS, endless_error, "more than 8 MiB in one reply"),
    Habit("bomb", ENDS, bomb, "more than 8 MiB in one reply, .*; check OPENAI_BASE_URL"),
    Habit("gzip", READ, sends(gzip.compress(_GOOD), Content_Encoding="gzip")),
    Habit("http-1.0", READ, lambda a: a.raw(b"HTTP/1.0 200 OK\r\n\r\n" + _GOOD)),
    Habit("redirect-elsewhere", ENDS, redirects(_AWAY), r"to http://other\.example/.*_BASE_URL"),
    Habit("redirect-port", ENDS, redirects("http://127.0.0.1:9{path}/"), "to http://127.0.0.1:9/"),
    Habit("redirect-get", ENDS, redirects("{path}/", 301), "redirects a request to"),
    Habit("redirect-slash", READ, redirects("{path}/"), requests=2),
    Habit("redirect-loop", ENDS, redirects("{path}"), "redirect", requests=-1),
    # --- bodies that are none
    Habit("html", ENDS, sends(b"<html><h1>Sign in</h1>"), "no chat completion .*Sign", requests=-1),
    Habit("html-502", AGAIN, once(html_error)),
    Habit("null", AGAIN, once(data(None))),
    Habit("no-body", AGAIN, once(sends(b""))),
    Habit("not-utf-8", AGAIN, once(sends(b"\xff\xfe\x00\x01"))),
    Habit("deep-body", AGAIN, once(sends(b'{"z": ' + b"[" * 9999 + b"]" * 9999 + b"}"))),
    Habit("stream", AGAIN, once(stream)),
    Habit("error-in-200", AGAIN, once(data({"error": {"message": "Overloaded", "code": 502}}))),
    Habit("error-in-choice", AGAIN, once(data({"choices": [{"error": {"message": "Lost"}}]}))),
    Habit(
        "status-in-200",
        ENDS,
        data({"error": {"message": "Provider returned error", "code": 400}}),
        "refuses a request.*Provider returned error",
        RequestRefused,
        requests=2,
    ),
    Habit(
        "error-object",
        ENDS,
        data({"object": "error", "message": "Nothing for you", "code": 401}),
        "does not accept the key",
        WrongKey,
    ),
    # --- bodies that are nearly one
    Habit("text-plain", READ, sends(_GOOD, Content_Type="text/plain; charset=utf-16")),
    Habit("bom", READ, sends(b"\xef\xbb\xbf" + _GOOD)),
    Habit("no-usage", READ, data({"choices": [{"message": {"content": CHOICE}}]})),
    Habit(
        "odd-usage",
        READ,
        sends(
            b'{"choices": [{"message": {"content": "fridge"}}], "usage": {"prompt_tokens": NaN, '
            b'"completion_tokens": "5", "prompt_tokens_details": [1]}, "timings": {"cache_n": -1}}'
        ),
        check=lambda known: tokens(known) == (0, 5),
    ),
    Habit(
        "huge-usage",
        READ,
        says(CHOICE, usage={"prompt_tokens": 10**400, "completion_tokens": 1e300}),
        check=lambda known: tokens(known) == (0, 0),
    ),
    Habit("odd-reason", READ, says(CHOICE, "eos_token")),
    Habit(
        "other-model",
        READ,
        says(CHOICE, model="quantised\ud800-mini"),
        check=lambda known: known.replies[0].served_model == "quantised\ufffd-mini",
    ),
    Habit("no-choices", ANSWERED, once(data(completion({}) | {"choices": []})), "empty"),
    Habit("no-message", ANSWERED, once(data({"choices": [{"message": None}]})), "empty"),
    # --- refusals
    Habit("401", ENDS, always_error(401), "does not accept the key", WrongKey),
    Habit("403", ENDS, always_error(403), "does not allow this key", WrongKey),
    Habit("402", ENDS, always_error(402), "add credit", NoCredit),
    Habit("quota", ENDS, always_error(429, code="insufficient_quota"), "add credit", NoCredit),
    Habit("404-model", ENDS, no_model, "it has stand-in-large", UnknownModel, requests=3),
    Habit("400", ENDS, always_error(400), "Something is wrong; ", RequestRefused, requests=2),
    Habit(
        "key-escaped",
        ENDS,
        echoes(lambda key: urllib.parse.quote(key, safe="")),
        r"key=\[key\] is a key, not a lamp",
        RequestRefused,
        requests=2,
        check=hides_key,
    ),
    Habit(
        "key-in-base64",
        ENDS,
        echoes(lambda key: base64.b64encode(f"Bearer {key}".encode()).decode()),
        r"key=QmVhcmVyIH\[key\]",
        RequestRefused,
        requests=2,
        check=hides_key,
    ),
    Habit(
        "terminal-escapes",
        ENDS,
        lambda a: a.error(400, "No \x1b[2Jway\x07 \x9bm out"),
        "No \ufffd\\[2Jway\ufffd \ufffdm out",
        RequestRefused,
        requests=2,
    ),
    Habit(
        "key-of-a-letter",
        ENDS,
        lambda a: a.error(400, f"bad key {a.key}, Bearer {a.key}; a lamp has no '{a.key}'"),
        r"bad key \[key\], Bearer \[key\]; a lamp has no '\[key\]'",
        RequestRefused,
        requests=2,
        key="a",
    ),
    Habit(
        "key-in-reply",
        READ,
        lambda a: a.says(f"fridge {urllib.parse.quote(a.key)}"),
        ask=lambda model: model.complete(ASK).removesuffix(" [key]"),
        check=hides_key,
    ),
    Habit("filter", ANSWERED, once(always_error(400, code="content_filter")), "content filter"),
    Habit("filtered-reply", ANSWERED, once(says("", "content_filter")), "content filter"),
    # --- requests that are changed
    Habit("404-chat", CHANGED, only_responses, "Responses API", requests=2),
    Habit(
        "no-system-role",
        CHANGED,
        refuses_system(400, "System role not supported"),
        "system text in the user",
        ask=choose_with_all,
        check=lambda known: (
            known.requests[-1]["messages"][0]["content"] == "You are a robot.\n\n" + _QUESTION
        ),
    ),
    Habit(
        "no-system-role-500",
        CHANGED,
        refuses_system(500, "System role not supported at row 1, column 78"),
        "system text in the user",
        ask=choose_with_all,
    ),
    Habit(
        "roles-alternate",
        CHANGED,
        refuses_system(400, "Conversation roles must alternate user/assistant/user/assistant/..."),
        "system text in the user",
        ask=choose_with_all,
    ),
    *(
        Habit(
            name,
            CHANGED,
            refuses(*sent, message=message),
            note,
            ask=choose_with_all,
            config={"reasoning_effort": "low"},
        )
        for name, sent, message, note in (
            ("no-temperature", ["temperature"], "'temperature' must be 1", "no temperature"),
            ("no-top-p", ["top_p"], "Unsupported parameter: 'top_p'", "no top_p"),
            ("no-stop", ["stop"], "Unsupported parameter: 'stop'", "no stop"),
            ("no-seed", ["seed"], "Extra inputs are not permitted: seed", "no seed"),
            ("no-effort", ["reasoning_effort"], "No reasoning_effort here", "no reasoning_effort"),
            ("max-tokens", ["max_tokens"], "Use 'max_completion_tokens'", "max_completion_tokens"),
            ("no-schema", ["response_format"], "Failed to parse grammar", "schema in the prompt"),
        )
    ),
    Habit(
        "schema-500",
        CHANGED,
        refuses("response_format", status=500, message="Internal error"),
        "schema in the prompt",
        requests=4,
    ),
    # --- conversations that are too long
    Habit("too-long", SHORTENED, takes(500, 400, "prompt is too long: 209 tokens > 200 maximum")),
    Habit("too-long-unknown", SHORTENED, takes(500, 422, "Payload rejected."), requests=3),
    Habit("too-long-413", SHORTENED, takes(500, 413)),
    Habit("too-long-in-200", SHORTENED, lambda a: _in_200(a)),
    Habit("too-long-tpm", SHORTENED, takes(500, 429, _LIMITS.format("1,000", "1,200"))),
    Habit("too-long-500", SHORTENED, takes(500, 500), requests=6),
    Habit("too-long-429", SHORTENED, takes(500, 429, "Rate limit."), requests=-1),
    Habit("tpm", AGAIN, once(always_error(429, _LIMITS.format("1,000", "400")))),
    Habit(
        "outage-that-ends",
        AGAIN,
        lambda a: a.error(500) if 1 < a.count < 5 else a.says(),
        ask=grows,
        requests=6,
    ),
    Habit(
        "outage-when-long",
        ENDS,
        lambda a: a.says() if a.count == 1 else a.error(500),
        "status 500",
        ask=grows,
        requests=-1,
    ),
    # --- where the answer stands
    Habit("reasoning-content", READ, of_model(content=None, reasoning_content=CHOICE)),
    Habit("reasoning", READ, of_model(content="", reasoning=CHOICE)),
    Habit("tool-call", READ, of_model(reason="tool_calls", content=None, tool_calls=[_CALL])),
    Habit("function-call", READ, of_model(content=None, function_call=_CALL["function"])),
    Habit("parts", READ, says([{"type": "thinking"}, {"type": "text", "text": CHOICE}])),
    Habit("think-tags", READ, says(f"<think>The oven? {{No}}.</think>\n{CHOICE}")),
    Habit(
        "other-tags",
        READ,
        says(f"<|channel|>analysis<|message|>x<|channel|>final<|message|>{CHOICE}"),
    ),
    Habit("tag-in-a-text", READ, in_a_text),
    Habit("fence", READ, says(f"```json\n{CHOICE}\n```")),
    Habit("words-around", READ, says(f"Here it is: {CHOICE} I hope it helps.")),
    Habit("bare-choice", READ, says("fridge")),
    Habit("stop-ignored", READ, says("fridge\nor bed"), ask=completes),
    # --- replies that are no answer
    Habit("empty", ANSWERED, once(says("")), "empty"),
    Habit("free-text", ANSWERED, once(says("I would look around.")), "not JSON"),
    Habit("broken-json", ANSWERED, once(says(CHOICE[:-1] + ",")), "not JSON"),
    Habit("deep-json", ANSWERED, once(says("[" * 99_999)), "not JSON"),
    Habit("other-choice", ANSWERED, once(says('{"choice": "moon"}')), "not one of the options"),
    Habit("cut", ANSWERED, once(says(CHOICE[:9], "length")), "too long and was cut off"),
    Habit("cut-in-words-of-others", ANSWERED, once(says(CHOICE[:9], "MAX_TOKENS")), "cut off"),
    Habit(
        "only-thoughts",
        ANSWERED,
        once(of_model(reason="length", content="", reasoning_content="Perhaps {")),
        "before its answer began",
        check=lambda known: known.replies[0].reply == "<think>Perhaps {",
    ),
    Habit(
        "limit-ignored",
        ANSWERED,
        once(says("a" * 300_000)),
        "too long and was cut off",
        check=lambda known: len(known.replies[0].reply) == 200_000,
    ),
    Habit("open-fence", ANSWERED, once(says("```json" + "\n" * 150_000 + "x")), "not JSON"),
    Habit("half-a-pair", ANSWERED, once(says("\ud83d?")), "not JSON"),
    # --- embeddings
    Habit("few-vectors", AGAIN, few_vectors, ask=embeds),
]
_QUESTION = ASK[0]["content"]


def _in_a_minute() -> str:
    return time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 60))


def _in_200(asked: Asked) -> None:
    if asked.characters > 500:
        asked.data({"error": {"message": "Input is too long for requested model."}})
    else:
        asked.says()
