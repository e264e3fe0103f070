"""Goals of BEHAVIOR-1K activities as our goals.

They agree with bddl's own evaluation, including its peculiarities: `forn` means exactly N, and
`forpairs` is no matching. It requires that as many of each sort as there are of the rarer one have
some partner.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...errors import BadInput
from ...scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    Exists,
    ForAll,
    Goal,
    HasState,
    Not,
    Or,
    Related,
    Term,
)
from ...scene_graph.node import Relation, State
from .bddl_files import Activity, Atom, Condition, Joined, Quantified
from .taxonomy import english

RELATIONS = {"ontop": Relation.ON, "inside": Relation.INSIDE}
STATES = {"open": State.OPEN, "toggled_on": State.ON}


def to_goal(activity: Activity, ids: Mapping[str, int]) -> Goal:
    """The goal of an activity. ids: the node of each of its objects.

    Raises BadInput for a predicate that scene graphs lack, and for pairs of one sort.
    """
    return _Translation(activity, ids).of(activity.goal, {})


class _Translation:
    def __init__(self, activity: Activity, ids: Mapping[str, int]) -> None:
        self._activity = activity
        self._ids = ids

    def of(self, condition: Condition, names: Mapping[str, str]) -> Goal:
        """The goal of a condition. names: our names of the variables bound around it."""

        def term(word: str) -> Term:
            return names[word] if word in names else self._ids[word]

        match condition:
            case Atom(predicate, (thing,)) if predicate in STATES:
                return HasState(term(thing), STATES[predicate])
            case Atom(predicate, (thing, place)) if predicate in RELATIONS:
                return Related(term(thing), RELATIONS[predicate], term(place))
            case Atom(predicate, _):
                raise BadInput(
                    f"The goal of {self._activity.name} uses '{predicate}', which scene graphs "
                    f"lack; choose an activity with only {', '.join((*RELATIONS, *STATES))}."
                )
            case Joined("and", parts):
                return And(tuple(self.of(part, names) for part in parts))
            case Joined("or", parts):
                return Or(tuple(self.of(part, names) for part in parts))
            case Joined("imply", (premise, consequence)):
                return Or((Not(self.of(premise, names)), self.of(consequence, names)))
            case Joined(_, parts):
                return Not(self.of(parts[0], names))
            case Quantified(word, count, ((variable, synset),), body):
                name = _name(synset, names)
                domain, part = self._domain(synset), self.of(body, {**names, variable: name})
                if word == "forall":
                    return ForAll(name, domain, part)
                if word == "exists" or count is None:
                    return Exists(name, domain, part)
                least = AtLeast(count, name, domain, part)
                return And((least, Not(AtLeast(count + 1, name, domain, part))))
            case Quantified(_, count, ((one, its), (other, others)), body):
                if its == others:
                    raise BadInput(
                        f"The goal of {self._activity.name} pairs {its} with itself, which is not "
                        f"supported; choose an activity that pairs two sorts."
                    )
                if count is None:
                    objects = self._activity.objects
                    count = min(len(objects[its]), len(objects[others]))
                name = _name(its, names)
                second = _name(others, {**names, one: name})
                part = self.of(body, {**names, one: name, other: second})
                row, column = self._domain(its), self._domain(others)
                return And(
                    (
                        AtLeast(count, name, row, Exists(second, column, part)),
                        AtLeast(count, second, column, Exists(name, row, part)),
                    )
                )
        raise AssertionError(condition)  # excluded by the reader

    def _domain(self, synset: str) -> Domain:
        return Domain(ids=frozenset(self._ids[thing] for thing in self._activity.objects[synset]))


def _name(synset: str, names: Mapping[str, str]) -> str:
    """A name for a variable: a noun that no outer variable has, valid in PDDL."""
    noun = re.sub("[^a-z0-9]+", "_", english(synset)).strip("_")
    noun = noun if noun[:1].isalpha() else f"a_{noun}"
    taken = set(names.values())
    return next(
        name for name in (noun, *(f"{noun}_{n}" for n in range(2, 99))) if name not in taken
    )
