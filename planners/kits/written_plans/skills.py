"""The skills that whole plans are made of, and the skill that a line of a plan means.

Rooms and furniture are named with their numbers, objects without: "go to kitchen table 2", "pick up
apple". Which apple that is follows from what is perceived when it is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ....observation_text.dialects.reactree.grammar import PHRASES, PREPOSITIONS
from ....observation_text.sightings import Named
from ....scene_graph.node import Kind
from ....skills.actions import Action, Verb
from ...contract import Brief, Percept, Thing
from ..memory.embedders import DEFAULT, embedder
from .house import dialect_of, named

#: The verbs of the paper's list, and two that further tasks need where the world has them.
VERBS = (
    Verb.GO_TO,
    Verb.PICK_UP,
    Verb.PUT,
    Verb.OPEN,
    Verb.CLOSE,
    Verb.TURN_ON,
    Verb.TURN_OFF,
    Verb.SLICE,
)
#: What is done with objects alone.
_OBJECTS_ONLY = frozenset({Verb.PICK_UP, Verb.PUT, Verb.SLICE})
#: What the paper's skills do with objects.
_MOVING = frozenset({Verb.PICK_UP, Verb.PUT})

#: Everyday words for verbs. Small embedders take "grab" for no more like "pick up" than "put down".
_EVERYDAY = {
    Verb.GO_TO: ("walk to", "find"),
    Verb.PICK_UP: ("take", "grab"),
    Verb.PUT: ("place", "drop"),
    Verb.CLOSE: ("shut",),
    Verb.TURN_ON: ("switch on", "use"),
    Verb.TURN_OFF: ("switch off",),
}

_BULLET = re.compile(r"^\s*(?:[-*>]|\d+\s*[.):]|step \d+\s*[.):]?)\s+", re.IGNORECASE)
_BRACKETS = re.compile(r"\s*\(\s*(\d+)\s*\)")
_LAST_NUMBER = re.compile(r" \d+$")
_PUT_INTO = re.compile(r"^put down (.+?)(?: \d+)? (in|on)(?:to)? (.+?)(?: \d+)?$")
_PUT_PLACE = re.compile(r"^(put down .+?) (?:in|into|on|onto|under) .+$")


@dataclass(frozen=True)
class Skill:
    """Something that can be done, as a line of a plan says it.

    verb: None of the end. thing: the one that is meant. category: of which any object will do.
    into: what it is put into or onto, where that is an object too: "in" or "on" and its category.
    """

    text: str
    verb: Verb | None = None
    thing: int | None = None
    category: str = ""
    into: tuple[str, str] | None = None


#: The end of a plan.
DONE = Skill("done")


class Skills:
    """The skills in a house whose furniture and objects are granted."""

    def __init__(self, brief: Brief, embedder_name: str = DEFAULT) -> None:
        """embedder_name: what compares lines with skills, see `memory.embedders`."""
        self._brief = brief
        self._embedder_name = embedder_name
        self._dialect = dialect_of(brief)
        self.verbs = tuple(PHRASES[verb] for verb in VERBS if verb in brief.actions)
        self._by_text = {_plain(skill.text): skill for skill in self._all()}
        self._things = {thing.id: thing for thing in self._fixed()}
        self._objects = {thing.id: thing.category for thing in brief.inventory or ()}
        self._kinds = {_plain(self._dialect.kind(c)): c for c in self._objects.values()}

    def __len__(self) -> int:
        return len(self._by_text)

    def meant_by(self, line: str) -> Skill:
        """The skill that a line says, or else the most similar one by sentence embedding."""
        said = _plain(_BULLET.sub("", line))
        put = _PUT_INTO.match(said)
        if put is not None and put[1] in self._kinds and put[3] in self._kinds:
            return self._put_into(self._kinds[put[1]], put[2], self._kinds[put[3]])
        for form in (said, _LAST_NUMBER.sub("", said), _PUT_PLACE.sub(r"\1", said)):
            skill = self._by_text.get(form) or self._by_text.get(_LAST_NUMBER.sub("", form))
            if skill is not None:
                return skill
        return self._most_similar(said)

    def of(self, action: Action) -> Skill | None:
        """The skill that an action is done by; None where there is none."""
        into = self._objects.get(action.place) if action.place is not None else None
        if action.target in self._objects and into is not None and action.relation is not None:
            how = PREPOSITIONS[action.relation]
            return self._put_into(self._objects[action.target], how, into)
        for skill in self._by_text.values():
            if skill.verb is action.verb and self._is_of(skill, action.target):
                return skill
        return None

    def action(self, skill: Skill, percept: Percept) -> str:
        """The action of a skill now, in the dialect: any object becomes the nearest perceived.

        One that was perceived nowhere is called by its first number, and the action fails.
        """
        assert skill.verb is not None, "the end of a plan is no action"
        phrase = PHRASES[skill.verb]
        if skill.thing is not None:
            return f"{phrase} {self._dialect.called(named(self._things[skill.thing]))}"
        said = f"{phrase} {self._nearest(skill.category, percept, held=skill.verb is Verb.PUT)}"
        if skill.into is None:
            return said
        how, category = skill.into
        return f"{said} {how} {self._nearest(category, percept, held=False)}"

    def _put_into(self, category: str, how: str, place: str) -> Skill:
        kind, into = self._dialect.kind(category), self._dialect.kind(place)
        return Skill(
            f"{PHRASES[Verb.PUT]} {kind} {how} {into}", Verb.PUT, None, category, (how, place)
        )

    # --- which skills there are ----------------------------------------------------------------

    def _fixed(self) -> tuple[Thing, ...]:
        return (*self._brief.rooms, *(self._brief.fixtures or ()))

    def _all(self) -> Iterator[Skill]:
        brief, dialect = self._brief, self._dialect
        rooms = {room.id for room in brief.rooms}
        categories = sorted({thing.category for thing in brief.inventory or ()})
        for verb in VERBS:
            if verb not in brief.actions:
                continue
            for thing in self._fixed() if verb not in _OBJECTS_ONLY else ():
                if verb is Verb.GO_TO or thing.id not in rooms:
                    name = dialect.called(named(thing))
                    yield Skill(f"{PHRASES[verb]} {name}", verb, thing=thing.id)
            for category in categories:
                name = dialect.kind(category)
                yield Skill(f"{PHRASES[verb]} {name}", verb, category=category)
        yield DONE

    def _most_similar(self, said: str) -> Skill:
        """The most similar skill; of those with objects the paper's two, others have to be said."""
        wordings = [
            (wording, skill)
            for text, skill in self._by_text.items()
            if not skill.category or skill.verb in _MOVING
            for wording in _wordings(text, skill)
        ]
        texts = [said, *(wording for wording, _ in wordings)]
        vectors = embedder(self._embedder_name).embed(texts)
        return wordings[int((vectors[1:] @ vectors[0]).argmax())][1]

    # --- which things they are done with -------------------------------------------------------

    def _is_of(self, skill: Skill, target: int | None) -> bool:
        if skill.thing is not None or not skill.category:
            return skill.thing == target
        return target is not None and self._objects.get(target) == skill.category

    def _nearest(self, category: str, percept: Percept, *, held: bool) -> str:
        """The nearest object of a category in sight. held: in hand, or else not in hand, if any."""
        view = percept.view
        in_hand, close = frozenset(view.held()), frozenset(view.within_reach())
        found = [
            (
                (node.id in in_hand) is not held,
                node.id not in close,
                int(percept.names[node.id].rpartition(" ")[2]),
            )
            for node in view.graph.nodes(Kind.OBJECT)
            if node.category == category
        ]
        return self._dialect.called(Named(category, min(found)[-1] if found else 1))


def _wordings(text: str, skill: Skill) -> Iterator[str]:
    """A skill in its own words and in those of every day."""
    yield text
    if skill.verb is not None:
        name = text.removeprefix(f"{PHRASES[skill.verb]} ")
        yield from (f"{verb} {name}" for verb in _EVERYDAY.get(skill.verb, ()))


def _plain(text: str) -> str:
    """A line without brackets around numbers, marks at its ends and capitals."""
    return " ".join(_BRACKETS.sub(r" \1", text).strip(" \t.`'\"").lower().split())
