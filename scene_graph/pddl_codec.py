"""A scene graph and a goal as a PDDL problem, and such problems read back.

    (define (problem set_the_table)
      (:domain household)
      (:requirements :strips :typing)
      (:objects
        kitchen_1 - room
        kitchen_table_12 - fixture
        category-kitchen category-kitchen_table - category)
      (:init
        (is_a kitchen_table_12 category-kitchen_table) (surface kitchen_table_12)
        (inside kitchen_table_12 kitchen_1))
      (:goal (within plate_5 kitchen_1)))

What a domain for it has to declare: the types scene, room, fixture, item (a movable object) and
agent, all of them `thing`, and category; the predicates `is_a` (of a thing and a category), one
per relation (`inside`, `on` … `close`), per affordance (`surface` …) and per state (`is_open` …).
Goals say `within` for being inside: a derived predicate, true of what is `inside` a place directly
or through any chain of things that keep each other (`goals.Related`).

Names are a category and an id. What PDDL has no room for is lost: poses, boxes, native ids (read
back as the ids) and the order. Goals over events cannot be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from ..errors import BadInput
from .goals import (
    And,
    AtLeast,
    Domain,
    Exists,
    ForAll,
    Goal,
    Happened,
    HasState,
    InOrder,
    Not,
    Or,
    Related,
    Term,
    mentioned,
)
from .graph import SceneGraph
from .node import Affordance, Kind, Node, Relation, State
from .well_formed import check_well_formed

DOMAIN = "household"


class Problem(NamedTuple):
    """What a PDDL problem holds. name: of the task, in lower case with underscores."""

    name: str
    graph: SceneGraph
    goal: Goal


_Expression = str | list["_Expression"]
_Variables = Mapping[str, str]

_ANY = "thing"
_CATEGORY = "category"
_TYPES = {kind: "item" if kind is Kind.OBJECT else str(kind) for kind in Kind}  # PDDL has `object`
_KINDS = {type_: kind for kind, type_ in _TYPES.items()}
_STATES = {f"is_{state}": state for state in State}
_IS_A = "is_a"
_WITHIN = "within"
_REQUIREMENTS = {
    ":negative-preconditions": {"not"},
    ":disjunctive-preconditions": {"or", "imply"},
    ":equality": {"="},
    ":existential-preconditions": {"exists"},
    ":universal-preconditions": {"forall"},
}


# --- writing -----------------------------------------------------------------------------------


def to_pddl(name: str, graph: SceneGraph, goal: Goal) -> str:
    """A task as the text of a PDDL problem.

    Raises BadInput for a goal over events or over a node that the graph lacks, and for a variable
    that is no PDDL name.
    """
    for node_id in sorted(mentioned(goal)):
        if node_id not in graph:
            raise BadInput(f"The goal names node {node_id}, which is not in the scene graph.")
    nodes = sorted(graph.nodes(), key=lambda node: node.id)
    goal_expression = _written(goal, graph, {})
    words = set(_words(goal_expression))
    categories = {_category_name(node.category) for node in nodes}
    categories |= {word for word in words if word.startswith(f"{_CATEGORY}-")}
    lines = [
        f"(define (problem {_slug(name)})",
        f"  (:domain {DOMAIN})",
        f"  (:requirements {' '.join(_requirements(words))})",
        "  (:objects",
        *(f"    {_thing_name(node)} - {_TYPES[node.kind]}" for node in nodes),
        *(f"    {category} - {_CATEGORY}" for category in sorted(categories)),
        "  )",
        "  (:init",
        *(f"    {' '.join(map(_text, _facts(graph, node)))}" for node in nodes),
        "  )",
        f"  (:goal {_text(goal_expression)})",
        ")",
    ]
    return "\n".join(lines) + "\n"


def _slug(text: str) -> str:
    """Text as a PDDL name: not every character survives."""
    slug = re.sub("[^a-z0-9]+", "_", text.lower()).strip("_")
    return slug if slug[:1].isalpha() else f"n{slug}"


def _thing_name(node: Node) -> str:
    return f"{_slug(node.category)}_{node.id}"


def _category_name(category: str) -> str:
    """A category as a PDDL name from which `_category` reads it back exactly."""

    def escaped(match: re.Match[str]) -> str:
        return "_" if match[0] == " " else f"-{ord(match[0]):x}-"

    return f"{_CATEGORY}-" + re.sub("[^a-z0-9]", escaped, category)


def _facts(graph: SceneGraph, node: Node) -> Iterator[_Expression]:
    """Everything that is true of a node."""
    name = _thing_name(node)
    yield [_IS_A, name, _category_name(node.category)]
    for affordance in sorted(node.affordances):
        yield [str(affordance), name]
    for state in sorted(node.states):
        yield [f"is_{state}", name]
    for relation, target in sorted(graph.outgoing(node.id)):
        yield [str(relation), name, _thing_name(graph[target])]


def _requirements(words: Iterable[str]) -> list[str]:
    used = set(words)
    return [":strips", ":typing"] + [
        requirement for requirement, needed_by in _REQUIREMENTS.items() if used & needed_by
    ]


def _written(goal: Goal, graph: SceneGraph, variables: _Variables) -> _Expression:
    """A goal as an expression. variables: the PDDL name of each bound variable."""

    def term(thing: Term) -> str:
        return _thing_name(graph[thing]) if isinstance(thing, int) else variables[thing]

    match goal:
        case HasState(thing, state):
            return [f"is_{state}", term(thing)]
        case Related(source, relation, target):
            predicate = _WITHIN if relation is Relation.INSIDE else str(relation)
            return [predicate, term(source), term(target)]
        case Not(part):
            return ["not", _written(part, graph, variables)]
        case And(parts):
            return ["and", *(_written(part, graph, variables) for part in parts)]
        case Or(parts):
            return ["or", *(_written(part, graph, variables) for part in parts)]
        case ForAll(variable, domain, body):
            name = _variable_name(variable)
            rest = _written(body, graph, {**variables, variable: name})
            guards = _guards(domain, graph, name)
            if guards:
                rest = ["imply", ["and", *guards], rest]
            return ["forall", _typed([name], domain), rest]
        case Exists(variable, domain, body):
            name = _variable_name(variable)
            return [
                "exists",
                _typed([name], domain),
                _instance(domain, body, graph, variables, variable, name),
            ]
        case AtLeast(count, variable, domain, body):
            if count < 1:
                return ["and"]
            names = [f"{_variable_name(variable)}-{i}" for i in range(1, count + 1)]
            return [
                "exists",
                _typed(names, domain),
                [
                    "and",
                    *(["not", ["=", a, b]] for a, b in combinations(names, 2)),
                    *(_instance(domain, body, graph, variables, variable, n) for n in names),
                ],
            ]
        case Happened() | InOrder():
            raise BadInput(
                "The goal asks for something to have happened, which a PDDL goal cannot say; "
                "give a goal over states and relations."
            )


def _variable_name(variable: str) -> str:
    if not re.fullmatch("[a-z][a-z0-9_]*", variable):
        raise BadInput(
            f"The goal's variable '{variable}' is no PDDL name; use lower-case letters, digits and "
            f"underscores, a letter first."
        )
    return f"?{variable}"


def _typed(names: list[str], domain: Domain) -> _Expression:
    return [*names, "-", _ANY if domain.kind is None else _TYPES[domain.kind]]


def _guards(domain: Domain, graph: SceneGraph, name: str) -> list[_Expression]:
    """What a variable must fulfil besides its type to be in a domain."""
    guards: list[_Expression] = []
    if domain.categories is not None:
        guards.append(
            _any_of([_IS_A, name, _category_name(category)] for category in sorted(domain.categories))
        )
    if domain.ids is not None:
        guards.append(_any_of(["=", name, _thing_name(graph[i])] for i in sorted(domain.ids)))
    return guards


def _any_of(options: Iterable[_Expression]) -> _Expression:
    return ["or", *options]


def _instance(
    domain: Domain,
    body: Goal,
    graph: SceneGraph,
    variables: _Variables,
    variable: str,
    name: str,
) -> _Expression:
    """That one thing is in the domain and fulfils the body."""
    return [
        "and",
        *_guards(domain, graph, name),
        _written(body, graph, {**variables, variable: name}),
    ]
