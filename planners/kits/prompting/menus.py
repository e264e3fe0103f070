"""Menus in prompts: the actions on offer, one by one, in groups, or left out.

A menu changes at every step and is by far the longest part of a prompt. Where the server holds
replies to a schema, the schema alone restricts them to the menu.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import groupby

from ....models.contract import Model
from ....skills.actions import Action


class MenuForm(StrEnum):
    """The form of the menu in a prompt.

    NONE: left out; the server's schema restricts the answer, and the system prompt explains the
    forms of actions. GROUPED: one line for all things with the same actions, and one for all rooms
    of a large building. FULL: one by one. AUTO: NONE where the server holds replies to schemas,
    else GROUPED.
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


def menu_text(
    form: MenuForm,
    options: Sequence[tuple[str, Action]],
    more: Sequence[str],
    called: Mapping[int, str] | None = None,
) -> str:
    """The menu for the end of a prompt, empty for NONE. more: further choices besides actions.

    called: the names of things in the texts, by which they are grouped; without, none are.
    Raises ValueError for AUTO, which has to be settled first.
    """
    if form is MenuForm.AUTO:
        raise ValueError("a menu needs a form other than AUTO; call settled() first")
    if form is MenuForm.NONE:
        return ""
    if form is MenuForm.FULL:
        return f"Possible actions: {'; '.join([text for text, _ in options] + [*more])}"
    return "\n".join(["Possible actions:", *_lines(options, called or {}), *more])


def _lines(options: Sequence[tuple[str, Action]], called: Mapping[int, str]) -> list[str]:
    """One line for all things with the same actions: "go to, open: box 1, 2; drawer 4"."""
    beginnings: dict[str, list[str]] = {}
    alone = []
    for text, action in options:
        subject = action.target if action.place is None else action.place  # a put is at a place
        name = None if subject is None else called.get(subject)
        before, found, after = ("", "", "") if name is None else text.rpartition(f" {name}")
        if found:
            beginnings.setdefault(f"{name}{after}", []).append(before)
        else:
            alone.append(text)
    alike: dict[tuple[str, ...], list[str]] = {}
    for end, each in beginnings.items():
        alike.setdefault(tuple(each), []).append(end)
    return [*(_line(each, names) for each, names in alike.items()), *alone]


def _line(beginnings: Sequence[str], names: Sequence[str]) -> str:
    if len(beginnings) == len(names) == 1:
        return f"{beginnings[0]} {names[0]}"
    return f"{', '.join(beginnings)}: {_things(names)}"


def _things(names: Sequence[str]) -> str:
    """ "chair 1, 2; kitchen table 1" of "chair 1", "chair 2" and "kitchen table 1"."""
    pairs = [name.rpartition(" ") for name in names]
    return "; ".join(
        f"{name} {', '.join(number for _, _, number in alike)}".lstrip()
        for name, alike in groupby(pairs, lambda pair: pair[0])
    )
