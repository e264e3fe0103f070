"""Names of objects on the page: those that the planner knew, as far as the recording shows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ...episodes.events import Perceived, RecordedEvent, Stepped
from ...scene_graph.node import Kind, Node


def drawn_names(events: Sequence[RecordedEvent]) -> Mapping[int, str]:
    """The names of all objects of an episode, such as "kitchen table 1".

    The wording of actions gives numbers of objects. The others are numbered by first sight, and
    those never perceived after them. The agent, and a room that is the only one of its kind, have
    no number. Where observations use the simulator's own names, these are used.
    """
    nodes: dict[int, Node] = {}
    order: dict[int, None] = {}
    first = next((event.observation for event in events if isinstance(event, Perceived)), "")
    numbers: dict[int, int] = {}
    for event in events:
        if not isinstance(event, Perceived):
            continue
        _add(nodes, event)
        if event.view is not None:
            new = [*event.view.came, *(i for i in _perceived(event) if i not in event.view.came)]
            order.update(dict.fromkeys(sorted(new)))
        if isinstance(event, Stepped):
            numbers.update(_numbers(event, nodes))
    names = _numbered(nodes, [*order, *(i for i in nodes if i not in order)], numbers)
    words = set(re.findall(r"\w+", first))
    native = {i: str(node.native_id) for i, node in nodes.items()}
    return names | {i: name for i, name in native.items() if name in words and not name.isdigit()}


def _add(nodes: dict[int, Node], event: Perceived) -> None:
    changes = (event.world, None if event.view is None else event.view.perceived)
    for change in changes:
        for node in () if change is None else change.nodes:
            nodes.setdefault(node.id, node)


def _perceived(event: Perceived) -> Iterable[int]:
    change = None if event.view is None else event.view.perceived
    return () if change is None else [node.id for node in change.nodes]


def _numbers(event: Stepped, nodes: Mapping[int, Node]) -> Iterable[tuple[int, int]]:
    """The numbers that the wording of an action gives its objects."""
    things = [] if event.action is None else [nodes[i] for i in event.action.things if i in nodes]
    for thing in things:
        numbers = re.findall(
            rf"(?<!\w){_loosely(thing.category)}[ _]\(?(\d+)\b", event.wording, re.IGNORECASE
        )
        if len(numbers) == 1:  # of two alike, it is unknown which is which
            yield thing.id, int(numbers[0])


def _loosely(category: str) -> str:
    return "[ _]?".join(map(re.escape, category.split()))


def _numbered(
    nodes: Mapping[int, Node], order: Sequence[int], numbers: Mapping[int, int]
) -> dict[int, str]:
    taken = {(nodes[i].category, number) for i, number in numbers.items()}
    kinds = Counter(node.category for node in nodes.values())
    counts: Counter[str] = Counter()
    names = {}
    for node_id in order:
        node = nodes.get(node_id)
        if node is None:
            continue
        category = node.category
        if node.kind is Kind.AGENT or (node.kind is Kind.ROOM and kinds[category] == 1):
            names[node_id] = category
            continue
        number = numbers.get(node_id)
        if number is None:
            counts[category] += 1
            while (category, counts[category]) in taken:
                counts[category] += 1
            number = counts[category]
        names[node_id] = f"{category} {number}"
    return names
