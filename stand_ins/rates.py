"""Error rates of a stand-in, as given after its name: "missed=0.1,invented=0.05"."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import BadInput, unknown_name


def read_rates(text: str, known: Sequence[str], what: str, kind: str) -> dict[str, float]:
    """Read rates by name. Raises BadInput.

    what, kind: words for error messages, "The rate of the fault" and "fault".
    """
    rates: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition("=")
        if name not in known:
            raise unknown_name(kind, name, known)
        try:
            rate = float(value)
        except ValueError:
            rate = -1.0
        if not 0.0 <= rate <= 1.0:
            raise BadInput(f"{what} {name} is '{value}'; give a number from 0 to 1.")
        rates[name] = rate
    return rates
