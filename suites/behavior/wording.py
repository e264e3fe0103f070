"""Instructions in English, made from the goals of BEHAVIOR-1K activities.

bddl's own texts garble names, so we word them ourselves. A thing is called by its name, "{12}"
until the scene is loaded. A category is called by its noun if the task names all of its things in
the scene; else the things are listed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...adapters.omnigibson.bddl_files import Activity, Atom, Condition, Joined, Quantified
from ...adapters.omnigibson.taxonomy import english
from ...scene_graph.goal_text import joined
from ...scene_graph.graph import SceneGraph

_IN = {"inside": "in", "ontop": "on"}
_IS = {"open": ("is open", "is closed"), "toggled_on": ("is switched on", "is switched off")}
_DO = {"open": ("Open", "Close"), "toggled_on": ("Switch on", "Switch off")}

_Words = Mapping[str, str]


def instruction(activity: Activity, graph: SceneGraph, ids: Mapping[str, int]) -> str:
    """The instruction of an activity's goal. ids: the node of each of its objects."""
    return _Wording(activity, graph, ids).of(activity.goal)


class _Wording:
    def __init__(self, activity: Activity, graph: SceneGraph, ids: Mapping[str, int]) -> None:
        self._activity = activity
        self._graph = graph
        self._ids = ids

    def of(self, goal: Condition) -> str:
        parts = goal.parts if isinstance(goal, Joined) and goal.word == "and" else (goal,)
        return " ".join(dict.fromkeys(self._sentence(part) for part in parts))

    def _sentence(self, condition: Condition) -> str:
        asked = self._order(condition, {})
        return f"{asked or f'See to it that {self._clause(condition, {})}'}."

    # --- as an order ---------------------------------------------------------------------------

    def _order(self, condition: Condition, words: _Words) -> str:
        """ "Put every apple on table 1", or "" where an order would be too long."""
        match condition:
            case Atom(predicate, (thing,)) if predicate in _DO:
                return f"{_DO[predicate][0]} {self._name(thing, words)}"
            case Joined("not", (Atom(predicate, (thing,)),)) if predicate in _DO:
                return f"{_DO[predicate][1]} {self._name(thing, words)}"
            case Atom(predicate, (thing, place)) if predicate in _IN:
                name, where = self._name(thing, words), self._name(place, words)
                return f"Put {name} {_IN[predicate]} {where}"
            case Joined("or", _):
                merged = self._merged(condition, words)
                return "" if merged is None else "Put {} {}".format(*merged)
            case Quantified("forpairs" | "fornpairs", _, _, _):
                return self._pairs(condition)
            case Quantified(_, _, ((variable, _),), body):
                return self._order(body, {**words, variable: self._any(condition)})
        return ""

    def _pairs(self, condition: Quantified) -> str:
        """ "Put a different candle in each wicker basket": all of the rarer category are named."""
        match condition:
            case Quantified(_, count, ((one, its), (other, others)), Atom(predicate, terms)) if (
                predicate in _IN
            ):
                sorts = {one: its, other: others}
                thing, place = (sorts[term] for term in terms)
                members = self._activity.objects
                way = _IN[predicate]
                if count is not None and count < min(len(members[thing]), len(members[place])):
                    return f"Put {count} different {english(thing)}s {way} {count} different ones"
                if len(members[place]) <= len(members[thing]):
                    return f"Put a different {english(thing)} {way} {self._each(place)}"
                return f"Put {self._each(thing)} {way} a different {english(place)}"
        return ""

    # --- as a clause ---------------------------------------------------------------------------

    def _clause(self, condition: Condition, words: _Words, *, holds: bool = True) -> str:
        match condition:
            case Atom(predicate, (thing,)) if predicate in _IS:
                return f"{self._name(thing, words)} {_IS[predicate][not holds]}"
            case Atom(predicate, (thing, place)) if predicate in _IN:
                name, where = self._name(thing, words), self._name(place, words)
                return f"{name} is{'' if holds else ' not'} {_IN[predicate]} {where}"
            case Joined("not", (part,)) if isinstance(part, Atom):
                return self._clause(part, words, holds=not holds)
            case Joined("not", (part,)):
                return f"it is not so that {self._clause(part, words)}"
            case Joined("imply", (premise, consequence)):
                first = self._clause(premise, words)
                return f"if {first}, then {self._clause(consequence, words)}"
            case Joined("or", parts):
                merged = self._merged(condition, words)
                if merged is not None:
                    return "{} is {}".format(*merged)
                return f"either {_listed([self._clause(part, words) for part in parts], 'or')}"
            case Joined(_, parts):
                return _listed([self._clause(part, words) for part in parts], "and")
            case Quantified(
                "forall", _, ((variable, synset),), Joined("not", (Atom() as body,))
            ) if len(self._activity.objects[synset]) > 1:
                return self._clause(body, {**words, variable: self._no(synset)})
            case Quantified(word, _, ((variable, synset),), body):
                if len(self._activity.objects[synset]) == 1 and word in ("forall", "exists"):
                    return self._clause(body, {**words, variable: self._members(synset, "and")})
                if isinstance(body, Atom) or self._merged(body, words) is not None:
                    return self._clause(body, {**words, variable: self._any(condition)})
                within = self._clause(body, {**words, variable: f"that {english(synset)}"})
                if word == "forall":
                    return f"for {self._each(synset)}, {within}"
                if word == "exists" and self._alone(synset):
                    return f"there is {self._any(condition)} such that {within}"
                return f"{self._any(condition)} is such that {within}"
        return self._order(condition, words).lower()

    def _merged(self, condition: Condition, words: _Words) -> tuple[str, str] | None:
        """("log 1", "on table 1, log 2 or log 3"), where all alternatives place the same thing.

        Alternatives that would put a thing on itself are left out.
        """
        placed = _placed(condition)
        if placed is None:
            return None
        thing, ways = placed
        where = []
        for predicate in dict.fromkeys(predicate for predicate, _ in ways):
            places = [self._name(place, words) for way, place in ways if way == predicate]
            where.append(f"{_IN[predicate]} {_listed(places, 'or')}")
        return self._name(thing, words), " or ".join(where)

    # --- nouns ---------------------------------------------------------------------------------

    def _name(self, term: str, words: _Words) -> str:
        return words[term] if term in words else f"{{{self._ids[term]}}}"

    def _any(self, condition: Quantified) -> str:
        """The domain of a quantifier of one variable."""
        ((_, synset),) = condition.binds
        match condition.word:
            case "forall":
                return self._each(synset)
            case "exists":
                same = "the same " if self._for_several(condition) else ""
                if self._alone(synset):
                    noun = english(synset)
                    return f"{same or ('an ' if noun[0] in 'aeiou' else 'a ')}{noun}"
                return self._members(synset, "or", one=f"{same}one of ")
        return self._members(synset, "and", one=f"exactly {condition.count} of ")

    def _for_several(self, condition: Quantified) -> bool:
        """Whether the goal asks for one place that serves several things."""
        members = self._activity.objects
        match condition:
            case Quantified(_, _, ((_, one),), Quantified("forall" | "forn", _, ((_, each),), _)):
                return len(members[one]) > 1 and len(members[each]) > 1
        return False

    def _each(self, synset: str) -> str:
        if len(self._activity.objects[synset]) > 1 and self._alone(synset):
            return f"every {english(synset)}"
        return self._members(synset, "and")

    def _no(self, synset: str) -> str:
        if self._alone(synset):
            return f"no {english(synset)}"
        return self._members(synset, "and", one="none of ")

    def _members(self, synset: str, word: str, one: str = "") -> str:
        names = [f"{{{self._ids[thing]}}}" for thing in sorted(self._activity.objects[synset])]
        return names[0] if len(names) == 1 else f"{one}{_listed(names, word)}"

    def _alone(self, synset: str) -> bool:
        """Whether the scene has no others with the same name."""
        noun = english(synset)
        there = sum(node.category == noun for node in self._graph.nodes())
        return there == len(self._activity.objects[synset])


def _placed(condition: Condition) -> tuple[str, list[tuple[str, str]]] | None:
    """The thing of all alternatives, with (predicate, place) of each."""
    match condition:
        case Atom(predicate, (thing, place)) if predicate in _IN:
            return thing, [(predicate, place)]
        case Joined("or", parts):
            found = [_placed(part) for part in parts]
            things = {each[0] for each in found if each is not None}
            if None not in found and len(things) == 1:
                return things.pop(), [way for each in found if each is not None for way in each[1]]
    return None


def _listed(words: Sequence[str], last: str) -> str:
    return joined(words, last) if words else "nothing is asked for"
