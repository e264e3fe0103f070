"""The model of one episode: asks, checks, asks again with the reason, and records every reply.

Every reply is one event `model` of the episode's recording:

    call       number of the question in the episode, given when it is asked, from 1
    attempt    number of the reply to it, from 1
    digest     of the question: messages, schema, sampling
    request    with the first reply only: `messages` without the `shared` ones at its head that
               call `base` has too, so that a growing conversation is stored once
    schema     JSON schema of the answer, with the first reply only
    reply      the text; usage: tokens in, out, cached; cut: it ended at max_tokens
    adapted    how the endpoint made us change the request, if it did
    problem    why the reply is no answer, as the model was told; null for an answer
    full       true: the messages were too long for the model
    status     of an HTTP reply that brought no answer and was followed by another try

A continued episode answers from its recording, by call and digest, and asks for the rest only.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ..model import ContextFull, Message, NoAnswer, Request
from .answers import QUOTED, Schema, Unusable, read_answer, schema_of
from .config import ModelConfig
from .endpoint import ContextOverflow, ModelClient, ModelReply
from .failures import ModelFailure
from .usage import ModelBudget, Usage, usage_from_data, usage_to_data

if TYPE_CHECKING:
    from ..model import Shape

#: Questions asked at once by `many`.
PARALLEL = 8

Event = dict[str, Any]


class RecordDiffers(Exception):
    """A continued episode asks another question than its recording has."""


@dataclass(frozen=True)
class _Question:
    """A request with its place in the episode."""

    call: int
    request: Request
    schema: Schema | None
    digest: str
    base: int
    shared: int


@dataclass
class _Apart:
    """Seconds of one question, see `EpisodeModel`."""

    replayed_s: float = 0.0
    waited_s: float = 0.0


class EpisodeModel:
    """What a planner gets as `Brief.model`; see `contract.Model`.

    calls: questions asked so far. trouble: the error that ended them, kept because a planner may
    catch what it should not. replayed_s: seconds that replies from the recording took then.
    waited_s: seconds lost to HTTP errors and the pauses after them. Of questions that were asked at
    once the longest counts.
    """

    def __init__(
        self,
        config: ModelConfig,
        endpoint: ModelClient,
        purse: ModelBudget,
        record: Callable[[Event], None],
        recorded: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        """record: writes one event, at once. recorded: the episode's model events so far."""
        self.calls = 0
        self.trouble: Exception | None = None
        self.replayed_s = 0.0
        self.waited_s = 0.0
        self._config = config
        self._endpoint = endpoint
        self._purse = purse
        self._record = record
        self._recorded = {
            (event["call"], event["attempt"]): event for event in recorded if "status" not in event
        }
        self._heads = {"": (0, 0)}  # digest of leading messages: the call that had them, how many
        self._lock = threading.Lock()
        self._apart: dict[int, _Apart] = {}  # by the calls that are under way

    @property
    def name(self) -> str:
        return self._config.name

    def choose(self, messages: Sequence[Message], options: Sequence[str]) -> str:
        if not options:
            raise ValueError("there is nothing to choose from")
        return cast(str, self._ask_one(Request(messages, options=tuple(options))))

    def answer(self, messages: Sequence[Message], shape: type[Shape]) -> Shape:
        return cast("Shape", self._ask_one(Request(messages, shape=shape)))

    def complete(self, messages: Sequence[Message], max_tokens: int | None = None) -> str:
        return cast(str, self._ask_one(Request(messages, max_tokens=max_tokens)))

    def many(self, requests: Sequence[Request]) -> list[Any]:
        questions = [self._question(request) for request in requests]
        try:
            with ThreadPoolExecutor(PARALLEL) as pool:
                return list(pool.map(self._ask_or_excuse, questions))
        finally:
            self._settle()

    def _settle(self) -> None:
        """Count the seconds apart of the questions that were asked just now."""
        self.replayed_s += max((apart.replayed_s for apart in self._apart.values()), default=0.0)
        self.waited_s += max((apart.waited_s for apart in self._apart.values()), default=0.0)
        self._apart.clear()

    # --- one question --------------------------------------------------------------------------

    def _ask_one(self, request: Request) -> Any:
        try:
            return self._ask(self._question(request))
        finally:
            self._settle()

    def _question(self, request: Request) -> _Question:
        """Number a request, and find what it shares with earlier ones."""
        if not request.messages:
            raise ValueError("a question to a model needs a message")
        self.calls += 1
        base = shared = 0
        head = ""
        for count, message in enumerate(request.messages, start=1):
            head = _digest(head, message)
            known = self._heads.setdefault(head, (self.calls, count))
            if known[0] != self.calls:
                base, shared = known
        self._apart[self.calls] = _Apart()
        schema = schema_of(request, self._endpoint.access.lengths)
        digest = _digest(head, [schema, *self._sampling(request)])
        return _Question(self.calls, request, schema, digest, base, shared)

    def _sampling(self, request: Request) -> tuple[float, int]:
        config = self._config
        return (
            config.temperature if request.temperature is None else request.temperature,
            config.max_tokens if request.max_tokens is None else request.max_tokens,
        )

    def _ask_or_excuse(self, question: _Question) -> Any:
        try:
            return self._ask(question)
        except NoAnswer as excuse:
            return excuse

    def _ask(self, question: _Question) -> Any:
        if self.trouble is not None:
            raise self.trouble
        try:
            return self._try(question)
        except (ModelFailure, RecordDiffers) as error:
            self.trouble = error
            raise

    def _try(self, question: _Question) -> Any:
        messages = list(question.request.messages)
        problem = ""
        for attempt in range(1, self._config.attempts + 1):
            recorded = self._from_record(question, attempt)
            if recorded is None:
                reply, answer, problem = self._fresh(question, attempt, messages)
            else:
                reply = recorded
                answer, problem = _judge(question.request, reply)
            if not problem:
                return answer
            messages += [
                {"role": "assistant", "content": reply.text[:QUOTED] or "(nothing)"},
                {"role": "user", "content": f"That cannot be used. {problem} Answer again."},
            ]
        raise NoAnswer(f"{self.name} gave {self._config.attempts} unusable replies: {problem}")

    def _fresh(
        self, question: _Question, attempt: int, messages: Sequence[Message]
    ) -> tuple[ModelReply, Any, str]:
        """Ask the endpoint, and record what it says."""
        self._purse.check()
        event: Event = {"call": question.call, "attempt": attempt, "digest": question.digest}

        def refused(status: int, text: str) -> None:
            self._write({**event, "status": status, "reply": text})

        asked = dict(event)
        if attempt == 1:
            rest = [dict(message) for message in question.request.messages[question.shared :]]
            asked["request"] = {
                "base": question.base,
                "shared": question.shared,
                "messages": rest,
            }
            asked["schema"] = question.schema
        try:
            reply = self._endpoint.ask(
                messages, question.schema, *self._sampling(question.request), refused
            )
        except ContextOverflow as error:
            self._write({**asked, "reply": "", "full": True, "problem": str(error)})
            raise ContextFull(_full(self.name, str(error))) from None
        self._purse.add(reply.usage)
        answer, problem = _judge(question.request, reply)
        asked |= {"reply": reply.text, "usage": usage_to_data(reply.usage)}
        if reply.cut:
            asked["cut"] = True
        if reply.adapted:
            asked["adapted"] = list(reply.adapted)
        asked |= {"problem": problem or None, "latency_s": round(reply.latency_s, 6)}
        self._apart[question.call].waited_s += reply.waited_s
        self._write(asked)
        return reply, answer, problem

    def _from_record(self, question: _Question, attempt: int) -> ModelReply | None:
        event = self._recorded.pop((question.call, attempt), None)
        if event is None:
            return None
        if event["digest"] != question.digest:
            raise RecordDiffers(f"Question {question.call} to the model differs from the record.")
        if event.get("full"):
            raise ContextFull(_full(self.name, event["problem"]))
        self._apart[question.call].replayed_s += event["latency_s"]
        usage = usage_from_data(event["usage"])
        return ModelReply(event["reply"], usage, event.get("cut", False), event["latency_s"])

    def _write(self, event: Event) -> None:
        with self._lock:
            self._record(event)


def _judge(request: Request, reply: ModelReply) -> tuple[Any, str]:
    """The answer in a reply and an empty text, or why there is none."""
    try:
        return read_answer(request, reply.text), ""
    except Unusable as error:
        if reply.cut:
            return None, "The reply was too long and was cut off; be shorter."
        return None, str(error)


def _full(name: str, told: str) -> str:
    return (
        f"The conversation is longer than {name} can read ({told}); "
        f"choose a model with a larger context window."
    )


def _digest(before: str, data: Any) -> str:
    text = before + json.dumps(data, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def spent(events: Iterable[Mapping[str, Any]]) -> tuple[int, Usage]:
    """Replies taken and what they took, of the model events of a recording."""
    calls, usage = 0, Usage()
    for event in events:
        if "usage" in event:
            calls += 1
            usage += usage_from_data(event["usage"])
    return calls, usage
