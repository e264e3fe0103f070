"""Menus in prompts: the actions on offer, one by one, in groups, or left out.

A menu changes at every step and is by far the longest part of a prompt. Where the server holds
replies to a schema, the schema alone restricts them to the menu.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import groupby

from ....models.contract import Model
from ....skills.actions import Action


class MenuForm(StrEnum):
    """The form of the menu in a prompt.

    NONE: left out; the server's schema restricts the answer, and the system prompt explains the
    forms of actions. GROUPED: without loss, one line for all things with the same actions. FULL:
    one by one. AUTO: NONE where the server holds replies to schemas, else GROUPED.
    """

    AUTO = "auto"
    NONE = "none"
    GROUPED = "grouped"
    FULL = "full"


def settled(form: MenuForm, model: Model) -> MenuForm:
    """The form itself; for AUTO the one that suits the model's server."""
    if form is not MenuForm.AUTO:
        return form
    return MenuForm.NONE if model.enforces_schema() else MenuForm.GROUPED


def menu_text(form: MenuForm, options: Sequence[tuple[str, Action]], more: Sequence[str]) -> str:
    """The menu for the end of a prompt, empty for NONE. more: further choices besides actions.

    Raises ValueError for AUTO, which has to be settled first.
    """
    if form is MenuForm.AUTO:
        raise ValueError("a menu needs a form other than AUTO; call settled() first")
    if form is MenuForm.NONE:
        return ""
    if form is MenuForm.FULL:
        return f"Possible actions: {'; '.join([text for text, _ in options] + [*more])}"
    return "\n".join(["Possible actions:", *_lines(options), *more])


def _lines(options: Sequence[tuple[str, Action]]) -> list[str]:
    """One line for all things with the same actions: "go to, open: box 1, 2; drawer 4"."""
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
    return [f"{', '.join(before)}: {_things(names)}" for before, names in alike.items()] + alone


def _subject(action: Action) -> int | None:
    """The thing at the end of a text: for a put, the place."""
    return action.target if action.place is None else action.place


def _ends(options: Sequence[tuple[str, Action]]) -> dict[int | None, str]:
    """The last words of the texts about each thing, its name as far as the texts show it."""
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
    ends_of: dict[int | None, str] = {}
    for thing, said in shapes.items():
        each = [words for _, words in said]
        ends = {" ".join(words[shared[shape] :]) for shape, words in said}
        ends = (ends | set(map(_common_end, each, each[1:]))) - {""}
        if ends:
            agree = {end: sum(text.endswith(f" {end}") for text in texts[thing]) for end in ends}
            ends_of[thing] = max(sorted(ends), key=lambda end: (agree[end], len(end)))
    return ends_of


def _shared(texts: Sequence[Sequence[str]]) -> int:
    """The number of first words that all texts share; all words of a single text."""
    shared = 0
    shortest = min(map(len, texts))
    while shared < shortest and len({each[shared] for each in texts}) == 1:
        shared += 1
    return shared


def _common_end(words: Sequence[str], others: Sequence[str]) -> str:
    """The last words that two texts have in common: "candle 1" of "use candle 1", "drop candle 1".

    At least one word of each is left over.
    """
    same = 0
    while same < min(len(words), len(others)) - 1 and words[-same - 1] == others[-same - 1]:
        same += 1
    return " ".join(words[len(words) - same :])


def _things(names: Sequence[str]) -> str:
    """ "chair 1, 2; kitchen table 1" of "chair 1", "chair 2" and "kitchen table 1"."""
    pairs = [name.rpartition(" ") for name in names]
    return "; ".join(
        f"{name} {', '.join(number for _, _, number in alike)}".lstrip()
        for name, alike in groupby(pairs, lambda pair: pair[0])
    )
