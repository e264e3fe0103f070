"""The action grammar of the dialect `reactree`: action to text and back, strictly.

After Choi et al., ReAcTree (2025), appendix B: `go to NAME i`, `pick up NAME i`, `put down NAME i`,
`open NAME i`, `close NAME i`, `turn on NAME i`. Other verbs are worded in the same way: `pour NAME
i into NAME i` with two things, `stand up` and the like with none.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from difflib import SequenceMatcher
from functools import partial

from ....scene_graph.node import Relation
from ....skills.actions import (
    GAME_ONLY_VERBS,
    WITHOUT_TARGET,
    Action,
    Verb,
    look,
    pour,
    put,
    sleep,
    stand_up,
    wait,
    wake_up,
)
from ...dialect import Refusal
from ...names import Names

#: ReAcTree's names of kinds of things, by category, if they differ. Only texts use these names;
#: goals and graphs keep the categories that all simulators share.
PUBLISHED = {
    "character": "user",
    "chinese food": "Chinese food",
    "microwave": "microwave oven",
}
#: The category by published name in lower case.
CATEGORIES = {name.lower(): category for category, name in PUBLISHED.items()}

_PHRASES = {
    Verb.PUT: "put down",
    Verb.PLUG_OUT: "unplug",
    Verb.SIT: "sit on",
    Verb.LIE_DOWN: "lie down on",
    Verb.TYPE: "type on",
    Verb.LOOK: "look at",
}
#: The words before the name of the target.
PHRASES = {
    verb: _PHRASES.get(verb, verb.replace("_", " "))
    for verb in Verb
    if verb not in WITHOUT_TARGET | GAME_ONLY_VERBS
}
PREPOSITIONS = {Relation.INSIDE: "in", Relation.ON: "on", Relation.UNDER: "under"}
#: The word before the recipient of a liquid.
INTO = "into"

#: The actions without a target, by their text.
ALONE = {
    "stand up": stand_up(),
    "sleep": sleep(),
    "wake up": wake_up(),
    "look around": look(),
    "wait": wait(),
}
_TEXT_ALONE = {action.verb: text for text, action in ALONE.items()}
_PLANNER_KEYWORDS = ("recall location of", "done", "failure")
RELATIONS = {word: relation for relation, word in PREPOSITIONS.items()}

# A hidden thing and one that does not exist must read alike: the name is not repeated.
_UNKNOWN_THING = (
    "You have seen no such thing so far; call a thing by its name and number in an observation."
)
#: The destination of `put down` without a place: the relation and the last receptacle visited.
Receptacle = tuple[Relation, int]


def published(category: str) -> str:
    """The name of a category in texts; types of AI2-THOR stay as they are."""
    return PUBLISHED.get(category, category)


def named(names: Names, node_id: int) -> str:
    """The name of a node in actions: "microwave oven 1"."""
    category = names.number(node_id)[0]
    return published(category) + names(node_id)[len(category) :]


def find(names: Names, name: str, number: int) -> int | None:
    """The node of a name, by the published name or by its category in lower case."""
    node_id = names.find(name, number)
    return names.find(CATEGORIES.get(name, name), number) if node_id is None else node_id


# --- action to text ------------------------------------------------------------------------------


def word(names: Names, action: Action) -> str:
    """The text of an action. A put names its place, so the text parses in any state."""
    if action.target is None:
        return _TEXT_ALONE[action.verb]
    return phrased(action, PHRASES, partial(named, names))


def phrased(action: Action, phrases: Mapping[Verb, str], name: Callable[[int], str]) -> str:
    """The text of an action on a thing: the verb's phrase, the thing, where it is put or poured."""
    text = " ".join([phrases.get(action.verb, action.verb), name(action.things[0])])
    if action.place is None:
        return text
    how = INTO if action.relation is None else PREPOSITIONS[action.relation]
    return f"{text} {how} {name(action.place)}"


def worded(action: Action, names: Mapping[int, str]) -> str:
    """An action with plain names ("kitchen table 1"), the same in every dialect."""
    if action.target is None:
        return "look around" if action.verb is Verb.LOOK else action.verb.replace("_", " ")
    return phrased(action, PHRASES, lambda thing: names.get(thing, "something"))


