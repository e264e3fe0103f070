"""A reader of activities in BDDL, the definition language of BEHAVIOR-1K.

BDDL is PDDL's problem syntax with the quantifiers of https://github.com/StanfordVL/bddl: forall,
exists, forn (exactly N), forpairs and fornpairs. Variables and objects may both start with a
question mark. As in bddl, only the first condition under :goal counts, and backslashes are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ...data_files import lines_of
from ...errors import BadInput

#: The number of arguments of each predicate of BEHAVIOR-1K's domain.
PREDICATES = {
    **dict.fromkeys(("cooked", "frozen", "open", "folded", "unfolded", "toggled_on"), 1),
    **dict.fromkeys(("hot", "on_fire", "future", "real", "broken"), 1),
    **dict.fromkeys(("saturated", "covered", "filled", "contains", "ontop", "nextto"), 2),
    **dict.fromkeys(("under", "touching", "inside", "overlaid", "attached", "draped"), 2),
    **dict.fromkeys(("insource", "inroom", "grasped"), 2),
}
#: The number of parts of each connective; None: any number.
_JOINING = {"and": None, "or": None, "not": 1, "imply": 2}
#: For each quantifier, whether it counts and how many variables it binds.
_QUANTIFIERS = {
    "forall": (False, 1),
    "exists": (False, 1),
    "forn": (True, 1),
    "forpairs": (False, 2),
    "fornpairs": (True, 2),
}
_TOKEN = re.compile(r"[()]|\?[^\s()?\\]*|[^\s()?\\]+")


class Fact(NamedTuple):
    """A fact of init: whether a predicate holds of some objects."""

    predicate: str
    things: tuple[str, ...]
    holds: bool = True


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate of objects and variables."""

    predicate: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """Conditions under "and", "or", "not" (one) or "imply" (two)."""

    word: str
    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Quantified:
    """A condition under a quantifier. count: for forn and fornpairs. binds: (variable, synset)."""

    word: str
    count: int | None
    binds: tuple[tuple[str, str], ...]
    body: Condition


Condition = Atom | Joined | Quantified


@dataclass(frozen=True)
class Activity:
    """One activity.

    objects: instances by synset, such as "can__of__soda.n.01": ("can__of__soda.n.01_1", …).
    """

    name: str
    objects: Mapping[str, tuple[str, ...]]
    init: tuple[Fact, ...]
    goal: Condition


def atoms(condition: Condition) -> Iterator[Atom]:
    """Every atom of a condition, at any depth."""
    match condition:
        case Atom():
            yield condition
        case Joined(_, parts):
            for part in parts:
                yield from atoms(part)
        case Quantified(_, _, _, body):
            yield from atoms(body)


def parse(name: str, text: str, where: str) -> Activity:
    """The activity of a BDDL text.

    Raises BadInput naming `where`, the line and the malformed token.
    """
    return _Reader(where).activity(name, text)


class _Word(NamedTuple):
    text: str
    line: int


@dataclass(slots=True)
class _Form:
    """A list in parentheses; line: of its opening parenthesis."""

    parts: list[_Form | _Word]
    line: int

    @property
    def head(self) -> str:
        """Its first word, or ""."""
        first = self.parts[0] if self.parts else None
        return first.text if isinstance(first, _Word) else ""


