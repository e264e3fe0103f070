"""Asking again: what passes by itself, how long to pause, and when to leave it.

Pauses double from half a second to half a minute, less up to a quarter by chance, so that many
clients do not come back at once. A pause that the endpoint asks for (Retry-After) takes their place
for the first few times, for some endpoints ask for none at all.
"""

from __future__ import annotations

import email.utils
import math
import random
import time
from collections.abc import Iterator, Mapping
from typing import Any

_FIRST_S, _LONGEST_S = 0.5, 30.0
#: How often a pause that the endpoint asks for is taken as it is, even if it is shorter than ours.
_AT_ITS_WORD = 4


class Patience:
    """The pauses between the tries of one question.

    tries: those that failed.
    """

    def __init__(self, patience_s: float) -> None:
        """patience_s: seconds after which nothing is tried again."""
        self.tries = 0
        self._patience_s = patience_s
        self._began = time.monotonic()

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self._began

    def pause(self, asked_s: float | None = None, at_most_s: float = math.inf) -> bool:
        """Pause after a failed try; False, at once, where patience does not last as long.

        asked_s: what the endpoint asks for. at_most_s: a shorter patience for this failure.
        """
        own_s = min(_FIRST_S * 2.0 ** min(self.tries, 16), _LONGEST_S) * random.uniform(0.75, 1.0)
        self.tries += 1
        if asked_s is None:
            pause_s = own_s
        else:
            pause_s = asked_s if self.tries <= _AT_ITS_WORD else max(asked_s, own_s)
        if self.elapsed_s + pause_s > min(self._patience_s, at_most_s):
            return False
        time.sleep(pause_s)
        return True


def passes(status: int, headers: Mapping[str, str]) -> bool:
    """Whether an HTTP error may be gone when the same is asked again."""
    told = headers.get("x-should-retry", "").lower()  # OpenAI's own way to say it
    if told in ("true", "false"):
        return told == "true"
    return status in (408, 409, 425, 429) or status >= 500


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """The pause that an HTTP reply asks for (RFC 9110, section 10.2.3), None for none."""
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    return None if date is None else max(0.0, email.utils.mktime_tz(date) - time.time())


# --- a deadline for a whole HTTP reply ------------------------------------------------------------


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
