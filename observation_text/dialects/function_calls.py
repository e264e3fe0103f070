"""Parsing of function calls, shared by the dialects that use them."""

from __future__ import annotations

import re
from collections.abc import Callable

from ...skills.actions import OPTIONAL_TARGET, WITH_PLACE, WITHOUT_TARGET, Action, Verb, pour
from ..dialect import Refusal

#: The thing of a name. Raises Refusal.
FindThing = Callable[[str], int]


def take_apart(text: str, call: re.Pattern[str], no_call: str) -> tuple[str, list[str]]:
    """The function and the arguments of a call; letter case and surrounding blanks are ignored.

    call: its pattern, with groups for both. no_call: the refusal of any other text.
    """
    match = call.fullmatch(text.strip().lower())
    if match is None:
        raise Refusal(no_call)
    arguments = [part.strip() for part in match[2].split(",")]
    return match[1], [] if arguments == [""] else arguments


def things_of(
    function: str, arguments: list[str], counts: tuple[int, ...], find: FindThing
) -> list[int]:
    """The things of the arguments; counts: how many the function takes. Raises Refusal."""
    if len(arguments) not in counts:
        wanted = " or ".join(map(str, counts))
        raise Refusal(f"{function}() takes {wanted} names, and {len(arguments)} were given.")
    return [find(argument) for argument in arguments]


def action_of(verb: Verb, function: str, arguments: list[str], find: FindThing) -> Action:
    """The action of a verb other than put. Raises Refusal."""
    counts: tuple[int, ...] = (
        (0,) if verb in WITHOUT_TARGET else (2,) if verb in WITH_PLACE else (1,)
    )
    if verb in OPTIONAL_TARGET:
        counts = (0, 1)
    things = things_of(function, arguments, counts, find)
    if verb is Verb.POUR:
        return pour(*things)
    return Action(verb, things[0] if things else None)
