"""What the instructions of a run ask for, and where things lie when tasks begin, as JSON data.

For a served model that wants it (see `served_model`). The instruction table stands for what a
language model understands of an instruction; it is made from the goals of the tasks when the run
starts. Each key is an instruction as the planner gets it, each value a list of entries

    {"relation": "inside", "thing": "apple", "count": 2, "place": "fridge"}

relation: "inside", "on" or the like between thing and place; "holds" and "wears", of the agent;
"away" of what is no longer to be at the place; "state" with a `state`; "treated", with "heated",
"cooled", "cleaned", "toasted" or "filled" for a `state`; "event" with the `verbs` of which one has
to be done, events in their order.
thing, place: a category, a list of categories of which any will do, or "you", the agent; of what
lies at one place and is meant whatever it is, "anything".
thing_named, place_named: the thing is the first, second … one of its category that the
instruction names ("apple 3"); without it, any will do, and for a place always the same one.
count: how many things (1 where absent), or "all".
from: where the things lie, and room: the room of the thing, where the instruction says so;
place_room: the room of the place, where it says "in the kitchen", "in Tom's office" (toms office)
or "in meeting room 2" of the one among several that are called alike.
thing_which, place_which: what has the same number is one thing of its category, and what has
another number another one. "A different candle in every basket" is an entry for each basket.
not: where it is true, the thing is not to be there.
meaning: where tasks of the run have the same instruction and ask for different things, from 1 on
for the entries of the second, third … of these, the commonest being the first.

Of alternatives, the first that there are words for counts. That no more than so many are to be
somewhere is left out: nobody brings more than is asked for. There is no id, no number of a thing
and no word on where anything is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from ..observation_text.dialect import Dialect
from ..observation_text.names import Names
from ..scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    EventOccurred,
    Exists,
    ForAll,
    Goal,
    HasState,
    InOrder,
    MeasureInRange,
    Not,
    Or,
    Related,
    Term,
)
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import OPPOSITE, Kind, Relation, State
from ..scene_graph.task import Task
from ..skills.events import APPLIANCE_EVENTS
from .briefing import instruction_of, named_first, worded_instruction

#: The agent, among things.
YOU = "you"
#: Whatever lies at a place.
ANYTHING = "anything"

Entry = dict[str, Any]


class _Quantified(NamedTuple):
    """What a variable of a goal stands for, and how many of it. which: of several told apart."""

    domain: Domain
    number: int | str
    which: int = 0


_Bound = Mapping[str, _Quantified]


def instruction_table(
    tasks: Iterable[Task],
    truth_of: Callable[[Task], SceneGraph],
    dialect: Dialect | None = None,
) -> dict[str, list[Entry]]:
    """The table for some tasks, keyed by the instruction as the planner reads it.

    truth_of: the true state that a task begins in, which tells what the things are. dialect: words
    the instruction; None leaves it as it is written. Tasks whose goal the table has no words for
    (something measured, say) are left out.
    """
    meanings: dict[str, list[list[Entry]]] = {}
    for task in tasks:
        truth = truth_of(task)
        names = Names()
        names.append_in_order(named_first(task, truth))
        name = _namer(names, truth.agent().id)
        reader = _Reader(truth, names, instruction_of(task, name))
        with suppress(_Beyond):
            entries = list(reader.entries(task.goal, {}))
            if entries:
                meanings.setdefault(_worded(task, name, dialect, truth), []).append(entries)
    return {instruction: _numbered(found) for instruction, found in meanings.items()}


def _namer(names: Names, agent: int) -> Callable[[int], str]:
    return lambda node: YOU if node == agent else names(node)


def _worded(
    task: Task, name: Callable[[int], str], dialect: Dialect | None, truth: SceneGraph
) -> str:
    """The instruction as the planner reads it."""
    if dialect is None:
        return instruction_of(task, name)
    return worded_instruction(task, name, dialect, truth)


def _numbered(meanings: list[list[Entry]]) -> list[Entry]:
    """The entries of all that tasks of one instruction ask for, the commonest first."""
    different: list[list[Entry]] = []
    for entries in sorted(meanings, key=meanings.count, reverse=True):
        if entries not in different:
            different.append(entries)
    return [
        {**entry, "meaning": number} if number else entry
        for number, entries in enumerate(different)
        for entry in entries
    ]


def named_in(instruction: str, category: str) -> list[str]:
    """The things of a category that an instruction names, such as "apple 3", in its order."""
    found = re.findall(rf"(?<!\w){re.escape(category)} \d+(?!\w)", instruction, re.IGNORECASE)
    return list(dict.fromkeys(name.lower() for name in found))


def _once(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Entries without what was said before; events may have to happen again."""
    said: list[Entry] = []
    for entry in entries:
        if entry["relation"] == "event" or entry not in said:
            said.append(entry)
            yield entry


