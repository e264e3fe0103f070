"""The names of things, categories, types and predicates in PDDL."""

from __future__ import annotations

import re

from ..node import Affordance, Kind, Node, Relation, State

#: The supertype of all kinds.
ANY = "thing"
CATEGORY = "category"
#: The type of each kind; `object` would be PDDL's own root type.
TYPES = {kind: "item" if kind is Kind.OBJECT else str(kind) for kind in Kind}
KINDS = {name: kind for kind, name in TYPES.items()}

IS_A = "is_a"
STATES = {f"is_{state}": state for state in State}
AFFORDANCES = {str(affordance): affordance for affordance in Affordance}
RELATIONS = {str(relation): relation for relation in Relation}
#: Goals use `within`, which closes over supports; facts use `inside`.
GOAL_RELATIONS = {
    "within" if relation is Relation.INSIDE else name: relation
    for name, relation in RELATIONS.items()
}


def slug(text: str) -> str:
    """Text as a PDDL name; some characters are lost."""
    words = re.sub("[^a-z0-9]+", "_", text.lower()).strip("_")
    return words if words[:1].isalpha() else f"n{words}"


def thing_name(node: Node) -> str:
    """ "kitchen_table_12" """
    return f"{slug(node.category)}_{node.id}"


def thing_id(name: str) -> int | None:
    """The id in a thing's name, or None."""
    match = re.fullmatch(r"[a-z0-9_]+_(-?[0-9]+)", name)
    return int(match[1]) if match else None


def category_name(category: str) -> str:
    """ "category-kitchen_table": different categories get different names."""

    def escaped(match: re.Match[str]) -> str:
        return "_" if match[0] == " " else f"-{ord(match[0]):x}-"

    return f"{CATEGORY}-" + re.sub("[^a-z0-9]", escaped, category)


def category_of(name: str) -> str | None:
    """The category of a name from `category_name`; None for any other name."""

    def plain(match: re.Match[str]) -> str:
        return " " if match[0] == "_" else chr(int(match[1], 16))

    try:
        category = re.sub("_|-([0-9a-f]+)-", plain, name.removeprefix(f"{CATEGORY}-"))
    except (ValueError, OverflowError):  # no such character
        return None
    return category if category_name(category) == name else None
