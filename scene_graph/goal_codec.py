"""Goals as JSON that people can read and write.

A goal is an object with one key:

    {"state": [12, "open"]}                    a thing is in a state
    {"inside": [3, 4]}                         any relation, source before target
    {"directly_inside": [3, 4]}                in the place itself, not in something in it
    {"lies": {"measure": "x", "things": [3], "low": 0.25, "high": 0.35}}     in m, `MEASURES`
    {"happened": {"names": ["heated"], "things": [3], "at_least": 5}}
    {"in_order": [happened, …]}
    {"not": goal}   {"and": [goal, …]}   {"or": [goal, …]}
    {"forall": {"variable": "p", "categories": ["plate"], "body": goal}}
    {"exists": {"variable": "t", "kind": "fixture", "body": goal}}
    {"at_least": {"count": 2, "variable": "p", "ids": [3, 4, 5], "body": goal}}

A thing is a node id or a bound variable; in `things`, null is any thing. The domain of a variable
is narrowed by `categories`, `kind`, `ids` and `can` (an affordance). `also` lists categories that
count beside `categories`.
"""

from __future__ import annotations

from typing import Any

from ..errors import BadInput
from .fields import Field
from .goals import (
    MEASURES,
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
from .node import Affordance, Kind, Relation, State

_FORMS = (
    "state",
    *map(str, Relation),
    "directly_inside",
    *("lies", "happened", "in_order", "not", "and", "or", "forall", "exists", "at_least"),
)
_DOMAIN = ("categories", "kind", "ids", "can", "also")


def goal_to_data(goal: Goal) -> dict[str, Any]:
    """A goal as JSON data."""
    match goal:
        case HasState(thing, state):
            return {"state": [thing, str(state)]}
        case Related(source, Relation.INSIDE, target, True):
            return {"directly_inside": [source, target]}
        case Related(source, relation, target):
            return {str(relation): [source, target]}
        case MeasureInRange(measure, things, low, high):
            return {"lies": {"measure": measure, "things": list(things), "low": low, "high": high}}
        case EventOccurred():
            return {"happened": _happened_to_data(goal)}
        case InOrder(happenings):
            return {"in_order": [_happened_to_data(happened) for happened in happenings]}
        case Not(part):
            return {"not": goal_to_data(part)}
        case And(parts):
            return {"and": [goal_to_data(part) for part in parts]}
        case Or(parts):
            return {"or": [goal_to_data(part) for part in parts]}
        case ForAll(variable, domain, body):
            return {"forall": _quantified_to_data(variable, domain, body)}
        case Exists(variable, domain, body):
            return {"exists": _quantified_to_data(variable, domain, body)}
        case AtLeast(count, variable, domain, body):
            return {"at_least": {"count": count, **_quantified_to_data(variable, domain, body)}}


def goal_from_data(data: object, where: str = "the goal") -> Goal:
    """The goal from the data of `goal_to_data`.

    where: the name of the document in errors. Raises BadInput naming it and the malformed field or
    unbound variable.
    """
    return goal_from_field(Field(where, "", data))


def goal_from_field(field: Field, bound: frozenset[str] = frozenset()) -> Goal:
    """The goal of a field. bound: variables of the quantifiers around it. Raises BadInput."""
    entries = field.entries((), optional=None)
    form, content = next(iter(entries.items())) if len(entries) == 1 else ("", field)
    match form:
        case "state":
            thing, state = content.items(count=2)
            return HasState(_term(thing, bound), state.name_of(State))
        case "lies":
            return _lies(content, bound)
        case "happened":
            return _happened(content, bound)
        case "in_order":
            return InOrder(tuple(_happened(item, bound) for item in content.items()))
        case "not":
            return Not(goal_from_field(content, bound))
        case "and":
            return And(tuple(goal_from_field(item, bound) for item in content.items()))
        case "or":
            return Or(tuple(goal_from_field(item, bound) for item in content.items()))
        case "forall":
            return ForAll(*_quantified(content, bound))
        case "exists":
            return Exists(*_quantified(content, bound))
        case "at_least":
            count = content.entries(["count"], optional=None)["count"].integer(least=0)
            return AtLeast(count, *_quantified(content, bound, "count"))
        case "directly_inside":
            source, target = content.items(count=2)
            return Related(_term(source, bound), Relation.INSIDE, _term(target, bound), True)
        case _ if form in list(Relation):
            source, target = content.items(count=2)
            return Related(_term(source, bound), Relation(form), _term(target, bound))
    raise field.wrong(f"expected an object with one key of {', '.join(_FORMS)}")


def _happened_to_data(goal: EventOccurred) -> dict[str, Any]:
    data: dict[str, Any] = {"names": list(goal.names)}
    if goal.things:
        data["things"] = list(goal.things)
    if goal.at_least is not None:
        data["at_least"] = goal.at_least
    return data


def _happened(field: Field, bound: frozenset[str]) -> EventOccurred:
    parts = field.entries(["names"], ["things", "at_least"])
    return EventOccurred(
        tuple(name.text() for name in parts["names"].items()),
        tuple(
            None if thing.value is None else _term(thing, bound)
            for thing in (parts["things"].items() if "things" in parts else ())
        ),
        parts["at_least"].number() if "at_least" in parts else None,
    )


def _lies(field: Field, bound: frozenset[str]) -> MeasureInRange:
    parts = field.entries(["measure", "things", "low", "high"])
    measure = parts["measure"].text()
    if measure not in MEASURES:
        raise parts["measure"].wrong(f"expected one of {', '.join(MEASURES)}")
    things = parts["things"].items(count=MEASURES[measure].arity)
    return MeasureInRange(
        measure,
        tuple(_term(thing, bound) for thing in things),
        parts["low"].number(),
        parts["high"].number(),
    )


def _quantified_to_data(variable: str, domain: Domain, body: Goal) -> dict[str, Any]:
    data: dict[str, Any] = {"variable": variable}
    if domain.categories is not None:
        data["categories"] = sorted(domain.categories)
    if domain.kind is not None:
        data["kind"] = str(domain.kind)
    if domain.ids is not None:
        data["ids"] = sorted(domain.ids)
    if domain.can is not None:
        data["can"] = str(domain.can)
    if domain.also:
        data["also"] = sorted(domain.also)
    return {**data, "body": goal_to_data(body)}


def _quantified(field: Field, bound: frozenset[str], *also: str) -> tuple[str, Domain, Goal]:
    parts = field.entries([*also, "variable", "body"], _DOMAIN)
    variable = parts["variable"].text()
    ids = parts.get("ids")
    domain = Domain(
        _texts(parts.get("categories")),
        parts["kind"].name_of(Kind) if "kind" in parts else None,
        None if ids is None else frozenset(node_id.integer() for node_id in ids.items()),
        parts["can"].name_of(Affordance) if "can" in parts else None,
        _texts(parts.get("also")) or frozenset(),
    )
    return variable, domain, goal_from_field(parts["body"], bound | {variable})


def _texts(field: Field | None) -> frozenset[str] | None:
    return None if field is None else frozenset(item.text() for item in field.items())


def _term(field: Field, bound: frozenset[str]) -> Term:
    if not isinstance(field.value, str):
        return field.integer()
    if field.value not in bound:
        known = f"one of {', '.join(sorted(bound))}" if bound else "a node id"
        raise BadInput(
            f"In {field.where}, {field.path} is the variable '{field.value}', which no quantifier "
            f"around it binds; expected {known}."
        )
    return field.value
