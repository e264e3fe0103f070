"""Prompts that a language model answers with one JSON object, to generate tasks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from ..data_files import json_data
from ..errors import BadInput
from ..models.contract import LONG_ANSWER, About, Model, NoAnswer, Request, Unusable
from ..scene_graph.fields import Field

_FENCED = re.compile(r"```(?:json)?(.*?)```", re.DOTALL)
#: The name of an answer in error messages.
WHERE = "your answer"
_Read = TypeVar("_Read")


def ask(
    model: Model,
    system: str,
    user: str,
    read: Callable[[Field], _Read],
    sample: int = 0,
    about: About | None = None,
) -> _Read:
    """Ask a model and read its answer. On an error, ask again with the error's message.

    system, user: the messages. read: raises BadInput. sample: a number that distinguishes equal
    prompts. about: see `Request`. Raises NoAnswer where no answer is usable.
    """

    def parse(text: str) -> _Read:
        fenced = _FENCED.search(text)
        try:
            return read(Field(WHERE, "", json_data(fenced[1] if fenced else text)))
        except ValueError as error:
            raise Unusable(f"That is no JSON ({error}); answer with one JSON object.") from error
        except BadInput as error:
            raise Unusable(str(error)) from error

    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    request = Request(
        messages, parse=parse, purpose="generate", sample=sample, needs=LONG_ANSWER, about=about
    )
    answer: _Read | NoAnswer = model.many([request])[0]
    if isinstance(answer, NoAnswer):
        raise answer
    return answer
