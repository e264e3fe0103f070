"""Questions to a language model that are answered with one JSON object, for tasks that it makes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from ..errors import BadInput
from ..models.contract import About, Message, Model, NoAnswer, Request, Unusable
from ..scene_graph.fields import Field

#: What is invented is to differ from time to time.
_FENCED = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)
#: What an answer is called in what is wrong with it.
WHERE = "your answer"
_Read = TypeVar("_Read")


def ask(
    model: Model,
    messages: Sequence[Message],
    read: Callable[[Field], _Read],
    sample: int = 0,
    about: About | None = None,
) -> _Read:
    """What is read of the answer. The model is told what is wrong with one, and asked again.

    read: raises BadInput. sample: tells apart questions that are alike. about: see `Request`.
    Raises NoAnswer where the model gives no usable answer.
    """

    def parse(text: str) -> _Read:
        fenced = _FENCED.search(text)
        try:
            return read(Field(WHERE, "", json.loads(fenced[1] if fenced else text)))
        except (ValueError, RecursionError) as error:
            raise Unusable(f"That is no JSON ({error}); answer with one JSON object.") from error
        except BadInput as error:
            raise Unusable(str(error)) from error

    request = Request(messages, parse=parse, purpose="generate", sample=sample, about=about)
    answer: _Read | NoAnswer = model.many([request])[0]
    if isinstance(answer, NoAnswer):
        raise answer
    return answer
