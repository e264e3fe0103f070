"""The action grammar of the dialect `alfworld`: action to text and back, strictly.

`go to R`, `take O from R`, `put O in/on R`, `open R`, `close R`, `use O` (a switch), `slice O with
K`, `examine O`, `look`, as in ALFWorld's games (https://arxiv.org/abs/2010.03768). These texts say
more than an action holds: the place to take from, and the tool to slice with. A wrong one is
refused, an absent one accepted. `move O to R` is the games' text of a put since ALFWorld 0.4; it is
read, and written where a game itself does. `heat O with R`, `cool O with R`, `clean O with R`,
`inventory` and `help` are of games alone. `turn off O`, `put O under R` and the verbs of other
simulators are worded in the same way; the games do not need them.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ....scene_graph.node import Relation, State
from ....skills.actions import (
    GAME_ONLY_VERBS,
    WITHOUT_TARGET,
    Action,
    Verb,
    pick_up,
    pour,
    put,
    slice_,
)
from ...dialect import DialectState, Refusal
from ...names import Names
from ..reactree import grammar as reactree_grammar

PUT_PREPOSITION = "in/on"
#: The words before the name of the target.
PHRASES: dict[Verb, str] = {
    **reactree_grammar.PHRASES,
    **{verb: str(verb) for verb in GAME_ONLY_VERBS - WITHOUT_TARGET},
    Verb.PICK_UP: "take",
    Verb.PUT: "put",
    Verb.TURN_ON: "use",
    Verb.LOOK: "examine",
}
#: "put on" before "put".
_LONGEST_FIRST = sorted(PHRASES.items(), key=lambda item: -len(item[1]))
#: The verbs' words in feedback, if they differ from those of the action.
FEEDBACK_PHRASES = {Verb.TURN_ON: "turn on", Verb.CLOSE: "close", Verb.TURN_OFF: "turn off"}
#: The states in the text of examining a thing, in order, before whether it is sliced.
EXAMINED_STATES = (State.HOT, State.COLD, State.CLEAN, State.DIRTY)

_ALONE = {action.verb.replace("_", " "): action for action in reactree_grammar.ALONE.values()}
_ALONE |= {str(verb): Action(verb) for verb in (Verb.INVENTORY, Verb.HELP)}
#: The forms of a game's commands.
GAME_FORMS = (
    (Verb.LOOK, "look"),
    (Verb.INVENTORY, "inventory"),
    (Verb.GO_TO, "go to place 1"),
    (Verb.OPEN, "open place 1"),
    (Verb.CLOSE, "close place 1"),
    (Verb.PICK_UP, "take thing 1 from place 1"),
    (Verb.PUT, "move thing 1 to place 1"),
    (Verb.LOOK, "examine thing 1"),
    (Verb.TURN_ON, "use thing 1"),
    (Verb.HEAT, "heat thing 1 with place 1"),
    (Verb.CLEAN, "clean thing 1 with place 1"),
    (Verb.COOL, "cool thing 1 with place 1"),
    (Verb.SLICE, "slice thing 1 with thing 2"),
    (Verb.HELP, "help"),
)
#: The word between the things of a game's verbs.
_WITH = "with"
_PLANNER_KEYWORDS = ("think", "done", "failure")

# A hidden thing and one that does not exist must read alike: the name is not repeated.
_UNKNOWN_THING = (
    "You have seen no such thing so far; call a thing as an observation does, 'apple 1'."
)
_NO_NAME = "A name is a word and a number, 'apple 1'; nothing else belongs there."
_NO_ACTION = (
    "There is no such action. Say 'go to R', 'take O from R', 'put O in/on R', 'open R', "
    "'close R', 'use O', 'slice O with K', 'examine O' or 'look'."
)


@dataclass(frozen=True)
class ParseContext:
    """The context that texts are parsed in.

    at: the place last visited. relation: how things are put there. held: what the agent holds.
    places: for each thing in view, the place that keeps it. puts: in a game, how things are put at
    each receptacle; None in other worlds.
    """

    at: int | None = None
    relation: Relation | None = None
    held: tuple[int, ...] = ()
    places: Mapping[int, int] = field(default_factory=dict)
    puts: Mapping[int, Relation] | None = None

    @property
    def game(self) -> bool:
        """Whether a game is played, which says itself what is possible."""
        return self.puts is not None

    def to_state(self) -> DialectState:
        """As JSON data."""
        state: dict[str, Any] = {"held": list(self.held), "places": sorted(self.places.items())}
        if self.at is not None:
            state["at"] = self.at
        if self.relation is not None:
            state["relation"] = str(self.relation)
        if self.puts is not None:
            state["puts"] = [[place, str(how)] for place, how in self.puts.items()]
        return state

    @classmethod
    def of(cls, state: DialectState) -> ParseContext:
        """The context from the data of `to_state`."""
        relation = state.get("relation")
        return cls(
            state.get("at"),
            None if relation is None else Relation(relation),
            tuple(state.get("held", ())),
            dict(state.get("places", ())),
            {place: Relation(how) for place, how in state["puts"]} if "puts" in state else None,
        )


def joined(category: str) -> str:
    """ "soapbar" from "soap bar"."""
    return category.replace(" ", "")


def name(names: Names, node_id: int) -> str:
    """ "soapbar 2"."""
    category, number = names.number(node_id)
    return f"{joined(category)} {number}"


# --- action to text ------------------------------------------------------------------------------


def word(names: Names, action: Action) -> str:
    """The text of an action that names only its own things, and parses in any context."""
    if action.target is None:
        return next(text for text, value in _ALONE.items() if value == action)
    if action.verb in GAME_ONLY_VERBS and action.place is not None:
        things = name(names, action.target), name(names, action.place)
        return f"{action.verb} {things[0]} {_WITH} {things[1]}"
    return reactree_grammar.phrased(action, PHRASES, partial(name, names))


def take(names: Names, thing: int, place: int) -> str:
    """The text of taking a thing from a place."""
    return f"{word(names, pick_up(thing))} from {name(names, place)}"


def cut(names: Names, thing: int, knife: int) -> str:
    """The text of slicing a thing with a knife."""
    return f"{word(names, slice_(thing))} with {name(names, knife)}"


def put_short(names: Names, action: Action) -> str:
    """The games' text of a put, for the receptacle where the agent is."""
    assert action.target is not None
    assert action.place is not None
    thing, place = name(names, action.target), name(names, action.place)
    return f"{PHRASES[Verb.PUT]} {thing} {PUT_PREPOSITION} {place}"


