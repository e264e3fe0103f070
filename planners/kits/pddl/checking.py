"""Checks of problems written by a model: one sentence per mistake.

Checked are the syntax, the words of the domain, and the types. Every name has to be one of the
scene and to have a place. The goal may ask only for what is possible with its things. Whether the
facts match the scene is left to the model.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ....errors import BadInput
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance
from ....scene_graph.s_expressions import Expression, parse, render
from . import domain
from .problem import Fact, Problem, things_of

#: The most mistakes in one answer.
_MOST_MISTAKES = 10
_IGNORED = (":domain", ":requirements")
_SECTIONS = (":objects", ":init", ":goal")
_TYPES = (domain.ROOM, domain.THING)
_VARIABLE = re.compile(r"\?[a-z][a-z0-9_-]*")
#: The predicate that a place needs for a put on or in it, and the affordance in the graph.
_PLACE_NEEDS = {
    domain.ON: (Affordance.SURFACE, "put on", domain.INSIDE),
    domain.INSIDE: (Affordance.CONTAINER, "put inside", domain.ON),
}
_STATE_NEEDS = {
    domain.CLOSED: (Affordance.OPENABLE, "opened or closed"),
    domain.RUNNING: (Affordance.SWITCHABLE, "switched on or off"),
}


class InvalidProblem(Exception):
    """A text is no problem of the domain and the scene. mistakes: one sentence each."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        super().__init__(" ".join(mistakes))
        self.mistakes = tuple(mistakes)


@dataclass(frozen=True)
class Scene:
    """The names of a problem: rooms, and things with their affordances."""

    rooms: frozenset[str]
    things: Mapping[str, frozenset[Affordance]]


def scene_of(graph: SceneGraph, name: Callable[[int], str], agent: int) -> Scene:
    """The names of a graph's problem. name: of a node, in PDDL."""
    return Scene(
        frozenset(name(room) for room in graph.room_ids),
        {name(thing): graph[thing].affordances for thing in things_of(graph, agent)},
    )


def read_problem(text: str, scene: Scene) -> Problem:
    """The problem of a text, perhaps in a code fence. Raises InvalidProblem."""
    try:
        expression = parse(_without_fence(text), "the PDDL file")
    except BadInput as error:
        raise InvalidProblem([str(error)]) from None
    reader = _Reader(scene)
    problem = reader.problem(expression)
    if reader.mistakes:
        raise InvalidProblem(list(dict.fromkeys(reader.mistakes))[:_MOST_MISTAKES])
    return problem


def _without_fence(text: str) -> str:
    """The first code block of a text, or all of it; text before "(define" is dropped."""
    fenced = re.search(r"```[a-z]*\n(.*?)```", text, re.DOTALL | re.IGNORECASE)
    inner = fenced[1] if fenced else text
    start = inner.find("(define")
    return inner[start:] if start > 0 else inner


