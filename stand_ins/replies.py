"""The model `replies`: it answers with the replies that a file lists, for tests of planners.

`--model replies:FILE`; the file is a JSON list of replies, or has one on each line:

    "Let me think."                                   a text
    {"thought": "I look there.", "action": "wait"}    an object, sent as JSON text
    {"when": "You hold nothing", "reply": "…"}        wherever the last message of the user says so

A question gets the reply of the first `when` that matches it, as often as it does; every other
question gets the next one of the other replies. These are taken in the order in which questions
arrive, over all episodes of the run; asking again after a reply that could not be used is a
question too, and a resumed run begins with the first one. A run on several workers that is to come
out the same each time lists replies with `when` alone.

A reply that has a field `when` or `reply` of its own is listed as {"reply": {…}}.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import BadInput
from ..models.served_model import ModelEndpoint, ServedModel, ServeOptions
from .server import ChatReply, ChatRequest, ErrorResponse, serving

_NAME = "replies"


@dataclass(frozen=True)
class ListedReply:
    """A reply of the file. when: what the last message of the user has to say; "" for anything."""

    text: str
    when: str = ""


def read_replies(argument: str) -> list[ListedReply]:
    """The replies that a file lists. Raises BadInput naming the file and the entry."""
    if not argument:
        raise BadInput("--model replies needs the file that lists them: --model replies:FILE.")
    path = Path(argument).expanduser()
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"The file of replies {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise BadInput(f"The file of replies {path} is no text in UTF-8.") from None
    if text.lstrip().startswith("["):
        entries = [(f"entry {i}", entry) for i, entry in enumerate(_json(text, f"{path}"), start=1)]
    else:
        lines = [(f"line {i}", line) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
        entries = [(where, _json(line, f"{path}, {where}")) for where, line in lines]
    if not entries:
        raise BadInput(f"{path} lists no reply; it needs at least one.")
    return [_reply(entry, f"{path}, {where}") for where, entry in entries]


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where}: this is not JSON ({error}); correct it.") from None


def _reply(entry: Any, where: str) -> ListedReply:
    if isinstance(entry, dict) and entry.keys() & {"when", "reply"}:
        when, said = entry.get("when", ""), entry.get("reply")
        if entry.keys() - {"when", "reply"} or not isinstance(when, str) or said is None:
            raise BadInput(
                f"{where}: an object with 'when' or 'reply' has a 'reply', a text as 'when' or "
                f'none, and no more; a reply with such fields of its own is {{"reply": {{…}}}}.'
            )
    else:
        when, said = "", entry
    if not isinstance(said, str | dict):
        raise BadInput(f"{where}: the reply {said!r} is neither a text nor an object.")
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return ListedReply(text, when)


class ListedReplies:
    """What is left of the replies of a file. Threads may ask at once."""

    def __init__(self, replies: Sequence[ListedReply], file: str) -> None:
        self._file = file
        self._matched = [reply for reply in replies if reply.when]
        self._in_order = [reply for reply in replies if not reply.when]
        self._given = 0
        self._lock = threading.Lock()

    def reply(self, request: ChatRequest) -> ChatReply:
        """The reply to a request. Raises ErrorResponse where none is left."""
        asked = [message["content"] for message in request.messages if message["role"] == "user"]
        for listed in self._matched:
            if asked and listed.when in asked[-1]:
                return ChatReply(listed.text)
        with self._lock:
            if self._given == len(self._in_order):
                raise ErrorResponse(400, self._used_up())
            self._given += 1
            return ChatReply(self._in_order[self._given - 1].text)

    def _used_up(self) -> str:
        unmatched = "no 'when' matches the question, and " if self._matched else ""
        used = f"{unmatched}every reply that {self._file} lists in order is used up"
        return f"{used}; list more, or play fewer tasks"


def check(argument: str) -> None:
    """Raise BadInput where the argument is no file of replies."""
    read_replies(argument)


@contextmanager
def serve(options: ServeOptions) -> Iterator[ModelEndpoint]:
    """Answer, from threads of this process, for as long as the context lasts."""
    replies = ListedReplies(read_replies(options.argument), options.argument)
    with serving(_NAME, replies.reply) as url:
        yield ModelEndpoint(url, _NAME, advises=True)


MODEL = ServedModel(
    _NAME,
    "answers with what a file of yours lists, to test planners with: --model replies:FILE",
    serve,
    check,
    stand_in=True,
)