def _are_paired(one: AtLeast, other: AtLeast) -> bool:
    """Whether so many things are each to be at a place, and as many places to have one each."""
    match one.body, other.body:
        case Exists(a, _, Related() as there), Exists(b, _, Related() as has):
            return (a, b) == (other.variable, one.variable) and there == has
    return False


def _related(goal: Goal, negated: bool = False) -> Iterator[tuple[Related, bool]]:
    """The relations in a goal, and whether they are not to hold."""
    match goal:
        case Related():
            yield goal, negated
        case Not(part):
            yield from _related(part, not negated)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _related(part, negated)
        case Exists() | ForAll() | AtLeast():
            yield from _related(goal.body, negated)


class _Beyond(Exception):
    """A goal that the table has no words for."""


class _Reader:
    """Turns the goal of one task into entries."""

    def __init__(self, truth: SceneGraph, names: Names, instruction: str) -> None:
        """names: of the things that the instruction names."""
        self._truth = truth
        self._names = names
        self._instruction = instruction
        self._said = instruction.lower().replace("'", "")
        self._told_apart: Counter[Domain] = Counter()

    def entries(self, goal: Goal, bound: _Bound) -> Iterator[Entry]:
        match goal:
            case And((AtLeast() as one, AtLeast() as other)) if _are_paired(one, other):
                ((there, _),) = _related(other)
                yield from self.entries(other if there.target == other.variable else one, bound)
            case And(parts):
                yield from _once(entry for part in parts for entry in self.entries(part, bound))
            case Or(parts):
                yield from self._alternatives(parts, bound)
            case AtLeast(count, variable, domain, body):
                yield from self._quantified(variable, _Quantified(domain, count), body, bound)
            case Exists(variable, domain, body):
                yield from self._quantified(variable, _Quantified(domain, 1), body, bound)
            case ForAll(variable, domain, body):
                yield from self._quantified(variable, _Quantified(domain, "all"), body, bound)
            case InOrder(parts):
                for part in parts:
                    yield from self.entries(part, bound)
            case EventOccurred((how,), (thing,), _) if (
                how in APPLIANCE_EVENTS and thing is not None
            ):
                entry = {"relation": "treated", **self._term("thing", thing, bound)}
                yield {**entry, **self._count(thing, bound), "state": how}
            case EventOccurred(verbs, _, _):
                yield {"relation": "event", "verbs": list(verbs)}
            case HasState(thing, state):
                entry = {"relation": "state", **self._term("thing", thing, bound)}
                entry |= self._room(thing)
                yield {**entry, **self._count(thing, bound), "state": str(state)}
            case Related(source, Relation.HOLDS, target):  # by the one agent
                yield {"relation": "holds", **self._term("thing", target, bound)}
            case Related(source, Relation.ON, target) if self._is_agent(target):
                yield {"relation": "wears", **self._term("thing", source, bound)}
            case Related(source, relation, target):
                entry = {"relation": str(relation), **self._term("thing", source, bound)}
                entry |= self._count(source, bound) | self._origin(source, bound)
                yield {**entry, **self._term("place", target, bound), **self._place_room(target)}
            case Not(Related(str() as source, _, target)) if self._means_anything(source, bound):
                entry = {"relation": "away", **self._term("thing", source, bound)}
                entry |= self._count(source, bound)
                yield {**entry, "thing": ANYTHING, **self._term("place", target, bound)}
            case Not(Not(part)):
                yield from self.entries(part, bound)
            case Not(HasState(thing, (State.OPEN | State.ON) as state)):
                yield from self.entries(HasState(thing, OPPOSITE[state]), bound)
            case Not(Related() as part):
                yield from ({**entry, "not": True} for entry in self.entries(part, bound))
            case Not(Exists(variable, domain, body) | AtLeast(1, variable, domain, body)):
                yield from self.entries(ForAll(variable, domain, Not(body)), bound)
            case Not(AtLeast()):
                return
            case Not() | MeasureInRange():
                raise _Beyond

    def _quantified(
        self, variable: str, stands_for: _Quantified, body: Goal, bound: _Bound
    ) -> Iterator[Entry]:
        """The body's entries; of several places, those for each, and told apart."""
        keeping = [part for part in _related(body) if part[0].target == variable]
        if not keeping:
            yield from self.entries(body, {**bound, variable: stands_for})
            return
        count, domain = self._number(stands_for), stands_for.domain
        numbers = range(1, count + 1) if count > 1 else range(count)
        if count == 1 and any(negated for _, negated in keeping):
            self._told_apart[domain] += 1
            numbers = range(self._told_apart[domain], self._told_apart[domain] + 1)
        for which in numbers:
            place = _Quantified(domain, 1, which)
            yield from self.entries(body, {**bound, variable: place})

    def _number(self, stands_for: _Quantified) -> int:
        domain, count, _ = stands_for
        if isinstance(count, int):
            return count
        if domain.ids is not None:
            return len(domain.ids)
        return sum(node.category in (domain.categories or ()) for node in self._truth.nodes())

    def _alternatives(self, parts: tuple[Goal, ...], bound: _Bound) -> Iterator[Entry]:
        """The first of some alternatives that there are words for."""
        for part in parts:
            with suppress(_Beyond):
                yield from list(self.entries(part, bound))
                return
        raise _Beyond

    def _term(self, field: str, term: Term, bound: _Bound) -> Entry:
        if isinstance(term, int):
            return self._node(field, term)
        domain, _, which = bound[term]
        if domain.kind is Kind.AGENT:
            return {field: YOU}
        categories = domain.categories
        if domain.ids is not None:
            categories = frozenset(self._truth[i].category for i in domain.ids if i in self._truth)
        if not categories:
            raise _Beyond
        ordered = sorted(categories)
        told: Entry = {field: ordered[0] if len(ordered) == 1 else ordered}
        return {**told, f"{field}_which": which} if which else told

    def _node(self, field: str, node_id: int) -> Entry:
        node = self._truth.get(node_id)
        if node is None:
            raise _Beyond
        if node.kind is Kind.AGENT:
            return {field: YOU}
        if node_id not in self._names.numbers:
            return {field: node.category}
        named = named_in(self._instruction, node.category)
        return {field: node.category, f"{field}_named": named.index(self._names(node_id)) + 1}

    def _count(self, term: Term, bound: _Bound) -> Entry:
        count = 1 if isinstance(term, int) else bound[term].number
        return {} if count == 1 else {"count": count}

    def _origin(self, term: Term, bound: _Bound) -> Entry:
        """Where all things that a variable stands for lie, if the instruction speaks of it."""
        ids = bound[term][0].ids if isinstance(term, str) else None
        kept_by = {
            place for i in ids or () if i in self._truth for _, place in self._truth.places(i)
        }
        if len(kept_by) != 1 or bound[str(term)].number != "all":
            return {}
        if not self._means_anything(str(term), bound):
            return {}
        category = self._truth[kept_by.pop()].category
        return {"thing": ANYTHING, "from": category} if self._speaks_of(category) else {}

    def _means_anything(self, variable: str, bound: _Bound) -> bool:
        """Whether a variable stands for things of which the instruction says no category."""
        ids = bound[variable].domain.ids or ()
        kinds = {self._truth[i].category for i in ids if i in self._truth}
        return bool(kinds) and not any(map(self._speaks_of, kinds))

    def _room(self, term: Term) -> Entry:
        """The room of a thing that has no name, if the instruction speaks of it."""
        if not isinstance(term, int) or term in self._names.numbers or self._is_agent(term):
            return {}
        room = self._truth.room_of(term)
        category = "" if room is None else self._truth[room].category
        return {"room": category} if category and self._speaks_of(category) else {}

    def _place_room(self, term: Term) -> Entry:
        """The room of a place that has no name and is one of several, if it is said to be in it."""
        if not isinstance(term, int) or term in self._names.numbers or self._is_agent(term):
            return {}
        alike = [n for n in self._truth.nodes() if n.category == self._truth[term].category]
        room = self._truth.room_of(term)
        if room is None or len(alike) < 2:
            return {}
        rooms = [n.id for n in self._truth.nodes(Kind.ROOM)]
        category = self._truth[room].category
        named = [i for i in rooms if self._truth[i].category == category]
        name = f"{category} {named.index(room) + 1}" if len(named) > 1 else category
        is_said = re.search(rf"\bin (?:the )?{re.escape(name)}(?!\w)", self._said)
        return {"place_room": name} if is_said else {}

    def _speaks_of(self, category: str) -> bool:
        return category in self._said

    def _is_agent(self, term: Term) -> bool:
        node = self._truth.get(term) if isinstance(term, int) else None
        return node is not None and node.kind is Kind.AGENT


def places_table(
    tasks: Sequence[Task],
    truth_of: Callable[[Task], SceneGraph],
    dialect: Dialect | None = None,
) -> dict[str, dict[str, list[str]]]:
    """Where things lie by instruction, {"tea box": ["fridge cooler layer"]} of categories alone.

    It stands for how good a language model's guesses of places are. truth_of: the true state that a
    task begins in. dialect: as for `instruction_table`.
    """
    table: dict[str, dict[str, list[str]]] = {}
    for task in tasks:
        truth = truth_of(task)
        names = Names()
        names.append_in_order(named_first(task, truth))
        places = table.setdefault(_worded(task, names, dialect, truth), {})
        for thing in truth.nodes(Kind.OBJECT):
            for _, place in truth.places(thing.id):
                category = truth[place].category
                known = places.setdefault(thing.category, [])
                if category not in known:
                    known.append(category)
    return table
