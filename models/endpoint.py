"""One OpenAI-compatible endpoint: sends a request, gives the reply, raises typed errors.

Requests are repeated after errors that may pass, see `patience`: 429, 5xx, lost connections, errors
in a reply with status 200. A change that an endpoint needs is kept, see `protocol.ADAPTATIONS`.
docs/reference/endpoints.md lists the habits of endpoints.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from .answers import Schema
from .bodies import body_error, read_completion, read_embeddings
from .config import ModelConfig
from .context_limit import Taken
from .contract import Message, NoAnswer
from .endpoint_errors import (
    ENDPOINT_ERRORS,
    LONGER,
    BadRequest,
    ContentFiltered,
    ContextOverflow,
    EndpointErrors,
    NotFound,
    Passing,
    SchemaTooMuch,
    text_of,
)
from .failures import ModelFailure, RequestRefused, UnknownModel, Unreachable
from .pace import Pace
from .patience import Patience, duration
from .protocol import (
    RESPONSES_API,
    SCHEMA_IN_PROMPT,
    Adaptations,
    Decoding,
    EmbeddingReply,
    ModelReply,
    Reasoning,
    adaptation,
    completion_body,
    embedding_body,
    most_characters,
    until,
)
from .responses import read_response, response_body
from .served_model import ModelEndpoint
from .slots import Slot
from .tools import TOOLS
from .usage import Usage

if TYPE_CHECKING:
    import httpx2

#: Called with the status and the text of every HTTP reply without an answer.
OnRefusal = Callable[[int, str], None]

_T = TypeVar("_T")

#: Characters shown of a text that is no reply.
_SHOWN = 120
#: Patience with an address that has never answered, in seconds.
_PATIENCE_WITH_A_STRANGER_S = 8.0
#: The pause of all questions after a refusal that asks for none, in seconds.
_SHARED_PAUSE_S = 0.5
#: Errors 500 to the longest conversation so far after which a short one tells why.
_TRIES_OF_LENGTH = 3
_SHORT = ({"role": "user", "content": "Say yes."},)
_SHORTLY = Decoding(temperature=0.0, max_tokens=16)
#: Errors over a body that is no list of models.
_NO_LIST = (AttributeError, TypeError, ValueError, RecursionError)
#: Bytes of the reply to an embedding request, for each text.
_BYTES_A_VECTOR = 256 * 1024


class _Api(NamedTuple):
    """An API for chat messages: its path, the body of a request, the reader of a reply."""

    path: str
    body: Callable[..., dict[str, Any]]
    read: Callable[..., ModelReply | None]
    what: str


_APIS = (
    _Api("/chat/completions", completion_body, read_completion, "chat completion"),
    _Api("/responses", response_body, read_response, "response"),
)


class _Request(NamedTuple):
    """A request to an endpoint. what: its reply, in words.

    tries_of_schema: as `Adaptations.tries_of` has it. short: the body of a short question, where
    this one may be too long for the model.
    """

    path: str
    body: Mapping[str, Any]
    what: str
    tries_of_schema: int | None = None
    short: Mapping[str, Any] | None = None


class _Now(threading.local):
    """The question that a thread asks."""

    on_refusal: OnRefusal | None = None
    """As in `ModelClient.ask`."""
    most_bytes = 0
    """Bytes that the reply may have more than usual."""
    sent = 0.0
    """When the last request was sent, by `time.perf_counter()`."""


class ModelClient:
    """A connection that several threads may use at once."""

    def __init__(
        self,
        config: ModelConfig,
        endpoint: ModelEndpoint,
        slot: int = 0,
        first_slot: int = 0,
        pace: Pace | None = None,
    ) -> None:
        """slot, first_slot: numbers of slots of the endpoint's prompt cache, see `Slot`. pace: of
        the requests to the endpoint, where others ask it too.
        """
        import openai

        from . import exchange

        self.endpoint = endpoint
        self._config = config
        self._slot = Slot(endpoint, slot, first_slot)
        self._errors = EndpointErrors(endpoint)
        self._taken = Taken()
        self._may_be_full = not (endpoint.reads_aside or endpoint.advises)  # stand-ins read all
        self._adaptations = Adaptations()
        self._answered = False
        self._pace = pace or Pace()
        self._timeout_s = endpoint.timeout_s if config.timeout_s is None else config.timeout_s
        self._now = _Now()
        self._exchanges = exchange.Exchanges(self._slot.base_url)
        http = openai.DefaultHttpxClient(
            event_hooks={"request": [self._sent], "response": [self._received]},
            transport=self._exchanges,
            headers={"Accept-Encoding": exchange.ENCODINGS},
        )
        self._client = openai.OpenAI(
            base_url=self._slot.base_url,
            api_key=endpoint.key or "none",
            timeout=openai.Timeout(self._timeout_s, connect=min(10.0, self._timeout_s)),
            max_retries=0,  # pauses are ours, see `patience`
            http_client=http,
        )

    def close(self) -> None:
        self._client.close()

    def stop(self, *, at_once: bool) -> None:
        """Send nothing more; every further question gets Interrupted.

        at_once: whether to break off the requests on their way. Called by another thread.
        """
        self._pace.stop()
        if at_once:
            self._exchanges.break_off()

    def has_taken(self, messages: Sequence[Message]) -> None:
        """Note a conversation that the endpoint answered, in an earlier process too."""
        self._taken.add(messages)

    def ask(
        self,
        messages: Sequence[Message],
        schema: Schema | None,
        decoding: Decoding,
        on_refusal: OnRefusal,
        aside: Callable[[], Mapping[str, Any]] = dict,
    ) -> ModelReply:
        """One reply. Raises ContextOverflow, and ModelFailure where repeating does not help.

        aside: makes the data that only a stand-in receives. A question that a content filter
        refuses gets an empty reply that is `withheld`.
        """
        self._slot.fill(self._client, messages)
        self._begin(on_refusal)
        longest = self._may_be_full and self._taken.is_longer(messages)
        more = {**self._slot.body, **({"aside": aside()} if self.endpoint.reads_aside else {})}
        adapted = self._adaptations.kept
        reasoning = Reasoning(self._config.reasoning_effort, self._config.reasoning_tokens)
        failed_with_schema = False
        with_tools = schema is not None and TOOLS in schema
        not_found = ""
        while True:
            api = _APIS[RESPONSES_API in adapted]
            body = api.body(self.endpoint.model, messages, schema, decoding, adapted, reasoning)
            request = _Request(api.path, body | more, api.what, self._adaptations.tries_of(body))
            if longest:
                short = api.body(self.endpoint.model, _SHORT, None, _SHORTLY, adapted, reasoning)
                request = request._replace(short=short)
            try:
                reply = self._read(request, partial(api.read, tools=with_tools))
            except NotFound as missing:
                not_found = not_found or str(missing)
                if RESPONSES_API in adapted:
                    raise UnknownModel(self._unknown_model(not_found)) from None
                adapted = (*adapted, RESPONSES_API)
                continue
            except SchemaTooMuch:
                adapted = (*adapted, SCHEMA_IN_PROMPT)
                failed_with_schema = True
                continue
            except ContentFiltered:
                reply = ModelReply("", Usage(), cut=False, withheld=True)
                return replace(reply, latency_s=self._latency_s(), adapted=adapted)
            except BadRequest as refusal:
                change = adaptation(str(refusal), body, adapted)
                if change is not None:
                    adapted = (*adapted, change)
                    continue
                if longest:
                    raise ContextOverflow(str(refusal)) from None
                raise self._refused(str(refusal), with_tools) from None
            self._taken.add(messages)
            self._adaptations.remember(adapted, schema is not None, failed_with_schema)
            reply = self._bounded(reply, decoding.max_tokens + reasoning.tokens)
            text = until(reply.text, decoding.stop)
            return replace(reply, text=text, latency_s=self._latency_s(), adapted=adapted)

    def _bounded(self, reply: ModelReply, tokens: int) -> ModelReply:
        """A reply without the key, and cut off where it is far longer than was asked for."""
        most = most_characters(tokens)
        text = self._errors.without_key(reply.text[:most])
        return replace(reply, text=text, cut=reply.cut or len(reply.text) > most)

    def embed(self, texts: Sequence[str], on_refusal: OnRefusal) -> EmbeddingReply:
        """One vector for each text. Raises as `ask` does."""
        self._begin(on_refusal, _BYTES_A_VECTOR * len(texts))
        body = embedding_body(self.endpoint.model, texts)
        model, host = self.endpoint.model, self.endpoint.host
        try:
            reply = self._read(
                _Request("/embeddings", body, "list of embeddings"),
                lambda text: read_embeddings(text, len(texts)),
            )
        except ContentFiltered as refusal:
            raise NoAnswer(f"{host} gives no embeddings of these texts: {refusal}") from None
        except NotFound as missing:
            raise UnknownModel(self._unknown_model(str(missing))) from None
        except BadRequest as refusal:
            raise RequestRefused(
                f"{host} gives no embeddings of {model}: {refusal}; choose a model that gives them."
            ) from None
        return replace(reply, latency_s=self._latency_s())

    def _refused(self, message: str, with_tools: bool) -> RequestRefused:
        """The error for a refusal; a model that has answered before takes chat messages."""
        if self.endpoint.advises:
            refused = RequestRefused(
                f"The model {self._config.name} refuses a request: {message.rstrip('.')}."
            )
            refused.resumable = not self.endpoint.reads_aside  # rules refuse it again
            return refused
        advice = "correct the endpoint's settings"
        if with_tools:
            advice = f"choose a model and a server with tool calls, or {advice}"
        elif not self._answered:
            advice = f"choose a model that takes chat messages, or {advice}"
        host, model = self.endpoint.host, self.endpoint.model
        return RequestRefused(f"{host} refuses a request to {model}: {message}; {advice}.")

    # --- one HTTP request -----------------------------------------------------------------------

    def _read(self, request: _Request, read: Callable[[str], _T | None]) -> _T:
        """The reply as `read` reads it; the request is repeated while patience lasts.

        Raises SchemaTooMuch after `tries_of_schema` errors of the server, and ContextOverflow where
        it refuses the longest conversation so far, takes a short one, and refuses the long again.
        """
        patience = Patience(self._config.patience_s)
        takes_short = False
        while True:
            asked_s = time.monotonic()
            try:
                with self._pace.sending(patience.asked_s):
                    sent_s = time.monotonic()
                    patience.excuse(sent_s - asked_s)
                    reply = self._once(request, read)
            except Passing as trouble:
                if takes_short and trouble.refused:
                    raise ContextOverflow(f"it {trouble}, and takes a shorter question") from None
                tries = patience.tries + 1
                if trouble.of_server and tries == request.tries_of_schema:
                    raise SchemaTooMuch from None
                at_most_s = _PATIENCE_WITH_A_STRANGER_S if trouble.wrong_address else math.inf
                pause_s = patience.pause_s(trouble.asked_s, at_most_s)
                goes_on = pause_s is not None
                if pause_s is not None:
                    if trouble.too_many:
                        self._pace.refused(sent_s, min(pause_s, trouble.asked_s or _SHARED_PAUSE_S))
                    self._pace.sleep(pause_s)
                early = trouble.of_server and tries == _TRIES_OF_LENGTH
                if trouble.refused and (early or (not goes_on and tries > _TRIES_OF_LENGTH)):
                    takes_short = self._takes(request.short, request, read)
                if goes_on or takes_short:
                    continue
                raise Unreachable(self._in_vain(trouble, patience)) from None
            self._answered = True
            self._pace.answered()
            return reply

    def _takes(
        self,
        body: Mapping[str, Any] | None,
        request: _Request,
        read: Callable[[str], _T | None],
    ) -> bool:
        """Whether a request with another body is answered; False for no body."""
        if body is None:
            return False
        on_refusal, self._now.on_refusal = self._now.on_refusal, None
        try:
            with self._pace.sending(time.monotonic()):
                self._once(request._replace(body=body), read)
        except (*ENDPOINT_ERRORS, ModelFailure):
            return False
        finally:
            self._now.on_refusal = on_refusal
        return True

    def _in_vain(self, trouble: Passing, patience: Patience) -> str:
        """A sentence on an error that did not pass."""
        times, seconds = patience.tries, patience.elapsed_s
        often = f", {times} times in {seconds:.0f} s" if times > 1 else ""
        asked = trouble.asked_s
        wish = f", and wants a pause of {duration(asked)}" if asked and asked > 1 else ""
        return f"{self.endpoint.host} {trouble}{often}{wish}; {trouble.advice}."

    def _once(self, request: _Request, read: Callable[[str], _T | None]) -> _T:
        """The reply to one HTTP request as `read` reads it. Raises Passing too."""
        response = self._post(request)
        text = text_of(response.content)
        reply = read(text)
        if reply is not None:
            return reply
        self._tell_refusal(response.status_code, text)
        error = body_error(text)
        if error is not None:
            raise self._errors.of_body(text, error.message, error.status)
        shown = " ".join(self._errors.quoted(text).split())[:_SHOWN] or "an empty text"
        raise Passing(
            f"sends a reply that is no {request.what} ({shown})",
            "check OPENAI_BASE_URL, which usually ends in /v1",
            wrong_address=not self._answered,
        )

    def _post(self, request: _Request) -> httpx2.Response:
        """The reply with status 200 to one HTTP request."""
        import httpx2
        import openai

        from . import exchange

        try:
            # Not chat.completions.create: it converts all messages, which is the slowest part once
            # a conversation is long.
            return self._client.post(request.path, cast_to=httpx2.Response, body=request.body)
        except openai.APITimeoutError:
            raise Passing(
                f"did not answer within {self._timeout_s:g} s",
                "try again later or allow it more time with --model-timeout",
            ) from None
        except openai.APIConnectionError as error:
            cause = error.__cause__
            reason = (str(cause or error).splitlines() or [""])[0]
            if isinstance(cause, httpx2.ReadError):
                said, advice = "breaks off its reply", LONGER
            else:
                said, advice = "cannot be reached", "start the server or correct OPENAI_BASE_URL"
            strange = not self._answered
            raise Passing(f"{said} ({reason})", advice, wrong_address=strange) from None
        except openai.APIStatusError as error:
            raise self._errors.of_http(error) from None
        except exchange.TooManyBytes as error:
            raise Unreachable(
                f"{self.endpoint.host} sends {error}, far more than was asked for; check "
                f"OPENAI_BASE_URL, or choose another endpoint."
            ) from None
        except exchange.Redirected as error:
            raise Unreachable(
                f"{self.endpoint.host} redirects a request to {self._errors.quoted(str(error))}; "
                f"if it is the endpoint, correct OPENAI_BASE_URL."
            ) from None

    def _unknown_model(self, message: str) -> str:
        """A sentence with the models of the endpoint, where it lists them."""
        import openai

        from . import exchange

        host, model = self.endpoint.host, self.endpoint.model
        self._now.on_refusal = None
        try:
            listed = self._client.with_options(timeout=10.0).models.list()
            names = sorted(self._errors.quoted(entry.id) for entry in listed.data)
        except (openai.OpenAIError, *exchange.REFUSED, *_NO_LIST):
            names = []
        shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
        there = f"it has {shown}" if names else "see its list of models, or check OPENAI_BASE_URL"
        return f"{host} has no model {model} ({message}); {there}."

    # --- events of the HTTP client, in the thread of the request -------------------------------

    def _begin(self, on_refusal: OnRefusal | None, most_bytes: int = 0) -> None:
        self._now.on_refusal = on_refusal
        self._now.most_bytes = most_bytes

    def _tell_refusal(self, status: int, text: str) -> None:
        if self._now.on_refusal is not None:
            self._now.on_refusal(status, self._errors.quoted(text))

    def _latency_s(self) -> float:
        """Seconds of the last request."""
        return time.perf_counter() - self._now.sent

    def _sent(self, request: httpx2.Request) -> None:
        from . import exchange

        self._now.sent = time.perf_counter()
        request.extensions[exchange.MOST_BYTES_FIELD] = exchange.MOST_BYTES + self._now.most_bytes

    def _received(self, response: httpx2.Response) -> None:
        if response.has_redirect_location:
            from . import exchange

            exchange.check_redirect(response)
        if response.status_code >= 400:
            self._tell_refusal(response.status_code, text_of(response.content))
