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
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from .answers import Schema
from .config import ModelConfig
from .contract import Message, NoAnswer
from .endpoint_errors import (
    LONGER,
    BadRequest,
    ContentFiltered,
    EndpointErrors,
    NotFound,
    Passing,
    SchemaTooMuch,
)
from .failures import RequestRefused, UnknownModel, Unreachable
from .patience import Patience, with_deadline
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
    error_message,
    read_completion,
    read_embeddings,
    until,
)
from .responses import read_response, response_body
from .served_model import ModelEndpoint
from .slots import Slot
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


class _Api(NamedTuple):
    """An API for chat messages: its path, the body of a request, the reader of a reply."""

    path: str
    body: Callable[..., dict[str, Any]]
    read: Callable[[str], ModelReply | None]
    what: str


_APIS = (
    _Api("/chat/completions", completion_body, read_completion, "chat completion"),
    _Api("/responses", response_body, read_response, "response"),
)


class ModelClient:
    """A connection that several threads may use at once."""

    def __init__(
        self, config: ModelConfig, endpoint: ModelEndpoint, slot: int = 0, first_slot: int = 0
    ) -> None:
        """slot, first_slot: numbers of slots of the endpoint's prompt cache, see `Slot`."""
        import openai

        self.endpoint = endpoint
        self._config = config
        self._slot = Slot(endpoint, slot, first_slot)
        self._errors = EndpointErrors(endpoint)
        self._adaptations = Adaptations()
        self._answered = False
        self._timeout_s = endpoint.timeout_s if config.timeout_s is None else config.timeout_s
        self._now = threading.local()
        loopback = urlsplit(endpoint.base_url).hostname in ("127.0.0.1", "localhost", "::1")
        http = openai.DefaultHttpxClient(
            event_hooks={"request": [self._sent], "response": [self._received]},
            trust_env=not loopback,  # no proxy to this machine itself
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
        more = {"aside": aside()} if self.endpoint.reads_aside else {}
        adapted = self._adaptations.kept
        reasoning = Reasoning(self._config.reasoning_effort, self._config.reasoning_tokens)
        failed_with_schema = False
        not_found = ""
        while True:
            api = _APIS[RESPONSES_API in adapted]
            body = api.body(self.endpoint.model, messages, schema, decoding, adapted, reasoning)
            try:
                reply = self._read(
                    api.path,
                    body | self._slot.body | more,
                    api.read,
                    api.what,
                    self._adaptations.tries_of(body),
                )
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
                if change is None:
                    raise self._refused(str(refusal)) from None
                adapted = (*adapted, change)
                continue
            self._adaptations.remember(adapted, schema is not None, failed_with_schema)
            text = until(reply.text, decoding.stop)
            return replace(reply, text=text, latency_s=self._latency_s(), adapted=adapted)

    def embed(self, texts: Sequence[str], on_refusal: OnRefusal) -> EmbeddingReply:
        """One vector for each text. Raises as `ask` does."""
        self._begin(on_refusal)
        body = embedding_body(self.endpoint.model, texts)
        model, host = self.endpoint.model, self.endpoint.host
        try:
            reply = self._read(
                "/embeddings",
                body,
                lambda text: read_embeddings(text, len(texts)),
                "list of embeddings",
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

    def _refused(self, message: str) -> RequestRefused:
        """The error for a refusal; a model that has answered before takes chat messages."""
        if self.endpoint.advises:
            refused = RequestRefused(
                f"The model {self._config.name} refuses a request: {message.rstrip('.')}."
            )
            refused.resumable = not self.endpoint.reads_aside  # rules refuse it again
            return refused
        advice = "correct the endpoint's settings"
        if not self._answered:
            advice = f"choose a model that takes chat messages, or {advice}"
        host, model = self.endpoint.host, self.endpoint.model
        return RequestRefused(f"{host} refuses a request to {model}: {message}; {advice}.")

    # --- one HTTP request -----------------------------------------------------------------------

    def _read(
        self,
        path: str,
        body: Mapping[str, Any],
        read: Callable[[str], _T | None],
        what: str,
        tries_of_schema: int | None = None,
    ) -> _T:
        """The reply as `read` reads it; the request is repeated while patience lasts.

        Raises SchemaTooMuch after `tries_of_schema` errors of the server.
        """
        patience = Patience(self._config.patience_s)
        while True:
            try:
                reply = self._once(path, body, read, what)
            except Passing as trouble:
                if trouble.of_server and patience.tries + 1 == tries_of_schema:
                    raise SchemaTooMuch from None
                at_most_s = _PATIENCE_WITH_A_STRANGER_S if trouble.wrong_address else math.inf
                if patience.pause(trouble.asked_s, at_most_s):
                    continue
                raise Unreachable(self._in_vain(trouble, patience)) from None
            self._answered = True
            return reply

    def _in_vain(self, trouble: Passing, patience: Patience) -> str:
        """A sentence on an error that did not pass."""
        times, seconds = patience.tries, patience.elapsed_s
        often = f", {times} times in {seconds:.0f} s" if times > 1 else ""
        asked = trouble.asked_s
        wish = f", and wants a pause of {asked:.0f} s" if asked is not None and asked > 1 else ""
        return f"{self.endpoint.host} {trouble}{often}{wish}; {trouble.advice}."

    def _once(
        self,
        path: str,
        body: Mapping[str, Any],
        read: Callable[[str], _T | None],
        what: str,
    ) -> _T:
        """The reply to one HTTP request as `read` reads it. Raises Passing too."""
        response = self._post(path, body)
        reply = read(response.text)
        if reply is not None:
            return reply
        self._now.on_refusal(response.status_code, self._errors.quoted(response.text))
        message = error_message(response.text)
        if message is not None:
            self._errors.raise_refusal(response.text, self._errors.quoted(message))
            raise Passing(f"answers with an error ({self._errors.quoted(message)})", LONGER)
        shown = " ".join(self._errors.quoted(response.text).split())[:_SHOWN] or "an empty text"
        raise Passing(
            f"sends a reply that is no {what} ({shown})",
            "check OPENAI_BASE_URL, which usually ends in /v1",
            wrong_address=not self._answered,
        )

    def _post(self, path: str, body: Mapping[str, Any]) -> httpx2.Response:
        """The reply with status 200 to one HTTP request."""
        import httpx2
        import openai

        try:
            # Not chat.completions.create: it converts all messages, which is the slowest part once
            # a conversation is long.
            return self._client.post(path, cast_to=httpx2.Response, body=body)
        except openai.APITimeoutError:
            raise Passing(
                f"did not answer within {self._timeout_s:g} s",
                "try again later or allow it more time with --model-timeout",
            ) from None
        except openai.APIConnectionError as error:
            reason = str(error.__cause__ or error).splitlines()[0] if str(error) else ""
            raise Passing(
                f"cannot be reached ({reason})",
                "start the server or correct OPENAI_BASE_URL",
                wrong_address=not self._answered,
            ) from None
        except openai.APIStatusError as error:
            raise self._errors.failure(error) from None

    def _unknown_model(self, message: str) -> str:
        """A sentence with the models of the endpoint, where it lists them."""
        import openai

        host, model = self.endpoint.host, self.endpoint.model
        self._now.on_refusal = None
        try:
            listed = self._client.with_options(timeout=10.0).models.list()
            names = sorted(entry.id for entry in listed.data)
        except (openai.OpenAIError, AttributeError, TypeError):
            names = []
        shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
        there = f"it has {shown}" if names else "see its list of models, or check OPENAI_BASE_URL"
        return f"{host} has no model {model} ({message}); {there}."

    # --- events of the HTTP client, in the thread of the request -------------------------------

    def _begin(self, on_refusal: OnRefusal) -> None:
        self._now.on_refusal = on_refusal

    def _latency_s(self) -> float:
        """Seconds of the last request."""
        sent: float = self._now.sent
        return time.perf_counter() - sent

    def _sent(self, request: httpx2.Request) -> None:
        self._now.sent = time.perf_counter()

    def _received(self, response: httpx2.Response) -> None:
        response.stream = with_deadline(response.stream, self._now.sent + self._timeout_s)
        if response.status_code >= 400 and getattr(self._now, "on_refusal", None) is not None:
            response.read()
            self._now.on_refusal(response.status_code, self._errors.quoted(response.text))
