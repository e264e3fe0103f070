"""The elements of a scene graph: nodes, their states and affordances, and relations."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """The layer of a node, as in 3D scene graphs."""

    SCENE = "scene"
    ROOM = "room"
    FIXTURE = "fixture"  # immovable: furniture, appliances
    OBJECT = "object"  # movable
    AGENT = "agent"


class Relation(StrEnum):
    """A directed relation, read from source to target: the plate is ON the table."""

    INSIDE = "inside"
    ON = "on"
    UNDER = "under"
    ATTACHED = "attached"
    HOLDS = "holds"  # from the agent to what it holds
    CLOSE = "close"  # from the agent to a base in reach; between two things: side by side
    FACING = "facing"  # from the agent to what it looks at; from a seat to what one sees there


#: Relations from a thing to the place that keeps it.
PLACEMENTS = (Relation.INSIDE, Relation.ON, Relation.UNDER, Relation.ATTACHED)


class State(StrEnum):
    """A condition of a thing; absent if the simulator does not give it, never guessed."""

    OPEN = "open"
    CLOSED = "closed"
    ON = "on"
    OFF = "off"
    PLUGGED_IN = "plugged_in"
    PLUGGED_OUT = "plugged_out"
    CLEAN = "clean"
    DIRTY = "dirty"
    HOT = "hot"
    COLD = "cold"
    SLICED = "sliced"
    FILLED = "filled"
    COOKED = "cooked"
    BROKEN = "broken"
    SITTING = "sitting"  # of agents only, like the next
    LYING = "lying"


_PAIRS = (
    (State.OPEN, State.CLOSED),
    (State.ON, State.OFF),
    (State.PLUGGED_IN, State.PLUGGED_OUT),
    (State.CLEAN, State.DIRTY),
    (State.HOT, State.COLD),
    (State.SITTING, State.LYING),
)
#: States that exclude each other.
OPPOSITE: dict[State, State] = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}
#: States of an agent that does not stand.
POSTURES = frozenset({State.SITTING, State.LYING})


class Affordance(StrEnum):
    """An action that a thing is made for."""

    OPENABLE = "openable"
    SWITCHABLE = "switchable"
    PLUGGABLE = "pluggable"
    GRASPABLE = "graspable"
    SURFACE = "surface"
    CONTAINER = "container"
    SLICEABLE = "sliceable"
    CUTS = "cuts"  # a tool that slices
    HEATS = "heats"  # makes hot what is inside while it is on
    COOLS = "cools"  # makes cold what is inside while it is closed
    TOASTS = "toasts"  # toasts what is inside when it is turned on
    FILLS = "fills"  # fills what is inside when it is turned on: a coffee machine
    RINSES = "rinses"  # cleans what is in the basin beside it while it is on
    SITTABLE = "sittable"
    LIEABLE = "lieable"
    WATCHABLE = "watchable"
    READABLE = "readable"
    DRINKABLE = "drinkable"  # a drink, or a vessel to drink from
    EATABLE = "eatable"
    POURABLE = "pourable"
    LIQUID = "liquid"  # pouring moves the thing itself; otherwise some of its content
    RECIPIENT = "recipient"  # can be poured into
    WEARABLE = "wearable"
    SQUEEZABLE = "squeezable"
    MOVABLE = "movable"  # can be pushed and pulled
    TYPEABLE = "typeable"  # has keys
    PERSON = "person"


Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


class Pose(NamedTuple):
    """A position in metres and an orientation (x, y, z, w), in the frame of the scene."""

    position: Vector
    orientation: Quaternion = (0.0, 0.0, 0.0, 1.0)


class Box(NamedTuple):
    """An axis-aligned bounding box in metres, in the frame of the scene."""

    center: Vector
    size: Vector
    more: tuple[tuple[Vector, Vector], ...] = ()
    """Centres and sizes of its other parts, such as the other leg of a worktop around a corner."""


@dataclass(frozen=True, slots=True)
class Node:
    """A thing, a place or the agent."""

    id: int
    """Stable within an episode. New things get names in the order of ids, so ids must not reveal
    places.
    """
    category: str
    """Normalised English in lower case, such as "kitchen table"."""
    kind: Kind
    """The layer of the graph."""
    native_id: int | str
    """The simulator's own id; for a planner, the same as `id`."""
    states: frozenset[State] = frozenset()
    """Only states that the simulator gives."""
    affordances: frozenset[Affordance] = frozenset()
    """Only affordances that the simulator gives."""
    pose: Pose | None = None
    """In m, in the frame of the scene."""
    box: Box | None = None
    """The bounding box in m, in the frame of the scene."""
    number: int | None = None
    """The number in its name, where the simulator has names of its own: 3 for "cabinet 3"."""

    def having(self, state: State) -> Node:
        """This node in the given state, without its opposite."""
        opposite = OPPOSITE.get(state)
        states = (self.states - {opposite} if opposite else self.states) | {state}
        return Node(  # three times as fast as `replace`
            self.id,
            self.category,
            self.kind,
            self.native_id,
            states,
            self.affordances,
            self.pose,
            self.box,
            self.number,
        )


class Edge(NamedTuple):
    """One relation between two nodes."""

    source: int
    relation: Relation
    target: int
