"""Menus in prompts: the actions on offer, told in full, by beginnings, or not at all.

A menu is what a planner's model reads anew at every step, and by far the most of it. Where the
server holds replies to a schema, the schema alone keeps them to what is on offer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import groupby

from ...skills.actions import Action
from ..model import Model


class MenuForm(StrEnum):
    """How a prompt tells the actions on offer.

    NONE: not at all; the server's schema holds the answer to them, and the system prompt says what
    forms actions have. GROUPED: without loss, a line for each way to begin with all its things.
    FULL: one after the other. AUTO: NONE where the server holds replies to schemas, else GROUPED.
    """

    AUTO = "auto"
    NONE = "none"
    GROUPED = "grouped"
    FULL = "full"


def settled(form: MenuForm, model: Model) -> MenuForm:
    """The form itself, or for AUTO the one that the model's server calls for."""
    if form is not MenuForm.AUTO:
        return form
    return MenuForm.NONE if model.enforces_schema() else MenuForm.GROUPED


def menu_text(form: MenuForm, options: Sequence[tuple[str, Action]], more: Sequence[str]) -> str:
    """The menu for the end of a prompt, empty for NONE. more: what may be said besides actions.

    Raises ValueError for AUTO, which has to be settled first.
    """
    if form is MenuForm.AUTO:
        raise ValueError("whether the server holds replies to schemas has to be found out first")
    if form is MenuForm.NONE:
        return ""
    if form is MenuForm.FULL:
        return f"Possible actions: {'; '.join([text for text, _ in options] + [*more])}"
    return "\n".join(["Possible actions:", *_lines(options), *more])


def _lines(options: Iterable[tuple[str, Action]]) -> list[str]:
    """A line for each way to begin: "pick up: apple 1, 2; plate 1"."""
    groups: dict[object, list[str]] = {}
    for text, action in options:
        shape = (action.verb, action.relation, action.target if action.place is not None else None)
        groups.setdefault(shape if action.target is not None else text, []).append(text)
    return [_line(texts) for texts in groups.values()]


def _line(texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    words = [text.split(" ") for text in texts]
    shared = 0
    while len({tuple(each[: shared + 1]) for each in words}) == 1:
        shared += 1
    rest = [(" ".join(each[shared:-1]), each[-1]) for each in words]
    things = [
        f"{name} {', '.join(last for _, last in alike)}".lstrip()
        for name, alike in groupby(rest, lambda pair: pair[0])
    ]
    return f"{' '.join(words[0][:shared])}: {'; '.join(things)}"


def spelled_out(menu: str) -> list[str]:
    """The texts that a grouped menu stands for, the further ones among them."""
    texts: list[str] = []
    for line in menu.splitlines()[1:]:
        beginning, colon, things = line.partition(": ")
        if not colon:
            texts.append(line)
            continue
        for thing in things.split("; "):
            *name, number = thing.partition(", ")[0].split(" ")
            numbers = [number, *thing.split(", ")[1:]]
            texts += [" ".join([beginning, *name, each]) for each in numbers]
    return texts
