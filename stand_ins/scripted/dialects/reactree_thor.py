"""Transcripts in the dialect `reactree_thor`, translated into `reactree`.

"You arrive at SinkBasin (1). You see Apple (2), SinkBasin (1). I am holding Cup (1) now." comes to
"You arrive at the sink basin (1). You see apple (2), sink basin (1). You hold cup (1).", and so on;
the transcript keeps how each name was worded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ..transcript import Transcript, Turn

_NAME = re.compile(r"([A-Z][A-Za-z0-9]*) \((\d+(?:, \d+)*)\)")
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ONE = r"[A-Z][A-Za-z0-9]* \(\d+\)"

_FIRST = re.compile(r"^You are in the house, and you arrive at the ([a-z ]+), ")
_ROOM = re.compile(r"^You arrive at the ([a-z ]+), (.*?you see )(.*?)\. You see (.*?)\.")
_ARRIVED = re.compile(rf"^You (?:already )?(arrive|look) at ({_ONE})\.(.*)$")
_GO_TO = re.compile(rf"go to ({_ONE})")
_SEES_NOTHING = "There are no visible objects."
_PUT = re.compile(r"^You put ([A-Z]\w*) \(\d+\) on ([A-Z]\w*) \(\d+\)\.(.*)$")
_PREPOSITION = re.compile(rf"put down {_ONE} (in|on|under) {_ONE}")
_EMPTY = re.compile(rf"The ({_ONE}) is empty\.")
_DOOR = re.compile(rf"(?<!The) ({_ONE}) is (open|closed)\.")
_ON = re.compile(rf"(?<!The) ({_ONE}) is already turned on\.")
_HOLDS = re.compile(r"I am holding (.*?) now\.")
#: Failures, and how `reactree` has them.
_FAILURES = (
    (re.compile(r"^You are currently holding .*?\."), "You do not have an empty hand."),
    (re.compile(r"^You are not holding any object\."), "You do not grab the thing."),
    (re.compile(rf"^The ({_ONE}) cannot be pick up\."), r"The \1 cannot be grabbed."),
    (re.compile(rf"^The ({_ONE}) cannot be turn (?:on|off)\."), r"The \1 does not have a switch."),
    (re.compile(rf"^The ({_ONE}) already turn (on|off)\."), r"The \1 is already turned \2."),
)


def to_reactree(transcript: Transcript) -> Transcript:
    """The transcript in `reactree`; as it is, where it is not in `reactree_thor`."""
    if not _FIRST.match(transcript.first):
        return transcript
    observations = (turn.observation for turn in transcript.turns)
    texts = [transcript.first, *observations, *(transcript.options or ())]
    return replace(
        transcript,
        first=_first(transcript.first),
        turns=tuple(
            Turn(in_reactree(t.action), _observation(t.action, t.observation))
            for t in transcript.turns
        ),
        options=None if transcript.options is None else tuple(map(in_reactree, transcript.options)),
        wording=dict(_names(texts)),
        hands=1,
    )


def _names(texts: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Each name in `reactree` with its original wording."""
    for text in texts:
        for match in _NAME.finditer(text):
            for number in match[2].split(", "):
                yield f"{in_words(match[1])} {number}", f"{match[1]} ({number})"


def in_words(object_type: str) -> str:
    """ "sink basin" of "SinkBasin"."""
    return _WORDS.sub(" ", object_type).lower()


def in_reactree(action: str) -> str:
    """ "go to sink basin 1" of "go to SinkBasin (1)"."""
    return _NAME.sub(lambda name: f"{in_words(name[1])} {name[2]}", action)


def _first(text: str) -> str:
    room = r"You are in the house, and there is 1 room: \1 (1). You are in the middle of a \1 (1). "
    return _lower(_HOLDS.sub(r"You hold \1.", _FIRST.sub(room, text)))


def _observation(action: str, text: str) -> str:
    for pattern, failure in _FAILURES:
        text = pattern.sub(failure, text)
    text = text.replace(_SEES_NOTHING, "You see nothing.")
    went = _GO_TO.fullmatch(action)
    if went is not None and text.startswith("You see "):  # what is no receptacle
        text = f"You arrive at {went[1]}. {text}"
    text = _ROOM.sub(r"You move to the \1 (1). \2\3, \4.", text)
    text = _HOLDS.sub(r"You hold \1.", text)
    text = _EMPTY.sub(r"You see \1.", text)
    text = _ARRIVED.sub(r"You \1 at the \2.\3", text)
    text = _DOOR.sub(r" The \1 is \2.", text)
    text = _ON.sub(r" The \1 is on.", text)
    put = _PUT.match(text)
    if put is not None:
        said = _PREPOSITION.fullmatch(action)  # the observation has "on" for every put
        how = f" {said[1]} {in_words(put[2])}" if said is not None else "."
        text = f"You put down {in_words(put[1])}{how}{put[3]}"
    return _lower(text)


def _lower(text: str) -> str:
    return _NAME.sub(lambda name: f"{in_words(name[1])} ({name[2]})", text)