# --- text to action ------------------------------------------------------------------------------


def parse(
    text: str, names: Names, perceived: Container[int], receptacle: Receptacle | None
) -> Action:
    """Parse a text; letter case and surrounding spaces are ignored. Raises Refusal."""
    said = text.strip().lower()
    for phrase, action in ALONE.items():
        if said == phrase:
            return action
        if said.startswith(f"{phrase} "):
            raise Refusal(f"Nothing may follow '{phrase}'.")
    for phrase in _PLANNER_KEYWORDS:
        if said == phrase or said.startswith(f"{phrase} "):
            raise Refusal(
                f"'{phrase}' is a move inside a planner and changes nothing in the house; "
                f"the planner must handle it itself."
            )
    for verb, phrase in PHRASES.items():
        if said == phrase or said.startswith(f"{phrase} "):
            words = said.split(" ")[phrase.count(" ") + 1 :]
            if verb is Verb.PUT:
                return _put(words, names, perceived, receptacle)
            if verb is Verb.POUR:
                return _pour(words, names, perceived)
            return Action(verb, _thing(phrase, words, names, perceived))
    raise Refusal(_no_such_verb(said))


def _put(
    words: list[str], names: Names, perceived: Container[int], receptacle: Receptacle | None
) -> Action:
    phrase = PHRASES[Verb.PUT]
    for i in range(1, len(words) - 1):
        relation = RELATIONS.get(words[i])
        if relation is not None and number_of(words[i - 1]) is not None:
            thing = _thing(phrase, words[:i], names, perceived)
            usage = f"{phrase} NAME NUMBER {words[i]}"
            return put(thing, relation, _thing(usage, words[i + 1 :], names, perceived))
    thing = _thing(phrase, words, names, perceived)
    if receptacle is None:
        raise Refusal(
            f"'{phrase} NAME NUMBER' uses the last receptacle you went to, and you went to none; "
            f"go to one, or say '{phrase} NAME NUMBER in|on NAME NUMBER'."
        )
    return put(thing, *receptacle)


def _pour(words: list[str], names: Names, perceived: Container[int]) -> Action:
    phrase = PHRASES[Verb.POUR]
    for i in range(1, len(words) - 1):
        if words[i] == INTO and number_of(words[i - 1]) is not None:
            thing = _thing(phrase, words[:i], names, perceived)
            usage = f"{phrase} NAME NUMBER {INTO}"
            return pour(thing, _thing(usage, words[i + 1 :], names, perceived))
    raise Refusal(f"It has to be said what into; say '{phrase} NAME NUMBER {INTO} NAME NUMBER'.")


def _thing(usage: str, words: list[str], names: Names, perceived: Container[int]) -> int:
    """The perceived thing of a name; all words must belong to it."""
    number = number_of(words[-1]) if words else None
    if number is None:
        if any(number_of(word) is not None for word in words[1:]):
            raise Refusal(f"There are words after the number; say only '{usage} NAME NUMBER'.")
        raise Refusal(f"A number is missing; say '{usage} NAME NUMBER', without brackets.")
    node_id = find(names, " ".join(words[:-1]), number)
    if node_id is None or node_id not in perceived:
        raise Refusal(_UNKNOWN_THING)
    return node_id


def number_of(word: str) -> int | None:
    """Parse the number of a name: from 1, without leading zeros; None for any other word."""
    plain = word.isascii() and word.isdigit() and word[0] != "0" and len(word) < 10
    return int(word) if plain else None


def _no_such_verb(said: str) -> str:
    phrases = [*PHRASES.values(), *ALONE]
    similarity, nearest = max((_similarity(said[:60], phrase), phrase) for phrase in phrases)
    if similarity >= 0.6:
        return f"There is no such action. Did you mean '{nearest}'?"
    return f"There is no such action. The actions are: {', '.join(phrases)}."


def _similarity(said: str, phrase: str) -> float:
    """The similarity of a text's start to a phrase, in [0, 1]; "goto" is like "go to"."""
    words = said.split(" ")
    beginnings = {" ".join(words[: phrase.count(" ") + 1]), words[0]}
    return max(SequenceMatcher(None, beginning, phrase).ratio() for beginning in beginnings)
