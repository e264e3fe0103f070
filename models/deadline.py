"""A deadline for a whole HTTP reply; the HTTP client's own is one for each part of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any


def with_deadline(stream: Any, at_s: float) -> Any:
    """A reply's stream that raises ReadTimeout once `time.perf_counter()` is past `at_s`.

    It looks at the clock whenever a part arrives, so that a server which sends a blank every few
    seconds (some do, to keep the connection open) does not keep a run waiting for ever.
    """
    import httpx2

    class _Stream(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            for part in stream:
                if time.perf_counter() > at_s:
                    raise httpx2.ReadTimeout("the whole reply took too long")
                yield part

        def close(self) -> None:
            stream.close()

    return _Stream()
