"""Conversations of planners with models: which turns are kept, and when they are dropped.

A planner whose prompt is a growing list of turns has a `Conversation`. A planner that puts its
history into a single message, by a template, keeps a list and asks with `ask_within_context`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import wraps
from typing import Any, NamedTuple, TypeVar

from pydantic import BeforeValidator

from ....models.contract import ContextFull, Message, NoAnswer
from ...contract import Brief, Decisions, GiveUp, Note, Percept

_Answer = TypeVar("_Answer")

#: The content of a message: a text, or parts such as those of `images.image_part`.
Content = str | Sequence[Any]


class Exchange(NamedTuple):
    """A reply of the model, and the next message to it."""

    assistant: str
    user: Content


class Conversation:
    """A system prompt and a task, which are always kept, then turns.

    Messages are only appended, so that a server can reuse its cache. When they exceed the model's
    context, the older half of the turns is dropped at once.
    """

    def __init__(self, system: str, task: Content) -> None:
        """task: the first message of the user, with the first observation."""
        self.turns: list[Exchange] = []
        self._pinned = prompt(system, task)

    def add(self, assistant: str, user: Content) -> None:
        """Add a turn: the model's reply, and the next message."""
        self.turns.append(Exchange(assistant, user))

    def ask(
        self, question: Callable[[list[Message]], _Answer], tail: str = ""
    ) -> Generator[Note, Percept, _Answer]:
        """The result of a question on the messages, such as `lambda m: model.answer(m, Shape)`.

        tail: a last line of the newest message that is not kept, such as the current menu. Yields a
        note where turns are dropped. Raises NoAnswer, and ContextFull where no turn is left to
        drop.
        """
        return ask_within_context(self.turns, lambda: question(self.messages(tail)))

    def messages(self, tail: str = "") -> list[Message]:
        """The messages for the model; tail as in `ask`."""
        messages = self._turn_messages()
        if tail:
            messages[-1] = {**messages[-1], "content": _with_tail(messages[-1]["content"], tail)}
        return messages

    def _turn_messages(self) -> list[Message]:
        messages = list(self._pinned)
        for turn in self.turns:
            messages.append({"role": "assistant", "content": turn.assistant})
            messages.append({"role": "user", "content": turn.user})
        return messages


class ActionLog(Conversation):
    """A conversation with all its turns in one message: "> " and the action, then the observation.

    A model that reads its earlier replies tends to copy them; here it reads only actions.
    """

    def _turn_messages(self) -> list[Message]:
        system, task = self._pinned
        lines = [line for turn in self.turns for line in (f"> {turn.assistant}", turn.user)]
        content = task["content"]
        for line in lines:
            content = _with_tail(content, line)
        return [system, {**task, "content": content}]


def cut_to(length: int) -> BeforeValidator:
    """A validator of answers that cuts a longer text instead of refusing it."""
    return BeforeValidator(lambda text: text[:length] if isinstance(text, str) else text)


def prompt(system: str, user: Content) -> list[Message]:
    """The messages of a single question."""
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def ask_within_context(
    history: list[Any], question: Callable[[], _Answer], what: str = "turns"
) -> Generator[Note, Percept, _Answer]:
    """The result of a question, which makes its messages from the history at each call.

    If they exceed the model's context, the older half of the history is dropped, with a note. what:
    the word for its entries in the note. Raises ContextFull where nothing is left to drop.
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


def giving_up(plan: Callable[[Brief, Percept], Decisions]) -> Callable[[Brief, Percept], Decisions]:
    """A plan that gives up where a model has no usable answer (`NoAnswer`)."""

    @wraps(plan)
    def guarded(brief: Brief, percept: Percept) -> Decisions:
        try:
            yield from plan(brief, percept)
        except NoAnswer as error:
            yield GiveUp(str(error))

    return guarded


def _with_tail(content: Content, tail: Content) -> Content:
    if isinstance(content, str) and isinstance(tail, str):
        return f"{content}\n{tail}"
    return [*_parts(content), *_parts(tail)]


def _parts(content: Content) -> Sequence[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
