"""Training data: conversations, and which of their replies the model learns.

A file has one of two formats:

- One conversation per line, {"messages": [...]}, as `peephole export --to chat` writes them and
  fine-tuning services read them. A reply with "weight" 0 is context only.
- A JSON list of {"instruction", "input", "output"}, as `peephole export --to instructions` writes.

In a file with replies of a teacher (`react` with the option `taught`) only these are learnt. A
conversation that is the beginning of another one is joined to it. So an episode of a planner that
only adds messages is read once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..data_files import json_data, lines_of, read_text
from ..errors import BadInput
from ..planners.react.planner import TEACHER
from ..suites.contract import path_name

#: A role and a text.
Message = tuple[str, str]
_ROLES = ("system", "user", "assistant")
_FORM = (
    'expected conversations of `peephole export --to chat`, an object {"messages": [...]} a line, '
    "or the list of `peephole export --to instructions`"
)


@dataclass(frozen=True)
class ChatExample:
    """A conversation to learn from."""

    messages: tuple[Message, ...]
    learnt: frozenset[int]
    """The numbers of the messages that are learnt."""
    source: str
    """Where it is from, such as a task. Examples of a source are all held out or all trained on."""
    dialect: str
    """The dialect of its observations, "" where the data has none."""

    @property
    def learns_first(self) -> bool:
        """Whether the first reply is learnt, and not only context."""
        first = next(n for n, (role, _) in enumerate(self.messages) if role == "assistant")
        return first in self.learnt


def read(paths: Sequence[Path]) -> list[ChatExample]:
    """The conversations of some files. Raises BadInput with file and line."""
    examples = [example for path in paths for example in _read(path)]
    dialects = sorted({example.dialect for example in examples} - {""})
    if len(dialects) > 1:
        raise BadInput(
            f"The data has observations of several dialects ({', '.join(dialects)}), but a model "
            f"learns only one; give files of one dialect."
        )
    joined = _joined(examples)
    if not any(example.learnt for example in joined):
        raise BadInput(f"{paths[0]} has no reply to learn; {_FORM}.")
    return joined


def is_held_out(example: ChatExample, one_in: int) -> bool:
    """Whether an example is held out for evaluation; depends only on its source."""
    drawn = hashlib.blake2b(example.source.encode(), digest_size=8).digest()
    return int.from_bytes(drawn, "big") % one_in == 0


def _read(path: Path) -> Iterator[ChatExample]:
    try:
        text = read_text(path)
    except OSError as error:
        raise BadInput(f"The data {path} cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise BadInput(f"The data {path} is not text; {_FORM}.") from None
    if text.lstrip().startswith("["):
        yield from _instructions(path, text)
        return
    lines = {
        where: _object(line, where)
        for number, line in enumerate(lines_of(text), start=1)
        if line.strip()
        for where in (f"{path}, line {number}",)
    }
    is_taught = any(line.get("role") == TEACHER for line in lines.values())
    for where, line in lines.items():
        example = _example(line, where)
        if is_taught and line.get("role") != TEACHER:
            example = replace(example, learnt=frozenset())
        yield example


def _object(line: str, where: str) -> Mapping[str, Any]:
    try:
        found = json_data(line)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("messages"), list):
        raise BadInput(f"{where}: {_FORM}.")
    return found


def _example(line: Mapping[str, Any], where: str) -> ChatExample:
    messages, learnt = [], set()
    for number, message in enumerate(line["messages"]):
        role = message.get("role") if isinstance(message, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        if role not in _ROLES or not isinstance(content, str):
            raise BadInput(
                f"{where}: message {number + 1} is not a text of a role ({', '.join(_ROLES)}); "
                f"take it out, since images cannot be learnt."
            )
        messages.append((role, content))
        if role == "assistant" and message.get("weight", 1):
            learnt.add(number)
    if len({role for role, _ in messages}) < 2 or messages[0][0] == "assistant":
        raise BadInput(f"{where}: {_FORM}.")
    suite, task = line.get("suite"), line.get("task")
    # This text decides what is held out. Names of variants are written as before there were any.
    source = (
        f"{path_name(str(suite))}/{task}"
        if suite and task
        else "".join(content for _, content in messages[:2])
    )
    return ChatExample(tuple(messages), frozenset(learnt), source, str(line.get("dialect") or ""))


def _instructions(path: Path, text: str) -> Iterator[ChatExample]:
    try:
        records = json_data(text)
    except ValueError:
        raise BadInput(f"The data {path} is not valid JSON; {_FORM}.") from None
    for number, record in enumerate(records, start=1):
        fields = record if isinstance(record, dict) else {}
        parts = [fields.get(name) for name in ("instruction", "input", "output")]
        if not all(isinstance(part, str) for part in parts):
            raise BadInput(f"{path}, record {number}: {_FORM}.")
        question = "\n".join(part for part in parts[:2] if part)
        messages = (("user", question), ("assistant", str(parts[2])))
        yield ChatExample(messages, frozenset({1}), str(parts[0]), "")


def _joined(examples: Iterable[ChatExample]) -> list[ChatExample]:
    """The examples. One that is the beginning of another is joined to it."""
    found: list[ChatExample] = []
    in_order = sorted(examples, key=lambda each: (each.messages, sorted(each.learnt)))
    for example in reversed(in_order):  # of two that begin alike the longer comes first
        last = found[-1] if found else None
        length = len(example.messages)
        if last is not None and last.messages[:length] == example.messages:
            found[-1] = ChatExample(
                last.messages, last.learnt | example.learnt, last.source, last.dialect
            )
        else:
            found.append(example)
    return found[::-1]
