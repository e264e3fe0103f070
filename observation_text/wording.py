"""Actions in an episode with their texts, put together from words that are asked for once.

A dialect says what its actions call a thing, and its words around that are the same for all things.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from ..scene_graph.node import Kind, Node, Relation
from ..skills.actions import Action, Verb
from .names import Names

#: An action with its text.
Offer = tuple[str, Action]
#: `Dialect.word` and `Dialect.called`.
Word = Callable[[Names, Action], str]
Called = Callable[[Names, int], str | None]
#: What a verb says before its thing, after it, and after its place if it has one.
_Form = tuple[str, str, str]


class Wording:
    """Words actions as `Dialect.word` does."""

    def __init__(self, names: Names, word: Word, called: Called) -> None:
        self._names, self._word, self._called = names, word, called
        self.numbers: Mapping[int, tuple[str, int]] = names.numbers
        self._known: dict[tuple[str, int], str | None] = {}
        self._forms: dict[Verb | tuple[Verb, Relation | None], _Form] = {}

    def word(self, action: Action) -> str:
        """An action in any state, asked of the dialect."""
        return self._word(self._names, action)

    def acts(self, verbs: list[Verb], thing: int) -> list[Offer]:
        """Actions on a thing."""
        called = self._name(thing)
        if called is None:
            actions = [Action(verb, thing) for verb in verbs]
            return [(self.word(action), action) for action in actions]
        found = []
        forms = self._forms
        for verb in verbs:
            if verb not in forms:
                forms[verb] = _form(self._word, self._called, Action(verb, 1))
            before, after, _ = forms[verb]
            found.append((f"{before}{called}{after}", Action(verb, thing)))
        return found

    def put(self, verb: Verb, thing: int, relation: Relation | None, place: int) -> Offer:
        """An action that puts or pours a thing at a place."""
        action = Action(verb, thing, relation, place)
        called, where = self._name(thing), self._name(place)
        if called is None or where is None:
            return self.word(action), action
        form = self._forms.get((verb, relation))
        if form is None:
            form = _form(self._word, self._called, Action(verb, 1, relation, 2))
            self._forms[verb, relation] = form
        before, between, after = form
        return f"{before}{called}{between}{where}{after}", action

    def _name(self, thing: int) -> str | None:
        name = self.numbers[thing]
        if name not in self._known:
            self._known[name] = self._called(self._names, thing)
        return self._known[name]


@lru_cache(maxsize=1000)
def _form(word: Word, called: Called, example: Action) -> _Form:
    """The words of a verb, from an action on the nodes 1 and 2."""
    names = Names(_EXAMPLES)
    text, thing, place = word(names, example), called(names, 1), called(names, 2)
    assert thing is not None
    assert place is not None
    before, found, rest = text.partition(thing)
    assert found, f"the text {text!r} does not name its thing"
    between, _, after = rest.partition(place)
    return before, between, after


#: Things of categories that stand in no other words of a text.
_EXAMPLES = tuple(Node(number, chr(number), Kind.OBJECT, number) for number in (1, 2))
