"""The errors of one request to an endpoint, and what they mean.

`endpoint` handles them; those that reach the user are in `failures`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from .answers import QUOTED, well_formed
from .context_limit import is_context_full
from .failures import NoCredit, Unreachable, WrongKey
from .patience import passes, retry_after_s
from .protocol import wants_no_system_role
from .redaction import redactor
from .served_model import ModelEndpoint

if TYPE_CHECKING:
    import openai


class ContextOverflow(Exception):
    """The endpoint says that the messages are too long for the model."""


class Passing(Exception):
    """An error that may pass by itself, as the middle of a sentence.

    advice: what to do if it does not pass. asked_s: the pause that the endpoint asks for, in
    seconds. wrong_address: perhaps there is no endpoint at the address. refused: the endpoint
    answered the request with an error. of_server: it failed at the request, as servers without
    schemas do. too_many: it has too many requests for now.
    """

    def __init__(
        self,
        problem: str,
        advice: str,
        asked_s: float | None = None,
        *,
        wrong_address: bool = False,
        refused: bool = False,
        of_server: bool = False,
        too_many: bool = False,
    ) -> None:
        super().__init__(problem)
        self.advice = advice
        self.asked_s = asked_s
        self.wrong_address = wrong_address
        self.refused = refused
        self.of_server = of_server
        self.too_many = too_many


class SchemaTooMuch(Exception):
    """The server seems to fail at the schema of a request."""


class NotFound(Exception):
    """Status 404, with the endpoint's message: the model or the API is missing."""


class BadRequest(Exception):
    """A request that cannot be taken as it is, with the endpoint's message: status 400 or 422."""


class ContentFiltered(Exception):
    """A refusal by a content filter, with the endpoint's message."""


#: All of these, which say that one request failed.
ENDPOINT_ERRORS = (
    ContextOverflow,
    Passing,
    SchemaTooMuch,
    NotFound,
    BadRequest,
    ContentFiltered,
)
#: Words of a refusal by a content filter: codes and sentences of OpenAI, Azure, OpenRouter and
#: DashScope.
_FILTERED = (
    "content_filter",
    "content_policy_violation",
    "content management policy",
    "responsibleaipolicyviolation",
    "violating our usage policy",
    "violates our usage policies",
    "rejected as a result of our safety system",
    "your input was flagged",
    "data_inspection_failed",
)
#: Codes and words of an account without credit (OpenAI, DeepSeek, OpenRouter). "Exceeded your
#: quota" is none of them: some endpoints mean a limit a minute.
_OUT_OF_CREDIT = (
    "insufficient_quota",
    "billing_hard_limit_reached",
    "insufficient balance",
    "insufficient credits",
)
#: Control characters but for white space.
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
#: Characters of an error in which the key and known words are looked for.
_READ = 50 * QUOTED
#: What to do about an error that may pass.
LONGER = "try later, or allow more time for repeated requests with --model-patience"


class EndpointErrors:
    """The errors of one endpoint, without its key."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint
        password = urlsplit(endpoint.base_url).password
        self.without_key = redactor(endpoint.key, password and unquote(password))

    def of_http(self, error: openai.APIStatusError) -> Exception:
        """The exception for an HTTP error."""
        message = self._message(error)
        said = f"answers with status {error.status_code} ({message})"
        text, headers = text_of(error.response.content), error.response.headers
        return self._failure(error.status_code, text, message, said, headers)

    def of_body(self, text: str, message: str, status: int | None) -> Exception:
        """The exception for an error in a reply with status 200.

        status: the one that the body has for it, None for none.
        """
        message = self.quoted(message)
        said = f"answers with an error ({message})"
        return self._failure(503 if status is None else status, text, message, said, {})

    def _failure(
        self, status: int, words: str, message: str, said: str, headers: Mapping[str, str]
    ) -> Exception:
        """The exception for an error.

        words: the whole of its text. message: its message for the user. said: the middle of a
        sentence on it.
        """
        host, model = self._endpoint.host, self._endpoint.model
        # The body may escape what is not ASCII, and have codes beside the message.
        refusal = self._by_words(f"{words[:_READ]} {message}".lower(), message)
        if refusal is not None:
            return refusal
        match status:
            case 400 | 422:
                return BadRequest(message)
            case 401:
                return WrongKey(
                    f"{host} does not accept the key in OPENAI_API_KEY; set one that is valid "
                    f"there."
                )
            case 402:
                return self._no_credit(message)
            case 403:
                return WrongKey(
                    f"{host} does not allow this key to use {model} ({message}); use another key "
                    f"or model."
                )
            case 404:
                return NotFound(message)
            case 413:
                return ContextOverflow(message)
        if not passes(status, headers):
            return Unreachable(f"{host} {said}; try later.")
        pause_s, of_server = retry_after_s(headers), status in (500, 501)
        too_many = status == 429 or (status == 503 and pause_s is not None)
        return Passing(said, LONGER, pause_s, refused=True, of_server=of_server, too_many=too_many)

    def _by_words(self, words: str, message: str) -> Exception | None:
        """The exception that the words of an error show, for any status."""
        if is_context_full(words):
            return ContextOverflow(message)
        if any(code in words for code in _FILTERED):
            return ContentFiltered(message)
        if any(code in words for code in _OUT_OF_CREDIT):
            return self._no_credit(message)
        if wants_no_system_role(words):
            return BadRequest(message)
        return None

    def _no_credit(self, message: str) -> NoCredit:
        return NoCredit(
            f"{self._endpoint.host} gives no more replies to this account ({message}); add credit "
            f"there or set the key of another account."
        )

    # --- messages for errors and recordings -----------------------------------------------------

    def _message(self, error: openai.APIStatusError) -> str:
        """The endpoint's error message, on one line and without its last full stop."""
        body = error.body
        said: Any = body.get("message") if isinstance(body, dict) else None
        text = said if isinstance(said, str) else text_of(error.response.content)
        return self.quoted(" ".join(text.split())).rstrip(".") or f"status {error.status_code}"

    def quoted(self, text: str) -> str:
        """The beginning of a text, without the key, which some endpoints and proxies repeat.

        Nor has it control characters, which a terminal obeys.
        """
        quoted = well_formed(self.without_key(text[:_READ])[:QUOTED])
        return _CONTROL.sub("\ufffd", quoted)


def text_of(body: bytes) -> str:
    """The text of a body: JSON is UTF-8, whatever the header says, with a mark before it or not."""
    return body.decode("utf-8-sig", "replace")
