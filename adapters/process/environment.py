"""The environment that simulators are started with: all of ours but its secrets."""

from __future__ import annotations

import os

#: How the names of variables end that no simulator has any use for.
_SECRETS = ("_API_KEY", "_TOKEN", "_SECRET")


def without_secrets() -> dict[str, str]:
    """The variables of this process, but for API keys, tokens and secrets."""
    return {name: v for name, v in os.environ.items() if not name.upper().endswith(_SECRETS)}
