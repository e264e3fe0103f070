"""What a scene graph is made of: nodes, their states and affordances, and relations."""

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
    CLOSE = "close"  # from the agent to what it can reach; of two things: they stand side by side
    FACING = "facing"  # from the agent to what it is turned to; from a seat to what one sees there


#: Relations that say where a thing is kept.
PLACEMENTS = (Relation.INSIDE, Relation.ON, Relation.UNDER, Relation.ATTACHED)


class State(StrEnum):
    """A condition of a thing. One that the simulator does not give is absent, never guessed."""

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
    SITTING = "sitting"  # of agents, as the next
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
    """What can be done with a thing."""

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
    RINSES = "rinses"  # cleans, while it is on, what is in the basin that stands beside it
    SITTABLE = "sittable"
    LIEABLE = "lieable"
    WATCHABLE = "watchable"
    READABLE = "readable"
    DRINKABLE = "drinkable"  # a drink, or what one drinks out of
    EATABLE = "eatable"
    POURABLE = "pourable"
    LIQUID = "liquid"  # goes itself where it is poured; of what is not, some of its content does
    RECIPIENT = "recipient"  # takes what is poured
    WEARABLE = "wearable"
    SQUEEZABLE = "squeezable"
    MOVABLE = "movable"  # can be pushed and pulled about
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


@dataclass(frozen=True, slots=True)
class Node:
    """A thing, a place or the agent.

    id: stable within an episode; things that come in sight at once are numbered in the order of
    their ids, so that order must not follow from where they are. native_id: what the simulator
    calls it; for a planner, its id.
    category: normalised English in lower case ("kitchen table").
    """

    id: int
    category: str
    kind: Kind
    native_id: int | str
    states: frozenset[State] = frozenset()
    affordances: frozenset[Affordance] = frozenset()
    pose: Pose | None = None
    box: Box | None = None

    def having(self, state: State) -> Node:
        """This node in the given state, its opposite gone."""
        opposite = OPPOSITE.get(state)
        states = (self.states - {opposite} if opposite else self.states) | {state}
        return Node(  # takes a third of the time of `replace`, in every step that opens a door
            self.id,
            self.category,
            self.kind,
            self.native_id,
            states,
            self.affordances,
            self.pose,
            self.box,
        )


class Edge(NamedTuple):
    """One relation between two nodes."""

    source: int
    relation: Relation
    target: int
