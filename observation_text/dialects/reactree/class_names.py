"""What ReAcTree calls kinds of things where the categories of the scene graph have other words.

Only texts have these names: goals and graphs keep the categories, which all simulators share.
"""

from __future__ import annotations

from ...names import Names

#: The published name of a category that differs from it.
PUBLISHED = {
    "character": "user",
    "chinese food": "Chinese food",
    "microwave": "microwave oven",
}
#: The category of a published name in lower case.
CATEGORIES = {name.lower(): category for category, name in PUBLISHED.items()}


def published(category: str) -> str:
    """The name of a category in texts; types of AI2-THOR stand as they are."""
    return PUBLISHED.get(category, category)


def named(names: Names, node_id: int) -> str:
    """The name of a node in actions: "microwave oven 1"."""
    category = names.number(node_id)[0]
    return published(category) + names(node_id)[len(category) :]


def find(names: Names, name: str, number: int) -> int | None:
    """The node that is called so, by the published name or by its category in lower case."""
    found = names.find(name, number)
    return names.find(CATEGORIES[name], number) if found is None and name in CATEGORIES else found
