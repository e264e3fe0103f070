"""The skills of whole plans, and the skill that a line of a plan means.

Rooms and furniture are named with their numbers, objects without: "go to kitchen table 2", "pick up
apple". Which apple it is depends on what is perceived at execution.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ....models.embedding import DEFAULT, embedder
from ....observation_text.dialects.reactree.grammar import PHRASES, PREPOSITIONS
from ....observation_text.names import Named
from ....scene_graph.node import Kind, Relation
from ....skills.actions import Action, Verb
from ...contract import Brief, Percept, Thing
from .house import dialect_of, named

#: The verbs of the paper's list, and two that other tasks need.
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
#: Verbs that apply to objects only.
_OBJECTS_ONLY = frozenset({Verb.PICK_UP, Verb.PUT, Verb.SLICE})
#: The paper's verbs for objects.
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
_PUT_NUMBER = re.compile(r"^(put down .+?) \d+ (in|on) ")
_PUT_PLACE = re.compile(r"^(put down .+?) (?:in|into|on|onto|under) .+$")


@dataclass(frozen=True)
class Skill:
    """A skill, as a line of a plan names it."""

    text: str
    """The words of the line."""
    verb: Verb | None = None
    """None for the end of a plan."""
    thing: int | None = None
    """The id of a room or piece of furniture; for a put of a body that does not walk, its place."""
    category: str = ""
    """The category of an object; any object of it will do."""
    into: tuple[str, str] | None = None
    """For a put at a place that it names: "in" or "on", and the place's category."""


#: The end of a plan.
DONE = Skill("done")


class Skills:
    """The skills in a house whose furniture and objects are granted."""

    def __init__(self, brief: Brief, embedder_name: str = DEFAULT) -> None:
        """embedder_name: compares lines with skills, see `models.embedding`."""
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
        """The skill that a line names, or else the most similar one by sentence embedding."""
        said = _plain(_BULLET.sub("", line))
        put = _PUT_INTO.match(said)
        if put is not None and put[1] in self._kinds and put[3] in self._kinds:
            return self._put_into(self._kinds[put[1]], put[2], self._kinds[put[3]])
        placed = _PUT_NUMBER.sub(r"\1 \2 ", said)
        for form in (said, placed, _LAST_NUMBER.sub("", said), _PUT_PLACE.sub(r"\1", said)):
            skill = self._by_text.get(form) or self._by_text.get(_LAST_NUMBER.sub("", form))
            if skill is not None:
                return skill
        return self._most_similar(said)

    def of(self, action: Action) -> Skill | None:
        """The skill of an action; None if there is none."""
        into = self._objects.get(action.place) if action.place is not None else None
        if action.target in self._objects and into is not None and action.relation is not None:
            how = PREPOSITIONS[action.relation]
            return self._put_into(self._objects[action.target], how, into)
        for skill in self._by_text.values():
            if skill.verb is action.verb and self._is_of(skill, action):
                return skill
        return None

    def action(self, skill: Skill, percept: Percept) -> str:
        """The action of a skill now, in the dialect, with the nearest perceived object.

        An object that was not perceived gets its first number, and the action fails.
        """
        assert skill.verb is not None, "the end of a plan is no action"
        phrase = PHRASES[skill.verb]
        at = "" if skill.thing is None else self._dialect.called(named(self._things[skill.thing]))
        if not skill.category:
            return f"{phrase} {at}"
        said = f"{phrase} {self._nearest(skill.category, percept, held=skill.verb is Verb.PUT)}"
        if skill.into is None:
            return said
        how, category = skill.into
        return f"{said} {how} {at or self._nearest(category, percept, held=False)}"

    def _put_into(self, category: str, how: str, place: str) -> Skill:
        kind, into = self._dialect.kind(category), self._dialect.kind(place)
        return Skill(
            f"{PHRASES[Verb.PUT]} {kind} {how} {into}", Verb.PUT, None, category, (how, place)
        )

    def _puts_at_furniture(self, category: str) -> Iterator[Skill]:
        """The puts of a body that cannot go to a place first: each names its furniture."""
        for place in self._brief.fixtures or ():
            for how in (PREPOSITIONS[Relation.INSIDE], PREPOSITIONS[Relation.ON]):
                into = self._dialect.called(named(place))
                text = f"{PHRASES[Verb.PUT]} {self._dialect.kind(category)} {how} {into}"
                yield Skill(text, Verb.PUT, place.id, category, (how, place.category))

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
                if verb is Verb.PUT and Verb.GO_TO not in brief.actions:
                    yield from self._puts_at_furniture(category)
                    continue
                name = dialect.kind(category)
                yield Skill(f"{PHRASES[verb]} {name}", verb, category=category)
        yield DONE

    def _most_similar(self, said: str) -> Skill:
        """The most similar skill; on objects only by the paper's two verbs."""
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

    def _is_of(self, skill: Skill, action: Action) -> bool:
        if not skill.category:
            return skill.thing == action.target
        if action.target is None or self._objects.get(action.target) != skill.category:
            return False
        if skill.thing is None or skill.into is None:
            return True
        how = None if action.relation is None else PREPOSITIONS[action.relation]
        return skill.thing == action.place and how == skill.into[0]

    def _nearest(self, category: str, percept: Percept, *, held: bool) -> str:
        """The nearest object of a category in sight. held: the held one, or only others."""
        view = percept.view
        in_hand, close = frozenset(view.held()), frozenset(view.within_reach())
        near = [
            (
                (node.id in in_hand) is not held,
                node.id not in close,
                int(percept.names[node.id].rpartition(" ")[2]),
            )
            for node in view.graph.nodes(Kind.OBJECT)
            if node.category == category
        ]
        return self._dialect.called(Named(category, min(near)[-1] if near else 1))


def _wordings(text: str, skill: Skill) -> Iterator[str]:
    """Yield a skill in its own words and in everyday words."""
    yield text
    if skill.verb is not None:
        name = text.removeprefix(f"{PHRASES[skill.verb]} ")
        yield from (f"{verb} {name}" for verb in _EVERYDAY.get(skill.verb, ()))


def _plain(text: str) -> str:
    """A line without brackets around numbers, outer punctuation and capitals."""
    return " ".join(_BRACKETS.sub(r" \1", text).strip(" \t.`'\"").lower().split())
