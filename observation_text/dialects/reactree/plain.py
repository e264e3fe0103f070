"""The dialect `reactree_plain`: `reactree` with the names of actions, and without pitfalls.

It rewords what misled small language models. Things have the same names in observations, tasks and
actions ("computer 2", not "computer (2)" or "computer"). A container that could not be opened is
not followed by a list, which would read as its contents. Every sentence ends in a full stop.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ....skills.actions import Action, Verb
from ....skills.outcomes import Failure, Reason
from ...names import Names
from ...view import View
from . import grammar
from .class_names import PUBLISHED, named
from .dialect import ReAcTree
from .words import failure_text


class ReAcTreePlain(ReAcTree):
    """The dialect; actions, menu and state are those of `reactree`."""

    name = "reactree_plain"

    def numbered(self, names: Names, node_id: int) -> str:
        return named(names, node_id)

    def listed(self, names: Names, node_ids: Iterable[int]) -> str:
        """'apple 1, bench 1, bench 2': by name in plain string order, numbers ascending."""
        return _enumeration(names, tuple(node_ids))

    def seen(self, names: Names, node_ids: Iterable[int]) -> str:
        return f"{super().seen(names, node_ids)}."

    def done(self, names: Names, view: View, action: Action) -> str:
        text = f"You {grammar.word(names, action)}."
        return f"{text} {self.seen(names, view.within_reach())}" if action.verb is _OPEN else text

    def failed(self, names: Names, view: View, action: Action, failure: Failure) -> str:
        thing = action.target if failure.thing is None else failure.thing
        if failure.reason is Reason.NOT_HELD and thing is not None:
            return f"You do not hold the {named(names, thing)}."
        return failure_text(names, view, action, failure, lambda node_id: named(names, node_id))


_OPEN = Verb.OPEN
DIALECT = ReAcTreePlain()


@lru_cache(maxsize=1000)  # lists repeat often
def _enumeration(names: Names, node_ids: tuple[int, ...]) -> str:
    displayed, numbers = PUBLISHED.get, names.numbers
    numbered = [numbers[node_id] for node_id in node_ids]
    each = sorted([(displayed(name, name), number) for name, number in numbered])
    return ", ".join([f"{name} {number}" for name, number in each]) or "nothing"
