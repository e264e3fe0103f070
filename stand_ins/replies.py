"""The model `replies`: answers with the replies in a file, to test planners.

`--model replies:FILE`. The file is a JSON list of replies, or has one on each line:

    "Let me think."                                   a text
    {"thought": "I look there.", "action": "wait"}    an object, sent as JSON text
    {"when": "You hold nothing", "reply": "…"}        if the last user message, or
                                                      result of a tool, has this text

A question gets the reply of the first `when` that matches it, each time. Every other question gets
the next of the other replies, in the order of the questions over all episodes of the run. Asking
again after an unusable reply counts as a question. A resumed run starts at the first reply. For a
reproducible run on several workers, use only replies with `when`.

A reply with a field `when` or `reply` of its own is written as {"reply": {…}}.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..data_files import json_data, lines_of, read_text
from ..errors import BadInput
from ..models.served_model import ModelEndpoint, ServedModel, ServeOptions
from .server import ChatReply, ChatRequest, ErrorResponse, serving

_NAME = "replies"


@dataclass(frozen=True)
class ListedReply:
    """A reply of the file. when: text that the last user message must have; "" for any."""

    text: str
    when: str = ""


def read_replies(argument: str) -> list[ListedReply]:
    """Read the replies of a file. Raises BadInput with file and entry."""
    if not argument:
        raise BadInput("--model replies needs a file of replies; give --model replies:FILE.")
    path = Path(argument).expanduser()
    try:
        text = read_text(path)
    except OSError as error:
        raise BadInput(
            f"The file {path} cannot be read ({error.strerror}); give another."
        ) from error
    except UnicodeDecodeError:
        raise BadInput(f"The file {path} is not UTF-8 text; give a file of replies.") from None
    if text.lstrip().startswith("["):
        entries = [(f"entry {i}", entry) for i, entry in enumerate(_json(text, f"{path}"), start=1)]
    else:
        lines = [(f"line {i}", line) for i, line in enumerate(lines_of(text), 1) if line.strip()]
        entries = [(where, _json(line, f"{path}, {where}")) for where, line in lines]
    if not entries:
        raise BadInput(f"{path} has no replies; add at least one.")
    return [_reply(entry, f"{path}, {where}") for where, entry in entries]


def _json(text: str, where: str) -> Any:
    try:
        return json_data(text)
    except ValueError as error:
        raise BadInput(f"{where}: this is not JSON ({error}); correct it.") from None


def _reply(entry: Any, where: str) -> ListedReply:
    if isinstance(entry, dict) and entry.keys() & {"when", "reply"}:
        when, said = entry.get("when", ""), entry.get("reply")
        if entry.keys() - {"when", "reply"} or not isinstance(when, str) or said is None:
            raise BadInput(
                f"{where}: an object with 'when' or 'reply' must have a 'reply' and may have a "
                f"text as 'when'; write a reply with such fields of its own as "
                '{"reply": {…}}.'
            )
    else:
        when, said = "", entry
    if not isinstance(said, str | dict):
        raise BadInput(f"{where}: the reply {said!r} must be a text or an object; correct it.")
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return ListedReply(text, when)


class ListedReplies:
    """The replies of a file, and how many of them were used. Threads may ask at the same time."""

    def __init__(self, replies: Sequence[ListedReply], file: str) -> None:
        self._file = file
        self._matched = [reply for reply in replies if reply.when]
        self._in_order = [reply for reply in replies if not reply.when]
        self._given = 0
        self._lock = threading.Lock()

    def reply(self, request: ChatRequest) -> ChatReply:
        """The reply to a request. Raises ErrorResponse where none is left."""
        asked = [m["content"] for m in request.messages if m["role"] in ("user", "tool")]
        for listed in self._matched:
            if asked and listed.when in asked[-1]:
                return ChatReply(listed.text)
        with self._lock:
            if self._given == len(self._in_order):
                unmatched = "no 'when' matches the question, and " if self._matched else ""
                used = f"{unmatched}every reply that {self._file} lists in order is used up"
                raise ErrorResponse(400, f"{used}; list more, or play fewer tasks")
            self._given += 1
            return ChatReply(self._in_order[self._given - 1].text)


def check(argument: str) -> None:
    """Raise BadInput if the argument is not a file of replies."""
    read_replies(argument)


@contextmanager
def serve(options: ServeOptions) -> Iterator[ModelEndpoint]:
    """Answer requests from threads of this process until the context ends."""
    replies = ListedReplies(read_replies(options.argument), options.argument)
    with serving(_NAME, replies.reply) as url:
        yield ModelEndpoint(url, _NAME, advises=True)


MODEL = ServedModel(
    _NAME,
    "answers with the replies in a file, to test planners: --model replies:FILE",
    serve,
    check,
    stand_in=True,
)
