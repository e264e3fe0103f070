"""Repeated requests: which errors may pass, how long to pause, when to stop.

Pauses double from 0.5 s to 30 s. A random part of up to a quarter is taken off, so that clients do
not all come back at once. For the first few times, a pause that the endpoint asks for (Retry-After)
takes their place; later it counts only where it is longer, since some endpoints ask for no pause.
"""

from __future__ import annotations

import email.utils
import math
import random
import time
from collections.abc import Mapping

_FIRST_S, _LONGEST_S, _A_DAY_S = 0.5, 30.0, 86_400.0
#: How often a pause that the endpoint asks for is taken even if it is shorter than ours.
_AT_ITS_WORD = 4


class Patience:
    """The pauses between the tries of one question.

    tries: the number of failed ones. asked_s: when it was first asked, by the monotonic clock.
    """

    def __init__(self, patience_s: float) -> None:
        """patience_s: seconds after which the question is not tried again."""
        self.tries = 0
        self._patience_s = patience_s
        self.asked_s = self._began = time.monotonic()

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self._began

    def excuse(self, seconds: float) -> None:
        """Leave out seconds in which the question was not tried, since others came before it."""
        self._began += seconds

    def pause_s(self, asked_s: float | None = None, at_most_s: float = math.inf) -> float | None:
        """The pause after a failed try; None where patience would end before.

        asked_s: the pause that the endpoint asks for. at_most_s: a shorter patience for this error.
        """
        own_s = min(_FIRST_S * 2.0 ** min(self.tries, 16), _LONGEST_S) * random.uniform(0.75, 1.0)
        self.tries += 1
        if asked_s is None:
            pause_s = own_s
        else:
            pause_s = asked_s if self.tries <= _AT_ITS_WORD else max(asked_s, own_s)
        if self.elapsed_s + pause_s > min(self._patience_s, at_most_s):
            return None
        return pause_s


def passes(status: int, headers: Mapping[str, str]) -> bool:
    """Whether a repeated request may succeed after this HTTP error."""
    retry = headers.get("x-should-retry", "").lower()  # a header of OpenAI
    if retry in ("true", "false"):
        return retry == "true"
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
    try:
        date = email.utils.parsedate_tz(headers.get("retry-after", ""))
        return None if date is None else max(0.0, email.utils.mktime_tz(date) - time.time())
    except (ValueError, OverflowError):  # a year that there is not
        return None


def duration(seconds: float) -> str:
    """A pause in words, of which an endpoint may ask for any."""
    return f"{seconds:.0f} s" if seconds < _A_DAY_S else "more than a day"
