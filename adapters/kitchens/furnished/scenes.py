"""The scene loader "furnished_kitchen": a furnished kitchen with its things, in JSON.

In "furnished_kitchen:{"seed": 7, "layout": "L", "objects": {"apple_1": "fridge_1"}}" the kitchen is
that of `draw_kitchen`. Fields:

- seed: of the kitchen, and of the spots of things in their areas.
- layout: single_wall, L, U, galley or island; as it comes if left out.
- areas: at least so many named areas.
- aisle: the width of the aisle of a galley or to an island, in m.
- objects: things and their areas. A thing is called category_number; its shape is that of its
  category in `things.yaml`.
- open: areas that stand open. on: areas that are switched on.

The room and the areas are nodes: areas are fixtures in the room, containers where they have a front
and surfaces else. Areas of one piece of furniture are CLOSE to each other. The same description
makes the model of physics.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ....data_files import json_data
from ....errors import BadInput, unknown_name
from ....scene_graph.fields import Field
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from .. import scenes as kitchen_scenes
from .arranging import Packing, Spots, fits
from .body import closed_to_run
from .boxes import area_box, room_box
from .parts import Kitchen, Thing
from .plans import draw_kitchen
from .published import published_kitchen
from .things import kind, match, require_graspable
from .ways import out_of_reach

LOADER = "furnished_kitchen"
_NUMBER = re.compile(r"_\d+$")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9 _-]*")
_ROOM, _AGENT, _FIRST = 1, 2, 3
#: So often are things arranged again where one of them finds no spot.
_PACKINGS = (
    *[Packing.FREE] * 4,
    *[Packing.ROWS] * 2,
    *[Packing.CROWDED] * 4,
    *[Packing.FULL] * 2,
)
_OPTIONAL = ("layout", "areas", "aisle", "objects", "open", "on")


@dataclass(frozen=True, eq=False)
class FurnishedScene:
    """A kitchen with its things in their spots.

    open: names of the areas that stand open. on: of those that are switched on.
    """

    kitchen: Kitchen
    things: tuple[Thing, ...]
    open: frozenset[str] = frozenset()
    on: frozenset[str] = frozenset()


def scene_of(
    seed: int,
    objects: Mapping[str, str],
    *,
    layout: str | None = None,
    areas: int | None = None,
    opened: Iterable[str] = (),
    on: Iterable[str] = (),
) -> str:
    """The scene of a kitchen with things in its areas, as in `Task.scene`."""
    data: dict[str, Any] = {"seed": seed}
    data |= {"layout": layout} if layout else {}
    data |= {"areas": areas} if areas else {}
    data["objects"] = dict(sorted(objects.items()))
    data |= {"open": sorted(opened)} if opened else {}
    data |= {"on": sorted(on)} if on else {}
    return f"{LOADER}:{json.dumps(data, separators=(',', ':'))}"


def load(reference: str) -> SceneGraph:
    """The graph of a reference. Raises BadInput naming what is wrong."""
    return graph_of(read(reference))


def read(reference: str) -> FurnishedScene:
    """The kitchen and things of a reference. Raises BadInput naming what is wrong."""
    try:
        data = json_data(reference)
    except ValueError:
        raise BadInput(
            f"The scene '{LOADER}:{reference}' is not JSON; give an object with the fields seed "
            f"and objects."
        ) from None
    fields = Field("the scene", "", data).entries(("seed",), _OPTIONAL)
    layout = fields["layout"].text() if "layout" in fields else None
    areas = fields["areas"].integer(0) if "areas" in fields else None
    aisle = fields["aisle"].number() if "aisle" in fields else None
    kitchen = draw_kitchen(fields["seed"].integer(0), layout, areas, aisle)
    far = out_of_reach(kitchen)
    if far:
        raise BadInput(
            f"In the kitchen of the scene no way leads the robot to {far[0]}; widen its aisle."
        )
    objects = fields["objects"].entries((), None) if "objects" in fields else {}
    places = {name: place.text() for name, place in objects.items()}
    return furnished(
        kitchen,
        places,
        opened=[item.text() for item in fields["open"].items()] if "open" in fields else (),
        on=[item.text() for item in fields["on"].items()] if "on" in fields else (),
    )


def read_published(reference: str) -> FurnishedScene:
    """The furniture and things of a reference of the loader "kitchen". Raises BadInput.

    What the agent holds there is not among the things.
    """
    scene = kitchen_scenes.read(reference)
    return furnished(published_kitchen(scene.layout.name), scene.objects)


def furnished(
    kitchen: Kitchen,
    objects: Mapping[str, str],
    *,
    opened: Iterable[str] = (),
    on: Iterable[str] = (),
) -> FurnishedScene:
    """A kitchen with things in areas. Raises BadInput for an unknown area or category, and for a
    thing that is too large or has no spot.
    """
    opened, on = frozenset(opened), frozenset(on)
    switched = {button.area for button in kitchen.buttons.values()}
    for area in (*objects.values(), *opened, *on):
        if area not in kitchen.areas:
            raise unknown_name("area of the kitchen", area, kitchen.areas)
    for area in opened:
        if kitchen.areas[area].front is None:
            raise BadInput(f"The area '{area}' has no door or drawer; it cannot stand open.")
    for area in on:
        if area not in switched:
            raise BadInput(f"The area '{area}' has no switch; it cannot be on.")
        if area in opened and area in closed_to_run(kitchen):
            raise BadInput(f"The area '{area}' runs only while closed; it cannot be on and open.")
    return FurnishedScene(kitchen, _things(kitchen, objects), opened, on)


def kind_of(name: str) -> str:
    """The category of a thing: its name in words, without the number."""
    return _NUMBER.sub("", name).replace("_", " ").strip().lower()


def _things(kitchen: Kitchen, objects: Mapping[str, str]) -> tuple[Thing, ...]:
    """The things in their spots, by name. What is in one area does not change another one."""
    by_area: dict[str, dict[str, str]] = {}
    for name, area in sorted(objects.items()):
        by_area.setdefault(area, {})[name] = _kind(kitchen, name, area)
    placed: dict[str, Thing] = {}
    for area, kinds in by_area.items():
        placed.update(_in_area(kitchen, area, kinds))
    return tuple(placed[name] for name in sorted(objects))


def _in_area(kitchen: Kitchen, area: str, kinds: Mapping[str, str]) -> Mapping[str, Thing]:
    """The things of an area in their spots, the widest first; tried again where one finds none.

    kinds: of the things, by name.
    """
    order = sorted(kinds, key=lambda name: -kind(kinds[name]).shape.radius)
    for attempt, packing in enumerate(_PACKINGS):
        spots = Spots(kitchen, kitchen.seed + attempt, packing)
        placed = {name: _spot(kitchen, name, kinds[name], area, spots) for name in order}
        lost = [name for name, thing in placed.items() if thing is None]
        if not lost:
            return {name: thing for name, thing in placed.items() if thing is not None}
    raise BadInput(f"There is no free spot for '{lost[0]}' in {area}; put it elsewhere.")


def _kind(kitchen: Kitchen, name: str, area: str) -> str:
    """The kind of a thing that fits in an area."""
    if not _NAME.fullmatch(name) or name in kitchen.areas:
        raise BadInput(f"'{name}' is no name of a thing; call it by a category and a number.")
    found = match(kind_of(name)).kind
    require_graspable(name, found)
    spaces = [kitchen.spaces[space] for space in kitchen.areas[area].spaces]
    if not spaces:
        raise BadInput(f"The area '{area}' keeps no things; put '{name}' elsewhere.")
    reasons = [fits(kind(found).shape, space) for space in spaces]
    if all(reasons):
        raise BadInput(f"The thing '{name}' does not fit in {area}: {reasons[0]}.")
    return found


def _spot(kitchen: Kitchen, name: str, found: str, area: str, spots: Spots) -> Thing | None:
    shape = kind(found).shape
    for space in kitchen.areas[area].spaces:
        if not fits(shape, kitchen.spaces[space]):
            pose = spots.find(kitchen.spaces[space], shape, name)
            if pose is not None:
                return Thing(name, found, space, pose)
    return None


def opened_poses(scene: FurnishedScene) -> tuple[Thing, ...]:
    """The things where they are at the start: those in open drawers are moved out with them."""
    return tuple(_moved(scene, thing) for thing in scene.things)


def _moved(scene: FurnishedScene, thing: Thing) -> Thing:
    kitchen = scene.kitchen
    if thing.space is None or thing.pose is None:
        return thing
    space = kitchen.spaces[thing.space]
    if space.front is None or space.area not in scene.open:
        return thing
    front = kitchen.fronts[space.front]
    if front.turns:
        return thing
    shift = front.open_value * front.axis
    return replace(thing, pose=thing.pose._replace(position=thing.pose.position + shift))


def open_values(scene: FurnishedScene) -> dict[str, float]:
    """How far fronts are open at the start, by front, in rad or m."""
    fronts = scene.kitchen.fronts
    areas = scene.kitchen.areas
    names = [front for area in scene.open if (front := areas[area].front) is not None]
    return {name: fronts[name].open_value for name in sorted(names)}


# --- the graph -----------------------------------------------------------------------------------


def graph_of(scene: FurnishedScene) -> SceneGraph:
    """The graph of a scene. Areas and things have their names as `native_id`.

    Things are numbered in the order of their names, which reveals no places.
    """
    kitchen = scene.kitchen
    names = [*kitchen.areas, *sorted(thing.name for thing in scene.things)]
    ids = {name: _FIRST + number for number, name in enumerate(names)}
    switched = {button.area for button in kitchen.buttons.values()}
    nodes = [
        Node(_ROOM, "kitchen", Kind.ROOM, "kitchen", box=room_box(kitchen)),
        Node(_AGENT, "robot", Kind.AGENT, "robot"),
    ]
    edges = [Edge(_AGENT, Relation.INSIDE, _ROOM)]
    for area in kitchen.areas.values():
        states, can = set(), set()
        if area.front is not None:
            can |= {Affordance.CONTAINER, Affordance.OPENABLE}
            states.add(State.OPEN if area.name in scene.open else State.CLOSED)
        elif area.spaces:
            can.add(Affordance.SURFACE)
        if area.name in switched:
            can.add(Affordance.SWITCHABLE)
            states.add(State.ON if area.name in scene.on else State.OFF)
        node = Node(
            ids[area.name],
            area.category,
            Kind.FIXTURE,
            area.name,
            frozenset(states),
            frozenset(can),
            box=area_box(kitchen, area),
        )
        nodes.append(node)
        edges.append(Edge(node.id, Relation.INSIDE, _ROOM))
    edges += _side_by_side(kitchen, ids)
    for thing in sorted(scene.things, key=lambda thing: thing.name):
        place = kitchen.areas[kitchen.spaces[thing.space or ""].area]
        graspable = frozenset({Affordance.GRASPABLE})
        node = Node(
            ids[thing.name], kind_of(thing.name), Kind.OBJECT, thing.name, affordances=graspable
        )
        nodes.append(node)
        relation = Relation.ON if place.front is None else Relation.INSIDE
        edges.append(Edge(node.id, relation, ids[place.name]))
    return SceneGraph(nodes, edges)


def _side_by_side(kitchen: Kitchen, ids: Mapping[str, int]) -> list[Edge]:
    """CLOSE edges between the areas of one stack: what is over each other at the same wall."""
    stacks: dict[str, set[str]] = {}
    for area in kitchen.areas.values():
        stacks.setdefault(area.unit, set()).add(area.name)
    for unit in kitchen.units:
        stacks.setdefault(unit.name, set()).update(space.area for space in unit.spaces)
    pairs = {(first, second) for areas in stacks.values() for first in areas for second in areas}
    return [
        Edge(ids[first], Relation.CLOSE, ids[second])
        for first, second in sorted(pairs)
        if first != second
    ]
