"""The action grammar of the dialect `tru_pomdp`: action to text and back, strictly.

`open AREA`, `pick OBJECT` and `place AREA` (for the held thing), after the actions OPEN, PICK and
PLACE of Tru-POMDP; `wait` is its NULL. The long form `place OBJECT on AREA` (or `in`, `under`)
parses in any state. Verbs of other worlds are worded as in `reactree`.

A name is the category with underscores, with a number from the second of a category on:
`egg_timer`, `egg_timer_2`. So the published names of areas and objects do not change.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import partial

from ....scene_graph.node import Relation
from ....skills.actions import Action, Verb, pour, put
from ...dialect import DialectState, Refusal
from ...names import Names
from ..reactree import grammar as reactree_grammar

PLACE = "place"
PHRASES: dict[Verb, str] = {
    **reactree_grammar.PHRASES,
    Verb.PICK_UP: "pick",
    Verb.PUT: PLACE,
}
#: "put on" before "put".
_LONGEST_FIRST = sorted(PHRASES.items(), key=lambda item: -len(item[1]))

# A hidden thing and one that does not exist must read alike: the name is not repeated.
_UNKNOWN_THING = "You have seen no such area or object; call it by its name in an observation."
_NO_ACTION = (
    "There is no such action. Say 'open AREA', 'pick OBJECT', 'place AREA' for what you hold, or "
    "'wait'."
)
_NOTHING_HELD = "You hold nothing that you could place; pick an object first."


@dataclass(frozen=True)
class KitchenParseContext:
    """The context that texts are parsed in.

    held: what the agent holds. inside: the places that things are put into, not onto.
    """

    held: tuple[int, ...] = ()
    inside: frozenset[int] = frozenset()

    @classmethod
    def of(cls, state: DialectState) -> KitchenParseContext:
        """The context in a dialect's state."""
        return cls(tuple(state.get("held", ())), frozenset(state.get("inside", ())))

    def relation(self, place: int) -> Relation:
        """The relation of a put whose text does not say it."""
        return Relation.INSIDE if place in self.inside else Relation.ON


def joined(category: str) -> str:
    """ "egg_timer" from "egg timer"."""
    return "_".join(category.split())


def called(category: str, number: int) -> str:
    """The name of a thing; the first of a category has no number if that is unambiguous."""
    word = joined(category)
    return word if number == 1 and not word[-1:].isdigit() else f"{word}_{number}"


def name(names: Names, node_id: int) -> str:
    """The name of a node."""
    return called(*names.number(node_id))


# --- action to text ------------------------------------------------------------------------------


def word(names: Names, action: Action) -> str:
    """The text of an action, which parses in any state."""
    if action.target is None:
        return reactree_grammar.word(names, action)
    return reactree_grammar.phrased(action, PHRASES, partial(name, names))


def place_held(names: Names, place: int) -> str:
    """The text of putting down the held thing."""
    return f"{PLACE} {name(names, place)}"


# --- text to action ------------------------------------------------------------------------------


def parse(text: str, names: Names, perceived: Container[int], now: KitchenParseContext) -> Action:
    """Parse a text; letter case and surrounding spaces are ignored. Raises Refusal."""
    said = text.strip().lower()
    if said in reactree_grammar.ALONE:
        return reactree_grammar.ALONE[said]
    for verb, phrase in _LONGEST_FIRST:
        if not said.startswith(f"{phrase} "):
            continue
        words = said[len(phrase) + 1 :].split(" ")
        if verb is Verb.PUT:
            return _put(words, names, perceived, now)
        if verb is Verb.POUR:
            if len(words) != 3 or words[1] != reactree_grammar.INTO:
                raise Refusal(f"It has to be said what into; say '{phrase} X into Y'.")
            return pour(_thing(words[0], names, perceived), _thing(words[2], names, perceived))
        if len(words) != 1:
            raise Refusal(_NO_ACTION)
        return Action(verb, _thing(words[0], names, perceived))
    raise Refusal(_NO_ACTION)


def _put(
    words: Sequence[str], names: Names, perceived: Container[int], now: KitchenParseContext
) -> Action:
    if len(words) == 3 and words[1] in reactree_grammar.RELATIONS:
        thing, place = (_thing(each, names, perceived) for each in (words[0], words[2]))
        return put(thing, reactree_grammar.RELATIONS[words[1]], place)
    if len(words) != 1:
        raise Refusal(_NO_ACTION)
    place = _thing(words[0], names, perceived)
    if not now.held:
        raise Refusal(_NOTHING_HELD)
    return put(now.held[0], now.relation(place), place)


def _thing(said: str, names: Names, perceived: Container[int]) -> int:
    for category in names.categories():
        word = joined(category).lower()
        if not said.startswith(word):
            continue
        number = _number(said[len(word) :], numbered=word[-1:].isdigit())
        node_id = None if number is None else names.find(category, number)
        if node_id is not None and node_id in perceived:
            return node_id
    raise Refusal(_UNKNOWN_THING)


def _number(rest: str, *, numbered: bool) -> int | None:
    """The number in the rest of a name. numbered: whether the first one has a number too."""
    if not rest:
        return None if numbered else 1
    return reactree_grammar.number_of(rest[1:]) if rest[0] == "_" else None
