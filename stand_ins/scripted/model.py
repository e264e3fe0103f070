"""The stand-in as a served model, and its reply to a request."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ...models.served_model import ModelEndpoint, ServedModel, ServeOptions
from ..server import ChatReply, ChatRequest, ErrorResponse, serving
from . import NAME
from .answers import ANSWERS
from .asked import NO_GUESSES, Asked, Guesses, parse_chances, places_of
from .faults import MISTAKES, DrawnFault, ReplyFaults, mistaken, parse_rates
from .table import Table, to_table

#: Signs that a reply needs to be read, and their replacements in a malformed reply.
_UNREADABLE = str.maketrans({":": ";", "(": "[", ")": "]", "\n": " "})


@dataclass(frozen=True)
class ScriptedModel:
    """The replies of the stand-in."""

    table: Table
    """The goals of instructions."""
    faults: ReplyFaults
    """The faults of replies."""
    guesses: Guesses = NO_GUESSES
    """The quality of guesses."""
    slow_s: float = 2.0
    """Seconds that a slow reply takes."""
    retry_after_s: float = 1.0
    """Seconds in the header Retry-After of a reply with status 429."""

    def reply(self, request: ChatRequest) -> ChatReply:
        """The reply to a request. Raises ErrorResponse."""
        drawn = self.faults.draw(request.messages)
        if drawn.slow:
            time.sleep(self.slow_s)
        if drawn.status == 429:
            raise ErrorResponse(
                429,
                "Too many requests (a fault on purpose).",
                "rate_limit_exceeded",
                self.retry_after_s,
            )
        if drawn.status:
            raise ErrorResponse(drawn.status, "The server failed (a fault on purpose).")
        return self._answer(request, drawn)

    def _answer(self, request: ChatRequest, drawn: DrawnFault) -> ChatReply:
        """The answer, with a fault if one was drawn. Raises ErrorResponse."""
        about, choices, episode = (
            request.aside.get(name, {}) for name in ("about", "choices", "episode")
        )
        if about.get("kind") not in ANSWERS:
            raise ErrorResponse(
                400,
                "it answers by rules, which are for the questions of Peephole's own planners; for "
                "another planner give a language model, or --model replies:FILE with replies of "
                "your own.",
            )
        asked = Asked(
            about, choices, episode, request.schema, self.table, self.guesses, request.seed
        )
        answer = ANSWERS[about["kind"]](asked)
        choice = answer.choice
        if drawn.reply == "empty":
            return ChatReply("")
        if drawn.reply in MISTAKES:
            chance = random.Random(drawn.seed)
            choice = mistaken(choice, drawn.reply, answer.menu, self.table, chance)
        text = answer.write(choice)
        match drawn.reply:
            case "malformed":
                text = _malformed(text)
            case "truncated":
                return ChatReply(text[: len(text) // 2], cut=True)
        return ChatReply(text)


def _malformed(text: str) -> str:
    """A text that the planner cannot read: JSON without quotes, calls without brackets."""
    return text.replace('"', "'", 3) if '"' in text else text.translate(_UNREADABLE)


def check(argument: str) -> None:
    """Raise BadInput if the argument is not rates of faults and chances of guesses."""
    _, rates = parse_chances(argument)
    parse_rates(rates)


@contextmanager
def serve(
    options: ServeOptions, slow_s: float = 2.0, retry_after_s: float = 1.0
) -> Iterator[ModelEndpoint]:
    """WrittenChoice requests from threads of this process until the context ends.

    options: their argument has the rates of `faults` and the chances of `guesses`. slow_s,
    retry_after_s: see `ScriptedModel`.
    """
    chances, rates = parse_chances(options.argument)
    model = ScriptedModel(
        to_table(options.instruction_table),
        ReplyFaults(parse_rates(rates), options.seed),
        Guesses(chances, places_of(options.places_table), options.seed),
        slow_s,
        retry_after_s,
    )
    with serving(NAME, model.reply) as url:
        yield ModelEndpoint(url, NAME, advises=True, reads_aside=True)


MODEL = ServedModel(
    NAME,
    "answers by rules, and with faults on purpose if wanted: --model scripted:malformed=0.1",
    serve,
    check,
    stand_in=True,
    wants_instruction_table=True,
    wants_places_table=lambda argument: parse_chances(argument)[0].place is not None,
    knows=(
        "what its questions are about, as data",
        "for blocks the suite's own grammar, goal test and plans",
    ),
)
