"""The model `scripted`: a rule-based stand-in for a language model.

It is a process of its own that speaks the chat-completions protocol on the loopback interface. It
gets the messages of each request and nothing else, besides a table from instructions to what they
ask for in categories and relations, which is its understanding of language. What comes of a run
with it shows that the mechanism works, and says nothing about any language model.

From request to reply: `server` checks the request, `voices` turns a planner's messages into a
transcript, `memory` reads it, `mind` decides what a careful person would do next, the voice words
the answer, and `faults` may spoil it.

`--model scripted` starts it for the run; `--model scripted:malformed=0.1,slow=0.05` with faults.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .faults import parse_rates

if TYPE_CHECKING:
    from ...planners.llm.config import ModelEndpoint
    from ...planners.llm.serving import ServeOptions

#: What is to be said wherever results with this model are shown.
LABEL = "mechanism check: a rule-based stand-in, not a language model"
#: What the model is called over the wire.
MODEL = "scripted"


def check(argument: str) -> None:
    """Raises BadInput where the argument is no rates of faults."""
    parse_rates(argument)


def note(argument: str) -> str:
    """What the user has to know of results with it."""
    return f"--model {MODEL} is a {LABEL}."


@contextmanager
def serve(options: ServeOptions) -> Iterator[ModelEndpoint]:
    """Run the stand-in for as long as the context lasts."""
    from ...planners.llm.config import ModelEndpoint
    from .process import scripted

    with scripted(options.table(), options.argument, options.seed) as url:
        yield ModelEndpoint(url, MODEL)
