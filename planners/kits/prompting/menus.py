"""Menus in prompts: the actions on offer, told one by one, in groups, or not at all.

A menu is what a planner's model reads anew at every step, and by far the most of it. Where the
server holds replies to a schema, the schema alone keeps them to what is on offer.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import groupby

from ....models.contract import Model
from ....skills.actions import Action


class MenuForm(StrEnum):
    """How a prompt tells the actions on offer.

    NONE: not at all; the server's schema holds the answer to them, and the system prompt says what
    forms actions have. GROUPED: without loss, a line for all things of which the same may be done.
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


def _lines(options: Sequence[tuple[str, Action]]) -> list[str]:
    """A line for all things of which the same may be done: "go to, open: box 1, 2; drawer 4"."""
    ends = _ends(options)
    beginnings: dict[str, list[str]] = {}
    alone = []
    for text, action in options:
        end = ends.get(_subject(action))
        if end is not None and text.endswith(f" {end}"):
            beginnings.setdefault(end, []).append(text.removesuffix(f" {end}"))
        else:
            alone.append(text)
    alike: dict[tuple[str, ...], list[str]] = {}
    for end, before in beginnings.items():
        alike.setdefault(tuple(before), []).append(end)
    return [f"{', '.join(before)}: {_things(found)}" for before, found in alike.items()] + alone


def _subject(action: Action) -> int | None:
    """What a text ends with: where something is put, that place."""
    return action.target if action.place is None else action.place


def _ends(options: Sequence[tuple[str, Action]]) -> dict[int | None, str]:
    """How texts about each thing end: with its name, as far as its texts tell that."""
    groups: dict[object, list[list[str]]] = {}
    texts: dict[int | None, list[str]] = {}
    shapes: dict[int | None, list[tuple[object, list[str]]]] = {}
    for text, action in options:
        thing = _subject(action)
        if thing is None:
            continue
        carried = action.target if action.place is not None else None
        shape, words = (action.verb, action.relation, carried), text.split(" ")
        groups.setdefault(shape, []).append(words)
        texts.setdefault(thing, []).append(text)
        shapes.setdefault(thing, []).append((shape, words))
    shared = {shape: _shared(each) for shape, each in groups.items()}
    found: dict[int | None, str] = {}
    for thing, said in shapes.items():
        ends = {" ".join(words[shared[shape] :]) for shape, words in said} - {""}
        if ends:
            agree = {end: sum(text.endswith(f" {end}") for text in texts[thing]) for end in ends}
            found[thing] = max(sorted(ends), key=lambda end: (agree[end], len(end)))
    return found


def _shared(texts: Sequence[Sequence[str]]) -> int:
    """How many words all of several texts begin with; all words of a single text."""
    shared = 0
    shortest = min(map(len, texts))
    while shared < shortest and len({each[shared] for each in texts}) == 1:
        shared += 1
    return shared


def _things(names: Sequence[str]) -> str:
    """ "chair 1, 2; kitchen table 1" of "chair 1", "chair 2" and "kitchen table 1"."""
    pairs = [name.rpartition(" ") for name in names]
    return "; ".join(
        f"{name} {', '.join(number for _, _, number in alike)}".lstrip()
        for name, alike in groupby(pairs, lambda pair: pair[0])
    )
