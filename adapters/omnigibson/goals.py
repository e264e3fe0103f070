"""Goals of BEHAVIOR-1K activities as our goals.

They hold exactly where bddl's own evaluation says so, its peculiarities kept: `forn` asks for
exactly N, and `forpairs` is no matching, but asks that as many of each sort as there are of the
rarer one have a partner, whoever that is.
"""

from __future__ import annotations

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

RELATIONS = {"ontop": Relation.ON, "inside": Relation.INSIDE}
STATES = {"open": State.OPEN, "toggled_on": State.ON}


def to_goal(activity: Activity, ids: Mapping[str, int]) -> Goal:
    """The goal of an activity. ids: the node of each of its objects.

    Raises BadInput for a predicate that scene graphs do not have, and for same-sort pairs.
    """
    return _Translation(activity, ids).of(activity.goal)


class _Translation:
    def __init__(self, activity: Activity, ids: Mapping[str, int]) -> None:
        self._activity = activity
        self._ids = ids

    def of(self, condition: Condition) -> Goal:
        match condition:
            case Atom(predicate, (thing,)) if predicate in STATES:
                return HasState(self._term(thing), STATES[predicate])
            case Atom(predicate, (thing, place)) if predicate in RELATIONS:
                return Related(self._term(thing), RELATIONS[predicate], self._term(place))
            case Atom(predicate, _):
                raise BadInput(
                    f"The goal of {self._activity.name} speaks of '{predicate}', which scene "
                    f"graphs do not tell; they tell {', '.join((*RELATIONS, *STATES))}."
                )
            case Joined("and", parts):
                return And(tuple(map(self.of, parts)))
            case Joined("or", parts):
                return Or(tuple(map(self.of, parts)))
            case Joined("imply", (premise, consequence)):
                return Or((Not(self.of(premise)), self.of(consequence)))
            case Joined(_, parts):
                return Not(self.of(parts[0]))
            case Quantified(_, _, binds, _) if len(binds) == 2:
                return self._pairs(condition)
            case Quantified(word, count, ((variable, synset),), body):
                domain, part = self._domain(synset), self.of(body)
                if word == "forall":
                    return ForAll(variable, domain, part)
                if word == "exists" or count is None:
                    return Exists(variable, domain, part)
                least = AtLeast(count, variable, domain, part)
                return And((least, Not(AtLeast(count + 1, variable, domain, part))))
        raise AssertionError(condition)  # the reader lets nothing else through

    def _pairs(self, condition: Quantified) -> Goal:
        (one, its), (other, others) = condition.binds
        if its == others:
            raise BadInput(
                f"The goal of {self._activity.name} pairs {its} with itself, which is not "
                f"supported; give an activity that pairs two sorts."
            )
        count = condition.count
        if count is None:
            objects = self._activity.objects
            count = min(len(objects[its]), len(objects[others]))
        body = self.of(condition.body)
        first, second = self._domain(its), self._domain(others)
        return And(
            (
                AtLeast(count, one, first, Exists(other, second, body)),
                AtLeast(count, other, second, Exists(one, first, body)),
            )
        )

    def _domain(self, synset: str) -> Domain:
        return Domain(ids=frozenset(self._ids[thing] for thing in self._activity.objects[synset]))

    def _term(self, term: str) -> Term:
        return self._ids.get(term, term)