@dataclass
class _Reader:
    """A reader of problems that collects mistakes."""

    scene: Scene
    mistakes: list[str] = field(default_factory=list)
    types: dict[str, str] = field(default_factory=dict)

    def problem(self, expression: Expression) -> Problem:
        """The problem without its mistaken parts."""
        sections = self._sections(expression)
        self._declare(sections.get(":objects", []))
        facts = tuple(dict.fromkeys(self._facts(sections.get(":init", []))))
        goal: Expression = ["and"]
        match sections.get(":goal", []):
            case [list() as given]:
                goal = _nested(given)
                self._check_goal(goal, {}, {*facts}, positive=True)
            case _:
                self._wrong("The :goal needs one expression, such as (:goal (and …)).")
        self._check_facts(facts, goal)
        rooms, things = (
            tuple(name for name, type_ in self.types.items() if type_ == wanted)
            for wanted in _TYPES
        )
        return Problem(rooms, things, facts, goal)

    def _wrong(self, sentence: str) -> None:
        self.mistakes.append(sentence)

    # --- sections ------------------------------------------------------------------------------

    def _sections(self, expression: Expression) -> dict[str, list[Expression]]:
        sections: dict[str, list[Expression]] = {}
        match expression:
            case ["define", ["problem", *_], *rest]:
                for section in rest:
                    match section:
                        case [str(name), *content] if name in _SECTIONS:
                            sections[name] = content
                        case [str(name), *_] if name in _IGNORED:
                            pass
                        case _:
                            self._wrong(
                                f"There is no section {_shown(section)} in a problem; use :domain, "
                                f":objects, :init and :goal."
                            )
                for name in _SECTIONS:
                    if name not in sections:
                        self._wrong(f"The section {name} is missing; add it.")
            case _:
                self._wrong(
                    "The file is no problem; it has to begin with (define (problem NAME) …)."
                )
        return sections

    def _declare(self, content: Sequence[Expression]) -> None:
        waiting: list[str] = []
        words = iter(content)
        for word in words:
            if not isinstance(word, str):
                self._wrong(f"{_shown(word)} in :objects is no name.")
            elif word == "-":
                type_ = next(words, "")
                for name in waiting:
                    self._declare_one(name, type_)
                waiting = []
            else:
                waiting.append(word)
        for name in waiting:
            self._wrong(f"{name} has no type in :objects; write - room or - thing behind it.")

    def _declare_one(self, name: str, type_: Expression) -> None:
        right = self._type_of(name)
        if name in self.types:
            self._wrong(f"{name} is declared twice in :objects.")
        elif right is None:
            self._wrong(f"There is no {name} in the scene.{self._near(name)}")
        elif type_ not in _TYPES:
            self._wrong(f"The domain has no type {_shown(type_)}; {name} is a {right}.")
        elif type_ != right:
            self._wrong(f"{name} is a {right}, not a {type_}.")
        if right is not None:
            self.types[name] = right

    def _type_of(self, name: str) -> str | None:
        if name in self.scene.rooms:
            return domain.ROOM
        return domain.THING if name in self.scene.things else None

    def _near(self, name: str) -> str:
        near = difflib.get_close_matches(name, [*self.scene.rooms, *self.scene.things], 1)
        return f" Do you mean {near[0]}?" if near else ""

    # --- facts ---------------------------------------------------------------------------------

    def _facts(self, content: Sequence[Expression]) -> Iterator[Fact]:
        for fact in content:
            match fact:
                case [str(), *terms] if fact[0] != "not" and all(isinstance(t, str) for t in terms):
                    if self._is_atom(fact, {}, "in :init"):
                        yield tuple(map(str, fact))
                case ["not", _]:
                    self._wrong(
                        f"{_shown(fact)} is no fact; :init lists only what is true, leave it out."
                    )
                case _:
                    self._wrong(f"{_shown(fact)} in :init is no fact.")

    def _is_atom(
        self, atom: Sequence[Expression], variables: Mapping[str, str], where: str
    ) -> bool:
        """Whether an atom has a predicate of the domain, and arguments of its types."""
        predicate, terms = str(atom[0]), atom[1:]
        types = domain.PREDICATES.get(predicate)
        if types is None:
            self._wrong(
                f"The domain has no predicate {predicate} ({_shown([*atom])} {where}); "
                f"it has {', '.join(domain.PREDICATES)}."
            )
            return False
        if len(terms) != len(types):
            shown = _shown([*atom])
            self._wrong(f"{predicate} takes {len(types)} names, not {len(terms)}: {shown}.")
            return False
        right = True
        for term, wanted in zip(terms, types, strict=True):
            type_ = variables.get(str(term)) or self.types.get(str(term))
            if type_ is None:
                known = self._type_of(str(term))
                if known is None:
                    self._wrong(f"There is no {_shown(term)} in the scene.{self._near(str(term))}")
                else:
                    self._wrong(f"{term} is not declared; add {term} - {known} to :objects.")
                right = False
            elif type_ != wanted:
                self._wrong(f"{_shown([*atom])} {where}: {term} is a {type_}, not a {wanted}.")
                right = False
        return right

    def _check_facts(self, facts: Sequence[Fact], goal: Expression) -> None:
        """Check that the robot and all declared things have a place, and affordances are real."""
        by_predicate: dict[str, list[Fact]] = {}
        for fact in facts:
            by_predicate.setdefault(fact[0], []).append(fact)
        if len(by_predicate.get(domain.ROBOT_IN, ())) != 1:
            self._wrong(f"Say in :init in which one room the robot is: ({domain.ROBOT_IN} ROOM).")
        held = [fact[1] for fact in by_predicate.get(domain.HOLDS, ())]
        if bool(held) is ((domain.HAND_EMPTY,) in facts):
            self._wrong(
                f"Say in :init either ({domain.HAND_EMPTY}) or what the robot holds: "
                f"({domain.HOLDS} THING)."
            )
        for predicate, affordance in domain.AFFORDANCES.items():
            for _, thing in by_predicate.get(predicate, ()):
                if affordance not in self.scene.things.get(thing, frozenset()):
                    self._wrong(f"({predicate} {thing}) is not so by the scene; leave it out.")
        self._check_places(facts, held)

    def _check_places(self, facts: Sequence[Fact], held: Sequence[str]) -> None:
        keeper = {
            fact[1]: fact[2]
            for fact in facts
            if fact[0] in (domain.ON, domain.INSIDE, domain.OBJECT_ROOM)
        }
        for thing, type_ in self.types.items():
            if type_ != domain.THING:
                continue
            if thing in held:
                if thing in keeper:
                    self._wrong(f"{thing} is held, so it cannot be anywhere else in :init.")
                continue
            at, passed = thing, {thing}
            while at in keeper and keeper[at] not in passed:
                at = keeper[at]
                passed.add(at)
            if thing not in keeper:
                self._wrong(
                    f"Say in :init where {thing} is: ({domain.ON} {thing} THING), "
                    f"({domain.INSIDE} {thing} THING) or ({domain.OBJECT_ROOM} {thing} ROOM)."
                )
            elif at in keeper:
                self._wrong(f"In :init, {thing} is on or in itself.")

    # --- the goal ------------------------------------------------------------------------------

    def _check_goal(
        self, goal: Expression, variables: Mapping[str, str], facts: set[Fact], *, positive: bool
    ) -> None:
        match goal:
            case ["and" | "or", *parts]:
                for part in parts:
                    self._check_goal(part, variables, facts, positive=positive)
            case ["not", part]:
                self._check_goal(part, variables, facts, positive=not positive)
            case ["imply", premise, consequence]:
                self._check_goal(premise, variables, facts, positive=not positive)
                self._check_goal(consequence, variables, facts, positive=positive)
            case ["=", str(one), str(other)]:
                for term in (one, other):
                    if term not in variables and term not in self.types:
                        self._wrong(f"{term} in {_shown(goal)} is not declared.")
            case ["forall" | "exists", [*names, "-", str(type_)], body] if type_ in _TYPES and all(
                isinstance(name, str) and _VARIABLE.fullmatch(name) for name in names
            ):
                bound = {str(name): type_ for name in names}
                self._check_goal(body, {**variables, **bound}, facts, positive=positive)
            case [str(word), *terms] if word not in (
                "and",
                "or",
                "not",
                "imply",
                "=",
                "forall",
                "exists",
            ) and all(isinstance(term, str) for term in terms):
                if self._is_atom(goal, variables, "in :goal"):
                    self._check_possible(tuple(map(str, goal)), facts, positive=positive)
            case _:
                self._wrong(
                    f"{_shown(goal)} in :goal is no condition; use and, or, not, imply, forall and "
                    f"exists over predicates of the domain."
                )

    def _check_possible(self, atom: Fact, facts: set[Fact], *, positive: bool) -> None:
        """Check that actions can make an atom true or false, where it is not so already."""
        if (atom in facts) is positive:
            return
        predicate, *terms = atom
        can = [self.scene.things.get(term) for term in terms]
        shown = _shown([*atom] if positive else ["not", [*atom]])
        if predicate in _STATE_NEEDS and can[0] is not None:
            needed, skill = _STATE_NEEDS[predicate]
            if needed not in can[0]:
                self._wrong(f"{shown} in :goal cannot be: {terms[0]} cannot be {skill}.")
        elif predicate in _PLACE_NEEDS and positive:
            needed, skill, other = _PLACE_NEEDS[predicate]
            if can[0] is not None and Affordance.GRASPABLE not in can[0]:
                self._wrong(f"{shown} in :goal cannot be: {terms[0]} cannot be picked up.")
            if can[1] is not None and needed not in can[1]:
                instead = _PLACE_NEEDS[other][0] in can[1]
                advice = f"; use ({other} {' '.join(terms)})" if instead else ""
                self._wrong(
                    f"{shown} in :goal cannot be: nothing can be {skill} {terms[1]}{advice}."
                )
        elif predicate in domain.AFFORDANCES and can[0] is not None:
            self._wrong(f"{shown} in :goal cannot be brought about; leave it out.")


def _nested(goal: Expression) -> Expression:
    """A goal whose quantifiers bind variables of one type each."""
    match goal:
        case ["forall" | "exists" as word, [*variables], body]:
            end = variables.index("-") + 2 if "-" in variables else len(variables)
            more = variables[end:]
            inner: Expression = [word, more, body] if more else body
            return [word, variables[:end], _nested(inner)]
        case ["and" | "or" | "not" | "imply", *parts]:
            return [goal[0], *map(_nested, parts)]
    return goal


def _shown(expression: Expression) -> str:
    """An expression for a sentence, shortened where it is long."""
    text = render(expression)
    return text if len(text) <= 80 else f"{text[:79]}…"
