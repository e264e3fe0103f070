"""Transcripts in the dialect `compact`, translated into `reactree`.

"At fridge1, open: egg1. Not looked at: table1." comes to "You arrive at the fridge (1). The fridge
(1) is open. You see egg (1), fridge (1).", and so on. What is left to be looked at counts as what a
room shows at a glance, and says where to look next; the rest of the books is left out, for the
transcript has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ..transcript import Transcript, Turn

_FIRST = re.compile(r"^Rooms: ([^.]+)\. In ")
_NAME = re.compile(r"(?<!\w)([^\W\d_][^\d,.:(]*?)(\d+)(?!\w)")
_MORE = re.compile(r" \+\d+$")
_PUT = re.compile(r"put down (\S.* \d+?)(?: (?:in|on|under) .*)?")
#: The names behind a count: "two mug (mug1, mug3)".
_IN_BRACKETS = re.compile(r"\(([^)]*)\)")
_FURNITURE = ("Here", "Not looked at")
#: Behind it `react` tells the task again.
_TASK = " Task: "
_STATES = ("closed", "open", "on")
_LEFT = re.compile(r"(?:Not looked at|Rooms left): ([^.]+)\.|All looked at\.")


def to_reactree(transcript: Transcript) -> Transcript:
    """The transcript in `reactree`; as it is, where it is not in `compact`."""
    rooms = _FIRST.match(transcript.first)
    if rooms is None:
        return transcript
    known = _listed(rooms[1])
    count = "is 1 room" if len(known) == 1 else f"are {len(known)} rooms"
    told = _observation("", transcript.first.partition(". ")[2])
    seen = [Turn(t.action, t.observation.partition(_TASK)[0]) for t in transcript.turns]
    turns = tuple(Turn(spaced(t.action), _after(t)) for t in seen)
    texts = [transcript.first, *(turn.observation for turn in seen)]
    options = transcript.options
    return replace(
        transcript,
        first=f"You are in the house, and there {count}: {_bracketed(known)}. {told}",
        turns=turns,
        options=None if options is None else tuple(map(spaced, options)),
        wording=dict(_names([*texts, *(options or ()), _joined(transcript.instruction)])),
        not_looked_at=_not_looked_at(texts),
        thinks_of_rest=True,
    )


def spaced(text: str) -> str:
    """ "go to kitchen table 1" of "go to kitchen table1"."""
    return _NAME.sub(r"\1 \2", text)


def _joined(instruction: str) -> str:
    """ "Put plate1 in fridge1." of "Put plate 1 in fridge 1."."""
    return re.sub(r"(?<=\w) (?=\d)", "", instruction)


def _not_looked_at(texts: Sequence[str]) -> tuple[str, ...]:
    """What the last list of places or rooms to be looked at has; nothing, where all was."""
    for text in reversed(texts):
        told = _LEFT.search(text)
        if told is not None:
            return tuple(_listed(told[1] or ""))
    return ()


def _names(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each name in `reactree` with its original wording."""
    for text in texts:
        for words, number in _NAME.findall(text):
            for name in _endings(words):
                yield f"{name} {number}", f"{name}{number}"


def _endings(words: str) -> Iterator[str]:
    """The words, and what remains of them without the first ones: "go to fridge", "fridge"."""
    parts = words.split(" ")
    for first in range(len(parts)):
        yield " ".join(parts[first:])


def _after(turn: Turn) -> str:
    return _observation(spaced(turn.action), turn.observation)


def _observation(action: str, text: str) -> str:
    """An observation after an action; "" for the first one."""
    sentences = text.rstrip(".").split(". ")
    fields = dict(each.split(": ", 1) for each in sentences if ": " in each)
    held = _listed(fields.get("Held", ""))
    head = sentences[0]
    if head.startswith("In "):
        parts = [_room(action, head.removeprefix("In "), fields)]
    elif head.startswith("At "):
        parts = [_place(action, head.removeprefix("At "), held)]
    elif head == "Done":
        parts = [_done(action, fields.get("Put", ""))]
        if "Sliced" in fields:
            parts.append(f"{_bracketed(_listed(fields['Sliced']))} are sliced.")
    else:
        parts = [f"{_NAME.sub(_in_brackets, head)}."]
    parts += [
        f"{_NAME.sub(_in_brackets, each)}." for each in sentences if each.startswith("You are ")
    ]
    if held:
        parts.append(f"You hold {_bracketed(held)}.")
    if "Worn" in fields:
        parts.append(f"You wear {_bracketed(_listed(fields['Worn']))}.")
    return " ".join(dict.fromkeys(parts))


def _room(action: str, name: str, fields: dict[str, str]) -> str:
    furniture = [each for part in _FURNITURE for each in _listed(fields.get(part, ""))]
    seen = f"Looking quickly around the room, you see {_bracketed(furniture)}."
    room = _bracketed(_listed(name))
    if not action:
        return f"You are in the middle of a {room}. {seen}"
    return seen if action == "look around" else f"You move to the {room}. {seen}"


def _place(action: str, told: str, held: list[str]) -> str:
    head, _, things = told.partition(": ")
    name, *states = head.split(", ")
    place = _bracketed(_listed(name))
    seen = f"You see {_bracketed(sorted({*_listed(name), *_listed(things), *held}))}."
    if action.startswith("open "):
        return f"You {_category(action)}. {seen}"
    known = [state for state in states if state in _STATES]
    if "on" not in known:  # it would have been told
        known.append("off")
    how = "look at" if action.startswith("look at ") else "arrive at"
    are = "".join(f" The {place} is {state}." for state in known)
    return f"You {how} the {place}.{are} {seen}"


def _done(action: str, put: str) -> str:
    thing = _PUT.fullmatch(action)
    if thing is None:
        return f"You {_category(action.split(' into ')[0])}."
    for each in put.split("; "):
        names, how, place = re.split(r" (in|on|under) ", f"{each} in ")[:3]
        if place and any(thing[1] in _listed(some) for some in _IN_BRACKETS.findall(names)):
            return f"You put down {_category(thing[1])} {how} {_category(spaced(place))}"
    return f"You put down {_category(thing[1])}."


def _category(name: str) -> str:
    return re.sub(r" \d+$", "", name)


def _listed(text: str) -> list[str]:
    """The names of a list, "fridge 1" of "fridge1"."""
    names = _MORE.sub("", text).split(", ")
    return [spaced(name) for name in names if name and name != "nothing"]


def _bracketed(names: Iterable[str]) -> str:
    return ", ".join(re.sub(r" (\d+)$", r" (\1)", name) for name in names) or "nothing"


def _in_brackets(name: re.Match[str]) -> str:
    return f"{name[1]} ({name[2]})"
