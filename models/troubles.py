"""What can go wrong with one request to an endpoint; `endpoint` makes the best of it.

What is left of it for the user is in `failures`.
"""

from __future__ import annotations


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