# --- text to action ------------------------------------------------------------------------------


def parse(text: str, names: Names, perceived: Container[int], now: ParseContext) -> Action:
    """Parse a text; letter case and surrounding spaces are ignored. Raises Refusal."""
    said = text.strip().lower()
    if said in _ALONE and (now.game or _ALONE[said].verb not in GAME_ONLY_VERBS):
        return _ALONE[said]
    for phrase in _PLANNER_KEYWORDS:
        if said == phrase or said.startswith((f"{phrase} ", f"{phrase}:")):
            raise Refusal(f"'{phrase}' is a move inside a planner; it must handle it itself.")
    for verb, phrase in _LONGEST_FIRST:
        if not said.startswith(f"{phrase} ") or (verb in GAME_ONLY_VERBS and not now.game):
            continue
        things, words = _things(said[len(phrase) + 1 :], names, perceived)
        target = things[0]
        if len(things) == 1:
            if verb in GAME_ONLY_VERBS:
                raise Refusal(_NO_ACTION)
            if verb in (Verb.PUT, Verb.POUR):
                where = PUT_PREPOSITION if verb is Verb.PUT else reactree_grammar.INTO
                raise Refusal(f"It has to be said where; say '{phrase} O {where} R'.")
            return Action(verb, target)
        return _with_two(verb, target, words, things[1], now)
    raise Refusal(_NO_ACTION)


def _with_two(verb: Verb, thing: int, how: str, other: int, now: ParseContext) -> Action:
    match verb, how:
        case Verb.PICK_UP, "from":
            if now.places.get(thing) != other:
                raise Refusal("That is not where you see it; say where you take it from.")
            return pick_up(thing)
        case Verb.SLICE, "with":
            if other not in now.held:
                raise Refusal("You do not hold that; take what cuts first.")
            return slice_(thing)
        case (Verb.PUT, "in/on") | (Verb.MOVE, "to") if now.puts is not None:
            return put(thing, now.puts.get(other, Relation.ON), other)
        case ((Verb.HEAT | Verb.COOL | Verb.CLEAN), "with"):
            return Action(verb, thing, None, other)
        case (Verb.PUT, "in/on") | (Verb.MOVE, "to"):
            if other != now.at or now.relation is None:
                raise Refusal("You are not at any such receptacle; go there first.")
            return put(thing, now.relation, other)
        case Verb.PUT, "in" | "on" | "under":
            return put(thing, reactree_grammar.RELATIONS[how], other)
        case Verb.POUR, reactree_grammar.INTO:
            return pour(thing, other)
    raise Refusal(_NO_ACTION)


def _things(said: str, names: Names, perceived: Container[int]) -> tuple[list[int], str]:
    """The one or two things in the rest of a text, and the word between them."""
    words = said.split(" ")
    if len(words) == 2:
        return [_thing(words, names, perceived)], ""
    if len(words) == 5:
        first = _thing(words[:2], names, perceived)
        return [first, _thing(words[3:], names, perceived)], words[2]
    raise Refusal(_NO_NAME)


def _thing(words: list[str], names: Names, perceived: Container[int]) -> int:
    number = reactree_grammar.number_of(words[1])
    if number is None:
        raise Refusal(_NO_NAME)
    node_id = names.find_said(words[0], number, lambda kind: joined(kind).lower(), perceived)
    if node_id is None:
        raise Refusal(_UNKNOWN_THING)
    return node_id
