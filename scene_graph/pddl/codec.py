"""A scene graph and a goal as a PDDL problem, and such problems read back.

    (define (problem put_the_apple_away)
      (:domain household)
      (:requirements :strips :typing)
      (:objects
        kitchen_1 - room
        fridge_12 - fixture
        category-fridge - category
        …)
      (:init
        (is_a fridge_12 category-fridge) (container fridge_12) (is_closed fridge_12)
        (inside fridge_12 kitchen_1)
        …)
      (:goal (within apple_7 fridge_12)))

A domain for it has to declare:

- the types scene, room, fixture, item (a movable object) and agent, all of them `thing`; category
- the predicate `is_a` (a thing, a category)
- one predicate per affordance (`container` …), state (`is_closed` …) and relation (`inside` …)
- the derived predicate `within`, which goals use for `inside` closed over supports
  (`SceneGraph.is_inside`); for a direct relation (`Related.direct`) goals use `inside`

Poses, boxes, native ids (read back as the ids) and the order are lost. Categories of `also` are
read back as `categories`, `at least 0` as an empty `and`. A goal over events cannot be written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...errors import BadInput
from ..goals import Goal
from ..graph import SceneGraph
from ..json_codec import check_well_formed
from ..node import Affordance, Edge, Kind, Node, State
from ..s_expressions import Expression, parse, render, words
from .goals import (
    AFFORDANCES,
    CATEGORY,
    IS_A,
    KINDS,
    RELATIONS,
    STATES,
    TYPES,
    GoalReader,
    GoalWriter,
    category_name,
    category_of,
    slug,
    thing_id,
    thing_name,
)

DOMAIN = "household"

_REQUIREMENTS = {
    ":negative-preconditions": {"not"},
    ":disjunctive-preconditions": {"or", "imply"},
    ":equality": {"="},
    ":existential-preconditions": {"exists"},
    ":universal-preconditions": {"forall"},
}


class PddlProblem(NamedTuple):
    """The content of a PDDL problem; the name is in lower case with underscores."""

    name: str
    graph: SceneGraph
    goal: Goal


def to_pddl(name: str, graph: SceneGraph, goal: Goal) -> str:
    """A task as the text of a PDDL problem.

    Raises BadInput for a goal over events, an unknown node, or a variable that is no PDDL name.
    """
    nodes = sorted(graph.nodes(), key=lambda node: node.id)
    target = GoalWriter({node.id: thing_name(node) for node in nodes}).write(goal)
    used = set(words(target))
    categories = {category_name(node.category) for node in nodes}
    categories |= {word for word in used if category_of(word) is not None}
    needed = [requirement for requirement, by in _REQUIREMENTS.items() if used & by]
    lines = [
        f"(define (problem {slug(name)})",
        f"  (:domain {DOMAIN})",
        f"  (:requirements {' '.join([':strips', ':typing', *needed])})",
        "  (:objects",
        *(f"    {thing_name(node)} - {TYPES[node.kind]}" for node in nodes),
        *(f"    {category} - {CATEGORY}" for category in sorted(categories)),
        "  )",
        "  (:init",
        *(f"    {' '.join(map(render, _facts(graph, node)))}" for node in nodes),
        "  )",
        f"  (:goal {render(target)})",
        ")",
    ]
    return "\n".join(lines) + "\n"


def _facts(graph: SceneGraph, node: Node) -> Iterator[Expression]:
    """All facts about a node and the relations that start at it."""
    name = thing_name(node)
    yield [IS_A, name, category_name(node.category)]
    for affordance in sorted(node.affordances):
        yield [str(affordance), name]
    for state in sorted(node.states):
        yield [f"is_{state}", name]
    for relation, target in sorted(graph.outgoing(node.id)):
        yield [str(relation), name, thing_name(graph[target])]


def from_pddl(text: str, where: str = "the PDDL problem") -> PddlProblem:
    """The problem from the text of `to_pddl`.

    where: the name of the text in errors. Raises BadInput naming it and the expression that
    `to_pddl` would not write.
    """
    parts: dict[str, list[Expression]] = {}
    match parse(text, where):
        case ["define", ["problem", str(name)], *sections]:
            for section in sections:
                match section:
                    case [str(title), *content]:
                        parts[title] = content
                    case _:
                        raise _wrong(section, "a section, like (:init …)", where)
        case _:
            raise BadInput(f"In {where} there is no PDDL problem; expected (define (problem …) …).")
    for title in (":objects", ":init", ":goal"):
        if title not in parts:
            raise BadInput(f"In {where}, the section {title} is missing; add it.")
    ids, kinds = _read_objects(parts[":objects"], where)
    graph = _read_facts(parts[":init"], ids, kinds, where)
    match parts[":goal"]:
        case [target]:
            things = {node_id: thing for thing, node_id in ids.items()}
            return PddlProblem(name, graph, GoalReader(things, where).read(target))
    raise _wrong([":goal", *parts[":goal"]], "one goal", where)


def _read_objects(listed: list[Expression], where: str) -> tuple[dict[str, int], dict[int, Kind]]:
    """The id of every thing by name, and the kind by id."""
    ids: dict[str, int] = {}
    kinds: dict[int, Kind] = {}
    for i in range(0, len(listed), 3):
        match listed[i : i + 3]:
            case [str(), "-", type_] if type_ == CATEGORY:
                continue
            case [str(name), "-", str(type_)] if type_ in KINDS:
                node_id = thing_id(name)
                if node_id is None or node_id in kinds:
                    raise _wrong(name, "a name that ends in '_' and an id of its own", where)
                ids[name] = node_id
                kinds[node_id] = KINDS[type_]
            case other:
                types = ", ".join([*KINDS, CATEGORY])
                raise _wrong(other, f"objects as NAME - TYPE, with a type of {types}", where)
    return ids, kinds


def _read_facts(
    facts: list[Expression], ids: dict[str, int], kinds: dict[int, Kind], where: str
) -> SceneGraph:
    """The graph that the facts describe."""
    categories: dict[int, str] = {}
    states: dict[int, set[State]] = {node_id: set() for node_id in kinds}
    affordances: dict[int, set[Affordance]] = {node_id: set() for node_id in kinds}
    edges = []

    def named(word: Expression) -> int:
        if not isinstance(word, str) or word not in ids:
            raise _wrong(word, "an object of the problem", where)
        return ids[word]

    for fact in facts:
        match fact:
            case [str(predicate), thing] if predicate in AFFORDANCES:
                affordances[named(thing)].add(AFFORDANCES[predicate])
            case [str(predicate), thing] if predicate in STATES:
                states[named(thing)].add(STATES[predicate])
            case [str(predicate), source, target] if predicate in RELATIONS:
                edges.append(Edge(named(source), RELATIONS[predicate], named(target)))
            case [predicate, thing, str(word)] if predicate == IS_A:
                category = category_of(word)
                if category is None:
                    raise _wrong(word, "the name of a category", where)
                categories[named(thing)] = category
            case _:
                raise _wrong(
                    fact, "a fact about categories, affordances, states or relations", where
                )
    for name, node_id in ids.items():
        if node_id not in categories:
            raise _wrong(name, f"a fact ({IS_A} {name} …) about it", where)
    graph = SceneGraph(
        (
            Node(
                node_id,
                categories[node_id],
                kind,
                node_id,
                frozenset(states[node_id]),
                frozenset(affordances[node_id]),
            )
            for node_id, kind in kinds.items()
        ),
        edges,
    )
    check_well_formed(graph, where)
    return graph


def _wrong(expression: Expression, expected: str, where: str) -> BadInput:
    return BadInput(f"In {where} there is {render(expression)}; expected {expected}.")
