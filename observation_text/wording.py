"""Texts of actions in an episode, assembled from cached words.

A dialect names each thing in one way, and its words around the name are the same for all things.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Protocol

from ..scene_graph.node import Kind, Node, Relation
from ..skills.actions import Action, Verb
from .names import Named, Names

#: An action with its text.
Offer = tuple[str, Action]
#: The words before a verb's thing, after it, and after its place if it has one.
_Form = tuple[str, str, str]


class ActionWords(Protocol):
    """The part of a dialect that words actions."""

    @property
    def words_things_alike(self) -> bool: ...

    def word(self, names: Names, action: Action, /) -> str: ...

    def called(self, thing: Named, /) -> str: ...

    def __hash__(self) -> int: ...


class Wording:
    """Words actions like `Dialect.word`."""

    def __init__(self, names: Names, dialect: ActionWords) -> None:
        self._names, self.dialect = names, dialect
        self.numbers: Mapping[int, tuple[str, int]] = names.numbers
        self._known: dict[tuple[str, int], str] = {}
        self._forms: dict[Verb | tuple[Verb, Relation | None], _Form] = {}

    def word(self, action: Action) -> str:
        """The text of an action in any state, by the dialect."""
        return self.dialect.word(self._names, action)

    def acts(self, verbs: list[Verb], thing: int) -> list[Offer]:
        """Actions on a thing, with their texts."""
        if not self.dialect.words_things_alike:
            actions = [_act(verb, thing) for verb in verbs]
            return [(self.word(action), action) for action in actions]
        offers = []
        called = self._name(thing)
        forms = self._forms
        for verb in verbs:
            if verb not in forms:
                forms[verb] = _form(self.dialect, Action(verb, 1))
            before, after, _ = forms[verb]
            offers.append((f"{before}{called}{after}", _act(verb, thing)))
        return offers

    def put(self, verb: Verb, thing: int, relation: Relation | None, place: int) -> Offer:
        """An action that puts or pours a thing at a place, with its text."""
        action = Action(verb, thing, relation, place)
        if not self.dialect.words_things_alike:
            return self.word(action), action
        form = self._forms.get((verb, relation))
        if form is None:
            form = _form(self.dialect, Action(verb, 1, relation, 2))
            self._forms[verb, relation] = form
        before, between, after = form
        return f"{before}{self._name(thing)}{between}{self._name(place)}{after}", action

    def _name(self, thing: int) -> str:
        name = self.numbers[thing]
        if name not in self._known:
            self._known[name] = self.dialect.called(Named(*name))
        return self._known[name]


@lru_cache(maxsize=20_000)  # episodes share node ids
def _act(verb: Verb, thing: int) -> Action:
    return Action(verb, thing)


@lru_cache(maxsize=1000)
def _form(dialect: ActionWords, example: Action) -> _Form:
    """The words of a verb, from an action on the nodes 1 and 2."""
    names = Names(_EXAMPLES)
    text = dialect.word(names, example)
    thing, place = [dialect.called(Named(node.category, 1)) for node in _EXAMPLES]
    before, name, rest = text.partition(thing)
    assert name, f"the text {text!r} does not name its thing"
    between, _, after = rest.partition(place)
    return before, between, after


#: Things whose categories occur in no other words of a text.
_EXAMPLES = tuple(Node(number, chr(number), Kind.OBJECT, number) for number in (1, 2))
