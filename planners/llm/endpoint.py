"""One OpenAI-compatible endpoint: sends a request, gives the reply, types what goes wrong.

Repeating after 408, 409, 429, 5xx and lost connections, with the waits that Retry-After asks for,
is the `openai` client's own (https://github.com/openai/openai-python#retries). A change to a
request that an endpoint asked for stays, see `protocol.ADAPTATIONS`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from ...served_model import ModelEndpoint
from ..model import Message, NoAnswer
from .answers import QUOTED, Schema
from .config import ModelConfig
from .failures import RequestRefused, UnknownModel, Unreachable, WrongKey
from .protocol import (
    SCHEMA_IN_PROMPT,
    Decoding,
    EmbeddingReply,
    ModelReply,
    adaptation,
    completion_body,
    embedding_body,
    filtered,
    overflows,
    read_completion,
    read_embeddings,
    until,
)
from .usage import Usage
from .well_formed import well_formed

if TYPE_CHECKING:
    import httpx2
    import openai

#: Called with the status and the text of every HTTP reply that brought no answer.
OnRefusal = Callable[[int, str], None]

_T = TypeVar("_T")

#: Of something that is no reply, so much is shown to the user.
_SHOWN = 120


class ContextOverflow(Exception):
    """The endpoint says that the messages are too long for the model."""


class ModelClient:
    """A connection that several threads may use at once."""

    def __init__(self, config: ModelConfig, endpoint: ModelEndpoint) -> None:
        import openai

        self.endpoint = endpoint
        self._config = config
        self._adapted: tuple[str, ...] = ()
        self._takes_schema = False  # it has taken one already
        self._timeout_s = endpoint.timeout_s if config.timeout_s is None else config.timeout_s
        self._now = threading.local()
        loopback = urlsplit(endpoint.base_url).hostname in ("127.0.0.1", "localhost", "::1")
        http = openai.DefaultHttpxClient(
            event_hooks={"request": [self._sent], "response": [self._received]},
            trust_env=not loopback,  # no proxy stands between this machine and itself
        )
        self._client = openai.OpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.key or "none",
            timeout=openai.Timeout(self._timeout_s, connect=min(10.0, self._timeout_s)),
            max_retries=config.retries,
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
    ) -> ModelReply:
        """One reply. Raises ContextOverflow, and ModelFailure where repeating does not help.

        A question that a content filter refuses gets an empty reply, which is `withheld`.
        """
        self._begin(on_refusal)
        adapted = self._adapted
        while True:
            body = completion_body(self.endpoint.model, messages, schema, decoding, adapted)
            try:
                reply = self._read("/chat/completions", body, read_completion, "chat completion")
            except _Filtered:
                reply = ModelReply("", Usage(), cut=False, withheld=True)
                return replace(reply, latency_s=self._latency_s(), adapted=adapted)
            except _BadRequest as refusal:
                change = adaptation(str(refusal), body, adapted)
                if change is None:
                    raise RequestRefused(
                        f"{self.endpoint.host} refuses a request to {self.endpoint.model}: "
                        f"{refusal}; choose a model that takes chat messages, or mend the "
                        f"endpoint's settings."
                    ) from None
                adapted = (*adapted, change)
                continue
            self._remember(adapted, schema is not None)
            text = until(reply.text, decoding.stop)
            return replace(reply, text=text, latency_s=self._latency_s(), adapted=adapted)

    def embed(self, texts: Sequence[str], on_refusal: OnRefusal) -> EmbeddingReply:
        """A vector a text. Raises as `ask` does."""
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
        except _Filtered as refusal:
            raise NoAnswer(f"{host} gives no embeddings of these texts: {refusal}") from None
        except _BadRequest as refusal:
            raise RequestRefused(
                f"{host} gives no embeddings of {model}: {refusal}; choose a model that gives them."
            ) from None
        return replace(reply, latency_s=self._latency_s())

    def _remember(self, adapted: tuple[str, ...], with_schema: bool) -> None:
        """Keep changes that worked; one schema too many is no reason to send none again."""
        if with_schema and SCHEMA_IN_PROMPT not in adapted:
            self._takes_schema = True
        if self._takes_schema:
            adapted = tuple(change for change in adapted if change != SCHEMA_IN_PROMPT)
        self._adapted = adapted

    # --- one HTTP request -----------------------------------------------------------------------

    def _read(
        self,
        path: str,
        body: Mapping[str, Any],
        read: Callable[[str], _T | None],
        what: str,
    ) -> _T:
        """What `read` makes of a reply; asked for again where it makes nothing of it."""
        for _ in range(self._config.retries + 1):
            response = self._post(path, body)
            found = read(response.text)
            if found is not None:
                return found
            said = self._quoted(response.text)
            self._now.on_refusal(response.status_code, said)
        shown = " ".join(said.split())[:_SHOWN] or "an empty text"
        raise Unreachable(
            f"{self.endpoint.host} answers with something that is no {what} ({shown}); "
            f"check OPENAI_BASE_URL, which usually ends in /v1."
        )

    def _post(self, path: str, body: Mapping[str, Any]) -> httpx2.Response:
        """A reply with status 200."""
        import httpx2
        import openai

        host, model = self.endpoint.host, self.endpoint.model
        try:
            # Not chat.completions.create: it walks through all messages to convert them, which
            # takes longer than all the rest once a conversation has grown.
            return self._client.post(path, cast_to=httpx2.Response, body=body)
        except openai.AuthenticationError:
            raise WrongKey(
                f"{host} does not accept the key in OPENAI_API_KEY; set one that is valid there."
            ) from None
        except openai.PermissionDeniedError as error:
            if filtered(error.response.text):
                raise _Filtered(self._told(error)) from None
            raise WrongKey(
                f"{host} does not allow this key to use {model} ({self._told(error)}); "
                f"use another key or model."
            ) from None
        except openai.NotFoundError as error:
            raise UnknownModel(self._unknown_model(self._told(error))) from None
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            if overflows(error.response.text):
                raise ContextOverflow(self._told(error)) from None
            if filtered(error.response.text):
                raise _Filtered(self._told(error)) from None
            raise _BadRequest(self._told(error)) from None
        except openai.APITimeoutError:
            raise Unreachable(
                f"{host} did not answer within {self._timeout_s:g} s, "
                f"{self._config.retries + 1} times; try again later or allow it more time "
                f"with --model-timeout."
            ) from None
        except openai.APIConnectionError as error:
            reason = str(error.__cause__ or error).splitlines()[0] if str(error) else ""
            raise Unreachable(
                f"{host} cannot be reached ({reason}); start the server or correct OPENAI_BASE_URL."
            ) from None
        except openai.APIStatusError as error:
            if overflows(error.response.text):
                raise ContextOverflow(self._told(error)) from None
            raise Unreachable(
                f"{host} answers with status {error.status_code} ({self._told(error)}), also "
                f"when asked again; try later."
            ) from None

    def _unknown_model(self, told: str) -> str:
        """A sentence with the models there are, where the endpoint lists them."""
        import openai

        host, model = self.endpoint.host, self.endpoint.model
        self._now.on_refusal = None
        try:
            listed = self._client.with_options(max_retries=0, timeout=10.0).models.list()
            names = sorted(entry.id for entry in listed.data)
        except (openai.OpenAIError, AttributeError, TypeError):
            names = []
        shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
        there = f"it has {shown}" if names else "see its list of models, or check OPENAI_BASE_URL"
        return f"{host} has no model {model} ({told}); {there}."

    # --- what the HTTP client tells, in the thread of the request ------------------------------

    def _begin(self, on_refusal: OnRefusal) -> None:
        self._now.on_refusal = on_refusal

    def _latency_s(self) -> float:
        """Seconds of the last request."""
        sent: float = self._now.sent
        return time.perf_counter() - sent

    def _sent(self, request: httpx2.Request) -> None:
        self._now.sent = time.perf_counter()

    def _received(self, response: httpx2.Response) -> None:
        if response.status_code >= 400 and getattr(self._now, "on_refusal", None) is not None:
            response.read()
            self._now.on_refusal(response.status_code, self._quoted(response.text))

    # --- what may be told and recorded of its words ---------------------------------------------

    def _told(self, error: openai.APIStatusError) -> str:
        """The endpoint's own words about an error, on one line."""
        body = error.body
        told: Any = body.get("message") if isinstance(body, dict) else None
        text = told if isinstance(told, str) else error.response.text
        return self._quoted(" ".join(text.split())) or f"status {error.status_code}"

    def _quoted(self, text: str) -> str:
        """The beginning of a text without the key, which some endpoints and proxies repeat."""
        key = self.endpoint.key
        return well_formed((text.replace(key, "[key]") if key else text)[:QUOTED])


class _BadRequest(Exception):
    """Status 400 or 422, with what the endpoint says of it."""


class _Filtered(Exception):
    """A content filter's refusal, with what the endpoint says of it."""
