"""Transcripts in the dialect `reactree_plain`, translated into `reactree`.

"You open fridge 1. You see fridge 1, juice 2." comes to "You open fridge (1). You see fridge (1),
juice (2)."; actions are the same in both.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..transcript import Transcript, Turn

_FIRST = re.compile(
    r"^You are in the house, and there (?:is 1 room|are \d+ rooms): [^().:]* \d+[.,]"
)
_NUMBER = re.compile(r"(?<= )(\d+)(?=[ .,]|$)(?! rooms?:)")
_NOT_HELD = re.compile(r"^You do not hold the ")
_PUT = re.compile(r"^You put down (.+?) \d+ (in|on|under) (.+?) \d+\.")


def to_reactree(transcript: Transcript) -> Transcript:
    """The transcript in `reactree`; as it is, where it is not in `reactree_plain`."""
    if not _FIRST.match(transcript.first):
        return transcript
    return replace(
        transcript,
        first=_observation(transcript.first),
        turns=tuple(Turn(turn.action, _observation(turn.observation)) for turn in transcript.turns),
    )


def _observation(text: str) -> str:
    text = _NOT_HELD.sub("You do not grab the ", text)
    text = _PUT.sub(r"You put down \1 \2 \3", text)
    return _NUMBER.sub(r"(\1)", text)