class _Reader:
    def __init__(self, where: str) -> None:
        self._where = where
        self._known: frozenset[str] = frozenset()

    def activity(self, name: str, text: str) -> Activity:
        whole = self._form(text)
        if whole.head != "define":
            raise self._wrong(whole, "(define (problem …) …)")
        sections: dict[str, _Form] = {}
        for part in whole.parts[1:]:
            if isinstance(part, _Word) or not part.head:
                raise self._wrong(part, "a section such as (:objects …)")
            if part.head in sections:
                raise self._wrong(part, f"only one section {part.head}")
            sections[part.head] = part
        for needed in (":objects", ":init", ":goal"):
            if needed not in sections:
                raise BadInput(f"{self._where} has no section ({needed} …); add it.")
        objects = self._objects(sections[":objects"])
        self._known = frozenset(thing for things in objects.values() for thing in things)
        init = tuple(self._fact(part) for part in sections[":init"].parts[1:])
        goals = sections[":goal"].parts[1:]
        if not goals:
            raise self._wrong(sections[":goal"], "a condition")
        return Activity(name, objects, init, self._condition(goals[0], frozenset(), objects))

    # --- syntax --------------------------------------------------------------------------------

    def _form(self, text: str) -> _Form:
        words = [
            _Word(token, number)
            for number, line in enumerate(lines_of(text), start=1)
            for token in _TOKEN.findall(line.partition(";")[0].lower())
        ]
        open_forms: list[_Form] = []
        for place, word in enumerate(words, start=1):
            if word.text == "(":
                form = _Form([], word.line)
                if open_forms:
                    open_forms[-1].parts.append(form)
                open_forms.append(form)
            elif not open_forms:
                raise self._wrong(word, "'(' before it")
            elif word.text != ")":
                open_forms[-1].parts.append(word)
            elif len(open_forms) > 1:
                open_forms.pop()
            elif place < len(words):
                raise self._wrong(words[place], "nothing after the definition")
            else:
                return open_forms[0]
        if not open_forms:
            raise BadInput(f"{self._where} is empty; expected (define (problem …) …).")
        raise self._wrong(open_forms[-1], "')' to close it")

    # --- sections ------------------------------------------------------------------------------

    def _objects(self, section: _Form) -> dict[str, tuple[str, ...]]:
        objects: dict[str, tuple[str, ...]] = {}
        waiting: list[str] = []
        parts = iter(section.parts[1:])
        for part in parts:
            if not isinstance(part, _Word):
                raise self._wrong(part, "the name of an object")
            if part.text != "-":
                waiting.append(part.text)
                continue
            kind = next(parts, None)
            if not isinstance(kind, _Word):
                raise self._wrong(kind or part, "a synset after '-'")
            if not waiting:
                raise self._wrong(part, "objects before '-'")
            objects[kind.text] = (*objects.get(kind.text, ()), *waiting)
            waiting = []
        if waiting:
            last = section.parts[-1]
            raise self._wrong(last, "'-' and a synset after the objects")
        return objects

    def _fact(self, part: _Form | _Word) -> Fact:
        if isinstance(part, _Form) and part.head == "not":
            if len(part.parts) != 2:
                raise self._wrong(part, "one condition after 'not'")
            fact = self._fact(part.parts[1])
            return fact._replace(holds=not fact.holds)
        rooms = isinstance(part, _Form) and part.head == "inroom"
        atom = self._atom(part, frozenset(), rooms=rooms)
        return Fact(atom.predicate, atom.terms)

    # --- conditions ----------------------------------------------------------------------------

    def _condition(
        self, part: _Form | _Word, bound: frozenset[str], objects: Mapping[str, tuple[str, ...]]
    ) -> Condition:
        if isinstance(part, _Word):
            raise self._wrong(part, "a condition in parentheses")
        if part.head in _JOINING:
            inner = part.parts[1:]
            number = _JOINING[part.head]
            if number is not None and len(inner) != number:
                raise self._wrong(part, f"{number} condition(s) after '{part.head}'")
            joined = tuple(self._condition(each, bound, objects) for each in inner)
            return Joined(part.head, joined)
        if part.head in _QUANTIFIERS:
            return self._quantified(part, bound, objects)
        return self._atom(part, bound)

    def _quantified(
        self, part: _Form, bound: frozenset[str], objects: Mapping[str, tuple[str, ...]]
    ) -> Quantified:
        counts, variables = _QUANTIFIERS[part.head]
        inner = part.parts[1:]
        if len(inner) != counts + variables + 1:
            form = "(N) " * counts + "(?x - synset) " * variables + "(condition)"
            raise self._wrong(part, f"({part.head} {form})")
        count = None
        if counts:
            match inner.pop(0):
                case _Form([_Word(digits, _)], _) if digits.isdecimal():
                    count = int(digits)
                case other:
                    raise self._wrong(other, "a number in parentheses")
        binds: list[tuple[str, str]] = []
        for each in inner[:-1]:
            match each:
                case _Form([_Word(variable, _), _Word("-", _), _Word(synset, _)], _) if (
                    synset in objects
                ):
                    binds.append((variable.strip("?"), synset))
                case _:
                    raise self._wrong(each, "(?x - synset) with a synset of (:objects …)")
        inside = bound | {variable for variable, _ in binds}
        body = self._condition(inner[-1], inside, objects)
        return Quantified(part.head, count, tuple(binds), body)

    def _atom(self, part: _Form | _Word, bound: frozenset[str], *, rooms: bool = False) -> Atom:
        """A predicate; rooms: its last term is a room, which is not declared."""
        if isinstance(part, _Word) or part.head not in PREDICATES:
            raise self._wrong(part, f"one of {', '.join(PREDICATES)}")
        terms = part.parts[1:]
        if len(terms) != PREDICATES[part.head]:
            raise self._wrong(part, f"{PREDICATES[part.head]} object(s) after '{part.head}'")
        words = []
        for number, term in enumerate(terms, start=1):
            if isinstance(term, _Form):
                raise self._wrong(term, "an object")
            word = term.text.strip("?")
            known = word in bound or word in self._known or (rooms and number == len(terms))
            if not known:
                raise self._wrong(term, "an object of (:objects …) or a variable bound here")
            words.append(word)
        return Atom(part.head, tuple(words))

    def _wrong(self, part: _Form | _Word, expected: str) -> BadInput:
        token = part.text if isinstance(part, _Word) else f"({part.head}"
        return BadInput(f"{self._where}, line {part.line}: '{token}'; expected {expected}.")
