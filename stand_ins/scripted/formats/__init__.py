"""Which planner speaks: each voice turns its messages into a transcript, and a choice into a reply.

A voice for another planner is another module with `knows`, `hear` and `say`, added to VOICES. One
whose planner asks for something else than the next action in a house decides for itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ..transcript import Choice, Transcript
from . import llm_pop, react

#: A message with its text alone: {"role": …, "content": …}.
Messages = Sequence[Mapping[str, str]]


class Voice(Protocol):
    """What a module of this package offers."""

    def knows(self, messages: Messages, schema: Mapping[str, Any]) -> bool:
        """Whether these are the messages of its planner."""

    def hear(self, messages: Messages, schema: Mapping[str, Any]) -> Transcript | Choice:
        """The transcript of the messages, or what is decided on them already."""

    def say(self, choice: Choice) -> str:
        """The reply's text."""


VOICES: tuple[Voice, ...] = (react, llm_pop)


def voice_of(messages: Messages, schema: Mapping[str, Any]) -> Voice | None:
    """The voice of the planner that wrote these messages; None where none knows them."""
    return next((voice for voice in VOICES if voice.knows(messages, schema)), None)
