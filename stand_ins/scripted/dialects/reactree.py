"""The sentences of observations and actions as the dialect `reactree` words them, parsed.

Names are texts such as "kitchen table 1".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

_ITEM = r"[^():.,]+ \(\d+(?:, \d+)*\)"
_LIST = rf"(nothing|{_ITEM}(?:, {_ITEM})*)"
_ONE = r"([^():.,]+) \((\d+)\)"

_ROOMS = re.compile(rf"there (?:is 1 room|are \d+ rooms): {_LIST}")
_START = re.compile(rf"You are in the middle of an? {_ONE}")
_MOVED = re.compile(rf"^You move to the {_ONE}")
_ARRIVED = re.compile(rf"^You arrive at the {_ONE}")
_LOOKED = re.compile(rf"^You look at the {_ONE}")
_AROUND = re.compile(rf"Looking quickly around the room, you see {_LIST}")
_SEE = re.compile(rf"You see {_LIST}")
_CLOSE = re.compile(rf"You are close to {_LIST}")
_HOLD = re.compile(rf"You hold {_LIST}")
_WEAR = re.compile(rf"You wear {_LIST}")
_PUT_AT = re.compile(r"^You put down .+? (in|on|under) (.+?)(?: You (?:hold|wear) .*)?$")
_STATE = re.compile(rf"The {_ONE} is (open|closed|on|off)\.")
_SLICED = re.compile(rf"{_LIST} (?:is|are) sliced\.")
_RESTING = re.compile(r"You are (?:sitting|lying)\b")

#: How texts on failures begin, by a name for the reason. The groups are categories.
_FAILURES = {
    "unknown": r"You have (?:not seen any|seen no) such thing",
    "not here": r"The (.+) is not here\.",
    "enclosed": r"The (.+) is inside closed (.+?)\.",
    "not close": r"The (.+) is not close to you\.",
    "hands full": r"You do not have an empty hand\.",
    "held": r"You already hold the (.+?)\.",
    "not held": r"You do not grab the (.+?)\.",
    "not graspable": r"The (.+) cannot be grabbed\.",
    "not openable": r"The (.+) cannot be (?:opened|closed)\.",
    "already": r"The (.+) is already (open|closed|turned on|turned off|plugged in|unplugged)\.",
    "still on": r"The (.+) is still turned on\.",
    "not switchable": r"The (.+) does not have a (?:switch|plug)\.",
    "unplugged": r"The (.+) is not plugged in\.",
    "no place": r"The (.+) cannot be put down (?:in|on|under) (.+?)\.",
    "closed": r"The (.+) is closed\.",
    "still open": r"The (.+) is still open\.",
    "full": r"The (.+) is full\.|There is no free spot (?:in|on|under) (.+?)\.",
    "seated": r"You are not standing\.",
    "unreachable": r"The (.+) cannot be reached\.",
    "not seen": r"You do not see the (.+?) from here\.",
}
_PATTERNS = {name: re.compile(f"^{pattern}") for name, pattern in _FAILURES.items()}
#: Beginnings of actions whose success is not told in their own words, and of what is told then.
_SUCCESS_TEXTS = (
    ("go to ", ("You move to ", "You arrive at ")),
    ("look at ", ("You look at ",)),
    ("look around", ("Looking quickly ",)),
)
#: Categories that have another word in the text.
_CATEGORIES = {"microwave oven": "microwave"}
_NUMBERED = re.compile(r"^(.+?) \d+$")
_PUT = re.compile(r"^(put down|pour) (.+? \d+) (in|on|under|into) (.+? \d+)$")
_PUT_SHORT = re.compile(r"^put down (.+? \d+)$")


@dataclass(frozen=True)
class ParsedObservation:
    """What one observation says. None: it says nothing of the kind.

    failure: why the action failed, a name of this module; "" when it did not fail, "other" where
    the reason is not understood. rooms: of the house. room: where one is now, when one has just
    come there; furniture: what it shows at a glance. arrived_at, looked_at: a thing. listed: what
    was seen on arriving, opening or looking. states: what is open, closed, on or off. already: the
    state that stood in the way. put_at: preposition and category of what something was put at.
    """

    failure: str = ""
    rooms: list[str] | None = None
    room: str | None = None
    furniture: list[str] | None = None
    arrived_at: str | None = None
    looked_at: str | None = None
    listed: list[str] | None = None
    within_reach: list[str] | None = None
    held: list[str] | None = None
    worn: list[str] | None = None
    states: tuple[tuple[str, str], ...] = ()
    already: str = ""
    put_at: tuple[str, str] | None = None
    resting: bool = False
    sliced: list[str] = field(default_factory=list)


def parse_first(text: str) -> ParsedObservation:
    """The first observation of an episode."""
    return _parse(text, "")


@lru_cache(maxsize=8192)  # every request tells the whole episode again
def parse_observation(text: str, action: str) -> ParsedObservation:
    """The observation after an action."""
    for reason, pattern in _PATTERNS.items():
        match = pattern.match(text)
        if match is not None:
            already = match.group(2) if reason == "already" else ""
            return _parse(text, reason, already, with_states=False)
    return _parse(text, "" if _succeeded(text, action) else "other")


def category(name: str) -> str:
    """The category of a name: "apple" of "apple 3"."""
    match = _NUMBERED.match(name)
    kind = match.group(1) if match else name
    return _CATEGORIES.get(kind, kind)


def parse_put(action: str) -> tuple[str, str | None, str | None] | None:
    """Thing, preposition and place of an action that puts something down.

    The place is None where the action names none: it is the one that was walked to last. None for
    any other action.
    """
    match = _PUT.match(action)
    if match is not None:
        return (match[2], match[3], match[4]) if match[1] == "put down" else None
    match = _PUT_SHORT.match(action)
    return None if match is None else (match[1], None, None)


def _succeeded(text: str, action: str) -> bool:
    for beginning, success_texts in _SUCCESS_TEXTS:
        if action.startswith(beginning):
            return text.startswith(success_texts)
    put = parse_put(action)
    if put is not None:
        return text.startswith(f"You put down {category(put[0])}")
    return text.startswith(f"You {category(action.split(' into ')[0])}")


def _parse(
    text: str,
    failure: str,
    already: str = "",
    *,
    with_states: bool = True,
) -> ParsedObservation:
    understood = failure != "other"
    put_at = _PUT_AT.match(text)
    states = _STATE.finditer(text) if with_states else ()
    return ParsedObservation(
        failure=failure,
        rooms=_names(_ROOMS.search(text)),
        room=_name(_START.search(text) or _MOVED.search(text)),
        furniture=_names(_AROUND.search(text)),
        arrived_at=_name(_ARRIVED.search(text)),
        looked_at=_name(_LOOKED.search(text)),
        listed=_names(_SEE.search(text)),
        within_reach=_names(_CLOSE.search(text)),
        held=_names(_HOLD.search(text)) or ([] if understood else None),
        worn=_names(_WEAR.search(text)) or ([] if understood else None),
        states=tuple((f"{match[1]} {match[2]}", match[3]) for match in states),
        already=already,
        put_at=None if put_at is None else (put_at[1], category(put_at[2])),
        resting=_RESTING.search(text) is not None,
        sliced=_names(_SLICED.search(text)) or [],
    )


def _name(match: re.Match[str] | None) -> str | None:
    return None if match is None else f"{match[1]} {match[2]}"


def _names(match: re.Match[str] | None) -> list[str] | None:
    if match is None:
        return None
    if match[1] == "nothing":
        return []
    return [
        f"{group[1].strip()} {number}"
        for group in re.finditer(r"([^(),]+) \(([\d, ]+)\)", match[1])
        for number in group[2].split(", ")
    ]
