"""ReAcTree's names of kinds of things, if they differ from the categories of the scene graph.

Only texts use these names; goals and graphs keep the categories that all simulators share.
"""

from __future__ import annotations

from ...names import Names

#: The published name by category, if it differs.
PUBLISHED = {
    "character": "user",
    "chinese food": "Chinese food",
    "microwave": "microwave oven",
}
#: The category by published name in lower case.
CATEGORIES = {name.lower(): category for category, name in PUBLISHED.items()}


def published(category: str) -> str:
    """The name of a category in texts; types of AI2-THOR stay as they are."""
    return PUBLISHED.get(category, category)


def named(names: Names, node_id: int) -> str:
    """The name of a node in actions: "microwave oven 1"."""
    category = names.number(node_id)[0]
    return published(category) + names(node_id)[len(category) :]


def find(names: Names, name: str, number: int) -> int | None:
    """The node of a name, by the published name or by its category in lower case."""
    node_id = names.find(name, number)
    return (
        names.find(CATEGORIES[name], number) if node_id is None and name in CATEGORIES else node_id
    )
