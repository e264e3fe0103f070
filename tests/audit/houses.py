"""Hand-made houses to audit: an ordinary one, and one with rare things."""

from __future__ import annotations

from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State

KITCHEN, BEDROOM, ME, FRIDGE, TABLE, LAMP, OTHER_LAMP, SAFE = 1, 2, 3, 4, 5, 6, 7, 8
APPLES = (11, 12, 13)
COIN, BOX, MICROWAVE = 14, 15, 16
ON, INSIDE = Relation.ON, Relation.INSIDE
WATER, GLASS, CASE, RING, TRAY, VASE, SHIRT, KNIFE, LOAF, CHAIR, MILK = range(21, 32)


def house() -> SceneGraph:
    """Three apples, one on the table; two lamps; a coin in a safe that nothing opens."""
    door = (Affordance.OPENABLE, Affordance.CONTAINER)
    lamp = (Affordance.SWITCHABLE,)
    return SceneGraph(
        [
            Node(KITCHEN, "kitchen", Kind.ROOM, KITCHEN),
            Node(BEDROOM, "bedroom", Kind.ROOM, BEDROOM),
            Node(ME, "robot", Kind.AGENT, ME),
            thing(FRIDGE, "fridge", Kind.FIXTURE, door, State.CLOSED),
            thing(TABLE, "table", Kind.FIXTURE, (Affordance.SURFACE,)),
            thing(LAMP, "lamp", Kind.FIXTURE, lamp, State.ON),
            thing(OTHER_LAMP, "lamp", Kind.FIXTURE, lamp, State.ON),
            thing(SAFE, "safe", Kind.FIXTURE, (Affordance.CONTAINER,), State.CLOSED),
            thing(MICROWAVE, "microwave", Kind.FIXTURE, (*door, *lamp), State.CLOSED, State.OFF),
            *(thing(i, "apple", Kind.OBJECT, (Affordance.GRASPABLE,)) for i in APPLES),
            thing(COIN, "coin", Kind.OBJECT, (Affordance.GRASPABLE,)),
            thing(BOX, "box", Kind.OBJECT, (Affordance.GRASPABLE, Affordance.CONTAINER)),
        ],
        [
            *(Edge(i, INSIDE, KITCHEN) for i in (ME, FRIDGE, TABLE, LAMP, SAFE, MICROWAVE)),
            *(Edge(i, INSIDE, BEDROOM) for i in (OTHER_LAMP, BOX)),
            Edge(APPLES[0], ON, TABLE),
            Edge(APPLES[1], INSIDE, FRIDGE),
            Edge(APPLES[2], INSIDE, BEDROOM),
            Edge(COIN, INSIDE, SAFE),
        ],
    )


def thing(
    number: int, category: str, kind: Kind, can: tuple[Affordance, ...], *states: State
) -> Node:
    return Node(number, category, kind, number, frozenset(states), frozenset(can))


def rarities() -> SceneGraph:
    """Water to pour, a ring in a case that nothing opens, a vase on a tray, a shirt one wears."""
    graph = house()
    liquid = (Affordance.GRASPABLE, Affordance.POURABLE, Affordance.LIQUID)
    lift = Affordance.GRASPABLE
    for node in (
        thing(WATER, "water", Kind.OBJECT, liquid),
        thing(GLASS, "glass", Kind.OBJECT, (lift, Affordance.RECIPIENT)),
        thing(CASE, "case", Kind.OBJECT, (lift, Affordance.CONTAINER), State.CLOSED),
        thing(RING, "ring", Kind.OBJECT, (lift,)),
        thing(TRAY, "tray", Kind.OBJECT, (lift, Affordance.SURFACE)),
        thing(VASE, "vase", Kind.OBJECT, ()),
        thing(SHIRT, "shirt", Kind.OBJECT, (Affordance.WEARABLE,)),
        thing(CHAIR, "chair", Kind.OBJECT, (lift, Affordance.SITTABLE)),
        thing(KNIFE, "knife", Kind.OBJECT, (lift, Affordance.CUTS)),
        thing(LOAF, "loaf", Kind.OBJECT, (lift, Affordance.SLICEABLE)),
    ):
        graph.add_node(node)
    for item in (WATER, GLASS, CASE, TRAY, KNIFE, LOAF, CHAIR):
        graph.add_edge(item, ON, TABLE)
    graph.add_edge(RING, INSIDE, CASE)
    graph.add_edge(VASE, ON, TRAY)
    graph.add_edge(SHIRT, ON, ME)
    return graph
