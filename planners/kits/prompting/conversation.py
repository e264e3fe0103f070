"""Conversations of planners with models: what is kept, what is left out, and when.

A planner whose prompt is a growing list of turns has a `Conversation`. One that tells its history
in a single message, by a template, keeps the history as a list and asks with `ask_within_context`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple, TypeVar

from ....models.contract import ContextFull, Message
from ...contract import Note, Percept

_Answer = TypeVar("_Answer")

#: What a message says: a text, or parts such as `images.image_part` gives.
Content = str | Sequence[Any]


class Exchange(NamedTuple):
    """What the model said, and what it was told then."""

    assistant: str
    user: Content


class Conversation:
    """A system prompt and a task, which are never left out, then turns.

    Messages are only ever added, so that a server keeps what it has read, until the model cannot
    read them all: then the older half of the turns is left out at once.
    """

    def __init__(self, system: str, task: Content) -> None:
        """task: the first message of the user, with the first observation."""
        self.turns: list[Exchange] = []
        self._pinned = prompt(system, task)

    def add(self, assistant: str, user: Content) -> None:
        """Add a turn: what the model said, and what it is told now."""
        self.turns.append(Exchange(assistant, user))

    def ask(
        self, question: Callable[[list[Message]], _Answer], tail: str = ""
    ) -> Generator[Note, Percept, _Answer]:
        """What the question gives for the messages, such as `lambda m: model.answer(m, Shape)`.

        tail: a last line of the newest message which is not kept, such as the menu of the moment.
        Yields a note where turns are left out. Raises NoAnswer, and ContextFull where no turn is
        left to leave out.
        """
        return ask_within_context(self.turns, lambda: question(self.messages(tail)))

    def messages(self, tail: str = "") -> list[Message]:
        """The messages as a model is sent them; tail as in `ask`."""
        found = self._told()
        if tail:
            found[-1] = {**found[-1], "content": _with_tail(found[-1]["content"], tail)}
        return found

    def _told(self) -> list[Message]:
        found = list(self._pinned)
        for turn in self.turns:
            found.append({"role": "assistant", "content": turn.assistant})
            found.append({"role": "user", "content": turn.user})
        return found


class ActionLog(Conversation):
    """A conversation that tells its turns in one message: "> " and what was done, then what came.

    A model that reads its earlier replies tends to copy them; here it reads only what was done.
    """

    def _told(self) -> list[Message]:
        system, task = self._pinned
        lines = [line for turn in self.turns for line in (f"> {turn.assistant}", turn.user)]
        content = task["content"]
        for line in lines:
            content = _with_tail(content, line)
        return [system, {**task, "content": content}]


def prompt(system: str, user: Content) -> list[Message]:
    """The messages of a question that stands alone."""
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def ask_within_context(
    history: list[Any], question: Callable[[], _Answer], what: str = "turns"
) -> Generator[Note, Percept, _Answer]:
    """What the question gives, which makes its messages from the history each time it is called.

    Where they are longer than the model can read, the older half of the history is dropped, with a
    note that says of how many of `what`. Raises ContextFull where nothing is left to drop.
    """
    while True:
        try:
            return question()
        except ContextFull:
            dropped = (len(history) + 1) // 2
            if not dropped:
                raise
            del history[:dropped]
        yield Note("memory", f"the oldest {dropped} {what} are left out of the prompt")


def _with_tail(content: Content, tail: Content) -> Content:
    if isinstance(content, str) and isinstance(tail, str):
        return f"{content}\n{tail}"
    return [*_parts(content), *_parts(tail)]


def _parts(content: Content) -> Sequence[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
