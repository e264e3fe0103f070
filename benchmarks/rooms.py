"""Print rooms of generated houses to be read one by one: is anything out of place?

python benchmarks/rooms.py 3001 --rooms 50 [--old]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import count, islice

from peephole.adapters.scenes import load_scene
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Kind, Node, State

_TOLD = (State.OPEN, State.ON, State.DIRTY, State.PLUGGED_OUT)


def rooms(first: int, scene: str) -> Iterator[str]:
    """The rooms of one house after the other: furniture, what it holds, and states."""
    for number in count(first):
        house = load_scene(scene.format(number))
        for room in house.nodes(Kind.ROOM):
            kept = [
                n for n in house.nodes() if house.places(n.id)[:1] and _place(house, n) == room.id
            ]
            lines = [f"    {_text(house, n)}" for n in kept if n.kind is not Kind.AGENT]
            yield "\n".join([f"house {number}: {room.category}", *lines])


def _place(house: SceneGraph, node: Node) -> int:
    return house.places(node.id)[0][1]


def _text(house: SceneGraph, node: Node) -> str:
    """A thing with its states and, in brackets, what it holds."""
    states = [str(state) for state in _TOLD if state in node.states]
    held = [
        _text(house, house[i])
        for i in house.contents(node.id)
        if _place(house, house[i]) == node.id
    ]
    text = f"{node.category} ({', '.join(states)})" if states else node.category
    return f"{text} [{', '.join(held)}]" if held else text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int, help="the number of the first house")
    parser.add_argument("--rooms", type=int, default=50)
    parser.add_argument("--old", action="store_true", help="the older houses")
    asked = parser.parse_args()
    scene = "house:{}" if asked.old else "house:{}?lived_in"
    for index, text in enumerate(islice(rooms(asked.first, scene), asked.rooms), start=1):
        print(f"{index}. {text}")


if __name__ == "__main__":
    main()
