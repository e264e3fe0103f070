"""The changes to requests that an endpoint has asked for, as far as they stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .protocol import SCHEMA_IN_PROMPT, has_schema

#: Errors 500 to a schema after which it is asked without, where none was ever taken.
_TRIES_OF_A_SCHEMA = 3


class Adaptations:
    """Those of one endpoint. kept: changes that the next request begins with."""

    def __init__(self) -> None:
        self.kept: tuple[str, ...] = ()
        self._takes_schema = False  # it has taken one already
        self._failed_schemas = 0  # questions that only came through without one

    def tries_of(self, body: Mapping[str, Any]) -> int | None:
        """After how many errors of the server its schema is suspected; None for never."""
        if not has_schema(body) or self._takes_schema:
            return None
        return 1 if self._failed_schemas else _TRIES_OF_A_SCHEMA

    def remember(
        self, adapted: tuple[str, ...], with_schema: bool, failed_with_schema: bool
    ) -> None:
        """Keep changes that worked; one schema too many is no reason to send none again.

        failed_with_schema: the server had errors until it was asked without. That may be chance
        once, and counts as a refusal when it comes again.
        """
        if with_schema and SCHEMA_IN_PROMPT not in adapted:
            self._takes_schema = True
        self._failed_schemas += failed_with_schema
        if self._takes_schema or (failed_with_schema and self._failed_schemas == 1):
            adapted = tuple(change for change in adapted if change != SCHEMA_IN_PROMPT)
        self.kept = adapted
