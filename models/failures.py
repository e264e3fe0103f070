"""What can go wrong around a model. None of it is the planner's fault; all of it ends the run.

Each is one sentence that says what to do. `resumable`: the run can be continued once it is done.
"""

from __future__ import annotations

from ..errors import PeepholeError


class ModelFailure(PeepholeError):
    """The base: the model could not be asked."""

    resumable = True


class NoEndpoint(ModelFailure):
    """Neither a key nor an endpoint is set."""

    exit_code = 3
    resumable = False


class WrongKey(ModelFailure):
    """The endpoint refused the key (401, 403)."""

    exit_code = 3


class UnknownModel(ModelFailure):
    """The endpoint does not have the model (404)."""

    exit_code = 3
    resumable = False


class Unreachable(ModelFailure):
    """No connection, a time-out, or errors of the server, for as long as patience lasted."""


class NoCredit(ModelFailure):
    """The endpoint's account has nothing left to pay with (402, insufficient_quota)."""


class BudgetUsed(ModelFailure):
    """The run has used the tokens or the money it was given."""


class RequestRefused(ModelFailure):
    """The endpoint refused a request for a reason that repeating it does not mend (400)."""
