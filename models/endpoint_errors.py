"""The errors of one request to an endpoint, and what they mean.

`endpoint` handles them; those that reach the user are in `failures`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .answers import QUOTED, well_formed
from .failures import NoCredit, Unreachable, WrongKey
from .patience import passes, retry_after_s
from .protocol import filtered, out_of_credit, overflows
from .served_model import ModelEndpoint

if TYPE_CHECKING:
    import openai


class ContextOverflow(Exception):
    """The endpoint says that the messages are too long for the model."""


class Passing(Exception):
    """An error that may pass by itself, as the middle of a sentence.

    advice: what to do if it does not pass. asked_s: the pause that the endpoint asks for, in
    seconds. wrong_address: perhaps there is no endpoint at the address. of_server: the server
    failed at the request, as servers without schemas do.
    """

    def __init__(
        self,
        problem: str,
        advice: str,
        asked_s: float | None = None,
        *,
        wrong_address: bool = False,
        of_server: bool = False,
    ) -> None:
        super().__init__(problem)
        self.advice = advice
        self.asked_s = asked_s
        self.wrong_address = wrong_address
        self.of_server = of_server


class SchemaTooMuch(Exception):
    """The server seems to fail at the schema of a request."""


class NotFound(Exception):
    """Status 404, with the endpoint's message: the model or the API is missing."""


class BadRequest(Exception):
    """Status 400 or 422, with the endpoint's message."""


class ContentFiltered(Exception):
    """A refusal by a content filter, with the endpoint's message."""


#: What to do about an error that may pass.
LONGER = "try later, or allow more time for repeated requests with --model-patience"


class EndpointErrors:
    """The errors of one endpoint, without its key."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint

    def failure(self, error: openai.APIStatusError) -> Exception:
        """The exception for an HTTP error; raises those that only its message shows."""
        host, model, message = self._endpoint.host, self._endpoint.model, self._message(error)
        status = error.status_code
        self.raise_refusal(error.response.text, message)
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
        headers = error.response.headers
        said = f"answers with status {status} ({message})"
        if not passes(status, headers):
            return Unreachable(f"{host} {said}; try later.")
        of_server = status in (500, 501)
        return Passing(said, LONGER, retry_after_s(headers), of_server=of_server)

    def raise_refusal(self, words: str, message: str) -> None:
        """Raise the exception that the words of an error show, for any status."""
        if overflows(words):
            raise ContextOverflow(message)
        if filtered(words):
            raise ContentFiltered(message)
        if out_of_credit(words):
            raise self._no_credit(message)

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
        text = said if isinstance(said, str) else error.response.text
        return self.quoted(" ".join(text.split())).rstrip(".") or f"status {error.status_code}"

    def quoted(self, text: str) -> str:
        """The beginning of a text, without the key, which some endpoints and proxies repeat."""
        key = self._endpoint.key
        return well_formed((text.replace(key, "[key]") if key else text)[:QUOTED])
