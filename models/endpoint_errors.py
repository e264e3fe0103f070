"""What can go wrong with one request to an endpoint, and what its errors mean.

`endpoint` makes the best of it; what is left of it for the user is in `failures`.
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
    """A trouble that may pass by itself, as the middle of a sentence.

    advice: what to do once it has not passed. asked_s: the pause that the endpoint asks for.
    wrong_address: perhaps no such endpoint is there. of_server: it failed at the request, as
    servers do that know no schemas.
    """

    def __init__(
        self,
        told: str,
        advice: str,
        asked_s: float | None = None,
        *,
        wrong_address: bool = False,
        of_server: bool = False,
    ) -> None:
        super().__init__(told)
        self.advice = advice
        self.asked_s = asked_s
        self.wrong_address = wrong_address
        self.of_server = of_server


class SchemaTooMuch(Exception):
    """The server seems to fail at the schema of a request."""


class NotFound(Exception):
    """Status 404, with what the endpoint says of it: it lacks the model, or the API."""


class BadRequest(Exception):
    """Status 400 or 422, with what the endpoint says of it."""


class ContentFiltered(Exception):
    """A content filter's refusal, with what the endpoint says of it."""


#: What to do about an error that may pass.
LONGER = "try later, or let it be asked for longer with --model-patience"


class EndpointErrors:
    """The errors of one endpoint, told without its key."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint

    def failure(self, error: openai.APIStatusError) -> Exception:
        """What an HTTP error means; raises what its words alone tell."""
        host, model, told = self._endpoint.host, self._endpoint.model, self._told(error)
        status = error.status_code
        self.raise_refusal(error.response.text, told)
        match status:
            case 400 | 422:
                return BadRequest(told)
            case 401:
                return WrongKey(
                    f"{host} does not accept the key in OPENAI_API_KEY; set one that is valid "
                    f"there."
                )
            case 402:
                return self._no_credit(told)
            case 403:
                return WrongKey(
                    f"{host} does not allow this key to use {model} ({told}); use another key or "
                    f"model."
                )
            case 404:
                return NotFound(told)
        headers = error.response.headers
        said = f"answers with status {status} ({told})"
        if not passes(status, headers):
            return Unreachable(f"{host} {said}; try later.")
        of_server = status in (500, 501)
        return Passing(said, LONGER, retry_after_s(headers), of_server=of_server)

    def raise_refusal(self, words: str, told: str) -> None:
        """Raise what an error's words tell, whatever its status."""
        if overflows(words):
            raise ContextOverflow(told)
        if filtered(words):
            raise ContentFiltered(told)
        if out_of_credit(words):
            raise self._no_credit(told)

    def _no_credit(self, told: str) -> NoCredit:
        return NoCredit(
            f"{self._endpoint.host} gives no more replies to this account ({told}); add credit "
            f"there or set the key of another account."
        )

    # --- what may be told and recorded of its words ---------------------------------------------

    def _told(self, error: openai.APIStatusError) -> str:
        """The endpoint's own words about an error, on one line."""
        body = error.body
        told: Any = body.get("message") if isinstance(body, dict) else None
        text = told if isinstance(told, str) else error.response.text
        return self.quoted(" ".join(text.split())) or f"status {error.status_code}"

    def quoted(self, text: str) -> str:
        """The beginning of a text without the key, which some endpoints and proxies repeat."""
        key = self._endpoint.key
        return well_formed((text.replace(key, "[key]") if key else text)[:QUOTED])
