"""One OpenAI-compatible endpoint: sends a request, gives the reply, types what goes wrong.

Repeating after 408, 409, 429, 5xx and lost connections, with the waits that Retry-After asks for,
is the `openai` client's own (https://github.com/openai/openai-python#retries). What endpoints
refuse of a request they tell by status 400; a request is then changed once for each such reason,
and stays so: see `_ADAPTED`.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ...served_model import ModelEndpoint
from ..model import Message
from .answers import QUOTED, Schema, described
from .config import ModelConfig
from .failures import RequestRefused, UnknownModel, Unreachable, WrongKey
from .usage import Usage

if TYPE_CHECKING:
    import httpx2
    import openai

#: Called with the status and the text of every HTTP reply that brought no answer.
OnRefusal = Callable[[int, str], None]

_CONTEXT_FULL = (
    "context_length_exceeded",
    "exceed_context_size",
    "maximum context length",
    "context window",
    "context size",
    "context length",
)
#: What a request is changed to, and the words in a status 400 that ask for it, most telling first.
_ADAPTED = {
    "max_completion_tokens": ("max_completion_tokens", "max_tokens"),
    "no temperature": ("temperature",),
    "schema in the prompt": ("",),  # any refusal of a request with a schema
}
#: Of something that is no reply, so much is shown to the user.
_SHOWN = 120


class ContextOverflow(Exception):
    """The endpoint says that the messages are too long for the model."""


@dataclass(frozen=True)
class ModelReply:
    """A reply that brought text.

    cut: it ended because max_tokens was reached. latency_s: of the HTTP request that brought it;
    waited_s: of those before it that failed, with the pauses. adapted: how the request was changed.
    """

    text: str
    usage: Usage
    cut: bool
    latency_s: float
    waited_s: float = 0.0
    adapted: tuple[str, ...] = ()


class ModelClient:
    """A connection that several threads may use at once."""

    def __init__(self, config: ModelConfig, access: ModelEndpoint) -> None:
        import openai

        self.access = access
        self._config = config
        self._adapted: tuple[str, ...] = ()
        self._takes_schema = False  # it has taken one already
        self._timeout_s = access.timeout_s if config.timeout_s is None else config.timeout_s
        self._now = threading.local()
        loopback = urlsplit(access.base_url).hostname in ("127.0.0.1", "localhost", "::1")
        http = openai.DefaultHttpxClient(
            event_hooks={"request": [self._sent], "response": [self._received]},
            trust_env=not loopback,  # no proxy stands between this machine and itself
        )
        self._client = openai.OpenAI(
            base_url=access.base_url,
            api_key=access.key or "none",
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
        temperature: float,
        max_tokens: int,
        on_refusal: OnRefusal,
    ) -> ModelReply:
        """One reply. Raises ContextOverflow, and ModelFailure where repeating does not help."""
        self._now.on_refusal = on_refusal
        self._now.first = None
        adapted, tried = self._adapted, 0
        while True:
            body = _body(self.access.model, messages, schema, temperature, max_tokens, adapted)
            try:
                found = self._send(body)
            except _BadRequest as refusal:
                more = _adapt(refusal, schema is not None, adapted)
                if more is None:
                    raise RequestRefused(
                        f"{self.access.host} refuses a request to {self.access.model}: {refusal}; "
                        f"choose a model that takes chat messages, or mend the endpoint's settings."
                    ) from None
                adapted = (*adapted, more)
                continue
            if found is None:
                tried += 1
                if tried > self._config.retries:
                    raise Unreachable(
                        f"{self.access.host} answers with something that is no chat completion "
                        f"({self._now.unread}); check OPENAI_BASE_URL, which usually ends in /v1."
                    )
                continue
            self._remember(adapted, schema is not None)
            text, usage, cut = found
            end = time.perf_counter()
            sent, first = self._now.sent, self._now.first
            return ModelReply(text, usage, cut, end - sent, sent - first, tuple(adapted))

    def _remember(self, adapted: tuple[str, ...], with_schema: bool) -> None:
        """Keep changes that worked; one schema too many is no reason to send none again."""
        in_prompt = "schema in the prompt"
        if with_schema and in_prompt not in adapted:
            self._takes_schema = True
        if self._takes_schema:
            adapted = tuple(change for change in adapted if change != in_prompt)
        self._adapted = adapted

    def _send(self, body: Mapping[str, Any]) -> tuple[str, Usage, bool] | None:
        """Text, usage and whether it was cut; None for a reply that is no completion."""
        import httpx2
        import openai

        host, model = self.access.host, self.access.model
        try:
            # Not chat.completions.create: it walks through all messages to convert them, which
            # takes longer than all the rest once a conversation has grown.
            response = self._client.post("/chat/completions", cast_to=httpx2.Response, body=body)
        except openai.AuthenticationError:
            raise WrongKey(
                f"{host} does not accept the key in OPENAI_API_KEY; set one that is valid there."
            ) from None
        except openai.PermissionDeniedError as error:
            raise WrongKey(
                f"{host} does not allow this key to use {model} ({self._told(error)}); "
                f"use another key or model."
            ) from None
        except openai.NotFoundError as error:
            raise UnknownModel(self._unknown_model(self._told(error))) from None
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            if _overflows(error):
                raise ContextOverflow(self._told(error)) from None
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
            if _overflows(error):
                raise ContextOverflow(self._told(error)) from None
            raise Unreachable(
                f"{host} answers with status {error.status_code} ({self._told(error)}), also "
                f"when asked again; try later."
            ) from None
        found = _completion(response.text)
        if found is None:
            said = self._quoted(response.text)
            self._now.unread = " ".join(said.split())[:_SHOWN] or "an empty text"
            self._now.on_refusal(response.status_code, said)
        return found

    def _unknown_model(self, told: str) -> str:
        """A sentence with the models there are, where the endpoint lists them."""
        import openai

        host, model = self.access.host, self.access.model
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

    def _sent(self, request: httpx2.Request) -> None:
        self._now.sent = time.perf_counter()
        if getattr(self._now, "first", None) is None:
            self._now.first = self._now.sent

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
        key = self.access.key
        return (text.replace(key, "[key]") if key else text)[:QUOTED]


class _BadRequest(Exception):
    """Status 400 or 422, with what the endpoint says of it."""


def _adapt(refusal: _BadRequest, with_schema: bool, adapted: tuple[str, ...]) -> str | None:
    """The change to a request that its refusal asks for; None when there is none left."""
    told = str(refusal).lower()
    for change, words in _ADAPTED.items():
        if change in adapted or (change == "schema in the prompt" and not with_schema):
            continue
        if any(word in told for word in words):
            return change
    return None


def _body(
    model: str,
    messages: Sequence[Message],
    schema: Schema | None,
    temperature: float,
    max_tokens: int,
    adapted: tuple[str, ...],
) -> dict[str, Any]:
    """The fields of a chat completion request."""
    body: dict[str, Any] = {"model": model, "messages": list(messages)}
    if "no temperature" not in adapted:
        body["temperature"] = temperature
    swapped = "max_completion_tokens" in adapted
    body["max_completion_tokens" if swapped else "max_tokens"] = max_tokens
    if schema is not None and "schema in the prompt" in adapted:
        body["messages"] = with_text(messages, described(schema))
    elif schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": schema},
        }
    return body


def with_text(messages: Sequence[Message], text: str) -> list[Message]:
    """The messages with a paragraph added to the last one."""
    *before, last = messages
    content = last["content"]
    if isinstance(content, str):
        content = f"{content}\n\n{text}"
    else:
        content = [*content, {"type": "text", "text": text}]
    return [*before, {**last, "content": content}]


def _completion(text: str) -> tuple[str, Usage, bool] | None:
    """What a reply's body holds; None where it is no chat completion.

    https://platform.openai.com/docs/api-reference/chat/object
    """
    try:
        data = json.loads(text)
        choice = data["choices"][0]
        message = choice["message"]
        said = message.get("content") or message.get("refusal") or ""
        counted = data.get("usage") or {}
        cached = (counted.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        usage = Usage(
            int(counted.get("prompt_tokens") or 0),
            int(counted.get("completion_tokens") or 0),
            int(cached),
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        return None
    if not isinstance(said, str):
        return None
    return said, usage, choice.get("finish_reason") == "length"


def _overflows(error: openai.APIStatusError) -> bool:
    text = error.response.text.lower()
    return any(words in text for words in _CONTEXT_FULL)
