"""The model of one role in one episode: asks, checks, asks again with the reason, records.

Every reply is an event, see `events`. A continued episode takes recorded replies by call and
digest, and asks the model only for the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, cast

from ..baton import waiting
from ..errors import each_name
from .answers import OffSchema, again, read_answer, split_reasoning, well_formed
from .config import ModelConfig
from .context_limit import length
from .contract import SCHEMA_CHECK, Message, NoAnswer, Parsed, Request, Sampling, Unusable
from .embedding import unit_length
from .endpoint import ModelClient
from .endpoint_errors import ContextOverflow
from .events import (
    ModelEmbedded,
    ModelReplied,
    vectors_from_data,
    vectors_to_data,
)
from .failures import ModelFailure
from .protocol import SCHEMA_IN_PROMPT, EmbeddingReply, ModelReply, most_characters
from .questions import EmbeddingQuestion, Question, Questions
from .record import ModelRecord, RecordDiffers
from .reply_cache import ReplyCache
from .tools import Tool, ToolReply
from .usage import ModelBudget

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .contract import Shape

#: Questions asked at once by `many`.
PARALLEL = 16
_ALLOW_MORE = " Allow more with --reply-tokens, or --reasoning-tokens for its thoughts."
_ENDLESS = (
    " Only {most:,} characters of a reply are read; its server does not keep to the limit of "
    "tokens."
)
_ENFORCE = (
    " Its server does not enforce the JSON schema; serve the model with one that does, such as "
    "llama.cpp or vLLM, or choose a larger model."
)

#: A model gives this answer only if the server enforces the schema.
_SCHEMA_PROBE = Request(
    [{"role": "user", "content": "What is the colour of the sky by day? Answer in one word."}],
    permitted=("checkered",),
    purpose=SCHEMA_CHECK,
)

_Asked = TypeVar("_Asked", Question, EmbeddingQuestion)


class EpisodeModel:
    """A model as `Brief.models` has it for one role; see `contract.Model`.

    trouble: the error that ended the questions, kept because a planner may catch it by mistake.
    model_s: seconds that the model took for its replies, recorded ones included, without HTTP
    errors and pauses. Of questions asked at once the longest counts.
    account: makes the planner's knowledge of the episode, as JSON data for stand-ins.
    """

    def __init__(
        self,
        record: ModelRecord,
        config: ModelConfig,
        client: ModelClient | None,
        budget: ModelBudget,
        questions: Questions,
        cache: ReplyCache | None = None,
        is_recorded: Callable[[], bool] = lambda: False,
    ) -> None:
        """record: the replies so far; new ones are added. client: None to answer from the record
        alone. cache: replies of earlier runs. is_recorded: whether to answer from the record alone
        now.
        """
        self.role = record.role
        self.record = record
        self.trouble: Exception | None = None
        self._asked_s = 0.0
        self._asking_since: float | None = None
        self.model_s = 0.0
        self.account: Callable[[], Mapping[str, Any]] = dict
        self._config = config
        self._client = client
        self._budget = budget
        self._questions = questions
        self._cache = cache
        self._is_recorded = is_recorded
        self._latency_s: dict[int, float] = {}  # by call, while asking

    @property
    def name(self) -> str:
        return self._config.name

    @property
    def asking_s(self) -> float:
        """Seconds spent in the methods of the model, which are not the planner's own time."""
        since = self._asking_since
        return self._asked_s + (0.0 if since is None else time.perf_counter() - since)

    @property
    def is_asking(self) -> bool:
        """Whether a method of the model goes on."""
        return self._asking_since is not None

    @property
    def reads_aside(self) -> bool:
        """Whether it is a stand-in that reads what questions are about."""
        return self._client is not None and self._client.endpoint.reads_aside

    def enforces_schema(self) -> bool:
        if self._config.reads_schemas:
            return False  # long lists are left out of its schemas
        (held,) = self._at_once([self._questions.of(_SCHEMA_PROBE)], self._is_held)
        return bool(_or_raise(held))

    def choose(
        self, messages: Sequence[Message], permitted: Sequence[str], **sampling: Unpack[Sampling]
    ) -> str:
        if not permitted:
            raise ValueError("there is nothing to choose from")
        return cast(str, self._one(Request(messages, permitted=permitted), sampling))

    def answer(
        self,
        messages: Sequence[Message],
        shape: type[Shape],
        choices: Mapping[str, Sequence[str]] | None = None,
        **sampling: Unpack[Sampling],
    ) -> Shape:
        request = Request(messages, shape=shape, choices=choices or {})
        return cast("Shape", self._one(request, sampling))

    def read(
        self,
        messages: Sequence[Message],
        parse: Callable[[str], Parsed],
        **sampling: Unpack[Sampling],
    ) -> Parsed:
        return cast(Parsed, self._one(Request(messages, parse=parse), sampling))

    def complete(self, messages: Sequence[Message], **sampling: Unpack[Sampling]) -> str:
        return cast(str, self._one(Request(messages), sampling))

    def call_tools(
        self, messages: Sequence[Message], tools: Sequence[Tool], **sampling: Unpack[Sampling]
    ) -> ToolReply:
        return cast(ToolReply, self._one(Request(messages, tools=tools), sampling))

    def many(self, requests: Sequence[Request]) -> list[Any]:
        return self._at_once([self._questions.of(request) for request in requests], self._ask)

    def samples(self, request: Request, n: int) -> list[Any]:
        return self.many([replace(request, sample=number) for number in range(n)])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        (vectors,) = self._at_once([self._questions.of_texts(each_name(texts))], self._embed)
        return cast("NDArray[np.float32]", _or_raise(vectors))

    # --- several questions at once --------------------------------------------------------------

    def _one(self, request: Request, sampling: Sampling) -> Any:
        (answer,) = self.many([replace(request, **sampling)])
        return _or_raise(answer)

    def _at_once(self, questions: Sequence[_Asked], answer: Callable[[_Asked], Any]) -> list[Any]:
        """The answers in order, with a NoAnswer for one that failed."""
        began = self._asking_since = time.perf_counter()
        self._latency_s = {question.call: 0.0 for question in questions}

        def ask(question: _Asked) -> Any:
            if self.trouble is not None:
                raise self.trouble
            try:
                return answer(question)
            except NoAnswer as excuse:
                return excuse
            except (ModelFailure, RecordDiffers) as error:
                self.trouble = error
                raise

        try:
            with waiting():
                if len(questions) <= 1:
                    return [ask(question) for question in questions]
                with ThreadPoolExecutor(PARALLEL) as pool:
                    return list(pool.map(ask, questions))
        finally:
            self.model_s += max(self._latency_s.values(), default=0.0)
            self._asking_since = None
            self._asked_s += time.perf_counter() - began

    # --- one question ---------------------------------------------------------------------------

    def _ask(self, question: Question) -> Any:
        """The answer, after as many attempts as the run allows. Raises NoAnswer."""
        messages = list(question.request.messages)
        problem, before = "", None
        for attempt in range(1, self._config.attempts + 1):
            replied = self.record.replied(question, attempt)
            if replied is None:
                reply = self._reply(question, attempt, messages)
                answer, problem = _judge(question.request, reply.text, reply)
                text = reply.text
                self.record.write(self._event(question, attempt, reply, problem))
            else:
                self._latency_s[question.call] += replied.latency_s
                answer, problem = _judge(question.request, replied.reply, replied)
                text = replied.reply
                if not replied.digest:
                    self._questions.forget()
                if self._client is not None:
                    self._client.has_taken(messages)
                if self._client is None and problem != (replied.problem or ""):
                    raise self.record.judged(question, problem, replied)
            if not problem:
                return answer
            messages += again(question.request, text, problem)
            question = question.unlimited(self._config.reply_tokens(question.request.needs))
            if text == before:
                question = question.warmer()
            before = text
        advice = self._advice(question, text, (replied or reply).cut)
        raise NoAnswer(
            f"{self.name} gave {self._config.attempts} unusable replies: {problem}{advice}"
        )

    def _advice(self, question: Question, text: str, cut: bool) -> str:
        """Advice after an unusable reply; empty where none is known."""
        most = most_characters(question.decoding.max_tokens + self._config.reasoning_tokens)
        if cut and len(text) >= most:
            return _ENDLESS.format(most=most)
        if cut:
            return _ALLOW_MORE
        try:
            read_answer(question.request, text)
        except OffSchema:
            return _ENFORCE
        except Unusable:
            pass
        return ""

    def _is_held(self, question: Question) -> bool:
        """Whether the first reply satisfies the schema, and the server received it."""
        replied = self.record.replied(question, 1)
        if replied is not None:
            self._latency_s[question.call] += replied.latency_s
            _, problem = _judge(question.request, replied.reply, replied)
            return not problem and SCHEMA_IN_PROMPT not in replied.adapted
        reply = self._reply(question, 1, question.request.messages)
        _, problem = _judge(question.request, reply.text, reply)
        self.record.write(self._event(question, 1, reply, problem))
        return not problem and SCHEMA_IN_PROMPT not in reply.adapted

    def _reply(self, question: Question, attempt: int, messages: Sequence[Message]) -> ModelReply:
        """A reply from the cache, or else from the endpoint."""
        if self._client is None or self._is_recorded():
            raise self.record.missing(question, attempt)
        cache = self._cache
        reply = None if cache is None else cache.reply(question.asked(messages))
        if reply is None:
            refused = self.record.refusals(question, attempt)
            with self._budget.request(length(messages)):
                try:
                    reply = self._client.ask(
                        messages,
                        question.schema,
                        question.decoding,
                        refused,
                        partial(self._aside, question.request),
                    )
                except ContextOverflow as error:
                    raise self.record.full(question, attempt, str(error)) from None
                self._budget.add(reply.usage)
            if cache is not None:
                cache.keep_reply(question.asked(messages), reply)
        else:
            self._client.has_taken(messages)
        self._latency_s[question.call] += reply.latency_s
        return reply

    def _aside(self, request: Request) -> dict[str, Any]:
        """The data that a stand-in receives beside the messages, which says the same."""
        about = {} if request.about is None else request.about()
        choices = {field: list(texts) for field, texts in request.choices.items()}
        if request.permitted:
            choices["choice"] = list(request.permitted)
        return {"about": about, "choices": choices, "episode": self.account()}

    def _event(
        self, question: Question, attempt: int, reply: ModelReply, problem: str
    ) -> ModelReplied:
        first = attempt == 1
        return ModelReplied(
            role=self.role,
            call=question.call,
            attempt=attempt,
            digest=question.digest,
            reply=reply.text,
            usage=reply.usage,
            latency_s=round(reply.latency_s, 6),
            problem=problem or None,
            request=question.recorded() if first else None,
            schema=question.schema if first else None,
            purpose=question.request.purpose,
            cut=reply.cut,
            withheld=reply.withheld,
            temperature=question.decoding.temperature,
            adapted=reply.adapted,
            served_model=reply.served_model,
            fingerprint=reply.fingerprint,
            from_cache=reply.from_cache,
        )

    def _embed(self, question: EmbeddingQuestion) -> NDArray[np.float32]:
        recorded = self.record.embedded(question)
        if recorded is not None:
            self._latency_s[question.call] += recorded.latency_s
            return vectors_from_data(recorded.vectors)
        reply = self._embeddings(question)
        self._latency_s[question.call] += reply.latency_s
        vectors = unit_length(reply.vectors)
        self.record.write(
            ModelEmbedded(
                role=self.role,
                call=question.call,
                digest=question.digest,
                texts=len(question.texts),
                vectors=vectors_to_data(vectors),
                usage=reply.usage,
                latency_s=round(reply.latency_s, 6),
                served_model=reply.served_model,
                from_cache=reply.from_cache,
            )
        )
        return vectors

    def _embeddings(self, question: EmbeddingQuestion) -> EmbeddingReply:
        """Ask the cache, or else the endpoint."""
        if self._client is None or self._is_recorded():
            raise self.record.missing(question, 1)
        asked = {"embed": list(question.texts)}
        reply = None if self._cache is None else self._cache.embeddings(asked)
        if reply is not None:
            return reply
        with self._budget.request(sum(map(len, question.texts))):
            try:
                reply = self._client.embed(question.texts, self.record.refusals(question, 1))
            except ContextOverflow as error:
                raise self.record.full(question, 1, str(error)) from None
            self._budget.add(reply.usage)
        if self._cache is not None:
            self._cache.keep_embeddings(asked, reply)
        return reply


def _or_raise(answer: Any) -> Any:
    if isinstance(answer, NoAnswer):
        raise answer
    return answer


def _judge(request: Request, text: str, reply: ModelReply | ModelReplied) -> tuple[Any, str]:
    """The answer in a reply and "", or None and why there is none."""
    if reply.withheld:
        return None, "A content filter of the endpoint withheld the reply; put it differently."
    try:
        return read_answer(request, text), ""
    except Unusable as error:
        if reply.cut and not split_reasoning(text)[1].strip():
            return None, "The reply was cut off before its answer began; think less."
        if reply.cut:
            return None, "The reply was too long and was cut off; be shorter."
        return None, well_formed(str(error))
