"""Which planner speaks: each voice turns its messages into a transcript, and a choice into a reply.

A voice for another planner is another module with `knows`, `hear` and `say`, added to VOICES.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ..transcript import Choice, Transcript
from . import react

#: A message with its text alone: {"role": …, "content": …}.
Messages = Sequence[Mapping[str, str]]


class Voice(Protocol):
    """What a module of this package offers."""

    def knows(self, messages: Messages, schema: Mapping[str, Any]) -> bool:
        """Whether these are the messages of its planner."""

    def hear(self, messages: Messages, schema: Mapping[str, Any]) -> Transcript:
        """The transcript of the messages."""

    def say(self, choice: Choice) -> str:
        """The reply's text."""


VOICES: tuple[Voice, ...] = (react,)


def voice_of(messages: Messages, schema: Mapping[str, Any]) -> Voice | None:
    """The voice of the planner that wrote these messages; None where none knows them."""
    return next((voice for voice in VOICES if voice.knows(messages, schema)), None)
