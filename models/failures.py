"""Errors around a model, which end the run; none is the planner's fault.

The text of each says what to do. `resumable`: the run can be continued after that.
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
    """No connection, a time-out, or server errors, until patience ended."""


class NoCredit(ModelFailure):
    """The account has no credit left (402, insufficient_quota)."""


class BudgetUsed(ModelFailure):
    """The run has used up its budget of tokens or money."""


class RequestRefused(ModelFailure):
    """The endpoint refused a request, and repeating it would not help (400)."""


class Interrupted(ModelFailure):
    """The run ends, and nothing more is asked."""
